/* stability.h - do the passes of a measurement agree on who is better than the baseline?
 *
 * Compares the same candidates over two to eight benchmark sets, metric by metric: in which
 * direction each pass points, and how far the passes lie apart. Observations only: with so few
 * passes nothing here is a test, and no decision follows from it. */
#ifndef PP_DECIDE_STABILITY_H
#define PP_DECIDE_STABILITY_H

#include "model/benchmark_set.h"
#include "model/constraints.h"

#define PP_STABILITY_MIN_PASSES  2
#define PP_STABILITY_MAX_PASSES  8
#define PP_STABILITY_MAX_METRICS 32
#define PP_STABILITY_MAX_NAME    128 /* code points of a label, a metric, an id */

/* Of one pass, or of all together. */
typedef enum pp_trend {
    PP_TREND_NONE,
    PP_TREND_IMPROVED,
    PP_TREND_REGRESSED,
    PP_TREND_MIXED /* some passes improved, some regressed */
} pp_trend;

typedef struct pp_stability_value {
    double candidate, baseline; /* in the metric's unit */
    pp_trend comparison;        /* never mixed */
    bool has_delta;       /* false: the baseline is within 1e-12 of 0, or no number can hold it */
    double delta_percent; /* of the baseline's size; above 0 is better, whatever the direction */
} pp_stability_value;

typedef struct pp_stability_row {
    pp_stability_value *values; /* one for each pass */
    pp_trend overall;
    bool has_spread;       /* false: the mean is within 1e-12 of 0 and the values differ */
    double spread_percent; /* highest less lowest value of the candidate, of the mean's size */
} pp_stability_row;

typedef struct pp_stability_candidate {
    pp_text id;
    pp_text sha256; /* of its label and parameters */
} pp_stability_candidate;

typedef struct pp_stability {
    pp_text baseline_id;
    bool synthetic;
    pp_text *pass_labels;
    pp_text *pass_sha256; /* of the files, NULL when not known */
    size_t pass_count;
    pp_goal *goals; /* by name */
    size_t goal_count;
    pp_stability_candidate *candidates; /* by id, the baseline among them */
    size_t candidate_count;
    pp_stability_row *rows; /* of the first candidate one for each goal, then of the second, ... */
} pp_stability;

typedef struct pp_stability_pass {
    pp_text label; /* not blank; unique */
    const pp_benchmark_set *set;
    const char *sha256; /* of the file; NULL in all passes, or in none */
} pp_stability_pass;

/**
 * Compare passes. goals: the metrics, each once, in any order. Texts are borrowed.
 *
 * Fails with PP_ERR_DOMAIN when there are too few or too many of either, a name is too long or
 * used twice, or the passes are not of the same candidates: baseline, synthetic flag, ids,
 * labels and parameters must agree, and every candidate must have every metric.
 * Source: docs/method/stability.md.
 */
PP_MUST_CHECK pp_status pp_stability_make(pp_arena *arena, const pp_stability_pass *passes,
                                          size_t n_passes, const pp_goal *goals, size_t n_goals,
                                          pp_stability *ret_stability, pp_error *err);

/** The document of docs/formats/stability.md. NULL when memory is short. */
pp_json *pp_stability_to_json(pp_arena *arena, const pp_stability *stability);

/**
 * Read a parsed document and recompute every figure and word in it; what is returned is what was
 * computed. The order of keys does not matter. Fails with PP_ERR_SCHEMA "$.path: ...".
 */
PP_MUST_CHECK pp_status pp_stability_decode(pp_arena *arena, const pp_json *root,
                                            pp_stability *ret_stability, pp_error *err);

/** "no change", "improved", "regressed", "mixed" */
const char *pp_trend_name(pp_trend change);

/** "no change", "consistent", "mixed" */
const char *pp_trend_consistency(pp_trend overall);

/* ---- arithmetic, for making and for reading ---- */

/** What a pass says of one metric; the two values are filled in. */
void pp_stability_compare(pp_stability_value *value, pp_direction direction);

/** Overall direction and spread of a row; its values are complete. */
void pp_stability_sum_up(pp_stability_row *row, size_t n_passes);

/** Fails with PP_ERR_DOMAIN "<what> '...': ..." when a name is blank or longer than
 * PP_STABILITY_MAX_NAME. */
PP_MUST_CHECK pp_status pp_stability_check_name(const char *what, pp_text name, pp_error *err);

#endif
