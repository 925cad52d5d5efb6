/* binomial.h - exact statements about shares and percentiles of a fixed number of requests.
 *
 * All rules are for a number that was fixed before looking. Who looks again after each request
 * until the answer pleases is wrong more often than stated (B183); sprt.h has the rule for that. */
#ifndef PP_STATS_BINOMIAL_H
#define PP_STATS_BINOMIAL_H

#include <stdbool.h>
#include <stdint.h>

/** P(X >= k) and P(X <= k) for X of Bin(n, p). n >= 0; p from 0 to 1; any k. */
double pp_binomial_at_least(int64_t n, double p, int64_t k);
double pp_binomial_at_most(int64_t n, double p, int64_t k);

/** No more requests than this are ever asked for. */
#define PP_REQUESTS_NEEDED_MAX ((int64_t)1000000000)

/**
 * The smallest n for which `violations` among n show, at the given confidence, that the true share
 * of violations is at most `share`: P(Bin(n, share) <= violations) <= 1 - confidence.
 * share and confidence above 0, below 1. 0 when it would be above PP_REQUESTS_NEEDED_MAX.
 */
int64_t pp_requests_needed(int64_t violations, double share, double confidence);

/** Upper end of the one-sided exact interval (Clopper and Pearson) for a share of which `count` of
 * n were seen: the largest share that is not ruled out. 1 when n is 0. */
double pp_share_upper_bound(int64_t count, int64_t n, double confidence);

/* Order statistics that enclose a percentile. */
typedef struct pp_rank_interval {
    int64_t lower;   /* 1-based rank; 0 when no sample is surely below */
    int64_t upper;   /* 0 when no sample is surely above: n is too small */
    double coverage; /* probability that the percentile lies between them, at least as asked */
} pp_rank_interval;

/**
 * Two-sided interval with equal tails for the percentile `p` (a share) of n >= 1 samples: the
 * largest lower rank with P(Bin(n, p) >= lower) >= 1 - a and the smallest upper rank with
 * P(Bin(n, p) >= upper) <= a, a = (1 - confidence) / 2.
 */
pp_rank_interval pp_percentile_rank_interval(int64_t n, double p, double confidence);

#endif
