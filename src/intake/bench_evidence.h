/* bench_evidence.h - whether rows of llama-bench are evidence, and why not.
 *
 * Rows without samples, of CSV, SQL and Markdown, are never enough. */
#ifndef PP_INTAKE_BENCH_EVIDENCE_H
#define PP_INTAKE_BENCH_EVIDENCE_H

#include "intake/bench_record.h"

#define PP_BENCH_EVIDENCE_COMMIT          "67b9b0e7f6ce45d929a4411907d3c48ec719e81c"
#define PP_BENCH_EVIDENCE_MIN_REPETITIONS 10

/* What the rows are expected to say. */
typedef struct pp_bench_expectation {
    const char *commit;                  /* one is a prefix of the other, 7 characters at least */
    pp_maybe_int threads, batch, ubatch; /* not known: any one value */
} pp_bench_expectation;

typedef struct pp_bench_issue {
    const char *code;  /* "several-commits", ... */
    const char *field; /* of a setting; NULL otherwise */
    const char *text;  /* a sentence for people */
} pp_bench_issue;

/* Three for each setting at most, and ten of the whole. */
#define PP_BENCH_MAX_ISSUES 32

typedef struct pp_bench_evidence {
    pp_bench_issue issues[PP_BENCH_MAX_ISSUES];
    size_t issue_count; /* 0: evidence */
} pp_bench_evidence;

PP_MUST_CHECK pp_status pp_bench_evidence_of(pp_arena *arena, const pp_bench_records *records,
                                             const pp_bench_expectation *expected,
                                             pp_bench_evidence *ret_evidence, pp_error *err);

/** What `validate` says about the file; NULL when memory is short (the writer reports it). */
pp_json *pp_bench_validation_to_json(pp_arena *arena, const pp_bench_records *records,
                                     const pp_bench_evidence *evidence, const char *input_sha256);

#endif
