/* change.h - one value against the baseline's: by how much, and for better or worse. */
#ifndef PP_REPORT_CHANGE_H
#define PP_REPORT_CHANGE_H

#include "report/metric_info.h"

typedef enum pp_change_word {
    PP_CHANGE_HELD, /* close enough that the frontier counts the two as equal */
    PP_CHANGE_IMPROVED,
    PP_CHANGE_REGRESSED,
    PP_CHANGE_CHANGED /* no direction is configured for this metric */
} pp_change_word;

pp_change_word pp_change_of(const pp_constraints *constraints, pp_text metric, double baseline,
                            double value);

/** "held", "improved", "regressed", "changed" */
const char *pp_change_name(pp_change_word word);

/** "+47.5 %", or the difference in the metric's unit when the baseline is 0; "" when the result is
 * beyond the range of numbers. Returns `out`. */
const char *pp_change_text(pp_text metric, double baseline, double value,
                           char out[PP_FIGURE_TEXT_MAX]);

#endif
