/* bench_record.h - rows of llama-bench read strictly: every figure checked, nothing repaired.
 *
 * For files that a decision shall rest on: samples and averages must agree, log lines and files
 * that broke off are refused. CSV, SQL and Markdown have no samples; their rows are read as far as
 * they go. */
#ifndef PP_INTAKE_BENCH_RECORD_H
#define PP_INTAKE_BENCH_RECORD_H

#include "intake/llama_bench.h"

/* Settings that a row may declare. */
typedef enum pp_bench_setting {
    PP_BENCH_N_THREADS,
    PP_BENCH_N_BATCH,
    PP_BENCH_N_UBATCH,
    PP_BENCH_N_GPU_LAYERS,
    PP_BENCH_DEVICES,
    PP_BENCH_NO_OP_OFFLOAD,
    PP_BENCH_SETTING_COUNT
} pp_bench_setting;

/** "n_threads", ... as llama-bench names them. */
const char *pp_bench_setting_name(pp_bench_setting setting);

typedef struct pp_bench_record {
    size_t line;
    pp_bench_kind kind;
    int64_t n_prompt, n_gen; /* tokens */
    double *samples_ns;      /* > 0, in the order measured */
    double *samples_ts;      /* tokens per second as printed */
    size_t sample_count;     /* of each; 0 only where the format holds none */
    bool synthetic_fixture;
    pp_text build_commit, model_filename;            /* zeroed where Markdown names none */
    const pp_json *settings[PP_BENCH_SETTING_COUNT]; /* integers, `devices` a text; NULL: not
                                                        declared */
    const pp_json *fields;
} pp_bench_record;

typedef struct pp_bench_records {
    pp_bench_format format;
    pp_bench_record *items;
    size_t count; /* at least 1 */
} pp_bench_records;

/** Read a whole file strictly. Fails with "SOURCE:LINE: $.field: ...". */
PP_MUST_CHECK pp_status pp_bench_records_read(pp_arena *arena, const char *source,
                                              const char *bytes, size_t size,
                                              pp_bench_format format, pp_bench_records *ret_records,
                                              pp_error *err);

#endif
