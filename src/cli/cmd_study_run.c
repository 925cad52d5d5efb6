#include <stdio.h>
#include <stdlib.h>

#include "cli/decision_table.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "evidence/layout.h"
#include "study/run.h"
#include "version.h"

static void show_progress(void *user, const pp_study_progress *progress)
{
    const pp_progress_state state = {
        .done = progress->done,
        .total = progress->total,
        .elapsed_ns = progress->elapsed_ns,
        .remaining_ns = progress->remaining_ns,
        .group = pp_study_step_name(progress->step),
        .what = progress->what,
        .note = progress->note,
    };

    pp_progress_show(user, &state);
}

/* ---- for people ---------------------------------------------------------------------------------
 */

static void print_runs(const pp_study_result *result)
{
    printf("runs        %zu, of which %zu disturbed and %zu failed\n", result->run_count,
           result->disturbed_count, result->failed_count);
    for (size_t i = 0; i < result->disturbed_count; i++)
        printf("  disturbed: %s\n", result->disturbed[i]);
    if (result->disturbed_count > 0)
        printf("  Other programs computed meanwhile: repeat on a quiet machine before you rely on "
               "this.\n");
}

static void print_times(const pp_study_result *result)
{
    char text[24];

    printf("time       ");
    for (int step = 0; step < PP_STUDY_STEP_COUNT; step++)
        printf(" %s %s%s", pp_study_step_name((pp_study_step)step),
               pp_progress_time(result->step_ns[step], text),
               step + 1 < PP_STUDY_STEP_COUNT ? "," : "\n");
}

static pp_status print_summary(pp_arena *arena, const pp_study_result *result, pp_error *err)
{
    pp_status st = pp_decision_table_print(arena, &result->derived->decision, stdout, err);

    if (st != PP_OK)
        return st;
    printf("\n");
    print_runs(result);
    print_times(result);
    printf("report      %s\n", result->report_path);
    return PP_OK;
}

/* ---- for programs -------------------------------------------------------------------------------
 */

static pp_json *encode_disturbed(pp_arena *arena, const pp_study_result *result)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < result->disturbed_count; i++)
        pp_json_add(arena, list, pp_json_new_string(arena, result->disturbed[i]));
    return list;
}

static pp_status print_json(pp_arena *arena, const pp_study_result *result, pp_error *err)
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
    pp_json_set(arena, object, "disturbed_runs", encode_disturbed(arena, result));
    for (int step = 0; step < PP_STUDY_STEP_COUNT; step++)
        pp_json_set_int(arena, steps, pp_study_step_name((pp_study_step)step),
                        result->step_ns[step]);
    pp_json_set(arena, object, "step_ns", steps);
    pp_json_set_string(arena, object, "report", result->report_path);
    return pp_print_json(object, err);
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_progress_view view;
    pp_study_result result = {0};
    pp_study_options options = {
        .plan_path = args->positionals[0],
        .output_dir = pp_args_value(args, "output-dir"),
        .model_dir = pp_args_value(args, "model-dir"),
        .llama_dir = pp_args_value(args, "llama-dir"),
        .tool_version = PP_VERSION,
        .allow_emulated = pp_args_has(args, "allow-emulated"),
        .stop = pp_signals_install(),
        .progress = show_progress,
        .user = &view,
    };
    pp_status st;

    pp_progress_init(&view, pp_args_has(args, "quiet"));
    st = pp_study_run(&arena, &options, &result, err);
    pp_progress_end(&view);
    if (st == PP_ERR_INTERRUPTED)
        *ret_exit = pp_signals_exit();
    if (st == PP_OK)
        st = pp_args_has(args, "json") ? print_json(&arena, &result, err)
                                       : print_summary(&arena, &result, err);
    if (st == PP_OK && !result.derived->decision.has_winner)
        *ret_exit = PP_EXIT_NO;
    pp_arena_done(&arena);
    return st;
}

static const pp_positional positionals[] = {
    {.value = PP_FILE("PLAN"), .help = "the plan, docs/formats/study-plan.md"},
};

static const pp_option options[] = {
    {"output-dir", 'o', PP_FOLDER("DIR"), NULL,
     "new folder for the bundle, docs/formats/bundle.md; an existing one is refused", true, false},
    {"model-dir", 0, PP_FOLDER("DIR"), "the plan's folder",
     "folder that model paths of the plan start from", false, false},
    {"llama-dir", 0, PP_FOLDER("DIR"), "PARETOPILOT_LLAMA_DIR, then PATH",
     "folder with llama-server and llama-bench", false, false},
    {"allow-emulated", 0, NULL, NULL,
     "measure on an emulated CPU all the same; every figure then has the origin emulated", false,
     false},
    {"json", 0, NULL, NULL, "print a summary document instead of the table", false, false},
    {"quiet", 'q', NULL, NULL, "no progress on standard error", false, false},
};

const pp_command pp_command_study_run = {
    .group = "Measure",
    .name = "study run",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "measure every candidate of a plan and decide",
    .detail =
        "Verifies models and llama.cpp, starts every candidate once, measures throughput with\n"
        "llama-bench and latency with streamed requests to llama-server, in mirrored order over "
        "the\n"
        "passes, watches the machine meanwhile, and leaves a bundle: raw outputs, samples, the\n"
        "decision, a report and checksums. Nothing is written before the inputs have proved "
        "right.\n"
        "Ctrl-C keeps what was measured, marked incomplete.\n",
    .example = "paretopilot study run examples/demo/plan.json --model-dir build/cache/models "
               "--output-dir build/demo/mine",
    .run = run,
};
