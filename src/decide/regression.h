/* regression.h - whether the chosen candidate is worse than the one that was chosen before.
 *
 * The earlier decision comes as a recommendation, ours or the original tool's. Compared is every
 * metric that either decision names as objective, limit, frontier or quality: what has been dropped
 * from the constraints since is still compared. */
#ifndef PP_DECIDE_REGRESSION_H
#define PP_DECIDE_REGRESSION_H

#include "decide/decision.h"

/* Beyond the allowed regression by less than this fraction is noise of the last digits. */
#define PP_REGRESSION_RELATIVE_TOLERANCE 1e-9

typedef struct pp_earlier {
    pp_text selected_id;
    bool synthetic;
    const pp_json *metrics;     /* of the selected candidate, name to number */
    const pp_json *constraints; /* as the recommendation repeats them */
} pp_earlier;

typedef struct pp_regression {
    pp_text metric;
    pp_direction direction;
    bool has_earlier, has_now; /* one of them at least */
    double earlier, now;       /* in the metric's unit */
    double worse_by;           /* both there: above 0 when it is worse, in the metric's unit */
    bool has_percent;
    double worse_percent; /* of the earlier value's size; absent when that is 0 or it overflows */
    bool is_missed;       /* worse by more than allowed, or not measured any more */
} pp_regression;

typedef struct pp_regressions {
    pp_regression *items; /* by name of the metric */
    size_t count;
    size_t missed_count;
} pp_regressions;

/** Read a recommendation; values are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_earlier_decode(const pp_json *root, pp_earlier *ret_earlier,
                                          pp_error *err);

/**
 * Compare the selected candidate of a decision that has one.
 *
 * max_percent   0 or more: how much worse a metric may be, of the earlier value's size; an earlier
 *               0 allows nothing
 * A metric that was not measured before is listed and missed by nothing.
 * Fails with PP_ERR_DOMAIN when both decisions want the opposite of a metric, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_regressions_find(pp_arena *arena, const pp_decision *decision,
                                            const pp_earlier *earlier, double max_percent,
                                            pp_regressions *ret_regressions, pp_error *err);

/** One row of docs/formats/regression.md. NULL when memory is short. */
pp_json *pp_regression_to_json(pp_arena *arena, const pp_regression *regression);

#endif
