/* dialect.h - how a request for text is written: which path, which fields.
 *
 * Strict servers answer 400 to fields they do not know, so each kind of server gets only what it
 * knows (F16); docs/method/load-requests.md lists the fields. Bodies have sorted keys and no
 * blanks, so the same request has the same bytes and the same hash. */
#ifndef PP_LOAD_DIALECT_H
#define PP_LOAD_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

typedef enum pp_endpoint {
    PP_ENDPOINT_CHAT,      /* POST /v1/chat/completions */
    PP_ENDPOINT_TEXT,      /* POST /v1/completions */
    PP_ENDPOINT_COMPLETION /* POST /completion of llama-server; token ids, too */
} pp_endpoint;

typedef enum pp_server_kind {
    PP_SERVER_OPENAI,       /* standard fields only */
    PP_SERVER_LLAMA_SERVER, /* and ignore_eos, cache_prompt, timings_per_token */
    PP_SERVER_VLLM          /* and ignore_eos, min_tokens */
} pp_server_kind;

/** "chat", "text", "completion"; NULL behind the last, so that options can list them. */
const char *pp_endpoint_name(size_t endpoint);
bool pp_endpoint_find(const char *name, pp_endpoint *ret_endpoint);
/** "/v1/chat/completions", ... */
const char *pp_endpoint_path(pp_endpoint endpoint);

/** "openai", "llama-server", "vllm"; NULL behind the last. */
const char *pp_server_kind_name(size_t kind);
bool pp_server_kind_find(const char *name, pp_server_kind *ret_kind);

/* What is asked of the server's cache of prompts; only llama-server is told. */
typedef enum pp_prompt_cache {
    PP_PROMPT_CACHE_UNSAID, /* as the server does by itself */
    PP_PROMPT_CACHE_OFF,
    PP_PROMPT_CACHE_ON
} pp_prompt_cache;

typedef struct pp_dialect {
    pp_endpoint endpoint;
    pp_server_kind kind;
    pp_text model;              /* absent: the field is not sent; not sent to /completion */
    bool include_usage;         /* stream_options.include_usage; not sent to /completion */
    bool max_completion_tokens; /* chat: the newer name of max_tokens */
    bool free_length;           /* the model may end by itself: no ignore_eos, no min_tokens */
    pp_prompt_cache cache;
    double temperature; /* 0: the likeliest token */
    uint64_t seed;      /* its lower 31 bits are sent */
} pp_dialect;

/** Fails with PP_ERR_USAGE where the parts contradict each other (/completion is llama-server's,
 * max_completion_tokens belongs to chat), PP_ERR_RANGE for a temperature that is not 0 to 10, and
 * PP_ERR_SYNTAX for a model name that is not UTF-8. */
PP_MUST_CHECK pp_status pp_dialect_check(const pp_dialect *dialect, pp_error *err);

/* A body is written in two parts around the prompt, so that a prompt may be written in place. */

/** Everything in front of the value of "prompt" or "messages". */
void pp_dialect_begin(const pp_dialect *dialect, int64_t output_tokens, pp_buf *body);
/** Everything behind it. */
void pp_dialect_end(const pp_dialect *dialect, int64_t output_tokens, pp_buf *body);

/** The JSON value of a text prompt for this endpoint: a string, or a list of one message of the
 * user. Fails with PP_ERR_SYNTAX for text that is not UTF-8, naming the byte. */
PP_MUST_CHECK pp_status pp_dialect_write_text(const pp_dialect *dialect, pp_text text, pp_buf *body,
                                              pp_error *err);

/**
 * Root of the server for a base URL as people write it: without '/' and "/v1" at its end, so that
 * "/v1/chat/completions" or "/props" can follow.
 *
 * Fails with PP_ERR_USAGE unless it begins with http:// or https://, and for one with '?', '#', a
 * blank or a control character. The text never repeats the URL, which may hold a key.
 */
PP_MUST_CHECK pp_status pp_server_root(pp_arena *arena, const char *base_url, const char **ret_root,
                                       pp_error *err);

#endif
