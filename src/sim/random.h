/* random.h - numbers that depend on what they are for and on nothing else.
 *
 * Each number has a key (seed, stream, index, n): no state, so that two requests never share one
 * and the order in which they are served does not matter (F83). Generator and distributions are
 * those of stats/random.h: a number serves as the state of a stream of its own. */
#ifndef PP_SIM_RANDOM_H
#define PP_SIM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* What a number is for. */
typedef enum pp_sim_stream {
    PP_SIM_STREAM_STEP = 1, /* time of a step */
    PP_SIM_STREAM_DRAFT,    /* acceptance of a draft */
    PP_SIM_STREAM_WORD,     /* words of an answer */
    PP_SIM_STREAM_CHANCE,   /* log-probabilities */
    PP_SIM_STREAM_FAULT     /* which requests a fault takes */
} pp_sim_stream;

/** 64 bits of this key, or the state of its stream. */
uint64_t pp_sim_random(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n);

/** 0 < u < 1. */
double pp_sim_uniform(uint64_t seed, pp_sim_stream stream, uint64_t index, uint64_t n);

/** A 64-bit value of these bytes, for keys: FNV-1a, then mixed. */
uint64_t pp_sim_hash(uint64_t start, const void *bytes, size_t size);

#endif
