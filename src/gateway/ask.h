/* ask.h - what the body of a request says, and the few bytes of it that change on the way.
 *
 * The body is read once, strictly (E35). What goes upstream is the client's own bytes with values
 * spliced into them (E9): numbers, the order of members, white space and members that nobody here
 * knows survive (E16). Nothing is judged that the server behind judges better. Pure. */
#ifndef PP_GATEWAY_ASK_H
#define PP_GATEWAY_ASK_H

#include "base/maybe.h"
#include "load/dialect.h"
#include "json/splice.h"

typedef struct pp_ask {
    pp_text model; /* empty: none named */
    bool stream;
    bool wants_usage;        /* stream_options.include_usage */
    bool has_tools;          /* a list of tools, or of functions, that is not empty */
    pp_maybe_int max_tokens; /* max_completion_tokens, else max_tokens; absent when neither is a
                                count */
    /* where they stand in the body */
    pp_json_span root, model_at, stream_options_at, include_usage_at;
} pp_ask;

/**
 * Read a body; texts live in `arena`.
 *
 * ret_param    the member that is at fault, such as "stream_options.include_usage"; "" when none is
 *
 * Fails, with a sentence for the client that names the place, with PP_ERR_SYNTAX for what is no
 * strict JSON (duplicate keys, lone surrogates, bytes that are not UTF-8), PP_ERR_LIMIT for what is
 * nested too deeply, PP_ERR_SCHEMA for no object, a model that is no string, stream or
 * include_usage that is no boolean (null counts as absent), no list of messages for chat, no prompt
 * (a string or a list) for text, and PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_ask_read(pp_arena *arena, pp_bytes body, pp_endpoint endpoint,
                                    pp_ask *ret_ask, const char **ret_param, pp_error *err);

/**
 * Append the body for the server behind.
 *
 * upstream_model    instead of the client's; empty: left as it is
 * ask_usage         stream_options.include_usage becomes true where the reply is a stream (E13)
 *
 * Fails with PP_ERR_LIMIT when `out` has no room, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_ask_write(const pp_ask *ask, pp_bytes body, pp_text upstream_model,
                                     bool ask_usage, pp_buf *out, pp_error *err);

#endif
