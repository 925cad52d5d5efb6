/* what_if_limits.h - inside decide/: the limits of what_if.h. */
#ifndef PP_DECIDE_WHAT_IF_LIMITS_H
#define PP_DECIDE_WHAT_IF_LIMITS_H

#include "decide/what_if.h"

/** Fill in limits and limit_count. ranks: place of each candidate in the preference order, 0 for
 * all where there is none. */
PP_MUST_CHECK pp_status pp_what_if_limits(pp_arena *arena, const pp_decision *decision,
                                          const size_t *ranks, pp_what_if *what_if, pp_error *err);

#endif
