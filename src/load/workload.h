/* workload.h - the requests of a fixed streamed load, made from a seed.
 *
 * Prompts are given in server tokens (F85). Text is made of numbers and words, cut into tokens by
 * the server's own tokenizer, and sent as the array of token ids, cut to the length asked: so the
 * length is exact with any vocabulary, and what the server processes is what was counted. Text
 * would have to be adjusted word by word and still could merge differently. The price is that ids
 * belong to one tokenizer: a workload is prepared for each server, and the time to cut text into
 * tokens (microseconds) is in no measurement.
 *
 * Each prompt begins in its own way, so that no cache can serve one from another (F46, F86). */
#ifndef PP_LOAD_WORKLOAD_H
#define PP_LOAD_WORKLOAD_H

#include "load/dialect.h"
#include "model/exchange.h"
#include "net/http_client.h"

typedef struct pp_workload_options {
    int64_t warmup_count;   /* >= 0 */
    int64_t measured_count; /* >= 1 */
    int64_t prompt_tokens;  /* >= 1, the begin-of-text token included where the server adds one */
    int64_t output_tokens;  /* >= 0 */
    uint64_t seed;
} pp_workload_options;

#define PP_WORKLOAD_MAX_REQUESTS      1000000
/* llama.cpp's largest contexts; also bounds the text that is sent to the tokenizer. */
#define PP_WORKLOAD_MAX_PROMPT_TOKENS ((int64_t)1 << 20)

typedef struct pp_workload_request {
    pp_phase phase;
    int64_t index; /* from 1 within its phase */
    pp_text prompt_id;
    pp_bytes body; /* JSON */
    char body_sha256[PP_SHA256_HEX_SIZE];
} pp_workload_request;

typedef struct pp_workload {
    pp_workload_options options;
    pp_workload_request *requests; /* warm-up first, then measured, in the order of sending */
    size_t request_count;
    int64_t shared_prefix_tokens_max; /* longest common beginning of any two prompts */
    bool of_words;                    /* text, of which nobody knows the number of tokens */
    pp_endpoint endpoint;             /* where the requests go */
} pp_workload;

/**
 * Make the requests with the help of the server's /tokenize.
 *
 * base_url   "http://127.0.0.1:8080", without a slash at the end
 * headers    further request headers (authorisation), may be NULL
 *
 * The same options against the same tokenizer give the same bytes. Everything lives in `arena`.
 * Fails with PP_ERR_RANGE for options out of range, PP_ERR_PEER when the server does not answer as
 * a llama-server, PP_ERR_DOMAIN when its context per slot cannot hold prompt and output (F81; where
 * /props tells it).
 */
PP_MUST_CHECK pp_status pp_workload_prepare(pp_arena *arena, pp_http_loop *loop,
                                            const char *base_url, const char *const *headers,
                                            size_t header_count, const pp_workload_options *options,
                                            pp_workload *ret_workload, pp_error *err);

/**
 * The same for a server that tells nothing of its tokenizer: texts of as many short English words,
 * each beginning with a number of its own. How many tokens these are the server says in its
 * replies.
 *
 * dialect   as pp_dialect_check accepts it; an endpoint that takes text
 */
PP_MUST_CHECK pp_status pp_workload_prepare_words(pp_arena *arena, const pp_dialect *dialect,
                                                  const pp_workload_options *options,
                                                  pp_workload *ret_workload, pp_error *err);

#endif
