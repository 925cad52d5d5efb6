#include "decide/decision.h"

#include <math.h>
#include <stdio.h>

#include "decide/dominators.h"

const char *pp_standing_name(pp_standing standing)
{
    static const char *const names[] = {
        [PP_STANDING_REJECTED] = "rejected", [PP_STANDING_DOMINATED] = "dominated",
        [PP_STANDING_FRONTIER] = "frontier", [PP_STANDING_SHORTLIST] = "shortlist",
        [PP_STANDING_SELECTED] = "selected",
    };

    return names[standing];
}

/* ---- preference order ---------------------------------------------------------------------- */

/* Names of `a` that `b` does not hold, in order, as "'x', 'y'". */
static void list_absent(const pp_name_index *a, const pp_name_index *b, pp_buf *out)
{
    for (size_t i = 0; i < a->count; i++) {
        char shown[96];

        if (pp_name_index_find(b, a->entries[i].name) != PP_NOT_FOUND)
            continue;
        pp_text_escape_controls(a->entries[i].name.data, a->entries[i].name.size, shown,
                                sizeof shown);
        pp_buf_printf(out, "%s'%s'", out->size == 0 ? "" : ", ", shown);
    }
}

static pp_status check_coverage(const pp_benchmark_set *set, const pp_name_index *ranks,
                                pp_error *err)
{
    pp_buf missing;
    pp_buf unknown;
    pp_status st = PP_OK;

    pp_buf_init(&missing, 800); /* what does not fit into a message is left out of it */
    pp_buf_init(&unknown, 800);
    list_absent(&set->by_id, ranks, &missing);
    list_absent(ranks, &set->by_id, &unknown);
    if (missing.size > 0 || unknown.size > 0)
        st =
            pp_fail(err, PP_ERR_DOMAIN,
                    "$.preference_order: expected exactly the candidates; missing: %s; unknown: %s",
                    missing.size == 0 ? "none" : pp_buf_text(&missing),
                    unknown.size == 0 ? "none" : pp_buf_text(&unknown));
    pp_buf_done(&missing);
    pp_buf_done(&unknown);
    return st;
}

static pp_status rank_candidates(pp_arena *arena, const pp_benchmark_set *set,
                                 const pp_constraints *c, pp_name_index *ret_ranks, pp_error *err)
{
    pp_status st = pp_name_index_init(arena, c->preference_count, ret_ranks, err);

    if (st != PP_OK || c->preference_count == 0)
        return st;
    for (size_t i = 0; i < c->preference_count; i++)
        ret_ranks->entries[i] = (pp_name_entry){c->preference_order[i], i};
    pp_name_index_sort(ret_ranks);
    return check_coverage(set, ret_ranks, err);
}

/* ---- eligibility --------------------------------------------------------------------------- */

typedef pp_status (*preparer)(pp_arena *arena, const pp_benchmark_set *set,
                              const pp_constraints *constraints, pp_limits *ret_limits,
                              pp_error *err);

static pp_status judge_all(pp_arena *arena, const pp_benchmark_set *set, const pp_constraints *c,
                           preparer prepare, pp_decision *d, pp_error *err)
{
    pp_limits limits;
    pp_status st = prepare(arena, set, c, &limits, err);

    for (size_t i = 0; st == PP_OK && i < set->candidate_count; i++) {
        d->verdicts[i].dominated_by = PP_NOT_FOUND;
        st = pp_limits_judge(arena, &limits, &set->candidates[i], &d->verdicts[i].violations, err);
    }
    for (size_t i = 0; st == PP_OK && i < set->candidate_count; i++) {
        size_t candidate = set->by_id.entries[i].number;

        if (d->verdicts[candidate].violations.count == 0)
            d->eligible.items[d->eligible.count++] = candidate;
    }
    return st;
}

/* ---- frontier ------------------------------------------------------------------------------ */

/* All of them are there, or the candidate would not be eligible. */
void pp_decision_costs(const pp_decision *decision, size_t candidate, double *ret_costs)
{
    const pp_constraints *c = decision->constraints;

    for (size_t i = 0; i < c->frontier_metric_count; i++) {
        const pp_goal *goal = &c->frontier_metrics[i];
        double value =
            *pp_candidate_find_metric(&decision->set->candidates[candidate], goal->metric);

        ret_costs[i] = goal->direction == PP_DIRECTION_MIN ? value : -value;
    }
}

/* One row for each eligible candidate. */
static double *cost_rows(pp_arena *arena, const pp_decision *d)
{
    size_t width = d->constraints->frontier_metric_count;
    double *costs = NULL;

    if (width <= SIZE_MAX / sizeof *costs)
        costs = pp_arena_alloc(arena, d->eligible.count, width * sizeof *costs);
    for (size_t i = 0; costs != NULL && i < d->eligible.count; i++)
        pp_decision_costs(d, d->eligible.items[i], costs + i * width);
    return costs;
}

static pp_status find_frontier(pp_arena *arena, pp_decision *d, pp_error *err)
{
    double *costs = cost_rows(arena, d);
    size_t width = d->constraints->frontier_metric_count;
    bool *member = PP_ARENA_NEW(arena, bool, d->eligible.count);
    size_t *dominators = PP_ARENA_NEW(arena, size_t, d->eligible.count);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_frontier_find(costs, d->eligible.count, width, member, &d->dominance, err);
    if (st == PP_OK)
        st = pp_frontier_find_dominators(costs, d->eligible.count, width, member, d->dominance,
                                         dominators, err);
    for (size_t i = 0; st == PP_OK && i < d->eligible.count; i++) {
        size_t candidate = d->eligible.items[i];

        d->verdicts[candidate].standing = member[i] ? PP_STANDING_FRONTIER : PP_STANDING_DOMINATED;
        if (member[i])
            d->frontier.items[d->frontier.count++] = candidate;
        else if (dominators[i] != PP_DOMINATOR_NONE)
            d->verdicts[candidate].dominated_by = d->eligible.items[dominators[i]];
    }
    return st;
}

/* ---- choice -------------------------------------------------------------------------------- */

static double objective_of(const pp_decision *d, size_t candidate)
{
    return *pp_candidate_find_metric(&d->set->candidates[candidate],
                                     d->constraints->objective.metric);
}

static void measure_shortfall(pp_decision *d, const pp_choice *choice, size_t candidate)
{
    pp_verdict *verdict = &d->verdicts[candidate];

    verdict->shortfall = pp_choice_shortfall(choice, d->constraints->objective.direction,
                                             objective_of(d, candidate));
    verdict->outside_cutoff = verdict->standing < PP_STANDING_SHORTLIST && verdict->shortfall > 0.0;
    verdict->shortfall_percent = verdict->shortfall / fabs(d->cutoff) * 100.0;
    verdict->has_shortfall_percent = d->cutoff != 0.0 && isfinite(verdict->shortfall_percent);
}

static void find_near_miss(pp_decision *d)
{
    d->near_miss = PP_NOT_FOUND;
    for (size_t i = 0; i < d->frontier.count; i++) {
        size_t candidate = d->frontier.items[i];

        if (d->verdicts[candidate].outside_cutoff &&
            (d->near_miss == PP_NOT_FOUND ||
             d->verdicts[candidate].shortfall < d->verdicts[d->near_miss].shortfall))
            d->near_miss = candidate;
    }
}

static void record_choice(pp_decision *d, const pp_choice *choice, const bool *inside)
{
    d->has_winner = true;
    d->numeric_best = d->frontier.items[choice->best];
    d->numeric_best_value = choice->best_value;
    d->cutoff = choice->cutoff;
    d->reason = choice->reason;
    d->selected = d->frontier.items[choice->selected];
    for (size_t i = 0; i < d->frontier.count; i++) {
        if (!inside[i])
            continue;
        d->verdicts[d->frontier.items[i]].standing = PP_STANDING_SHORTLIST;
        d->shortlist.items[d->shortlist.count++] = d->frontier.items[i];
    }
    d->verdicts[d->selected].standing = PP_STANDING_SELECTED;
    for (size_t i = 0; i < d->eligible.count; i++)
        measure_shortfall(d, choice, d->eligible.items[i]);
    find_near_miss(d);
}

static pp_status choose(pp_arena *arena, const pp_name_index *ranks, pp_decision *d, pp_error *err)
{
    const pp_constraints *c = d->constraints;
    pp_option_row *rows = PP_ARENA_NEW(arena, pp_option_row, d->frontier.count);
    bool *inside = PP_ARENA_NEW(arena, bool, d->frontier.count);
    pp_status st = pp_arena_check(arena, err);
    pp_choice choice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < d->frontier.count; i++) {
        pp_text id = d->set->candidates[d->frontier.items[i]].id;

        rows[i] = (pp_option_row){id, objective_of(d, d->frontier.items[i]),
                                  ranks->count == 0 ? 0 : pp_name_index_find(ranks, id)};
    }
    choice = pp_choice_make(rows, d->frontier.count, c->objective.direction,
                            c->objective_tolerance_percent, ranks->count > 0, inside);
    record_choice(d, &choice, inside);
    return PP_OK;
}

static pp_status decide(pp_arena *arena, const pp_benchmark_set *set,
                        const pp_constraints *constraints, preparer prepare,
                        pp_decision *ret_decision, pp_error *err)
{
    pp_decision d = {.set = set, .constraints = constraints, .near_miss = PP_NOT_FOUND};
    size_t n = set->candidate_count;
    pp_name_index ranks;
    pp_status st;

    d.verdicts = PP_ARENA_NEW(arena, pp_verdict, n);
    d.eligible.items = PP_ARENA_NEW(arena, size_t, n);
    d.frontier.items = PP_ARENA_NEW(arena, size_t, n);
    d.shortlist.items = PP_ARENA_NEW(arena, size_t, n);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = rank_candidates(arena, set, constraints, &ranks, err);
    if (st == PP_OK)
        st = judge_all(arena, set, constraints, prepare, &d, err);
    if (st == PP_OK && d.eligible.count > 0) {
        st = find_frontier(arena, &d, err);
        if (st == PP_OK)
            st = choose(arena, &ranks, &d, err);
    }
    if (st == PP_OK)
        *ret_decision = d;
    return st;
}

pp_status pp_decide(pp_arena *arena, const pp_benchmark_set *set, const pp_constraints *constraints,
                    pp_decision *ret_decision, pp_error *err)
{
    return decide(arena, set, constraints, pp_limits_prepare, ret_decision, err);
}

pp_status pp_decide_measured(pp_arena *arena, const pp_benchmark_set *set,
                             const pp_constraints *constraints, pp_decision *ret_decision,
                             pp_error *err)
{
    return decide(arena, set, constraints, pp_limits_prepare_measured, ret_decision, err);
}
