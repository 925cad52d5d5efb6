/* frontier_parts.h - inside decide/ only: the steps that pp_frontier_find is made of. */
#ifndef PP_DECIDE_FRONTIER_PARTS_H
#define PP_DECIDE_FRONTIER_PARTS_H

#include <stdint.h>

#include "base/arena.h"
#include "decide/frontier.h"

/* n_rows rows of n_costs numbers; at most PP_FRONTIER_MAX_ROWS. */
typedef struct pp_cost_table {
    const double *costs;
    size_t n_rows, n_costs;
    pp_dominance dominance;
} pp_cost_table;

/* Up to this many rows every pair is compared. Measured on x86-64: comparing pairs and searching
 * take the same time at 32 (2 costs) to 64 rows (4 and 6 costs), 8 to 35 us. */
#define PP_FRONTIER_PAIRS_MAX_ROWS 48

/**
 * Leaves out rows that a few strong ones replace: each is dominated, and what it dominates a strong
 * row dominates, too, so that the marks of the others need it no more. Lists the others, ascending;
 * all of them where the strong rows are of little use.
 */
PP_MUST_CHECK pp_status pp_frontier_sieve(pp_arena *room, const pp_cost_table *table,
                                          uint32_t *ret_rows, size_t *ret_count, pp_error *err);

/* Each marks the rows of a table that no row of it dominates. */

void pp_frontier_compare_pairs(const pp_cost_table *table, bool *ret_member);

/** 1 or 2 costs: one walk along the sorted first column. */
PP_MUST_CHECK pp_status pp_frontier_sweep_two(pp_arena *room, const pp_cost_table *table,
                                              bool *ret_member, pp_error *err);

/** 3 costs: the same walk with a tree over the second column. */
PP_MUST_CHECK pp_status pp_frontier_sweep_three(pp_arena *room, const pp_cost_table *table,
                                                bool *ret_member, pp_error *err);

/** Any number of costs from 2: divide and conquer. */
PP_MUST_CHECK pp_status pp_frontier_divide(pp_arena *room, const pp_cost_table *table,
                                           bool *ret_member, pp_error *err);

#endif
