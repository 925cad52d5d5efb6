/* evaluation_check.h - server evaluations read strictly: every member that follows from answers and
 * samples is made again and must be the one that was written. Pure. */
#ifndef PP_QUALITY_EVALUATION_CHECK_H
#define PP_QUALITY_EVALUATION_CHECK_H

#include "model/server_evaluation.h"

/* How far a written figure may be from the one made again; the original's own limits. */
#define PP_EVALUATION_PERCENTILE_SLACK_MS 1e-9
#define PP_EVALUATION_SCORE_SLACK         1e-12

/* Texts for people, control characters escaped; a long value is cut. */
typedef struct pp_evaluation_difference {
    const char *path; /* "$.quality.score" */
    const char *expected;
    const char *found;
} pp_evaluation_difference;

/* In the order of the document. */
typedef struct pp_evaluation_differences {
    pp_evaluation_difference *items;
    size_t count, capacity;
} pp_evaluation_differences;

/**
 * Read a parsed document and list all that contradicts itself in it. Texts are borrowed from
 * `root`; what follows from the rest is kept as it is written.
 * Fails with PP_ERR_SCHEMA "$.path: ..." when the document does not have the form of one, or an
 * accepted answer is none that can be matched.
 */
PP_MUST_CHECK pp_status pp_server_evaluation_check(pp_arena *arena, const pp_json *root,
                                                   pp_server_evaluation *ret_evaluation,
                                                   pp_evaluation_differences *ret_differences,
                                                   pp_error *err);

/** The same, where any difference is a failure: PP_ERR_SCHEMA naming each of them, as far as an
 * error is long. */
PP_MUST_CHECK pp_status pp_server_evaluation_read(pp_arena *arena, const pp_json *root,
                                                  pp_server_evaluation *ret_evaluation,
                                                  pp_error *err);

#endif
