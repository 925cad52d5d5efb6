/* chart_memory.h - inside report/ only: the resident set of each server by kind of page, in each
 * phase. */
#ifndef PP_REPORT_CHART_MEMORY_H
#define PP_REPORT_CHART_MEMORY_H

#include "report/chart_frame.h"

/* Of more candidates the first are drawn; the table has all that tables name. */
#define PP_MEMORY_MAX_CANDIDATES 24

/** parameters.measurement.memory_by_phase of a candidate; NULL when it has none. */
const pp_json *pp_memory_phases(const pp_view *v, size_t candidate);

/** "after the warm-up"; NULL for a phase of another tool. */
const char *pp_memory_phase_title(pp_text phase);

/** Figure with caption and legend; nothing when no phase has pages of a known kind. */
void pp_chart_memory(const pp_view *v);

#endif
