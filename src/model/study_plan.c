#include "model/study_plan.h"

#include <string.h>

static bool is_folder_name(pp_text id)
{
    if (id.size == 0 || id.size > 64 || id.data[0] == '.' || id.data[0] == '-')
        return false;
    for (size_t i = 0; i < id.size; i++) {
        char c = id.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'))
            return false;
    }
    return true;
}

static pp_status decode_id(const pp_json *object, pp_text *ret_id, pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_member_of(object, "id", PP_JSON_STRING, &value, err);

    if (st != PP_OK)
        return st;
    *ret_id = value->text;
    if (!is_folder_name(value->text))
        return pp_json_fail(value, err,
                            "expected 1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a "
                            "letter, a digit or '_'");
    return PP_OK;
}

static pp_status decode_digest(const pp_json *object, pp_text *ret_digest, pp_error *err)
{
    const pp_json *value;
    pp_status st = pp_json_member_of(object, "sha256", PP_JSON_STRING, &value, err);

    if (st != PP_OK)
        return st;
    *ret_digest = value->text;
    if (value->text.size != 64 || strspn(value->text.data, "0123456789abcdef") != 64)
        return pp_json_fail(value, err, "expected 64 lower-case hexadecimal digits");
    return PP_OK;
}

static pp_status decode_model(const pp_json *object, pp_plan_model *model, pp_error *err)
{
    static const char *const keys[] = {"id", "path", "sha256", "size_bytes"};
    pp_status st = pp_json_only_keys(object, keys, PP_COUNT_OF(keys), err);

    if (st == PP_OK)
        st = decode_id(object, &model->id, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(object, "path", &model->path, err);
    if (st == PP_OK && memchr(model->path.data, '\0', model->path.size) != NULL)
        st = pp_json_fail(pp_json_find(object, "path"), err, "a path cannot hold a NUL");
    if (st == PP_OK)
        st = decode_digest(object, &model->sha256, err);
    if (st == PP_OK)
        st = pp_json_member_int(object, "size_bytes", 1, INT64_MAX, &model->size_bytes, err);
    return st;
}

/* A required, non-empty array of at most `max` items */
static pp_status require_list(const pp_json *root, const char *key, size_t max,
                              const pp_json **ret_list, pp_error *err)
{
    pp_status st = pp_json_member_of(root, key, PP_JSON_ARRAY, ret_list, err);

    if (st != PP_OK)
        return st;
    if ((*ret_list)->array.count == 0 || (*ret_list)->array.count > max)
        return pp_json_fail(*ret_list, err, "expected 1 to %zu items, got %zu", max,
                            (*ret_list)->array.count);
    return PP_OK;
}

static pp_status decode_models(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                               pp_error *err)
{
    const pp_json *list;
    pp_status st = require_list(root, "models", PP_STUDY_MAX_CANDIDATES, &list, err);

    if (st != PP_OK)
        return st;
    plan->models = PP_ARENA_NEW(arena, pp_plan_model, list->array.count);
    for (size_t i = 0; plan->models != NULL && i < list->array.count; i++) {
        st = decode_model(list->array.items[i], &plan->models[i], err);
        if (st != PP_OK)
            return st;
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(plan->models[i].id, plan->models[j].id))
                return pp_json_fail(list->array.items[i], err, "the id '%s' is used twice",
                                    plan->models[i].id.data);
        }
        plan->model_count++;
    }
    return pp_arena_check(arena, err);
}

static pp_status find_model(const pp_study_plan *plan, const pp_json *object, size_t *ret_index,
                            pp_error *err)
{
    pp_text id;
    pp_status st = pp_json_member_filled_text(object, "model", &id, err);

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < plan->model_count; i++) {
        if (pp_text_equal(plan->models[i].id, id)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(pp_json_find(object, "model"), err,
                        "expected the id of an item of $.models, got '%s'", id.data);
}

static pp_status decode_candidate(const pp_json *root, const pp_json *object,
                                  const pp_study_plan *plan, pp_plan_candidate *candidate,
                                  pp_error *err)
{
    static const char *const keys[] = {"id", "label", "model", "settings"};
    const pp_json *base;
    const pp_json *override;
    pp_status st = pp_json_only_keys(object, keys, PP_COUNT_OF(keys), err);

    if (st == PP_OK)
        st = decode_id(object, &candidate->id, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(object, "label", &candidate->label, err);
    if (st == PP_OK)
        st = find_model(plan, object, &candidate->model_index, err);
    if (st == PP_OK)
        st = pp_json_member_of(root, "settings", PP_JSON_OBJECT, &base, err);
    if (st == PP_OK)
        st = pp_json_member_of(object, "settings", PP_JSON_OBJECT, &override, err);
    if (st == PP_OK)
        st = pp_settings_decode(base, override, &candidate->settings, err);
    return st;
}

static pp_status decode_candidates(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                   pp_error *err)
{
    const pp_json *list;
    pp_status st = require_list(root, "candidates", PP_STUDY_MAX_CANDIDATES, &list, err);
    bool has_baseline = false;

    if (st != PP_OK)
        return st;
    plan->candidates = PP_ARENA_NEW(arena, pp_plan_candidate, list->array.count);
    for (size_t i = 0; plan->candidates != NULL && i < list->array.count; i++) {
        pp_plan_candidate *candidate = &plan->candidates[i];

        st = decode_candidate(root, list->array.items[i], plan, candidate, err);
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
    if (!has_baseline)
        return pp_json_fail(pp_json_find(root, "baseline_id"), err,
                            "expected the id of an item of $.candidates, got '%s'",
                            plan->baseline_id.data);
    return pp_arena_check(arena, err);
}

/* ---- groups of integers ---------------------------------------------------------------------- */

typedef struct integer_field {
    const char *key;
    int64_t min, max;
    int64_t *value;
} integer_field;

static pp_status decode_integers(const pp_json *root, const char *group,
                                 const integer_field *fields, size_t n_fields, pp_error *err)
{
    const char *keys[8];
    const pp_json *object;
    pp_status st = pp_json_member_of(root, group, PP_JSON_OBJECT, &object, err);

    if (st != PP_OK)
        return st;
    PP_ASSERT(n_fields <= PP_COUNT_OF(keys));
    for (size_t i = 0; i < n_fields; i++)
        keys[i] = fields[i].key;
    st = pp_json_only_keys(object, keys, n_fields, err);
    for (size_t i = 0; st == PP_OK && i < n_fields; i++)
        st = pp_json_member_int(object, fields[i].key, fields[i].min, fields[i].max,
                                fields[i].value, err);
    return st;
}

static pp_status decode_work(const pp_json *root, pp_study_plan *plan, pp_error *err)
{
    const integer_field throughput[] = {
        {"prompt_tokens", 1, 1048576, &plan->throughput.prompt_tokens},
        {"generation_tokens", 1, 1048576, &plan->throughput.generation_tokens},
        {"repetitions", 1, 1000, &plan->throughput.repetitions},
    };
    const integer_field requests[] = {
        {"prompt_tokens", 2, 1048576, &plan->requests.prompt_tokens},
        {"output_tokens", 1, 1048576, &plan->requests.output_tokens},
        {"warmup", 0, 1000, &plan->requests.warmup},
        {"measured", 1, 100000, &plan->requests.measured},
        {"seed", 0, 4294967295, &plan->requests.seed},
    };
    const integer_field deadlines[] = {
        {"start_ms", 100, 3600000, &plan->deadlines.start_ms},
        {"throughput_ms", 100, 86400000, &plan->deadlines.throughput_ms},
        {"request_ms", 100, 86400000, &plan->deadlines.request_ms},
    };
    pp_status st = decode_integers(root, "throughput", throughput, PP_COUNT_OF(throughput), err);

    if (st == PP_OK)
        st = decode_integers(root, "requests", requests, PP_COUNT_OF(requests), err);
    if (st == PP_OK)
        st = decode_integers(root, "deadlines", deadlines, PP_COUNT_OF(deadlines), err);
    return st;
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

static pp_status decode_percent(const pp_json *object, const char *key, double *ret_percent,
                                pp_error *err)
{
    pp_status st = pp_json_member_number(object, key, ret_percent, err);

    if (st == PP_OK && !(*ret_percent > 0 && *ret_percent <= 100000))
        return pp_json_fail(pp_json_find(object, key), err,
                            "expected more than 0 and at most 100000 percent, got %g",
                            *ret_percent);
    return st;
}

static pp_status decode_noise(const pp_json *root, pp_plan_noise *noise, pp_error *err)
{
    static const char *const keys[] = {"foreign_cpu_percent", "steal_percent"};
    const pp_json *object;
    pp_status st = pp_json_member_of(root, "noise_limits", PP_JSON_OBJECT, &object, err);

    if (st == PP_OK)
        st = pp_json_only_keys(object, keys, PP_COUNT_OF(keys), err);
    if (st == PP_OK)
        st = decode_percent(object, "foreign_cpu_percent", &noise->foreign_cpu_percent, err);
    if (st == PP_OK)
        st = decode_percent(object, "steal_percent", &noise->steal_percent, err);
    return st;
}

static pp_status decode_texts(pp_arena *arena, const pp_json *object, const char *key,
                              pp_text **ret_texts, size_t *ret_count, pp_error *err)
{
    const pp_json *list;
    pp_status st = pp_json_member_of(object, key, PP_JSON_ARRAY, &list, err);

    if (st != PP_OK)
        return st;
    *ret_texts = PP_ARENA_NEW(arena, pp_text, list->array.count);
    for (size_t i = 0; *ret_texts != NULL && st == PP_OK && i < list->array.count; i++)
        st = pp_json_get_filled_text(list->array.items[i], &(*ret_texts)[i], err);
    *ret_count = list->array.count;
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

static pp_status decode_markers(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                pp_error *err)
{
    static const char *const keys[] = {"required", "forbidden"};
    const pp_json *object;
    pp_status st = pp_json_member_of(root, "log_markers", PP_JSON_OBJECT, &object, err);

    if (st == PP_OK)
        st = pp_json_only_keys(object, keys, PP_COUNT_OF(keys), err);
    if (st == PP_OK)
        st = decode_texts(arena, object, "required", &plan->required_markers,
                          &plan->required_marker_count, err);
    if (st == PP_OK)
        st = decode_texts(arena, object, "forbidden", &plan->forbidden_markers,
                          &plan->forbidden_marker_count, err);
    return st;
}

static pp_status decode_head(const pp_json *root, pp_study_plan *plan, pp_error *err)
{
    static const char *const keys[] = {
        "schema_version", "document",     "study_id",    "title",       "baseline_id", "models",
        "settings",       "candidates",   "passes",      "settle_ms",   "throughput",  "requests",
        "deadlines",      "noise_limits", "log_markers", "constraints",
    };
    pp_text text;
    pp_status st = pp_json_only_keys(root, keys, PP_COUNT_OF(keys), err);

    if (st == PP_OK)
        st = pp_json_member_filled_text(root, "schema_version", &text, err);
    if (st == PP_OK && !pp_text_is(text, "1.0"))
        st = pp_json_fail(pp_json_find(root, "schema_version"), err, "expected '1.0', got '%s'",
                          text.data);
    if (st == PP_OK)
        st = pp_json_member_filled_text(root, "document", &text, err);
    if (st == PP_OK && !pp_text_is(text, "study-plan"))
        st = pp_json_fail(pp_json_find(root, "document"), err, "expected 'study-plan', got '%s'",
                          text.data);
    if (st == PP_OK)
        st = pp_json_member_filled_text(root, "study_id", &plan->study_id, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(root, "title", &plan->title, err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(root, "baseline_id", &plan->baseline_id, err);
    if (st == PP_OK)
        st = pp_json_member_int(root, "passes", 1, PP_STUDY_MAX_PASSES, &plan->passes, err);
    if (st == PP_OK)
        st = pp_json_member_int(root, "settle_ms", 0, 3600000, &plan->settle_ms, err);
    return st;
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
    pp_status st = decode_head(root, &plan, err);

    if (st == PP_OK)
        st = decode_models(arena, root, &plan, err);
    if (st == PP_OK)
        st = decode_candidates(arena, root, &plan, err);
    if (st == PP_OK)
        st = decode_work(root, &plan, err);
    if (st == PP_OK)
        st = check_context(root, &plan, err);
    if (st == PP_OK)
        st = decode_noise(root, &plan.noise, err);
    if (st == PP_OK)
        st = decode_markers(arena, root, &plan, err);
    if (st == PP_OK)
        st = pp_json_member_of(root, "constraints", PP_JSON_OBJECT, &plan.constraints_json, err);
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
