/* server_evaluation.h - what the original's `evaluate-server` found out about one server: answers
 * to a suite of schema 1.0 and latencies of single requests, of one pass or pooled of several.
 *
 * Noun and JSON. Reading takes what the document says; what of it follows from the rest is compared
 * by quality/evaluation_check.h, so a reader of files wants that one.
 * docs/formats/server-evaluation.md describes the document. */
#ifndef PP_MODEL_SERVER_EVALUATION_H
#define PP_MODEL_SERVER_EVALUATION_H

#include "model/suite.h"

#define PP_EVALUATION_MAX_ID_CHARACTERS 128
#define PP_EVALUATION_MIN_POOLED        2
#define PP_EVALUATION_MAX_POOLED        8
/* Of one pass; a pooled one has up to PP_EVALUATION_MAX_POOLED times as many. */
#define PP_EVALUATION_MAX_REPETITIONS   50
#define PP_EVALUATION_MAX_WARMUPS       10

typedef struct pp_evaluation_case {
    pp_text id, prompt;
    pp_text *accepted; /* at least one */
    size_t accepted_count;
    pp_match_mode match_mode; /* one of the three of schema 1.0 */
    pp_text response;         /* as received; may be empty */

    /* These follow from the ones above. */
    bool matched;
    pp_text matched_answer; /* when matched: the first accepted one that does */
} pp_evaluation_case;

/* One streamed request, alone on the server. */
typedef struct pp_evaluation_sample {
    double ttft_ms;        /* above 0 */
    double e2e_latency_ms; /* at least ttft_ms */
    int64_t event_count;
    int64_t predicted_tokens; /* as the server counted: what was asked */
    pp_text content;          /* not blank */
} pp_evaluation_sample;

typedef struct pp_server_evaluation {
    pp_text candidate_id;
    bool synthetic; /* the original knows false only */
    pp_text suite_id, suite_license;
    char suite_sha256[PP_SHA256_HEX_SIZE]; /* of the suite's file */
    int64_t repetitions, warmups;          /* of all pooled passes together */
    int64_t generation_tokens;
    pp_evaluation_case *cases;
    size_t case_count;
    pp_evaluation_sample *samples;
    size_t sample_count;

    /* These follow from cases and samples: quality/evaluation.h. */
    size_t passed_count;
    double score; /* passed by all cases, 0 to 1 */
    double ttft_ms_p50, ttft_ms_p95;
    double e2e_latency_ms_p50, e2e_latency_ms_p95;
} pp_server_evaluation;

/**
 * What contradicts itself in a sample, as a sentence in `text`; NULL when nothing does. ret_key is
 * the member at fault.
 */
#define PP_EVALUATION_FAULT_MAX 200
const char *pp_evaluation_sample_fault(const pp_evaluation_sample *sample,
                                       int64_t generation_tokens, const char **ret_key,
                                       char text[PP_EVALUATION_FAULT_MAX]);

/** The document. NULL when memory is short (the writer reports it). */
pp_json *pp_server_evaluation_to_json(pp_arena *arena, const pp_server_evaluation *evaluation);

/** What the document says, each value alone checked. Texts are borrowed from `root`.
 * Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_server_evaluation_decode(pp_arena *arena, const pp_json *root,
                                                    pp_server_evaluation *ret_evaluation,
                                                    pp_error *err);

#endif
