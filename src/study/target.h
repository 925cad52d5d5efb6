/* target.h - inside study/ only: a server that is asked: the study starts it, or a gateway, or it
 * runs already. */
#ifndef PP_STUDY_TARGET_H
#define PP_STUDY_TARGET_H

#include "load/run.h"
#include "load/source.h"
#include "machine/process_memory.h"
#include "study/command.h"
#include "study/endpoint.h"
#include "study/serve.h"

/* Where its files go. */
typedef struct pp_target_files {
    const char *stdout_path; /* of a server that is started */
    const char *stderr_path;
    const char *command;  /* the document server-command of one that is started */
    const char *endpoint; /* the document endpoint of a gateway, or of one that runs already; NULL:
                             it is not asked what it is */
    const char *gateway;  /* folder for what a gateway writes beside that */
} pp_target_files;

typedef struct pp_study_target {
    const pp_plan_candidate *candidate;
    pp_server *server;         /* NULL: it is a gateway, or runs already */
    pp_study_gateway *gateway; /* NULL: it is none */
    const char *url;           /* of its root */
    const char *const *headers;
    size_t header_count;
    pp_text key;                /* stands in the headers, and nowhere else */
    pp_load_endpoint endpoint;  /* what one that runs already said of itself */
    pid_t pid;                  /* 0: not on this machine, or not to be found */
    const char *absent_because; /* of a gateway: why its processes do not tell what was used */
    const char *stderr_path;    /* NULL: it writes no log for us */
} pp_study_target;

/**
 * Start the server, or ask the one that runs already what it is, and write down what it said.
 *
 * record   its watch counts the server's CPU time as ours; NULL: nothing is measured
 *
 * Fails as pp_server_start and pp_load_endpoint_ask; PP_ERR_UNAVAILABLE where the variable with the
 * key is not set; PP_ERR_PEER where a server sleeps and no warm-up request would wake it (B177).
 * The caller ends it with pp_study_target_close, also after a failure.
 */
PP_MUST_CHECK pp_status pp_study_target_open(pp_study *study, const pp_plan_candidate *candidate,
                                             const pp_target_files *files, pp_study_record *record,
                                             pp_study_target *ret_target, pp_error *err);

/** PP_OK while it runs, as far as we can know; PP_ERR_PEER with its last log lines. */
PP_MUST_CHECK pp_status pp_study_target_check_alive(pp_study_target *target, pp_error *err);

/** Stop what was started; its end goes into the record, which may be NULL. */
void pp_study_target_close(pp_study *study, pp_study_target *target, pp_study_record *record);

/** Of its process; of a gateway, of all processes that it started, together. All absent of a server
 * that runs already, for nobody here may know which process it is, and of a gateway whose processes
 * do not tell all: target->absent_because. Fails with PP_ERR_UNAVAILABLE when it is gone. */
PP_MUST_CHECK pp_status pp_study_target_memory(pp_study_target *target,
                                               pp_process_memory *ret_memory, pp_error *err);
/** How its peak is read, in words. */
const char *pp_study_target_memory_method(const pp_study_target *target);
/** User and system time of the same since they began. */
pp_maybe_int pp_study_target_cpu_ns(const pp_study_target *target);

/** Markers in the log of a server that was started. */
PP_MUST_CHECK pp_status pp_study_target_check_log(pp_study *study, const pp_study_target *target,
                                                  pp_error *err);

/** Requests as this kind of server takes them: /completion for a llama-server, else chats. */
pp_dialect pp_study_target_dialect(const pp_study_target *target);

/** Take the key out of what a server said before it is kept. */
void pp_study_target_hide_key(pp_study *study, const pp_study_target *target, pp_sample *samples,
                              size_t count);

/**
 * requests.c: the requests that the plan asks each server. Fails with PP_ERR_PEER where a
 * llama-server does not cut text into tokens, PP_ERR_DOMAIN where they do not fit its context.
 */
PP_MUST_CHECK pp_status pp_study_prepare_requests(pp_study *study, const pp_study_target *target,
                                                  pp_load_source **ret_source, pp_error *err);

typedef struct pp_study_sending {
    int64_t pass;                     /* for the names of samples */
    void (*after_warmup)(void *user); /* as in pp_load_options; may be NULL */
    void *user;
} pp_study_sending;

/** The warm-up and the measured requests of one pass, one after another. Fails as
 * pp_load_run_source. */
PP_MUST_CHECK pp_status pp_study_send_requests(pp_study *study, const pp_study_target *target,
                                               pp_load_source *source, const pp_study_sending *how,
                                               pp_load_run *ret_run, pp_error *err);

#endif
