/* One limit is moved at a time. On its way only those candidates matter whose eligibility it
 * changes, each at its own exact number. At each such number the decision would have to be made
 * anew; most are skipped, because whoever comes or goes there cannot matter:
 *
 * - Somebody goes who is neither selected nor the best, and whom no other candidate is dominated by
 *   alone: frontier (but for itself), cutoff and choice stay.
 * - Somebody comes who is not better than the best, is not inside the cutoff or less preferred than
 *   the selected one, and dominates neither of the two: cutoff and choice stay.
 *
 * Both hold for tolerant dominance, which is not transitive; after exact comparison (frontier.h)
 * nothing is skipped. */
#include "decide/what_if_limits.h"

#include <float.h>
#include <stdlib.h>

#include "decide/edge.h"

/* A limit as one of the constraints. */
typedef struct limit_ref {
    pp_limit_kind kind;
    size_t number; /* in max_values or min_values */
} limit_ref;

/* A candidate whose eligibility changes at this limit. */
typedef struct crossing {
    double limit;
    size_t candidate;
} crossing;

typedef struct walk {
    const pp_decision *start;
    const size_t *ranks;
    limit_ref ref;
    bool loosen;
    pp_arena scratch[2]; /* of the last two decisions */
    int turn;
    pp_decision now;    /* decision at the limit reached so far */
    size_t *dependents; /* for each candidate, how many are marked as dominated by it */
    double *costs;      /* two rows of frontier metrics */
    crossing *crossings;
    size_t crossing_count;
    bool failed; /* memory was short while crossings were searched */
} walk;

/* ---- one limit of the constraints ---------------------------------------------------------- */

/* NULL: the floor of the quality, which is no entry of a list. */
static const pp_limit *entry_of(const pp_constraints *c, limit_ref ref)
{
    if (ref.kind == PP_LIMIT_QUALITY_RETENTION)
        return NULL;
    return ref.kind == PP_LIMIT_MAXIMUM ? &c->max_values[ref.number] : &c->min_values[ref.number];
}

static double limit_value(const pp_constraints *c, limit_ref ref)
{
    const pp_limit *entry = entry_of(c, ref);

    return entry == NULL ? c->min_quality_retention : entry->value;
}

static pp_text limit_metric(const pp_constraints *c, limit_ref ref)
{
    const pp_limit *entry = entry_of(c, ref);

    return entry == NULL ? c->quality_metric : entry->metric;
}

/* Nothing but this limit, on a candidate that has the metric: the real rule, on a copy. */
typedef struct limit_rule {
    pp_limits limits;
    pp_constraints only;
    pp_limit one;
    limit_ref ref;
    const pp_candidate *candidate;
    bool *failed; /* set when memory was short: the answer then means nothing */
} limit_rule;

static bool is_missed(const void *context, double limit)
{
    limit_rule rule = *(const limit_rule *)context;
    pp_arena scratch = {0};
    pp_violations violations = {0};
    pp_status st;

    rule.one.value = limit;
    rule.only.max_values = rule.only.min_values = &rule.one;
    rule.only.min_quality_retention = limit;
    rule.limits.constraints = &rule.only;
    rule.limits.quality_floor = rule.limits.baseline_quality * limit;
    st = pp_limits_judge(&scratch, &rule.limits, rule.candidate, &violations, NULL);
    pp_arena_done(&scratch);
    if (st != PP_OK)
        *rule.failed = true;
    return violations.count > 0;
}

static bool is_met(const void *context, double limit)
{
    return !is_missed(context, limit);
}

static limit_rule rule_of(walk *w, size_t candidate)
{
    const pp_decision *d = w->start;
    limit_ref ref = w->ref;
    const pp_constraints *c = d->constraints;
    const pp_candidate *baseline = &d->set->candidates[d->set->baseline_index];
    limit_rule rule = {
        .ref = ref, .candidate = &d->set->candidates[candidate], .failed = &w->failed};

    rule.one.metric = limit_metric(c, ref);
    rule.only.quality_metric = c->quality_metric;
    rule.only.quality_not_measurable = ref.kind != PP_LIMIT_QUALITY_RETENTION;
    rule.only.max_value_count = ref.kind == PP_LIMIT_MAXIMUM;
    rule.only.min_value_count = ref.kind == PP_LIMIT_MINIMUM;
    if (ref.kind == PP_LIMIT_QUALITY_RETENTION)
        rule.limits.baseline_quality = *pp_candidate_find_metric(baseline, c->quality_metric);
    return rule;
}

/* ---- who comes or goes, and where ---------------------------------------------------------- */

/* This limit is the only one that it misses. */
static bool misses_only(const pp_decision *d, limit_ref ref, size_t candidate)
{
    static const pp_violation_kind kinds[] = {
        [PP_LIMIT_QUALITY_RETENTION] = PP_VIOLATION_QUALITY_RETENTION,
        [PP_LIMIT_MAXIMUM] = PP_VIOLATION_ABOVE_MAXIMUM,
        [PP_LIMIT_MINIMUM] = PP_VIOLATION_BELOW_MINIMUM,
    };
    const pp_violations *violations = &d->verdicts[candidate].violations;

    return violations->count == 1 && violations->items[0].kind == kinds[ref.kind] &&
           pp_text_equal(violations->items[0].metric, limit_metric(d->constraints, ref));
}

/* The value of `list` for this metric, `otherwise` where there is none. */
static double bound_of(const pp_limit *list, size_t count, pp_text metric, double otherwise)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(list[i].metric, metric))
            return list[i].value;
    }
    return otherwise;
}

/* How far the limit may go: a maximum not below the minimum of the same metric. */
static double furthest_limit(const walk *w)
{
    const pp_constraints *c = w->start->constraints;
    pp_text metric = limit_metric(c, w->ref);

    if (w->ref.kind == PP_LIMIT_QUALITY_RETENTION)
        return w->loosen ? 0.0 : 1.0;
    if (w->ref.kind == PP_LIMIT_MAXIMUM)
        return w->loosen ? DBL_MAX : bound_of(c->min_values, c->min_value_count, metric, -DBL_MAX);
    return w->loosen ? -DBL_MAX : bound_of(c->max_values, c->max_value_count, metric, DBL_MAX);
}

static void add_crossing(walk *w, size_t candidate)
{
    limit_rule rule = rule_of(w, candidate);
    pp_edge_rule crossed = w->loosen ? is_met : is_missed;
    double from = limit_value(w->start->constraints, w->ref);
    double to = furthest_limit(w);

    if (crossed(&rule, to))
        w->crossings[w->crossing_count++] =
            (crossing){pp_edge_find(crossed, &rule, from, to), candidate};
}

static int compare_up(const void *a, const void *b)
{
    const crossing *x = a;
    const crossing *y = b;

    if (x->limit != y->limit)
        return x->limit < y->limit ? -1 : 1;
    return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* The same way round among those that cross together. */
static int compare_down(const void *a, const void *b)
{
    const crossing *x = a;
    const crossing *y = b;

    return x->limit != y->limit ? compare_up(b, a) : compare_up(a, b);
}

static void list_crossings(walk *w)
{
    const pp_decision *d = w->start;

    w->crossing_count = 0;
    for (size_t i = 0; i < d->set->candidate_count; i++) {
        if (w->loosen ? misses_only(d, w->ref, i) : d->verdicts[i].violations.count == 0)
            add_crossing(w, i);
    }
    qsort(w->crossings, w->crossing_count, sizeof *w->crossings,
          w->loosen == (w->ref.kind == PP_LIMIT_MAXIMUM) ? compare_up : compare_down);
}

/* ---- who cannot matter --------------------------------------------------------------------- */

static bool dominates(const walk *w, size_t a, size_t b)
{
    size_t width = w->start->constraints->frontier_metric_count;

    pp_decision_costs(w->start, a, w->costs);
    pp_decision_costs(w->start, b, w->costs + width);
    return pp_dominates(w->costs, w->costs + width, width, PP_DOMINANCE_TOLERANT);
}

static bool is_preferred(const walk *w, size_t a, size_t b)
{
    if (w->ranks[a] != w->ranks[b])
        return w->ranks[a] < w->ranks[b];
    return pp_text_compare(w->start->set->candidates[a].id, w->start->set->candidates[b].id) < 0;
}

/* Better than the best, or inside its cutoff and preferred to the selected one. */
static bool could_be_selected(const walk *w, size_t candidate)
{
    const pp_constraints *c = w->start->constraints;
    double value =
        *pp_candidate_find_metric(&w->start->set->candidates[candidate], c->objective.metric);
    pp_option_row rows[2] = {{.value = w->now.numeric_best_value}, {.value = value}};
    bool inside[2];
    pp_choice choice = pp_choice_make(rows, 2, c->objective.direction,
                                      c->objective_tolerance_percent, true, inside);

    return choice.best == 1 || (inside[1] && is_preferred(w, candidate, w->now.selected));
}

static bool may_matter(const walk *w, size_t candidate)
{
    const pp_decision *d = &w->now;

    if (!d->has_winner || d->dominance == PP_DOMINANCE_EXACT)
        return true;
    if (w->loosen)
        return could_be_selected(w, candidate) || dominates(w, candidate, d->selected) ||
               dominates(w, candidate, d->numeric_best);
    return candidate == d->selected || candidate == d->numeric_best || w->dependents[candidate] > 0;
}

/* ---- on the way ---------------------------------------------------------------------------- */

static void count_dependents(walk *w)
{
    for (size_t i = 0; i < w->start->set->candidate_count; i++)
        w->dependents[i] = 0;
    for (size_t i = 0; i < w->now.eligible.count; i++) {
        size_t by = w->now.verdicts[w->now.eligible.items[i]].dominated_by;

        if (by != PP_NOT_FOUND)
            w->dependents[by]++;
    }
}

/* A copy of a list with one value moved. NULL when memory is short. */
static pp_limit *list_with(pp_arena *arena, const pp_limit *list, size_t count, size_t moved,
                           double value)
{
    pp_limit *copy = PP_ARENA_NEW(arena, pp_limit, count);

    for (size_t i = 0; copy != NULL && i < count; i++) {
        copy[i] = list[i];
        if (i == moved)
            copy[i].value = value;
    }
    return copy;
}

static pp_constraints *constraints_with(pp_arena *arena, const pp_constraints *from, limit_ref ref,
                                        double value)
{
    pp_constraints *c = PP_ARENA_NEW(arena, pp_constraints, 1);

    if (c == NULL)
        return NULL;
    *c = *from;
    switch (ref.kind) {
    case PP_LIMIT_QUALITY_RETENTION:
        c->min_quality_retention = value;
        break;
    case PP_LIMIT_MAXIMUM:
        c->max_values =
            list_with(arena, from->max_values, from->max_value_count, ref.number, value);
        break;
    case PP_LIMIT_MINIMUM:
        c->min_values =
            list_with(arena, from->min_values, from->min_value_count, ref.number, value);
        break;
    }
    return c;
}

static pp_status decide_at(walk *w, double limit, pp_error *err)
{
    pp_arena *arena = &w->scratch[w->turn];
    pp_constraints *c = constraints_with(arena, w->start->constraints, w->ref, limit);
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    st = pp_decide(arena, w->start->set, c, &w->now, err);
    w->turn = !w->turn;
    pp_arena_done(&w->scratch[w->turn]); /* the decision before this one */
    if (st == PP_OK)
        count_dependents(w);
    return st;
}

static bool has_other_winner(const walk *w)
{
    if (!w->start->has_winner || !w->now.has_winner)
        return w->start->has_winner != w->now.has_winner;
    return w->now.selected != w->start->selected;
}

/* Those that cross at the same number come or go together. */
static size_t pass_group(walk *w, size_t at, bool *ret_matters)
{
    double limit = w->crossings[at].limit;

    *ret_matters = false;
    for (; at < w->crossing_count && w->crossings[at].limit == limit; at++)
        *ret_matters = *ret_matters || may_matter(w, w->crossings[at].candidate);
    return at;
}

static pp_status find_turn(walk *w, pp_limit_turn *ret_turn, pp_error *err)
{
    pp_status st = PP_OK;
    bool matters;

    w->now = *w->start;
    list_crossings(w);
    if (w->failed)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    count_dependents(w);
    for (size_t at = 0, next; st == PP_OK && at < w->crossing_count; at = next) {
        next = pass_group(w, at, &matters);
        if (!matters)
            continue;
        st = decide_at(w, w->crossings[at].limit, err);
        if (st != PP_OK || !has_other_winner(w))
            continue;
        *ret_turn = (pp_limit_turn){true, w->crossings[at].limit, w->crossings[at].candidate,
                                    w->now.has_winner ? w->now.selected : PP_NOT_FOUND};
        break;
    }
    pp_arena_done(&w->scratch[0]);
    pp_arena_done(&w->scratch[1]);
    return st;
}

/* ---- all limits ---------------------------------------------------------------------------- */

static size_t list_limits(const pp_constraints *c, limit_ref *refs)
{
    size_t count = 0;

    if (!c->quality_not_measurable)
        refs[count++] = (limit_ref){PP_LIMIT_QUALITY_RETENTION, 0};
    for (size_t i = 0; i < c->max_value_count; i++)
        refs[count++] = (limit_ref){PP_LIMIT_MAXIMUM, i};
    for (size_t i = 0; i < c->min_value_count; i++)
        refs[count++] = (limit_ref){PP_LIMIT_MINIMUM, i};
    return count;
}

static pp_status find_change(walk *w, pp_limit_change *ret_change, pp_error *err)
{
    const pp_constraints *c = w->start->constraints;
    pp_limit_change change = {
        .kind = w->ref.kind, .metric = limit_metric(c, w->ref), .limit = limit_value(c, w->ref)};
    pp_status st;

    w->loosen = true;
    st = find_turn(w, &change.looser, err);
    w->loosen = false;
    if (st == PP_OK && w->start->has_winner)
        st = find_turn(w, &change.tighter, err);
    *ret_change = change;
    return st;
}

pp_status pp_what_if_limits(pp_arena *arena, const pp_decision *decision, const size_t *ranks,
                            pp_what_if *what_if, pp_error *err)
{
    const pp_constraints *c = decision->constraints;
    size_t n = decision->set->candidate_count;
    size_t most = 1 + c->max_value_count + c->min_value_count;
    limit_ref *refs = PP_ARENA_NEW(arena, limit_ref, most);
    walk w = {.start = decision, .ranks = ranks};
    pp_status st;
    size_t count;

    what_if->limits = PP_ARENA_NEW(arena, pp_limit_change, most);
    w.dependents = PP_ARENA_NEW(arena, size_t, n);
    w.crossings = PP_ARENA_NEW(arena, crossing, n);
    w.costs = pp_arena_alloc(arena, c->frontier_metric_count, 2 * sizeof *w.costs);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    count = list_limits(c, refs);
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        w.ref = refs[i];
        st = find_change(&w, &what_if->limits[i], err);
    }
    what_if->limit_count = count;
    return st;
}
