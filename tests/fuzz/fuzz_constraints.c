#include <stdint.h>

#include "model/constraints.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The echo with all defaults says the same as the document. Where quality is not measurable, or
 * the version is ours, the echo is no input, and nothing is compared. */
static bool survives_round_trip(pp_arena *arena, const pp_constraints *constraints)
{
    pp_json *document = pp_constraints_to_json(arena, constraints);
    pp_constraints again;
    pp_error err = {0};

    if (constraints->quality_not_measurable)
        return document != NULL;
    return pp_constraints_decode(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_constraints_to_json(arena, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_constraints constraints;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_constraints_decode(&arena, root, &constraints, &err) == PP_OK)
        PP_ASSERT(survives_round_trip(&arena, &constraints));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
