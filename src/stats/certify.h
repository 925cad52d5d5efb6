/* certify.h - what a fixed number of yes-or-no cases can say about the share behind them: exact
 * interval, and the passes that certify a floor.
 *
 * The numbers of cases must have been fixed before looking. The same bits on every machine.
 * docs/method/quality-score.md. */
#ifndef PP_STATS_CERTIFY_H
#define PP_STATS_CERTIFY_H

#include "base/maybe.h"

typedef struct pp_share_interval {
    double lower, upper; /* 0 to 1 */
} pp_share_interval;

/**
 * Two-sided interval for the share of which `count` of n were seen: each end has probability
 * (1 - confidence) / 2 of such a count or one further out. Lower is 0 for none, upper 1 for all.
 * n >= 1; 0 <= count <= n. Source: Clopper and Pearson 1934.
 */
pp_share_interval pp_share_interval_of(int64_t count, int64_t n, double confidence);

/**
 * The smallest number of passes of n that certifies a true share of at least `floor`:
 * P(Bin(n, floor) >= passes) <= 1 - confidence. Absent when not even n passes do.
 * n >= 0; floor and confidence above 0, below 1. The power at a true share p is
 * pp_binomial_at_least(n, p, passes).
 */
pp_maybe_int pp_passes_needed(int64_t n, double floor, double confidence);

/* Beyond it nobody asks. */
#define PP_CASES_NEEDED_MAX ((int64_t)1000000)

/**
 * The smallest N of which passed * N / n, rounded down, certifies the floor: how many cases in all
 * it would take if the share of passes stayed as it is. Absent when that share is not above the
 * floor, and beyond PP_CASES_NEEDED_MAX. 0 <= passed <= n; n >= 1.
 */
pp_maybe_int pp_cases_needed(int64_t passed, int64_t n, double floor, double confidence);

#endif
