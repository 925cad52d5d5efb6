#include "model/study_plan.h"

#include "model/tables.h"

static pp_status decode_models(pp_arena *arena, const pp_json *list, pp_study_plan *plan,
                               pp_error *err)
{
    plan->models = PP_ARENA_NEW(arena, pp_plan_model, list->array.count);
    for (size_t i = 0; plan->models != NULL && i < list->array.count; i++) {
        const pp_json *from = list->array.items[i];

        plan->models[i] = (pp_plan_model){
            .id = pp_checked_text(from, "id"),
            .path = pp_checked_text(from, "path"),
            .sha256 = pp_checked_text(from, "sha256"),
            .size_bytes = pp_checked_int(from, "size_bytes"),
        };
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(plan->models[i].id, plan->models[j].id))
                return pp_json_fail(from, err, "the id '%s' is used twice",
                                    plan->models[i].id.data);
        }
        plan->model_count++;
    }
    return pp_arena_check(arena, err);
}

static pp_status find_model(const pp_study_plan *plan, const pp_json *candidate, size_t *ret_index,
                            pp_error *err)
{
    pp_text id = pp_checked_text(candidate, "model");

    for (size_t i = 0; i < plan->model_count; i++) {
        if (pp_text_equal(plan->models[i].id, id)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(pp_json_find(candidate, "model"), err,
                        "expected the id of an item of $.models, got '%s'", id.data);
}

static pp_status decode_candidate(const pp_json *root, const pp_json *from,
                                  const pp_study_plan *plan, pp_plan_candidate *candidate,
                                  pp_error *err)
{
    pp_status st = find_model(plan, from, &candidate->model_index, err);

    candidate->id = pp_checked_text(from, "id");
    candidate->label = pp_checked_text(from, "label");
    if (st == PP_OK)
        st = pp_settings_decode(pp_checked_object(root, "settings"),
                                pp_checked_object(from, "settings"), &candidate->settings, err);
    return st;
}

static pp_status decode_candidates(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                   pp_error *err)
{
    const pp_json *list = pp_checked_list(root, "candidates");
    bool has_baseline = false;

    plan->candidates = PP_ARENA_NEW(arena, pp_plan_candidate, list->array.count);
    for (size_t i = 0; plan->candidates != NULL && i < list->array.count; i++) {
        pp_plan_candidate *candidate = &plan->candidates[i];
        pp_status st = decode_candidate(root, list->array.items[i], plan, candidate, err);

        if (st != PP_OK)
            return st;
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(candidate->id, plan->candidates[j].id))
                return pp_json_fail(list->array.items[i], err, "the id '%s' is used twice",
                                    candidate->id.data);
        }
        has_baseline = has_baseline || pp_text_equal(candidate->id, plan->baseline_id);
        plan->candidate_count++;
    }
    if (!has_baseline && !arena->failed)
        return pp_json_fail(pp_json_find(root, "baseline_id"), err,
                            "expected the id of an item of $.candidates, got '%s'",
                            plan->baseline_id.data);
    return pp_arena_check(arena, err);
}

static void decode_work(const pp_json *root, pp_study_plan *plan)
{
    const pp_json *throughput = pp_checked_object(root, "throughput");
    const pp_json *requests = pp_checked_object(root, "requests");
    const pp_json *deadlines = pp_checked_object(root, "deadlines");
    const pp_json *noise = pp_checked_object(root, "noise_limits");

    plan->throughput = (pp_plan_throughput){
        .prompt_tokens = pp_checked_int(throughput, "prompt_tokens"),
        .generation_tokens = pp_checked_int(throughput, "generation_tokens"),
        .repetitions = pp_checked_int(throughput, "repetitions"),
    };
    plan->requests = (pp_plan_requests){
        .prompt_tokens = pp_checked_int(requests, "prompt_tokens"),
        .output_tokens = pp_checked_int(requests, "output_tokens"),
        .warmup = pp_checked_int(requests, "warmup"),
        .measured = pp_checked_int(requests, "measured"),
        .seed = pp_checked_int(requests, "seed"),
    };
    plan->deadlines = (pp_plan_deadlines){
        .start_ms = pp_checked_int(deadlines, "start_ms"),
        .throughput_ms = pp_checked_int(deadlines, "throughput_ms"),
        .request_ms = pp_checked_int(deadlines, "request_ms"),
    };
    plan->noise = (pp_plan_noise){
        .foreign_cpu_percent = pp_checked_number(noise, "foreign_cpu_percent"),
        .steal_percent = pp_checked_number(noise, "steal_percent"),
        .repeats = pp_json_find(noise, "repeats") == NULL ? 0 : pp_checked_int(noise, "repeats"),
    };
}

/* B129: a prompt and its answer must fit into the share of the context that a slot gets. */
static pp_status check_context(const pp_json *root, const pp_study_plan *plan, pp_error *err)
{
    const pp_json *list = pp_json_find(root, "candidates");
    int64_t need = plan->requests.prompt_tokens + plan->requests.output_tokens;

    for (size_t i = 0; i < plan->candidate_count; i++) {
        const pp_settings *settings = &plan->candidates[i].settings;
        int64_t slot = settings->context_size / settings->parallel;

        if (slot < need)
            return pp_json_fail(list->array.items[i], err,
                                "a slot has %lld tokens of context; prompt and answer need %lld",
                                (long long)slot, (long long)need);
    }
    return PP_OK;
}

static pp_text *decode_texts(pp_arena *arena, const pp_json *list, size_t *ret_count)
{
    pp_text *texts = PP_ARENA_NEW(arena, pp_text, list->array.count);

    for (size_t i = 0; texts != NULL && i < list->array.count; i++)
        texts[i] = list->array.items[i]->text;
    *ret_count = list->array.count;
    return texts;
}

static pp_status decode_markers(pp_arena *arena, const pp_json *markers, pp_study_plan *plan,
                                pp_error *err)
{
    plan->required_markers =
        decode_texts(arena, pp_checked_list(markers, "required"), &plan->required_marker_count);
    plan->forbidden_markers =
        decode_texts(arena, pp_checked_list(markers, "forbidden"), &plan->forbidden_marker_count);
    return pp_arena_check(arena, err);
}

static void decode_head(const pp_json *root, pp_study_plan *plan)
{
    plan->study_id = pp_checked_text(root, "study_id");
    plan->title = pp_checked_text(root, "title");
    plan->baseline_id = pp_checked_text(root, "baseline_id");
    plan->passes = pp_checked_int(root, "passes");
    plan->settle_ms = pp_checked_int(root, "settle_ms");
    plan->constraints_json = pp_checked_object(root, "constraints");
}

static pp_status check_preference_order(const pp_study_plan *plan, pp_error *err)
{
    const pp_constraints *constraints = &plan->constraints;
    size_t n = constraints->preference_count;

    for (size_t i = 0; i < n; i++) {
        size_t j = 0;

        while (j < plan->candidate_count &&
               !pp_text_equal(constraints->preference_order[i], plan->candidates[j].id))
            j++;
        if (j == plan->candidate_count)
            return pp_fail(err, PP_ERR_DOMAIN,
                           "$.constraints.preference_order[%zu]: expected the id of a candidate, "
                           "got '%s'",
                           i, constraints->preference_order[i].data);
    }
    if (n != 0 && n != plan->candidate_count)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "$.constraints.preference_order: expected all %zu candidates or none, got "
                       "%zu",
                       plan->candidate_count, n);
    return PP_OK;
}

pp_status pp_study_plan_decode(pp_arena *arena, const pp_json *root, pp_study_plan *ret_plan,
                               pp_error *err)
{
    pp_study_plan plan = {0};
    pp_status st = pp_fields_check(root, &pp_study_plan_fields, err);

    if (st != PP_OK)
        return st;
    decode_head(root, &plan);
    decode_work(root, &plan);
    st = decode_models(arena, pp_checked_list(root, "models"), &plan, err);
    if (st == PP_OK)
        st = decode_candidates(arena, root, &plan, err);
    if (st == PP_OK)
        st = check_context(root, &plan, err);
    if (st == PP_OK)
        st = decode_markers(arena, pp_checked_object(root, "log_markers"), &plan, err);
    if (st == PP_OK)
        st = pp_constraints_decode(arena, plan.constraints_json, &plan.constraints, err);
    if (st == PP_OK)
        st = check_preference_order(&plan, err);
    if (st == PP_OK)
        *ret_plan = plan;
    return st;
}

size_t pp_study_plan_order(const pp_study_plan *plan, int64_t pass, size_t position)
{
    return pass % 2 == 1 ? position : plan->candidate_count - 1 - position;
}
