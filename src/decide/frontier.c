/* Rows are sorted by their first cost; a row can only be dominated by rows before it or within the
 * tolerance behind it. Against those, one comparison a column refuses nearly every pair: a row
 * that lies above `reach` in any column is worse there for certain. Only what passes is compared
 * with the real rule.
 *
 * Because tolerant dominance is not transitive, a row may be dominated by a row that is itself
 * dominated and by no other. A faster path may therefore use a small archive to find dominated
 * rows early, but must still hold every survivor against all rows, as this one does. */
#include "decide/frontier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/close.h"

static bool is_equal(double a, double b, pp_dominance dominance)
{
    if (dominance == PP_DOMINANCE_EXACT)
        return a == b;
    return pp_close(a, b, PP_DOMINANCE_RELATIVE_TOLERANCE, PP_DOMINANCE_ABSOLUTE_TOLERANCE);
}

bool pp_dominates(const double *a, const double *b, size_t n_costs, pp_dominance dominance)
{
    bool better = false;

    for (size_t i = 0; i < n_costs; i++) {
        if (is_equal(a[i], b[i], dominance))
            continue;
        if (a[i] > b[i])
            return false;
        better = true;
    }
    return better;
}

typedef struct sorted_row {
    double first_cost;
    size_t number; /* row in the caller's table */
} sorted_row;

typedef struct search {
    const double *costs; /* the caller's rows, in sorted order */
    size_t n_rows, n_costs;
    pp_dominance dominance;
    double *reach; /* n_costs; scratch */
} search;

/* A cost above this is worse than `cost` and not nearly equal. With d = other - cost > 2e-9*|cost|
 * + 2e-12, neither 1e-12 nor 1e-9*|cost| nor 1e-9*|other| <= 1e-9*(|cost| + d) reaches d. */
static double reach_of(double cost, pp_dominance dominance)
{
    if (dominance == PP_DOMINANCE_EXACT)
        return cost;
    return cost +
           2.0 * (PP_DOMINANCE_RELATIVE_TOLERANCE * fabs(cost) + PP_DOMINANCE_ABSOLUTE_TOLERANCE);
}

static bool is_out_of_reach(const search *s, const double *row)
{
    for (size_t i = 0; i < s->n_costs; i++) {
        if (row[i] > s->reach[i])
            return true;
    }
    return false;
}

static bool is_dominated(search *s, size_t at)
{
    const double *row = s->costs + at * s->n_costs;

    for (size_t i = 0; i < s->n_costs; i++)
        s->reach[i] = reach_of(row[i], s->dominance);
    for (size_t other = 0; other < s->n_rows; other++) {
        const double *rival = s->costs + other * s->n_costs;

        if (rival[0] > s->reach[0])
            return false; /* and so are all behind it */
        if (other != at && !is_out_of_reach(s, rival) &&
            pp_dominates(rival, row, s->n_costs, s->dominance))
            return true;
    }
    return false;
}

static size_t mark_members(search *s, const sorted_row *order, bool *ret_member)
{
    size_t count = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        ret_member[order[i].number] = !is_dominated(s, i);
        count += ret_member[order[i].number];
    }
    return count;
}

static int compare_rows(const void *a, const void *b)
{
    const sorted_row *x = a;
    const sorted_row *y = b;

    if (x->first_cost != y->first_cost)
        return x->first_cost < y->first_cost ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort_rows(const double *costs, size_t n_rows, size_t n_costs, sorted_row *order,
                      double *ret_sorted)
{
    for (size_t i = 0; i < n_rows; i++)
        order[i] = (sorted_row){costs[i * n_costs], i};
    qsort(order, n_rows, sizeof *order, compare_rows);
    for (size_t i = 0; i < n_rows; i++)
        memcpy(ret_sorted + i * n_costs, costs + order[i].number * n_costs,
               n_costs * sizeof *costs);
}

pp_status pp_frontier_find(const double *costs, size_t n_rows, size_t n_costs, bool *ret_member,
                           pp_dominance *ret_dominance, pp_error *err)
{
    sorted_row *order = calloc(n_rows + 1, sizeof *order);
    double *sorted = calloc(n_rows + 1, n_costs * sizeof *sorted);
    double *reach = calloc(n_costs, sizeof *reach);
    search s = {sorted, n_rows, n_costs, PP_DOMINANCE_TOLERANT, reach};
    pp_status st = PP_OK;

    PP_ASSERT(n_costs > 0);
    if (order == NULL || sorted == NULL || reach == NULL) {
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory for a frontier of %zu rows", n_rows);
        goto done;
    }
    sort_rows(costs, n_rows, n_costs, order, sorted);
    if (mark_members(&s, order, ret_member) == 0) {
        s.dominance = PP_DOMINANCE_EXACT;
        (void)mark_members(&s, order, ret_member); /* exact dominance has no circles */
    }
    *ret_dominance = s.dominance;
    if (n_rows == 0)
        *ret_dominance = PP_DOMINANCE_TOLERANT;
done:
    free(reach);
    free(sorted);
    free(order);
    return st;
}
