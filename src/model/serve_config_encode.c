/* The whole configuration as a document, every default written out. */
#include "model/serve_config_parts.h"

static pp_json *encode_texts(pp_arena *arena, const pp_text *texts, size_t count)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, list, pp_json_new_text(arena, texts[i]));
    return list;
}

/* ---- engines and files ------------------------------------------------------------------------
 */

static pp_json *encode_engine(pp_arena *arena, const pp_plan_engine *engine)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *environment = pp_json_new_object(arena);

    for (size_t i = 0; i < engine->environment_count; i++)
        pp_json_set_text_key(arena, environment, engine->environment[i].name,
                             pp_json_new_text(arena, engine->environment[i].value));
    pp_json_set_text(arena, object, "id", engine->id);
    pp_json_set_maybe_text(arena, object, "path", engine->path);
    pp_json_set_text(arena, object, "server", engine->server);
    pp_json_set(arena, object, "environment", environment);
    return object;
}

static pp_json *encode_file(pp_arena *arena, const pp_plan_model *file)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "id", file->id);
    pp_json_set_text(arena, object, "path", file->path);
    pp_json_set_maybe_text(arena, object, "sha256", file->sha256);
    pp_json_set_maybe_int(arena, object, "size_bytes",
                          (pp_maybe_int){file->size_bytes > 0, file->size_bytes});
    return object;
}

/* ---- back ends --------------------------------------------------------------------------------
 */

static pp_json *encode_draft(pp_arena *arena, const pp_serve_config *config,
                             const pp_serve_draft *draft)
{
    pp_json *object;

    if (!draft->present)
        return pp_json_new_null(arena);
    object = pp_json_new_object(arena);
    pp_json_set_text(arena, object, "type", draft->type);
    pp_json_set_maybe_text(arena, object, "model",
                           draft->has_model ? config->files[draft->file_index].id : pp_text_of(""));
    if (draft->n_max > 0)
        pp_json_set_int(arena, object, "n_max", draft->n_max);
    return object;
}

static pp_json *encode_start(pp_arena *arena, const pp_serve_config *config,
                             const pp_serve_backend *backend)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "engine", config->engines[backend->engine_index].id);
    pp_json_set_text(arena, object, "model", config->files[backend->file_index].id);
    pp_json_set(arena, object, "settings", pp_settings_encode(arena, &backend->settings));
    pp_json_set(arena, object, "draft", encode_draft(arena, config, &backend->draft));
    pp_json_set(
        arena, object, "extra_arguments",
        encode_texts(arena, backend->extra_arguments.words, backend->extra_arguments.count));
    return object;
}

static pp_json *encode_backend(pp_arena *arena, const pp_serve_config *config,
                               const pp_serve_backend *backend)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "id", backend->id);
    pp_json_set_maybe_int(arena, object, "max_in_flight", backend->max_in_flight);
    if (backend->kind == PP_SERVE_STARTED) {
        pp_json_set(arena, object, "start", encode_start(arena, config, backend));
        return object;
    }
    pp_json_set_text(arena, object, "url", backend->endpoint.url);
    pp_json_set_text(arena, object, "server", backend->endpoint.server);
    pp_json_set_maybe_text(arena, object, "model", backend->endpoint.model);
    pp_json_set_maybe_text(arena, object, "api_key_env", backend->endpoint.api_key_env);
    pp_json_set_maybe_text(arena, object, "api_key_file", backend->api_key_file);
    return object;
}

/* ---- models and rules -------------------------------------------------------------------------
 */

static pp_json *encode_model(pp_arena *arena, const pp_serve_config *config,
                             const pp_serve_model *model)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < model->backend_count; i++)
        pp_json_add(arena, list,
                    pp_json_new_text(arena, config->backends[model->backend_indices[i]].id));
    pp_json_set_text(arena, object, "name", model->name);
    pp_json_set(arena, object, "backends", list);
    pp_json_set_string(arena, object, "choose", model->least_busy ? "least-busy" : "order");
    return object;
}

static pp_json *encode_header(pp_arena *arena, const pp_route_rule_row *rule)
{
    pp_json *object;

    if (rule->header_name.size == 0)
        return pp_json_new_null(arena);
    object = pp_json_new_object(arena);
    pp_json_set_text(arena, object, "name", rule->header_name);
    pp_json_set_text(arena, object, "value", rule->header_value);
    return object;
}

static pp_json *encode_rule(pp_arena *arena, const pp_serve_config *config,
                            const pp_route_rule_row *rule)
{
    pp_json *object = pp_json_new_object(arena);
    pp_json *when = pp_json_new_object(arena);

    pp_json_set_maybe_text(arena, when, "model", rule->model);
    pp_json_set_maybe_text(arena, when, "endpoint", rule->endpoint);
    pp_json_set_maybe_int(arena, when, "min_body_bytes", rule->min_body_bytes);
    pp_json_set_maybe_int(arena, when, "max_body_bytes", rule->max_body_bytes);
    pp_json_set_maybe_bool(arena, when, "has_tools", rule->has_tools);
    pp_json_set_maybe_bool(arena, when, "stream", rule->stream);
    pp_json_set(arena, when, "header", encode_header(arena, rule));
    pp_json_set_text(arena, object, "name", rule->name);
    pp_json_set(arena, object, "when", when);
    pp_json_set_text(arena, object, "use", config->models[rule->model_index].name);
    return object;
}

static void encode_lists(pp_arena *arena, const pp_serve_config *config, pp_json *root)
{
    pp_json *engines = pp_json_new_array(arena);
    pp_json *files = pp_json_new_array(arena);
    pp_json *backends = pp_json_new_array(arena);
    pp_json *models = pp_json_new_array(arena);
    pp_json *rules = pp_json_new_array(arena);

    for (size_t i = 0; i < config->engine_count; i++)
        pp_json_add(arena, engines, encode_engine(arena, &config->engines[i]));
    for (size_t i = 0; i < config->file_count; i++)
        pp_json_add(arena, files, encode_file(arena, &config->files[i]));
    for (size_t i = 0; i < config->backend_count; i++)
        pp_json_add(arena, backends, encode_backend(arena, config, &config->backends[i]));
    for (size_t i = 0; i < config->model_count; i++)
        pp_json_add(arena, models, encode_model(arena, config, &config->models[i]));
    for (size_t i = 0; i < config->rule_count; i++)
        pp_json_add(arena, rules, encode_rule(arena, config, &config->rules[i]));
    pp_json_set(arena, root, "engines", engines);
    pp_json_set(arena, root, "files", files);
    pp_json_set(arena, root, "backends", backends);
    pp_json_set(arena, root, "models", models);
    pp_json_set(arena, root, "rules", rules);
}

/* ---- access -----------------------------------------------------------------------------------
 */

static pp_json *encode_bucket(pp_arena *arena, const pp_serve_rate *rate)
{
    pp_json *object;

    if (!rate->present)
        return pp_json_new_null(arena);
    object = pp_json_new_object(arena);
    pp_json_set_real(arena, object, "per_second", rate->per_second);
    pp_json_set_int(arena, object, "burst", rate->burst);
    return object;
}

static void encode_access(pp_arena *arena, const pp_serve_config *config, pp_json *root)
{
    pp_json *listen = pp_json_new_object(arena);
    pp_json *rate = pp_json_new_object(arena);
    pp_json *cors = pp_json_new_object(arena);
    pp_json *keys = pp_json_new_object(arena);

    pp_json_set_text(arena, listen, "host", config->host);
    pp_json_set_int(arena, listen, "port", config->port);
    pp_json_set_bool(arena, listen, "open", config->open);
    pp_json_set(arena, root, "listen", listen);
    pp_json_set_text(arena, keys, "file", config->keys_file);
    pp_json_set(arena, root, "keys", config->keys_file.size > 0 ? keys : pp_json_new_null(arena));
    pp_json_set(arena, rate, "per_key", encode_bucket(arena, &config->rate_per_key));
    pp_json_set(arena, rate, "per_address", encode_bucket(arena, &config->rate_per_address));
    pp_json_set(arena, rate, "trusted_proxies",
                encode_texts(arena, config->trusted_proxies, config->trusted_proxy_count));
    pp_json_set(arena, root, "rate", rate);
    pp_json_set(arena, cors, "origins",
                encode_texts(arena, config->cors_origins, config->cors_origin_count));
    pp_json_set(arena, root, "cors", cors);
    pp_json_set_maybe_text(arena, root, "access_log", config->access_log);
}

pp_json *pp_serve_config_encode(pp_arena *arena, const pp_serve_config *config)
{
    pp_json *root = pp_json_new_object(arena);

    pp_json_set_string(arena, root, "schema_version", "1.0");
    pp_json_set_string(arena, root, "document", "serve-config");
    encode_access(arena, config, root);
    encode_lists(arena, config, root);
    pp_serve_encode_limits(arena, config, root);
    return root;
}
