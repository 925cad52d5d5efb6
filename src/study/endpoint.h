/* endpoint.h - what a server says of itself before it is loaded. */
#ifndef PP_STUDY_ENDPOINT_H
#define PP_STUDY_ENDPOINT_H

#include "base/maybe.h"
#include "load/dialect.h"
#include "model/origin.h"
#include "net/http_client.h"

typedef struct pp_load_endpoint {
    bool is_llama_server; /* it answers /props as one */
    bool is_sleeping;     /* the first request will pay for loading the model (B177) */
    pp_text build;        /* of a llama-server; empty when it says none */
    pp_text model;        /* its name for requests; empty when it lists none */
    pp_text owner;        /* `owned_by` of that model; empty when it says none */
    pp_maybe_int slot_count;
    pp_maybe_int context_tokens; /* of one slot */
    pp_origin origin;            /* simulated where it says so */
} pp_load_endpoint;

/**
 * Ask GET /props and GET /v1/models. A server that knows neither is an endpoint like any other.
 * Texts live in `arena`. Fails with PP_ERR_PEER when nothing answers at all or the key is refused,
 * PP_ERR_INTERRUPTED, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_endpoint_ask(pp_arena *arena, pp_http_loop *loop, const char *root,
                                             const char *const *headers, size_t header_count,
                                             pp_load_endpoint *ret_endpoint, pp_error *err);

typedef struct pp_load_recognised {
    pp_server_kind kind;
    pp_text because; /* "/v1/models says owned_by vllm", ... */
} pp_load_recognised;

/**
 * Which kind of server `endpoint` is, and what shows it. Only where neither /props nor /v1/models
 * does, GET /metrics is asked for the names that vLLM's begin with; no answer to that, of whatever
 * kind, is no failure. What nothing shows is PP_SERVER_OPENAI.
 * Sources: https://docs.vllm.ai/en/stable/usage/metrics/ and the model card of vLLM's server,
 * vllm/entrypoints/openai/protocol.py. Fails with PP_ERR_INTERRUPTED, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_endpoint_recognise(pp_arena *arena, pp_http_loop *loop,
                                                   const char *root, const char *const *headers,
                                                   size_t header_count,
                                                   const pp_load_endpoint *endpoint,
                                                   pp_load_recognised *ret_recognised,
                                                   pp_error *err);

#endif
