/* quality_figures.h - what a suite says of the candidates of a study, from the raw replies alone.
 *
 * Pure but for reading files of the bundle: the same files give the same figures, so that answers
 * which were edited are found. docs/method/study-quality.md. */
#ifndef PP_EVIDENCE_QUALITY_FIGURES_H
#define PP_EVIDENCE_QUALITY_FIGURES_H

#include "evidence/metadata.h"
#include "model/benchmark_set.h"
#include "quality/agreement.h"
#include "quality/pairing.h"

/* quality_score, reference_top1_agreement, reference_kl_nats_mean */
#define PP_QUALITY_METRIC_COUNT 3

typedef struct pp_quality_candidate {
    pp_origin origin; /* of its answers */
    pp_suite_results results;
    pp_score score;
    pp_pairing pairing;         /* with the baseline; not of the baseline itself */
    pp_next_token **answers;    /* [pass][context]; NULL where the suite has no contexts */
    pp_maybe_bool *speculation; /* [pass], as the server said */
    bool has_agreement;         /* false: no contexts, or the baseline in one pass */
    pp_agreement agreement;     /* of the pass that agrees least */
    int64_t agreement_pass;     /* from 1 */
    int64_t reference_pass;     /* the baseline's that it is compared with */
} pp_quality_candidate;

typedef struct pp_quality_figures {
    bool present; /* false: the plan has no suite, and the rest is empty */
    pp_suite suite;
    char suite_sha256[PP_SHA256_HEX_SIZE];
    char suite_content_sha256[PP_SHA256_HEX_SIZE];
    size_t baseline;
    pp_quality_candidate *candidates; /* beside those of the plan */
} pp_quality_figures;

/** Fails with PP_ERR_DOMAIN when the constraints of the plan name what this suite does not measure.
 */
PP_MUST_CHECK pp_status pp_plan_suite_check(const pp_study_plan *plan, const pp_suite *suite,
                                            pp_error *err);

/**
 * Read suite and replies of a bundle and judge them. Everything lives in `arena`.
 *
 * A case without a recorded reply is a failed request. Fails with PP_ERR_IO, PP_ERR_SYNTAX,
 * PP_ERR_SCHEMA or PP_ERR_DOMAIN naming the file, also for a reply to a case that the suite does
 * not have, a second one, or a request that does not ask what the case asks.
 */
PP_MUST_CHECK pp_status pp_quality_load(pp_arena *arena, const char *folder,
                                        const pp_study_plan *plan,
                                        const pp_study_documents *documents,
                                        pp_quality_figures *ret_figures, pp_error *err);

/** Append the metrics that are known; there must be room for PP_QUALITY_METRIC_COUNT. */
void pp_quality_add_metrics(const pp_quality_figures *figures, size_t candidate, pp_candidate *to);

/** measurement.quality of a candidate: figures, or why there are none. */
pp_json *pp_quality_parameters(pp_arena *arena, const pp_quality_figures *figures,
                               const pp_study_plan *plan, size_t candidate);

/** metadata.study.suite: what was asked; null without a suite. */
pp_json *pp_quality_metadata(pp_arena *arena, const pp_quality_figures *figures);

/**
 * experiment/quality-report.json, a suite-report whose endpoints are the candidates; NULL without a
 * suite.
 *
 * passes   as pp_set_metadata takes them
 */
PP_MUST_CHECK pp_status pp_quality_report(pp_arena *arena, const pp_quality_figures *figures,
                                          const pp_study_plan *plan, const pp_pass_figures *passes,
                                          const char *tool_version, pp_json **ret_report,
                                          pp_error *err);

#endif
