/* chart_scale.h - scales and ticks of the charts. Additions and multiplications only, so that a
 * chart has the same bytes on every machine. */
#ifndef PP_REPORT_CHART_SCALE_H
#define PP_REPORT_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/number_text.h"

/* A linear axis. Values low to high are drawn from px_low to px_high, in user units of the SVG;
 * px_high may be the smaller one. Ticks stand at first_tick * step and the multiples above. */
typedef struct pp_scale {
    double low, high; /* whole multiples of step */
    double px_low, px_high;
    double step; /* 1, 2 or 5 times a power of ten */
    double first_tick;
    size_t tick_count;
    int decimals; /* that tell neighbouring ticks apart */
} pp_scale;

/**
 * An axis that holds low to high with about `want_ticks` ticks. Equal ends get room on both sides.
 * False when the range is beyond what can be drawn (1e-200 to 1e200).
 */
bool pp_scale_make(double low, double high, double px_low, double px_high, int want_ticks,
                   pp_scale *ret_scale);

/** Where an axis of values from low to high begins: at zero where zero is near enough to belong to
 * it (the lowest value is less than half of the highest), else at low. */
double pp_scale_origin(double low, double high);

bool pp_scale_holds(const pp_scale *scale, double value);

/** Where a value stands, held inside the axis. */
double pp_scale_at(const pp_scale *scale, double value);

double pp_scale_tick(const pp_scale *scale, size_t i);

/** Text of tick i, with commas; very large and very small ones in scientific form. Returns `out`.
 */
const char *pp_scale_tick_text(const pp_scale *scale, size_t i, char out[PP_FIGURE_TEXT_MAX]);

#endif
