/* A study that was stopped or killed goes on. Everything is looked at before anything is written.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"
#include "evidence/step_files.h"
#include "model/fields.h"
#include "study/run.h"
#include "study/same.h"

typedef struct session {
    pp_study study;
    pp_study_options options; /* with what the study itself recorded */
    pp_buf journal_bytes;
    bool complete;
} session;

static const char *path_of(const pp_study *study, const char *name)
{
    return pp_bundle_path(study->arena, study->folder, "%s", name);
}

/* ---- what is there -----------------------------------------------------------------------------
 */

static pp_status open_folder(session *s, pp_error *err)
{
    pp_study *study = &s->study;
    const char *journal = path_of(study, PP_BUNDLE_JOURNAL);

    if (journal == NULL)
        return pp_arena_check(study->arena, err);
    if (!pp_path_exists(journal))
        return pp_fail(err, PP_ERR_IO, "'%s' holds no %s: no study has begun there", study->folder,
                       PP_BUNDLE_JOURNAL);
    return pp_journal_open(journal, &s->journal_bytes, &study->journal, err);
}

static pp_status read_log(session *s, pp_error *err)
{
    pp_study *study = &s->study;
    const char *bytes = pp_buf_text(&s->journal_bytes);
    pp_status st = pp_wrap(err,
                           pp_step_log_read(study->arena, bytes,
                                            pp_journal_whole_size(bytes, s->journal_bytes.size),
                                            &study->steps, &study->log, err),
                           "'%s/%s'", study->folder, PP_BUNDLE_JOURNAL);

    if (st == PP_OK && !study->log.has_steps)
        st = pp_fail(err, PP_ERR_SCHEMA,
                     "'%s/%s': an earlier version wrote this, without steps; it cannot be resumed",
                     study->folder, PP_BUNDLE_JOURNAL);
    if (st == PP_OK)
        s->complete = study->log.chain.ending == PP_JOURNAL_ENDED &&
                      pp_path_exists(path_of(study, PP_CHECKSUMS_NAME));
    return st;
}

/* What is done stays done only while its files are what they were. Whatever is made again changes
 * what follows from it. */
static pp_status check_steps(pp_study *study, const char **ret_changed, pp_error *err)
{
    size_t last = study->steps.count - 1;
    bool all_done = true;
    pp_status st = PP_OK;

    *ret_changed = NULL;
    for (size_t i = 0; st == PP_OK && i < study->steps.count; i++) {
        const char *changed = NULL;

        if (pp_step_is_done(&study->steps, &study->log, i))
            st = pp_step_files_compare(study->arena, study->folder, study->log.states[i].files,
                                       &changed, err);
        else
            all_done = false;
        study->changed[i] = changed != NULL;
        all_done = all_done && changed == NULL;
        if (*ret_changed == NULL)
            *ret_changed = changed;
    }
    if (!all_done && pp_step_is_done(&study->steps, &study->log, last))
        study->changed[last] = true;
    return st;
}

static pp_status use_recorded_folders(session *s, pp_error *err)
{
    pp_status st = pp_study_recall_engines(&s->study, err);

    if (s->options.model_dir == NULL)
        s->options.model_dir = s->study.log.model_folder.data;
    if (s->study.log.plan_folder.size > 0)
        s->study.plan_folder = s->study.log.plan_folder.data;
    return st == PP_OK ? pp_study_resolve_models(&s->study, err) : st;
}

/* The same things are measured, with the same programs, on the same machine. */
static pp_status check_the_same(session *s, pp_error *err)
{
    pp_study *study = &s->study;
    pp_status st = pp_study_check_profile(study, err);

    if (st == PP_OK)
        st = pp_study_check_this_host(study, err);
    if (st == PP_OK)
        st = pp_study_check_machine(study, err);
    if (st == PP_OK)
        st = use_recorded_folders(s, err);
    if (st == PP_OK)
        st = pp_study_verify_models(study, err);
    if (st == PP_OK)
        st = pp_study_probe(study, err);
    if (st == PP_OK)
        st = pp_study_check_engines(study, err);
    if (st == PP_OK)
        st = pp_study_check_lines(study, err);
    if (st == PP_OK)
        st = pp_study_check_serves(study, err);
    if (st == PP_OK)
        st = pp_study_check_keys(study, err);
    return st == PP_OK ? pp_http_loop_new(study->options->stop, &study->loop, err) : st;
}

static pp_status look(session *s, pp_error *err)
{
    pp_study *study = &s->study;
    const char *changed = NULL;
    pp_status st = open_folder(s, err);

    if (st == PP_OK)
        st = pp_study_load(study, err);
    if (st == PP_OK)
        st = read_log(s, err);
    if (st == PP_OK)
        st = pp_study_check_plan(study->folder, &study->log, study->plan_sha256, err);
    if (st == PP_OK)
        st = pp_study_check_documents(study, err);
    if (st == PP_OK)
        st = check_steps(study, &changed, err);
    if (st != PP_OK)
        return st;
    if (!s->complete)
        return check_the_same(s, err);
    if (changed != NULL)
        st = pp_fail(err, PP_ERR_DOMAIN,
                     "the study is complete, but '%s/%s' is not what the journal recorded",
                     study->folder, changed);
    return st;
}

/* ---- going on ----------------------------------------------------------------------------------
 */

/* They hold for a bundle that is about to change. */
static pp_status remove_checksums(pp_study *study, pp_error *err)
{
    const char *path = path_of(study, PP_CHECKSUMS_NAME);

    if (path == NULL)
        return pp_arena_check(study->arena, err);
    if (unlink(path) != 0 && errno != ENOENT)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot remove '%s'", path);
    return PP_OK;
}

static pp_status begin_session(pp_study *study, pp_error *err)
{
    pp_json *fields = pp_json_new_object(study->arena);
    pp_status st = remove_checksums(study, err);

    if (st == PP_OK)
        st = pp_study_remove_temporaries(study, err);
    if (st == PP_OK)
        st = pp_journal_mend(study->journal, study->arena, err);
    pp_json_set_string(study->arena, fields, "plan_sha256", study->plan_sha256);
    pp_json_set_string(study->arena, fields, "paretopilot_version", study->options->tool_version);
    if (st == PP_OK)
        st = pp_journal_append(study->journal, study->arena, "resume", fields, err);
    if (st == PP_OK)
        st = pp_study_write_status(study, false, "the study was resumed and has not ended", err);
    return st;
}

static pp_status go_on(pp_study *study, pp_study_result *ret_result, pp_error *err)
{
    pp_error cause = {0};
    pp_status st = begin_session(study, &cause);

    if (st == PP_OK)
        st = pp_study_walk(study, ret_result, &cause);
    if (st == PP_OK && ret_result->derived == NULL)
        st = pp_study_derive_again(study, ret_result, &cause);
    if (st == PP_OK)
        st = pp_study_finish(study, &cause);
    if (st != PP_OK)
        pp_study_close_partial(study, &cause);
    if (st != PP_OK && err != NULL)
        *err = cause;
    return st;
}

pp_status pp_study_resume(pp_arena *arena, const pp_study_options *options,
                          pp_study_result *ret_result, pp_error *err)
{
    session s = {.options = *options};
    pp_study *study = &s.study;
    pp_status st;

    memset(ret_result, 0, sizeof *ret_result);
    *study = (pp_study){.arena = arena,
                        .options = &s.options,
                        .folder = options->output_dir,
                        .goes_on = true,
                        .began_ns = pp_clock_now_ns()};
    pp_buf_init(&s.journal_bytes, PP_JOURNAL_MAX_BYTES);
    s.options.plan_path = path_of(study, PP_BUNDLE_PLAN);
    st = s.options.plan_path == NULL ? pp_arena_check(arena, err) : look(&s, err);
    ret_result->was_complete = st == PP_OK && s.complete;
    if (st == PP_OK)
        st = s.complete ? pp_study_derive_again(study, ret_result, err)
                        : go_on(study, ret_result, err);
    memcpy(ret_result->step_ns, study->log.phase_ns, sizeof study->log.phase_ns);
    pp_study_done(study);
    pp_buf_done(&s.journal_bytes);
    return pp_wrap(err, st, "resuming '%s'", options->output_dir);
}
