/* random.h - numbers that look random and are functions of a seed.
 *
 * The generator is splitmix64, which is a counter and a mixing function: number n of a stream can
 * be had without the ones before it. Source: Steele, Lea, Flood 2014, "Fast splittable pseudorandom
 * number generators". Streams never share a state (F83): each has its own seed, made of the seed of
 * the run, its name and an index.
 *
 * Drawn reals use IEEE additions, multiplications, divisions and square roots only, with a
 * logarithm and an exponential of our own: libm's differ in their last bit from machine to machine,
 * and a seed must give the same bytes everywhere. */
#ifndef PP_STATS_RANDOM_H
#define PP_STATS_RANDOM_H

#include <stdint.h>

#define PP_RANDOM_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/** The mixing function: one-to-one on 64 bits. */
static inline uint64_t pp_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** Number `n` of the stream `key`, from 0. */
static inline uint64_t pp_random_at(uint64_t key, uint64_t n)
{
    return pp_random_mix(key + (n + 1) * PP_RANDOM_GAMMA);
}

/** The next number: number n of the stream `key` for the n-th call, when *state began as `key`. */
static inline uint64_t pp_random_next(uint64_t *state)
{
    return pp_random_mix(*state += PP_RANDOM_GAMMA);
}

/** Seed of the stream `name` number `index` of a run. */
uint64_t pp_random_stream(uint64_t seed, const char *name, uint64_t index);

/** 0 to count - 1, each equally likely; count >= 1. */
uint64_t pp_random_below(uint64_t *state, uint64_t count);

/** Uniform in (0, 1): a multiple of 2^-53 plus 2^-54. */
double pp_random_uniform(uint64_t *state);

/** Exponential with mean 1. */
double pp_random_exponential(uint64_t *state);

/** Normal with mean 0 and standard deviation 1. */
double pp_random_normal(uint64_t *state);

/** Gamma with this shape (> 0) and mean 1, so with variance 1 / shape. Source: Marsaglia, Tsang
 * 2000, "A simple method for generating gamma variables"; below shape 1 by U^(1/shape) of shape
 * + 1. */
double pp_random_gamma(uint64_t *state, double shape);

#endif
