/* What a study plan has done with its candidates, and within which limits. */
#include "model/study_plan_parts.h"

#include "model/fields.h"

/* NULL where it is absent or null. */
static const pp_json *find_given(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value == NULL || value->kind == PP_JSON_NULL ? NULL : value;
}

static void decode_phases(const pp_json *root, pp_study_plan *plan)
{
    const pp_json *throughput = find_given(root, "throughput");
    const pp_json *requests = find_given(root, "requests");

    plan->has_throughput = throughput != NULL;
    plan->has_requests = requests != NULL;
    if (throughput != NULL)
        plan->throughput = (pp_plan_throughput){
            .prompt_tokens = pp_checked_int(throughput, "prompt_tokens"),
            .generation_tokens = pp_checked_int(throughput, "generation_tokens"),
            .repetitions = pp_checked_int(throughput, "repetitions"),
        };
    if (requests != NULL)
        plan->requests = (pp_plan_requests){
            .prompt_tokens = pp_checked_int(requests, "prompt_tokens"),
            .output_tokens = pp_checked_int(requests, "output_tokens"),
            .warmup = pp_checked_int(requests, "warmup"),
            .measured = pp_checked_int(requests, "measured"),
            .seed = pp_checked_int(requests, "seed"),
        };
}

static void decode_limits(const pp_json *root, pp_study_plan *plan)
{
    const pp_json *deadlines = pp_checked_object(root, "deadlines");
    const pp_json *noise = pp_checked_object(root, "noise_limits");

    plan->deadlines = (pp_plan_deadlines){
        .start_ms = pp_checked_int(deadlines, "start_ms"),
        .throughput_ms = pp_checked_int(deadlines, "throughput_ms"),
        .request_ms = pp_checked_int(deadlines, "request_ms"),
        .load_ms = plan->schema == 1 ? 0 : pp_checked_int(deadlines, "load_ms"),
    };
    plan->noise = (pp_plan_noise){
        .foreign_cpu_percent = pp_checked_number(noise, "foreign_cpu_percent"),
        .steal_percent = pp_checked_number(noise, "steal_percent"),
        .repeats = pp_json_find(noise, "repeats") == NULL ? 0 : pp_checked_int(noise, "repeats"),
    };
}

static pp_plan_file decode_file(const pp_json *root, const char *key)
{
    const pp_json *from = find_given(root, key);

    if (from == NULL)
        return (pp_plan_file){0};
    return (pp_plan_file){true, pp_checked_text(from, "path"), pp_checked_text(from, "sha256")};
}

static void decode_order(const pp_json *root, pp_study_plan *plan)
{
    const pp_json *order = pp_checked_object(root, "order");
    const pp_json *pause = pp_checked_object(root, "pause");
    pp_text kind = pp_checked_text(order, "kind");

    plan->order = pp_text_is(kind, "blocks")     ? PP_ORDER_BLOCKS
                  : pp_text_is(kind, "williams") ? PP_ORDER_WILLIAMS
                                                 : PP_ORDER_MIRRORED;
    plan->order_seed = pp_checked_int(order, "seed");
    plan->waits_until_idle = pp_text_is(pp_checked_text(pause, "kind"), "idle");
    if (plan->waits_until_idle)
        plan->idle = (pp_plan_idle){pp_checked_number(pause, "cpu_percent"),
                                    pp_checked_int(pause, "max_wait_ms")};
    else
        plan->settle_ms = pp_checked_int(pause, "settle_ms");
}

/* ---- load -------------------------------------------------------------------------------------
 */

static pp_status decode_step(const pp_json *from, pp_plan_load_step *step, pp_error *err)
{
    step->measured = pp_checked_int(from, "measured");
    if (pp_text_is(pp_checked_text(from, "loop"), "closed")) {
        step->clients = pp_checked_int(from, "clients");
        step->arrivals = pp_text_of("");
    } else {
        step->rate_per_second = pp_checked_number(from, "rate_per_second");
        step->arrivals = pp_checked_text(from, "arrivals");
    }
    if (step->measured < step->clients)
        return pp_json_fail(pp_json_find(from, "measured"), err,
                            "%lld clients need at least as many requests, got %lld",
                            (long long)step->clients, (long long)step->measured);
    return PP_OK;
}

static pp_status decode_load(pp_arena *arena, const pp_json *root, pp_plan_load *load,
                             pp_error *err)
{
    const pp_json *from = find_given(root, "load");
    const pp_json *steps;
    pp_status st = PP_OK;

    if (from == NULL)
        return PP_OK;
    steps = pp_checked_list(from, "steps");
    load->present = true;
    load->warmup = pp_checked_int(from, "warmup");
    load->prompt_tokens = pp_checked_int(from, "prompt_tokens");
    load->output_tokens = pp_checked_int(from, "output_tokens");
    load->seed = pp_checked_int(from, "seed");
    load->slos = pp_plan_texts(arena, pp_checked_list(from, "slo"), &load->slo_count);
    load->steps = PP_ARENA_NEW(arena, pp_plan_load_step, steps->array.count);
    for (size_t i = 0; st == PP_OK && load->steps != NULL && i < steps->array.count; i++)
        st = decode_step(steps->array.items[i], &load->steps[load->step_count++], err);
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

pp_status pp_plan_decode_work(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                              pp_error *err)
{
    decode_phases(root, plan);
    decode_limits(root, plan);
    plan->passes = pp_checked_int(root, "passes");
    plan->suite = decode_file(root, "suite");
    if (plan->schema == 1) {
        plan->settle_ms = pp_checked_int(root, "settle_ms");
        return PP_OK;
    }
    decode_order(root, plan);
    plan->load_plan = decode_file(root, "load_plan");
    plan->policies = decode_file(root, "policies");
    return decode_load(arena, root, &plan->load, err);
}
