#include "stats/certify.h"

#include <math.h>

#include "stats/beta.h"
#include "stats/binomial.h"

/* ---- interval ------------------------------------------------------------------------------- */

/* The share p at which P(Bin(n, p) >= count), which grows with p, passes `tail`. count >= 1. */
static double share_of_tail(int64_t count, int64_t n, double tail)
{
    double low = 0;
    double high = 1;

    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle == low || middle == high)
            return low;
        if (pp_binomial_at_least(n, middle, count) < tail)
            low = middle;
        else
            high = middle;
    }
}

pp_share_interval pp_share_interval_of(int64_t count, int64_t n, double confidence)
{
    double tail = (1.0 - confidence) / 2;

    return (pp_share_interval){
        .lower = count == 0 ? 0.0 : share_of_tail(count, n, tail),
        .upper = count == n ? 1.0 : 1.0 - share_of_tail(n - count, n, tail),
    };
}

/* ---- floor ---------------------------------------------------------------------------------- */

static bool certifies(int64_t passes, int64_t n, double floor, double confidence)
{
    return pp_binomial_at_least(n, floor, passes) <= 1.0 - confidence;
}

pp_maybe_int pp_passes_needed(int64_t n, double floor, double confidence)
{
    int64_t low = 0; /* no pass certifies nothing */
    int64_t high = n;

    if (n <= 0 || !certifies(n, n, floor, confidence))
        return (pp_maybe_int){0};
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (certifies(middle, n, floor, confidence))
            high = middle;
        else
            low = middle;
    }
    return pp_known_int(high);
}

/* Of `passes` passes there are at least passes * n / passed cases; P(Bin(N, floor) >= passes) grows
 * with N, so a number of passes for which even this, not rounded up, does not certify is too small.
 * That tail falls as passes grow, which the exact one, a saw of period `passed`, does not. */
static bool might_certify(int64_t passes, int64_t passed, int64_t n, double floor,
                          double confidence)
{
    double cases = (double)passes * ((double)n / (double)passed);

    /* A hair above, so that rounding never skips the first one. */
    return pp_beta_regularised((double)passes, cases - (double)passes + 1, floor) <=
           (1.0 - confidence) * (1 + 1e-9);
}

/* The smallest number of passes that might; 0 when it is beyond `most`. */
static int64_t first_that_might(int64_t most, int64_t passed, int64_t n, double floor,
                                double confidence)
{
    int64_t low = 0;
    int64_t high = 1;

    while (!might_certify(high, passed, n, floor, confidence)) {
        if (high >= most)
            return 0;
        low = high;
        high = high > most / 2 ? most : 2 * high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (might_certify(middle, passed, n, floor, confidence))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ceil(passes * n / passed) without leaving int64: both are at most PP_CASES_NEEDED_MAX. */
static int64_t cases_of(int64_t passes, int64_t passed, int64_t n)
{
    return (passes * n + passed - 1) / passed;
}

pp_maybe_int pp_cases_needed(int64_t passed, int64_t n, double floor, double confidence)
{
    int64_t passes;

    if (n > PP_CASES_NEEDED_MAX || passed == 0 || (double)passed / (double)n <= floor)
        return (pp_maybe_int){0};
    passes = first_that_might(PP_CASES_NEEDED_MAX, passed, n, floor, confidence);
    for (; passes > 0 && cases_of(passes, passed, n) <= PP_CASES_NEEDED_MAX; passes++) {
        if (certifies(passes, cases_of(passes, passed, n), floor, confidence))
            return pp_known_int(cases_of(passes, passed, n));
    }
    return (pp_maybe_int){0};
}
