/* quality_gate.h - whether the answers of a capacity study's servers are good enough, and the same
 * whatever the number of slots.
 *
 * Pure. The rows are the original's `quality_checks`; docs/method/quality-gate.md. */
#ifndef PP_QUALITY_QUALITY_GATE_H
#define PP_QUALITY_QUALITY_GATE_H

#include "base/maybe.h"
#include "quality/outcomes.h"

typedef struct pp_quality_gate {
    double minimum_score;                  /* 0 to 1; this score passes */
    double minimum_retention_vs_reference; /* of the reference's score; this share passes */
    pp_text reference_candidate_id;
} pp_quality_gate;

/* What one server answered; borrowed. */
typedef struct pp_quality_source {
    pp_text candidate_id;
    int64_t server_parallel; /* slots of the server */
    pp_text suite_id;
    const char *suite_sha256;
    const pp_case_outcome *outcomes; /* at least one */
    size_t outcome_count;
    /* Of the wrapper's file, of its content, of the evaluation's file; only copied. */
    const char *input_sha256, *source_content_sha256, *evaluation_sha256;
} pp_quality_source;

/* In the order in which they are listed. */
typedef enum pp_quality_failure {
    PP_QUALITY_SCORE_BELOW_MINIMUM,
    PP_QUALITY_RETENTION_BELOW_MINIMUM, /* never of the reference itself */
    PP_QUALITY_OUTCOMES_CHANGED,        /* other than with one slot */
    PP_QUALITY_FAILURE_COUNT
} pp_quality_failure;

/** "quality_score_below_minimum", ... */
const char *pp_quality_failure_name(pp_quality_failure failure);

typedef struct pp_quality_check {
    const pp_quality_source *source;
    size_t passed_count;
    double score;
    pp_maybe_real retention_vs_reference; /* not known where the reference's score is 0 */
    bool outcomes_match_candidate_reference;
    char outcomes_sha256[PP_SHA256_HEX_SIZE];
    pp_quality_failure failures[PP_QUALITY_FAILURE_COUNT];
    size_t failure_count; /* 0: the gate is met */
} pp_quality_check;

/**
 * Judge every server, in the order of `sources`: its score; its score by that of the reference
 * candidate with as many slots; its outcomes against those of the same candidate with one slot.
 *
 * ret_checks   `count` of them in `arena`; they borrow from `sources`
 *
 * A retention that is not known does not meet the gate. Fails with PP_ERR_DOMAIN when a server is
 * there twice, one to compare with is missing, or they were not asked the same suite and cases.
 */
PP_MUST_CHECK pp_status pp_quality_checks(pp_arena *arena, const pp_quality_gate *gate,
                                          const pp_quality_source *sources, size_t count,
                                          pp_quality_check **ret_checks, pp_error *err);

/** The row of the original's study file; its source_label is "CANDIDATE/pN". */
pp_json *pp_quality_check_to_json(pp_arena *arena, const pp_quality_check *check);

#endif
