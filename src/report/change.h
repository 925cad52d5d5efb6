/* change.h - one value against the baseline's: by how much, and for better or worse. */
#ifndef PP_REPORT_CHANGE_H
#define PP_REPORT_CHANGE_H

#include "decide/change.h"
#include "report/metric_info.h"

/** By the direction that the constraints give the metric. */
pp_effect pp_effect_of(const pp_constraints *constraints, pp_text metric, double baseline,
                       double value);

/** "held", "improved", "regressed", "changed" */
const char *pp_change_name(pp_effect effect);

/** "+47.5 %", or the difference in the metric's unit when the baseline is 0; "" when the result is
 * beyond the range of numbers. Returns `out`. */
const char *pp_change_text(pp_text metric, double baseline, double value,
                           char out[PP_FIGURE_TEXT_MAX]);

#endif
