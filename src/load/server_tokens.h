/* server_tokens.h - inside load/ only: what a llama-server says of tokens, asked before the start
 * of a load or after its end; of vLLM the number of tokens of an answer alone. */
#ifndef PP_LOAD_SERVER_TOKENS_H
#define PP_LOAD_SERVER_TOKENS_H

#include "net/http_client.h"
#include "json/json.h"

typedef struct pp_server_tokens {
    pp_http_loop *loop;
    const char *root; /* without '/' at the end */
    const char *const *headers;
    size_t header_count;
    pp_http_record record;
    bool is_vllm;
    pp_text model; /* vLLM: may be empty */
} pp_server_tokens;

typedef struct pp_token_list {
    int64_t *ids; /* in an arena */
    size_t count;
} pp_token_list;

PP_MUST_CHECK pp_status pp_server_tokens_init(pp_server_tokens *server, pp_http_loop *loop,
                                              const char *root, const char *const *headers,
                                              size_t header_count, pp_error *err);
void pp_server_tokens_done(pp_server_tokens *server);

/** Context of one slot; not known where /props does not say. Fails with PP_ERR_PEER when there is
 * no /props. */
PP_MUST_CHECK pp_status pp_server_context(pp_server_tokens *server, pp_maybe_int *ret_tokens,
                                          pp_error *err);

/** Tokens of a text, the begin-of-text token included where the server adds one. With
 * `parse_special` marks such as "<|im_end|>" are one token, as they are in a request. */
PP_MUST_CHECK pp_status pp_server_tokenize(pp_server_tokens *server, pp_arena *arena, pp_text text,
                                           bool parse_special, pp_token_list *ret_list,
                                           pp_error *err);

/** Number of tokens of an answer: no begin-of-text token, and a text that looks like a mark is
 * text. Must be UTF-8. vLLM: the same but for marks, which are tokens there. */
PP_MUST_CHECK pp_status pp_server_count(pp_server_tokens *server, pp_text text, int64_t *ret_count,
                                        pp_error *err);

/** The text that the server's template makes of messages. */
PP_MUST_CHECK pp_status pp_server_render(pp_server_tokens *server, pp_arena *arena,
                                         pp_text messages_json, pp_text *ret_text, pp_error *err);

#endif
