/* percentile.h - order statistics over recorded samples.
 *
 * Arithmetic only: no files, no clock, no JSON. The same samples give the same answer on every
 * machine, because replay compares it with an archived one. */
#ifndef PP_STATS_PERCENTILE_H
#define PP_STATS_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * Value that pct percent of the samples do not exceed.
 *
 * Nearest rank: sample number ceil(pct/100 * n) of the sorted list, so the answer really happened.
 * Exactly 50 is the median, the mean of the two middle samples when n is even; the published
 * archives were computed that way.
 *
 * sorted_ms   n samples, ascending, milliseconds (or any other unit, which the result then has);
 *             borrowed for the call
 * pct         0 < pct <= 100
 * ret_ms      written on success only
 *
 * Fails with PP_ERR_RANGE when n is 0 or pct is outside its range.
 * Source: Hyndman & Fan 1996, definition 1; docs/method/percentiles.md.
 */
PP_MUST_CHECK pp_status pp_percentile(const double *sorted_ms, size_t n, double pct, double *ret_ms,
                                      pp_error *err);

/**
 * The 1-based rank that pp_percentile reads for a pct other than 50, for printing beside the value:
 * ceil((pct/100) * n), in double, at least 1 and at most n. n >= 1.
 */
size_t pp_percentile_rank(size_t n, double pct);

/* A percentile of samples some of which may have no end: +infinity sorts behind every number. */
typedef struct pp_tail {
    double percent;
    size_t rank;     /* 1-based; 0 when there is no sample */
    bool is_maximum; /* the rank is the last one: n cannot tell this percentile from the largest */
    bool is_endless; /* the sample at the rank is +infinity */
    double value;    /* only when rank > 0 and not endless */
} pp_tail;

/**
 * Nearest rank for every percent, 50 too, because a mean of ranks has no meaning where one of them
 * is infinite (F71); so of the same samples a smaller percent never gives more than a larger one
 * (F69). sorted: ascending, no NaN. 0 < percent <= 100.
 */
pp_tail pp_tail_of(const double *sorted, size_t n, double percent);

/** Ascending order, in place; -0.0 before 0.0. No NaN. */
void pp_samples_sort(double *values, size_t n);

#endif
