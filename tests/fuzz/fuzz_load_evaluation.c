#include <stdint.h>

#include "capacity/load_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written, and reads back as the same document. */
static bool survives_one(pp_arena *arena, const pp_load_evaluation *evaluation)
{
    pp_json *document = pp_load_evaluation_to_json(arena, evaluation);
    pp_load_evaluation again;
    pp_error err = {0};

    return pp_load_evaluation_read(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_load_evaluation_to_json(arena, &again));
}

static bool survives_all(pp_arena *arena, const pp_combined_load_evaluation *combined)
{
    pp_json *document = pp_combined_load_evaluation_to_json(arena, combined);
    pp_combined_load_evaluation again;
    pp_error err = {0};

    return pp_combined_load_evaluation_read(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_combined_load_evaluation_to_json(arena, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_error other = {0};
    pp_load_evaluation evaluation;
    pp_combined_load_evaluation combined;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK) {
        if (pp_load_evaluation_read(&arena, root, &evaluation, &err) == PP_OK)
            PP_ASSERT(survives_one(&arena, &evaluation));
        else if (pp_combined_load_evaluation_read(&arena, root, &combined, &other) == PP_OK)
            PP_ASSERT(survives_all(&arena, &combined));
        else
            PP_ASSERT(err.text[0] != '\0' && other.text[0] != '\0');
    } else {
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    }
    pp_arena_done(&arena);
    return 0;
}
