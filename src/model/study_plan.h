/* study_plan.h - what a study measures, fixed before the first measurement.
 *
 * docs/formats/study-plan.md describes the document. Everything but noise_limits.repeats is
 * required and nothing unknown is accepted: a plan that leaves a choice open would not be the same
 * study twice. */
#ifndef PP_MODEL_STUDY_PLAN_H
#define PP_MODEL_STUDY_PLAN_H

#include "model/constraints.h"
#include "model/settings.h"

/* A plan of a hundred candidates with long argument lists is far below this. */
#define PP_STUDY_PLAN_MAX_BYTES ((size_t)4 << 20)
#define PP_STUDY_MAX_CANDIDATES 64
#define PP_STUDY_MAX_PASSES     20

typedef struct pp_plan_model {
    pp_text id;
    pp_text path;   /* as written; relative to the plan's folder or to --model-dir */
    pp_text sha256; /* 64 lower-case hexadecimal digits */
    int64_t size_bytes;
} pp_plan_model;

typedef struct pp_plan_candidate {
    pp_text id; /* names a folder of the bundle: a-z, 0-9, '.', '_' and '-', at most 64 */
    pp_text label;
    size_t model_index; /* into models */
    pp_settings settings;
} pp_plan_candidate;

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

typedef struct pp_plan_deadlines {
    int64_t start_ms;      /* server start until healthy */
    int64_t throughput_ms; /* one run of llama-bench */
    int64_t request_ms;    /* one request, first byte to last */
} pp_plan_deadlines;

/* Above these a run is flagged as disturbed. */
typedef struct pp_plan_noise {
    double foreign_cpu_percent; /* other processes, percent of one core over any two seconds */
    double steal_percent;       /* time taken by the hypervisor, percent of all CPU time */
    int64_t repeats;            /* how often a block with a disturbed run is measured again */
} pp_plan_noise;

typedef struct pp_study_plan {
    pp_text study_id;
    pp_text title;
    pp_text baseline_id;
    pp_plan_model *models;
    size_t model_count;
    pp_plan_candidate
        *candidates; /* document order; the odd passes run in it, the even in reverse */
    size_t candidate_count;
    int64_t passes;
    int64_t settle_ms; /* pause before each run */
    pp_plan_throughput throughput;
    pp_plan_requests requests;
    pp_plan_deadlines deadlines;
    pp_plan_noise noise;
    pp_text *required_markers; /* texts that each server log must contain */
    size_t required_marker_count;
    pp_text *forbidden_markers;
    size_t forbidden_marker_count;
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

/** Index of the candidate that runs as number `position` (from 0) of pass `pass` (from 1): document
 * order in odd passes, reversed in even ones, so that a linear drift cancels. */
size_t pp_study_plan_order(const pp_study_plan *plan, int64_t pass, size_t position);

#endif
