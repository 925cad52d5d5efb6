/* load_maker.h - samples of load runs whose figures are known by algebra. */
#ifndef PP_TESTS_LOAD_MAKER_H
#define PP_TESTS_LOAD_MAKER_H

#include "model/load_level.h"

#define MS ((int64_t)1000000)
#define S  ((int64_t)1000000000)

/** A measured request of level 1 that ended well: first text after ttft, last after e2e, `tokens`
 * tokens in as many events that are equally far apart. Gaps live in the arena. */
pp_sample make_sample(pp_arena *arena, int64_t index, int64_t due_ns, int64_t late_ns,
                      int64_t ttft_ns, int64_t e2e_ns, int64_t tokens);

/** The same request, failed after so long. */
void fail_sample(pp_sample *sample, pp_failure failure, int64_t after_ns);

/** A closed level of so many clients, and what a calm client saw of it. */
pp_load_level make_closed(int64_t clients, int64_t requests);
pp_load_level make_open(double rate_per_second, int64_t requests);
pp_load_observed make_observed(const pp_load_level *level, int64_t ended_at_ns);

#endif
