/* load_parts.h - inside report/ only: the parts of the section about load, one file each. */
#ifndef PP_REPORT_LOAD_PARTS_H
#define PP_REPORT_LOAD_PARTS_H

#include "report/view.h"

/** Which command lines answered, and whether they are what the study measured. */
PP_MUST_CHECK pp_status pp_load_put_commands(const pp_view *v,
                                             const pp_combined_load_evaluation *load,
                                             pp_error *err);

/** Reports of `load`, when any are given. */
PP_MUST_CHECK pp_status pp_load_put_endpoints(const pp_view *v, pp_error *err);

/** Every level of every candidate, and every sample behind a disclosure. */
void pp_load_put_figures(const pp_view *v, const pp_combined_load_evaluation *load);

#endif
