/* shape.h - the dimensions of well-known decoder models, for models that are shape only. */
#ifndef PP_ENGINE_SHAPE_H
#define PP_ENGINE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A llama-style decoder: RMS norms, rotary positions, grouped-query attention, gated feed-forward.
 * Biases that some originals have (Qwen2.5: query, key, value) are left out; they are below 0.01 %
 * of the bytes. */
typedef struct pp_shape {
    const char *name; /* "qwen2.5-0.5b" */
    uint32_t block_count;
    uint32_t embedding_length;
    uint32_t feed_forward_length;
    uint32_t head_count;
    uint32_t head_count_kv; /* divides head_count */
    uint32_t vocab_size;
    bool tied; /* the output matrix is the token embedding */
    uint32_t context_length;
    float rope_freq_base;
    float rms_epsilon;
    uint32_t head_length; /* weights per attention head */
} pp_shape;

/** NULL when there is no such shape. */
const pp_shape *pp_shape_find(const char *name);

/** All shapes, smallest first; ret_count gets how many. */
const pp_shape *pp_shape_list(size_t *ret_count);

/** All weights, norms included. */
int64_t pp_shape_parameter_count(const pp_shape *shape);

#endif
