/* Rows in the order of the first column. A row is dominated when a row that is better there is not
 * worse in the others, or one that is not worse there is better in another and worse in none. The
 * rows that are better, and those that are not worse, both stand at the front of the order; what
 * the best of each beginning costs in the other columns decides. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decide/column_ranks.h"
#include "decide/frontier_parts.h"

static pp_keyed_row *sort_rows(pp_arena *room, const pp_cost_table *table, size_t column)
{
    pp_keyed_row *order = PP_ARENA_NEW(room, pp_keyed_row, table->n_rows);
    pp_keyed_row *scratch = PP_ARENA_NEW(room, pp_keyed_row, table->n_rows);

    if (order != NULL && scratch != NULL)
        pp_column_sort(table->costs + column, table->n_rows, table->n_costs, order, scratch);
    return order;
}

/* ---- two columns --------------------------------------------------------------------------- */

typedef struct pair_order {
    const pp_keyed_row *order;
    double *first, *second;
    double *least; /* least[i] is the lowest second cost of the first i rows */
} pair_order;

/* A table of one column behaves as one whose second column is 0 everywhere. */
static void gather_pairs(const pp_cost_table *table, const pair_order *p)
{
    p->least[0] = INFINITY;
    for (size_t i = 0; i < table->n_rows; i++) {
        const double *row = table->costs + p->order[i].row * table->n_costs;

        p->first[i] = row[0];
        p->second[i] = table->n_costs > 1 ? row[1] : 0.0;
        p->least[i + 1] = fmin(p->least[i], p->second[i]);
    }
}

pp_status pp_frontier_sweep_two(pp_arena *room, const pp_cost_table *table, bool *ret_member,
                                pp_error *err)
{
    pair_order p = {sort_rows(room, table, 0), PP_ARENA_NEW(room, double, table->n_rows),
                    PP_ARENA_NEW(room, double, table->n_rows),
                    PP_ARENA_NEW(room, double, table->n_rows + 1)};
    pp_status st = pp_arena_check(room, err);
    pp_dominance rule = table->dominance;

    if (st != PP_OK)
        return st;
    gather_pairs(table, &p);
    for (size_t i = 0, better = 0, not_worse = 0; i < table->n_rows; i++) {
        while (pp_cost_is_better(p.first[better], p.first[i], rule))
            better++;
        while (not_worse < table->n_rows &&
               !pp_cost_is_better(p.first[i], p.first[not_worse], rule))
            not_worse++;
        ret_member[p.order[i].row] = pp_cost_is_better(p.second[i], p.least[better], rule) &&
                                     !pp_cost_is_better(p.least[not_worse], p.second[i], rule);
    }
    return PP_OK;
}

/* ---- three columns ------------------------------------------------------------------------- */

/* The lowest third cost among the rows put in with a rank below a bound: a tree of prefix minima
 * (Fenwick 1994, with the minimum in the place of the sum). */
typedef struct minima {
    double *nodes; /* n_ranks + 1 */
    size_t n_ranks;
} minima;

static void minima_add(const minima *m, size_t rank, double cost)
{
    /* a node that is low enough already has parents that are */
    for (size_t i = rank + 1; i <= m->n_ranks && m->nodes[i] > cost; i += i & (~i + 1))
        m->nodes[i] = cost;
}

static double minima_below(const minima *m, size_t end_rank)
{
    double least = INFINITY;

    for (size_t i = end_rank; i > 0; i &= i - 1)
        least = m->nodes[i] < least ? m->nodes[i] : least;
    return least;
}

static void minima_clear(const minima *m)
{
    for (size_t i = 0; i <= m->n_ranks; i++)
        m->nodes[i] = INFINITY;
}

typedef enum mark { MARK_MEMBER, MARK_DOMINATED, MARK_OPEN } mark;

typedef struct triple {
    double costs[3];
    pp_place second;
    uint32_t row;
    bool has_near_tie; /* in the first or the second column, with a cost that is not equal */
    unsigned char mark;
} triple;

typedef struct sweep {
    triple *rows; /* in the order of all three columns */
    size_t n_rows;
    pp_dominance rule;
    minima front, back;
} sweep;

static int compare_triples(const void *a, const void *b)
{
    const triple *x = a;
    const triple *y = b;

    for (size_t i = 0; i < 3; i++) {
        if (x->costs[i] != y->costs[i])
            return x->costs[i] < y->costs[i] ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_equals(triple *rows, size_t n_rows)
{
    for (size_t begin = 0, end; begin < n_rows; begin = end) {
        for (end = begin + 1; end < n_rows && rows[end].costs[0] == rows[begin].costs[0];)
            end++;
        if (end - begin > 1)
            qsort(rows + begin, end - begin, sizeof *rows, compare_triples);
    }
}

static void find_near_ties(const sweep *s)
{
    for (size_t i = 0; i < s->n_rows; i++) {
        triple *row = &s->rows[i];

        row->has_near_tie = row->has_near_tie || row->second.better != row->second.rank ||
                            row->second.not_worse != row->second.rank;
        if (i + 1 < s->n_rows && row->costs[0] < row[1].costs[0] &&
            !pp_cost_is_better(row->costs[0], row[1].costs[0], s->rule)) {
            row->has_near_tie = true;
            row[1].has_near_tie = true;
        }
    }
    /* of equal costs, the last one met its neighbour above and the first one that below */
    for (size_t i = 1; i < s->n_rows; i++) {
        if (s->rows[i].costs[0] == s->rows[i - 1].costs[0] && s->rows[i - 1].has_near_tie)
            s->rows[i].has_near_tie = true;
    }
    for (size_t i = s->n_rows; i-- > 1;) {
        if (s->rows[i].costs[0] == s->rows[i - 1].costs[0] && s->rows[i].has_near_tie)
            s->rows[i - 1].has_near_tie = true;
    }
}

static pp_status prepare_sweep(pp_arena *room, const pp_cost_table *table, sweep *s, pp_error *err)
{
    size_t n = table->n_rows;
    pp_keyed_row *first = sort_rows(room, table, 0);
    pp_keyed_row *second = sort_rows(room, table, 1);
    pp_place *places = PP_ARENA_NEW(room, pp_place, n);
    double *values = PP_ARENA_NEW(room, double, n);
    pp_status st;

    *s = (sweep){PP_ARENA_NEW(room, triple, n), n, table->dominance, {0}, {0}};
    s->front.nodes = PP_ARENA_NEW(room, double, n + 1);
    s->back.nodes = PP_ARENA_NEW(room, double, n + 1);
    st = pp_arena_check(room, err);
    if (st != PP_OK)
        return st;
    s->front.n_ranks = s->back.n_ranks =
        pp_column_rank(second, n, 1, table->dominance, places, values);
    for (size_t i = 0; i < n; i++) {
        uint32_t row = first[i].row;

        for (size_t j = 0; j < 3; j++) /* -0.0 becomes 0.0, so that equal rows have equal bytes */
            s->rows[i].costs[j] = table->costs[row * (size_t)3 + j] + 0.0;
        s->rows[i].second = places[row];
        s->rows[i].row = row;
    }
    sort_equals(s->rows, n);
    find_near_ties(s);
    return PP_OK;
}

/* Against the rows before this one, none of which is above it in the first two columns. Without a
 * near tie there, a third cost that is not higher means dominance, for the rows are not equal. */
static mark judge_quickly(const sweep *s, const triple *row)
{
    double least = minima_below(&s->front, row->second.rank + (size_t)1);

    if (pp_cost_is_better(least, row->costs[2], s->rule))
        return MARK_DOMINATED;
    if (row->has_near_tie)
        return MARK_OPEN;
    if (least == row->costs[2])
        return MARK_DOMINATED;
    return pp_cost_is_better(row->costs[2], least, s->rule) ? MARK_MEMBER : MARK_OPEN;
}

/* True when some row was left open. */
static bool sweep_quickly(const sweep *s)
{
    bool is_open = false;

    minima_clear(&s->front);
    for (size_t i = 0; i < s->n_rows; i++) {
        triple *row = &s->rows[i];

        if (i > 0 && memcmp(row->costs, row[-1].costs, sizeof row->costs) == 0) {
            row->mark = row[-1].mark;
            continue;
        }
        row->mark = (unsigned char)judge_quickly(s, row);
        is_open = is_open || row->mark == MARK_OPEN;
        minima_add(&s->front, row->second.rank, row->costs[2]);
    }
    return is_open;
}

/* The definition: front holds the rows that are better in the first column, back those that are
 * not worse. */
static bool is_dominated(const sweep *s, const triple *row)
{
    size_t not_worse = row->second.not_worse + (size_t)1;

    return !pp_cost_is_better(row->costs[2], minima_below(&s->front, not_worse), s->rule) ||
           !pp_cost_is_better(row->costs[2], minima_below(&s->back, row->second.better), s->rule) ||
           pp_cost_is_better(minima_below(&s->back, not_worse), row->costs[2], s->rule);
}

static void sweep_open(const sweep *s)
{
    size_t better = 0;
    size_t not_worse = 0;

    minima_clear(&s->front);
    minima_clear(&s->back);
    for (size_t i = 0; i < s->n_rows; i++) {
        triple *row = &s->rows[i];

        if (row->mark != MARK_OPEN)
            continue;
        for (; pp_cost_is_better(s->rows[better].costs[0], row->costs[0], s->rule); better++)
            minima_add(&s->front, s->rows[better].second.rank, s->rows[better].costs[2]);
        for (; not_worse < s->n_rows &&
               !pp_cost_is_better(row->costs[0], s->rows[not_worse].costs[0], s->rule);
             not_worse++)
            minima_add(&s->back, s->rows[not_worse].second.rank, s->rows[not_worse].costs[2]);
        row->mark = is_dominated(s, row) ? MARK_DOMINATED : MARK_MEMBER;
    }
}

pp_status pp_frontier_sweep_three(pp_arena *room, const pp_cost_table *table, bool *ret_member,
                                  pp_error *err)
{
    sweep s;
    pp_status st = prepare_sweep(room, table, &s, err);

    if (st != PP_OK)
        return st;
    if (sweep_quickly(&s))
        sweep_open(&s);
    for (size_t i = 0; i < s.n_rows; i++)
        ret_member[s.rows[i].row] = s.rows[i].mark == MARK_MEMBER;
    return PP_OK;
}
