#include "stats/percentile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

size_t pp_percentile_rank(size_t n, double pct)
{
    double exact = pct / 100.0 * (double)n; /* pct/100 first, as the archives were computed */
    double whole = round(exact);
    /* 99.9 is no double: its product may be a hair above the whole number that is meant (B080) */
    double rank = fabs(exact - whole) <= whole * 4 * DBL_EPSILON ? whole : ceil(exact);

    if (!(rank >= 1.0))
        return 1;
    return rank >= (double)n ? n : (size_t)rank;
}

static double median_of(const double *sorted, size_t n)
{
    if (n % 2 == 1)
        return sorted[n / 2];
    return (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0;
}

pp_status pp_percentile(const double *sorted_ms, size_t n, double pct, double *ret_ms,
                        pp_error *err)
{
    if (n == 0)
        return pp_fail(err, PP_ERR_RANGE, "percentile %g: expected at least one sample", pct);
    if (!(pct > 0.0 && pct <= 100.0))
        return pp_fail(err, PP_ERR_RANGE, "percentile %g: expected above 0, at most 100", pct);
    *ret_ms = pct == 50.0 ? median_of(sorted_ms, n) : sorted_ms[pp_percentile_rank(n, pct) - 1];
    return PP_OK;
}

pp_tail pp_tail_of(const double *sorted, size_t n, double percent)
{
    pp_tail tail = {.percent = percent};

    if (n == 0)
        return tail;
    tail.rank = pp_percentile_rank(n, percent);
    tail.is_maximum = tail.rank == n;
    tail.is_endless = isinf(sorted[tail.rank - 1]);
    tail.value = tail.is_endless ? 0.0 : sorted[tail.rank - 1];
    return tail;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    if (x == y) /* -0.0 before 0.0: the result is one and the same for every order of input */
        return (signbit(y) != 0) - (signbit(x) != 0);
    return x < y ? -1 : 1;
}

void pp_samples_sort(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare);
}
