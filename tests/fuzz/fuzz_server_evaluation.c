#include <float.h>
#include <stdint.h>

#include "capacity/quality_binding.h"
#include "quality/evaluation.h"
#include "quality/evaluation_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read is written, and reads back as the same document. */
static bool survives_writing(pp_arena *arena, const pp_server_evaluation *evaluation)
{
    pp_json *document = pp_server_evaluation_to_json(arena, evaluation);
    pp_server_evaluation again;
    pp_error err = {0};

    return pp_server_evaluation_read(arena, document, &again, &err) == PP_OK &&
           pp_json_equal(document, pp_server_evaluation_to_json(arena, &again));
}

/* An evaluation never flips against itself, so only its size keeps it from being pooled: of its
 * lists, or of a median that two halves no longer add up to. */
static bool may_not_be_pooled(const pp_server_evaluation *e)
{
    return e->repetitions > 200 || e->warmups > 40 || e->e2e_latency_ms_p50 > DBL_MAX / 2;
}

static bool survives_pooling(pp_arena *arena, const pp_server_evaluation *evaluation)
{
    static const char *const names[] = {"a", "b"};
    pp_server_evaluation passes[] = {*evaluation, *evaluation};
    pp_server_evaluation pooled;
    pp_error err = {0};

    if (pp_evaluation_pool(arena, passes, names, 2, &pooled, &err) != PP_OK)
        return may_not_be_pooled(evaluation);
    return survives_writing(arena, &pooled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_error other = {0};
    pp_server_evaluation evaluation;
    pp_quality_binding binding;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK) {
        if (pp_server_evaluation_read(&arena, root, &evaluation, &err) == PP_OK)
            PP_ASSERT(survives_writing(&arena, &evaluation) &&
                      survives_pooling(&arena, &evaluation));
        else if (pp_quality_binding_read(&arena, root, &binding, &other) == PP_OK)
            PP_ASSERT(pp_json_equal(root, pp_quality_binding_to_json(&arena, &binding)));
        else
            PP_ASSERT(err.text[0] != '\0' && other.text[0] != '\0');
    } else {
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    }
    pp_arena_done(&arena);
    return 0;
}
