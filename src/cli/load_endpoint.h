/* load_endpoint.h - what a server says of itself before it is loaded. */
#ifndef PP_CLI_LOAD_ENDPOINT_H
#define PP_CLI_LOAD_ENDPOINT_H

#include <stdio.h>

#include "base/maybe.h"
#include "load/dialect.h"
#include "model/origin.h"
#include "net/http_client.h"

typedef struct pp_load_endpoint {
    bool is_llama_server; /* it answers /props as one */
    bool is_sleeping;     /* the first request will pay for loading the model (B177) */
    pp_text build;        /* of a llama-server; empty when it says none */
    pp_text model;        /* its name for requests; empty when it lists none */
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

/** The origin of figures that were measured from here: on an emulated CPU times are the emulator's,
 * the server's among them where it runs beside us. */
pp_origin pp_origin_of_host(pp_origin origin);

/** Note that a proxy of the environment is not used: neither what asks nor what loads goes through
 * one (F09, B153). */
void pp_tell_proxy(FILE *out);

#endif
