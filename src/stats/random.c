#include "stats/random.h"

#include <math.h>

#include "stats/portable.h"

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
