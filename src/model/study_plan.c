#include "model/study_plan_parts.h"

#include "model/tables.h"

/* A prompt and its answer, in the phase that needs most. */
static int64_t longest_request(const pp_study_plan *plan)
{
    int64_t requests =
        plan->has_requests ? plan->requests.prompt_tokens + plan->requests.output_tokens : 0;
    int64_t load = plan->load.present ? plan->load.prompt_tokens + plan->load.output_tokens : 0;

    return requests > load ? requests : load;
}

/* B129: a prompt and its answer must fit into the share of the context that a slot gets. */
static pp_status check_context(const pp_json *root, const pp_study_plan *plan, pp_error *err)
{
    const pp_json *list = pp_json_find(root, "candidates");
    int64_t need = longest_request(plan);

    for (size_t i = 0; i < plan->candidate_count; i++) {
        const pp_settings *settings = &plan->candidates[i].settings;
        int64_t slot;

        if (plan->candidates[i].kind != PP_CANDIDATE_MANAGED)
            continue; /* the server's own word counts, when it is asked */
        slot = settings->context_size / settings->parallel;
        if (slot < need)
            return pp_json_fail(list->array.items[i], err,
                                "a slot has %lld tokens of context; prompt and answer need %lld",
                                (long long)slot, (long long)need);
    }
    return PP_OK;
}

/* Something must be measured, of every candidate. */
static pp_status check_work(const pp_json *root, const pp_study_plan *plan, pp_error *err)
{
    bool asks_servers =
        plan->has_requests || plan->load.present || plan->load_plan.present || plan->suite.present;

    if (!plan->has_throughput && !asks_servers)
        return pp_json_fail(root, err,
                            "nothing is measured: throughput, requests, suite, load and "
                            "load_plan are all null");
    for (size_t i = 0; !asks_servers && i < plan->candidate_count; i++) {
        const pp_plan_candidate *candidate = &plan->candidates[i];

        if (!pp_candidate_has_engine(candidate) ||
            (candidate->kind == PP_CANDIDATE_VERBATIM && candidate->throughput_argv.count == 0))
            return pp_json_fail(pp_json_find(root, "throughput"), err,
                                "nothing is measured of '%s': llama-bench does not run for it",
                                candidate->id.data);
    }
    return PP_OK;
}

static void decode_head(const pp_json *root, pp_study_plan *plan)
{
    plan->schema = pp_text_is(pp_checked_text(root, "schema_version"), "1.0") ? 1 : 2;
    plan->study_id = pp_checked_text(root, "study_id");
    plan->title = pp_checked_text(root, "title");
    plan->baseline_id = pp_checked_text(root, "baseline_id");
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
    pp_status st = pp_fields_check(root, pp_field_choice_of(pp_study_plan_choices, root), err);

    if (st != PP_OK)
        return st;
    decode_head(root, &plan);
    st = pp_plan_decode_work(arena, root, &plan, err);
    if (st == PP_OK)
        st = pp_plan_decode_engines(arena, root, &plan, err);
    if (st == PP_OK)
        st = pp_plan_decode_models(arena, root, &plan, err);
    if (st == PP_OK)
        st = pp_plan_decode_candidates(arena, root, &plan, err);
    if (st == PP_OK)
        st = check_work(root, &plan, err);
    if (st == PP_OK)
        st = check_context(root, &plan, err);
    if (st == PP_OK)
        st = pp_plan_decode_stages(arena, root, &plan, err);
    if (st == PP_OK)
        st = pp_constraints_decode(arena, plan.constraints_json, &plan.constraints, err);
    if (st == PP_OK)
        st = check_preference_order(&plan, err);
    if (st == PP_OK)
        st = pp_plan_check_quality(&plan, err);
    if (st == PP_OK)
        *ret_plan = plan;
    return st;
}

bool pp_candidate_has_engine(const pp_plan_candidate *candidate)
{
    return candidate->kind == PP_CANDIDATE_MANAGED || candidate->kind == PP_CANDIDATE_VERBATIM;
}

bool pp_study_plan_starts_servers(const pp_study_plan *plan)
{
    for (size_t i = 0; i < plan->candidate_count; i++) {
        if (pp_candidate_has_engine(&plan->candidates[i]))
            return true;
    }
    return false;
}
