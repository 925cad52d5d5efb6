#include "decide/details.h"

#include "decide/improvement.h"

static pp_json *number(pp_arena *arena, bool known, double value)
{
    return known ? pp_json_new_finite(arena, value) : pp_json_new_null(arena);
}

static pp_json *id_or_null(pp_arena *arena, const pp_decision *d, bool known, size_t candidate)
{
    if (!known || candidate == PP_NOT_FOUND)
        return pp_json_new_null(arena);
    return pp_json_new_text(arena, d->set->candidates[candidate].id);
}

static pp_json *violation(pp_arena *arena, const pp_violation *v)
{
    bool present = v->kind != PP_VIOLATION_MISSING_METRIC;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "kind", pp_violation_kind_name(v->kind));
    pp_json_set_text(arena, out, "metric", v->metric);
    pp_json_set(arena, out, "value", number(arena, present, v->value));
    pp_json_set(arena, out, "limit", number(arena, present, v->limit));
    pp_json_set(arena, out, "slack", number(arena, present, v->slack));
    pp_json_set(arena, out, "slack_percent",
                number(arena, present && v->has_slack_percent, v->slack_percent));
    pp_json_set_text(arena, out, "text", v->text);
    return out;
}

/* Among the missed limits that have a percent: the one missed least, or most. */
static pp_json *extreme_miss(pp_arena *arena, const pp_violations *violations, bool most)
{
    const pp_violation *found = NULL;
    pp_json *out;

    for (size_t i = 0; i < violations->count; i++) {
        const pp_violation *v = &violations->items[i];

        if (v->kind != PP_VIOLATION_MISSING_METRIC && v->has_slack_percent &&
            (found == NULL || (most ? v->slack_percent < found->slack_percent
                                    : v->slack_percent > found->slack_percent)))
            found = v;
    }
    if (found == NULL)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_string(arena, out, "kind", pp_violation_kind_name(found->kind));
    pp_json_set_text(arena, out, "metric", found->metric);
    pp_json_set(arena, out, "missed_by", number(arena, true, -found->slack));
    pp_json_set_real(arena, out, "missed_by_percent", -found->slack_percent);
    return out;
}

static pp_json *improvement_or_null(pp_arena *arena, const pp_improvement *improvement)
{
    pp_json *out;

    if (!improvement->exists)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_text(arena, out, "metric", improvement->metric);
    pp_json_set_real(arena, out, "value", improvement->value);
    pp_json_set_real(arena, out, "change", improvement->change);
    pp_json_set(arena, out, "change_percent",
                number(arena, improvement->has_percent, improvement->change_percent));
    return out;
}

static pp_json *candidate(pp_arena *arena, const pp_decision *d, size_t index,
                          const pp_improvement *improvement)
{
    const pp_verdict *verdict = &d->verdicts[index];
    pp_json *out = pp_json_new_object(arena);
    pp_json *violations = pp_json_new_array(arena);

    for (size_t i = 0; i < verdict->violations.count; i++)
        pp_json_add(arena, violations, violation(arena, &verdict->violations.items[i]));
    pp_json_set_text(arena, out, "id", d->set->candidates[index].id);
    pp_json_set_string(arena, out, "status", pp_standing_name(verdict->standing));
    pp_json_set(arena, out, "violations", violations);
    pp_json_set(arena, out, "dominated_by", id_or_null(arena, d, true, verdict->dominated_by));
    pp_json_set(arena, out, "shortfall",
                number(arena, verdict->outside_cutoff, verdict->shortfall));
    pp_json_set(arena, out, "shortfall_percent",
                number(arena, verdict->outside_cutoff && verdict->has_shortfall_percent,
                       verdict->shortfall_percent));
    pp_json_set(arena, out, "least_missed", extreme_miss(arena, &verdict->violations, false));
    pp_json_set(arena, out, "most_missed", extreme_miss(arena, &verdict->violations, true));
    pp_json_set(arena, out, "improvement", improvement_or_null(arena, improvement));
    return out;
}

static pp_json *near_miss(pp_arena *arena, const pp_decision *d)
{
    const pp_verdict *verdict;
    pp_json *out;

    if (!d->has_winner || d->near_miss == PP_NOT_FOUND)
        return pp_json_new_null(arena);
    verdict = &d->verdicts[d->near_miss];
    out = pp_json_new_object(arena);
    pp_json_set_text(arena, out, "id", d->set->candidates[d->near_miss].id);
    pp_json_set(arena, out, "shortfall", number(arena, true, verdict->shortfall));
    pp_json_set(arena, out, "shortfall_percent",
                number(arena, verdict->has_shortfall_percent, verdict->shortfall_percent));
    return out;
}

static pp_json *objective(pp_arena *arena, const pp_decision *d)
{
    const pp_goal *goal = &d->constraints->objective;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "metric", goal->metric);
    pp_json_set_string(arena, out, "direction", pp_direction_name(goal->direction));
    pp_json_set_real(arena, out, "tolerance_percent", d->constraints->objective_tolerance_percent);
    pp_json_set(arena, out, "best_id", id_or_null(arena, d, d->has_winner, d->numeric_best));
    pp_json_set(arena, out, "best_value", number(arena, d->has_winner, d->numeric_best_value));
    pp_json_set(arena, out, "cutoff", number(arena, d->has_winner, d->cutoff));
    return out;
}

pp_json *pp_decision_details_to_json(pp_arena *arena, const pp_decision *decision,
                                     const char *tool_version, pp_fingerprints fingerprints)
{
    const pp_decision *d = decision;
    bool exact = d->dominance == PP_DOMINANCE_EXACT;
    pp_json *out = pp_json_new_object(arena);
    pp_json *candidates = pp_json_new_array(arena);
    pp_improvement *improvements;

    if (pp_improvements_find(arena, d, &improvements, NULL) != PP_OK)
        return NULL;
    for (size_t i = 0; i < d->set->candidate_count; i++)
        pp_json_add(arena, candidates, candidate(arena, d, i, &improvements[i]));
    pp_json_set_string(arena, out, "document", "decision-details");
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_fingerprints_put(arena, out, fingerprints);
    pp_json_set_string(arena, out, "origin", pp_origin_name(d->set->origin));
    pp_json_set_string(arena, out, "quality",
                       d->constraints->quality_not_measurable ? "not-measurable" : "judged");
    pp_json_set_text(arena, out, "baseline_id", d->set->baseline_id);
    pp_json_set(arena, out, "selected_id", id_or_null(arena, d, d->has_winner, d->selected));
    pp_json_set(arena, out, "reason_code",
                d->has_winner ? pp_json_new_string(arena, pp_reason_code(d->reason))
                              : pp_json_new_null(arena));
    pp_json_set_string(arena, out, "dominance",
                       exact ? "exact-after-circular-near-ties" : "tolerant");
    pp_json_set(arena, out, "objective", objective(arena, d));
    pp_json_set(arena, out, "near_miss", near_miss(arena, d));
    pp_json_set(arena, out, "candidates", candidates);
    return out;
}
