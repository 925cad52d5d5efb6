#include "engine/shape.h"

#include <string.h>

/* Sources: the config.json that each model's authors publish beside its weights. `tiny` is ours: an
 * own output matrix, so that greedy text does not echo its prompt
 * (docs/method/synthetic-weights.md).
 */
/* clang-format off */
static const pp_shape shapes[] = {
    /* name      blocks embed feed  heads kv  vocab   tied   context base   epsilon  head */
    {"tiny",         4,  256,   704,  8, 4,   4096, false,   8192, 1e4f, 1e-5f, 32},
    {"qwen2.5-0.5b", 24,  896,  4864, 14, 2, 151936, true,   32768, 1e6f, 1e-6f, 64},
    {"llama-3.2-1b", 16, 2048,  8192, 32, 8, 128256, true,  131072, 5e5f, 1e-5f, 64},
    {"qwen2.5-1.5b", 28, 1536,  8960, 12, 2, 151936, true,   32768, 1e6f, 1e-6f, 128},
    {"qwen2.5-3b",   36, 2048, 11008, 16, 2, 151936, true,   32768, 1e6f, 1e-6f, 128},
    {"llama-3.2-3b", 28, 3072,  8192, 24, 8, 128256, true,  131072, 5e5f, 1e-5f, 128},
    {"qwen2.5-7b",   28, 3584, 18944, 28, 4, 152064, false,  32768, 1e6f, 1e-6f, 128},
    {"llama-3.1-8b", 32, 4096, 14336, 32, 8, 128256, false, 131072, 5e5f, 1e-5f, 128},
};
/* clang-format on */

const pp_shape *pp_shape_find(const char *name)
{
    for (size_t i = 0; i < PP_COUNT_OF(shapes); i++) {
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    }
    return NULL;
}

const pp_shape *pp_shape_list(size_t *ret_count)
{
    *ret_count = PP_COUNT_OF(shapes);
    return shapes;
}

int64_t pp_shape_parameter_count(const pp_shape *shape)
{
    int64_t embed = shape->embedding_length;
    int64_t query = (int64_t)shape->head_count * shape->head_length;
    int64_t kv = (int64_t)shape->head_count_kv * shape->head_length;
    int64_t attention = 2 * embed * query + 2 * embed * kv;
    int64_t feed_forward = 3 * embed * shape->feed_forward_length;
    int64_t block = attention + feed_forward + 2 * embed; /* two norms */

    return shape->block_count * block + embed + (shape->tied ? 1 : 2) * embed * shape->vocab_size;
}
