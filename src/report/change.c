#include "report/change.h"

#include <math.h>
#include <string.h>

pp_effect pp_effect_of(const pp_constraints *constraints, pp_text metric, double baseline,
                       double value)
{
    pp_change change = {.metric = metric, .previous = baseline, .current = value};

    change.has_direction = pp_metric_direction(constraints, metric, &change.direction);
    return pp_change_effect(&change);
}

const char *pp_change_name(pp_effect effect)
{
    return effect == PP_EFFECT_TRADEOFF ? "regressed" : pp_effect_name(effect);
}

const char *pp_change_text(pp_text metric, double baseline, double value,
                           char out[PP_FIGURE_TEXT_MAX])
{
    double absolute = value - baseline;
    double percent = absolute / baseline * 100.0;

    out[0] = '\0';
    if (baseline == 0.0 && isfinite(absolute)) {
        pp_figure_signed(absolute, 4, out);
        strcat(out, pp_report_unit(metric));
    } else if (isfinite(percent)) {
        pp_figure_signed(percent, 2, out);
        strcat(out, " %");
    }
    return out;
}
