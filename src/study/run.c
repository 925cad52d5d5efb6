#include "study/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"
#include "study/context.h"

static void end_study(pp_study *study)
{
    pp_journal_free(study->journal);
    pp_http_loop_free(study->loop);
    pp_buf_done(&study->plan_bytes);
}

/* ---- before the first measurement: in a folder beside the output, which takes its name last
 * ------ */

static mode_t current_umask(void)
{
    mode_t mask = umask(0);

    (void)umask(mask);
    return mask;
}

static pp_status make_staging(pp_study *study, pp_error *err)
{
    const char *output = study->options->output_dir;
    size_t size = strlen(output);
    const char *parent = pp_path_folder(study->arena, output);
    char *path;

    while (size > 1 && output[size - 1] == '/')
        size--;
    path = pp_arena_printf(study->arena, "%.*s.XXXXXX", (int)size, output);
    if (path == NULL || parent == NULL)
        return pp_arena_check(study->arena, err);
    if (!pp_path_is_folder(parent)) {
        pp_status st = pp_folder_create(parent, true, err);

        if (st != PP_OK)
            return st;
    }
    if (mkdtemp(path) == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create a folder beside '%s'", output);
    (void)chmod(path, 0777 & ~current_umask()); /* mkdtemp makes it private */
    study->folder = path;
    return PP_OK;
}

static pp_status publish_staging(pp_study *study, pp_error *err)
{
    const char *output = study->options->output_dir;

    if (pp_path_exists(output))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", output);
    if (rename(study->folder, output) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", output);
    study->folder = output;
    return PP_OK;
}

static pp_status prepare(pp_study *study, pp_error *err)
{
    const pp_host_options host_options = {.root = "/"};
    pp_status st = pp_study_load(study, err);

    pp_host_read(&host_options, &study->host);
    if (st == PP_OK)
        st = pp_study_check_host(&study->host, study->options->allow_emulated, err);
    if (st == PP_OK && pp_path_exists(study->options->output_dir))
        st =
            pp_fail(err, PP_ERR_EXISTS, "output folder '%s' exists already; nothing is overwritten",
                    study->options->output_dir);
    if (st == PP_OK)
        st = pp_study_verify_models(study, err);
    if (st == PP_OK)
        st = pp_study_probe(study, err);
    if (st == PP_OK)
        st = pp_http_loop_new(study->options->stop, &study->loop, err);
    if (st != PP_OK)
        return st;
    st = make_staging(study, err);
    if (st != PP_OK)
        return st;
    st = pp_study_write_inputs(study, err);
    if (st == PP_OK)
        st = pp_study_preflight(study, err);
    if (st == PP_OK)
        st = publish_staging(study, err);
    if (st != PP_OK)
        pp_folder_remove(study->folder);
    return st;
}

/* ---- the measurements
 * ---------------------------------------------------------------------------- */

static pp_status run_step(pp_study *study, pp_study_step step, pp_error *err)
{
    pp_status st = PP_OK;

    for (int64_t pass = 1; st == PP_OK && pass <= study->plan.passes; pass++) {
        for (size_t i = 0; st == PP_OK && i < study->plan.candidate_count; i++) {
            pp_study_part part = {
                .step = step,
                .pass = pass,
                .candidate = pp_study_plan_order(&study->plan, pass, i),
            };

            st = step == PP_STUDY_THROUGHPUT ? pp_study_run_throughput(study, &part, err)
                                             : pp_study_run_requests(study, &part, err);
        }
    }
    return st;
}

/* What was measured stays, and the bundle is consistent with itself: the first error is the one
 * that is returned. */
static void close_partial(pp_study *study, const pp_error *cause)
{
    pp_json *fields = pp_json_new_object(study->arena);

    pp_json_set_string(study->arena, fields, "reason", cause->text);
    pp_ignore(pp_journal_append(study->journal, study->arena, "stopped", fields, NULL));
    pp_ignore(pp_study_write_status(study, false, cause->text, NULL));
    pp_ignore(pp_checksums_write(study->folder, NULL));
}

static pp_status measure(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_status st = run_step(study, PP_STUDY_THROUGHPUT, err);

    if (st == PP_OK)
        st = run_step(study, PP_STUDY_REQUESTS, err);
    if (st == PP_OK) {
        pp_study_report_begin(study, PP_STUDY_ASSEMBLE, "documents");
        st = pp_study_assemble(study, ret_result, err);
    }
    if (st == PP_OK)
        st = pp_journal_append(study->journal, study->arena, "end", NULL, err);
    if (st == PP_OK)
        st = pp_study_write_status(study, true, "every planned run was carried out and recorded",
                                   err);
    if (st == PP_OK)
        st = pp_checksums_write(study->folder, err);
    if (st == PP_OK)
        pp_study_report_end(study, PP_STUDY_ASSEMBLE, "documents", "report and checksums written");
    return st;
}

pp_status pp_study_run(pp_arena *arena, const pp_study_options *options,
                       pp_study_result *ret_result, pp_error *err)
{
    pp_study study = {.arena = arena, .options = options, .began_ns = pp_clock_now_ns()};
    pp_status st = prepare(&study, err);

    memset(ret_result, 0, sizeof *ret_result);
    if (st == PP_OK) {
        st = measure(&study, ret_result, err);
        if (st != PP_OK) {
            pp_error cause = {0};

            if (err != NULL)
                cause = *err;
            close_partial(&study, &cause);
        }
    }
    ret_result->run_count = study.run_count;
    ret_result->disturbed_count = study.disturbed_count;
    ret_result->failed_count = study.failed_count;
    ret_result->disturbed = study.disturbed;
    memcpy(ret_result->step_ns, study.step_ns, sizeof study.step_ns);
    end_study(&study);
    return st;
}
