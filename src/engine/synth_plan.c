#include "engine/synth_plan.h"

#include <math.h>

#include "engine/gguf_types.h"
#include "engine/synth_values.h"

typedef struct planner {
    pp_arena *arena;
    const pp_shape *shape;
    uint32_t weight_type; /* of the matrices */
    pp_synth_plan *plan;
} planner;

static int64_t align_up(int64_t bytes)
{
    return (bytes + PP_SYNTH_ALIGNMENT - 1) / PP_SYNTH_ALIGNMENT * PP_SYNTH_ALIGNMENT;
}

/* Rows are whole blocks; a row that is not divisible by the block stays in F16. */
static uint32_t type_of_row(const planner *p, uint32_t row)
{
    return row % PP_SYNTH_BLOCK == 0 ? p->weight_type : PP_GGML_F16;
}

static void add_tensor(planner *p, pp_synth_role role, const char *name, uint32_t type,
                       uint32_t row, uint32_t rows, double scale)
{
    pp_synth_plan *plan = p->plan;
    pp_synth_tensor *t = &plan->tensors[plan->tensor_count];
    const pp_ggml_type *layout = pp_ggml_type_find(type);

    t->name = name;
    t->n_dims = rows == 0 ? 1 : 2;
    t->dims[0] = row;
    t->dims[1] = rows == 0 ? 1 : rows;
    t->ggml_type = type;
    t->number = plan->tensor_count;
    t->role = role;
    t->scale = scale;
    t->weight_count = (int64_t)row * t->dims[1];
    t->size_bytes = t->weight_count / layout->block_weights * layout->block_bytes;
    t->offset_bytes = plan->data_bytes;
    plan->data_bytes = align_up(plan->data_bytes + t->size_bytes);
    plan->parameter_count += t->weight_count;
    plan->tensor_count++;
}

static void add_norm(planner *p, const char *name)
{
    add_tensor(p, PP_SYNTH_NORM, name, PP_GGML_F32, p->shape->embedding_length, 0, 0);
}

static void add_matrix(planner *p, pp_synth_role role, const char *name, uint32_t row,
                       uint32_t rows, double scale)
{
    add_tensor(p, role, name, type_of_row(p, row), row, rows, scale);
}

/* Each matrix keeps the size of what flows through it; what is added to the residual stream is
 * damped by the number of additions (K38). */
static void add_block(planner *p, uint32_t block)
{
    const pp_shape *s = p->shape;
    uint32_t embed = s->embedding_length;
    uint32_t feed = s->feed_forward_length;
    uint32_t query = s->head_count * s->head_length;
    uint32_t kv = s->head_count_kv * s->head_length;
    double from_embed = 1 / sqrt((double)embed);
    double damping = 1 / sqrt(2.0 * s->block_count);

#define NAME(suffix) pp_arena_printf(p->arena, "blk.%u." suffix ".weight", (unsigned)block)
    add_norm(p, NAME("attn_norm"));
    add_matrix(p, PP_SYNTH_INNER, NAME("attn_q"), embed, query, from_embed);
    add_matrix(p, PP_SYNTH_INNER, NAME("attn_k"), embed, kv, from_embed);
    add_matrix(p, PP_SYNTH_INNER, NAME("attn_v"), embed, kv, from_embed);
    add_matrix(p, PP_SYNTH_INNER, NAME("attn_output"), query, embed, from_embed * damping);
    add_norm(p, NAME("ffn_norm"));
    add_matrix(p, PP_SYNTH_INNER, NAME("ffn_gate"), embed, feed, from_embed);
    add_matrix(p, PP_SYNTH_INNER, NAME("ffn_up"), embed, feed, from_embed);
    add_matrix(p, PP_SYNTH_INNER, NAME("ffn_down"), feed, embed, damping / sqrt((double)feed));
#undef NAME
}

static uint32_t ggml_type_of(pp_synth_type type)
{
    switch (type) {
    case PP_SYNTH_F16:
        return PP_GGML_F16;
    case PP_SYNTH_Q8_0:
        return PP_GGML_Q8_0;
    case PP_SYNTH_Q4_0:
        break;
    }
    return PP_GGML_Q4_0;
}

pp_status pp_synth_plan_make(pp_arena *arena, const pp_shape *shape, pp_synth_type type,
                             pp_synth_plan *ret_plan, pp_error *err)
{
    enum { PER_BLOCK = 9, OUTSIDE_BLOCKS = 3 };
    pp_synth_plan plan = {0};
    planner p = {arena, shape, ggml_type_of(type), &plan};
    double from_embed = 1 / sqrt((double)shape->embedding_length);

    plan.tensors =
        PP_ARENA_NEW(arena, pp_synth_tensor, PER_BLOCK * shape->block_count + OUTSIDE_BLOCKS);
    if (plan.tensors == NULL)
        return pp_arena_check(arena, err);
    /* a tied embedding is the output matrix too, and that use decides its scale */
    add_matrix(&p, PP_SYNTH_EMBEDDING, "token_embd.weight", shape->embedding_length,
               shape->vocab_size, shape->tied ? from_embed : 1);
    for (uint32_t block = 0; block < shape->block_count; block++)
        add_block(&p, block);
    add_norm(&p, "output_norm.weight");
    if (!shape->tied)
        add_matrix(&p, PP_SYNTH_OUTPUT, "output.weight", shape->embedding_length, shape->vocab_size,
                   from_embed);
    *ret_plan = plan;
    return pp_arena_check(arena, err);
}
