#include <stdio.h>

#include "cli/command.h"
#include "study/run.h"
#include "version.h"

#define PLAN_TEXT_MAX_BYTES ((size_t)16 << 20)

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    const pp_study_options options = {
        .plan_path = args->positionals[0],
        .output_dir = "",
        .model_dir = pp_args_value(args, "model-dir"),
        .llama_dir = pp_args_value(args, "llama-dir"),
        .tool_version = PP_VERSION,
    };
    pp_arena arena = {0};
    pp_buf text;
    pp_buf notes;
    pp_status st;

    (void)ret_exit;
    pp_buf_init(&text, PLAN_TEXT_MAX_BYTES);
    pp_buf_init(&notes, PLAN_TEXT_MAX_BYTES);
    st = pp_study_print_plan(&arena, &options, &text, &notes, err);
    if (st == PP_OK) {
        fprintf(stderr, "%s", pp_buf_text(&notes));
        printf("%s", pp_buf_text(&text));
    }
    pp_buf_done(&notes);
    pp_buf_done(&text);
    pp_arena_done(&arena);
    return st;
}

static const pp_positional positionals[] = {
    {.value = PP_FILE("PLAN"), .help = "the plan, docs/formats/study-plan.md"},
};

static const pp_option options[] = {
    {"model-dir", 0, PP_FOLDER("DIR"), "the plan's folder",
     "folder that model paths of the plan start from", false, false},
    {"llama-dir", 0, PP_FOLDER("DIR"), "PARETOPILOT_LLAMA_DIR, then PATH",
     "folder with llama-server and llama-bench", false, false},
};

const pp_command pp_command_study_plan = {
    .group = "Measure",
    .name = "study plan",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "print the commands that a study would run",
    .detail =
        "Checks the plan and asks llama.cpp for its version and its options, so that a setting\n"
        "this build does not know is found; starts and writes nothing else. Models need not be\n"
        "there yet. Ports are shown as 0: a free one is chosen at each start. Lines that the plan\n"
        "gives word for word are printed also where their llama.cpp is not there.\n",
    .example = "paretopilot study plan examples/quick/plan.json --model-dir build/cache/models",
    .run = run,
};
