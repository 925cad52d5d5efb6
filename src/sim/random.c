#include "sim/random.h"

#include "stats/random.h"

static uint64_t mix(uint64_t z)
{
    return pp_random_at(z, 0);
}

uint64_t pp_sim_random(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n)
{
    return mix(mix(mix(mix(seed) ^ (uint64_t)stream) ^ index) ^ n);
}

double pp_sim_uniform(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n)
{
    uint64_t state = pp_sim_random(seed, stream, index, n);

    return pp_random_uniform(&state);
}

uint64_t pp_sim_hash(uint64_t start, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t h = start ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return mix(h);
}
