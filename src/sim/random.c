#include "sim/random.h"

#include <math.h>

#define TWO_PI 6.283185307179586

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t pp_sim_random(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n)
{
    return mix(mix(mix(mix(seed) ^ (uint64_t)stream) ^ index) ^ n);
}

double pp_sim_uniform(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n)
{
    return (double)(pp_sim_random(seed, stream, index, n) >> 11) * 0x1p-53;
}

double pp_sim_normal(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n)
{
    double u = 1.0 - pp_sim_uniform(seed, stream, index, 2 * n); /* above 0: its logarithm exists */
    double v = pp_sim_uniform(seed, stream, index, 2 * n + 1);

    return sqrt(-2.0 * log(u)) * cos(TWO_PI * v);
}

uint64_t pp_sim_hash(uint64_t start, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = start ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return mix(h);
}
