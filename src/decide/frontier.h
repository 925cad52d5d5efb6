/* frontier.h - which points no other point beats.
 *
 * Knows rows of costs, nothing about candidates: every column is turned so that less is better. */
#ifndef PP_DECIDE_FRONTIER_H
#define PP_DECIDE_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Two costs this close count as equal. Not transitive: see pp_frontier_find. */
#define PP_DOMINANCE_RELATIVE_TOLERANCE 1e-9
#define PP_DOMINANCE_ABSOLUTE_TOLERANCE 1e-12

typedef enum pp_dominance {
    PP_DOMINANCE_TOLERANT, /* nearly equal costs are equal */
    PP_DOMINANCE_EXACT
} pp_dominance;

/** a is worse nowhere and better somewhere. Rows of `n_costs` finite numbers. */
bool pp_dominates(const double *a, const double *b, size_t n_costs, pp_dominance dominance);

/**
 * Mark the rows that no other row dominates. Equal and nearly equal rows all stay.
 *
 * Tolerant dominance can run in a circle (a beats b beats c beats a, each by more than the
 * tolerance in one column and less in the others). When that leaves nothing, the comparison is
 * repeated exactly, which always leaves something, and ret_dominance says so.
 *
 * costs          n_rows rows of n_costs finite numbers, n_costs >= 1, n_rows < 2^32 - 1
 * ret_member     n_rows flags
 * ret_dominance  how the marks were made
 *
 * Time O(n log n) for up to 3 costs, O(n log^(n_costs - 2) n) for more.
 * Fails with PP_ERR_MEMORY only. The marks do not depend on the order of the rows.
 * Source: docs/method/decision.md.
 */
PP_MUST_CHECK pp_status pp_frontier_find(const double *costs, size_t n_rows, size_t n_costs,
                                         bool *ret_member, pp_dominance *ret_dominance,
                                         pp_error *err);

#endif
