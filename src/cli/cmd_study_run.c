#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/study_output.h"

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_progress_view view;
    pp_study_result result = {0};
    pp_study_options options = pp_study_options_of(args, &view);
    pp_status st;

    options.plan_path = args->positionals[0];
    options.output_dir = pp_args_value(args, "output-dir");
    pp_progress_init(&view, pp_args_has(args, "quiet"));
    st = pp_study_run(&arena, &options, &result, err);
    pp_progress_end(&view);
    if (st == PP_ERR_INTERRUPTED)
        *ret_exit = pp_signals_exit();
    if (st == PP_OK)
        st = pp_args_has(args, "json") ? pp_study_print_json(&arena, &result, err)
                                       : pp_study_print_summary(&arena, &result, err);
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
    {"profile", 0, PP_TEXT("CMD"), NULL,
     "shell command run beside each server once more, unmeasured, docs/formats/bundle.md", false,
     false},
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
        "Ctrl-C keeps what was measured, marked incomplete; study resume goes on.\n",
    .example = "paretopilot study run examples/quick/plan.json --model-dir build/cache/models "
               "--output-dir build/demo/mine",
    .run = run,
};
