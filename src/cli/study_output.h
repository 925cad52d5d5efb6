/* study_output.h - what `study run` and `study resume` show: progress, and the result. */
#ifndef PP_CLI_STUDY_OUTPUT_H
#define PP_CLI_STUDY_OUTPUT_H

#include "study/run.h"

/** For pp_study_options.progress; `user` is a pp_progress_view. */
void pp_study_show_progress(void *user, const pp_study_progress *progress);

/** Table of the decision, runs, times and the path of the report, on standard output. */
PP_MUST_CHECK pp_status pp_study_print_summary(pp_arena *arena, const pp_study_result *result,
                                               pp_error *err);

/** The document study-summary, on standard output. */
PP_MUST_CHECK pp_status pp_study_print_json(pp_arena *arena, const pp_study_result *result,
                                            pp_error *err);

#endif
