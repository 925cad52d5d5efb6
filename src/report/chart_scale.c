#include "report/chart_scale.h"

#include <math.h>
#include <stdio.h>

/* The largest power of ten at or below x, found by multiplying: log10 may differ between
 * libraries in the last bit, and with it the chart. */
static double power_below(double x, int *ret_exponent)
{
    double power = 1.0;
    int exponent = 0;

    for (; power * 10.0 <= x; exponent++)
        power *= 10.0;
    for (; power > x; exponent--)
        power /= 10.0;
    *ret_exponent = exponent;
    return power;
}

static double nice_step(double raw, int *ret_decimals)
{
    int exponent;
    double power = power_below(raw, &exponent);
    double factor = raw <= power ? 1.0 : raw <= 2.0 * power ? 2.0 : raw <= 5.0 * power ? 5.0 : 10.0;

    if (factor == 10.0)
        exponent++;
    *ret_decimals = exponent < 0 ? -exponent : 0;
    return factor * power;
}

bool pp_scale_make(double low, double high, double px_low, double px_high, int want_ticks,
                   pp_scale *ret_scale)
{
    double size = fmax(fabs(low), fabs(high));
    pp_scale scale = {.px_low = px_low, .px_high = px_high};
    double last;

    if (!(size <= 1e200) || (size > 0.0 && size < 1e-200))
        return false;
    if (high - low <= size * 1e-9) { /* one value: room on both sides */
        double room = size > 0.0 ? size * 0.05 : 1.0;

        low -= room;
        high += room;
    }
    scale.step = nice_step((high - low) / want_ticks, &scale.decimals);
    scale.first_tick = floor(low / scale.step + 1e-9);
    last = ceil(high / scale.step - 1e-9);
    scale.tick_count = (size_t)(last - scale.first_tick) + 1;
    scale.low = scale.first_tick * scale.step;
    scale.high = last * scale.step;
    *ret_scale = scale;
    return true;
}

double pp_scale_origin(double low, double high)
{
    return low > 0.0 && low < high * 0.5 ? 0.0 : low;
}

bool pp_scale_holds(const pp_scale *scale, double value)
{
    return value >= scale->low && value <= scale->high;
}

double pp_scale_at(const pp_scale *scale, double value)
{
    double part = (value - scale->low) / (scale->high - scale->low);

    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    return scale->px_low + part * (scale->px_high - scale->px_low);
}

double pp_scale_tick(const pp_scale *scale, size_t i)
{
    return (scale->first_tick + (double)i) * scale->step;
}

const char *pp_scale_tick_text(const pp_scale *scale, size_t i, char out[PP_FIGURE_TEXT_MAX])
{
    double value = pp_scale_tick(scale, i);

    if (scale->decimals > 6 || fmax(fabs(scale->low), fabs(scale->high)) >= 1e9) {
        snprintf(out, PP_FIGURE_TEXT_MAX, "%.6g", value == 0.0 ? 0.0 : value);
        return out;
    }
    return pp_figure_fixed(value, scale->decimals, out);
}
