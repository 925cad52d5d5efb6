/* The ladder: candidates in the order of their attribution stages, each held against the one
 * before. */
#include "decide/passport_parts.h"

#include <stdlib.h>

static const char *const known_stages[PP_STAGE_COUNT] = {"reference", "quantization", "arm-kernel",
                                                         "runtime-tuning"};

static const struct {
    const char *metric;
    pp_direction direction;
} built_in[] = {
    {"e2e_latency_ms_p95", PP_DIRECTION_MIN},  {"generation_tokens_per_second", PP_DIRECTION_MAX},
    {"generation_tps", PP_DIRECTION_MAX},      {"model_size_mib", PP_DIRECTION_MIN},
    {"peak_rss_mib", PP_DIRECTION_MIN},        {"prompt_tokens_per_second", PP_DIRECTION_MAX},
    {"prompt_tps", PP_DIRECTION_MAX},          {"quality_score", PP_DIRECTION_MAX},
    {"requests_per_second", PP_DIRECTION_MAX}, {"ttft_ms_p50", PP_DIRECTION_MIN},
    {"ttft_ms_p95", PP_DIRECTION_MIN},
};

/* ---- directions ------------------------------------------------------------------------------ */

static void add_direction(pp_directions *directions, pp_text metric, pp_direction direction)
{
    size_t number = directions->names.count++;

    directions->names.entries[number] = (pp_name_entry){metric, number};
    directions->of_entry[number] = direction;
}

/* What comes first counts: quality, objective, frontier, and only then what is built in. */
static pp_status gather_directions(pp_arena *arena, const pp_constraints *c,
                                   pp_directions *directions, pp_error *err)
{
    size_t most = 2 + c->frontier_metric_count + PP_COUNT_OF(built_in);
    pp_status st = pp_name_index_init(arena, most, &directions->names, err);

    directions->of_entry = PP_ARENA_NEW(arena, pp_direction, most);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    directions->names.count = 0;
    if (!c->quality_not_measurable)
        add_direction(directions, c->quality_metric, PP_DIRECTION_MAX);
    add_direction(directions, c->objective.metric, c->objective.direction);
    for (size_t i = 0; i < c->frontier_metric_count; i++)
        add_direction(directions, c->frontier_metrics[i].metric, c->frontier_metrics[i].direction);
    for (size_t i = 0; i < PP_COUNT_OF(built_in); i++)
        add_direction(directions, pp_text_of(built_in[i].metric), built_in[i].direction);
    pp_name_index_sort(&directions->names);
    return PP_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

static pp_text tag_of(const pp_candidate *candidate)
{
    const pp_json *configuration = pp_json_find(candidate->parameters, "configuration");
    const pp_json *tag = pp_json_find(configuration, "attribution_stage");
    pp_text text = {0};

    if (tag != NULL && tag->kind == PP_JSON_STRING)
        text = pp_text_strip(tag->text);
    return text.size == 0 ? (pp_text){0} : text;
}

size_t pp_stage_rank(pp_text tag)
{
    size_t rank = 0;

    while (rank < PP_STAGE_COUNT && (tag.data == NULL || !pp_text_is(tag, known_stages[rank])))
        rank++;
    return rank;
}

static void put_in_order(pp_ladder *ladder)
{
    size_t count = 0;

    for (size_t rank = 0; rank <= PP_STAGE_COUNT; rank++) {
        for (size_t i = 0; i < ladder->decision->set->candidate_count; i++) {
            if (pp_stage_rank(ladder->tags[i]) != rank)
                continue;
            ladder->order[count++] = i;
            ladder->stages[i] = count;
        }
    }
}

pp_status pp_ladder_init(pp_arena *arena, const pp_decision *decision, pp_ladder *ret_ladder,
                         pp_error *err)
{
    size_t n = decision->set->candidate_count;
    pp_ladder ladder = {
        .decision = decision,
        .order = PP_ARENA_NEW(arena, size_t, n),
        .stages = PP_ARENA_NEW(arena, size_t, n),
        .tags = PP_ARENA_NEW(arena, pp_text, n),
    };
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = gather_directions(arena, decision->constraints, &ladder.directions, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        ladder.tags[i] = tag_of(&decision->set->candidates[i]);
    put_in_order(&ladder);
    *ret_ladder = ladder;
    return PP_OK;
}

/* ---- changes --------------------------------------------------------------------------------- */

pp_change *pp_ladder_changes(pp_arena *arena, const pp_ladder *ladder, size_t previous,
                             size_t current, size_t *ret_count)
{
    const pp_candidate *a = &ladder->decision->set->candidates[previous];
    const pp_candidate *b = &ladder->decision->set->candidates[current];
    pp_change *changes = PP_ARENA_NEW(arena, pp_change, b->metric_count);
    size_t count = 0;

    for (size_t i = 0; changes != NULL && i < b->metric_count; i++) {
        const double *value = pp_candidate_find_metric(a, b->metrics[i].name);
        size_t entry = pp_name_index_find(&ladder->directions.names, b->metrics[i].name);

        if (value == NULL)
            continue;
        changes[count] = (pp_change){
            .metric = b->metrics[i].name, .previous = *value, .current = b->metrics[i].value};
        if (entry != PP_NOT_FOUND) {
            changes[count].has_direction = true;
            changes[count].direction = ladder->directions.of_entry[entry];
        }
        count++;
    }
    *ret_count = count;
    return changes;
}

pp_json *pp_change_to_json(pp_arena *arena, const pp_change *change)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "metric", change->metric);
    pp_json_set_string(arena, out, "direction",
                       change->has_direction ? pp_direction_name(change->direction) : NULL);
    pp_json_set_real(arena, out, "previous", change->previous);
    pp_json_set_real(arena, out, "current", change->current);
    pp_json_set(arena, out, "absolute", pp_json_new_finite(arena, pp_change_absolute(change)));
    pp_json_set(arena, out, "percent", pp_json_new_finite(arena, pp_change_percent(change)));
    pp_json_set_string(arena, out, "effect", pp_effect_name(pp_change_effect(change)));
    return out;
}

/* Metrics that only one of the two has, by name. */
static pp_json *not_comparable(pp_arena *arena, const pp_candidate *a, const pp_candidate *b)
{
    pp_json *out = pp_json_new_array(arena);
    size_t i = 0;
    size_t j = 0;

    while (i < a->metric_count || j < b->metric_count) {
        int order = i == a->metric_count ? 1
                    : j == b->metric_count
                        ? -1
                        : pp_text_compare(a->metrics[i].name, b->metrics[j].name);

        if (order != 0)
            pp_json_add(
                arena, out,
                pp_json_new_text(arena, order < 0 ? a->metrics[i].name : b->metrics[j].name));
        i += order <= 0;
        j += order >= 0;
    }
    return out;
}

static pp_json *delta(pp_arena *arena, const pp_ladder *ladder, size_t previous, size_t current)
{
    const pp_candidate *candidates = ladder->decision->set->candidates;
    pp_json *out = pp_json_new_object(arena);
    pp_json *rows = pp_json_new_array(arena);
    size_t count;
    pp_change *changes = pp_ladder_changes(arena, ladder, previous, current, &count);

    for (size_t i = 0; changes != NULL && i < count; i++)
        pp_json_add(arena, rows, pp_change_to_json(arena, &changes[i]));
    pp_json_set_text(arena, out, "previous_candidate_id", candidates[previous].id);
    pp_json_set(arena, out, "metrics", rows);
    pp_json_set(arena, out, "not_comparable_metrics",
                not_comparable(arena, &candidates[previous], &candidates[current]));
    return out;
}

/* ---- stages ---------------------------------------------------------------------------------- */

void pp_passport_put_status(pp_arena *arena, const pp_decision *d, size_t candidate, pp_json *out)
{
    const pp_verdict *verdict = &d->verdicts[candidate];
    pp_json *violations = pp_json_new_array(arena);

    for (size_t i = 0; i < verdict->violations.count; i++)
        pp_json_add(arena, violations, pp_json_new_text(arena, verdict->violations.items[i].text));
    pp_json_set_bool(arena, out, "eligible", verdict->standing != PP_STANDING_REJECTED);
    pp_json_set_bool(arena, out, "frontier", verdict->standing >= PP_STANDING_FRONTIER);
    pp_json_set_bool(arena, out, "shortlisted", verdict->standing >= PP_STANDING_SHORTLIST);
    pp_json_set_bool(arena, out, "selected", candidate == d->selected);
    pp_json_set_bool(arena, out, "baseline", candidate == d->set->baseline_index);
    pp_json_set(arena, out, "constraint_violations", violations);
}

static pp_json *stage(pp_arena *arena, const pp_ladder *ladder, size_t position)
{
    const pp_decision *d = ladder->decision;
    size_t index = ladder->order[position];
    const pp_candidate *candidate = &d->set->candidates[index];
    const double *objective = pp_candidate_find_metric(candidate, d->constraints->objective.metric);
    pp_text tag = ladder->tags[index];
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "stage", (int64_t)position + 1);
    pp_json_set(arena, out, "attribution_stage",
                tag.data == NULL ? pp_json_new_null(arena) : pp_json_new_text(arena, tag));
    pp_json_set_bool(arena, out, "recognized_attribution_stage",
                     pp_stage_rank(tag) < PP_STAGE_COUNT);
    pp_json_set_text(arena, out, "candidate_id", candidate->id);
    pp_json_set_text(arena, out, "label", candidate->label);
    pp_json_set(arena, out, "objective_value",
                objective == NULL ? pp_json_new_null(arena) : pp_json_new_real(arena, *objective));
    pp_passport_put_status(arena, d, index, out);
    pp_json_set(arena, out, "delta_from_previous",
                position == 0 ? pp_json_new_null(arena)
                              : delta(arena, ladder, ladder->order[position - 1], index));
    return out;
}

pp_json *pp_passport_ladder(pp_arena *arena, const pp_ladder *ladder)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < ladder->decision->set->candidate_count; i++)
        pp_json_add(arena, out, stage(arena, ladder, i));
    return out;
}
