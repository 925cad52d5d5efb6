#include "study/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "study/context.h"

/* Everything that can be found wrong before a file is written. */
static pp_status check(pp_study *study, pp_error *err)
{
    pp_status st = pp_study_load(study, err);

    if (st == PP_OK)
        st = pp_study_check_profile(study, err);
    if (st == PP_OK)
        st = pp_study_check_this_host(study, err);
    if (st == PP_OK && pp_path_exists(study->options->output_dir))
        st =
            pp_fail(err, PP_ERR_EXISTS, "output folder '%s' exists already; nothing is overwritten",
                    study->options->output_dir);
    if (st == PP_OK)
        st = pp_study_verify_models(study, err);
    if (st == PP_OK)
        st = pp_study_probe(study, err);
    if (st == PP_OK)
        st = pp_study_check_lines(study, err);
    if (st == PP_OK)
        st = pp_study_check_serves(study, err);
    if (st == PP_OK)
        st = pp_study_check_keys(study, err);
    return st == PP_OK ? pp_http_loop_new(study->options->stop, &study->loop, err) : st;
}

/* A candidate that does not start is a wrong input, and those leave nothing. */
static void close_early(pp_study *study, pp_status st, const pp_error *cause)
{
    if (study->phase < PP_STUDY_THROUGHPUT && st != PP_ERR_INTERRUPTED)
        pp_folder_remove(study->folder);
    else
        pp_study_close_partial(study, cause);
}

static pp_status carry_out(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_error cause = {0};
    pp_status st = pp_study_walk(study, ret_result, &cause);

    if (st == PP_OK)
        st = pp_study_finish(study, &cause);
    if (st != PP_OK) {
        close_early(study, st, &cause);
        if (err != NULL)
            *err = cause;
    }
    return st;
}

void pp_study_done(pp_study *study)
{
    pp_journal_free(study->journal);
    pp_http_loop_free(study->loop);
    pp_buf_done(&study->plan_bytes);
}

pp_status pp_study_run(pp_arena *arena, const pp_study_options *options,
                       pp_study_result *ret_result, pp_error *err)
{
    pp_study study = {.arena = arena, .options = options, .began_ns = pp_clock_now_ns()};
    pp_status st = check(&study, err);

    memset(ret_result, 0, sizeof *ret_result);
    if (st == PP_OK)
        st = pp_study_start(&study, err);
    if (st == PP_OK)
        st = carry_out(&study, ret_result, err);
    memcpy(ret_result->step_ns, study.log.phase_ns, sizeof study.log.phase_ns);
    pp_study_done(&study);
    return st;
}
