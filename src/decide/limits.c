#include "decide/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/close.h"

const char *pp_violation_kind_name(pp_violation_kind kind)
{
    static const char *const names[] = {
        [PP_VIOLATION_MISSING_METRIC] = "missing-metric",
        [PP_VIOLATION_QUALITY_RETENTION] = "quality-retention",
        [PP_VIOLATION_ABOVE_MAXIMUM] = "above-maximum",
        [PP_VIOLATION_BELOW_MINIMUM] = "below-minimum",
    };

    return names[kind];
}

/* ---- preparing ----------------------------------------------------------------------------- */

static pp_status find_floor(const pp_benchmark_set *set, pp_limits *limits, pp_error *err)
{
    const pp_constraints *c = limits->constraints;
    const double *quality =
        pp_candidate_find_metric(&set->candidates[set->baseline_index], c->quality_metric);

    if (quality == NULL)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "the baseline '%s' has no quality metric '%s' to compare with",
                       set->baseline_id.data, c->quality_metric.data);
    if (!(*quality > 0.0))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "the baseline '%s' has %s = %g, expected above 0 to compare with",
                       set->baseline_id.data, c->quality_metric.data, *quality);
    limits->baseline_quality = *quality;
    limits->quality_floor = *quality * c->min_quality_retention;
    return PP_OK;
}

static void gather_required(const pp_constraints *c, pp_name_index *names)
{
    size_t at = 0;

    if (!c->quality_not_measurable)
        names->entries[at++].name = c->quality_metric;
    names->entries[at++].name = c->objective.metric;
    for (size_t i = 0; i < c->frontier_metric_count; i++)
        names->entries[at++].name = c->frontier_metrics[i].metric;
    for (size_t i = 0; i < c->max_value_count; i++)
        names->entries[at++].name = c->max_values[i].metric;
    for (size_t i = 0; i < c->min_value_count; i++)
        names->entries[at++].name = c->min_values[i].metric;
    names->count = at;
}

static pp_status list_required(pp_arena *arena, pp_limits *limits, pp_error *err)
{
    const pp_constraints *c = limits->constraints;
    size_t most = 2 + c->frontier_metric_count + c->max_value_count + c->min_value_count;
    pp_name_index names;
    pp_status st = pp_name_index_init(arena, most, &names, err);

    if (st != PP_OK)
        return st;
    gather_required(c, &names);
    pp_name_index_sort(&names);
    limits->required = PP_ARENA_NEW(arena, pp_text, names.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < names.count; i++) {
        if (i == 0 || !pp_text_equal(names.entries[i].name, names.entries[i - 1].name))
            limits->required[limits->required_count++] = names.entries[i].name;
    }
    return st;
}

pp_status pp_limits_prepare(pp_arena *arena, const pp_benchmark_set *set,
                            const pp_constraints *constraints, pp_limits *ret_limits, pp_error *err)
{
    pp_limits limits = {.constraints = constraints};
    pp_status st = PP_OK;

    if (!constraints->quality_not_measurable)
        st = find_floor(set, &limits, err);
    if (st == PP_OK)
        st = list_required(arena, &limits, err);
    if (st == PP_OK)
        *ret_limits = limits;
    return st;
}

pp_status pp_limits_prepare_measured(pp_arena *arena, const pp_benchmark_set *set,
                                     const pp_constraints *constraints, pp_limits *ret_limits,
                                     pp_error *err)
{
    const double *quality = pp_candidate_find_metric(&set->candidates[set->baseline_index],
                                                     constraints->quality_metric);
    pp_limits limits = {.constraints = constraints};
    pp_status st;

    if (constraints->quality_not_measurable || (quality != NULL && *quality > 0.0))
        return pp_limits_prepare(arena, set, constraints, ret_limits, err);
    limits.lacks_floor = true;
    st = list_required(arena, &limits, err);
    if (st == PP_OK)
        *ret_limits = limits;
    return st;
}

/* ---- judging ------------------------------------------------------------------------------- */

/* before + metric + after; the metric's name may hold a NUL */
static pp_text sentence(pp_arena *arena, const char *before, pp_text metric, const char *after)
{
    size_t front = strlen(before);
    size_t back = strlen(after);
    size_t size = front + metric.size + back;
    char *out = PP_ARENA_NEW(arena, char, size + 1);

    if (out == NULL)
        return (pp_text){0};
    memcpy(out, before, front);
    if (metric.size > 0)
        memcpy(out + front, metric.data, metric.size);
    memcpy(out + front + metric.size, after, back);
    return (pp_text){out, size};
}

/* Violations are counted first (items is NULL) and written in a second walk over the same rules,
 * so that eligible candidates, nearly all of them, cost no memory. */
typedef struct walk {
    pp_arena *arena;
    const pp_limits *limits;
    pp_violation *items;
    size_t count;
} walk;

static pp_violation *next(walk *w, pp_violation_kind kind, pp_text metric)
{
    pp_violation *violation;

    if (w->items == NULL) {
        w->count++;
        return NULL;
    }
    violation = &w->items[w->count++];
    violation->kind = kind;
    violation->metric = metric;
    return violation;
}

static void set_slack(pp_violation *violation, double value, double limit, double slack)
{
    violation->value = value;
    violation->limit = limit;
    violation->slack = slack;
    violation->slack_percent = slack / fabs(limit) * 100.0;
    violation->has_slack_percent = limit != 0.0 && isfinite(violation->slack_percent);
}

static bool is_close(double value, double limit)
{
    return pp_close(value, limit, PP_LIMIT_RELATIVE_TOLERANCE, 0.0);
}

static void check_presence(walk *w, const pp_candidate *candidate)
{
    for (size_t i = 0; i < w->limits->required_count; i++) {
        pp_text metric = w->limits->required[i];
        pp_violation *violation;

        if (pp_candidate_find_metric(candidate, metric) != NULL)
            continue;
        violation = next(w, PP_VIOLATION_MISSING_METRIC, metric);
        if (violation != NULL)
            violation->text = sentence(w->arena, "missing metric ", metric, "");
    }
}

/* What is missing is the baseline's; a candidate without the metric has its violation already. */
static void refuse_without_floor(walk *w, const pp_candidate *candidate)
{
    pp_text metric = w->limits->constraints->quality_metric;
    pp_violation *violation;

    if (pp_candidate_find_metric(candidate, metric) == NULL)
        return;
    violation = next(w, PP_VIOLATION_MISSING_METRIC, metric);
    if (violation == NULL)
        return;
    violation->of_baseline = true;
    violation->text =
        sentence(w->arena, "quality retention unknown: the baseline has no ", metric, " above 0");
}

static void check_quality(walk *w, const pp_candidate *candidate)
{
    const pp_limits *limits = w->limits;
    const pp_constraints *c = limits->constraints;
    const double *quality = pp_candidate_find_metric(candidate, c->quality_metric);
    pp_violation *violation;
    char *text;

    if (quality == NULL || !(*quality < limits->quality_floor) ||
        is_close(*quality, limits->quality_floor))
        return;
    violation = next(w, PP_VIOLATION_QUALITY_RETENTION, c->quality_metric);
    if (violation == NULL)
        return;
    set_slack(violation, *quality, limits->quality_floor, *quality - limits->quality_floor);
    text = pp_arena_printf(w->arena, "quality retention %.4f is below %.4f",
                           *quality / limits->baseline_quality, c->min_quality_retention);
    if (text != NULL)
        violation->text = pp_text_of(text);
}

static void check_maximum(walk *w, const pp_candidate *candidate, const pp_limit *limit)
{
    const double *value = pp_candidate_find_metric(candidate, limit->metric);
    pp_violation *violation;
    char after[96];

    if (value == NULL || !(*value > limit->value) || is_close(*value, limit->value))
        return;
    violation = next(w, PP_VIOLATION_ABOVE_MAXIMUM, limit->metric);
    if (violation == NULL)
        return;
    set_slack(violation, *value, limit->value, limit->value - *value);
    (void)snprintf(after, sizeof after, "=%g exceeds maximum %g", *value, limit->value);
    violation->text = sentence(w->arena, "", limit->metric, after);
}

static void check_minimum(walk *w, const pp_candidate *candidate, const pp_limit *limit)
{
    const double *value = pp_candidate_find_metric(candidate, limit->metric);
    pp_violation *violation;
    char after[96];

    if (value == NULL || !(*value < limit->value) || is_close(*value, limit->value))
        return;
    violation = next(w, PP_VIOLATION_BELOW_MINIMUM, limit->metric);
    if (violation == NULL)
        return;
    set_slack(violation, *value, limit->value, *value - limit->value);
    (void)snprintf(after, sizeof after, "=%g is below minimum %g", *value, limit->value);
    violation->text = sentence(w->arena, "", limit->metric, after);
}

static void check_all(walk *w, const pp_candidate *candidate)
{
    const pp_constraints *c = w->limits->constraints;

    w->count = 0;
    check_presence(w, candidate);
    if (w->limits->lacks_floor)
        refuse_without_floor(w, candidate);
    else if (!c->quality_not_measurable)
        check_quality(w, candidate);
    for (size_t i = 0; i < c->max_value_count; i++)
        check_maximum(w, candidate, &c->max_values[i]);
    for (size_t i = 0; i < c->min_value_count; i++)
        check_minimum(w, candidate, &c->min_values[i]);
}

pp_status pp_limits_judge(pp_arena *arena, const pp_limits *limits, const pp_candidate *candidate,
                          pp_violations *ret_violations, pp_error *err)
{
    walk w = {.arena = arena, .limits = limits};
    pp_status st;

    check_all(&w, candidate);
    *ret_violations = (pp_violations){0};
    if (w.count == 0)
        return PP_OK;
    w.items = PP_ARENA_NEW(arena, pp_violation, w.count);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    check_all(&w, candidate);
    *ret_violations = (pp_violations){w.items, w.count};
    return pp_arena_check(arena, err);
}
