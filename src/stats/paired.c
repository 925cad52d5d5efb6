#include "stats/paired.h"

#include <math.h>

#include "stats/binomial.h"

#define COINS_MAX 62 /* 2^62 subsets still fit an integer */

/* Number of subsets of n things with at most k of them; n <= COINS_MAX. */
static uint64_t subsets_at_most(int64_t n, int64_t k)
{
    uint64_t term = 1;
    uint64_t sum = 1;

    for (int64_t i = 1; i <= k; i++) {
        /* C(n, i) = C(n, i - 1) (n - i + 1) / i; the product is C(n, i) i, at most 1.5e19 */
        term = term * (uint64_t)(n - i + 1) / (uint64_t)i;
        sum += term;
    }
    return sum;
}

double pp_mcnemar_exact(int64_t b, int64_t c)
{
    int64_t n = b + c;
    int64_t less = b < c ? b : c;
    double tail;

    if (n <= COINS_MAX)
        tail = ldexp((double)subsets_at_most(n, less), (int)-n);
    else
        tail = pp_binomial_at_most(n, 0.5, less);
    return fmin(1.0, 2 * tail);
}

/* What a standard normal variable does not exceed with probability 0.95 and 0.80. */
#define Z_95 1.6448536269514722
#define Z_80 0.8416212335729143

pp_maybe_int pp_non_inferiority_cases(double discordant, double margin)
{
    double cases = ceil((Z_95 + Z_80) * (Z_95 + Z_80) * discordant / (margin * margin));

    return cases <= 1e15 ? pp_known_int((int64_t)cases) : (pp_maybe_int){0};
}
