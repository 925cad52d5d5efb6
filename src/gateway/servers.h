/* servers.h - the llama-server processes of a configuration, ready to be started.
 *
 * Programs are asked what they know and model files are looked at before anything is started, so
 * that a mistake in the configuration is an error of the start and not a server that comes up again
 * and again. */
#ifndef PP_GATEWAY_SERVERS_H
#define PP_GATEWAY_SERVERS_H

#include "gateway/supervisor.h"
#include "model/origin.h"
#include "model/serve_config.h"

typedef struct pp_gateway_server {
    size_t backend_index; /* into the configuration's back ends */
    pp_origin origin;     /* of what it answers, by the weights of its model */
} pp_gateway_server;

/* One for each started back end, in their order. */
typedef struct pp_gateway_servers {
    pp_gateway_server *items;
    pp_supervised *runs; /* as the supervisor takes them */
    size_t count;
} pp_gateway_servers;

typedef struct pp_gateway_places {
    const char *config_folder; /* paths of the configuration are relative to it */
    const char *llama_dir; /* of engines that name no folder; NULL: found as pp_engine_find does */
    const char *model_dir; /* model files are relative to it; NULL: to config_folder */
} pp_gateway_places;

/**
 * Find and probe the engines, check the model files (header, and size and SHA-256 where the
 * configuration says them), and make the words of the command lines: those of the draft, a log that
 * does not grow with each request, and the configuration's own. All lives in `arena`, and
 * `config` is borrowed.
 *
 * Fails as pp_engine_find, pp_engine_probe, pp_gguf_load and pp_argv_draft do, and with
 * PP_ERR_SCHEMA for a file that is not the declared one; back end, engine or file is named.
 */
PP_MUST_CHECK pp_status pp_gateway_servers_prepare(pp_arena *arena, const pp_serve_config *config,
                                                   const pp_gateway_places *places,
                                                   pp_gateway_servers *ret_servers, pp_error *err);

/* The servers while they run; for pp_gateway_options.backend_status. */
typedef struct pp_started_servers {
    const pp_serve_config *config;
    const pp_gateway_servers *servers;
    pp_supervisor *supervisor; /* NULL: none has been started yet */
} pp_started_servers;

/** What is known now of the back end of that index, which is a started one; `user` is a
 * pp_started_servers. Any thread. */
void pp_started_servers_status(void *user, size_t backend_index, pp_backend_status *ret_status);

#endif
