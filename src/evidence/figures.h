/* figures.h - the figures of one candidate, from its raw files. */
#ifndef PP_EVIDENCE_FIGURES_H
#define PP_EVIDENCE_FIGURES_H

#include "evidence/cross_checks.h"
#include "intake/llama_bench.h"
#include "model/sample.h"
#include "model/study_plan.h"

/* A growing list of samples; +infinity stands for a request that failed (F71). */
typedef struct pp_series {
    double *values;
    size_t count, capacity;
} pp_series;

/* Lists are in the unit of their name. */
typedef struct pp_figures {
    pp_series prompt_tokens_per_second; /* one for each repetition */
    pp_series generation_tokens_per_second;
    pp_series ttft_ms; /* one for each measured request */
    pp_series e2e_latency_ms;
    pp_series time_per_output_token_ms; /* requests with more than one token */
    pp_series peak_rss_mib;             /* one for each pass */
} pp_figures;

/* What one pass gave. */
typedef struct pp_pass_figures {
    pp_figures figures;
    int64_t request_count;
    int64_t failed_request_count;
    const pp_json *bench_run; /* study-run documents; NULL when absent */
    const pp_json *requests_run;
    const pp_json *resources;
    const pp_json *server_command;
    const pp_json *endpoint; /* what a server that ran already said of itself */
    int64_t failures[PP_FAILURE_COUNT];
    pp_cross_checks cross_checks;
    pp_maybe_real joules;          /* of the packages of the machine, during these requests */
    pp_text joules_absent_because; /* empty where the record does not say */
    pp_maybe_int cpu_ns;           /* of the server, during the measured requests */
    int64_t generated_tokens;      /* of these requests, as far as they are known */
    bool lacks_tokens;             /* one failed, or nobody told how many tokens it made */
} pp_pass_figures;

/**
 * CPU time of the server for each token that it generated, prompts included, over some passes.
 * False unless every one of them has the time and all tokens.
 */
bool pp_core_seconds_per_token(const pp_pass_figures *passes, int64_t count, double *ret_seconds);

/**
 * Energy of the CPU packages for each token, over some passes. Where it is not known, as above,
 * *ret_why says why.
 */
bool pp_joules_per_token(const pp_pass_figures *passes, int64_t count, double *ret_joules,
                         pp_text *ret_why);

/** Read the files of one candidate in one pass. Without `has_samples` its server was asked no
 * latency requests. */
PP_MUST_CHECK pp_status pp_pass_figures_load(pp_arena *arena, const char *folder,
                                             const pp_plan_candidate *candidate, int64_t pass,
                                             bool has_samples, pp_pass_figures *ret_figures,
                                             pp_error *err);

/** Count a measured request and append its times; a failed one counts as infinite. */
void pp_pass_figures_add_sample(pp_arena *arena, pp_pass_figures *pass, const pp_sample *sample);

/** Append all values of `from` to `to`. */
void pp_series_append(pp_arena *arena, pp_series *to, const pp_series *from);
void pp_figures_append(pp_arena *arena, pp_figures *to, const pp_figures *from);

/**
 * A percentile of a series: false when the series is empty, or when it falls on a failed request.
 */
bool pp_series_percentile(pp_arena *arena, const pp_series *series, double pct, double *ret_value);

/** Rows of a llama-bench file. Fails with PP_ERR_SCHEMA when there is none, or the last is cut. */
PP_MUST_CHECK pp_status pp_bundle_read_bench(pp_arena *arena, const char *path,
                                             pp_bench_rows *ret_rows, pp_error *err);

/** Append the rate of every repetition of prompt and generation tests. */
void pp_figures_add_bench(pp_arena *arena, pp_figures *figures, const pp_bench_rows *rows);

/** A JSON file of the bundle; *ret_root is NULL when the file does not exist. */
PP_MUST_CHECK pp_status pp_bundle_read_json(pp_arena *arena, const char *path,
                                            const pp_json **ret_root, pp_error *err);

#endif
