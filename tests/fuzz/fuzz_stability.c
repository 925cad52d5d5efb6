#include <stdint.h>

#include "decide/stability.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written with its own figures and reads back as the same document. */
static bool survives_round_trip(pp_arena *arena, const pp_stability *stability)
{
    pp_json *document = pp_stability_to_json(arena, stability);
    pp_stability again;
    pp_error err = {0};

    return pp_stability_decode(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_stability_to_json(arena, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_stability stability;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_stability_decode(&arena, root, &stability, &err) == PP_OK)
        PP_ASSERT(survives_round_trip(&arena, &stability));
    else
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    pp_arena_done(&arena);
    return 0;
}
