/* column_ranks.h - inside decide/ only: costs replaced by their places in the sorted column.
 *
 * Whether one cost is worse than, better than or nearly equal to another is decided here, once, by
 * the rule of frontier.h; the searches behind it compare whole numbers. */
#ifndef PP_DECIDE_COLUMN_RANKS_H
#define PP_DECIDE_COLUMN_RANKS_H

#include <stdint.h>

#include "decide/frontier.h"

/** Numbers of rows are uint32_t. */
#define PP_FRONTIER_MAX_ROWS ((size_t)UINT32_MAX - 1)

typedef struct pp_keyed_row {
    uint64_t key; /* ascending as the cost; equal costs have equal keys */
    uint32_t row;
} pp_keyed_row;

/* What costs below that of a row count as, in ranks of their column (equal costs, equal ranks). */
typedef struct pp_place {
    uint32_t rank;
    uint32_t better;    /* how many ranks are better: all below this one */
    uint32_t not_worse; /* the highest rank that is not worse */
} pp_place;

/**
 * Rows in the order of one column: the cost of row i is costs[i * stride]. Equal costs stay in the
 * order of rows. order and scratch have n_rows items. Time O(n) but for crowded values.
 */
void pp_column_sort(const double *costs, size_t n_rows, size_t stride, pp_keyed_row *order,
                    pp_keyed_row *scratch);

/**
 * The place of each row in one column; -0.0 equals 0.0. places[i * stride] is written.
 * order is as pp_column_sort left it; values is scratch of n_rows numbers.
 * Gives the number of different costs.
 */
size_t pp_column_rank(const pp_keyed_row *order, size_t n_rows, size_t stride,
                      pp_dominance dominance, pp_place *places, double *values);

/** a < b, and not nearly equal when that counts */
bool pp_cost_is_better(double a, double b, pp_dominance dominance);

/** The cost that a key was made from, -0.0 as 0.0. */
double pp_key_cost(uint64_t key);

#endif
