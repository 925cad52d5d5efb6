/* summary.h - what is printed about a list of samples: exact sums, correctly rounded figures.
 *
 * Every figure is a function of the multiset of samples alone: the order in which they were
 * recorded or merged cannot change a bit of it. Arithmetic only. */
#ifndef PP_STATS_SUMMARY_H
#define PP_STATS_SUMMARY_H

#include <stddef.h>

#include "base/error.h"

/* Figures carry the unit of the samples. */
typedef struct pp_summary {
    size_t sample_count;
    double mean;         /* exactly rounded sum, divided by n */
    double median;       /* mean of the two middle samples when n is even */
    double sample_stdev; /* divisor n - 1; 0 for one sample; correctly rounded */
    double min, max;
} pp_summary;

/** More samples than any run records; the bound keeps the exact arithmetic of fixed size. */
#define PP_SUMMARY_MAX_SAMPLES ((size_t)1 << 31)

/**
 * The exactly rounded sum (ties to even): the double nearest to the true sum.
 * Fails with PP_ERR_RANGE when a value is not finite or the sum is beyond the range of a double.
 */
PP_MUST_CHECK pp_status pp_exact_sum(const double *values, size_t n, double *ret_sum,
                                     pp_error *err);

/**
 * Square root of (n * sum(x^2) - sum(x)^2) / (n * (n - 1)), with exact sums and one rounding.
 * n = 1 gives 0. Fails as pp_exact_sum, and for n = 0.
 */
PP_MUST_CHECK pp_status pp_sample_stdev(const double *values, size_t n, double *ret_stdev,
                                        pp_error *err);

/**
 * All figures of n samples in any order; the list is not changed.
 * Fails with PP_ERR_RANGE when n is 0, a sample is not finite, or a figure is beyond the range of
 * a double; PP_ERR_MEMORY.
 * Source: docs/method/percentiles.md.
 */
PP_MUST_CHECK pp_status pp_summary_of(const double *values, size_t n, pp_summary *ret_summary,
                                      pp_error *err);

#endif
