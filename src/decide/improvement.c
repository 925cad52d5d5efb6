#include "decide/improvement.h"

#include <float.h>
#include <math.h>

#include "decide/edge.h"

typedef struct search {
    const pp_decision *decision;
    size_t width;
    double *costs;   /* a row for each eligible candidate, less is better */
    double *nearest; /* for each metric the least cost of those that would still dominate */
    double *equals;  /* the same, of those that are equal in all other metrics */
} search;

/* a is worse than b in this metric, beyond nearly equal: then a cannot dominate b. */
static bool is_worse(const double *a, const double *b, size_t metric)
{
    return pp_dominates(b + metric, a + metric, 1, PP_DOMINANCE_TOLERANT);
}

/* The rival, which dominates, is better in a metric other than this one. */
static bool is_better_elsewhere(const double *rival, const double *row, size_t width, size_t metric)
{
    for (size_t i = 0; i < width; i++) {
        if (i != metric && is_worse(row, rival, i))
            return true;
    }
    return false;
}

/* Only rivals that dominate now: one that is worse in some metric is no less so when the candidate
 * improves. */
static void find_rivals(search *s, size_t at)
{
    const double *row = s->costs + at * s->width;

    for (size_t j = 0; j < s->width; j++)
        s->nearest[j] = s->equals[j] = INFINITY;
    for (size_t i = 0; i < s->decision->eligible.count; i++) {
        const double *rival = s->costs + i * s->width;

        if (i == at || !pp_dominates(rival, row, s->width, PP_DOMINANCE_TOLERANT))
            continue;
        for (size_t j = 0; j < s->width; j++) {
            double *least = is_better_elsewhere(rival, row, s->width, j) ? s->nearest : s->equals;

            least[j] = fmin(least[j], rival[j]);
        }
    }
}

/* A rival of this cost against the candidate at another: in the other metrics better, or equal. */
typedef struct duel {
    double rival_cost;
    bool better_elsewhere;
} duel;

static bool is_free(const void *context, double cost)
{
    const duel *d = context;
    double rival[2] = {d->rival_cost, d->better_elsewhere ? 0.0 : 1.0};
    double row[2] = {cost, 1.0};

    return !pp_dominates(rival, row, 2, PP_DOMINANCE_TOLERANT);
}

/* The highest cost not above `from` at which no rival dominates; NAN when there is none. */
static double free_cost(const search *s, size_t metric, double from)
{
    const duel duels[] = {{s->nearest[metric], true}, {s->equals[metric], false}};
    double cost = from;

    for (size_t i = 0; i < PP_COUNT_OF(duels); i++) {
        if (isinf(duels[i].rival_cost) || is_free(&duels[i], cost))
            continue;
        if (!is_free(&duels[i], -DBL_MAX))
            return NAN;
        cost = pp_edge_find(is_free, &duels[i], cost, -DBL_MAX);
    }
    return cost;
}

static bool is_forbidden(const pp_decision *d, size_t candidate, const pp_goal *goal, double value)
{
    const pp_constraints *c = d->constraints;
    bool is_max = goal->direction == PP_DIRECTION_MAX;
    const pp_limit *list = is_max ? c->max_values : c->min_values;
    size_t count = is_max ? c->max_value_count : c->min_value_count;

    if (candidate == d->set->baseline_index && !c->quality_not_measurable &&
        pp_text_equal(goal->metric, c->quality_metric))
        return true;
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(list[i].metric, goal->metric) &&
            (is_max ? value > list[i].value : value < list[i].value))
            return true;
    }
    return false;
}

static bool is_smaller(const pp_improvement *a, const pp_improvement *b)
{
    if (!b->exists)
        return true;
    if (a->has_percent != b->has_percent)
        return a->has_percent;
    return a->has_percent && fabs(a->change_percent) < fabs(b->change_percent);
}

static pp_improvement improvement_of(const search *s, size_t at, size_t metric)
{
    const pp_decision *d = s->decision;
    const pp_goal *goal = &d->constraints->frontier_metrics[metric];
    double from = s->costs[at * s->width + metric];
    double to = free_cost(s, metric, from);
    bool is_min = goal->direction == PP_DIRECTION_MIN;
    pp_improvement out = {.exists = true, .metric = goal->metric, .value = is_min ? to : -to};

    out.change = is_min ? to - from : from - to;
    out.change_percent = out.change / fabs(from) * 100.0;
    out.has_percent = from != 0.0 && isfinite(out.change_percent);
    if (isnan(to) || !isfinite(out.change) ||
        is_forbidden(d, d->eligible.items[at], goal, out.value))
        out.exists = false;
    return out;
}

static pp_improvement smallest_improvement(search *s, size_t at)
{
    pp_improvement best = {0};

    find_rivals(s, at);
    for (size_t j = 0; j < s->width; j++) {
        pp_improvement one = improvement_of(s, at, j);

        if (one.exists && is_smaller(&one, &best))
            best = one;
    }
    return best;
}

static bool may_answer(const pp_decision *d)
{
    return d->has_winner && d->dominance == PP_DOMINANCE_TOLERANT &&
           d->eligible.count <= PP_IMPROVEMENT_MAX_ELIGIBLE;
}

pp_status pp_improvements_find(pp_arena *arena, const pp_decision *decision,
                               pp_improvement **ret_rows, pp_error *err)
{
    const pp_decision *d = decision;
    search s = {.decision = d, .width = d->constraints->frontier_metric_count};
    pp_improvement *rows = PP_ARENA_NEW(arena, pp_improvement, d->set->candidate_count);
    pp_arena scratch = {0};
    pp_status st = pp_arena_check(arena, err);

    *ret_rows = rows;
    if (st != PP_OK || !may_answer(d))
        return st;
    s.costs = pp_arena_alloc(&scratch, d->eligible.count, s.width * sizeof *s.costs);
    s.nearest = PP_ARENA_NEW(&scratch, double, s.width);
    s.equals = PP_ARENA_NEW(&scratch, double, s.width);
    st = pp_arena_check(&scratch, err);
    for (size_t i = 0; st == PP_OK && i < d->eligible.count; i++)
        pp_decision_costs(d, d->eligible.items[i], s.costs + i * s.width);
    for (size_t i = 0; st == PP_OK && i < d->eligible.count; i++) {
        if (d->verdicts[d->eligible.items[i]].standing == PP_STANDING_DOMINATED)
            rows[d->eligible.items[i]] = smallest_improvement(&s, i);
    }
    pp_arena_done(&scratch);
    return st;
}
