/* synth_plan.h - which tensors a synthetic model has, where they stand, and how they are scaled. */
#ifndef PP_ENGINE_SYNTH_PLAN_H
#define PP_ENGINE_SYNTH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/shape.h"
#include "engine/synth.h"

#define PP_SYNTH_ALIGNMENT 32u

typedef enum pp_synth_role {
    PP_SYNTH_NORM,      /* weights are all 1, whatever the model */
    PP_SYNTH_EMBEDDING, /* the output matrix too when that is tied */
    PP_SYNTH_INNER,     /* attention and feed-forward */
    PP_SYNTH_OUTPUT
} pp_synth_role;

typedef struct pp_synth_tensor {
    const char *name;
    uint32_t n_dims;
    uint32_t dims[2];   /* dims[0] is the contiguous one: the fan-in */
    uint32_t ggml_type; /* PP_GGML_F32, F16, Q8_0 or Q4_0 */
    uint64_t number;    /* of the tensor in the model: selects its random numbers */
    pp_synth_role role;
    double scale;         /* standard deviation of random weights; means nothing for a norm */
    int64_t weight_count; /* product of dims */
    int64_t size_bytes;
    int64_t offset_bytes; /* in the tensor data, aligned */
} pp_synth_tensor;

typedef struct pp_synth_plan {
    pp_synth_tensor *tensors;
    size_t tensor_count;
    int64_t parameter_count;
    int64_t data_bytes; /* all tensors with the padding between and behind them */
} pp_synth_plan;

/** Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_synth_plan_make(pp_arena *arena, const pp_shape *shape,
                                           pp_synth_type type, pp_synth_plan *ret_plan,
                                           pp_error *err);

#endif
