#include "stats/random.h"

#include <math.h>

uint64_t pp_random_stream(uint64_t seed, const char *name, uint64_t index)
{
    uint64_t key = pp_random_at(seed, 0);

    for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; at++)
        key = pp_random_mix(key + *at) + PP_RANDOM_GAMMA;
    return pp_random_at(pp_random_mix(key), index);
}

/* Numbers of the incomplete last round are drawn again. */
uint64_t pp_random_below(uint64_t *state, uint64_t count)
{
    uint64_t unfair = (UINT64_MAX - count + 1) % count; /* 2^64 mod count */
    uint64_t drawn;

    do
        drawn = pp_random_next(state);
    while (drawn < unfair);
    return drawn % count;
}

double pp_random_uniform(uint64_t *state)
{
    return ((double)(pp_random_next(state) >> 12) + 0.5) * 0x1p-52;
}

/* ---- the same on every machine --------------------------------------------------------------- */

#define LN_2_HIGH 0x1.62e42fefa3800p-1 /* its last bits are zero: exact times an exponent */
#define LN_2_LOW  0x1.ef35793c76730p-45

/* log(m 2^e) = e log 2 + 2 atanh((m - 1) / (m + 1)), with m in [sqrt 1/2, sqrt 2): the argument of
 * the series is below 0.172, so 12 terms reach beyond the last bit. */
double pp_portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    double s, square, sum;

    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        exponent--;
    }
    s = (m - 1) / (m + 1);
    square = s * s;
    sum = 1.0 / 25;
    for (int k = 23; k >= 3; k -= 2)
        sum = 1.0 / k + square * sum;
    return exponent * LN_2_HIGH + (2 * s + (2 * s * (square * sum) + exponent * LN_2_LOW));
}

/* exp(n log 2 + r) = 2^n exp(r), |r| <= 0.35; 18 terms of the series. */
double pp_portable_exp(double x)
{
    double n, r, sum = 1;

    if (x < -745)
        return 0;
    n = floor(x / (LN_2_HIGH + LN_2_LOW) + 0.5);
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    for (int k = 18; k >= 1; k--)
        sum = 1 + r * sum / k;
    return ldexp(sum, (int)n);
}

/* ---- distributions --------------------------------------------------------------------------- */

double pp_random_exponential(uint64_t *state)
{
    return -pp_portable_log(pp_random_uniform(state));
}

/* Marsaglia's polar method; the second value is dropped, so that a stream has no hidden state. */
double pp_random_normal(uint64_t *state)
{
    double u, v, s;

    do {
        u = 2 * pp_random_uniform(state) - 1;
        v = 2 * pp_random_uniform(state) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * pp_portable_log(s) / s);
}

/* With mean `shape`; shape >= 1. */
static double gamma_from_one(uint64_t *state, double shape)
{
    double d = shape - 1.0 / 3;
    double c = 1 / sqrt(9 * d);

    for (;;) {
        double x = pp_random_normal(state);
        double v = 1 + c * x;
        double log_v;

        if (v <= 0)
            continue;
        log_v = 3 * pp_portable_log(v);
        v = v * v * v;
        if (pp_portable_log(pp_random_uniform(state)) < x * x / 2 + d - d * v + d * log_v)
            return d * v;
    }
}

double pp_random_gamma(uint64_t *state, double shape)
{
    double u;

    if (shape >= 1)
        return gamma_from_one(state, shape) / shape;
    u = pp_random_uniform(state);
    return gamma_from_one(state, shape + 1) * pp_portable_exp(pp_portable_log(u) / shape) / shape;
}
