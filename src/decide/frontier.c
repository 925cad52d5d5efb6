/* What counts as a point that matters: when a row is nowhere above another, it dominates whatever
 * the other dominates, with tolerance as well as without, since each condition asks for a cost that
 * is low enough. So the rows that are minimal in the plain, exact sense decide about all, and the
 * exact sense is transitive: it can be divided and conquered. docs/method/decision.md has the
 * whole argument. */
#include "decide/frontier.h"

#include <stdlib.h>

#include "decide/column_ranks.h"
#include "decide/frontier_parts.h"

bool pp_dominates(const double *a, const double *b, size_t n_costs, pp_dominance dominance)
{
    bool better = false;

    for (size_t i = 0; i < n_costs; i++) {
        if (pp_cost_is_better(b[i], a[i], dominance))
            return false;
        better = better || pp_cost_is_better(a[i], b[i], dominance);
    }
    return better;
}

void pp_frontier_compare_pairs(const pp_cost_table *table, bool *ret_member)
{
    size_t n_costs = table->n_costs;

    for (size_t i = 0; i < table->n_rows; i++) {
        ret_member[i] = true;
        for (size_t j = 0; j < table->n_rows && ret_member[i]; j++)
            ret_member[i] = !pp_dominates(table->costs + j * n_costs, table->costs + i * n_costs,
                                          n_costs, table->dominance);
    }
}

static pp_status mark_table(pp_arena *room, const pp_cost_table *table, bool *ret_member,
                            pp_error *err)
{
    if (table->n_rows <= PP_FRONTIER_PAIRS_MAX_ROWS) {
        pp_frontier_compare_pairs(table, ret_member);
        return PP_OK;
    }
    if (table->n_costs <= 2)
        return pp_frontier_sweep_two(room, table, ret_member, err);
    if (table->n_costs == 3)
        return pp_frontier_sweep_three(room, table, ret_member, err);
    return pp_frontier_divide(room, table, ret_member, err);
}

/* The rows that the sieve left, as a table of their own; its marks are those of the whole. */
static pp_status mark_sieved(pp_arena *room, const pp_cost_table *table, const uint32_t *rows,
                             size_t n_rows, bool *ret_member, pp_error *err)
{
    size_t n_costs = table->n_costs;
    double *costs = pp_arena_alloc(room, n_rows, n_costs * sizeof *costs);
    bool *member = PP_ARENA_NEW(room, bool, n_rows);
    pp_cost_table kept = {costs, n_rows, n_costs, table->dominance};
    pp_status st = pp_arena_check(room, err);

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t j = 0; j < n_costs; j++)
            costs[i * n_costs + j] = table->costs[rows[i] * n_costs + j];
    }
    st = mark_table(room, &kept, member, err);
    for (size_t i = 0; i < table->n_rows; i++)
        ret_member[i] = false;
    for (size_t i = 0; st == PP_OK && i < n_rows; i++)
        ret_member[rows[i]] = member[i];
    return st;
}

static pp_status mark_members(const pp_cost_table *table, bool *ret_member, pp_error *err)
{
    pp_arena room = {0};
    uint32_t *rows;
    size_t n_rows;
    pp_status st;

    if (table->n_rows <= PP_FRONTIER_PAIRS_MAX_ROWS)
        return mark_table(&room, table, ret_member, err);
    rows = PP_ARENA_NEW(&room, uint32_t, table->n_rows);
    st = pp_arena_check(&room, err);
    if (st == PP_OK)
        st = pp_frontier_sieve(&room, table, rows, &n_rows, err);
    if (st == PP_OK)
        st = n_rows == table->n_rows ? mark_table(&room, table, ret_member, err)
                                     : mark_sieved(&room, table, rows, n_rows, ret_member, err);
    pp_arena_done(&room);
    return st;
}

pp_status pp_frontier_find(const double *costs, size_t n_rows, size_t n_costs, bool *ret_member,
                           pp_dominance *ret_dominance, pp_error *err)
{
    pp_cost_table table = {costs, n_rows, n_costs, PP_DOMINANCE_TOLERANT};
    bool is_empty = true;
    pp_status st;

    PP_ASSERT(n_costs > 0 && n_rows <= PP_FRONTIER_MAX_ROWS);
    st = mark_members(&table, ret_member, err);
    for (size_t i = 0; st == PP_OK && is_empty && i < n_rows; i++)
        is_empty = !ret_member[i];
    if (st == PP_OK && is_empty && n_rows > 0) {
        table.dominance = PP_DOMINANCE_EXACT; /* which has no circles */
        st = mark_members(&table, ret_member, err);
    }
    *ret_dominance = table.dominance;
    return pp_wrap(err, st, "finding the frontier of %zu rows", n_rows);
}
