/* serve_started.h - the llama-servers that `serve` starts: found, checked, run, reported. */
#ifndef PP_CLI_SERVE_STARTED_H
#define PP_CLI_SERVE_STARTED_H

#include "cli/command.h"
#include "gateway/gateway.h"
#include "gateway/servers.h"

/* Rows of options of a command that starts them. */
#define PP_SERVE_STARTED_OPTIONS                                                                   \
    {"llama-dir",                                                                                  \
     0,                                                                                            \
     PP_FOLDER("DIR"),                                                                             \
     "PARETOPILOT_LLAMA_DIR, then PATH",                                                           \
     "llama.cpp of engines that name no folder",                                                   \
     false,                                                                                        \
     false},                                                                                       \
        {"log-dir",                                                                                \
         0,                                                                                        \
         PP_FOLDER("DIR"),                                                                         \
         "none is kept",                                                                           \
         "new folder for what started servers print",                                              \
         false,                                                                                    \
         false},                                                                                   \
    {                                                                                              \
        "model-dir", 0, PP_FOLDER("DIR"), "CONFIG's folder", "where relative model paths start",   \
            false, false                                                                           \
    }

typedef struct pp_serve_started {
    pp_gateway_servers servers; /* count 0: the configuration starts none */
    pp_started_servers running;
    pp_gateway *gateway; /* that is told; borrowed while they run */
    const char *log_folder;
    bool log_is_ours; /* a temporary one, removed at the end */
} pp_serve_started;

/** Find programs and files, and make the folder for logs. Everything lives in `arena`, and `config`
 * is borrowed; pp_serve_started_end must follow. Fails as pp_gateway_servers_prepare, and with
 * PP_ERR_EXISTS for a log folder that is there. */
PP_MUST_CHECK pp_status pp_serve_started_prepare(pp_arena *arena, const pp_args *args,
                                                 const pp_serve_config *config, const char *folder,
                                                 pp_serve_started *ret_started, pp_error *err);

/** Start them; the gateway is told of every change. Fails as pp_supervisor_new. */
PP_MUST_CHECK pp_status pp_serve_started_run(pp_serve_started *started, pp_gateway *gateway,
                                             pp_error *err);

/** Stop them, before the gateway is freed. Zeroed is fine. */
void pp_serve_started_end(pp_serve_started *started);

#endif
