#include "decide/profiles.h"

#include <string.h>

#include "decide/recommendation.h"
#include "stats/close.h"

/* ---- constraints of a profile -------------------------------------------------------------- */

static bool same_goal(const pp_goal *a, const pp_goal *b)
{
    return a->direction == b->direction && pp_text_equal(a->metric, b->metric);
}

static pp_status check_canonical(const pp_constraints *c, const pp_profile *profile, pp_error *err)
{
    if (!same_goal(&profile->objective, &c->objective))
        return pp_fail(
            err, PP_ERR_DOMAIN, "expected the objective of the constraints, %s %s, got %s %s",
            pp_direction_name(c->objective.direction), c->objective.metric.data,
            pp_direction_name(profile->objective.direction), profile->objective.metric.data);
    if (!pp_close(profile->objective_tolerance_percent, c->objective_tolerance_percent, 0.0,
                  PP_PROFILE_TOLERANCE_MATCH))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "expected the tolerance of the constraints, %.15g %%, got %.15g %%",
                       c->objective_tolerance_percent, profile->objective_tolerance_percent);
    return PP_OK;
}

/* The objective behind the others, which the list keeps in their order. */
static void add_frontier_metric(pp_arena *arena, const pp_goal *objective, pp_constraints *c)
{
    pp_goal *goals = PP_ARENA_NEW(arena, pp_goal, c->frontier_metric_count + 1);

    if (goals == NULL)
        return;
    memcpy(goals, c->frontier_metrics, c->frontier_metric_count * sizeof *goals);
    goals[c->frontier_metric_count++] = *objective;
    c->frontier_metrics = goals;
}

static pp_status derive(pp_arena *arena, const pp_constraints *from, const pp_profile *profile,
                        pp_constraints *c, pp_error *err)
{
    const pp_goal *goal = pp_constraints_find_goal(from, profile->objective.metric);

    if (goal != NULL && goal->direction != profile->objective.direction)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "its objective '%s' is \"%s\", but \"%s\" in frontier_metrics of the "
                       "constraints",
                       goal->metric.data, pp_direction_name(profile->objective.direction),
                       pp_direction_name(goal->direction));
    *c = *from;
    c->objective = profile->objective;
    c->objective_tolerance_percent = profile->objective_tolerance_percent;
    c->preference_order = NULL;
    c->preference_count = 0;
    if (goal == NULL)
        add_frontier_metric(arena, &profile->objective, c);
    return pp_arena_check(arena, err);
}

pp_status pp_profile_constraints(pp_arena *arena, const pp_constraints *constraints,
                                 const pp_profile *profile, const pp_constraints **ret_constraints,
                                 pp_error *err)
{
    pp_constraints *derived;
    pp_status st;

    if (profile->class == PP_PROFILE_CANONICAL) {
        st = check_canonical(constraints, profile, err);
        if (st == PP_OK)
            *ret_constraints = constraints;
        return st;
    }
    derived = PP_ARENA_NEW(arena, pp_constraints, 1);
    if (derived == NULL)
        return pp_arena_check(arena, err);
    st = derive(arena, constraints, profile, derived, err);
    if (st == PP_OK)
        *ret_constraints = derived;
    return st;
}

/* ---- deciding ------------------------------------------------------------------------------ */

/* Candidates without the metric, in document order; what does not fit into a message is left out.
 */
static pp_status check_measured(const pp_benchmark_set *set, pp_text metric, pp_error *err)
{
    pp_status st = PP_OK;
    size_t count = 0;
    pp_buf missing;

    pp_buf_init(&missing, 800);
    for (size_t i = 0; i < set->candidate_count; i++) {
        char shown[96];

        if (pp_candidate_find_metric(&set->candidates[i], metric) != NULL)
            continue;
        pp_text_escape_controls(set->candidates[i].id.data, set->candidates[i].id.size, shown,
                                sizeof shown);
        pp_buf_printf(&missing, "%s'%s'", count++ == 0 ? "" : ", ", shown);
    }
    if (count > 0)
        st = pp_fail(err, PP_ERR_DOMAIN,
                     "its objective '%s' must be measured for every candidate, but is missing "
                     "from %s",
                     metric.data, pp_buf_text(&missing));
    pp_buf_done(&missing);
    return st;
}

static pp_status decide_one(pp_arena *arena, const pp_benchmark_set *set,
                            const pp_constraints *constraints, pp_profile_decision *item,
                            pp_error *err)
{
    pp_status st = check_measured(set, item->profile->objective.metric, err);

    if (st == PP_OK)
        st = pp_profile_constraints(arena, constraints, item->profile, &item->constraints, err);
    if (st == PP_OK)
        st = pp_decide(arena, set, item->constraints, &item->decision, err);
    return pp_wrap(err, st, "profile '%s'", item->profile->id.data);
}

pp_status pp_profiles_decide(pp_arena *arena, const pp_benchmark_set *set,
                             const pp_constraints *constraints, const pp_policy_set *policies,
                             pp_profiles *ret_profiles, pp_error *err)
{
    pp_profiles p = {.set = set, .policies = policies, .count = policies->profile_count};
    pp_status st;

    p.items = PP_ARENA_NEW(arena, pp_profile_decision, p.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < p.count; i++) {
        p.items[i].profile = &policies->profiles[i];
        st = decide_one(arena, set, constraints, &p.items[i], err);
    }
    if (st == PP_OK)
        *ret_profiles = p;
    return st;
}

const pp_profile_decision *pp_profiles_without_winner(const pp_profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        if (!profiles->items[i].decision.has_winner)
            return &profiles->items[i];
    }
    return NULL;
}

/* ---- the document -------------------------------------------------------------------------- */

static bool is_canonical_source(const pp_benchmark_set *set)
{
    const pp_json *word = pp_json_find(set->metadata, "classification");

    return pp_benchmark_set_is_measured(set) && word != NULL && word->kind == PP_JSON_STRING &&
           pp_text_is(word->text, "canonical");
}

const char *pp_profile_notice(const pp_profiles *profiles, const pp_profile *profile)
{
    bool canonical_source = is_canonical_source(profiles->set);

    if (profile->class == PP_PROFILE_CANONICAL)
        return canonical_source
                   ? "The declared objective over measurements classified as canonical: this is "
                     "the decision of the study."
                   : "The declared objective over figures that are synthetic or not classified as "
                     "canonical: what would be decided, and no decision of a canonical study.";
    return canonical_source
               ? "Another objective over measurements classified as canonical, under the same "
                 "limits and without preferences: for comparison, and no change of the study's "
                 "decision."
               : "Another objective over figures that are synthetic or not classified as "
                 "canonical, under the same limits and without preferences: for comparison only.";
}

static pp_json *profile_to_json(pp_arena *arena, const pp_profiles *profiles,
                                const pp_profile_decision *item, const char *tool_version)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "id", item->profile->id);
    pp_json_set_text(arena, out, "label", item->profile->label);
    pp_json_set_text(arena, out, "description", item->profile->description);
    pp_json_set_string(arena, out, "classification", pp_profile_class_name(item->profile->class));
    pp_json_set_string(arena, out, "scenario_notice", pp_profile_notice(profiles, item->profile));
    pp_json_set(
        arena, out, "recommendation",
        pp_recommendation_to_json(arena, &item->decision, tool_version, (pp_fingerprints){0}));
    return out;
}

pp_json *pp_profiles_to_json(pp_arena *arena, const pp_profiles *profiles, const char *tool_version,
                             pp_fingerprints fingerprints)
{
    const pp_profile_decision *canonical = &profiles->items[profiles->policies->canonical];
    pp_json *out = pp_json_new_object(arena);
    pp_json *items = pp_json_new_array(arena);

    PP_ASSERT(pp_profiles_without_winner(profiles) == NULL);
    for (size_t i = 0; i < profiles->count; i++)
        pp_json_add(arena, items,
                    profile_to_json(arena, profiles, &profiles->items[i], tool_version));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "source_schema_version", "1.0");
    pp_json_set_bool(arena, out, "synthetic_source", !pp_benchmark_set_is_measured(profiles->set));
    pp_json_set_text(arena, out, "canonical_profile_id", canonical->profile->id);
    pp_json_set_text(arena, out, "canonical_selected_id",
                     profiles->set->candidates[canonical->decision.selected].id);
    pp_fingerprints_put(arena, out, fingerprints);
    pp_json_set(arena, out, "profiles", items);
    return out;
}
