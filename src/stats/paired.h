/* paired.h - two systems asked the same yes-or-no cases. Arithmetic only, the same bits on every
 * machine. docs/method/quality-score.md. */
#ifndef PP_STATS_PAIRED_H
#define PP_STATS_PAIRED_H

#include "base/maybe.h"

/**
 * Exact two-sided McNemar test: b cases where only the first is right, c where only the second is.
 * If neither is better each such case is a fair coin: twice the smaller tail of Bin(b + c, 1/2),
 * at most 1. b, c >= 0; 1 when both are 0. Exact to the last bit up to b + c = 62.
 */
double pp_mcnemar_exact(int64_t b, int64_t c);

/* Of pp_non_inferiority_cases. */
#define PP_NON_INFERIORITY_ERROR 0.05 /* one-sided */
#define PP_NON_INFERIORITY_POWER 0.80

/**
 * Cases after which a paired comparison shows, with the error and power above, that the second
 * system's share is not worse by `margin` or more, when there is no true difference:
 * ceil((z_.95 + z_.80)^2 discordant / margin^2).
 *
 * discordant   share of cases that only one of them gets right; above 0, at most 1
 * margin       above 0, at most 1
 *
 * Absent beyond 10^15.
 */
pp_maybe_int pp_non_inferiority_cases(double discordant, double margin);

#endif
