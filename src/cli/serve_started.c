#include "cli/serve_started.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/files.h"

/* ---- logs ------------------------------------------------------------------------------------ */

static pp_status make_temporary_folder(pp_arena *arena, pp_serve_started *started, pp_error *err)
{
    const char *base = getenv("TMPDIR");
    char *path = pp_path_join(arena, base == NULL ? "/tmp" : base, "paretopilot-serve-XXXXXX");

    if (path == NULL)
        return pp_arena_check(arena, err);
    if (mkdtemp(path) == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "making the folder '%s'", path);
    started->log_folder = path;
    started->log_is_ours = true;
    return PP_OK;
}

static pp_status make_log_folder(pp_arena *arena, const pp_args *args, pp_serve_started *started,
                                 pp_error *err)
{
    const char *path = pp_args_value(args, "log-dir");

    if (path == NULL)
        return make_temporary_folder(arena, started, err);
    started->log_folder = path;
    return pp_folder_create(path, true, err);
}

/* ---- servers --------------------------------------------------------------------------------- */

/* Options that would be without effect are a mistake. */
static pp_status check_used(const pp_args *args, const pp_serve_config *config, pp_error *err)
{
    static const char *const names[] = {"llama-dir", "log-dir", "model-dir"};

    for (size_t i = 0; i < config->backend_count; i++) {
        if (config->backends[i].kind == PP_SERVE_STARTED)
            return PP_OK;
    }
    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        if (pp_args_has(args, names[i]))
            return pp_fail(err, PP_ERR_USAGE, "--%s: the configuration starts no server", names[i]);
    }
    return PP_OK;
}

pp_status pp_serve_started_prepare(pp_arena *arena, const pp_args *args,
                                   const pp_serve_config *config, const char *folder,
                                   pp_serve_started *ret_started, pp_error *err)
{
    const pp_gateway_places places = {
        .config_folder = folder,
        .llama_dir = pp_args_value(args, "llama-dir"),
        .model_dir = pp_args_value(args, "model-dir"),
    };
    pp_status st = check_used(args, config, err);

    if (st == PP_OK)
        st = pp_gateway_servers_prepare(arena, config, &places, &ret_started->servers, err);
    if (st == PP_OK && ret_started->servers.count > 0)
        st = make_log_folder(arena, args, ret_started, err);
    ret_started->running = (pp_started_servers){.config = config, .servers = &ret_started->servers};
    return st;
}

/* In the thread of that server; what the operator should know, and no client. */
static void tell(void *user, size_t index, const pp_supervised_status *now)
{
    const pp_serve_started *started = user;
    const char *name = started->servers.runs[index].name;

    if (now->state == PP_BACKEND_READY)
        fprintf(stderr, "serve: '%s' is ready at %s after %.1f s\n", name, now->url,
                now->startup_ms / 1e3);
    else if (now->state == PP_BACKEND_DOWN)
        fprintf(stderr, "serve: '%s' is down, and will be started again: %s\n", name, now->why);
    pp_gateway_wake(started->gateway);
}

pp_status pp_serve_started_run(pp_serve_started *started, pp_gateway *gateway, pp_error *err)
{
    const pp_serve_config *config = started->running.config;
    pp_supervisor_options options;

    if (started->servers.count == 0)
        return PP_OK;
    pp_supervisor_options_default(&options);
    options.servers = started->servers.runs;
    options.server_count = started->servers.count;
    options.log_folder = started->log_folder;
    options.start_timeout_ns = config->start_timeout_ms * PP_NS_PER_MS;
    options.pause_min_ns = config->backoff_min_ms * PP_NS_PER_MS;
    options.pause_max_ns = config->backoff_max_ms * PP_NS_PER_MS;
    options.changed = tell;
    options.user = started;
    started->gateway = gateway;
    return pp_supervisor_new(&options, &started->running.supervisor, err);
}

void pp_serve_started_end(pp_serve_started *started)
{
    pp_supervisor_free(started->running.supervisor);
    if (started->log_is_ours)
        pp_folder_remove(started->log_folder);
    *started = (pp_serve_started){0};
}
