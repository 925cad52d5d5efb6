/* serve.h - inside study/ only: a gateway of our own program that is a candidate, as a child.
 *
 * It listens on a free port, whatever its configuration says; its access log and the logs of the
 * servers that it starts go into a folder of the bundle. The configuration is read where it stands,
 * because its paths start there, after its digest was looked at again. */
#ifndef PP_STUDY_SERVE_H
#define PP_STUDY_SERVE_H

#include "engine/argv.h"
#include "study/context.h"

typedef struct pp_study_gateway pp_study_gateway;

typedef struct pp_gateway_files {
    const char *stdout_path; /* it says its address there */
    const char *stderr_path;
    const char *folder; /* for its logs; made when it has any */
} pp_gateway_files;

/** Its command line; without `files` as `study plan` prints it, which has no place for logs. */
PP_MUST_CHECK pp_status pp_study_serve_argv(pp_study *study, const pp_plan_candidate *candidate,
                                            const pp_gateway_files *files, pp_argv *ret_argv,
                                            pp_error *err);

/** Start it. Fails with PP_ERR_DOMAIN when its configuration is another one by now, PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_study_gateway_start(pp_study *study, const pp_plan_candidate *candidate,
                                               const pp_gateway_files *files,
                                               pp_study_gateway **ret_gateway, pp_error *err);

/**
 * Wait until its model is ready and so is every back end of it: one that still loads would take CPU
 * time from those that are measured. Fails with PP_ERR_PEER when it ends, PP_ERR_TIMEOUT after
 * deadlines.start_ms, both with its last log lines; PP_ERR_INTERRUPTED.
 */
PP_MUST_CHECK pp_status pp_study_gateway_await(pp_study_gateway *gateway, pp_error *err);

pid_t pp_study_gateway_pid(const pp_study_gateway *gateway);
const char *pp_study_gateway_url(const pp_study_gateway *gateway); /* once it is ready */
/** {argv, url, startup_ms, readback} */
pp_json *pp_study_gateway_command(const pp_study_gateway *gateway);

/** The worst of what its models and the servers behind it say; unknown where one says nothing.
 * Fails with PP_ERR_INTERRUPTED, PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_study_gateway_origin(const pp_study_gateway *gateway,
                                                pp_origin *ret_origin, pp_error *err);

/** PP_OK while it runs; PP_ERR_PEER with its last log lines. */
PP_MUST_CHECK pp_status pp_study_gateway_check_alive(pp_study_gateway *gateway, pp_error *err);

/** It lets requests end and stops its servers, or is killed, and they with it. */
void pp_study_gateway_stop(pp_study_gateway *gateway, pp_child_exit *ret_exit);

/** Accepts NULL. */
void pp_study_gateway_free(pp_study_gateway *gateway);

#endif
