/* Most rows of an ordinary set are dominated by almost any good row. The rows whose orthants hold
 * the largest share of the box around all rows are the good ones (Chomicki, Godfrey, Gryz & Liang
 * 2003 sort by such a figure); each row is held against them once. Where that would be in vain,
 * a look at some rows says so first. */
#include <string.h>

#include "decide/frontier_parts.h"

enum { STRONG_ROWS = 24, LOOKED_AT = 64, WORTH_DIVISOR = 4 };

typedef struct strong {
    double shares[STRONG_ROWS]; /* descending */
    uint32_t rows[STRONG_ROWS];
    size_t count;
} strong;

typedef struct box {
    double *lowest, *size; /* of each column; the size halved, for it may not be a number */
} box;

static void measure(const pp_cost_table *table, const box *b)
{
    memcpy(b->lowest, table->costs, table->n_costs * sizeof *b->lowest);
    memcpy(b->size, table->costs, table->n_costs * sizeof *b->size);
    for (size_t i = 0; i < table->n_rows; i++) {
        const double *row = table->costs + i * table->n_costs;

        for (size_t j = 0; j < table->n_costs; j++) {
            b->lowest[j] = row[j] < b->lowest[j] ? row[j] : b->lowest[j];
            b->size[j] = row[j] > b->size[j] ? row[j] : b->size[j];
        }
    }
    for (size_t j = 0; j < table->n_costs; j++)
        b->size[j] = b->size[j] / 2 - b->lowest[j] / 2;
}

/* Only a guide: rounding, or a share of 0 everywhere, costs time and changes no answer. */
static double share_of(const double *row, const box *b, size_t n_costs)
{
    double share = 1.0;

    for (size_t j = 0; j < n_costs; j++) {
        if (b->size[j] > 0.0)
            share *= 1.0 - (row[j] / 2 - b->lowest[j] / 2) / b->size[j];
    }
    return share;
}

static void offer(strong *s, double share, uint32_t row)
{
    size_t at = s->count < STRONG_ROWS ? s->count++ : STRONG_ROWS - 1;

    for (; at > 0 && s->shares[at - 1] < share; at--) {
        s->shares[at] = s->shares[at - 1];
        s->rows[at] = s->rows[at - 1];
    }
    s->shares[at] = share;
    s->rows[at] = row;
}

static void find_strong(const pp_cost_table *table, const box *b, strong *s)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        double share = share_of(table->costs + i * table->n_costs, b, table->n_costs);

        if (s->count < STRONG_ROWS || share > s->shares[STRONG_ROWS - 1])
            offer(s, share, (uint32_t)i);
    }
}

/* Nowhere above it, and better by the rule: then whatever the row dominates, the rival does, too.
 */
static bool replaces(const double *rival, const double *row, const pp_cost_table *table)
{
    for (size_t j = 0; j < table->n_costs; j++) {
        if (rival[j] > row[j])
            return false;
    }
    return pp_dominates(rival, row, table->n_costs, table->dominance);
}

static bool is_replaced(const strong *s, const pp_cost_table *table, size_t row)
{
    for (size_t i = 0; i < s->count; i++) {
        if (replaces(table->costs + s->rows[i] * table->n_costs,
                     table->costs + row * table->n_costs, table))
            return true;
    }
    return false;
}

static bool is_worth_it(const strong *s, const pp_cost_table *table)
{
    size_t replaced = 0;

    for (size_t i = 0; i < LOOKED_AT; i++)
        replaced += is_replaced(s, table, i * (table->n_rows / LOOKED_AT));
    return replaced >= LOOKED_AT / WORTH_DIVISOR;
}

pp_status pp_frontier_sieve(pp_arena *room, const pp_cost_table *table, uint32_t *ret_rows,
                            size_t *ret_count, pp_error *err)
{
    box b = {PP_ARENA_NEW(room, double, table->n_costs),
             PP_ARENA_NEW(room, double, table->n_costs)};
    pp_status st = pp_arena_check(room, err);
    strong s = {.count = 0};
    bool is_worth = table->n_rows >= LOOKED_AT;

    if (st != PP_OK)
        return st;
    if (is_worth) {
        measure(table, &b);
        find_strong(table, &b, &s);
        is_worth = is_worth_it(&s, table);
    }
    *ret_count = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        if (!is_worth || !is_replaced(&s, table, i))
            ret_rows[(*ret_count)++] = (uint32_t)i;
    }
    return PP_OK;
}
