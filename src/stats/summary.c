/* Exact sums in wide integers, one rounding at the end.
 *
 * With x = k * 2^-1074 for a whole k, the variance needs n*sum(k^2) - sum(k)^2, a whole number A,
 * and the result is sqrt(A / (n*(n-1))) * 2^-1074. A is scaled by a power of four so that the
 * quotient has 127 or 128 bits and its root 64: 53 for the double and 11, with "something is left
 * over", to round by. */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/exact.h"
#include "stats/percentile.h"

#define UNIT_EXPONENT (-1074)

__extension__ typedef unsigned __int128 uint128;

static pp_status check_samples(const double *values, size_t n, pp_error *err)
{
    if (n >= PP_SUMMARY_MAX_SAMPLES)
        return pp_fail(err, PP_ERR_RANGE, "%zu samples, expected fewer than %zu", n,
                       PP_SUMMARY_MAX_SAMPLES);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            return pp_fail(err, PP_ERR_RANGE, "sample %zu is %g, expected a finite number", i + 1,
                           values[i]);
    }
    return PP_OK;
}

/* |sum| in units of 2^-1074 and its sign */
static void add_up(const double *values, size_t n, pp_wide *ret_size, bool *ret_negative)
{
    pp_wide plus = {0};
    pp_wide minus = {0};

    for (size_t i = 0; i < n; i++) {
        bool negative;
        uint64_t mantissa;
        unsigned shift;

        pp_double_split(values[i], &negative, &mantissa, &shift);
        pp_wide_add_shifted(negative ? &minus : &plus, mantissa, shift);
    }
    *ret_negative = pp_wide_compare(&plus, &minus) < 0;
    *ret_size = *ret_negative ? minus : plus;
    pp_wide_subtract(ret_size, *ret_negative ? &plus : &minus);
}

/* The 64 highest bits (all when there are fewer), what they count, and whether more lies below. */
static double nearest_double(const pp_wide *value, int exponent)
{
    unsigned bits = pp_wide_bits(value);
    unsigned low = bits > 64 ? bits - 64 : 0;
    bool rest;
    uint64_t top = pp_wide_window(value, low, &rest);

    return pp_round_to_double(top, rest, exponent + (int)low);
}

pp_status pp_exact_sum(const double *values, size_t n, double *ret_sum, pp_error *err)
{
    pp_status st = check_samples(values, n, err);
    pp_wide size;
    bool negative;
    double sum;

    if (st != PP_OK)
        return st;
    add_up(values, n, &size, &negative);
    sum = nearest_double(&size, UNIT_EXPONENT);
    if (isinf(sum))
        return pp_fail(err, PP_ERR_RANGE, "the sum of %zu samples is too large for a number", n);
    *ret_sum = negative ? -sum : sum;
    return PP_OK;
}

/* A of the file comment */
static void scaled_variance(const double *values, size_t n, pp_wide *ret_a)
{
    pp_wide sum;
    pp_wide square_of_sum;
    bool unused;

    memset(ret_a, 0, sizeof *ret_a);
    for (size_t i = 0; i < n; i++) {
        uint64_t mantissa;
        unsigned shift;
        uint128 square;

        pp_double_split(values[i], &unused, &mantissa, &shift);
        square = (uint128)mantissa * mantissa;
        pp_wide_add_shifted(ret_a, (uint64_t)square, 2 * shift);
        pp_wide_add_shifted(ret_a, (uint64_t)(square >> 64), 2 * shift + 64);
    }
    pp_wide_multiply_small(ret_a, (uint32_t)n);
    add_up(values, n, &sum, &unused);
    pp_wide_square(&sum, &square_of_sum);
    pp_wide_subtract(ret_a, &square_of_sum);
}

static uint64_t floor_root(uint128 square)
{
    uint64_t root = 0;

    for (int bit = 63; bit >= 0; bit--) {
        uint64_t attempt = root | UINT64_C(1) << bit;

        if ((uint128)attempt * attempt <= square)
            root = attempt;
    }
    return root;
}

static double root_of_quotient(pp_wide *a, size_t n)
{
    unsigned bits = pp_wide_bits(a);
    unsigned up = 0;
    unsigned low;
    bool rest, rest_below;
    uint128 quotient;
    uint64_t root;

    if (bits == 0)
        return 0.0;
    if (bits < 256) { /* room for 128 bits of quotient after a division by less than 2^62 */
        up = (256 - bits + 1) / 2 * 2;
        pp_wide_shift_left(a, up);
    }
    rest = pp_wide_divide_small(a, (uint32_t)n);
    rest = pp_wide_divide_small(a, (uint32_t)(n - 1)) || rest;
    low = (pp_wide_bits(a) - 127) / 2 * 2; /* even; leaves 127 or 128 bits */
    quotient = pp_wide_window(a, low, &rest_below);
    quotient |= (uint128)pp_wide_window(a, low + 64, &(bool){false}) << 64;
    root = floor_root(quotient);
    rest = rest || rest_below || (uint128)root * root != quotient;
    return pp_round_to_double(root, rest, UNIT_EXPONENT + ((int)low - (int)up) / 2);
}

pp_status pp_sample_stdev(const double *values, size_t n, double *ret_stdev, pp_error *err)
{
    pp_status st = check_samples(values, n, err);
    pp_wide a;
    double stdev = 0.0;

    if (st != PP_OK)
        return st;
    if (n == 0)
        return pp_fail(err, PP_ERR_RANGE, "standard deviation: expected at least one sample");
    if (n > 1) {
        scaled_variance(values, n, &a);
        stdev = root_of_quotient(&a, n);
    }
    if (isinf(stdev))
        return pp_fail(err, PP_ERR_RANGE, "the standard deviation is too large for a number");
    *ret_stdev = stdev;
    return PP_OK;
}

static pp_status order_figures(const double *values, size_t n, pp_summary *summary, pp_error *err)
{
    double *sorted = malloc(n * sizeof *sorted);
    pp_status st;

    if (sorted == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", n);
    memcpy(sorted, values, n * sizeof *sorted);
    pp_samples_sort(sorted, n);
    summary->min = sorted[0];
    summary->max = sorted[n - 1];
    st = pp_percentile(sorted, n, 50.0, &summary->median, err);
    free(sorted);
    if (st == PP_OK && !isfinite(summary->median))
        return pp_fail(err, PP_ERR_RANGE, "the median is too large for a number");
    return st;
}

pp_status pp_summary_of(const double *values, size_t n, pp_summary *ret_summary, pp_error *err)
{
    pp_summary summary = {.sample_count = n};
    double sum;
    pp_status st = pp_sample_stdev(values, n, &summary.sample_stdev, err);

    if (st == PP_OK)
        st = pp_exact_sum(values, n, &sum, err);
    if (st == PP_OK)
        st = order_figures(values, n, &summary, err);
    if (st != PP_OK)
        return st;
    summary.mean = sum / (double)n;
    *ret_summary = summary;
    return PP_OK;
}
