/* study_status_text.h - how far a study is, for people and for programs. */
#ifndef PP_CLI_STUDY_STATUS_TEXT_H
#define PP_CLI_STUDY_STATUS_TEXT_H

#include "study/status.h"

PP_MUST_CHECK pp_status pp_study_status_print(pp_arena *arena, const pp_study_status *status,
                                              pp_error *err);

/** The document study-status. */
PP_MUST_CHECK pp_status pp_study_status_print_json(pp_arena *arena, const pp_study_status *status,
                                                   pp_error *err);

#endif
