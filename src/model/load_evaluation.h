/* load_evaluation.h - what a load of several levels measured: the original tool's documents, for
 * one candidate and for several.
 *
 * Nouns and their JSON. Reading takes only what was measured and declared; every other member
 * follows from these, and capacity/load_check.h, which makes them again, compares. So a reader of
 * files wants that one. docs/formats/load-evaluation.md describes the documents. */
#ifndef PP_MODEL_LOAD_EVALUATION_H
#define PP_MODEL_LOAD_EVALUATION_H

#include "model/load_plan.h"

/* Ceilings of the original, whose readers know no others. */
#define PP_LOAD_MAX_ID_CHARACTERS    128
#define PP_LOAD_MAX_ERROR_CHARACTERS 512
#define PP_LOAD_MIN_COMBINED         2
#define PP_LOAD_MAX_COMBINED         32

#define PP_SERVER_ARGV_MAX_COUNT            128
#define PP_SERVER_ARGV_MAX_CHARACTERS       4096 /* of one argument */
#define PP_SERVER_ARGV_MAX_TOTAL_CHARACTERS 32768

/* One request, in the original's units: seconds and milliseconds in double. The prompt follows from
 * the position. capacity/load_samples.h makes one of a pp_sample. */
typedef struct pp_load_sample {
    bool completed;
    pp_maybe_real ttft_ms; /* always known when completed */
    double e2e_latency_ms;
    int64_t generated_tokens;  /* of a failed one, those seen */
    pp_text error;             /* empty when completed */
    double started_at_seconds; /* one monotonic clock for a level, >= 0 */
    double finished_at_seconds;
} pp_load_sample;

/* In the order in which they are listed. */
typedef enum pp_load_slo_failure {
    PP_LOAD_SLO_COMPLETION_RATE,
    PP_LOAD_SLO_NO_TTFT,
    PP_LOAD_SLO_TTFT,
    PP_LOAD_SLO_NO_E2E,
    PP_LOAD_SLO_E2E
} pp_load_slo_failure;

/** "completion_rate_below_minimum", ... */
const char *pp_load_slo_failure_name(pp_load_slo_failure failure);

/* One level. Everything below the samples follows from them: capacity/load_row.h. */
typedef struct pp_load_row {
    int64_t concurrency; /* simultaneous clients */
    pp_maybe_real peak_rss_mib;
    pp_load_sample *samples; /* in the order of requests; >= 1 */
    size_t sample_count;

    size_t completed_count;
    double completion_rate; /* 0 to 1 */
    double error_rate;
    double wall_time_seconds;
    double requests_per_second;
    double generated_tokens_per_second;
    pp_maybe_real ttft_ms_p50; /* not known when nothing completed */
    pp_maybe_real ttft_ms_p95;
    pp_maybe_real e2e_latency_ms_p50;
    pp_maybe_real e2e_latency_ms_p95;
    pp_load_slo_failure slo_failures[3];
    size_t slo_failure_count; /* 0: every limit is met */
} pp_load_row;

typedef struct pp_server_argv {
    pp_text *items;
    size_t count;
} pp_server_argv;

/* One command line of llama-server. Everything below argv follows from it:
 * capacity/server_argv.h. */
typedef struct pp_server_side {
    char command_sha256[PP_SHA256_HEX_SIZE]; /* of the file that holds it */
    pp_server_argv argv;

    pp_text runtime_path;
    pp_text model_path;
    int64_t parallel;
    pp_text host;
    int64_t port;
} pp_server_side;

typedef struct pp_server_configuration {
    pp_server_side load;      /* what answered the load */
    pp_server_side canonical; /* what the study measured */
    const char *differing[2]; /* "--host", "--port", in the order of the command line */
    size_t differing_count;
} pp_server_configuration;

typedef struct pp_load_binding {
    char plan_sha256[PP_SHA256_HEX_SIZE];
    pp_text request_base_url;
    pp_server_configuration server;
} pp_load_binding;

typedef struct pp_load_evaluation {
    pp_text candidate_id;
    bool synthetic;
    pp_load_method method;
    pp_load_slo slo;
    int64_t execution_order[PP_LOAD_MAX_LEVELS]; /* method.level_count levels, as they ran */
    pp_load_row rows[PP_LOAD_MAX_LEVELS];        /* in the order of method.levels */
    pp_maybe_int highest_slo_concurrency;        /* the largest level that met every limit */
    bool is_bound;
    pp_load_binding binding; /* when bound */
} pp_load_evaluation;

/* Several candidates under one plan: alike in method, limits, synthetic, and in whether and to
 * which plan they are bound. In which order levels ran is not kept. */
typedef struct pp_combined_load_evaluation {
    pp_load_evaluation *candidates; /* by id, all different */
    size_t count;
} pp_combined_load_evaluation;

/**
 * What contradicts itself in a sample, as a sentence in `text`; NULL when nothing does. ret_key is
 * the member at fault. `output_tokens` is what was asked.
 */
#define PP_LOAD_FAULT_MAX 200
const char *pp_load_sample_fault(const pp_load_sample *sample, int64_t output_tokens,
                                 const char **ret_key, char text[PP_LOAD_FAULT_MAX]);

/** Read one sample on its own. Its index and prompt are for the caller to check. Texts are
 * borrowed. Fails with PP_ERR_SCHEMA "$.path: ..."; a sample that contradicts itself is refused. */
PP_MUST_CHECK pp_status pp_load_sample_decode(const pp_json *from, int64_t output_tokens,
                                              pp_load_sample *ret_sample, pp_error *err);

/** The document; schema 1.1 when the levels ran in another order than the plan's. NULL when memory
 * is short (the writer reports it). */
pp_json *pp_load_evaluation_to_json(pp_arena *arena, const pp_load_evaluation *evaluation);
pp_json *pp_combined_load_evaluation_to_json(pp_arena *arena,
                                             const pp_combined_load_evaluation *combined);

/**
 * What was measured and declared; what follows from it stays zeroed. Texts are borrowed from
 * `root`. Fails with PP_ERR_SCHEMA "$.path: ...".
 */
PP_MUST_CHECK pp_status pp_load_evaluation_decode(pp_arena *arena, const pp_json *root,
                                                  pp_load_evaluation *ret_evaluation,
                                                  pp_error *err);
PP_MUST_CHECK pp_status pp_combined_load_evaluation_decode(
    pp_arena *arena, const pp_json *root, pp_combined_load_evaluation *ret_combined, pp_error *err);

#endif
