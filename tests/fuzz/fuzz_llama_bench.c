#include <stdint.h>

#include "intake/llama_bench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;
    pp_bench_pool *pools;
    size_t count;

    if (pp_bench_parse(&arena, "fuzz", (const char *)data, size, &rows, &err) != PP_OK) {
        PP_ASSERT(err.text[0] != '\0');
    } else if (pp_bench_pool_rows(&arena, rows.items, rows.count, &pools, &count, &err) == PP_OK) {
        PP_ASSERT(count <= rows.count && (count > 0) == (rows.count > 0));
        for (size_t i = 0; i < count; i++)
            PP_ASSERT(pools[i].tokens_per_second_median > 0.0);
    } else {
        PP_ASSERT(err.text[0] != '\0');
    }
    pp_arena_done(&arena);
    return 0;
}
