/* study_plan.h - what a study measures, fixed before the first measurement.
 *
 * docs/formats/study-plan.md describes the document in its two versions; one struct serves both.
 * Nothing unknown is accepted, and what a plan does not do is written as null (only 1.0 may leave
 * suite and noise_limits.repeats out): a plan that leaves a choice open would not be the same study
 * twice. */
#ifndef PP_MODEL_STUDY_PLAN_H
#define PP_MODEL_STUDY_PLAN_H

#include "model/constraints.h"
#include "model/settings.h"

/* A plan of a hundred candidates with long argument lists is far below this. */
#define PP_STUDY_PLAN_MAX_BYTES ((size_t)4 << 20)
#define PP_STUDY_MAX_CANDIDATES 64
#define PP_STUDY_MAX_PASSES     20 /* of 1.0 */
#define PP_STUDY_2_MAX_PASSES   200
/* Longest command line: that of the original's longest candidate is 23 words. */
#define PP_STUDY_MAX_WORDS      256

/* Metrics that a suite gives a candidate of a study; docs/method/study-quality.md. */
#define PP_METRIC_QUALITY_SCORE  "quality_score"
#define PP_METRIC_TOP1_AGREEMENT "reference_top1_agreement"
#define PP_METRIC_KL_NATS_MEAN   "reference_kl_nats_mean"

/* A program folder of llama.cpp. */
typedef struct pp_plan_variable {
    pp_text name, value;
} pp_plan_variable;

typedef struct pp_plan_markers {
    pp_text *required; /* texts that each server log must contain */
    size_t required_count;
    pp_text *forbidden;
    size_t forbidden_count;
} pp_plan_markers;

typedef struct pp_plan_engine {
    pp_text id;     /* empty in 1.0, which has one engine */
    bool has_path;  /* false: found on this machine, or given on the command line */
    pp_text path;   /* as written; relative to the plan's folder */
    pp_text server; /* path of each program within the folder */
    pp_text bench;
    pp_plan_variable *environment; /* beside what the study was started with */
    size_t environment_count;
    pp_plan_markers markers;
} pp_plan_engine;

typedef struct pp_plan_model {
    pp_text id;
    pp_text path;   /* as written; relative to the plan's folder or to --model-dir */
    pp_text sha256; /* 64 lower-case hexadecimal digits */
    int64_t size_bytes;
    /* empty where the plan says nothing; always in 1.0 */
    pp_text url;
    pp_text family, repository, revision, quantization;
} pp_plan_model;

typedef enum pp_candidate_kind {
    PP_CANDIDATE_MANAGED,  /* command lines are made of its settings */
    PP_CANDIDATE_VERBATIM, /* command lines are given word for word */
    PP_CANDIDATE_ENDPOINT, /* a server that runs already, perhaps elsewhere */
    PP_CANDIDATE_SERVE     /* a gateway, with the servers that its configuration starts */
} pp_candidate_kind;

/* Words of a command line as written. `{port}` stands for a free port. */
typedef struct pp_plan_words {
    pp_text *words;
    size_t count; /* 0: there is none */
} pp_plan_words;

typedef struct pp_plan_endpoint {
    pp_text url;         /* holds no key */
    pp_text server;      /* kind of server: "openai", "llama-server" or "vllm" */
    pp_text model;       /* empty: the field is not sent */
    pp_text api_key_env; /* name of the variable with its key; empty: none is sent */
} pp_plan_endpoint;

/* A file beside the plan, whose digest the plan fixes. */
typedef struct pp_plan_file {
    bool present;
    pp_text path; /* as written; relative to the plan's folder */
    pp_text sha256;
} pp_plan_file;

typedef struct pp_plan_candidate {
    pp_text id; /* names a folder of the bundle: a-z, 0-9, '.', '_' and '-', at most 64 */
    pp_text label;
    pp_candidate_kind kind;
    size_t engine_index;           /* into engines; managed and verbatim */
    size_t model_index;            /* into models; managed and verbatim */
    pp_settings settings;          /* managed */
    pp_plan_words extra_arguments; /* managed: at the end of llama-server's command line */
    pp_plan_words server_argv;     /* verbatim */
    pp_plan_words throughput_argv; /* verbatim; count 0: the phase is left out */
    pp_text working_directory; /* verbatim: of llama-bench, relative to the plan's folder; empty:
                                  that folder itself */
    pp_plan_file serve;        /* serve: the configuration of the gateway */
    pp_plan_endpoint endpoint; /* endpoint; serve: an "openai" one without an address */
} pp_plan_candidate;

/* One rung of a ladder: this candidate is that one with a single thing changed. */
typedef struct pp_plan_stage {
    pp_text name;
    size_t candidate_index;
    size_t against_index;
    pp_text changes; /* "engine", "model", "settings.ubatch_size", "argv.--flag", "serve" ... */
} pp_plan_stage;

typedef enum pp_plan_order_kind {
    PP_ORDER_MIRRORED, /* document order in odd passes, reversed in even ones: cancels a linear
                          drift */
    PP_ORDER_BLOCKS,   /* each pass shuffled anew: unbiased whatever the drift looks like */
    PP_ORDER_WILLIAMS  /* rows of Williams squares: also balances what a candidate leaves behind for
                          the next one */
} pp_plan_order_kind;

typedef struct pp_plan_idle {
    double cpu_percent; /* of one core, by all other processes */
    int64_t max_wait_ms;
} pp_plan_idle;

/* llama-bench: repetitions of one prompt test and one generation test */
typedef struct pp_plan_throughput {
    int64_t prompt_tokens;
    int64_t generation_tokens;
    int64_t repetitions;
} pp_plan_throughput;

/* llama-server: streamed requests one after another */
typedef struct pp_plan_requests {
    int64_t prompt_tokens;
    int64_t output_tokens;
    int64_t warmup;   /* requests before the measured ones, per pass */
    int64_t measured; /* requests per pass */
    int64_t seed;
} pp_plan_requests;

/* One step of a load: closed with this many clients, or open at this rate. */
typedef struct pp_plan_load_step {
    int64_t clients;        /* 0: open */
    double rate_per_second; /* 0: closed */
    pp_text arrivals;       /* open: "constant" or "poisson" */
    int64_t measured;       /* requests */
} pp_plan_load_step;

typedef struct pp_plan_load {
    bool present;
    pp_plan_load_step *steps;
    size_t step_count;
    int64_t warmup; /* requests before each step */
    int64_t prompt_tokens;
    int64_t output_tokens;
    int64_t seed;
    pp_text *slos; /* as `load --slo` takes them */
    size_t slo_count;
} pp_plan_load;

typedef struct pp_plan_deadlines {
    int64_t start_ms;      /* server start until healthy */
    int64_t throughput_ms; /* one run of llama-bench */
    int64_t request_ms;    /* one request, first byte to last */
    int64_t load_ms;       /* all steps of a load of one candidate */
} pp_plan_deadlines;

/* Above these a run is flagged as disturbed. */
typedef struct pp_plan_noise {
    double foreign_cpu_percent; /* other processes, percent of one core over any two seconds */
    double steal_percent;       /* time taken by the hypervisor, percent of all CPU time */
    int64_t repeats;            /* how often a block with a disturbed run is measured again */
} pp_plan_noise;

typedef struct pp_study_plan {
    int schema; /* 1 or 2 */
    pp_text study_id;
    pp_text title;
    pp_text baseline_id;
    pp_plan_engine *engines; /* one in 1.0 */
    size_t engine_count;
    pp_plan_model *models;
    size_t model_count;
    pp_plan_candidate *candidates; /* document order */
    size_t candidate_count;
    pp_plan_stage *stages;
    size_t stage_count;
    pp_plan_order_kind order;
    int64_t order_seed;
    int64_t passes;
    int64_t settle_ms; /* pause before each run; 0 where `waits_until_idle` */
    bool waits_until_idle;
    pp_plan_idle idle;
    bool has_throughput; /* true in 1.0 */
    pp_plan_throughput throughput;
    bool has_requests; /* true in 1.0 */
    pp_plan_requests requests;
    pp_plan_file suite;     /* quality suite */
    pp_plan_file load_plan; /* the original's load plan */
    pp_plan_file policies;  /* policy set for profiles */
    pp_plan_load load;
    pp_plan_deadlines deadlines;
    pp_plan_noise noise;
    const pp_json *constraints_json; /* as written */
    pp_constraints constraints;
} pp_study_plan;

/**
 * Decode a parsed plan. Strings and arrays live in `arena` and in the document's arena.
 * Fails with PP_ERR_SCHEMA or PP_ERR_DOMAIN naming the $.path, what was found and what was
 * expected.
 */
PP_MUST_CHECK pp_status pp_study_plan_decode(pp_arena *arena, const pp_json *root,
                                             pp_study_plan *ret_plan, pp_error *err);

/** Index of the candidate that runs as number `position` (from 0) of pass `pass` (from 1). The same
 * plan gives the same order on every machine. */
size_t pp_study_plan_order(const pp_study_plan *plan, int64_t pass, size_t position);

/** True when the constraints name a metric of agreement with the baseline, for which the suite
 * needs contexts. */
bool pp_study_plan_names_agreement(const pp_study_plan *plan);

/** {"threads": 4, ...}: settings that a command line given word for word names, whatever it leaves
 * to defaults. */
pp_json *pp_plan_words_settings(pp_arena *arena, const pp_plan_words *words);

/** Does the plan name its engine and its model? So it is of the kinds managed and verbatim, whose
 * command lines are known. */
bool pp_candidate_has_engine(const pp_plan_candidate *candidate);

/** True when some candidate has an engine, so that one is needed. */
bool pp_study_plan_starts_servers(const pp_study_plan *plan);

#endif
