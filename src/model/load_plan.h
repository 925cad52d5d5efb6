/* load_plan.h - a load of several levels, fixed before the first request: the original tool's.
 *
 * Reads docs/formats/load-plan.md. */
#ifndef PP_MODEL_LOAD_PLAN_H
#define PP_MODEL_LOAD_PLAN_H

#include "base/maybe.h"
#include "digest/sha256.h"
#include "json/json.h"

/* The ceilings are those of the original, because its readers know no others. */
#define PP_LOAD_MAX_PROMPTS  16
#define PP_LOAD_MAX_REQUESTS 256 /* measured, in one level */
#define PP_LOAD_MAX_LEVELS   3   /* of 1, 2 and 4 simultaneous clients */

typedef struct pp_load_prompt {
    pp_text text;
    char sha256[PP_SHA256_HEX_SIZE];
} pp_load_prompt;

/* What is asked of every candidate; all that an evaluation repeats of its plan. */
typedef struct pp_load_method {
    pp_load_prompt *prompts; /* all different; request i (from 0) sends prompt i % prompt_count */
    size_t prompt_count;
    int64_t output_tokens;              /* asked of each request, 8 to 512 */
    int64_t warmup_count;               /* requests of a level before the measured ones, 0 to 32 */
    int64_t measured_count;             /* requests of a level; a multiple of every level */
    int64_t levels[PP_LOAD_MAX_LEVELS]; /* simultaneous clients; increasing */
    size_t level_count;
} pp_load_method;

/* Limits; each is itself allowed. */
typedef struct pp_load_slo {
    double min_completion_rate; /* 0 to 1 */
    pp_maybe_real max_ttft_ms_p95;
    double max_e2e_latency_ms_p95;
} pp_load_slo;

typedef struct pp_load_plan {
    pp_load_method method;
    pp_load_slo slo;
    double timeout_seconds; /* of one request */
} pp_load_plan;

/** Read a parsed document; texts are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_load_plan_decode(pp_arena *arena, const pp_json *root,
                                            pp_load_plan *ret_plan, pp_error *err);

/** Read a file. ret_sha256 is the digest of the very bytes that were parsed. */
PP_MUST_CHECK pp_status pp_load_plan_load(pp_arena *arena, const char *path, pp_load_plan *ret_plan,
                                          char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

/** Position of a level in the plan, or level_count. */
size_t pp_load_method_find_level(const pp_load_method *method, int64_t concurrency);

/** Equal in every member. */
bool pp_load_method_equal(const pp_load_method *a, const pp_load_method *b);
bool pp_load_slo_equal(const pp_load_slo *a, const pp_load_slo *b);

/** Read limits on their own, checked. */
PP_MUST_CHECK pp_status pp_load_slo_decode(const pp_json *from, pp_load_slo *ret_slo,
                                           pp_error *err);

/* ---- for the reader of evaluations: after the check of their tables ---------------------------
 */

/** Levels and counts, which plan and methodology spell alike. Prompts stay with the caller. */
PP_MUST_CHECK pp_status pp_load_method_decode_counts(const pp_json *from, pp_load_method *method,
                                                     pp_error *err);
/** Limits that the table has accepted: that one is not above the other. */
PP_MUST_CHECK pp_status pp_load_slo_decode_checked(const pp_json *from, pp_load_slo *ret_slo,
                                                   pp_error *err);
/** Refuse a prompt that is there twice. `list` holds what the prompts came from, for the place. */
PP_MUST_CHECK pp_status pp_load_method_check_prompts(pp_arena *arena, const pp_load_method *method,
                                                     const pp_json *list, pp_error *err);

#endif
