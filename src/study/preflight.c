/* Every candidate is started once before anything is measured: a study must not find out after an
 * hour that its last candidate does not start. */
#include <string.h>

#include "base/clock.h"
#include "evidence/layout.h"
#include "study/context.h"
#include "study/target.h"

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

/* A gateway, or a server that runs already, is asked now what it would be asked later: that nothing
 * of it fits the plan should not be found after the others were measured. */
static pp_status try_requests(pp_study *study, const pp_study_target *target, pp_error *err)
{
    pp_load_source *source = NULL;

    return target->server != NULL || !study->plan.has_requests
               ? PP_OK
               : pp_study_prepare_requests(study, target, &source, err);
}

static pp_status start_once(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    const char *id = candidate->id.data;
    pp_arena *arena = study->arena;
    const char *folder = study->folder;
    const pp_target_files files = {
        .stdout_path = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_STDOUT, id),
        .stderr_path = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_STDERR, id),
        .command = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_COMMAND, id),
        .endpoint = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_ENDPOINT, id),
        .gateway = pp_bundle_path(arena, folder, PP_BUNDLE_PREFLIGHT_GATEWAY, id),
    };
    pp_study_target target = {0};
    pp_status st = pp_study_target_open(study, candidate, &files, NULL, &target, err);

    if (st == PP_OK)
        st = save_bench_command(study, step, err);
    if (st == PP_OK)
        st = try_requests(study, &target, err);
    if (st == PP_OK)
        st = pp_study_target_check_alive(&target, err);
    pp_study_target_close(study, &target, NULL);
    return st == PP_OK ? pp_study_target_check_log(study, &target, err) : st;
}

/* A study that ends here leaves no file, so the end of the log stands in the message, unless the
 * cause has it already. */
static pp_status fail_with_log(pp_study *study, const pp_study_step *step, const pp_error *cause,
                               pp_error *err)
{
    const char *id = pp_study_candidate(study, step)->id.data;
    const char *log = pp_bundle_path(study->arena, study->folder, PP_BUNDLE_PREFLIGHT_STDERR, id);
    char tail[PP_SERVER_LOG_TAIL_BYTES + 1] = "";

    if (log != NULL && strstr(cause->text, "its last log lines: ") == NULL)
        pp_server_read_log_tail(log, tail);
    return pp_fail(err, cause->status, "%s; step '%s', before pass 1%s%s", cause->text, step->id,
                   tail[0] == '\0' ? "" : "; the server's log ends: ", tail);
}

pp_status pp_study_preflight(pp_study *study, const pp_study_step *step, pp_error *err)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, step);
    pp_error cause = {0};
    pp_status st = start_once(study, step, &cause);

    if (st == PP_ERR_INTERRUPTED && err != NULL)
        *err = cause;
    else if (st != PP_OK)
        st = fail_with_log(study, step, &cause, err);
    return pp_wrap(err, st, "preflight of candidate '%s'", candidate->id.data);
}
