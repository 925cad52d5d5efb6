#include "decide/what_if.h"

#include <stdlib.h>

#include "decide/edge.h"
#include "decide/what_if_limits.h"

const char *pp_limit_kind_name(pp_limit_kind kind)
{
    static const char *const names[] = {
        [PP_LIMIT_QUALITY_RETENTION] = "quality-retention",
        [PP_LIMIT_MAXIMUM] = "maximum",
        [PP_LIMIT_MINIMUM] = "minimum",
    };

    return names[kind];
}

/* ---- tolerance ----------------------------------------------------------------------------- */

/* When a frontier candidate comes inside the cutoff. */
typedef struct entry {
    double from_percent;
    size_t rank, candidate;
    size_t place; /* in the order of ids */
} entry;

typedef struct band {
    pp_option_row rows[2]; /* the best, and one other */
    pp_direction direction;
} band;

static bool is_inside(const void *context, double tolerance_percent)
{
    const band *b = context;
    bool inside[2];

    (void)pp_choice_make(b->rows, 2, b->direction, tolerance_percent, true, inside);
    return inside[1];
}

static bool find_entry(const pp_decision *d, size_t candidate, double *ret_percent)
{
    const pp_goal *goal = &d->constraints->objective;
    const double *value = pp_candidate_find_metric(&d->set->candidates[candidate], goal->metric);
    band b = {.rows = {{.value = d->numeric_best_value}, {.value = *value}},
              .direction = goal->direction};

    *ret_percent = 0.0;
    if (is_inside(&b, 0.0))
        return true;
    if (!is_inside(&b, 100.0))
        return false;
    *ret_percent = pp_edge_find(is_inside, &b, 0.0, 100.0);
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;

    if (x->from_percent != y->from_percent)
        return x->from_percent < y->from_percent ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static size_t list_entries(const pp_decision *d, const size_t *ranks, entry *entries)
{
    size_t count = 0;

    for (size_t i = 0; i < d->frontier.count; i++) {
        size_t candidate = d->frontier.items[i];

        if (find_entry(d, candidate, &entries[count].from_percent)) {
            entries[count].rank = ranks[candidate];
            entries[count].candidate = candidate;
            entries[count++].place = i;
        }
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    return count;
}

/* Who comes inside takes over when it is preferred to all that are inside already. */
static pp_status find_steps(pp_arena *arena, const pp_decision *d, const size_t *ranks,
                            pp_what_if *w, pp_error *err)
{
    entry *entries = PP_ARENA_NEW(arena, entry, d->frontier.count);
    const entry *winner = NULL;
    pp_status st;
    size_t count;

    w->steps = PP_ARENA_NEW(arena, pp_tolerance_step, d->frontier.count);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    count = list_entries(d, ranks, entries);
    for (size_t i = 0; i < count; i++) {
        const entry *e = &entries[i];

        if (winner != NULL &&
            (e->rank > winner->rank || (e->rank == winner->rank && e->place > winner->place)))
            continue;
        winner = e;
        w->steps[w->step_count++] = (pp_tolerance_step){e->from_percent, e->candidate};
    }
    return PP_OK;
}

/* ---- objective ----------------------------------------------------------------------------- */

static pp_status try_objective(const pp_decision *d, const pp_goal *goal,
                               pp_objective_change *ret_change, pp_error *err)
{
    pp_constraints changed = *d->constraints;
    pp_arena scratch = {0};
    pp_decision made;
    pp_status st;

    changed.objective = *goal;
    st = pp_decide(&scratch, d->set, &changed, &made, err);
    if (st == PP_OK) {
        PP_ASSERT(made.has_winner); /* the objective decides nothing about who is eligible */
        *ret_change = (pp_objective_change){*goal, made.selected, made.numeric_best};
    }
    pp_arena_done(&scratch);
    return st;
}

static pp_status find_objectives(pp_arena *arena, const pp_decision *d, pp_what_if *w,
                                 pp_error *err)
{
    const pp_constraints *c = d->constraints;
    pp_status st;

    w->objectives = PP_ARENA_NEW(arena, pp_objective_change, c->frontier_metric_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < c->frontier_metric_count; i++) {
        const pp_goal *goal = &c->frontier_metrics[i];

        if (!pp_text_equal(goal->metric, c->objective.metric))
            st = try_objective(d, goal, &w->objectives[w->objective_count++], err);
    }
    return st;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Place of each candidate in the preference order, 0 for all where there is none. */
static size_t *rank_candidates(pp_arena *arena, const pp_decision *d)
{
    const pp_constraints *c = d->constraints;
    size_t *ranks = PP_ARENA_NEW(arena, size_t, d->set->candidate_count);

    for (size_t i = 0; ranks != NULL && i < c->preference_count; i++)
        ranks[pp_benchmark_set_find(d->set, c->preference_order[i])] = i;
    return ranks;
}

pp_status pp_what_if_find(pp_arena *arena, const pp_decision *decision, pp_what_if *ret_what_if,
                          pp_error *err)
{
    pp_what_if w = {0};
    size_t *ranks = rank_candidates(arena, decision);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK && decision->has_winner)
        st = find_steps(arena, decision, ranks, &w, err);
    if (st == PP_OK)
        st = pp_what_if_limits(arena, decision, ranks, &w, err);
    if (st == PP_OK && decision->has_winner)
        st = find_objectives(arena, decision, &w, err);
    if (st == PP_OK)
        *ret_what_if = w;
    return st;
}

/* ---- as a document ------------------------------------------------------------------------- */

static pp_json *id_or_null(pp_arena *arena, const pp_decision *d, size_t candidate)
{
    if (candidate == PP_NOT_FOUND)
        return pp_json_new_null(arena);
    return pp_json_new_text(arena, d->set->candidates[candidate].id);
}

static pp_json *tolerance_to_json(pp_arena *arena, const pp_decision *d, const pp_what_if *w)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < w->step_count; i++) {
        pp_json *step = pp_json_new_object(arena);

        pp_json_set_real(arena, step, "from_percent", w->steps[i].from_percent);
        pp_json_set(arena, step, "selected_id", id_or_null(arena, d, w->steps[i].selected));
        pp_json_add(arena, out, step);
    }
    return out;
}

static pp_json *turn_to_json(pp_arena *arena, const pp_decision *d, const pp_limit_turn *turn)
{
    pp_json *out;

    if (!turn->exists)
        return pp_json_new_null(arena);
    out = pp_json_new_object(arena);
    pp_json_set_real(arena, out, "limit", turn->limit);
    pp_json_set(arena, out, "candidate_id", id_or_null(arena, d, turn->candidate));
    pp_json_set(arena, out, "selected_id", id_or_null(arena, d, turn->selected));
    return out;
}

static pp_json *limits_to_json(pp_arena *arena, const pp_decision *d, const pp_what_if *w)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < w->limit_count; i++) {
        const pp_limit_change *limit = &w->limits[i];
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_string(arena, row, "kind", pp_limit_kind_name(limit->kind));
        pp_json_set_text(arena, row, "metric", limit->metric);
        pp_json_set_real(arena, row, "limit", limit->limit);
        pp_json_set(arena, row, "looser", turn_to_json(arena, d, &limit->looser));
        pp_json_set(arena, row, "tighter", turn_to_json(arena, d, &limit->tighter));
        pp_json_add(arena, out, row);
    }
    return out;
}

static pp_json *objectives_to_json(pp_arena *arena, const pp_decision *d, const pp_what_if *w)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < w->objective_count; i++) {
        const pp_objective_change *change = &w->objectives[i];
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_text(arena, row, "metric", change->objective.metric);
        pp_json_set_string(arena, row, "direction", pp_direction_name(change->objective.direction));
        pp_json_set(arena, row, "selected_id", id_or_null(arena, d, change->selected));
        pp_json_set(arena, row, "best_id", id_or_null(arena, d, change->best));
        pp_json_add(arena, out, row);
    }
    return out;
}

pp_json *pp_what_if_to_json(pp_arena *arena, const pp_decision *decision, const pp_what_if *what_if)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set(arena, out, "tolerance", tolerance_to_json(arena, decision, what_if));
    pp_json_set(arena, out, "limits", limits_to_json(arena, decision, what_if));
    pp_json_set(arena, out, "objectives", objectives_to_json(arena, decision, what_if));
    return out;
}
