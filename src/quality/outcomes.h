/* outcomes.h - which cases counted and by which answer, as a list that two runs can be compared by.
 *
 * Pure. */
#ifndef PP_QUALITY_OUTCOMES_H
#define PP_QUALITY_OUTCOMES_H

#include "digest/sha256.h"
#include "model/server_evaluation.h"

typedef struct pp_case_outcome {
    pp_text case_id;
    bool matched;
    pp_text matched_answer; /* when matched */
} pp_case_outcome;

bool pp_case_outcome_equal(const pp_case_outcome *a, const pp_case_outcome *b);
/** The same cases in the same order, each with the same outcome. */
bool pp_outcomes_equal(const pp_case_outcome *a, size_t a_count, const pp_case_outcome *b,
                       size_t b_count);

/**
 * Fingerprint of a list: SHA-256 of the lines "ID<tab>true|false<tab>ANSWER", joined by line feeds,
 * none at the end; the answer is empty where nothing matched. The original's `outcomes_sha256`.
 */
PP_MUST_CHECK pp_status pp_outcomes_sha256(const pp_case_outcome *outcomes, size_t count,
                                           char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err);

/** Those of an evaluation, case_count of them; NULL when memory is short (arena->failed set). */
pp_case_outcome *pp_outcomes_of_evaluation(pp_arena *arena, const pp_server_evaluation *evaluation);

#endif
