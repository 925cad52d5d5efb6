/* bench_compare.h - two summaries of llama-bench that differ in one switch of the build. */
#ifndef PP_INTAKE_BENCH_COMPARE_H
#define PP_INTAKE_BENCH_COMPARE_H

#include "digest/sha256.h"
#include "intake/bench_record.h"

typedef struct pp_bench_test {
    bool present;
    int64_t n_prompt, n_gen;
    double tokens_per_second_median, duration_ns_median; /* > 0 */
    int64_t sample_count;                                /* of each */
} pp_bench_test;

/* What a comparison reads of docs/formats/llama-bench-summary.md. */
typedef struct pp_bench_variant {
    pp_text label, build_commit, model_filename;
    bool synthetic_fixture;
    const pp_json *settings; /* free content */
    pp_bench_test tests[PP_BENCH_PG + 1];
} pp_bench_variant;

/** Read a parsed summary; texts are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_bench_variant_decode(const pp_json *root, pp_bench_variant *ret_variant,
                                                pp_error *err);

/**
 * The document of docs/formats/llama-bench-comparison.md.
 *
 * Fails with PP_ERR_SCHEMA or PP_ERR_DOMAIN when the two do not compare: settings.build.kleidiai
 * must be false in one and true in the other, and all else the same.
 */
PP_MUST_CHECK pp_status pp_bench_compare(pp_arena *arena, const pp_bench_variant *generic,
                                         const char *generic_sha256,
                                         const pp_bench_variant *kleidiai,
                                         const char *kleidiai_sha256, pp_json **ret_document,
                                         pp_error *err);

#endif
