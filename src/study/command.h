/* command.h - inside study/ only: command lines of a candidate, and how its programs are started.
 */
#ifndef PP_STUDY_COMMAND_H
#define PP_STUDY_COMMAND_H

#include "engine/server.h"
#include "study/context.h"

/** Its lines are given word for word. */
bool pp_study_is_verbatim(const pp_plan_candidate *candidate);

typedef struct pp_study_bench {
    pp_argv argv;
    const char *folder; /* where it runs; NULL: here */
    const char *const *environment;
} pp_study_bench;

/** llama-bench for a candidate as the plan says. */
PP_MUST_CHECK pp_status pp_study_bench_command(pp_study *study, const pp_plan_candidate *candidate,
                                               pp_study_bench *ret_bench, pp_error *err);
/** {argv, working_directory} */
pp_json *pp_study_bench_document(pp_study *study, const pp_study_bench *bench);

/** Options for pp_server_start; the caller fills in the two paths. */
pp_server_options pp_study_server_options(pp_study *study, const pp_plan_candidate *candidate);
/** {argv, url, startup_ms, readback, working_directory} of a started server. */
pp_json *pp_study_server_command(pp_study *study, const pp_plan_candidate *candidate,
                                 const pp_server *server);

#endif
