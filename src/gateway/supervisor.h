/* supervisor.h - llama-server processes that a gateway starts, watches and starts again.
 *
 * Each has a thread, because starting and proving a server is the blocking code of engine/server.h:
 * a server counts as ready only when /props and /slots say what was asked (F48-F50). A server that
 * dies, or that stops answering /health, is started again after a pause, which doubles with each
 * failure in a row. The threads live as long as the supervisor, since the kernel ties the end of a
 * child to the thread that started it (K39).
 *
 * It knows nothing of requests: what a back end is good for right now is the gateway's to judge. */
#ifndef PP_GATEWAY_SUPERVISOR_H
#define PP_GATEWAY_SUPERVISOR_H

#include "base/maybe.h"
#include "engine/server.h"
#include "gateway/backend_status.h"

typedef struct pp_supervisor pp_supervisor;

/* What is started; everything is borrowed until the supervisor is freed. */
typedef struct pp_supervised {
    const char *name; /* of the back end, for its log files: letters, digits, '.', '_', '-' */
    const pp_engine *engine; /* probed */
    const char *model_path;
    const pp_settings *settings;
    const pp_plan_words *further; /* at the end of the command line; may be NULL */
} pp_supervised;

typedef struct pp_supervised_status {
    pp_backend_state state;
    char url[64];         /* "http://127.0.0.1:PORT" of a ready one, else "" */
    int64_t pid;          /* of a ready one, else 0 */
    uint64_t start_count; /* processes so far, this one included */
    double startup_ms;    /* of a ready one: until /health said so */
    char why[512];        /* of one that is down: what happened; may hold paths and log lines, so
                             it is for the operator and not for clients */
} pp_supervised_status;

typedef struct pp_supervisor_options {
    const pp_supervised *servers;
    size_t server_count;
    const char *log_folder; /* exists; standard error of start N goes to NAME.N.log in it, and the
                               logs of the last three starts are kept */
    int64_t start_timeout_ns;
    int64_t health_interval_ns; /* between questions to a server that is ready */
    int64_t health_timeout_ns;  /* for an answer; three in a row that fail mean that it hangs */
    int64_t pause_min_ns;       /* after the first failure */
    int64_t pause_max_ns;       /* and never more than this */
    int64_t steady_ns; /* a server that was ready for so long has failed for the first time */
    /** Called by the threads after each change, `now` borrowed: tell and wake, and be quick. May be
     * NULL. */
    void (*changed)(void *user, size_t index, const pp_supervised_status *now);
    void *user;
} pp_supervisor_options;

/** 120 s to start, health every 5 s within 10 s, pauses of 1 s to 60 s, steady after 60 s. */
void pp_supervisor_options_default(pp_supervisor_options *ret_options);

/** Start them all at once; returns without waiting for any. Fails with PP_ERR_IO when the system
 * gives no thread, PP_ERR_MEMORY; nothing runs then. */
PP_MUST_CHECK pp_status pp_supervisor_new(const pp_supervisor_options *options,
                                          pp_supervisor **ret_supervisor, pp_error *err);

/** What is known of server `index` now. Any thread. */
void pp_supervisor_status(pp_supervisor *supervisor, size_t index,
                          pp_supervised_status *ret_status);

/** Stop all servers side by side (SIGTERM, after 10 s SIGKILL) and wait for them. Accepts NULL. */
void pp_supervisor_free(pp_supervisor *supervisor);

#endif
