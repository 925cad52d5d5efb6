/* agreement.h - how close the next-token distributions of two models are, context by context.
 *
 * An alarm, no gate: it says that answers can differ, not that they are worse. Pure: what the
 * servers said in, figures out, the same to the last bit on every machine. docs/method/fidelity.md
 * has definitions, rules and sources. */
#ifndef PP_QUALITY_AGREEMENT_H
#define PP_QUALITY_AGREEMENT_H

#include "model/origin.h"
#include "model/suite.h"
#include "model/token_distribution.h"
#include "json/json.h"

/* The reference's likeliest tokens have a bin each; all others share one. */
#define PP_AGREEMENT_TOKENS_MAX 20
/* Below this a probability is what single precision leaves of a sum. */
#define PP_AGREEMENT_RESOLUTION 1e-6
#define PP_AGREEMENT_CONFIDENCE 0.95

/* One endpoint and what it said. */
typedef struct pp_agreement_side {
    pp_text name;
    pp_origin origin;
    pp_maybe_bool speculation;    /* as the server says of itself, /props or drafted tokens */
    const pp_next_token *answers; /* one for each context */
} pp_agreement_side;

typedef struct pp_agreement_bin {
    pp_token_chance token; /* as the reference told it */
    double candidate_logprob;
} pp_agreement_bin;

typedef struct pp_context_agreement {
    pp_text id;
    /* recorded */
    pp_token_refusal reference_refusal, candidate_refusal;
    pp_text reference_why, candidate_why;
    bool is_compared; /* both told a distribution, and it may be looked at: what follows holds */
    const pp_token_chance *reference_top, *candidate_top; /* most probable; several when equal */
    size_t reference_top_count, candidate_top_count;
    pp_agreement_bin *bins; /* the reference's likeliest, as far as the candidate lists them */
    size_t bin_count;
    double reference_rest, candidate_rest; /* probability outside the bins */
    size_t coarsened_count; /* the reference's likeliest that the candidate does not list */
    /* derived */
    bool agrees;           /* a most probable token of one is one of the other, too */
    bool is_tied;          /* several tokens are most probable on one side */
    bool is_infinite;      /* the candidate tells probability 0 for what the reference may say */
    pp_maybe_real kl_nats; /* absent when infinite */
} pp_context_agreement;

typedef enum pp_agreement_gap {
    PP_AGREEMENT_THERE,             /* nothing is missing */
    PP_AGREEMENT_NO_CONTEXTS,       /* */
    PP_AGREEMENT_SYNTHETIC_WEIGHTS, /* distributions of random weights mean nothing */
    PP_AGREEMENT_REFERENCE_REFUSED, /* what the reference said cannot be used */
    PP_AGREEMENT_CANDIDATE_REFUSED,
    PP_AGREEMENT_GAP_COUNT
} pp_agreement_gap;

/** "no-contexts", "synthetic-weights", ...; NULL for PP_AGREEMENT_THERE. */
const char *pp_agreement_gap_name(pp_agreement_gap gap);

typedef struct pp_agreement {
    /* recorded */
    pp_text reference_name;
    pp_origin reference_origin, candidate_origin;
    pp_maybe_bool reference_speculation, candidate_speculation;
    pp_context_agreement *contexts;
    size_t context_count;
    /* derived; figures are absent where there is a gap: a mean of what happened to come would
     * leave out what failed */
    pp_agreement_gap gap;
    pp_token_refusal refusal; /* of a REFUSED gap */
    pp_maybe_int gap_context; /* the first refused one; absent: the whole server is */
    size_t compared_count, agree_count, tied_count, coarsened_count, infinite_count;
    pp_maybe_real top1_agreement, top1_lower, top1_upper; /* two-sided exact interval */
    pp_maybe_real kl_nats_mean, kl_nats_max;              /* absent, too, when one is infinite */
    pp_maybe_int kl_max_context;                          /* the first of the largest */
} pp_agreement;

/**
 * Compare two endpoints that were asked the same contexts. Arrays live in `arena`, texts are
 * borrowed.
 *
 * Kullback-Leibler divergence of the candidate from the reference, in nats, over bins: sum of
 * p ln(p / q). Coarser bins make it smaller, so it is a lower bound of that over all tokens.
 * Tokens are told apart by id where both sides tell ids, else by their bytes.
 *
 * Fails with PP_ERR_MEMORY only; what cannot be compared is a gap.
 */
PP_MUST_CHECK pp_status pp_agreement_of(pp_arena *arena, const pp_suite_context *contexts,
                                        size_t context_count, const pp_agreement_side *reference,
                                        const pp_agreement_side *candidate,
                                        pp_agreement *ret_agreement, pp_error *err);

/** Everything that is derived, from what is recorded. */
void pp_agreement_derive(pp_agreement *agreement);

/* ---- document part `fidelity` (model/tables_fidelity.c) -----------------------------------------
 */

/** NULL members when memory is short, as json.h says. */
pp_json *pp_agreement_to_json(pp_arena *arena, const pp_agreement *agreement);

/** What is recorded, read back; then derived. Texts are borrowed from `root`. Fails with
 * PP_ERR_SCHEMA "$.path: ...", also for probabilities that do not add up to 1. */
PP_MUST_CHECK pp_status pp_agreement_decode(pp_arena *arena, const pp_json *root,
                                            pp_agreement *ret_agreement, pp_error *err);

/**
 * Every place where a part does not say what follows from its recorded probabilities.
 *
 * ret_differences   texts "$.path: expected ..., which follows from the recorded probabilities,
 *                   got ..."; none when all is as it should be
 *
 * Fails as pp_agreement_decode, and with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_agreement_again(pp_arena *arena, const pp_json *root,
                                           pp_text **ret_differences, size_t *ret_count,
                                           pp_error *err);

#endif
