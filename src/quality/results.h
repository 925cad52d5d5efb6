/* results.h - what came of every case of a suite in every pass, and what that was seen to be.
 *
 * Filled by whoever asked the server and matched the answers, or read back from a report. */
#ifndef PP_QUALITY_RESULTS_H
#define PP_QUALITY_RESULTS_H

#include "base/maybe.h"
#include "model/origin.h"
#include "model/suite.h"

/* A suite-report holds every answer: these keep it readable. */
#define PP_SUITE_PASSES_MAX    1000
#define PP_SUITE_ENDPOINTS_MAX 64

typedef enum pp_outcome {
    PP_OUTCOME_MATCHED, /* an accepted answer */
    PP_OUTCOME_MISSED,  /* another answer */
    PP_OUTCOME_FAILED,  /* no answer was received */
    PP_OUTCOME_COUNT
} pp_outcome;

/** "matched", "missed", "failed". */
const char *pp_outcome_name(pp_outcome outcome);

/** False when it is none of them. */
bool pp_outcome_find(pp_text name, pp_outcome *ret_outcome);

typedef struct pp_case_result {
    pp_outcome outcome;
    pp_text answer;         /* as received; valid UTF-8; empty when failed */
    pp_text matched_answer; /* as the suite writes it; only when matched */
    pp_text failure;        /* class and text; only when failed, and then not empty */
    pp_text finish_reason;  /* as the server said; empty: it did not */
    pp_maybe_int prompt_tokens, cached_tokens, output_tokens; /* as the server counted */
    pp_maybe_int drafted_tokens, accepted_tokens;             /* speculation, as the server told */
    pp_maybe_int latency_ns;                                  /* end to end; absent: never asked */
} pp_case_result;

typedef struct pp_suite_results {
    const pp_suite *suite;
    size_t pass_count;       /* at least 1 */
    pp_case_result *results; /* [pass * case_count + case] */
} pp_suite_results;

const pp_case_result *pp_result_of(const pp_suite_results *results, size_t pass, size_t number);

/* What a case is when all passes are looked at. */
typedef enum pp_case_state {
    PP_CASE_PASSED, /* matched in every pass */
    PP_CASE_MISSED, /* missed in at least one, whatever the others */
    PP_CASE_OPEN    /* missed in none, but a request failed: it might have passed */
} pp_case_state;

pp_case_state pp_case_state_of(const pp_suite_results *results, size_t number);

/** It matched in one pass and missed in another. */
bool pp_case_flipped(const pp_suite_results *results, size_t number);

/** Two passes received different texts, whether they count or not. */
bool pp_case_answers_differ(const pp_suite_results *results, size_t number);

#endif
