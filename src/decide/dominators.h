/* dominators.h - by whom each row outside the frontier is dominated. */
#ifndef PP_DECIDE_DOMINATORS_H
#define PP_DECIDE_DOMINATORS_H

#include "decide/frontier.h"

/**
 * For each row that is not a member, the first member that dominates it; where no member does,
 * because near ties are not transitive, the first row that does. PP_DOMINATOR_NONE for members.
 *
 * costs, member, dominance   as pp_frontier_find took and gave them
 * ret_dominators             n_rows rows
 *
 * Fails with PP_ERR_MEMORY only. Source: docs/method/decision.md.
 */
PP_MUST_CHECK pp_status pp_frontier_find_dominators(const double *costs, size_t n_rows,
                                                    size_t n_costs, const bool *member,
                                                    pp_dominance dominance, size_t *ret_dominators,
                                                    pp_error *err);

#define PP_DOMINATOR_NONE ((size_t)-1)

#endif
