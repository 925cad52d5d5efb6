/* quality_parts.h - inside evidence/ only: the files that make quality figures. */
#ifndef PP_EVIDENCE_QUALITY_PARTS_H
#define PP_EVIDENCE_QUALITY_PARTS_H

#include "evidence/quality_figures.h"

/* quality_replies.c */
/** Read what one candidate answered in one pass (from 1) into the places of that pass. */
PP_MUST_CHECK pp_status pp_quality_read_pass(pp_arena *arena, const char *folder,
                                             const pp_plan_candidate *candidate, int64_t pass,
                                             const pp_suite *suite, pp_quality_candidate *out,
                                             pp_error *err);

#endif
