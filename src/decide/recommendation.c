#include "decide/recommendation.h"

static pp_text id_of(const pp_decision *d, size_t candidate)
{
    return d->set->candidates[candidate].id;
}

const char *pp_decision_reason(pp_arena *arena, const pp_decision *d)
{
    const char *selected = id_of(d, d->selected).data;
    const char *best = id_of(d, d->numeric_best).data;
    const char *metric = d->constraints->objective.metric.data;
    double tolerance = d->constraints->objective_tolerance_percent;

    switch (d->reason) {
    case PP_REASON_PREFERRED_IS_BEST:
        return pp_arena_printf(arena,
                               "'%s' has the best %s of the frontier and is the most preferred "
                               "candidate within %g %% of it",
                               selected, metric, tolerance);
    case PP_REASON_PREFERRED_INSIDE:
        return pp_arena_printf(arena,
                               "'%s' is the most preferred candidate within %g %% of the best %s "
                               "of the frontier, which '%s' has",
                               selected, tolerance, metric, best);
    case PP_REASON_BEST:
        return pp_arena_printf(
            arena,
            "'%s' has the best %s of the frontier; equal values would be decided "
            "by the order of ids",
            selected, metric);
    case PP_REASON_SMALLEST_ID_INSIDE:
        return pp_arena_printf(arena,
                               "'%s' comes first in the order of ids among those within %g %% of "
                               "the best %s of the frontier, which '%s' has; no preference order "
                               "was given",
                               selected, tolerance, metric, best);
    }
    return NULL;
}

static pp_json *ids(pp_arena *arena, const pp_decision *d, const pp_index_list *list)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < list->count; i++)
        pp_json_add(arena, out, pp_json_new_text(arena, id_of(d, list->items[i])));
    return out;
}

static pp_json *objective(pp_arena *arena, const pp_goal *goal)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "metric", goal->metric);
    pp_json_set_string(arena, out, "direction", pp_direction_name(goal->direction));
    return out;
}

static pp_json *selection(pp_arena *arena, const pp_decision *d)
{
    bool has_order = d->constraints->preference_count > 0;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "numeric_best_id", id_of(d, d->numeric_best));
    pp_json_set_real(arena, out, "numeric_best_value", d->numeric_best_value);
    pp_json_set_real(arena, out, "objective_tolerance_percent",
                     d->constraints->objective_tolerance_percent);
    pp_json_set(arena, out, "shortlist_ids", ids(arena, d, &d->shortlist));
    pp_json_set_bool(arena, out, "preference_order_applied", has_order);
    pp_json_set_bool(arena, out, "preference_changed_winner",
                     has_order && d->selected != d->numeric_best);
    pp_json_set_string(arena, out, "reason", pp_decision_reason(arena, d));
    return out;
}

static pp_json *rejected(pp_arena *arena, const pp_decision *d)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < d->set->candidate_count; i++) {
        const pp_violations *violations = &d->verdicts[i].violations;
        pp_json *texts;

        if (violations->count == 0)
            continue;
        texts = pp_json_new_array(arena);
        for (size_t j = 0; j < violations->count; j++)
            pp_json_add(arena, texts, pp_json_new_text(arena, violations->items[j].text));
        pp_json_set_text_key(arena, out, id_of(d, i), texts);
    }
    return out;
}

static pp_json *selected(pp_arena *arena, const pp_candidate *candidate)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *metrics = pp_json_new_object(arena);

    for (size_t i = 0; i < candidate->metric_count; i++)
        pp_json_set_text_key(arena, metrics, candidate->metrics[i].name,
                             pp_json_new_real(arena, candidate->metrics[i].value));
    pp_json_set_text(arena, out, "id", candidate->id);
    pp_json_set_text(arena, out, "label", candidate->label);
    pp_json_set(arena, out, "parameters",
                candidate->parameters != NULL ? candidate->parameters : pp_json_new_object(arena));
    pp_json_set(arena, out, "metrics", metrics);
    return out;
}

static pp_json *delta(pp_arena *arena, double baseline, double value)
{
    pp_json *out = pp_json_new_object(arena);
    double absolute = value - baseline;

    pp_json_set_real(arena, out, "baseline", baseline);
    pp_json_set_real(arena, out, "selected", value);
    pp_json_set(arena, out, "absolute", pp_json_new_finite(arena, absolute));
    pp_json_set(arena, out, "percent",
                baseline == 0.0 ? pp_json_new_null(arena)
                                : pp_json_new_finite(arena, absolute / baseline * 100.0));
    return out;
}

static pp_json *deltas(pp_arena *arena, const pp_decision *d)
{
    const pp_candidate *baseline = &d->set->candidates[d->set->baseline_index];
    const pp_candidate *winner = &d->set->candidates[d->selected];
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < winner->metric_count; i++) {
        const pp_metric *metric = &winner->metrics[i];
        const double *reference = pp_candidate_find_metric(baseline, metric->name);

        if (reference != NULL)
            pp_json_set_text_key(arena, out, metric->name, delta(arena, *reference, metric->value));
    }
    return out;
}

void pp_fingerprints_put(pp_arena *arena, pp_json *out, pp_fingerprints fingerprints)
{
    pp_json *inputs;

    if (fingerprints.benchmarks_sha256 == NULL)
        return;
    inputs = pp_json_new_object(arena);
    pp_json_set_string(arena, inputs, "benchmarks_sha256", fingerprints.benchmarks_sha256);
    pp_json_set_string(arena, inputs, "constraints_sha256", fingerprints.constraints_sha256);
    if (fingerprints.policies_sha256 != NULL)
        pp_json_set_string(arena, inputs, "policies_sha256", fingerprints.policies_sha256);
    pp_json_set(arena, out, "input_fingerprints", inputs);
}

pp_json *pp_recommendation_to_json(pp_arena *arena, const pp_decision *decision,
                                   const char *tool_version, pp_fingerprints fingerprints)
{
    const pp_decision *d = decision;
    const pp_benchmark_set *set = d->set;
    pp_json *out = pp_json_new_object(arena);

    PP_ASSERT(d->has_winner);
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_json_set_string(arena, out, "source_schema_version", "1.0");
    pp_json_set_bool(arena, out, "synthetic_source", !pp_benchmark_set_is_measured(set));
    pp_json_set(arena, out, "source_metadata",
                set->metadata != NULL ? set->metadata : pp_json_new_object(arena));
    pp_json_set_text(arena, out, "baseline_id", set->baseline_id);
    pp_json_set_text(arena, out, "selected_id", id_of(d, d->selected));
    pp_json_set(arena, out, "objective", objective(arena, &d->constraints->objective));
    pp_json_set(arena, out, "constraints", pp_constraints_to_json(arena, d->constraints));
    pp_json_set(arena, out, "selection", selection(arena, d));
    pp_json_set(arena, out, "eligible_ids", ids(arena, d, &d->eligible));
    pp_json_set(arena, out, "frontier_ids", ids(arena, d, &d->frontier));
    pp_json_set(arena, out, "rejected", rejected(arena, d));
    pp_json_set(arena, out, "selected", selected(arena, &set->candidates[d->selected]));
    pp_json_set(arena, out, "deltas_vs_baseline", deltas(arena, d));
    pp_fingerprints_put(arena, out, fingerprints);
    return out;
}
