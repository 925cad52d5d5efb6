/* llama_bench.h - rows that llama-bench printed, as figures.
 *
 * Columns come and go between versions, so fields are found by name and unknown ones are kept.
 * Rates are computed anew from samples_ns, which are exact; the averages and deviations beside
 * them are rounded, and one of them overflows, so they are read only where a format has no
 * samples. */
#ifndef PP_INTAKE_LLAMA_BENCH_H
#define PP_INTAKE_LLAMA_BENCH_H

#include "base/maybe.h"
#include "intake/bench_text.h"

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
    int64_t *samples_ns; /* one repetition each, > 0, in the order measured */
    size_t sample_count; /* 0 only where the format holds none: CSV, SQL, Markdown */
    pp_maybe_real tokens_per_second_mean;  /* as printed; > 0 */
    pp_maybe_real tokens_per_second_stdev; /* as printed */
    const pp_json *fields;                 /* the whole row as it was written */
} pp_bench_row;

typedef struct pp_bench_rows {
    pp_bench_format format;
    pp_bench_row *items;
    size_t count;
    size_t other_line_count; /* log lines before, between and after the rows */
    bool truncated;          /* the last line broke off; it is in neither count */
} pp_bench_rows;

/* All repetitions of rows that agree in every field but the measures. */
typedef struct pp_bench_pool {
    const pp_bench_row *first; /* the earliest of them; gives kind, shape and set-up */
    size_t row_count;
    size_t sample_count; /* 0 when no row has samples; then there are no medians */
    double duration_ns_median;
    double tokens_per_second_median; /* median of the rates of the repetitions */
    const pp_bench_row *const *rows; /* row_count of them, in the caller's order */
} pp_bench_pool;

/** "pp", "tg", "pg" */
const char *pp_bench_kind_name(pp_bench_kind kind);

/** Tokens one repetition works through: prompt and generated ones. */
int64_t pp_bench_tokens(const pp_bench_row *row);

/** tokens * 1e9 / ns of one repetition. */
double pp_bench_rate(const pp_bench_row *row, size_t sample);

/**
 * Read a whole file of any format, as pp_bench_text_read does, and its rows. JSONL and JSON rows
 * have samples; the others have at least a mean rate.
 */
PP_MUST_CHECK pp_status pp_bench_read(pp_arena *arena, const char *source, const char *bytes,
                                      size_t size, pp_bench_format format, pp_bench_mode mode,
                                      pp_bench_rows *ret_rows, pp_error *err);

/** The same for the raw files of a study: tolerant, JSONL. */
PP_MUST_CHECK pp_status pp_bench_parse(pp_arena *arena, const char *source, const char *bytes,
                                       size_t size, pp_bench_rows *ret_rows, pp_error *err);

/** avg_*, stddev_*, samples_* and test_time: whatever else a version writes is set-up. */
bool pp_bench_is_measure(pp_text key);

/** A value of a field as every format writes it: numbers in digits, booleans as 0 and 1. */
pp_text pp_bench_value_text(pp_arena *arena, const pp_json *value);

/** The same for a field of a row; a name that was settled (bench_names.h) counts as settled. */
pp_text pp_bench_field_text(pp_arena *arena, const pp_bench_row *row, pp_text key,
                            const pp_json *value);

/**
 * The fields of a row that are part of an identity, as canonical text: equal texts, equal fields,
 * whatever the format.
 */
PP_MUST_CHECK pp_status pp_bench_identity(pp_arena *arena, const pp_bench_row *row,
                                          bool (*is_part)(pp_text key), pp_text *ret_identity,
                                          pp_error *err);

/**
 * Pool rows of one or several files: two rows belong together when every field is equal except the
 * measures. So rows of another depth, cache type or build stay apart, and so does everything that a
 * later version may add. Values are compared as pp_bench_field_text has them, so that the same row
 * is the same in every format.
 *
 * ret_pools  in the order of their first rows; in the arena, pointing into `rows`
 */
PP_MUST_CHECK pp_status pp_bench_pool_rows(pp_arena *arena, const pp_bench_row *rows, size_t n,
                                           pp_bench_pool **ret_pools, size_t *ret_count,
                                           pp_error *err);

#endif
