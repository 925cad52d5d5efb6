/* relay_headers.h - which headers of a request go on to a back end, and which of its reply go back.
 *
 * Lists, not code: one table for each direction stands in relay_headers.c. What frames a message or
 * belongs to one connection never goes on (E2, E3), whatever Connection names neither, nor what
 * would tell a back end of the client's secrets (E33) or keep it generating for nobody (E22). CORS
 * is between the client and us (E34). Pure. */
#ifndef PP_GATEWAY_RELAY_HEADERS_H
#define PP_GATEWAY_RELAY_HEADERS_H

#include "base/arena.h"
#include "net/http_request.h"

/* What a client of ours gets beside the reply. */
#define PP_REQUEST_ID_HEADER "X-Request-Id"
#define PP_ROUTE_HEADER      "X-ParetoPilot-Route"
#define PP_BACKEND_HEADER    "X-ParetoPilot-Backend"

/* As many as the HTTP client takes for one request. */
#define PP_RELAY_HEADER_MAX ((size_t)128)

/* Of all Connection headers together: it names a handful of headers. Each of its names is held
 * against each header, so a long one would cost time for nothing. */
#define PP_RELAY_CONNECTION_MAX_BYTES ((size_t)1024)

/* An id of the client's that is longer is no id. */
#define PP_REQUEST_ID_MAX_BYTES ((size_t)64)

/* What is said of a request beside its own headers. All borrowed. */
typedef struct pp_relay_request {
    pp_text client_address;  /* of the connection, numeric */
    bool from_trusted_proxy; /* client_address is a configured proxy: what it forwards is kept */
    pp_text api_key;         /* of the back end; empty: it wants none */
    pp_text request_id;      /* see pp_relay_request_id */
} pp_relay_request;

/** The client's X-Request-Id when it is a token of at most PP_REQUEST_ID_MAX_BYTES, else `ours`. */
pp_text pp_relay_request_id(const pp_http_header *headers, size_t n_headers, pp_text ours);

/**
 * Lines "Name: value" for a back end, in the client's order and spelling, then ours:
 * Content-Type: application/json, X-Forwarded-For, X-Request-Id, Authorization.
 *
 * A header whose name is no token or whose value is empty or holds controls is left out.
 * Lives in `arena`. Fails with PP_ERR_LIMIT for more than PP_RELAY_HEADER_MAX lines or a Connection
 * header above its ceiling, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_relay_request_headers(pp_arena *arena, const pp_http_header *headers,
                                                 size_t n_headers, const pp_relay_request *extra,
                                                 const char *const **ret_lines, size_t *ret_count,
                                                 pp_error *err);

/**
 * What of a back end's reply the client may see, in its order. The server frames the reply, and the
 * caller adds what is ours (X-Request-Id, CORS). To a stream the two headers are added that keep
 * proxies from gathering or changing it (E10).
 *
 * The array lives in `arena`, names and values stay the reply's. Fails with PP_ERR_LIMIT for a
 * Connection header above its ceiling, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_relay_reply_headers(pp_arena *arena, const pp_http_header *headers,
                                               size_t n_headers, bool is_stream,
                                               pp_http_header **ret_headers, size_t *ret_count,
                                               pp_error *err);

/** Whether a Content-Type is this media type; its parameters and the case do not matter (E17). */
bool pp_media_type_is(pp_text content_type, const char *media_type);

#endif
