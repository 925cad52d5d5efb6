/* bench_summary.h - several llama-bench files of one variant, pooled into one document.
 *
 * Pooled is only what is the same test in every respect: build, model, shape, and every other
 * set-up field that the rows carry. */
#ifndef PP_INTAKE_BENCH_SUMMARY_H
#define PP_INTAKE_BENCH_SUMMARY_H

#include "digest/sha256.h"
#include "intake/bench_record.h"

typedef struct pp_bench_artifact {
    pp_text label;
    pp_text path; /* as the document shows it */
    char sha256[PP_SHA256_HEX_SIZE];
    pp_bench_records records;
} pp_bench_artifact;

/**
 * The document of docs/formats/llama-bench-summary.md.
 *
 * settings  free content; what the rows report must agree with it
 * n         at least 1; labels unique
 * Fails with PP_ERR_DOMAIN when the artifacts do not belong together, PP_ERR_RANGE when a figure is
 * beyond the range of a number.
 */
PP_MUST_CHECK pp_status pp_bench_summarize(pp_arena *arena, pp_text label,
                                           const pp_bench_artifact *artifacts, size_t n,
                                           const pp_json *settings, const char *settings_sha256,
                                           pp_json **ret_document, pp_error *err);

/** Equal by value: 4 is 4.0, but true is not 1. Objects in any order. */
bool pp_bench_values_equal(const pp_json *a, const pp_json *b);

#endif
