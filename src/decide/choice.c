#include "decide/choice.h"

#include <math.h>

#include "stats/close.h"

const char *pp_reason_code(pp_reason reason)
{
    static const char *const codes[] = {
        [PP_REASON_PREFERRED_IS_BEST] = "R1",
        [PP_REASON_PREFERRED_INSIDE] = "R2",
        [PP_REASON_BEST] = "R3",
        [PP_REASON_SMALLEST_ID_INSIDE] = "R4",
    };

    return codes[reason];
}

static double cost_of(double value, pp_direction direction)
{
    return direction == PP_DIRECTION_MIN ? value : -value;
}

/* Rows come sorted by id, so the first of equals has the smallest id. */
static size_t find_best(const pp_option_row *rows, size_t n, pp_direction direction)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++) {
        if (cost_of(rows[i].value, direction) < cost_of(rows[best].value, direction))
            best = i;
    }
    return best;
}

static bool is_inside(const pp_choice *choice, pp_direction direction, double tolerance_percent,
                      double value)
{
    if (tolerance_percent == 0.0)
        return value == choice->best_value;
    return pp_choice_shortfall(choice, direction, value) <= 0.0 ||
           pp_close(value, choice->cutoff, PP_CUTOFF_RELATIVE_TOLERANCE, 0.0);
}

double pp_choice_shortfall(const pp_choice *choice, pp_direction direction, double value)
{
    if (value == choice->cutoff)
        return 0.0;
    return direction == PP_DIRECTION_MIN ? value - choice->cutoff : choice->cutoff - value;
}

static size_t find_selected(const pp_option_row *rows, size_t n, const bool *inside)
{
    size_t selected = n;

    for (size_t i = 0; i < n; i++) {
        if (inside[i] && (selected == n || rows[i].rank < rows[selected].rank))
            selected = i;
    }
    return selected;
}

static pp_reason reason_for(const pp_choice *choice, bool has_preferences, double tolerance_percent)
{
    if (has_preferences)
        return choice->selected == choice->best ? PP_REASON_PREFERRED_IS_BEST
                                                : PP_REASON_PREFERRED_INSIDE;
    return tolerance_percent == 0.0 ? PP_REASON_BEST : PP_REASON_SMALLEST_ID_INSIDE;
}

pp_choice pp_choice_make(const pp_option_row *rows, size_t n, pp_direction direction,
                         double tolerance_percent, bool has_preferences, bool *ret_inside)
{
    pp_choice choice = {0};

    PP_ASSERT(n > 0);
    choice.best = find_best(rows, n, direction);
    choice.best_value = rows[choice.best].value;
    choice.margin = fabs(choice.best_value) * (tolerance_percent / 100.0); /* in this order */
    choice.cutoff = direction == PP_DIRECTION_MIN ? choice.best_value + choice.margin
                                                  : choice.best_value - choice.margin;
    for (size_t i = 0; i < n; i++)
        ret_inside[i] = is_inside(&choice, direction, tolerance_percent, rows[i].value);
    choice.selected = find_selected(rows, n, ret_inside);
    PP_ASSERT(choice.selected < n); /* the best is always inside */
    choice.reason = reason_for(&choice, has_preferences, tolerance_percent);
    return choice;
}
