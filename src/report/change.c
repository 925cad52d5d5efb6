#include "report/change.h"

#include <math.h>
#include <string.h>

#include "decide/frontier.h"
#include "stats/close.h"

pp_change_word pp_change_of(const pp_constraints *constraints, pp_text metric, double baseline,
                            double value)
{
    pp_direction direction;

    if (pp_close(baseline, value, PP_DOMINANCE_RELATIVE_TOLERANCE, PP_DOMINANCE_ABSOLUTE_TOLERANCE))
        return PP_CHANGE_HELD;
    if (!pp_metric_direction(constraints, metric, &direction))
        return PP_CHANGE_CHANGED;
    return (value < baseline) == (direction == PP_DIRECTION_MIN) ? PP_CHANGE_IMPROVED
                                                                 : PP_CHANGE_REGRESSED;
}

const char *pp_change_name(pp_change_word word)
{
    static const char *const names[] = {
        [PP_CHANGE_HELD] = "held",
        [PP_CHANGE_IMPROVED] = "improved",
        [PP_CHANGE_REGRESSED] = "regressed",
        [PP_CHANGE_CHANGED] = "changed",
    };

    return names[word];
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
