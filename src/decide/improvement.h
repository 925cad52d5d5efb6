/* improvement.h - how near a dominated candidate is to the frontier.
 *
 * One metric is improved and everything else stays; the exact number from which on no other
 * eligible candidate dominates is searched with the rule of frontier.h. */
#ifndef PP_DECIDE_IMPROVEMENT_H
#define PP_DECIDE_IMPROVEMENT_H

#include "decide/decision.h"

/* Every dominated candidate is held against all eligible ones. Beyond this many that takes longer
 * than the decision itself is worth, and nothing is answered. */
#define PP_IMPROVEMENT_MAX_ELIGIBLE 20000

typedef struct pp_improvement {
    bool exists;    /* dominated, and one metric would do */
    pp_text metric; /* of the frontier */
    double value;   /* first value of it that nobody dominates, in its unit */
    double change;  /* value minus the present one; below 0 where less is better */
    bool has_percent;
    double change_percent; /* of the present value's size; absent when that is 0 or it overflows */
} pp_improvement;

/**
 * For each candidate of the set the improvement of one metric that is smallest in percent (one
 * without a percent comes last, the order of frontier_metrics decides between equals).
 *
 * Left out: values that a limit forbids (a frontier metric to be raised that has a maximum), and
 * the quality of the baseline, which would move the floor of all. After exact comparison
 * (frontier.h) there is no answer. ret_rows   one for each candidate, in the arena Fails with
 * PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_improvements_find(pp_arena *arena, const pp_decision *decision,
                                             pp_improvement **ret_rows, pp_error *err);

#endif
