/* suite.h - the quality suite: what a server is asked, and which answers count.
 *
 * Reads docs/formats/quality-suite.md: 1.0 is the original tool's, 2.0 ours. Whether an answer
 * counts is quality/match.h's to say; what decoding has accepted can be matched without a check:
 * expressions compile, numbers are numbers, JSON parses. */
#ifndef PP_MODEL_SUITE_H
#define PP_MODEL_SUITE_H

#include <stdbool.h>
#include <stdint.h>

#include "digest/sha256.h"
#include "json/json.h"

/* Ceilings of the original. */
#define PP_SUITE_1_0_MAX_CASES             100
#define PP_SUITE_1_0_MAX_PROMPT_CHARACTERS 4096
#define PP_SUITE_1_0_MAX_ANSWER_CHARACTERS 256
#define PP_SUITE_MAX_ANSWERS               20 /* of 2.0, too */

/* Ceilings of 2.0. A floor of 0.99 needs 299 cases without a miss to be certified, and some that
 * may miss. */
#define PP_SUITE_MAX_CASES             2000
#define PP_SUITE_MAX_PROMPT_CHARACTERS 32768 /* of the original's performance prompt */
#define PP_SUITE_MAX_ANSWER_CHARACTERS 4096  /* JSON answers outgrow the original's 256 */
#define PP_SUITE_MAX_NUMBER_BYTES      256 /* no number is longer, received ones are read to 512 */
#define PP_SUITE_MAX_RULES             8   /* of an any-of */
#define PP_SUITE_MAX_CONTEXTS          200
#define PP_SUITE_MAX_TOKENS            32768 /* of an answer */
#define PP_SUITE_MAX_EXPRESSIONS       4000  /* each costs a compilation of bounded length */
#define PP_SUITE_MAX_SEED              INT64_C(4294967294) /* the next one means "any" to llama.cpp */

/* What every 1.0 suite is asked with: these stand in no 1.0 document. */
#define PP_SUITE_1_0_MAX_TOKENS 32
#define PP_SUITE_1_0_SEED       4242

typedef enum pp_match_mode {
    PP_MATCH_TRIMMED_EXACT,
    PP_MATCH_NORMALIZED_TEXT,
    PP_MATCH_JSON_EXACT,
    PP_MATCH_CONTAINS, /* this and the following: 2.0 only */
    PP_MATCH_NUMBER,
    PP_MATCH_REGEX,
    PP_MATCH_MODE_COUNT
} pp_match_mode;

/** "trimmed-exact", ... as documents write it. */
const char *pp_match_mode_name(pp_match_mode mode);

/* An answer counts when it matches one of the accepted ones. */
typedef struct pp_match_rule {
    pp_match_mode mode;
    pp_text *accepted; /* at least one */
    size_t accepted_count;
    double absolute_tolerance, relative_tolerance; /* NUMBER; 0: none */
    bool ignore_case;                              /* CONTAINS */
} pp_match_rule;

typedef struct pp_suite_case {
    pp_text id;
    pp_text group; /* "" in 1.0 */
    pp_text prompt;
    pp_match_rule *rules; /* one; several for any-of */
    size_t rule_count;
    int64_t max_tokens; /* the suite's unless the case says otherwise */
} pp_suite_case;

/* A text after which next-token distributions are compared. */
typedef struct pp_suite_context {
    pp_text id, prompt;
} pp_suite_context;

typedef struct pp_suite {
    bool original; /* 1.0 */
    pp_text id;
    pp_text title; /* "" in 1.0 */
    pp_text license;
    bool has_system_prompt; /* false in 1.0, whose documents do not hold the one that was sent */
    pp_text system_prompt;
    int64_t max_tokens, seed;
    double temperature;
    pp_suite_case *cases;
    size_t case_count;
    pp_suite_context *contexts;
    size_t context_count;
    /* 1.0 only */
    bool has_performance;
    pp_text performance_prompt;
    int64_t generation_tokens, repetitions, warmups;
} pp_suite;

/** Read a parsed document; texts are borrowed from it. Fails with PP_ERR_SCHEMA "$.path: ...". */
PP_MUST_CHECK pp_status pp_suite_decode(pp_arena *arena, const pp_json *root, pp_suite *ret_suite,
                                        pp_error *err);

/**
 * Read a file.
 * ret_sha256           digest of the very bytes that were parsed
 * ret_content_sha256   digest of the canonical compact form: the same suite laid out otherwise has
 *                      the same one
 */
PP_MUST_CHECK pp_status pp_suite_load(pp_arena *arena, const char *path, pp_suite *ret_suite,
                                      char ret_sha256[PP_SHA256_HEX_SIZE],
                                      char ret_content_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

#endif
