/* Every candidate is started once before anything is measured: a study must not find out after an
 * hour that its last candidate does not start. */
#include "base/clock.h"
#include "engine/marker.h"
#include "engine/server.h"
#include "evidence/layout.h"
#include "study/context.h"
#include "study/requests.h"

static pp_status check_markers(pp_study *study, const char *log, pp_error *err)
{
    const pp_study_plan *plan = &study->plan;

    return pp_markers_check(log, plan->required_markers, plan->required_marker_count,
                            plan->forbidden_markers, plan->forbidden_marker_count, err);
}

/* The bench is not run here, but its command line is built: an option that this build does not know
 * is found now. */
static pp_status save_commands(pp_study *study, const pp_plan_candidate *candidate,
                               pp_server *server, pp_error *err)
{
    const char *path = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_COMMAND,
                                      candidate->id.data);
    const char *bench_path =
        pp_bundle_path(study->arena, study->folder, PP_BUNDLE_BENCH_COMMAND, candidate->id.data);
    pp_json *bench = pp_json_new_object(study->arena);
    pp_argv argv = {0};
    pp_status st = pp_study_save_document(study, path, "server-command",
                                          pp_study_server_command(study->arena, server), err);

    if (st == PP_OK)
        st = pp_study_bench_argv(study, candidate, &argv, err);
    if (st == PP_OK)
        pp_json_set(study->arena, bench, "argv", pp_argv_encode(study->arena, &argv));
    return st == PP_OK ? pp_study_save_document(study, bench_path, "bench-command", bench, err)
                       : st;
}

static pp_status start_once(pp_study *study, const pp_plan_candidate *candidate, pp_error *err)
{
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
        st = save_commands(study, candidate, server, err);
    if (st == PP_OK)
        st = pp_server_check_alive(server, err);
    pp_server_free(server);
    return st == PP_OK ? check_markers(study, options.stderr_path, err) : st;
}

pp_status pp_study_preflight(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);

    return pp_wrap(err, start_once(study, candidate, err), "preflight of candidate '%s'",
                   candidate->id.data);
}
