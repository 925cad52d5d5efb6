#include "cli/study_status_text.h"

#include <stdio.h>

#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/table.h"

typedef struct counts {
    size_t done, failed, disturbed, attempts;
} counts;

static counts count_steps(const pp_study_status *status)
{
    counts c = {0};

    for (size_t i = 0; i < status->steps.count; i++) {
        const pp_step_state *state = &status->log.states[i];
        bool done = pp_step_is_done(&status->steps, &status->log, i);

        c.done += done;
        c.failed += done && state->outcome == PP_STEP_FAILED;
        c.disturbed += done && state->disturbed;
        c.attempts += (size_t)state->attempt_count;
    }
    return c;
}

/* ---- for people --------------------------------------------------------------------------------
 */

static const char *time_text(pp_arena *arena, int64_t ns)
{
    char text[24];

    return pp_arena_printf(arena, "%s", pp_progress_time(ns, text));
}

static void add_row(pp_table *table, const pp_study_status *status, size_t step)
{
    pp_arena *arena = table->arena;
    const pp_step_state *state = &status->log.states[step];
    bool done = pp_step_is_done(&status->steps, &status->log, step);

    if (!pp_table_add_row(table))
        return;
    pp_table_set(table, 0, status->steps.items[step].id);
    pp_table_set(table, 1, pp_step_standing_name(pp_study_status_of_step(status, step)));
    pp_table_set(table, 2, done && state->disturbed ? "disturbed" : NULL);
    if (state->attempt_count > 0)
        pp_table_set(table, 3, pp_arena_printf(arena, "%lld", (long long)state->attempt_count));
    if (done)
        pp_table_set(table, 4, time_text(arena, state->duration_ns));
}

static void print_notes(pp_arena *arena, const pp_study_status *status)
{
    counts c = count_steps(status);

    printf("\nstudy     %s, %s\n", status->plan.study_id.data,
           pp_study_standing_name(status->standing));
    if (status->standing == PP_STUDY_STOPPED && status->log.reason.data != NULL)
        pp_note_print("reason    ", pp_table_cell_text(arena, status->log.reason, 400), stdout);
    printf("steps     %zu, of which %zu done (%zu failed, %zu disturbed) and %zu left\n",
           status->steps.count, c.done, c.failed, c.disturbed, status->steps.count - c.done);
    printf("attempts  %zu in %zu session%s, %zu block%s measured again\n", c.attempts,
           status->log.session_count, status->log.session_count == 1 ? "" : "s",
           pp_step_log_repeated_count(&status->steps, &status->log),
           pp_step_log_repeated_count(&status->steps, &status->log) == 1 ? "" : "s");
    printf("elapsed   %s\n", time_text(arena, status->elapsed_ns));
    if (c.done < status->steps.count && status->remaining_ns >= 0)
        printf("left      about %s\n", time_text(arena, status->remaining_ns));
}

pp_status pp_study_status_print(pp_arena *arena, const pp_study_status *status, pp_error *err)
{
    pp_table table;

    pp_table_init(&table, arena);
    pp_table_add_column(&table, "step", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "state", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "machine", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "attempts", PP_ALIGN_RIGHT);
    pp_table_add_column(&table, "time", PP_ALIGN_RIGHT);
    for (size_t i = 0; i < status->steps.count; i++)
        add_row(&table, status, i);
    if (pp_arena_check(arena, err) != PP_OK)
        return PP_ERR_MEMORY;
    pp_table_print(&table, stdout);
    print_notes(arena, status);
    return pp_arena_check(arena, err);
}

/* ---- for programs ------------------------------------------------------------------------------
 */

static void set_ns(pp_arena *arena, pp_json *object, const char *key, bool known, int64_t ns)
{
    if (known)
        pp_json_set_int(arena, object, key, ns);
    else
        pp_json_set_null(arena, object, key);
}

static pp_json *encode_step(pp_arena *arena, const pp_study_status *status, size_t index)
{
    const pp_study_step *step = &status->steps.items[index];
    const pp_step_state *state = &status->log.states[index];
    bool done = pp_step_is_done(&status->steps, &status->log, index);
    pp_json *row = pp_json_new_object(arena);

    pp_json_set_string(arena, row, "step", step->id);
    pp_json_set_string(arena, row, "block", status->steps.blocks[step->block].id);
    pp_json_set_string(arena, row, "state",
                       pp_step_standing_name(pp_study_status_of_step(status, index)));
    pp_json_set_bool(arena, row, "disturbed", done && state->disturbed);
    pp_json_set_int(arena, row, "attempt_count", state->attempt_count);
    set_ns(arena, row, "duration_ns", done, state->duration_ns);
    return row;
}

pp_status pp_study_status_print_json(pp_arena *arena, const pp_study_status *status, pp_error *err)
{
    counts c = count_steps(status);
    pp_json *object = pp_json_new_object(arena);
    pp_json *steps = pp_json_new_array(arena);

    for (size_t i = 0; i < status->steps.count; i++)
        pp_json_add(arena, steps, encode_step(arena, status, i));
    pp_json_set_string(arena, object, "schema_version", "1.0");
    pp_json_set_string(arena, object, "document", "study-status");
    pp_json_set_text(arena, object, "study_id", status->plan.study_id);
    pp_json_set_text(arena, object, "plan_sha256", status->log.plan_sha256);
    pp_json_set_string(arena, object, "state", pp_study_standing_name(status->standing));
    pp_json_set_string(arena, object, "reason", status->log.reason.data);
    pp_json_set_int(arena, object, "session_count", (int64_t)status->log.session_count);
    pp_json_set_int(arena, object, "step_count", (int64_t)status->steps.count);
    pp_json_set_int(arena, object, "done_count", (int64_t)c.done);
    pp_json_set_int(arena, object, "failed_count", (int64_t)c.failed);
    pp_json_set_int(arena, object, "disturbed_count", (int64_t)c.disturbed);
    pp_json_set_int(arena, object, "attempt_count", (int64_t)c.attempts);
    pp_json_set_int(arena, object, "repeated_block_count",
                    (int64_t)pp_step_log_repeated_count(&status->steps, &status->log));
    pp_json_set_int(arena, object, "began_unix_ms", status->log.began_unix_ms);
    pp_json_set_int(arena, object, "elapsed_ns", status->elapsed_ns);
    set_ns(arena, object, "remaining_ns", status->remaining_ns >= 0, status->remaining_ns);
    pp_json_set(arena, object, "steps", steps);
    return pp_print_json(object, err);
}
