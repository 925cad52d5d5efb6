/* llama_bench.h - rows that llama-bench printed with `-o jsonl`.
 *
 * Columns come and go between versions, so fields are found by name and unknown ones are kept.
 * Rates are computed anew from samples_ns, which are exact; the averages and deviations beside
 * them are rounded, and one of them overflows, so nobody reads them. */
#ifndef PP_INTAKE_LLAMA_BENCH_H
#define PP_INTAKE_LLAMA_BENCH_H

#include "json/json.h"

/* As large as the files of a night of measuring get, ten times over. */
#define PP_BENCH_MAX_BYTES   ((size_t)64 << 20)
#define PP_BENCH_MAX_ROWS    10000
#define PP_BENCH_MAX_SAMPLES 10000 /* in one row */

typedef enum pp_bench_kind {
    PP_BENCH_PP, /* prompt processing */
    PP_BENCH_TG, /* token generation */
    PP_BENCH_PG  /* both, one after the other: its rate compares with neither */
} pp_bench_kind;

#define PP_BENCH_UNKNOWN (-1) /* the version that wrote the row did not say */

typedef struct pp_bench_row {
    size_t line; /* from 1, in the file */
    pp_bench_kind kind;
    int64_t n_prompt, n_gen; /* tokens */
    /* the rest may be absent: PP_BENCH_UNKNOWN, or a zeroed text */
    int64_t n_depth; /* tokens already in the cache */
    int64_t n_threads, n_batch, n_ubatch;
    int64_t build_number;
    pp_text type_k, type_v;
    pp_text model_filename, build_commit, backends, cpu_info;
    int64_t *samples_ns;   /* one repetition each, > 0, in the order measured */
    size_t sample_count;   /* >= 1 */
    const pp_json *fields; /* the whole row as it was written */
} pp_bench_row;

typedef struct pp_bench_rows {
    pp_bench_row *items;
    size_t count;
    size_t other_line_count; /* log lines before, between and after the rows */
    bool truncated;          /* the last line broke off; it is in neither count */
} pp_bench_rows;

/* All repetitions of rows that agree in every field but the measures. */
typedef struct pp_bench_pool {
    const pp_bench_row *first; /* the earliest of them; gives kind, shape and set-up */
    size_t row_count;
    size_t sample_count;
    double duration_ns_median;
    double tokens_per_second_median; /* median of the rates of the repetitions */
} pp_bench_pool;

/** "pp", "tg", "pg" */
const char *pp_bench_kind_name(pp_bench_kind kind);

/** Tokens one repetition works through: prompt and generated ones. */
int64_t pp_bench_tokens(const pp_bench_row *row);

/** tokens * 1e9 / ns of one repetition. */
double pp_bench_rate(const pp_bench_row *row, size_t sample);

/**
 * Read a whole file. Lines end with LF alone. A line that does not start with '{' is somebody's
 * log and counted; an incomplete last line is marked; no row at all is a result for the caller to
 * judge. Bare nan and inf, which llama-bench prints for what it could not compute, read as null.
 *
 * source  stands in messages, which begin "SOURCE:LINE:"
 * Texts are copied into the arena.
 * Fails with PP_ERR_SYNTAX, PP_ERR_SCHEMA or PP_ERR_LIMIT.
 */
PP_MUST_CHECK pp_status pp_bench_parse(pp_arena *arena, const char *source, const char *bytes,
                                       size_t size, pp_bench_rows *ret_rows, pp_error *err);

/**
 * Pool rows of one or several files: two rows belong together when every field is equal except the
 * measures (avg_*, stddev_*, samples_*) and test_time. So rows of another depth, cache type or
 * build stay apart, and so does everything that a later version may add.
 *
 * ret_pools  in the order of their first rows; in the arena, pointing into `rows`
 */
PP_MUST_CHECK pp_status pp_bench_pool_rows(pp_arena *arena, const pp_bench_row *rows, size_t n,
                                           pp_bench_pool **ret_pools, size_t *ret_count,
                                           pp_error *err);

#endif
