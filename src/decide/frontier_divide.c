/* Two searches. The first one is exact: a row is found when another is nowhere above it and not
 * equal to it. That settles every row without near ties, and every row whose finder is better by
 * the rule. The second one asks the definition for the others, once for each column: is there a
 * row that is better in this column and not worse in the rest?
 *
 * A row that the exact search did not find can only be dominated by a row that is above it
 * somewhere and counts as not worse there, so by one with a near tie of its own; only a row that
 * was found by a near tie has to be held against all. */
#include <stdlib.h>
#include <string.h>

#include "decide/column_ranks.h"
#include "decide/frontier_parts.h"
#include "decide/orthant.h"

typedef struct divide {
    const pp_cost_table *table;
    pp_place *places; /* row by row, a place for each column */
    bool *has_near_tie;
    uint32_t *order;    /* rows, by the first column, then the second, ... */
    uint32_t *position; /* by row; equal rows share one, and they rise along the order */
    uint32_t *points, *queries;
    uint32_t *limits, *found;
} divide;

/* ---- preparing ----------------------------------------------------------------------------- */

static const pp_place *places_of(const divide *d, size_t row)
{
    return d->places + row * d->table->n_costs;
}

static void mark_near_ties(const divide *d)
{
    for (size_t i = 0; i < d->table->n_rows; i++) {
        const pp_place *places = places_of(d, i);

        for (size_t j = 0; j < d->table->n_costs; j++)
            d->has_near_tie[i] = d->has_near_tie[i] || places[j].better != places[j].rank ||
                                 places[j].not_worse != places[j].rank;
    }
}

typedef struct ranked_row {
    const pp_place *places;
    size_t n_costs;
    uint32_t row;
} ranked_row;

static int compare_places(const pp_place *a, const pp_place *b, size_t n_costs)
{
    for (size_t i = 0; i < n_costs; i++) {
        if (a[i].rank != b[i].rank)
            return a[i].rank < b[i].rank ? -1 : 1;
    }
    return 0;
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked_row *x = a;
    const ranked_row *y = b;
    int order = compare_places(x->places, y->places, x->n_costs);

    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* by: the rows in the order of the first column; a run of equals gets the order of the others */
static void order_rows(const divide *d, const pp_keyed_row *by, ranked_row *run)
{
    size_t n = d->table->n_rows;

    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && by[end].key == by[begin].key; end++)
            run[end - begin] =
                (ranked_row){places_of(d, by[end].row), d->table->n_costs, by[end].row};
        if (end - begin > 1)
            qsort(run, end - begin, sizeof *run, compare_ranked);
        for (size_t i = begin; i < end; i++)
            d->order[i] = run[i - begin].row;
    }
    for (size_t i = 1; i < n; i++) {
        uint32_t before = d->order[i - 1];
        bool is_equal =
            compare_places(places_of(d, before), places_of(d, d->order[i]), d->table->n_costs) == 0;

        d->position[d->order[i]] = d->position[before] + !is_equal;
    }
}

static pp_status prepare_divide(pp_arena *room, const pp_cost_table *table, divide *d,
                                pp_error *err)
{
    size_t n = table->n_rows;
    size_t width = PP_ORTHANT_FIRST + table->n_costs - 1;
    pp_keyed_row *by = PP_ARENA_NEW(room, pp_keyed_row, n);
    pp_keyed_row *scratch = PP_ARENA_NEW(room, pp_keyed_row, n);
    ranked_row *run = PP_ARENA_NEW(room, ranked_row, n);
    pp_status st;

    *d = (divide){
        .table = table,
        .places = pp_arena_alloc(room, n, table->n_costs * sizeof *d->places),
        .has_near_tie = PP_ARENA_NEW(room, bool, n),
        .order = PP_ARENA_NEW(room, uint32_t, n),
        .position = PP_ARENA_NEW(room, uint32_t, n),
        .points = pp_arena_alloc(room, n, width * sizeof *d->points),
        .queries = pp_arena_alloc(room, n, width * sizeof *d->queries),
        .limits = PP_ARENA_NEW(room, uint32_t, n),
        .found = PP_ARENA_NEW(room, uint32_t, n),
    };
    st = pp_arena_check(room, err);
    if (st != PP_OK)
        return st;
    for (size_t j = table->n_costs; j-- > 0;) { /* the first column last: its order is needed */
        pp_column_sort(table->costs + j, n, table->n_costs, by, scratch);
        (void)pp_column_rank(by, n, table->n_costs, table->dominance, d->places + j,
                             (double *)(void *)scratch);
    }
    mark_near_ties(d);
    order_rows(d, by, run);
    memset(d->found, 0xff, n * sizeof *d->found);
    return PP_OK;
}

/* ---- searching ----------------------------------------------------------------------------- */

/* The last column is the value of an entry, the others are its coordinates. */
static uint32_t *put_ranks(const divide *d, uint32_t *entry, uint32_t row)
{
    size_t last = d->table->n_costs - 1;
    const pp_place *places = places_of(d, row);

    entry[PP_ORTHANT_NUMBER] = row;
    for (size_t j = 0; j < last; j++)
        entry[PP_ORTHANT_FIRST + j] = places[j].rank;
    entry[PP_ORTHANT_VALUE] = places[last].rank;
    return entry + PP_ORTHANT_FIRST + last;
}

static pp_orthant search_of(const divide *d)
{
    return (pp_orthant){.width = d->table->n_costs - 1,
                        .points = d->points,
                        .queries = d->queries,
                        .limits = d->limits,
                        .found = d->found,
                        .is_any_enough = true};
}

/* The position in the place of the first column: only rows before a row can be below it, and
 * equal rows, which share a position, never meet. */
static pp_status search_exactly(const divide *d, pp_error *err)
{
    pp_orthant search = search_of(d);
    uint32_t *point = d->points;
    uint32_t *query = d->queries;

    search.may_drop_found = true;
    for (size_t i = 0; i < d->table->n_rows; i++) {
        uint32_t row = d->order[i];
        uint32_t *next = put_ranks(d, point, row);

        point[PP_ORTHANT_FIRST] = d->position[row];
        if (d->position[row] > 0) {
            d->limits[row] = places_of(d, row)[d->table->n_costs - 1].rank + 1;
            query = put_ranks(d, query, row);
            query[-(ptrdiff_t)search.width] = d->position[row] - 1;
            search.n_queries++;
        }
        point = next;
    }
    search.n_points = d->table->n_rows;
    return pp_orthant_search(&search, err);
}

typedef enum state { STATE_SETTLED, STATE_UNFOUND, STATE_FOUND_NEAR } state;

static state state_of(const divide *d, size_t row)
{
    size_t n_costs = d->table->n_costs;
    uint32_t finder = d->found[row];

    if (!d->has_near_tie[row])
        return STATE_SETTLED;
    if (finder == PP_ORTHANT_NONE)
        return STATE_UNFOUND;
    return pp_dominates(d->table->costs + finder * n_costs, d->table->costs + row * n_costs,
                        n_costs, d->table->dominance)
               ? STATE_SETTLED
               : STATE_FOUND_NEAR;
}

/* Better in one column, not worse in the others. Edges rise with ranks, so that the order of rows
 * is that of any of their edges in the first column. False when nothing is better. */
static bool put_edges(const divide *d, uint32_t *entry, uint32_t row, size_t column)
{
    size_t last = d->table->n_costs - 1;
    const pp_place *places = places_of(d, row);

    if (places[column].better == 0)
        return false;
    entry[PP_ORTHANT_NUMBER] = row;
    for (size_t j = 0; j < last; j++)
        entry[PP_ORTHANT_FIRST + j] = j == column ? places[j].better - 1 : places[j].not_worse;
    d->limits[row] = last == column ? places[last].better : places[last].not_worse + 1;
    return true;
}

static pp_status search_column(const divide *d, const unsigned char *states, state which,
                               size_t column, pp_error *err)
{
    pp_orthant search = search_of(d);
    size_t stride = PP_ORTHANT_FIRST + search.width;

    for (size_t i = 0; i < d->table->n_rows; i++) {
        uint32_t row = d->order[i];

        if (which == STATE_FOUND_NEAR || d->has_near_tie[row])
            (void)put_ranks(d, d->points + search.n_points++ * stride, row);
        if (states[row] == which && d->found[row] == PP_ORTHANT_NONE &&
            put_edges(d, d->queries + search.n_queries * stride, row, column))
            search.n_queries++;
    }
    return search.n_queries == 0 ? PP_OK : pp_orthant_search(&search, err);
}

static pp_status search_again(const divide *d, const unsigned char *states, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; i < d->table->n_rows; i++) {
        if (states[i] == STATE_FOUND_NEAR)
            d->found[i] = PP_ORTHANT_NONE;
    }
    for (size_t j = 0; st == PP_OK && j < d->table->n_costs; j++) {
        st = search_column(d, states, STATE_UNFOUND, j, err);
        if (st == PP_OK)
            st = search_column(d, states, STATE_FOUND_NEAR, j, err);
    }
    return st;
}

pp_status pp_frontier_divide(pp_arena *room, const pp_cost_table *table, bool *ret_member,
                             pp_error *err)
{
    unsigned char *states = PP_ARENA_NEW(room, unsigned char, table->n_rows);
    divide d;
    pp_status st = prepare_divide(room, table, &d, err);

    if (st == PP_OK)
        st = search_exactly(&d, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < table->n_rows; i++)
        states[i] = (unsigned char)state_of(&d, i);
    st = search_again(&d, states, err);
    for (size_t i = 0; st == PP_OK && i < table->n_rows; i++)
        ret_member[i] = d.found[i] == PP_ORTHANT_NONE;
    return st;
}
