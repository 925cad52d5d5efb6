/* server.h - one running llama-server: started, proved, stopped.
 *
 * A started server is healthy, is our own process, and has confirmed what it was asked to run with:
 * model, slots and context per slot are read back from /props and /slots (F48-F50). What it reports
 * is what it reports; whether it uses it is for the measurement to show. Where a command line is
 * given word for word, nothing was asked that an answer could be held against: what /props says is
 * kept. */
#ifndef PP_ENGINE_SERVER_H
#define PP_ENGINE_SERVER_H

#include <signal.h>

#include "engine/argv.h"
#include "net/http_client.h"
#include "proc/child.h"

/* As much of the end of a log as an error has room for. */
#define PP_SERVER_LOG_TAIL_BYTES 1200

typedef struct pp_server pp_server;

typedef struct pp_server_options {
    const pp_engine *engine;
    const char *model_path;
    const pp_settings *settings;  /* NULL: the command line is given */
    const pp_plan_words *further; /* with settings: words at the end of the line; may be NULL */
    const pp_plan_words *words;   /* the given line; NULL: made of settings */
    const char *folder;           /* where it runs; NULL: here */
    const char *stdout_path;      /* new files */
    const char *stderr_path;
    int64_t start_timeout_ns;
    pp_http_loop *loop;
    const volatile sig_atomic_t *stop; /* may be NULL */
} pp_server_options;

/**
 * Start and wait until it is healthy and has proved its settings.
 *
 * Fails with PP_ERR_PEER when it dies (its last log lines are in the text), when another process
 * answers, or when a setting read back differs; PP_ERR_TIMEOUT, PP_ERR_INTERRUPTED. Nothing is left
 * running then. The caller ends it with pp_server_free.
 */
PP_MUST_CHECK pp_status pp_server_start(const pp_server_options *options, pp_server **ret_server,
                                        pp_error *err);

pid_t pp_server_pid(const pp_server *server);
const char *pp_server_url(const pp_server *server); /* "http://127.0.0.1:PORT" */
const pp_argv *pp_server_words(const pp_server *server);

/** Milliseconds from the start of the process until /health said ready. */
double pp_server_startup_ms(const pp_server *server);

/** What it said about itself: {build_info, model_path, total_slots, n_ctx_per_slot}, and
 * is_sleeping where it says so; null where it was not made of settings and has no /props. */
const pp_json *pp_server_readback(const pp_server *server);

/** PP_OK while it runs; PP_ERR_PEER with its last log lines when it has died. */
PP_MUST_CHECK pp_status pp_server_check_alive(pp_server *server, pp_error *err);

/** The last lines of a log on one line, separated by " | "; "" when there is none. */
void pp_server_read_log_tail(const char *path, char out[PP_SERVER_LOG_TAIL_BYTES + 1]);

/** SIGTERM, and SIGKILL when it takes too long. ret_exit may be NULL. */
void pp_server_stop(pp_server *server, pp_child_exit *ret_exit);

/** Stop it when it runs, and release. Accepts NULL. */
void pp_server_free(pp_server *server);

#endif
