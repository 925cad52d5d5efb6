/* Engines and models of a study plan, and of the configuration of `serve`. */
#include "model/study_plan_parts.h"

#include <string.h>

#include "model/fields.h"

pp_text *pp_plan_texts(pp_arena *arena, const pp_json *list, size_t *ret_count)
{
    pp_text *texts = PP_ARENA_NEW(arena, pp_text, list->array.count);

    for (size_t i = 0; texts != NULL && i < list->array.count; i++)
        texts[i] = list->array.items[i]->text;
    *ret_count = texts == NULL ? 0 : list->array.count;
    return texts;
}

/* Empty where it is absent or null. */
static pp_text optional_text(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value == NULL || value->kind == PP_JSON_NULL ? pp_text_of("") : value->text;
}

/* ---- engines ----------------------------------------------------------------------------------
 */

static pp_plan_markers decode_markers(pp_arena *arena, const pp_json *from)
{
    pp_plan_markers markers = {0};

    if (from == NULL)
        return markers;
    markers.required =
        pp_plan_texts(arena, pp_checked_list(from, "required"), &markers.required_count);
    markers.forbidden =
        pp_plan_texts(arena, pp_checked_list(from, "forbidden"), &markers.forbidden_count);
    return markers;
}

/* F55, B178: what llama.cpp takes for options would change settings behind the plan's back. */
static pp_status check_variable(const pp_json *at, pp_text name, pp_error *err)
{
    static const char prefix[] = "LLAMA_ARG_";

    if (name.size >= sizeof prefix - 1 && memcmp(name.data, prefix, sizeof prefix - 1) == 0)
        return pp_json_fail(at, err, "llama.cpp takes it for an option: say it in the settings");
    if (memchr(name.data, '=', name.size) != NULL || memchr(name.data, '\0', name.size) != NULL)
        return pp_json_fail(at, err, "expected a name without '='");
    if (memchr(at->text.data, '\0', at->text.size) != NULL)
        return pp_json_fail(at, err, "expected text without a NUL");
    return PP_OK;
}

static pp_status decode_environment(pp_arena *arena, const pp_json *from, pp_plan_engine *engine,
                                    pp_error *err)
{
    const pp_json *variables = pp_json_find(from, "environment");
    pp_status st = PP_OK;

    if (variables == NULL)
        return PP_OK;
    engine->environment = PP_ARENA_NEW(arena, pp_plan_variable, variables->object.count);
    if (engine->environment == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < variables->object.count; i++) {
        const pp_json_member *member = &variables->object.members[i];

        st = check_variable(member->value, member->key, err);
        engine->environment[engine->environment_count++] =
            (pp_plan_variable){member->key, member->value->text};
    }
    return st;
}

static pp_status decode_engine(pp_arena *arena, const pp_json *from, pp_plan_engine *engine,
                               pp_error *err)
{
    const pp_json *path = pp_json_find(from, "path");
    const pp_json *server = pp_json_find(from, "server");
    const pp_json *bench = pp_json_find(from, "bench");

    engine->id = pp_checked_text(from, "id");
    engine->has_path = path->kind != PP_JSON_NULL;
    engine->path = engine->has_path ? path->text : pp_text_of("");
    engine->server = server == NULL ? pp_text_of("llama-server") : server->text;
    engine->bench = bench == NULL ? pp_text_of("llama-bench") : bench->text;
    engine->markers = decode_markers(arena, pp_json_find(from, "log_markers"));
    return decode_environment(arena, from, engine, err);
}

/* 1.0 has one engine without a name; its markers stand at the root. */
static pp_status only_engine(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                             pp_error *err)
{
    plan->engines = PP_ARENA_NEW(arena, pp_plan_engine, 1);
    if (plan->engines != NULL) {
        plan->engines[0] = (pp_plan_engine){
            .id = pp_text_of(""),
            .path = pp_text_of(""),
            .server = pp_text_of("llama-server"),
            .bench = pp_text_of("llama-bench"),
            .markers = decode_markers(arena, pp_checked_object(root, "log_markers")),
        };
        plan->engine_count = 1;
    }
    return pp_arena_check(arena, err);
}

pp_status pp_plan_decode_engine_list(pp_arena *arena, const pp_json *list,
                                     pp_plan_engine **ret_engines, size_t *ret_count, pp_error *err)
{
    pp_plan_engine *engines = PP_ARENA_NEW(arena, pp_plan_engine, list->array.count);
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && engines != NULL && i < list->array.count; i++) {
        st = decode_engine(arena, list->array.items[i], &engines[i], err);
        for (size_t j = 0; st == PP_OK && j < i; j++) {
            if (pp_text_equal(engines[i].id, engines[j].id))
                st = pp_json_fail(list->array.items[i], err, "the id '%s' is used twice",
                                  engines[i].id.data);
        }
    }
    *ret_engines = engines;
    *ret_count = list->array.count;
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

pp_status pp_plan_decode_engines(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                 pp_error *err)
{
    if (plan->schema == 1)
        return only_engine(arena, root, plan, err);
    return pp_plan_decode_engine_list(arena, pp_checked_list(root, "engines"), &plan->engines,
                                      &plan->engine_count, err);
}

pp_status pp_plan_find_engine(const pp_plan_engine *engines, size_t count, const pp_json *at,
                              size_t *ret_index, pp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(engines[i].id, at->text)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(at, err, "expected the id of an item of $.engines, got '%s'",
                        at->text.data);
}

/* ---- models -----------------------------------------------------------------------------------
 */

static pp_plan_model decode_model(const pp_json *from)
{
    const pp_json *size = pp_json_find(from, "size_bytes");

    return (pp_plan_model){
        .id = pp_checked_text(from, "id"),
        .path = pp_checked_text(from, "path"),
        .sha256 = optional_text(from, "sha256"),
        .size_bytes = size == NULL || size->kind == PP_JSON_NULL ? 0 : size->integer,
        .url = optional_text(from, "url"),
        .family = optional_text(from, "family"),
        .repository = optional_text(from, "repository"),
        .revision = optional_text(from, "revision"),
        .quantization = optional_text(from, "quantization"),
    };
}

pp_status pp_plan_decode_model_list(pp_arena *arena, const pp_json *list,
                                    pp_plan_model **ret_models, size_t *ret_count, pp_error *err)
{
    pp_plan_model *models = PP_ARENA_NEW(arena, pp_plan_model, list->array.count);

    for (size_t i = 0; models != NULL && i < list->array.count; i++) {
        const pp_json *from = list->array.items[i];

        models[i] = decode_model(from);
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(models[i].id, models[j].id))
                return pp_json_fail(from, err, "the id '%s' is used twice", models[i].id.data);
        }
    }
    *ret_models = models;
    *ret_count = list->array.count;
    return pp_arena_check(arena, err);
}

pp_status pp_plan_decode_models(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                pp_error *err)
{
    return pp_plan_decode_model_list(arena, pp_checked_list(root, "models"), &plan->models,
                                     &plan->model_count, err);
}

pp_status pp_plan_find_model(const pp_plan_model *models, size_t count, const char *list_path,
                             const pp_json *at, size_t *ret_index, pp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(models[i].id, at->text)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(at, err, "expected the id of an item of %s, got '%s'", list_path,
                        at->text.data);
}
