/* token_probs.h - the probabilities of the first generated token, out of a server's reply.
 *
 * Pure. Reads replies of llama-server's /completion with `n_probs` (one object or its event stream)
 * and of OpenAI chats with `logprobs`. Only the first generated position counts: later ones depend
 * on what was generated before, and under speculation they are wrong (E23). docs/method/fidelity.md
 * has the rules. */
#ifndef PP_INTAKE_TOKEN_PROBS_H
#define PP_INTAKE_TOKEN_PROBS_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/exchange.h"
#include "model/token_distribution.h"

/**
 * What a reply of status 200 tells of the first token. Everything returned lives in `arena`.
 *
 * Refused with the place ($.path) as PP_TOKENS_MALFORMED: log-probabilities that are no number or
 * above 0, lists that do not descend, tokens that stand twice, a sum above 1 beyond the rounding of
 * single precision, probabilities after sampling. A reply with an error object is
 * PP_TOKENS_REQUEST_FAILED. Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_token_probs_read(pp_arena *arena, pp_bytes body,
                                            pp_next_token *ret_token, pp_error *err);

/** The same of a whole exchange: what failed on the way, or was never asked (no HTTP status and no
 * failure), is PP_TOKENS_REQUEST_FAILED with the failure's name and text. */
PP_MUST_CHECK pp_status pp_token_probs_of_exchange(pp_arena *arena, const pp_exchange *exchange,
                                                   pp_next_token *ret_token, pp_error *err);

/** What a reply to GET /props of a llama-server says of speculation; absent when it says nothing.
 * "false" is no proof: the settings of a reply were seen to say otherwise (E21). */
pp_maybe_bool pp_props_speculation(pp_arena *arena, pp_bytes body);

#endif
