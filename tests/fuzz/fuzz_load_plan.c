#include <stdint.h>

#include "model/load_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What whoever drives the load relies on. */
static bool is_sound(const pp_load_plan *plan)
{
    const pp_load_method *method = &plan->method;

    if (method->prompt_count < 1 || method->prompt_count > PP_LOAD_MAX_PROMPTS ||
        method->level_count < 1 || method->level_count > PP_LOAD_MAX_LEVELS)
        return false;
    for (size_t i = 0; i < method->level_count; i++) {
        if (method->levels[i] < 1 || method->measured_count % method->levels[i] != 0 ||
            (i > 0 && method->levels[i] <= method->levels[i - 1]))
            return false;
    }
    return method->measured_count >= method->levels[method->level_count - 1] &&
           method->measured_count <= PP_LOAD_MAX_REQUESTS && method->warmup_count >= 0 &&
           plan->timeout_seconds > 0 && plan->timeout_seconds <= 3600 &&
           (!plan->slo.max_ttft_ms_p95.known ||
            plan->slo.max_ttft_ms_p95.value <= plan->slo.max_e2e_latency_ms_p95);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_load_plan plan;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_load_plan_decode(&arena, root, &plan, &err) == PP_OK)
        PP_ASSERT(is_sound(&plan));
    else
        PP_ASSERT(err.text[0] != '\0'); /* a refusal always explains itself */
    pp_arena_done(&arena);
    return 0;
}
