#include "study/status.h"

#include "base/clock.h"
#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/layout.h"
#include "model/document.h"
#include "study/journal.h"
#include "study/same.h"

const char *pp_study_standing_name(pp_study_standing standing)
{
    static const char *const names[] = {"running", "complete", "stopped", "killed"};

    return names[standing];
}

const char *pp_step_standing_name(pp_step_standing standing)
{
    static const char *const names[] = {"waiting", "running", "done", "failed", "cut-off"};

    return names[standing];
}

pp_step_standing pp_study_status_of_step(const pp_study_status *status, size_t step)
{
    const pp_step_state *state = &status->log.states[step];

    if (pp_step_is_done(&status->steps, &status->log, step))
        return state->outcome == PP_STEP_FAILED ? PP_STEP_HAS_FAILED : PP_STEP_IS_DONE;
    if (state->attempt_count == 0 ||
        state->round < status->log.rounds[status->steps.items[step].block])
        return PP_STEP_IS_WAITING;
    if (status->standing == PP_STUDY_RUNNING && state->outcome == PP_STEP_NOT_ENDED &&
        state->began_unix_ms >= status->log.session_began_unix_ms)
        return PP_STEP_IS_RUNNING;
    return PP_STEP_IS_CUT_OFF;
}

static pp_study_standing standing_of(const pp_step_log *log, bool held, bool has_checksums)
{
    if (log->chain.ending == PP_JOURNAL_ENDED && has_checksums)
        return PP_STUDY_COMPLETE;
    if (held)
        return PP_STUDY_RUNNING;
    return log->chain.ending == PP_JOURNAL_STOPPED ? PP_STUDY_STOPPED : PP_STUDY_KILLED;
}

/* Whole lines of sessions that ended; the present one is older than its last line. */
static void set_times(pp_study_status *status, int64_t now_unix_ms)
{
    const pp_step_log *log = &status->log;

    status->elapsed_ns = log->elapsed_ns;
    status->remaining_ns = pp_step_log_remaining_ns(&status->steps, log);
    if (status->standing != PP_STUDY_RUNNING || now_unix_ms < log->last_unix_ms)
        return;
    status->elapsed_ns += (now_unix_ms - log->last_unix_ms) * PP_NS_PER_MS;
    if (status->remaining_ns < 0)
        return;
    status->remaining_ns -= (now_unix_ms - log->last_unix_ms) * PP_NS_PER_MS;
    if (status->remaining_ns < 0)
        status->remaining_ns = 0;
}

static pp_status read_plan(pp_arena *arena, const char *folder, pp_study_status *status,
                           char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const char *path = pp_bundle_path(arena, folder, PP_BUNDLE_PLAN);
    const pp_json *root = NULL;
    pp_status st = path == NULL ? pp_arena_check(arena, err)
                                : pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_study_plan_decode(arena, root, &status->plan, err), "'%s'", path);
    return st == PP_OK ? pp_study_steps_list(arena, &status->plan, &status->steps, err) : st;
}

/* A line that is just being written is none yet. */
static pp_status read_journal(pp_arena *arena, const char *path, pp_study_status *status,
                              pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JOURNAL_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_wrap(err,
                     pp_step_log_read(arena, pp_buf_text(&bytes),
                                      pp_journal_whole_size(pp_buf_text(&bytes), bytes.size),
                                      &status->steps, &status->log, err),
                     "'%s'", path);
    if (st == PP_OK && !status->log.has_steps)
        st =
            pp_fail(err, PP_ERR_SCHEMA, "'%s': an earlier version wrote this, without steps", path);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_study_status_read(pp_arena *arena, const char *folder, int64_t now_unix_ms,
                               pp_study_status *ret_status, pp_error *err)
{
    const char *journal = pp_bundle_path(arena, folder, PP_BUNDLE_JOURNAL);
    const char *checksums = pp_bundle_path(arena, folder, PP_CHECKSUMS_NAME);
    char plan_sha256[PP_SHA256_HEX_SIZE];
    bool held = false;
    pp_study_status status = {0};
    pp_status st;

    if (journal == NULL || checksums == NULL)
        return pp_arena_check(arena, err);
    if (!pp_path_exists(journal))
        return pp_fail(err, PP_ERR_IO, "'%s' holds no %s: no study has begun there", folder,
                       PP_BUNDLE_JOURNAL);
    st = read_plan(arena, folder, &status, plan_sha256, err);
    if (st == PP_OK) /* before the lines: whoever lets go has written his last one */
        st = pp_journal_is_held(journal, &held, err);
    if (st == PP_OK)
        st = read_journal(arena, journal, &status, err);
    if (st == PP_OK)
        st = pp_study_check_plan(folder, &status.log, plan_sha256, err);
    if (st != PP_OK)
        return st;
    status.standing = standing_of(&status.log, held, pp_path_exists(checksums));
    set_times(&status, now_unix_ms);
    *ret_status = status;
    return PP_OK;
}
