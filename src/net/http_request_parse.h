/* http_request_parse.h - inside net/ only: bytes of a connection -> requests, cut anywhere.
 *
 * Pure: no socket, no clock. Strict where two servers in a row could read different requests
 * (K24); the list of what is refused stands in http_server.h. Every byte is looked at once while
 * it comes; what concerns the whole head (Host, lengths, codings) is judged when it is complete. So
 * the outcome does not depend on where the bytes are cut.
 *
 * Source: RFC 9112 (message syntax), RFC 9110 section 10.1.1 (Expect). */
#ifndef PP_NET_HTTP_REQUEST_PARSE_H
#define PP_NET_HTTP_REQUEST_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/http_request.h"

/* One chunk-size line, digits and extension; nobody sends longer ones in earnest. */
#define PP_HTTP_CHUNK_LINE_MAX_BYTES       ((size_t)1024)
/* All chunk extensions of a request: they count for no other ceiling. */
#define PP_HTTP_CHUNK_EXTENSIONS_MAX_BYTES ((size_t)16 << 10)
/* What a parser keeps of each of its buffers between requests, for many idle connections. */
#define PP_HTTP_KEEP_BYTES                 ((size_t)4 << 10)

typedef struct pp_http_request_limits {
    size_t line_max_bytes;
    size_t head_max_bytes; /* of a head, and of a chunked body's trailers */
    size_t header_max_count;
    size_t body_max_bytes;
} pp_http_request_limits;

typedef enum pp_http_parse_state {
    PP_HTTP_PARSE_MORE,     /* everything was taken, more is needed */
    PP_HTTP_PARSE_COMPLETE, /* `request` is valid until pp_http_request_parser_clear */
    PP_HTTP_PARSE_REFUSED   /* see refused_status and refused_text; the connection must end */
} pp_http_parse_state;

typedef struct pp_http_request_parser {
    const pp_http_request_limits *limits; /* borrowed */
    pp_buf head;                          /* from the method to the blank line */
    pp_buf body;
    pp_http_header *headers;
    size_t header_capacity;
    size_t line_count;   /* headers begun, later trailers begun */
    int step;            /* which byte is expected next; private */
    uint64_t offset;     /* of the next byte in its request, from 0, for texts */
    uint64_t left_bytes; /* of the body by length, or of the chunk */
    size_t line_bytes;   /* of the chunk-size line or the trailers so far */
    size_t extension_bytes;
    bool begun;          /* a byte of the request has come */
    bool head_complete;  /* */
    bool wants_continue; /* head complete, body still to come, and the client waits for a 100 */
    bool keep_alive;     /* the client wants to go on after this request; head complete */
    int refused_status;
    char refused_text[160]; /* a sentence; no byte of the request stands in it */
    pp_http_request_view request;
} pp_http_request_parser;

void pp_http_request_parser_init(pp_http_request_parser *parser,
                                 const pp_http_request_limits *limits);
void pp_http_request_parser_done(pp_http_request_parser *parser);

/** Ready for the next request; up to PP_HTTP_KEEP_BYTES of each buffer stay. */
void pp_http_request_parser_clear(pp_http_request_parser *parser);

/** Take bytes until the request is complete or refused. ret_used: how many were taken; those behind
 * a complete request belong to the next one. Must not be called after COMPLETE or REFUSED. */
pp_http_parse_state pp_http_request_parse(pp_http_request_parser *parser, const void *bytes,
                                          size_t size, size_t *ret_used);

/** Called by the parser when the head is complete: judge it, fill in `request`, headers and how the
 * body is framed. False: refused. */
bool pp_http_request_head_judge(pp_http_request_parser *parser, bool *ret_chunked,
                                uint64_t *ret_body_bytes);

/** Record a refusal; false, so that `return refuse(...)` reads as one act. */
bool pp_http_request_refuse(pp_http_request_parser *parser, int status, const char *format, ...)
    PP_PRINTF(3, 4);

#endif
