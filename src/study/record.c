#include <string.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "evidence/layout.h"
#include "study/context.h"
#include "study/machine_json.h"

/* Less than the record of a run takes, with what the file system needs for it. */
#define LEAST_ROOM_BYTES 16384

pp_status pp_study_record_begin(pp_study *study, const pp_study_step *step,
                                pp_study_record *ret_record, pp_error *err)
{
    pp_watch_options options;

    pp_status st;

    pp_watch_options_default(&options);
    memset(ret_record, 0, sizeof *ret_record);
    ret_record->step = step;
    st = pp_study_pause(study, &ret_record->pause, err);
    if (st != PP_OK)
        return st;
    ret_record->started_unix_ms = pp_clock_unix_ms();
    options.foreign_limit_percent = study->plan.noise.foreign_cpu_percent;
    options.steal_limit_percent = study->plan.noise.steal_percent;
    ret_record->started_ns = pp_clock_now_ns();
    return pp_watch_start(&options, &ret_record->watch, err);
}

void pp_study_record_failure(pp_study *study, pp_study_record *record, const pp_error *failure)
{
    if (record->failure == NULL) {
        record->interrupted = failure->status == PP_ERR_INTERRUPTED;
        record->failure = pp_arena_dup(study->arena, failure->text, strlen(failure->text));
    }
}

/* A program that could not write its output may fail in any way. */
static bool is_disk_full(const char *folder)
{
    struct statvfs room;

    return statvfs(folder, &room) == 0 && room.f_bavail * room.f_frsize < LEAST_ROOM_BYTES;
}

bool pp_study_is_our_failure(const pp_study *study, pp_error *failure)
{
    switch (failure->status) {
    case PP_ERR_IO:
    case PP_ERR_EXISTS:
    case PP_ERR_MEMORY:
    case PP_ERR_BUG:
        return true;
    case PP_ERR_INTERRUPTED:
        return false;
    default:
        if (!is_disk_full(study->folder))
            return false;
        failure->status = PP_ERR_IO;
        (void)pp_wrap(failure, PP_ERR_IO, "'%s': No space left on device", study->folder);
        return true;
    }
}

pp_status pp_study_first_failure(const pp_study *study, pp_status measured, pp_error *failure,
                                 pp_status saved, pp_error *err)
{
    if (measured == PP_OK || !pp_study_is_our_failure(study, failure))
        return saved;
    if (err != NULL)
        *err = *failure;
    return failure->status;
}

pp_json *pp_study_exit_to_json(pp_arena *arena, const pp_child_exit *ended)
{
    pp_json *object = pp_json_new_object(arena);
    char text[64];

    pp_json_set_string(arena, object, "how", pp_child_exit_text(ended, text));
    pp_json_set_int(arena, object, "wall_ns", ended->wall_ns);
    pp_json_set_int(arena, object, "user_us",
                    (int64_t)ended->usage.ru_utime.tv_sec * 1000000 +
                        ended->usage.ru_utime.tv_usec);
    pp_json_set_int(arena, object, "system_us",
                    (int64_t)ended->usage.ru_stime.tv_sec * 1000000 +
                        ended->usage.ru_stime.tv_usec);
    pp_json_set_int(arena, object, "major_faults", ended->usage.ru_majflt);
    if (ended->max_rss_bytes < 0)
        pp_json_set_null(arena, object, "max_rss_bytes");
    else
        pp_json_set_int(arena, object, "max_rss_bytes", ended->max_rss_bytes);
    return object;
}

void pp_study_record_exit(pp_study *study, pp_study_record *record, const pp_child_exit *ended)
{
    record->exit = pp_study_exit_to_json(study->arena, ended);
}

static pp_json *encode(pp_study *study, const pp_study_record *record)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, record->step);
    pp_json *object = pp_json_new_object(study->arena);

    pp_json_set_text(study->arena, object, "candidate_id", candidate->id);
    pp_json_set_string(study->arena, object, "phase", pp_study_phase_name(record->step->phase));
    pp_json_set_int(study->arena, object, "pass", record->step->pass);
    pp_json_set_int(study->arena, object, "attempt", pp_study_attempt(study, record->step));
    pp_json_set_int(study->arena, object, "started_unix_ms", record->started_unix_ms);
    pp_json_set_int(study->arena, object, "duration_ns", record->duration_ns);
    pp_json_set_string(study->arena, object, "outcome",
                       record->failure == NULL ? "complete" : "failed");
    pp_json_set_string(study->arena, object, "failure", record->failure);
    pp_json_set(study->arena, object, "exit",
                record->exit == NULL ? pp_json_new_null(study->arena) : record->exit);
    if (record->pause.known)
        pp_json_set(study->arena, object, "pause",
                    pp_study_pause_to_json(study->arena, &record->pause));
    pp_json_set(study->arena, object, "watch",
                pp_watch_result_to_json(study->arena, &record->watched));
    return object;
}

static pp_study_outcome outcome_of(const pp_study_record *record)
{
    return (pp_study_outcome){
        .outcome = record->interrupted       ? PP_STEP_INTERRUPTED
                   : record->failure != NULL ? PP_STEP_FAILED
                                             : PP_STEP_COMPLETE,
        .failure = record->failure,
        .verdict = pp_watch_verdict_name(record->watched.verdict),
        .disturbed = record->watched.verdict == PP_WATCH_DISTURBED,
        .exit = record->exit,
    };
}

pp_status pp_study_record_end(pp_study *study, pp_study_record *record, const char *path,
                              pp_study_outcome *ret_outcome, pp_error *err)
{
    pp_watch_stop(record->watch, &record->watched);
    record->watch = NULL;
    record->duration_ns = pp_clock_now_ns() - record->started_ns;
    *ret_outcome = outcome_of(record);
    return pp_study_save_document(study, path, "study-run", encode(study, record), err);
}
