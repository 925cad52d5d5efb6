/* evaluation.h - a server evaluation from answers and latencies, and one of several passes.
 *
 * Pure. What may not be built says why; nothing is filled in. docs/formats/server-evaluation.md. */
#ifndef PP_QUALITY_EVALUATION_H
#define PP_QUALITY_EVALUATION_H

#include "model/origin.h"
#include "model/server_evaluation.h"
#include "quality/outcomes.h"

/* Everything is borrowed. */
typedef struct pp_evaluation_source {
    pp_text candidate_id;
    pp_origin origin;         /* of the answers and latencies */
    const pp_suite *suite;    /* of schema 1.0 */
    const char *suite_sha256; /* of its file */
    const pp_text *answers;   /* one for each case, in its order; "" is an answer, too */
    size_t answer_count;
    const pp_evaluation_sample *samples; /* measured requests only, as many as the suite repeats */
    size_t sample_count;
} pp_evaluation_source;

/**
 * The evaluation of one pass.
 *
 * Fails with PP_ERR_DOMAIN when the suite is not of schema 1.0, an answer is missing, the number of
 * samples is not the suite's, a sample contradicts itself, or the origin is synthetic weights,
 * whose answers mean nothing. Any other origin than `measured` gives `synthetic`.
 */
PP_MUST_CHECK pp_status pp_evaluation_build(pp_arena *arena, const pp_evaluation_source *source,
                                            pp_server_evaluation *ret_evaluation, pp_error *err);

/* A case that did not come out alike in every pass. */
typedef struct pp_evaluation_flip {
    pp_text case_id;
    const char *gave; /* "PASS: ..., PASS: ..." for people, of every pass; control characters are
                         escaped */
} pp_evaluation_flip;

/**
 * Every case whose (matched, matched_answer) is not that of the first pass in one of the others, in
 * the order of the cases. The evaluations have the same cases.
 * names    one for each evaluation, for `gave`: a path, "pass 1"
 */
PP_MUST_CHECK pp_status pp_evaluation_find_flips(pp_arena *arena,
                                                 const pp_server_evaluation *evaluations,
                                                 const char *const *names, size_t count,
                                                 pp_evaluation_flip **ret_flips,
                                                 size_t *ret_flip_count, pp_error *err);

/**
 * One evaluation of PP_EVALUATION_MIN_POOLED to PP_EVALUATION_MAX_POOLED passes: answers of the
 * first, samples of all in their order, percentiles over all of these, requests asked of all.
 *
 * That the inputs are different files is for the caller to see to. Fails with PP_ERR_DOMAIN naming
 * the two and the member when candidate, suite, synthetic or a case differs; naming every case that
 * flipped, with what each pass gave, as far as an error is long (pp_evaluation_find_flips has all).
 */
PP_MUST_CHECK pp_status pp_evaluation_pool(pp_arena *arena, const pp_server_evaluation *evaluations,
                                           const char *const *names, size_t count,
                                           pp_server_evaluation *ret_pooled, pp_error *err);

/* ---- for evaluation_check and evaluation_pool
 * ---------------------------------------------------------------------
 */

/** Make again what follows from cases and samples. The cases are those of `suite`, whose decoder
 * has checked them. */
PP_MUST_CHECK pp_status pp_evaluation_derive(pp_arena *arena, const pp_suite *suite,
                                             pp_server_evaluation *evaluation, pp_error *err);
/** Of these, what follows from the samples. */
PP_MUST_CHECK pp_status pp_evaluation_derive_latency(pp_arena *arena,
                                                     pp_server_evaluation *evaluation,
                                                     pp_error *err);

#endif
