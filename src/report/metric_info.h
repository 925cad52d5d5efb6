/* metric_info.h - what a metric's name tells a reader: order, title, meaning, unit, value text. */
#ifndef PP_REPORT_METRIC_INFO_H
#define PP_REPORT_METRIC_INFO_H

#include "model/benchmark_set.h"
#include "model/constraints.h"
#include "report/number_text.h"

typedef struct pp_metric_info {
    const char *name;
    const char *title;
    const char *meaning; /* one sentence */
} pp_metric_info;

/** NULL for a name that is none of the known ones. */
const pp_metric_info *pp_metric_info_find(pp_text name);

/** Its title, or the name itself where it is none of the known ones; not escaped. */
const char *pp_metric_title(pp_text name);

/** " tok/s", " ms", " MiB", " MB", ...: read from the name, with the blank before it; "" for none.
 */
const char *pp_report_unit(pp_text name);

/** A value with its unit; retention as a percentage, a gate as pass or fail. Returns `out`. */
const char *pp_metric_value_text(pp_text name, double value, char out[PP_FIGURE_TEXT_MAX]);

/** Every metric that the constraints or a candidate name, once each: the known ones in their fixed
 * order, then the rest sorted. */
PP_MUST_CHECK pp_status pp_metric_list(pp_arena *arena, const pp_benchmark_set *set,
                                       const pp_constraints *constraints, pp_text **ret_names,
                                       size_t *ret_count, pp_error *err);

/** The direction in which a metric gets better; false when the constraints do not say. */
bool pp_metric_direction(const pp_constraints *constraints, pp_text name, pp_direction *ret);

#endif
