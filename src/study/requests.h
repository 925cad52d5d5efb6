/* requests.h - inside study/ only: command lines and server options of a candidate. */
#ifndef PP_STUDY_REQUESTS_H
#define PP_STUDY_REQUESTS_H

#include "engine/server.h"
#include "study/context.h"

/** llama-bench for a candidate as the plan says. */
PP_MUST_CHECK pp_status pp_study_bench_argv(pp_study *study, const pp_plan_candidate *candidate,
                                            pp_argv *ret_argv, pp_error *err);

/** Options for pp_server_start; the caller fills in the two paths. */
pp_server_options pp_study_server_options(pp_study *study, const pp_plan_candidate *candidate);

/** {argv, pid, url, startup_ms, readback} of a started server. */
pp_json *pp_study_server_command(pp_arena *arena, const pp_server *server);

#endif
