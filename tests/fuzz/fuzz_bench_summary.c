#include <stdint.h>

#include "intake/bench_compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A summary never compares with itself: the switch cannot be both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root;
    pp_bench_variant variant;
    pp_json *document;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_bench_variant_decode(root, &variant, &err) == PP_OK)
        PP_ASSERT(pp_bench_compare(&arena, &variant, "", &variant, "", &document, &err) != PP_OK);
    PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
