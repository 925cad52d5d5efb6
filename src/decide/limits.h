/* limits.h - which candidates are eligible, and by how much the others miss.
 *
 * Judges one candidate at a time against limits that were prepared once. The order of violations
 * and their texts are part of the published document; docs/method/decision.md states both. */
#ifndef PP_DECIDE_LIMITS_H
#define PP_DECIDE_LIMITS_H

#include "model/benchmark_set.h"
#include "model/constraints.h"

/* A value may pass a limit by this fraction of either: noise of the last digits is no violation. */
#define PP_LIMIT_RELATIVE_TOLERANCE 1e-9

typedef enum pp_violation_kind {
    PP_VIOLATION_MISSING_METRIC,
    PP_VIOLATION_QUALITY_RETENTION,
    PP_VIOLATION_ABOVE_MAXIMUM,
    PP_VIOLATION_BELOW_MINIMUM
} pp_violation_kind;

typedef struct pp_violation {
    pp_violation_kind kind;
    bool of_baseline; /* MISSING_METRIC: the baseline lacks it, so nobody can be compared */
    pp_text metric;
    double value; /* in the metric's unit; this and the rest only when the metric is there */
    double limit; /* for quality retention the floor, in the unit of the quality metric */
    double slack; /* room to the limit, in the metric's unit: negative, how far it is missed */
    bool has_slack_percent;
    double slack_percent; /* of the limit's size; absent when the limit is 0 or it overflows */
    pp_text text;         /* the sentence of the published document */
} pp_violation;

typedef struct pp_violations {
    pp_violation *items;
    size_t count;
} pp_violations;

typedef struct pp_limits {
    const pp_constraints *constraints;
    bool lacks_floor;        /* the baseline has no quality: nobody is eligible */
    double baseline_quality; /* > 0; meaningless where quality is not measurable */
    double quality_floor;    /* baseline_quality * min_quality_retention */
    pp_text *required;       /* every metric that must be there, sorted, unique */
    size_t required_count;
} pp_limits;

/** "missing-metric", "quality-retention", "above-maximum", "below-minimum" */
const char *pp_violation_kind_name(pp_violation_kind kind);

/**
 * Fails with PP_ERR_DOMAIN when the baseline has no quality metric or one that is not above 0,
 * unless quality is not measurable. Texts are borrowed from set and constraints.
 */
PP_MUST_CHECK pp_status pp_limits_prepare(pp_arena *arena, const pp_benchmark_set *set,
                                          const pp_constraints *constraints, pp_limits *ret_limits,
                                          pp_error *err);

/**
 * The same, but a baseline without a quality to compare with is no failure: `lacks_floor` is set
 * and every candidate violates the retention. For studies, whose baseline may fail.
 */
PP_MUST_CHECK pp_status pp_limits_prepare_measured(pp_arena *arena, const pp_benchmark_set *set,
                                                   const pp_constraints *constraints,
                                                   pp_limits *ret_limits, pp_error *err);

/**
 * Every violation of one candidate: missing metrics by name, then quality retention, then
 * max_values and min_values in document order. None means eligible.
 */
PP_MUST_CHECK pp_status pp_limits_judge(pp_arena *arena, const pp_limits *limits,
                                        const pp_candidate *candidate,
                                        pp_violations *ret_violations, pp_error *err);

#endif
