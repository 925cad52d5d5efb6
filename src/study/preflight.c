/* Every candidate is started once before anything is measured: a study must not find out after an
 * hour that its last candidate does not start. */
#include "base/clock.h"
#include "engine/server.h"
#include "evidence/layout.h"
#include "study/command.h"
#include "study/context.h"

/* The bench is not run here, but its command line is built: an option that this build does not know
 * is found now. */
static pp_status save_bench_command(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    pp_study_bench bench;
    pp_status st;

    if (!pp_study_runs_bench(&study->plan, step->candidate))
        return PP_OK;
    st = pp_study_bench_command(study, candidate, &bench, err);
    return st == PP_OK
               ? pp_study_save_document(study,
                                        pp_bundle_path(study->arena, study->folder,
                                                       PP_BUNDLE_BENCH_COMMAND, candidate->id.data),
                                        "bench-command", pp_study_bench_document(study, &bench),
                                        err)
               : st;
}

static pp_status save_commands(pp_study *study, const pp_study_step *step, const pp_server *server,
                               pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    const char *path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_COMMAND,
                                      candidate->id.data);
    pp_status st = pp_study_save_document(study, path, "server-command",
                                          pp_study_server_command(study, candidate, server), err);

    return st == PP_OK ? save_bench_command(study, step, err) : st;
}

static pp_status start_once(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    pp_server_options options = pp_study_server_options(study, candidate);
    pp_server *server = NULL;
    pp_status st;

    options.stdout_path =
        pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_STDOUT, candidate->id.data);
    options.stderr_path =
        pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_STDERR, candidate->id.data);
    st = pp_study_ensure_folder(study, options.stdout_path, err);
    if (st == PP_OK)
        st = pp_server_start(&options, &server, err);
    if (st == PP_OK)
        st = save_commands(study, step, server, err);
    if (st == PP_OK)
        st = pp_server_check_alive(server, err);
    pp_server_free(server);
    return st == PP_OK ? pp_study_check_markers(study, candidate, options.stderr_path, err) : st;
}

pp_status pp_study_preflight(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);

    return pp_wrap(err, start_once(study, step, err), "preflight of candidate '%s'",
                   candidate->id.data);
}
