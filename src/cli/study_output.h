/* study_output.h - what `study run` and `study resume` take alike, and what they show:
 * progress, and the result. */
#ifndef PP_CLI_STUDY_OUTPUT_H
#define PP_CLI_STUDY_OUTPUT_H

#include "cli/command.h"
#include "cli/progress.h"
#include "study/run.h"

/** What both commands take alike; signals are caught from now on, and progress is shown by `view`,
 * which the caller begins and ends. */
pp_study_options pp_study_options_of(const pp_args *args, pp_progress_view *view);

/** Table of the decision, runs, times and the path of the report, on standard output. */
PP_MUST_CHECK pp_status pp_study_print_summary(pp_arena *arena, const pp_study_result *result,
                                               pp_error *err);

/** The document study-summary, on standard output. */
PP_MUST_CHECK pp_status pp_study_print_json(pp_arena *arena, const pp_study_result *result,
                                            pp_error *err);

#endif
