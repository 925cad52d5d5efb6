/* chat_reply.h - the answer in a whole (not streamed) reply of /v1/chat/completions.
 *
 * Pure: the same bytes give the same answer on every machine. What a server may add is passed over;
 * what is no chat reply is a failure of that one request with the place where it went wrong.
 *
 * An answer is the text of the message: reasoning stands apart, tool calls are counted and are no
 * text. A reply whose message has no text is an answer of no characters, not a failure: the server
 * did what was asked, the model said nothing. */
#ifndef PP_INTAKE_CHAT_REPLY_H
#define PP_INTAKE_CHAT_REPLY_H

#include "intake/reply_fields.h"
#include "model/exchange.h"

typedef struct pp_chat_reply {
    pp_failure failure;   /* NONE: there is an answer, maybe an empty one */
    pp_text failure_text; /* one line, free of control characters */

    pp_text answer;
    pp_text reasoning; /* empty when none came */
    size_t tool_call_count;
    pp_text finish; /* finish_reason; empty when none came */
    pp_text model;  /* as the server names it; empty when it does not */
    pp_reply_counts counts;
} pp_chat_reply;

/** Decode the body of a reply of status 200. All texts live in `arena`. Fails with PP_ERR_MEMORY
 * only. */
PP_MUST_CHECK pp_status pp_chat_reply_read(pp_arena *arena, pp_bytes body, pp_chat_reply *ret_reply,
                                           pp_error *err);

/** The same for an exchange: what the transport says of a failure comes first, with the server's
 * own words where a status outside 2xx brought some. */
PP_MUST_CHECK pp_status pp_chat_reply_of_exchange(pp_arena *arena, const pp_exchange *exchange,
                                                  pp_chat_reply *ret_reply, pp_error *err);

/** Tokens of the answer: of the timings, else of the usage. */
pp_maybe_int pp_chat_reply_output_tokens(const pp_chat_reply *reply);

#endif
