/* fidelity_ask.h - asks a server for the probabilities of the next token after each context of a
 * suite, one request after the other.
 *
 * Nothing is decoded here: replies are kept raw, with their times, and intake/token_probs.h reads
 * them. docs/method/fidelity.md says which fields are sent and why. */
#ifndef PP_LOAD_FIDELITY_ASK_H
#define PP_LOAD_FIDELITY_ASK_H

#include "load/dialect.h"
#include "model/exchange.h"
#include "model/suite.h"
#include "net/http_client.h"

/* llama-server is asked for so many, so that it lists what another server finds likely; the OpenAI
 * API allows 20. */
#define PP_FIDELITY_TOKENS      100
#define PP_FIDELITY_CHAT_TOKENS 20

typedef struct pp_fidelity_reply {
    bool asked;           /* false: the end came first; everything below is then empty */
    pp_bytes request;     /* body as it was sent; empty for a GET */
    pp_exchange exchange; /* no arrivals; instants count from the start of the first request */
} pp_fidelity_reply;

typedef struct pp_fidelity_answers {
    pp_endpoint endpoint;       /* PP_ENDPOINT_COMPLETION or PP_ENDPOINT_CHAT */
    pp_fidelity_reply props;    /* GET /props; of a llama-server only */
    pp_fidelity_reply *replies; /* one for each context */
    size_t count;
    bool interrupted; /* stopped from outside: some were not asked, or were cut */
} pp_fidelity_answers;

typedef struct pp_fidelity_ask_options {
    const char *root; /* of the server, as pp_server_root gives it */
    const char *const *headers;
    size_t header_count;
    pp_server_kind kind;
    bool chat; /* ask a llama-server for chats, too; other kinds always are */
    pp_text model;
    pp_http_limits limits; /* of each request */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
} pp_fidelity_ask_options;

void pp_fidelity_ask_options_default(pp_fidelity_ask_options *options);

/** Body of one request. Fails with PP_ERR_SYNTAX for a prompt that is not UTF-8, PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_fidelity_body(pp_arena *arena, const pp_fidelity_ask_options *options,
                                         pp_text prompt, pp_bytes *ret_body, pp_error *err);

/**
 * Ask about all contexts. Replies live in `arena`. A request that fails is a result; once the
 * loop's `stop` is set the rest is not asked. Fails as pp_fidelity_body, with PP_ERR_USAGE for a
 * root that is no URL, and with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_fidelity_ask(pp_arena *arena, pp_http_loop *loop,
                                        const pp_fidelity_ask_options *options,
                                        const pp_suite_context *contexts, size_t count,
                                        pp_fidelity_answers *ret_answers, pp_error *err);

#endif
