/* bench_import.h - rows of llama-bench as a benchmark set.
 *
 * A candidate is a configuration: rows that agree in every set-up field but the test itself
 * (n_prompt, n_gen, n_depth). Each of its tests is a metric: pp512_tokens_per_second,
 * tg128_d4096_tokens_per_second. Rows with the same set-up and the same test are pooled. Figures
 * are `imported`: nobody here saw them being measured. */
#ifndef PP_INTAKE_BENCH_IMPORT_H
#define PP_INTAKE_BENCH_IMPORT_H

#include "digest/sha256.h"
#include "intake/llama_bench.h"
#include "model/benchmark_set.h"

typedef struct pp_bench_source {
    pp_text path;
    char sha256[PP_SHA256_HEX_SIZE];
    pp_bench_rows rows;
} pp_bench_source;

typedef struct pp_bench_import {
    pp_benchmark_set set;
    bool has_prompt_rate;       /* every prompt test has one shape: prompt_tokens_per_second */
    bool has_generation_rate;   /* the same for generation_tokens_per_second */
    bool from_means;            /* the formats held no samples: metrics are means, not medians */
    size_t odd_deviation_count; /* rows whose printed stddev_ns is not that of their samples */
} pp_bench_import;

/**
 * Make a set of all rows of all sources.
 *
 * baseline_id  NULL: the first configuration
 * Names and values point into the sources, which must outlive the set.
 * Fails with PP_ERR_DOMAIN when rows cannot be told apart: two rows without samples that look the
 * same, rows with samples beside rows without.
 */
PP_MUST_CHECK pp_status pp_bench_import_rows(pp_arena *arena, const pp_bench_source *sources,
                                             size_t n, const char *baseline_id,
                                             pp_bench_import *ret_import, pp_error *err);

#endif
