/* drift.h - did the server become faster or slower while a sweep went on?
 *
 * Levels of a sweep run one after the other, so what changes with time (a cache that warms up, a
 * machine that heats up, a neighbour) looks like an effect of the load (B104). A sweep that asks
 * its first level again at its end shows it: the two differ in nothing but time. The rule is in
 * docs/method/load-drift.md. Arithmetic only. */
#ifndef PP_CAPACITY_DRIFT_H
#define PP_CAPACITY_DRIFT_H

#include "capacity/level_summary.h"
#include "model/load_level.h"

/* Less is of no matter for reading a sweep, whatever an interval says: neighbours in a closed loop
 * are alike, so that intervals are too narrow. */
#define PP_DRIFT_MIN_PERCENT  5.0
/* No drift is claimed only where more than this is ruled out. */
#define PP_DRIFT_NONE_PERCENT 10.0

typedef enum pp_drift_verdict {
    PP_DRIFT_NONE, /* a larger change than PP_DRIFT_NONE_PERCENT is ruled out */
    PP_DRIFT_SEEN, /* the intervals of both medians are apart, by PP_DRIFT_MIN_PERCENT or more */
    PP_DRIFT_UNDECIDED /* neither: too few requests, or they differ too much */
} pp_drift_verdict;

/** "none", "seen", "undecided"; NULL behind the last. */
const char *pp_drift_verdict_name(size_t verdict);

typedef enum pp_drift_measure {
    PP_DRIFT_TTFT,
    PP_DRIFT_TPOT,
    PP_DRIFT_E2E,
    PP_DRIFT_MEASURE_COUNT
} pp_drift_measure;

/** "ttft", "tpot", "e2e"; NULL behind the last. */
const char *pp_drift_measure_name(size_t measure);

/* Of one measure: medians over the requests that ended well. */
typedef struct pp_drift_change {
    pp_maybe_real first_ms_p50, again_ms_p50;
    pp_maybe_real percent;                   /* of the later median over the earlier one */
    pp_maybe_real low_percent, high_percent; /* what the intervals of both leave open */
    pp_drift_verdict verdict;
} pp_drift_change;

typedef struct pp_drift {
    pp_drift_change changes[PP_DRIFT_MEASURE_COUNT];
    pp_drift_verdict verdict; /* seen where one is, undecided where one is, else none */
} pp_drift;

/** The later level asks what the earlier one asked; number and seed may differ. */
bool pp_drift_is_repeat(const pp_load_level *earlier, const pp_load_level *later);

/** A measure that neither level has is left out of the verdict, and so are all where a level is
 * not valid: undecided. Times of an open loop or trace count from the instant due. */
pp_drift pp_drift_between(const pp_load_level *level, const pp_level_summary *first,
                          const pp_level_summary *again);

#endif
