/* bench_groups.h - configurations: pools of rows that agree in all but the test, and in what the
 * configurations differ. */
#ifndef PP_INTAKE_BENCH_GROUPS_H
#define PP_INTAKE_BENCH_GROUPS_H

#include "intake/llama_bench.h"

typedef struct pp_bench_group {
    pp_text identity; /* canonical text of its set-up */
    const pp_bench_pool **pools;
    size_t pool_count; /* at least 1 */
} pp_bench_group;

/** Neither a measure nor what tells one test from another: n_prompt, n_gen, n_depth. */
bool pp_bench_is_set_up(pp_text key);

/**
 * Group pools by their set-up. Groups stand in the order of their first rows, the pools of one
 * likewise, and point into `pools`. Fails when memory is short.
 */
PP_MUST_CHECK pp_status pp_bench_group_pools(pp_arena *arena, const pp_bench_pool *pools, size_t n,
                                             pp_bench_group **ret_groups, size_t *ret_count,
                                             pp_error *err);

/** The set-up fields in which groups differ, in the order they first stand in. What is returned is
 * in the arena; when memory is short the arena says so. */
pp_text *pp_bench_list_varying(pp_arena *arena, const pp_bench_group *groups, size_t n,
                               size_t *ret_count);

/** "n_threads=4 n_batch=512" for these fields, "llama-bench" for none. */
pp_text pp_bench_group_id(pp_arena *arena, const pp_bench_group *group, const pp_text *keys,
                          size_t n_keys);

#endif
