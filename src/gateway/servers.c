#include "gateway/servers.h"

#include <stdio.h>

#include "base/files.h"
#include "engine/gguf.h"

typedef struct preparation {
    pp_arena *arena;
    const pp_serve_config *config;
    const pp_gateway_places *places;
    pp_engine *engines;
    const char **file_paths; /* NULL until looked at */
    pp_origin *file_origins;
} preparation;

/* ---- engines ----------------------------------------------------------------------------------
 */

static pp_status find_folder(const preparation *p, const pp_plan_engine *engine,
                             const char **ret_folder, pp_error *err)
{
    if (!engine->has_path)
        return pp_engine_find(p->arena, p->places->llama_dir, ret_folder, err);
    *ret_folder = pp_path_join(p->arena, p->places->config_folder, engine->path.data);
    return pp_arena_check(p->arena, err);
}

/* Variables with the keys of endpoints: no started server needs them. */
static const char *const *key_variables(const preparation *p)
{
    const char **names = PP_ARENA_NEW(p->arena, const char *, p->config->backend_count + 1);
    size_t count = 0;

    for (size_t i = 0; names != NULL && i < p->config->backend_count; i++) {
        if (p->config->backends[i].endpoint.api_key_env.size > 0)
            names[count++] = p->config->backends[i].endpoint.api_key_env.data;
    }
    return names;
}

static pp_status probe_engine(preparation *p, size_t index, pp_error *err)
{
    const pp_plan_engine *engine = &p->config->engines[index];
    pp_engine_options options = {
        .server = engine->server.data,
        .server_only = true,
        .variables = pp_plan_engine_variables(p->arena, engine),
        .secrets = key_variables(p),
    };
    pp_status st = find_folder(p, engine, &options.folder, err);

    if (st == PP_OK)
        st = pp_arena_check(p->arena, err);
    if (st == PP_OK)
        st = pp_engine_probe(p->arena, &options, &p->engines[index], err);
    return pp_wrap(err, st, "engine '%s'", engine->id.data);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static pp_status check_size(const pp_plan_model *file, int64_t size_bytes, pp_error *err)
{
    return file->size_bytes == 0 || file->size_bytes == size_bytes
               ? PP_OK
               : pp_fail(err, PP_ERR_SCHEMA, "expected %lld bytes, found %lld",
                         (long long)file->size_bytes, (long long)size_bytes);
}

static pp_status check_digest(const char *path, const pp_plan_model *file, pp_error *err)
{
    char found[PP_SHA256_HEX_SIZE];
    pp_status st = file->sha256.size == 0 ? PP_OK : pp_sha256_file(path, found, NULL, err);

    return st != PP_OK || file->sha256.size == 0 || pp_text_is(file->sha256, found)
               ? st
               : pp_fail(err, PP_ERR_SCHEMA, "expected SHA-256 %s, found %s", file->sha256.data,
                         found);
}

static pp_status look_at_file(preparation *p, size_t index, pp_error *err)
{
    const pp_plan_model *file = &p->config->files[index];
    const char *folder =
        p->places->model_dir != NULL ? p->places->model_dir : p->places->config_folder;
    const char *path = pp_path_join(p->arena, folder, file->path.data);
    pp_gguf gguf = {0};
    pp_status st = pp_arena_check(p->arena, err);

    if (st == PP_OK)
        st = pp_gguf_load(p->arena, path, &gguf, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "model file '%s'", file->id.data);
    st = check_size(file, gguf.file_bytes, err);
    if (st == PP_OK)
        st = check_digest(path, file, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "model file '%s': '%s'", file->id.data, path);
    p->file_paths[index] = path;
    p->file_origins[index] = pp_origin_of_weights(gguf.weights);
    return PP_OK;
}

static pp_status need_file(preparation *p, size_t index, pp_error *err)
{
    return p->file_paths[index] != NULL ? PP_OK : look_at_file(p, index, err);
}

/* ---- command lines ----------------------------------------------------------------------------
 */

static pp_status join_words(pp_arena *arena, const pp_plan_words *first,
                            const pp_plan_words *second, const pp_plan_words **ret_words,
                            pp_error *err)
{
    pp_plan_words *both = PP_ARENA_NEW(arena, pp_plan_words, 1);
    pp_text *words = PP_ARENA_NEW(arena, pp_text, first->count + second->count + 1);

    if (both == NULL || words == NULL)
        return pp_arena_check(arena, err);
    *both = (pp_plan_words){words, 0};
    for (size_t i = 0; i < first->count; i++)
        words[both->count++] = first->words[i];
    for (size_t i = 0; i < second->count; i++)
        words[both->count++] = second->words[i];
    *ret_words = both;
    return PP_OK;
}

static pp_status make_words(preparation *p, const pp_serve_backend *backend,
                            const pp_engine *engine, const pp_plan_words **ret_words, pp_error *err)
{
    const pp_serve_draft *from = &backend->draft;
    pp_draft draft = {.type = from->type.data, .n_max = from->n_max};
    /* Warnings and errors only: a line for each request would fill a disk in time. The last word
     * counts. Replies name the model, and what they would name else is the path of its file. */
    pp_text ours_words[] = {pp_text_of("--log-verbosity"), pp_text_of("2"), pp_text_of("--alias"),
                            backend->id};
    const pp_plan_words ours = {ours_words, PP_COUNT_OF(ours_words)};
    const pp_plan_words *both = NULL;
    pp_plan_words words = {0};
    pp_status st = PP_OK;

    if (from->present && from->has_model) {
        st = need_file(p, from->file_index, err);
        draft.model_path = p->file_paths[from->file_index];
    }
    if (st == PP_OK && from->present)
        st = pp_argv_draft(p->arena, engine, &draft, &words, err);
    if (st == PP_OK)
        st = join_words(p->arena, &words, &ours, &both, err);
    return st == PP_OK ? join_words(p->arena, both, &backend->extra_arguments, ret_words, err) : st;
}

static pp_status prepare_one(preparation *p, size_t index, pp_gateway_server *server,
                             pp_supervised *run, pp_error *err)
{
    const pp_serve_backend *backend = &p->config->backends[index];
    pp_argv argv;
    pp_status st = need_file(p, backend->file_index, err);

    *server = (pp_gateway_server){index, p->file_origins[backend->file_index]};
    *run = (pp_supervised){
        .name = backend->id.data,
        .engine = &p->engines[backend->engine_index],
        .model_path = p->file_paths[backend->file_index],
        .settings = &backend->settings,
    };
    if (st == PP_OK)
        st = make_words(p, backend, run->engine, &run->further, err);
    /* what the build does not know is said now; the real line gets its port later */
    if (st == PP_OK)
        st = pp_argv_server(p->arena, run->engine, run->model_path, run->settings, run->further, 1,
                            &argv, err);
    return pp_wrap(err, st, "back end '%s'", backend->id.data);
}

static pp_status prepare_next(preparation *p, size_t index, pp_gateway_servers *servers,
                              pp_error *err)
{
    size_t at = servers->count++;

    return prepare_one(p, index, &servers->items[at], &servers->runs[at], err);
}

pp_status pp_gateway_servers_prepare(pp_arena *arena, const pp_serve_config *config,
                                     const pp_gateway_places *places,
                                     pp_gateway_servers *ret_servers, pp_error *err)
{
    preparation p = {
        .arena = arena,
        .config = config,
        .places = places,
        .engines = PP_ARENA_NEW(arena, pp_engine, config->engine_count + 1),
        .file_paths = PP_ARENA_NEW(arena, const char *, config->file_count + 1),
        .file_origins = PP_ARENA_NEW(arena, pp_origin, config->file_count + 1),
    };
    pp_gateway_servers servers = {
        .items = PP_ARENA_NEW(arena, pp_gateway_server, config->backend_count + 1),
        .runs = PP_ARENA_NEW(arena, pp_supervised, config->backend_count + 1),
    };
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < config->engine_count; i++)
        st = probe_engine(&p, i, err);
    for (size_t i = 0; st == PP_OK && i < config->backend_count; i++) {
        if (config->backends[i].kind == PP_SERVE_STARTED)
            st = prepare_next(&p, i, &servers, err);
    }
    if (st == PP_OK)
        *ret_servers = servers;
    return st;
}

/* ---- while they run ---------------------------------------------------------------------------
 */

void pp_started_servers_status(void *user, size_t backend_index, pp_backend_status *ret_status)
{
    const pp_started_servers *started = user;
    const pp_serve_backend *backend = &started->config->backends[backend_index];
    pp_supervised_status now = {.state = PP_BACKEND_STARTING};
    size_t i = 0;

    while (started->servers->items[i].backend_index != backend_index)
        i++;
    if (started->supervisor != NULL)
        pp_supervisor_status(started->supervisor, i, &now);
    *ret_status = (pp_backend_status){
        .state = now.state,
        .slots = now.state == PP_BACKEND_READY ? backend->settings.parallel : 0,
        .origin = started->servers->items[i].origin,
        .restarts = now.start_count > 1 ? now.start_count - 1 : 0,
        .speculation_asked = backend->draft.present,
    };
    (void)snprintf(ret_status->url, sizeof ret_status->url, "%s", now.url);
}
