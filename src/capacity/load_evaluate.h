/* load_evaluate.h - a load evaluation from what a run recorded: built, bound to the server that
 * answered, and put together with those of other candidates.
 *
 * Pure. What may not be built says why; nothing is filled in. */
#ifndef PP_CAPACITY_LOAD_EVALUATE_H
#define PP_CAPACITY_LOAD_EVALUATE_H

#include "model/load_evaluation.h"

/* The requests of one level, each list in the order of requests. Borrowed. */
typedef struct pp_measured_level {
    int64_t concurrency;
    const pp_load_sample *warmup;
    size_t warmup_count;
    const pp_load_sample *measured;
    size_t measured_count;
    pp_maybe_real peak_rss_mib;
} pp_measured_level;

/** Not blank, at most PP_LOAD_MAX_ID_CHARACTERS; fails with PP_ERR_DOMAIN. */
PP_MUST_CHECK pp_status pp_load_candidate_id_check(pp_text id, pp_error *err);

/**
 * The evaluation of one candidate.
 *
 * candidate_id   as pp_load_candidate_id_check has it; borrowed, like the texts of the plan
 * levels         one for each of the plan, in the order in which they ran
 *
 * Fails with PP_ERR_DOMAIN naming level and request: a level is missing or there twice, a number of
 * requests is not the plan's, a warm-up failed, a sample contradicts itself.
 */
PP_MUST_CHECK pp_status pp_load_evaluation_build(pp_arena *arena, const pp_load_plan *plan,
                                                 pp_text candidate_id, bool synthetic,
                                                 const pp_measured_level *levels,
                                                 size_t level_count,
                                                 pp_load_evaluation *ret_evaluation, pp_error *err);

/* What an evaluation is bound to; borrowed. The digests are those of the files. */
typedef struct pp_load_binding_source {
    const char *plan_sha256;
    pp_text request_base_url; /* as it was given */
    pp_server_argv load_argv;
    const char *load_command_sha256;
    pp_server_argv canonical_argv;
    const char *canonical_command_sha256;
} pp_load_binding_source;

/** Fails with PP_ERR_DOMAIN when the two command lines make different servers, or the address is
 * none of the first. */
PP_MUST_CHECK pp_status pp_load_evaluation_bind(pp_arena *arena,
                                                const pp_load_binding_source *source,
                                                pp_load_evaluation *evaluation, pp_error *err);

/**
 * Put PP_LOAD_MIN_COMBINED to PP_LOAD_MAX_COMBINED evaluations together, by candidate id.
 * Fails with PP_ERR_DOMAIN when two are of one candidate, or they differ in method, limits,
 * synthetic or plan, or only some are bound.
 */
PP_MUST_CHECK pp_status pp_load_evaluations_combine(pp_arena *arena,
                                                    const pp_load_evaluation *evaluations,
                                                    size_t count,
                                                    pp_combined_load_evaluation *ret_combined,
                                                    pp_error *err);

/* ---- for load_check ---------------------------------------------------------------------------
 */

/** Make again what follows from the samples, and from the command lines and the address. */
PP_MUST_CHECK pp_status pp_load_rows_derive(pp_load_evaluation *evaluation, pp_error *err);
PP_MUST_CHECK pp_status pp_load_binding_derive(pp_arena *arena, pp_load_binding *binding,
                                               pp_error *err);

#endif
