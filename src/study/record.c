#include <string.h>

#include "base/clock.h"
#include "evidence/layout.h"
#include "study/context.h"
#include "study/machine_json.h"

pp_status pp_study_record_begin(pp_study *study, const pp_study_part *part,
                                pp_study_record *ret_record, pp_error *err)
{
    pp_watch_options options;

    pp_watch_options_default(&options);
    memset(ret_record, 0, sizeof *ret_record);
    ret_record->part = part;
    ret_record->started_unix_ms = pp_clock_unix_ms();
    options.foreign_limit_percent = study->plan.noise.foreign_cpu_percent;
    options.steal_limit_percent = study->plan.noise.steal_percent;
    ret_record->started_ns = pp_clock_now_ns();
    return pp_watch_start(&options, &ret_record->watch, err);
}

void pp_study_record_failure(pp_study *study, pp_study_record *record, const pp_error *failure)
{
    if (record->failure == NULL)
        record->failure = pp_arena_dup(study->arena, failure->text, strlen(failure->text));
}

void pp_study_record_exit(pp_study *study, pp_study_record *record, const pp_child_exit *ended)
{
    pp_json *object = pp_json_new_object(study->arena);
    char text[64];

    pp_json_set_string(study->arena, object, "how", pp_child_exit_text(ended, text));
    pp_json_set_int(study->arena, object, "wall_ns", ended->wall_ns);
    pp_json_set_int(study->arena, object, "user_us",
                    (int64_t)ended->usage.ru_utime.tv_sec * 1000000 +
                        ended->usage.ru_utime.tv_usec);
    pp_json_set_int(study->arena, object, "system_us",
                    (int64_t)ended->usage.ru_stime.tv_sec * 1000000 +
                        ended->usage.ru_stime.tv_usec);
    pp_json_set_int(study->arena, object, "major_faults", ended->usage.ru_majflt);
    if (ended->max_rss_bytes < 0)
        pp_json_set_null(study->arena, object, "max_rss_bytes");
    else
        pp_json_set_int(study->arena, object, "max_rss_bytes", ended->max_rss_bytes);
    record->exit = object;
}

static pp_json *encode(pp_study *study, const pp_study_record *record)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, record->part);
    pp_json *object = pp_json_new_object(study->arena);

    pp_json_set_text(study->arena, object, "candidate_id", candidate->id);
    pp_json_set_string(study->arena, object, "phase", pp_study_step_name(record->part->step));
    pp_json_set_int(study->arena, object, "pass", record->part->pass);
    pp_json_set_int(study->arena, object, "started_unix_ms", record->started_unix_ms);
    pp_json_set_int(study->arena, object, "duration_ns", record->duration_ns);
    pp_json_set_string(study->arena, object, "outcome",
                       record->failure == NULL ? "complete" : "failed");
    pp_json_set_string(study->arena, object, "failure", record->failure);
    pp_json_set(study->arena, object, "exit",
                record->exit == NULL ? pp_json_new_null(study->arena) : record->exit);
    pp_json_set(study->arena, object, "watch",
                pp_watch_result_to_json(study->arena, &record->watched));
    return object;
}

/* Keep one sentence for each disturbed run, for the person at the terminal. */
static void note_disturbance(pp_study *study, const pp_study_record *record)
{
    const pp_plan_candidate *candidate = pp_study_candidate(study, record->part);
    const pp_watch_reason *reason = &record->watched.reasons[0];
    const char *sentence;

    if (study->disturbed == NULL)
        study->disturbed =
            PP_ARENA_NEW(study->arena, const char *,
                         2 * study->plan.candidate_count * (size_t)study->plan.passes);
    sentence = pp_arena_printf(study->arena, "%s, %s pass %lld: %s %.3g %s, limit %.3g",
                               candidate->id.data, pp_study_step_name(record->part->step),
                               (long long)record->part->pass, pp_watch_cause_name(reason->cause),
                               reason->measured, pp_watch_cause_unit(reason->cause), reason->limit);
    if (study->disturbed != NULL && sentence != NULL)
        study->disturbed[study->disturbed_count++] = sentence;
}

pp_status pp_study_record_end(pp_study *study, pp_study_record *record, const char *path,
                              pp_error *err)
{
    pp_json *document;
    pp_status st;

    pp_watch_stop(record->watch, &record->watched);
    record->watch = NULL;
    record->duration_ns = pp_clock_now_ns() - record->started_ns;
    study->run_count++;
    if (record->watched.verdict == PP_WATCH_DISTURBED)
        note_disturbance(study, record);
    if (record->failure != NULL)
        study->failed_count++;
    document = encode(study, record);
    st = pp_study_save_document(study, path, "study-run", document, err);
    if (st == PP_OK)
        st = pp_journal_append(study->journal, study->arena, "run", document, err);
    return st;
}
