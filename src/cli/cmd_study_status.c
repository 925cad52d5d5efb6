#include <stdio.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/study_status_text.h"

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_study_status status = {0};
    pp_status st =
        pp_study_status_read(&arena, args->positionals[0], pp_clock_unix_ms(), &status, err);

    (void)ret_exit;
    if (st == PP_OK)
        st = pp_args_has(args, "json") ? pp_study_status_print_json(&arena, &status, err)
                                       : pp_study_status_print(&arena, &status, err);
    pp_arena_done(&arena);
    return st;
}

static const pp_positional positionals[] = {
    {.value = PP_FOLDER("DIR"), .help = "folder of a study that has begun, docs/formats/bundle.md"},
};

static const pp_option options[] = {
    {"json", 0, NULL, NULL, "print a document instead of the table, docs/formats/study-status.md",
     false, false},
};

const pp_command pp_command_study_status = {
    .group = "Measure",
    .name = "study status",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "show how far a study is",
    .detail =
        "Steps done, left, failed and disturbed, attempts, elapsed and estimated time. Reads\n"
        "only: works beside a running study, on one that was killed and on a complete one.\n",
    .example = "paretopilot study status build/demo/mine",
    .run = run,
};
