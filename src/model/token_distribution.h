/* token_distribution.h - which tokens may come next, and how likely, as a server told it.
 *
 * The noun between who reads servers' replies (intake) and who compares them (quality). */
#ifndef PP_MODEL_TOKEN_DISTRIBUTION_H
#define PP_MODEL_TOKEN_DISTRIBUTION_H

#include "base/maybe.h"
#include "base/text.h"

/* No more than this is asked for or read; the rest is one figure. */
#define PP_TOKENS_TOLD_MAX 1000

/* Servers compute in single precision: sums of their probabilities leave 1 by less than this. */
#define PP_PROBABILITY_ROUNDING 1e-4

typedef struct pp_token_chance {
    pp_maybe_int id; /* number in the vocabulary; absent where the server tells none */
    pp_text bytes;   /* need not be UTF-8; empty for marks such as the end of text */
    double logprob;  /* natural logarithm, at most 0; below -745 counts as probability 0 */
} pp_token_chance;

typedef struct pp_token_distribution {
    pp_token_chance *tokens; /* descending */
    size_t count;
    double rest; /* probability of all that is not listed, 0 to 1 */
} pp_token_distribution;

/* Why a reply holds no distribution that may be used. */
typedef enum pp_token_refusal {
    PP_TOKENS_TOLD = 0,
    PP_TOKENS_REQUEST_FAILED,   /* no reply, or one with an error */
    PP_TOKENS_MALFORMED,        /* what came cannot be log-probabilities */
    PP_TOKENS_SPECULATION,      /* the server says that it speculates */
    PP_TOKENS_ALL_ZERO,         /* each log-probability is 0 */
    PP_TOKENS_TOO_FEW,          /* fewer than two tokens were told */
    PP_TOKENS_OTHER_VOCABULARY, /* a token id means another text than in the reference */
    PP_TOKEN_REFUSAL_COUNT
} pp_token_refusal;

/** "request-failed", "malformed", ...; NULL for PP_TOKENS_TOLD and beyond. */
const char *pp_token_refusal_name(pp_token_refusal refusal);
bool pp_token_refusal_find(pp_text name, pp_token_refusal *ret_refusal);

/* What one server says comes after one text. */
typedef struct pp_next_token {
    pp_token_refusal refusal;
    pp_text why;                /* a sentence; empty for PP_TOKENS_TOLD */
    pp_token_distribution told; /* only with PP_TOKENS_TOLD */
} pp_next_token;

#endif
