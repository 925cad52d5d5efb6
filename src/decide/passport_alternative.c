/* An eligible candidate that needs less memory or a smaller file than the baseline. */
#include "decide/passport_parts.h"

#include <math.h>

#include "decide/frontier.h"
#include "stats/close.h"

#define RESOURCE_COUNT 2
/* Values this close to the least count as the least: 0.1 %. */
#define LEAST_SHARE    0.001

static const char *const resources[RESOURCE_COUNT] = {"peak_rss_mib", "model_size_mib"};

typedef struct pool {
    const pp_ladder *ladder;
    size_t *members; /* candidate indices */
    size_t count;
    bool has_least[RESOURCE_COUNT];
    double least[RESOURCE_COUNT];
} pool;

static const double *metric_of(const pp_ladder *ladder, size_t candidate, const char *name)
{
    return pp_candidate_find_metric(&ladder->decision->set->candidates[candidate],
                                    pp_text_of(name));
}

static bool saves_something(const pp_ladder *ladder, size_t candidate)
{
    size_t baseline = ladder->decision->set->baseline_index;

    for (size_t i = 0; i < RESOURCE_COUNT; i++) {
        const double *mine = metric_of(ladder, candidate, resources[i]);
        const double *its = metric_of(ladder, baseline, resources[i]);

        if (mine != NULL && its != NULL && *mine < *its &&
            !pp_close(*mine, *its, PP_DOMINANCE_RELATIVE_TOLERANCE,
                      PP_DOMINANCE_ABSOLUTE_TOLERANCE))
            return true;
    }
    return false;
}

static void add_to_pool(pool *p, size_t candidate)
{
    p->members[p->count++] = candidate;
    for (size_t i = 0; i < RESOURCE_COUNT; i++) {
        const double *value = metric_of(p->ladder, candidate, resources[i]);

        if (value == NULL || (p->has_least[i] && *value >= p->least[i]))
            continue;
        p->has_least[i] = true;
        p->least[i] = *value;
    }
}

static pool gather(pp_arena *arena, const pp_ladder *ladder)
{
    const pp_decision *d = ladder->decision;
    pool p = {.ladder = ladder, .members = PP_ARENA_NEW(arena, size_t, d->eligible.count)};

    for (size_t i = 0; p.members != NULL && i < d->eligible.count; i++) {
        size_t candidate = d->eligible.items[i];

        if (candidate != d->selected && candidate != d->set->baseline_index &&
            saves_something(ladder, candidate))
            add_to_pool(&p, candidate);
    }
    return p;
}

/* Has every resource figure that anybody in the pool has, and each close to the least. */
static bool is_least(const pool *p, size_t candidate)
{
    for (size_t i = 0; i < RESOURCE_COUNT; i++) {
        const double *value = metric_of(p->ladder, candidate, resources[i]);

        if (!p->has_least[i])
            continue;
        if (value == NULL || !(*value <= p->least[i] + fabs(p->least[i]) * LEAST_SHARE))
            return false;
    }
    return true;
}

/* Mean of value / least over the figures it has; infinite when there is none to divide by. */
static double excess_of(const pool *p, size_t candidate)
{
    double sum = 0.0;
    size_t count = 0;

    for (size_t i = 0; i < RESOURCE_COUNT; i++) {
        const double *value = metric_of(p->ladder, candidate, resources[i]);

        if (value == NULL || !(p->least[i] > 0.0))
            continue;
        sum += *value / p->least[i];
        count++;
    }
    return count == 0 ? INFINITY : sum / (double)count;
}

static double value_or(const double *value, double otherwise)
{
    return value == NULL ? otherwise : *value;
}

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* Prompt speed first, then latency, memory, size, and the place in the ladder. Less is better. */
static int compare_use(const pp_ladder *ladder, size_t a, size_t b)
{
    static const char *const less[] = {"e2e_latency_ms_p95", "peak_rss_mib", "model_size_mib"};
    const double *prompt_a = metric_of(ladder, a, "prompt_tokens_per_second");
    const double *prompt_b = metric_of(ladder, b, "prompt_tokens_per_second");
    int order;

    if (prompt_a == NULL)
        prompt_a = metric_of(ladder, a, "prompt_tps");
    if (prompt_b == NULL)
        prompt_b = metric_of(ladder, b, "prompt_tps");
    order = compare_numbers(value_or(prompt_b, -INFINITY), value_or(prompt_a, -INFINITY));
    for (size_t i = 0; order == 0 && i < PP_COUNT_OF(less); i++)
        order = compare_numbers(value_or(metric_of(ladder, a, less[i]), INFINITY),
                                value_or(metric_of(ladder, b, less[i]), INFINITY));
    if (order != 0)
        return order;
    return (ladder->stages[a] > ladder->stages[b]) - (ladder->stages[a] < ladder->stages[b]);
}

/* The best to use among those at the least; PP_NOT_FOUND when nobody is least everywhere. */
static size_t pick_least(const pool *p)
{
    size_t best = PP_NOT_FOUND;

    for (size_t i = 0; i < p->count; i++) {
        size_t candidate = p->members[i];

        if (is_least(p, candidate) &&
            (best == PP_NOT_FOUND || compare_use(p->ladder, candidate, best) < 0))
            best = candidate;
    }
    return best;
}

static size_t pick_nearest(const pool *p)
{
    size_t best = p->members[0];

    for (size_t i = 1; i < p->count; i++) {
        size_t candidate = p->members[i];
        int order = compare_numbers(excess_of(p, candidate), excess_of(p, best));

        if (order < 0 || (order == 0 && compare_use(p->ladder, candidate, best) < 0))
            best = candidate;
    }
    return best;
}

static void put_changes(pp_arena *arena, const pp_ladder *ladder, size_t alternative, pp_json *out)
{
    pp_json *improvements = pp_json_new_array(arena);
    pp_json *tradeoffs = pp_json_new_array(arena);
    pp_json *others = pp_json_new_array(arena);
    size_t count;
    pp_change *changes = pp_ladder_changes(arena, ladder, ladder->decision->set->baseline_index,
                                           alternative, &count);

    for (size_t i = 0; changes != NULL && i < count; i++) {
        pp_effect effect = pp_change_effect(&changes[i]);
        pp_json *list = effect == PP_EFFECT_IMPROVED   ? improvements
                        : effect == PP_EFFECT_TRADEOFF ? tradeoffs
                                                       : others;

        pp_json_add(arena, list, pp_change_to_json(arena, &changes[i]));
    }
    pp_json_set(arena, out, "improvements", improvements);
    pp_json_set(arena, out, "tradeoffs", tradeoffs);
    pp_json_set(arena, out, "other_changes", others);
}

pp_json *pp_passport_alternative(pp_arena *arena, const pp_ladder *ladder)
{
    pool p = gather(arena, ladder);
    const pp_candidate *candidate;
    size_t alternative;
    pp_json *out;

    if (p.count == 0)
        return pp_json_new_null(arena);
    alternative = pick_least(&p);
    if (alternative == PP_NOT_FOUND)
        alternative = pick_nearest(&p);
    candidate = &ladder->decision->set->candidates[alternative];
    out = pp_json_new_object(arena);
    pp_json_set_text(arena, out, "candidate_id", candidate->id);
    pp_json_set_text(arena, out, "label", candidate->label);
    pp_json_set_int(arena, out, "stage", (int64_t)ladder->stages[alternative]);
    pp_passport_put_status(arena, ladder->decision, alternative, out);
    put_changes(arena, ladder, alternative, out);
    pp_json_set_bool(arena, out, "is_secondary_not_recommendation", true);
    return out;
}
