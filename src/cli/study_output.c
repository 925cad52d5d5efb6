#include "cli/study_output.h"

#include <stdio.h>
#include <string.h>

#include "cli/decision_table.h"
#include "cli/inputs.h"
#include "cli/signals.h"
#include "version.h"

static void show_progress(void *user, const pp_study_progress *progress)
{
    const pp_progress_state state = {
        .done = progress->done,
        .total = progress->total,
        .elapsed_ns = progress->elapsed_ns,
        .remaining_ns = progress->remaining_ns,
        .group = pp_study_phase_name(progress->phase),
        .what = progress->what,
        .note = progress->note,
    };

    pp_progress_show(user, &state);
}

pp_study_options pp_study_options_of(const pp_args *args, pp_progress_view *view)
{
    return (pp_study_options){
        .model_dir = pp_args_value(args, "model-dir"),
        .llama_dir = pp_args_value(args, "llama-dir"),
        .tool_version = PP_VERSION,
        .profile_command = pp_args_value(args, "profile"),
        .allow_emulated = pp_args_has(args, "allow-emulated"),
        .stop = pp_signals_install(),
        .progress = show_progress,
        .user = view,
    };
}

/* ---- for people ---------------------------------------------------------------------------------
 */

/* What a program said before it ended is foreign text. */
static void print_sentences(const char *label, const char *const *sentences, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char shown[3072];

        pp_text_escape_controls(sentences[i], strlen(sentences[i]), shown, sizeof shown);
        printf("  %s: %s\n", label, shown);
    }
}

static void print_runs(const pp_study_result *result)
{
    printf("runs        %zu, of which %zu disturbed and %zu failed\n", result->run_count,
           result->disturbed_count, result->failed_count);
    if (result->repeated_count > 0)
        printf("blocks      %zu, of which %zu measured again because of a disturbance\n",
               result->block_count, result->repeated_count);
    print_sentences("failed", result->failed, result->failed_count);
    print_sentences("failed requests", result->troubled, result->troubled_count);
    print_sentences("disturbed", result->disturbed, result->disturbed_count);
    if (result->disturbed_count > 0)
        printf("  Other programs computed meanwhile: repeat on a quiet machine before you rely on "
               "this.\n");
}

static void print_times(const pp_study_result *result)
{
    char text[24];

    printf("time       ");
    for (int step = 0; step < PP_STUDY_PHASE_COUNT; step++) {
        if (result->step_ns[step] > 0 || step == PP_STUDY_ASSEMBLE)
            printf(" %s %s%s", pp_study_phase_name((pp_study_phase)step),
                   pp_progress_time(result->step_ns[step], text),
                   step + 1 < PP_STUDY_PHASE_COUNT ? "," : "\n");
    }
}

pp_status pp_study_print_summary(pp_arena *arena, const pp_study_result *result, pp_error *err)
{
    pp_status st = pp_decision_table_print(arena, &result->derived->decision, stdout, err);

    if (st != PP_OK)
        return st;
    printf("\n");
    if (result->derived->no_profiles != NULL)
        printf("profiles    none: %s\n", result->derived->no_profiles);
    print_runs(result);
    print_times(result);
    printf("report      %s\n", result->report_path);
    return PP_OK;
}

/* ---- for programs -------------------------------------------------------------------------------
 */

static pp_json *encode_sentences(pp_arena *arena, const char *const *sentences, size_t count)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, list, pp_json_new_string(arena, sentences[i]));
    return list;
}

pp_status pp_study_print_json(pp_arena *arena, const pp_study_result *result, pp_error *err)
{
    const pp_derived *derived = result->derived;
    const pp_decision *decision = &derived->decision;
    pp_json *object = pp_json_new_object(arena);
    pp_json *steps = pp_json_new_object(arena);

    pp_json_set_string(arena, object, "schema_version", "1.0");
    pp_json_set_string(arena, object, "document", "study-summary");
    pp_json_set_text(arena, object, "study_id", derived->plan.study_id);
    if (decision->has_winner)
        pp_json_set_text(arena, object, "selected_id",
                         decision->set->candidates[decision->selected].id);
    else
        pp_json_set_null(arena, object, "selected_id");
    pp_json_set_string(arena, object, "origin", pp_origin_name(derived->set.origin));
    pp_json_set_int(arena, object, "run_count", (int64_t)result->run_count);
    pp_json_set_int(arena, object, "failed_run_count", (int64_t)result->failed_count);
    pp_json_set_int(arena, object, "repeated_block_count", (int64_t)result->repeated_count);
    pp_json_set(arena, object, "disturbed_runs",
                encode_sentences(arena, result->disturbed, result->disturbed_count));
    pp_json_set(arena, object, "failed_runs",
                encode_sentences(arena, result->failed, result->failed_count));
    pp_json_set(arena, object, "failed_requests",
                encode_sentences(arena, result->troubled, result->troubled_count));
    for (int step = 0; step < PP_STUDY_PHASE_COUNT; step++)
        pp_json_set_int(arena, steps, pp_study_phase_name((pp_study_phase)step),
                        result->step_ns[step]);
    pp_json_set(arena, object, "step_ns", steps);
    pp_json_set_string(arena, object, "report", result->report_path);
    return pp_print_json(object, err);
}
