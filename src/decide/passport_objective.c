/* How far the chosen candidate is from the boundary, and who stands closest behind it. */
#include "decide/passport_parts.h"

#include <math.h>

pp_boundary pp_boundary_of(pp_direction direction, double best, double tolerance_percent)
{
    double size = fabs(best);
    pp_boundary boundary = {.margin = size * tolerance_percent / 100.0};

    if (!isfinite(boundary.margin))
        boundary.margin = size * (tolerance_percent / 100.0);
    boundary.value =
        direction == PP_DIRECTION_MIN ? best + boundary.margin : best - boundary.margin;
    return boundary;
}

double pp_boundary_shortfall(pp_direction direction, double boundary, double value)
{
    return direction == PP_DIRECTION_MIN ? value - boundary : boundary - value;
}

double pp_percent_of(double value, double base)
{
    return base == 0.0 || !isfinite(base) ? NAN : value / fabs(base) * 100.0;
}

static pp_boundary boundary_of(const pp_decision *d)
{
    return pp_boundary_of(d->constraints->objective.direction, d->numeric_best_value,
                          d->constraints->objective_tolerance_percent);
}

static double objective_of(const pp_decision *d, size_t candidate)
{
    return *pp_candidate_find_metric(&d->set->candidates[candidate],
                                     d->constraints->objective.metric);
}

static pp_json *distance(pp_arena *arena, double absolute, double boundary)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set(arena, out, "absolute", pp_json_new_finite(arena, absolute));
    pp_json_set(arena, out, "percent_of_boundary",
                pp_json_new_finite(arena, pp_percent_of(absolute, boundary)));
    return out;
}

pp_json *pp_passport_objective(pp_arena *arena, const pp_decision *d)
{
    const pp_goal *goal = &d->constraints->objective;
    pp_boundary boundary = boundary_of(d);
    double selected = objective_of(d, d->selected);
    double runway = -pp_boundary_shortfall(goal->direction, boundary.value, selected);
    pp_json *out = pp_json_new_object(arena);
    pp_json *ids = pp_json_new_array(arena);

    for (size_t i = 0; i < d->shortlist.count; i++)
        pp_json_add(arena, ids,
                    pp_json_new_text(arena, d->set->candidates[d->shortlist.items[i]].id));
    if (!(runway > 0.0))
        runway = 0.0; /* the choice counts a value as inside that is behind by a last digit */
    pp_json_set_text(arena, out, "metric", goal->metric);
    pp_json_set_string(arena, out, "direction", pp_direction_name(goal->direction));
    pp_json_set_text(arena, out, "numeric_best_id", d->set->candidates[d->numeric_best].id);
    pp_json_set_real(arena, out, "numeric_best_value", d->numeric_best_value);
    pp_json_set_real(arena, out, "tolerance_percent", d->constraints->objective_tolerance_percent);
    pp_json_set(arena, out, "tolerance_margin", pp_json_new_finite(arena, boundary.margin));
    pp_json_set(arena, out, "shortlist_boundary", pp_json_new_finite(arena, boundary.value));
    pp_json_set_string(arena, out, "boundary_rule",
                       goal->direction == PP_DIRECTION_MIN ? "at-or-below" : "at-or-above");
    pp_json_set_real(arena, out, "selected_value", selected);
    pp_json_set(arena, out, "selected_runway", distance(arena, runway, boundary.value));
    pp_json_set(arena, out, "shortlist_ids", ids);
    return out;
}

pp_json *pp_passport_closest_outside(pp_arena *arena, const pp_ladder *ladder)
{
    const pp_decision *d = ladder->decision;
    const pp_goal *goal = &d->constraints->objective;
    pp_boundary boundary = boundary_of(d);
    size_t closest = PP_NOT_FOUND;
    double least = 0.0;
    pp_json *out;

    for (size_t i = 0; i < d->frontier.count; i++) {
        size_t candidate = d->frontier.items[i];
        double shortfall =
            pp_boundary_shortfall(goal->direction, boundary.value, objective_of(d, candidate));

        if (d->verdicts[candidate].standing >= PP_STANDING_SHORTLIST)
            continue;
        if (closest == PP_NOT_FOUND || shortfall < least ||
            (shortfall == least && ladder->stages[candidate] < ladder->stages[closest])) {
            closest = candidate;
            least = shortfall;
        }
    }
    if (closest == PP_NOT_FOUND)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_text(arena, out, "candidate_id", d->set->candidates[closest].id);
    pp_json_set_text(arena, out, "label", d->set->candidates[closest].label);
    pp_json_set_int(arena, out, "stage", (int64_t)ladder->stages[closest]);
    pp_json_set_real(arena, out, "objective_value", objective_of(d, closest));
    pp_json_set(arena, out, "shortfall_to_shortlist", distance(arena, least, boundary.value));
    return out;
}
