#include <stdio.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/study_output.h"

static pp_status print_result(const pp_args *args, pp_arena *arena, const pp_study_result *result,
                              pp_error *err)
{
    if (pp_args_has(args, "json"))
        return pp_study_print_json(arena, result, err);
    if (!result->was_complete)
        return pp_study_print_summary(arena, result, err);
    printf("complete: nothing is left to do, nothing was changed\nreport      %s\n",
           result->report_path);
    return PP_OK;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_progress_view view;
    pp_study_result result = {0};
    pp_study_options options = pp_study_options_of(args, &view);
    pp_status st;

    options.output_dir = args->positionals[0];
    pp_progress_init(&view, pp_args_has(args, "quiet"));
    st = pp_study_resume(&arena, &options, &result, err);
    pp_progress_end(&view);
    if (st == PP_ERR_INTERRUPTED)
        *ret_exit = pp_signals_exit();
    if (st == PP_OK)
        st = print_result(args, &arena, &result, err);
    if (st == PP_OK && !result.was_complete && !result.derived->decision.has_winner)
        *ret_exit = PP_EXIT_NO;
    pp_arena_done(&arena);
    return st;
}

static const pp_positional positionals[] = {
    {.value = PP_FOLDER("DIR"), .help = "folder of a study that has begun, docs/formats/bundle.md"},
};

static const pp_option options[] = {
    {"model-dir", 0, PP_FOLDER("DIR"), "the folder at the study's begin",
     "folder that model paths of the plan start from", false, false},
    {"llama-dir", 0, PP_FOLDER("DIR"), "the folder at the study's begin",
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

const pp_command pp_command_study_resume = {
    .group = "Measure",
    .name = "study resume",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "go on with a study that was stopped or killed",
    .detail =
        "Checks that plan, models, llama.cpp and machine are those that the study began with, and\n"
        "goes on at the first step that is not done. A step that was cut off is made again; what\n"
        "its earlier attempt wrote stays below attempts/. Measured steps that are done are not\n"
        "repeated. A study that is complete is left as it is.\n",
    .example = "paretopilot study resume build/demo/mine",
    .run = run,
};
