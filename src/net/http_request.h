/* http_request.h - a request as somebody who answers it sees it: whole, checked, borrowed. */
#ifndef PP_NET_HTTP_REQUEST_H
#define PP_NET_HTTP_REQUEST_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/text.h"

typedef struct pp_http_header {
    pp_text name;  /* as sent; compare with pp_http_header_find */
    pp_text value; /* without blanks at its ends; bytes above 0x7f are possible, controls are not */
} pp_http_header;

/* A request, whole: the head, and the body with chunks already joined. Trailers are checked and
 * dropped. Everything is borrowed until the call has ended. */
typedef struct pp_http_request_view {
    pp_text method; /* "GET"; any token, also one that nobody knows */
    pp_text target; /* as sent: "/path?query", "http://host/path?query", or "*" of OPTIONS */
    pp_text path;   /* of the target, not decoded; begins with '/', or is "*" */
    pp_text query;  /* of the target without its '?', not decoded; empty when there is none */
    const pp_http_header *headers;
    size_t header_count;
    pp_bytes body;
    int minor_version;         /* 0 or 1 of HTTP/1.x */
    int64_t arrived_ns;        /* monotonic: just after the read that completed the request */
    int64_t connection_serial; /* from 1 within the server */
    int64_t request_serial;    /* from 1 within its connection */
} pp_http_request_view;

/** The value of the first header of that name, case ignored; a zeroed text when there is none. */
pp_text pp_http_header_find(const pp_http_header *headers, size_t n_headers, const char *name);

#endif
