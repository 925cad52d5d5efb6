/* what_if.h - which one change of the constraints would have selected another candidate.
 *
 * Three questions, each with everything else as it is: which tolerance, which limit and how far
 * moved, which of the frontier metrics as objective. Every answer is the decision that pp_decide
 * makes of the changed constraints; the exact number at which it turns over is searched, not
 * estimated. Source: docs/method/what-if.md. */
#ifndef PP_DECIDE_WHAT_IF_H
#define PP_DECIDE_WHAT_IF_H

#include "decide/decision.h"

/* From this tolerance on, until the next step, this candidate is selected. */
typedef struct pp_tolerance_step {
    double from_percent; /* 0 to 100; the first step has 0 */
    size_t selected;
} pp_tolerance_step;

typedef enum pp_limit_kind {
    PP_LIMIT_QUALITY_RETENTION, /* min_quality_retention */
    PP_LIMIT_MAXIMUM,           /* one of max_values */
    PP_LIMIT_MINIMUM
} pp_limit_kind;

/* The nearest limit at which another candidate is selected. */
typedef struct pp_limit_turn {
    bool exists;      /* false: however far the limit is moved this way, the choice stays */
    double limit;     /* in the metric's unit; for quality retention a ratio, 0 to 1 */
    size_t candidate; /* the one that becomes eligible there, or stops to be */
    size_t selected;  /* PP_NOT_FOUND: nothing is eligible */
} pp_limit_turn;

typedef struct pp_limit_change {
    pp_limit_kind kind;
    pp_text metric;
    double limit; /* as it is, unit as above */
    pp_limit_turn looser, tighter;
} pp_limit_change;

typedef struct pp_objective_change {
    pp_goal objective;
    size_t selected; /* with the tolerance and the preferences as they are */
    size_t best;     /* with neither: the frontier candidate with the best value */
} pp_objective_change;

typedef struct pp_what_if {
    pp_tolerance_step *steps; /* none without a winner */
    size_t step_count;
    pp_limit_change *limits; /* quality retention, max_values, min_values */
    size_t limit_count;
    pp_objective_change *objectives; /* the other frontier metrics; none without a winner */
    size_t objective_count;
} pp_what_if;

/** "quality-retention", "maximum", "minimum" */
const char *pp_limit_kind_name(pp_limit_kind kind);

/**
 * Answer the three questions about a decision, one without a winner included: then a looser limit
 * is one that makes somebody eligible. Lists live in the arena. Fails with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_what_if_find(pp_arena *arena, const pp_decision *decision,
                                        pp_what_if *ret_what_if, pp_error *err);

/** Member `what_if` of docs/formats/decision-details.md. NULL when memory is short. */
pp_json *pp_what_if_to_json(pp_arena *arena, const pp_decision *decision,
                            const pp_what_if *what_if);

#endif
