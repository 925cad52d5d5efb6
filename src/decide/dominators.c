/* Most rows are dominated by one of the first members, which a plain look finds. For the others a
 * search asks for the least numbered row in their orthant, as in frontier_divide.c: first for rows
 * that are not worse anywhere, and where the answer is a near tie in every column, column by
 * column for rows that are better there. */
#include "decide/dominators.h"

#include <string.h>

#include "base/arena.h"
#include "decide/column_ranks.h"
#include "decide/orthant.h"

enum { LOOKED_AT = 128 };

typedef struct quest {
    const double *costs;
    size_t n_rows, n_costs;
    const bool *member;
    pp_dominance dominance;
    size_t *dominators;
} quest;

static const double *row_of(const quest *q, size_t row)
{
    return q->costs + row * q->n_costs;
}

static bool dominates(const quest *q, size_t rival, size_t row)
{
    return pp_dominates(row_of(q, rival), row_of(q, row), q->n_costs, q->dominance);
}

/* ---- the first members --------------------------------------------------------------------- */

static size_t list_first_members(const quest *q, size_t *ret_first)
{
    size_t count = 0;

    for (size_t i = 0; i < q->n_rows && count < LOOKED_AT; i++) {
        if (q->member[i])
            ret_first[count++] = i;
    }
    return count;
}

/* Gives the number of rows that are left. */
static size_t look_at_first_members(const quest *q)
{
    size_t first[LOOKED_AT];
    size_t count = list_first_members(q, first);
    size_t left = 0;

    for (size_t i = 0; i < q->n_rows; i++) {
        q->dominators[i] = PP_DOMINATOR_NONE;
        for (size_t j = 0; !q->member[i] && j < count; j++) {
            if (dominates(q, first[j], i)) {
                q->dominators[i] = first[j];
                break;
            }
        }
        left += !q->member[i] && q->dominators[i] == PP_DOMINATOR_NONE;
    }
    return left;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Rows that take part, ascending: points (members, or in the second round all) and open rows. */
typedef struct part {
    const quest *q;
    uint32_t *rows;
    size_t n_rows;
    bool are_all_points;
    uint32_t *order;  /* places in rows, by the first column */
    pp_place *places; /* by place in rows, one for each column */
    uint32_t *points, *queries, *limits, *found;
} part;

static bool is_open(const quest *q, size_t row)
{
    return !q->member[row] && q->dominators[row] == PP_DOMINATOR_NONE;
}

static void rank_columns(const part *p, double *costs, pp_keyed_row *by, pp_keyed_row *scratch)
{
    const quest *q = p->q;

    for (size_t j = q->n_costs; j-- > 0;) { /* the first column last: its order is needed */
        for (size_t i = 0; i < p->n_rows; i++)
            costs[i] = row_of(q, p->rows[i])[j];
        pp_column_sort(costs, p->n_rows, 1, by, scratch);
        (void)pp_column_rank(by, p->n_rows, q->n_costs, q->dominance, p->places + j, costs);
    }
    for (size_t i = 0; i < p->n_rows; i++)
        p->order[i] = by[i].row;
}

static pp_status prepare(pp_arena *room, const quest *q, bool are_all_points, part *p,
                         pp_error *err)
{
    size_t n = q->n_rows;
    size_t stride = PP_ORTHANT_FIRST + q->n_costs;
    double *costs;
    pp_keyed_row *by, *scratch;
    pp_status st;

    *p = (part){.q = q, .are_all_points = are_all_points, .rows = PP_ARENA_NEW(room, uint32_t, n)};
    for (size_t i = 0; p->rows != NULL && i < n; i++) {
        if (are_all_points || q->member[i] || is_open(q, i))
            p->rows[p->n_rows++] = (uint32_t)i;
    }
    n = p->n_rows;
    costs = PP_ARENA_NEW(room, double, n);
    by = PP_ARENA_NEW(room, pp_keyed_row, n);
    scratch = PP_ARENA_NEW(room, pp_keyed_row, n);
    p->order = PP_ARENA_NEW(room, uint32_t, n);
    p->places = pp_arena_alloc(room, n, q->n_costs * sizeof *p->places);
    p->points = pp_arena_alloc(room, n, stride * sizeof *p->points);
    p->queries = pp_arena_alloc(room, n, stride * sizeof *p->queries);
    p->limits = PP_ARENA_NEW(room, uint32_t, n);
    p->found = PP_ARENA_NEW(room, uint32_t, n);
    st = pp_arena_check(room, err);
    if (st == PP_OK)
        rank_columns(p, costs, by, scratch);
    return st;
}

/* Better in one column, not worse in the others; no column: not worse in all. */
#define NO_COLUMN ((size_t)-1)

static bool put_query(const part *p, uint32_t *entry, uint32_t at, size_t column)
{
    const pp_place *places = p->places + at * p->q->n_costs;

    entry[PP_ORTHANT_NUMBER] = at;
    for (size_t j = 0; j < p->q->n_costs; j++) {
        if (j == column && places[j].better == 0)
            return false;
        entry[PP_ORTHANT_FIRST + j] = j == column ? places[j].better - 1 : places[j].not_worse;
    }
    return true;
}

static void put_point(const part *p, uint32_t *entry, uint32_t at)
{
    entry[PP_ORTHANT_NUMBER] = at;
    entry[PP_ORTHANT_VALUE] = at; /* rows ascend with their places */
    for (size_t j = 0; j < p->q->n_costs; j++)
        entry[PP_ORTHANT_FIRST + j] = p->places[at * p->q->n_costs + j].rank;
}

static pp_status search(const part *p, size_t column, pp_error *err)
{
    const quest *q = p->q;
    size_t stride = PP_ORTHANT_FIRST + q->n_costs;
    pp_orthant s = {.width = q->n_costs,
                    .points = p->points,
                    .queries = p->queries,
                    .limits = p->limits,
                    .found = p->found};

    for (size_t i = 0; i < p->n_rows; i++) {
        uint32_t at = p->order[i];

        if (p->are_all_points || q->member[p->rows[at]])
            put_point(p, p->points + s.n_points++ * stride, at);
        if (is_open(q, p->rows[at]) && put_query(p, p->queries + s.n_queries * stride, at, column))
            s.n_queries++;
    }
    return pp_orthant_search(&s, err);
}

static void forget(const part *p)
{
    memset(p->found, 0xff, p->n_rows * sizeof *p->found);
    memset(p->limits, 0xff, p->n_rows * sizeof *p->limits);
}

/* When the first row that is not worse anywhere is better somewhere, it is the first dominator. */
static pp_status search_roughly(const part *p, size_t *ret_left, pp_error *err)
{
    pp_status st;

    *ret_left = 0;
    forget(p);
    st = search(p, NO_COLUMN, err);
    for (size_t i = 0; st == PP_OK && i < p->n_rows; i++) {
        if (!is_open(p->q, p->rows[i]) || p->found[i] == PP_ORTHANT_NONE)
            continue;
        if (dominates(p->q, p->rows[p->found[i]], p->rows[i]))
            p->q->dominators[p->rows[i]] = p->rows[p->found[i]];
        else
            ++*ret_left;
    }
    return st;
}

/* The limits stay from column to column, so that the last answer is the least of all. */
static pp_status search_by_column(const part *p, pp_error *err)
{
    pp_status st = PP_OK;

    forget(p);
    for (size_t j = 0; st == PP_OK && j < p->q->n_costs; j++)
        st = search(p, j, err);
    for (size_t i = 0; st == PP_OK && i < p->n_rows; i++) {
        if (is_open(p->q, p->rows[i]) && p->found[i] != PP_ORTHANT_NONE)
            p->q->dominators[p->rows[i]] = p->rows[p->found[i]];
    }
    return st;
}

static pp_status search_round(const quest *q, bool are_all_points, pp_error *err)
{
    pp_arena room = {0};
    part p;
    size_t left = 0;
    pp_status st = prepare(&room, q, are_all_points, &p, err);

    if (st == PP_OK)
        st = search_roughly(&p, &left, err);
    if (st == PP_OK && left > 0)
        st = search_by_column(&p, err);
    pp_arena_done(&room);
    return st;
}

static bool has_open(const quest *q)
{
    for (size_t i = 0; i < q->n_rows; i++) {
        if (is_open(q, i))
            return true;
    }
    return false;
}

pp_status pp_frontier_find_dominators(const double *costs, size_t n_rows, size_t n_costs,
                                      const bool *member, pp_dominance dominance,
                                      size_t *ret_dominators, pp_error *err)
{
    quest q = {costs, n_rows, n_costs, member, dominance, ret_dominators};
    pp_status st = PP_OK;

    PP_ASSERT(n_costs > 0 && n_rows <= PP_FRONTIER_MAX_ROWS);
    if (look_at_first_members(&q) == 0)
        return PP_OK;
    st = search_round(&q, false, err);
    if (st == PP_OK && has_open(&q))
        st = search_round(&q, true, err);
    return pp_wrap(err, st, "finding what dominates %zu rows", n_rows);
}
