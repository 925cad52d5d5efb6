/* cors.h - what browsers of other sites may do here (E34, G27, G28).
 *
 * Origins that the configuration names, "*" for any; none: same origin only, and nothing is said.
 * Only what was asked and is well-formed is allowed, never raw: an allowed preflight answers with
 * the tokens it understood. Source: the Fetch standard, CORS protocol. Pure. */
#ifndef PP_GATEWAY_CORS_H
#define PP_GATEWAY_CORS_H

#include "base/arena.h"
#include "net/http_request.h"

/* Of one preflight; browsers send a few, SDKs about ten (G27). More, or longer ones, are left out.
 */
#define PP_CORS_HEADER_MAX      ((size_t)64)
#define PP_CORS_NAME_MAX_BYTES  ((size_t)64)
#define PP_CORS_MAX_AGE_SECONDS "600"

/* Headers that a reply gets at most. */
#define PP_CORS_REPLY_MAX 6

typedef struct pp_cors {
    const pp_text *origins; /* as browsers send them, or "*" */
    size_t origin_count;
} pp_cors;

typedef struct pp_cors_reply {
    pp_http_header headers[PP_CORS_REPLY_MAX]; /* to add to whatever is answered */
    size_t count;
    bool origin_is_allowed; /* there is an Origin, and it may */
} pp_cors_reply;

/** OPTIONS with an Origin and an Access-Control-Request-Method: to be answered with 204 and
 * pp_cors_preflight's headers, whatever the path, without a key. */
bool pp_cors_is_preflight(const pp_http_request_view *request);

/** For an ordinary reply: who may read it and which headers. Values are borrowed from the request
 * and from `cors`. */
void pp_cors_headers(const pp_cors *cors, const pp_http_header *headers, size_t n_headers,
                     pp_cors_reply *ret_reply);

/** For a preflight. Values live in `arena`. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_cors_preflight(pp_arena *arena, const pp_cors *cors,
                                          const pp_http_header *headers, size_t n_headers,
                                          pp_cors_reply *ret_reply, pp_error *err);

#endif
