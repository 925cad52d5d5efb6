#include "decide/change.h"

#include "decide/frontier.h"
#include "stats/close.h"

#include <math.h>

const char *pp_effect_name(pp_effect effect)
{
    static const char *const names[] = {
        [PP_EFFECT_HELD] = "held",
        [PP_EFFECT_IMPROVED] = "improved",
        [PP_EFFECT_TRADEOFF] = "tradeoff",
        [PP_EFFECT_CHANGED] = "changed",
    };

    return names[effect];
}

pp_effect pp_change_effect(const pp_change *change)
{
    if (pp_close(change->previous, change->current, PP_DOMINANCE_RELATIVE_TOLERANCE,
                 PP_DOMINANCE_ABSOLUTE_TOLERANCE))
        return PP_EFFECT_HELD;
    if (!change->has_direction)
        return PP_EFFECT_CHANGED;
    return (change->current < change->previous) == (change->direction == PP_DIRECTION_MIN)
               ? PP_EFFECT_IMPROVED
               : PP_EFFECT_TRADEOFF;
}

double pp_change_absolute(const pp_change *change)
{
    return change->current - change->previous;
}

double pp_change_percent(const pp_change *change)
{
    if (change->previous == 0.0)
        return NAN;
    return pp_change_absolute(change) / change->previous * 100.0;
}
