#include "net/http_request_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"
#include "net/http_syntax.h"
#include "shared.h"

static const pp_http_request_limits limits = {
    .line_max_bytes = 64,
    .head_max_bytes = 256,
    .header_max_count = 6,
    .body_max_bytes = 64,
};

/* All of a request that a caller can see, as one text. */
static void show(const pp_http_request_parser *p, pp_buf *out)
{
    const pp_http_request_view *r = &p->request;

    pp_buf_printf(out, "%.*s [%.*s] [%.*s] [%.*s] 1.%d keep=%d", (int)r->method.size,
                  r->method.data, (int)r->target.size, r->target.data, (int)r->path.size,
                  r->path.data, (int)r->query.size, r->query.data, r->minor_version, p->keep_alive);
    for (size_t i = 0; i < r->header_count; i++)
        pp_buf_printf(out, " %.*s=(%.*s)", (int)r->headers[i].name.size, r->headers[i].name.data,
                      (int)r->headers[i].value.size, r->headers[i].value.data);
    pp_buf_append_text(out, " body=");
    pp_buf_append(out, r->body.data, r->body.size);
}

/* Every request of the bytes, then how it ended; pieces of `step` bytes after a first of `first`.
 */
static void parse_cut(const char *bytes, size_t size, size_t first, size_t step, pp_buf *out)
{
    pp_http_request_parser p;
    pp_http_parse_state state = PP_HTTP_PARSE_MORE;
    size_t at = 0;
    size_t cut = first;

    pp_http_request_parser_init(&p, &limits);
    while (at < size && state != PP_HTTP_PARSE_REFUSED) {
        size_t used = 0;

        for (; cut <= at; cut += step)
            ;
        state = pp_http_request_parse(&p, bytes + at, (cut < size ? cut : size) - at, &used);
        at += used;
        if (state == PP_HTTP_PARSE_COMPLETE) {
            show(&p, out);
            pp_buf_append_text(out, "\n");
            pp_http_request_parser_clear(&p);
        }
    }
    if (state == PP_HTTP_PARSE_REFUSED)
        pp_buf_printf(out, "refused %d: %s", p.refused_status, p.refused_text);
    else if (p.begun)
        pp_buf_append_text(out, "unfinished");
    pp_http_request_parser_done(&p);
}

static void check_cuts(const char *name, const char *bytes, size_t size, const char *want)
{
    pp_buf got;

    pp_buf_init(&got, 1 << 20);
    for (size_t cut = 1; cut <= size; cut++) {
        pp_buf_clear(&got);
        parse_cut(bytes, size, cut, size, &got);
        if (strcmp(pp_buf_text(&got), want) != 0)
            fail_msg("%s, cut at %zu: got\n%s\nwanted\n%s", name, cut, pp_buf_text(&got), want);
    }
    for (size_t step = 1; step < 5; step++) {
        pp_buf_clear(&got);
        parse_cut(bytes, size, step, step, &got);
        if (strcmp(pp_buf_text(&got), want) != 0)
            fail_msg("%s, in pieces of %zu: got\n%s\nwanted\n%s", name, step, pp_buf_text(&got),
                     want);
    }
    pp_buf_done(&got);
}

/* ---- what is accepted ------------------------------------------------------------------------ */

static const struct {
    const char *name;
    const char *bytes;
    const char *want;
} accepted[] = {
    {"plain", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET [/] [/] [] 1.1 keep=1 Host=(a) body=\n"},
    {"query, port, blanks around a value", "GET /v1/x?a=1&b HTTP/1.1\r\nHost:\t[::1]:80 \t\r\n\r\n",
     "GET [/v1/x?a=1&b] [/v1/x] [a=1&b] 1.1 keep=1 Host=([::1]:80) body=\n"},
    {"a second question mark belongs to the query", "GET /?? HTTP/1.1\r\nHost: a\r\n\r\n",
     "GET [/??] [/] [?] 1.1 keep=1 Host=(a) body=\n"},
    {"body by length", "POST /p HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\na\nb",
     "POST [/p] [/p] [] 1.1 keep=1 host=(a) content-length=(3) body=a\nb\n"},
    {"length with zeros in front", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0002\r\n\r\nab",
     "POST [/] [/] [] 1.1 keep=1 Host=(a) Content-Length=(0002) body=ab\n"},
    {"chunks: hex of either case, extension, trailer",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
     "0A;x=\"1 2\"\r\n0123456789\r\n1\r\na\r\n000b\r\nabcdefghijk\r\n0;y\r\nX: 1\r\nY:\r\n\r\n",
     "POST [/] [/] [] 1.1 keep=1 Host=(a) Transfer-Encoding=(Chunked) "
     "body=0123456789aabcdefghijk\n"},
    {"chunks without any data",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "POST [/] [/] [] 1.1 keep=1 Host=(a) Transfer-Encoding=(chunked) body=\n"},
    {"pipelined",
     "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
     "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n0\r\n\r\n"
     "\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
     "POST [/1] [/1] [] 1.1 keep=1 Host=(a) Content-Length=(1) body=x\n"
     "POST [/2] [/2] [] 1.1 keep=1 Host=(a) Transfer-Encoding=(chunked) body=y\n"
     "GET [/3] [/3] [] 1.1 keep=1 Host=(a) body=\n"},
    {"1.0 closes", "GET / HTTP/1.0\r\n\r\n", "GET [/] [/] [] 1.0 keep=0 body=\n"},
    {"1.0 that asks to go on", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
     "GET [/] [/] [] 1.0 keep=1 Connection=(Keep-Alive) body=\n"},
    {"close wins, in any of the lists",
     "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: x , CLOSE\r\n\r\n",
     "GET [/] [/] [] 1.1 keep=0 Host=(a) Connection=(keep-alive) Connection=(x , CLOSE) body=\n"},
    {"a URL as target", "GET http://h:1/p?q HTTP/1.1\r\nHost: a\r\n\r\n",
     "GET [http://h:1/p?q] [/p] [q] 1.1 keep=1 Host=(a) body=\n"},
    {"a URL without a path", "GET HTTP://h?q HTTP/1.1\r\nHost: a\r\n\r\n",
     "GET [HTTP://h?q] [/] [q] 1.1 keep=1 Host=(a) body=\n"},
    {"the star of OPTIONS", "OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n",
     "OPTIONS [*] [*] [] 1.1 keep=1 Host=() body=\n"},
    {"a method that nobody knows, bytes above 0x7f",
     "b-r3w / HTTP/1.1\r\nHost: a\r\nX: \xff\r\n\r\n",
     "b-r3w [/] [/] [] 1.1 keep=1 Host=(a) X=(\xff) body=\n"},
    {"an expectation in 1.0 means nothing", "GET / HTTP/1.0\r\nExpect: tea\r\n\r\n",
     "GET [/] [/] [] 1.0 keep=0 Expect=(tea) body=\n"},
    {"not yet whole", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab", "unfinished"},
};

static void requests_are_the_same_wherever_they_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(accepted); i++)
        check_cuts(accepted[i].name, accepted[i].bytes, strlen(accepted[i].bytes),
                   accepted[i].want);
}

/* ---- what is refused ------------------------------------------------------------------------- */

#define GET     "GET / HTTP/1.1\r\n"
#define HOST    "Host: a\r\n"
#define POST    "POST / HTTP/1.1\r\nHost: a\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define TEN     "0123456789"

/* `bytes` as a literal with its size: some hold NUL. */
#define BYTES(literal) (literal), sizeof(literal) - 1

static const struct {
    const char *name;
    const char *bytes;
    size_t size;
    int status;
    const char *text; /* part of it */
} refused[] = {
    {"length beside coding", BYTES(POST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
     400, "both Content-Length and Transfer-Encoding"},
    {"two lengths", BYTES(POST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400,
     "2 Content-Length headers"},
    {"two equal lengths", BYTES(POST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400,
     "2 Content-Length headers"},
    {"a list of lengths", BYTES(POST "Content-Length: 1, 1\r\n\r\n"), 400, "no number"},
    {"a length with a sign", BYTES(POST "Content-Length: +1\r\n\r\n"), 400, "no number"},
    {"a negative length", BYTES(POST "Content-Length: -1\r\n\r\n"), 400, "no number"},
    {"a length in hex", BYTES(POST "Content-Length: 0x1\r\n\r\n"), 400, "no number"},
    {"an empty length", BYTES(POST "Content-Length:\r\n\r\n"), 400, "no number"},
    {"a length beyond int64", BYTES(POST "Content-Length: 9223372036854775808\r\n\r\n"), 400,
     "no number"},
    {"a length that wraps around", BYTES(POST "Content-Length: 18446744073709551617\r\n\r\n"), 400,
     "no number"},
    {"a length above the ceiling", BYTES(POST "Content-Length: 65\r\n\r\n"), 413,
     "larger than 64 bytes"},
    {"gzip", BYTES(POST "Transfer-Encoding: gzip\r\n\r\n"), 501, "exactly 'chunked'"},
    {"gzip under chunks", BYTES(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501,
     "exactly 'chunked'"},
    {"identity", BYTES(POST "Transfer-Encoding: identity\r\n\r\n"), 501, "exactly 'chunked'"},
    {"chunked twice in a list", BYTES(POST "Transfer-Encoding: chunked, chunked\r\n\r\n"), 501,
     "exactly 'chunked'"},
    {"a coding that only begins so", BYTES(POST "Transfer-Encoding: chunkedx\r\n\r\n"), 501,
     "exactly 'chunked'"},
    {"no coding at all", BYTES(POST "Transfer-Encoding:\r\n\r\n"), 501, "exactly 'chunked'"},
    {"coding repeated",
     BYTES(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
     "2 Transfer-Encoding headers"},
    {"coding in 1.0", BYTES("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
     "Transfer-Encoding in HTTP/1.0"},
    {"no Host", BYTES(GET "\r\n"), 400, "no Host header"},
    {"two Hosts", BYTES(GET HOST HOST "\r\n"), 400, "2 Host headers"},
    {"two Hosts in 1.0", BYTES("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400, "2 Host headers"},
    {"a Host with a blank", BYTES(GET "Host: a b\r\n\r\n"), 400, "names no host"},
    {"a Host with a path", BYTES(GET "Host: a/b\r\n\r\n"), 400, "names no host"},
    {"a list of Hosts", BYTES(GET "Host: a,b\r\n\r\n"), 400, "names no host"},
    {"bare LF after the request line", BYTES("GET / HTTP/1.1\nHost: a\r\n\r\n"), 400,
     "byte 14: line feed without a carriage return"},
    {"bare LF after a header", BYTES(GET "Host: a\n\r\n"), 400, "line feed without"},
    {"bare LF as the blank line", BYTES(GET HOST "\n"), 400, "line feed without"},
    {"bare LF in a name", BYTES(GET "Ho\nst: a\r\n\r\n"), 400, "line feed without"},
    {"bare LF first", BYTES("\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400, "line feed without"},
    {"bare CR in a value", BYTES(GET "Host: a\rb\r\n\r\n"), 400, "without a line feed"},
    {"bare CR in the request line", BYTES("GET /\r HTTP/1.1\r\n" HOST "\r\n"), 400,
     "carriage return, 0x0d in the target"},
    {"bare CR after the version", BYTES("GET / HTTP/1.1\rHost: a\r\n\r\n"), 400,
     "without a line feed"},
    {"bare CR as the blank line", BYTES(GET HOST "\rx"), 400, "without a line feed"},
    {"two empty lines in front", BYTES("\r\n\r\nGET / HTTP/1.1\r\n"), 400, "in the method"},
    {"folded header", BYTES(GET HOST "X: a\r\n b\r\n\r\n"), 400, "folded line"},
    {"folded header, tab", BYTES(GET HOST "X: a\r\n\tb\r\n\r\n"), 400, "folded line"},
    {"first header begins with a blank", BYTES(GET " Host: a\r\n\r\n"), 400, "begins with a blank"},
    {"blank before the colon", BYTES(GET "Host : a\r\n\r\n"), 400, "before its colon"},
    {"tab before the colon", BYTES(GET "Host\t: a\r\n\r\n"), 400, "before its colon"},
    {"no name", BYTES(GET ": a\r\n\r\n"), 400, "without a name"},
    {"no colon", BYTES(GET "Host\r\n\r\n"), 400, "without a colon"},
    {"NUL in a name", BYTES(GET "Ho\0st: a\r\n\r\n"), 400, "NUL byte, 0x00 in a header's name"},
    {"NUL in a value", BYTES(GET "Host: a\0\r\n\r\n"), 400, "NUL byte, 0x00 in a header's value"},
    {"a control in a value", BYTES(GET "Host: a\x1b[0m\r\n\r\n"), 400, "0x1b in a header's value"},
    {"DEL in a value", BYTES(GET "Host: a\x7f\r\n\r\n"), 400, "0x7f in a header's value"},
    {"a byte above 0x7f in a name", BYTES(GET "H\xc3\xb6st: a\r\n\r\n"), 400,
     "0xc3 in a header's name"},
    {"a name with a parenthesis", BYTES(GET "Ho(st: a\r\n\r\n"), 400, "0x28 in a header's name"},
    {"a method with a slash", BYTES("G/T / HTTP/1.1\r\n"), 400, "0x2f in the method"},
    {"no method", BYTES(" / HTTP/1.1\r\n"), 400, "0x20 in the method"},
    {"a TLS hello", BYTES("\x16\x03\x01\x02\x00"), 400, "0x16 in the method"},
    {"an endless method", BYTES("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), 400,
     "longer than 32 bytes"},
    {"no target", BYTES("GET  HTTP/1.1\r\n"), 400, "0x20 in the target"},
    {"a target that is no path", BYTES("GET a HTTP/1.1\r\n" HOST "\r\n"), 400,
     "neither a path nor a URL"},
    {"CONNECT's target", BYTES("CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n"), 400,
     "neither a path nor a URL"},
    {"the star of GET", BYTES("GET * HTTP/1.1\r\n" HOST "\r\n"), 400, "neither a path nor a URL"},
    {"a URL without a host", BYTES("GET http:///x HTTP/1.1\r\n" HOST "\r\n"), 400,
     "URL without a host"},
    {"a URL with a name and password", BYTES("GET http://u:p@h/ HTTP/1.1\r\n" HOST "\r\n"), 400,
     "URL without a host"},
    {"a fragment", BYTES("GET /#x HTTP/1.1\r\n"), 400, "0x23 in the target"},
    {"a target above 0x7f", BYTES("GET /\xc3\xbc HTTP/1.1\r\n"), 400, "0xc3 in the target"},
    {"a tab instead of a blank", BYTES("GET\t/ HTTP/1.1\r\n"), 400, "0x09 in the method"},
    {"no version (HTTP/0.9)", BYTES("GET /\r\n"), 400, "in the target"},
    {"two blanks before the version", BYTES("GET /  HTTP/1.1\r\n"), 400, "0x20 in the version"},
    {"a blank behind the version", BYTES("GET / HTTP/1.1 \r\n"), 400, "0x20 in the version"},
    {"a version in small letters", BYTES("GET / http/1.1\r\n"), 400, "does not end in HTTP/1.1"},
    {"a short version", BYTES("GET / HTTP/1\r\n"), 400, "does not end in HTTP/1.1"},
    {"a long version", BYTES("GET / HTTP/1.10\r\n"), 400, "does not end in HTTP/1.1"},
    {"HTTP/2", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505, "only HTTP/1.1 and HTTP/1.0"},
    {"HTTP/1.2", BYTES("GET / HTTP/1.2\r\n"), 505, "only HTTP/1.1 and HTTP/1.0"},
    {"another expectation", BYTES(POST "Expect: tea\r\nContent-Length: 1\r\n\r\n"), 417,
     "other than 100-continue"},
    {"a long request line", BYTES("GET /" TEN TEN TEN TEN TEN TEN TEN " HTTP/1.1\r\n"), 414,
     "longer than 64 bytes"},
    {"a long head in one value",
     BYTES(GET HOST "X: " TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
               TEN TEN TEN TEN TEN "\r\n\r\n"),
     431, "longer than 256 bytes"},
    {"a long head in one name",
     BYTES(GET HOST TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
               TEN TEN TEN TEN ": x\r\n\r\n"),
     431, "longer than 256 bytes"},
    {"too many headers", BYTES(GET HOST "A:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\n\r\n"), 431,
     "more than 6 headers"},
    {"chunk size missing", BYTES(CHUNKED "\r\n"), 400, "0x0d in place of a chunk's size"},
    {"chunk size of other letters", BYTES(CHUNKED "g\r\n"), 400, "0x67 in place of a chunk's size"},
    {"chunk size with 0x", BYTES(CHUNKED "0x1\r\na\r\n"), 400, "0x78 in a chunk's size"},
    {"chunk size with a sign", BYTES(CHUNKED "+1\r\na\r\n"), 400, "0x2b in place of"},
    {"chunk size with a blank in front", BYTES(CHUNKED " 1\r\na\r\n"), 400, "0x20 in place of"},
    {"chunk size with a blank behind", BYTES(CHUNKED "1 \r\na\r\n"), 400, "0x20 in a chunk's size"},
    {"chunk size with bare LF", BYTES(CHUNKED "1\na\r\n"), 400, "line feed without"},
    {"chunk size with bare CR", BYTES(CHUNKED "1\ra\r\n"), 400, "without a line feed"},
    {"chunk extension with bare LF", BYTES(CHUNKED "1;x\na\r\n"), 400, "line feed without"},
    {"chunk extension with NUL", BYTES(CHUNKED "1;\0\r\na\r\n"), 400, "0x00 in a chunk extension"},
    {"a chunk above the ceiling", BYTES(CHUNKED "41\r\n"), 413, "larger than 64 bytes"},
    {"chunks above the ceiling together",
     BYTES(CHUNKED "20\r\n" TEN TEN TEN "01\r\n20\r\n" TEN TEN TEN "01\r\n1\r\n"), 413,
     "larger than 64 bytes"},
    {"a chunk size that wraps around", BYTES(CHUNKED "10000000000000001\r\na\r\n"), 413,
     "larger than 64 bytes"},
    {"more chunk than its size", BYTES(CHUNKED "1\r\nab\r\n"), 400, "where its size says"},
    {"chunk end with bare LF", BYTES(CHUNKED "1\r\na\n"), 400, "where its size says"},
    {"chunk end with bare CR", BYTES(CHUNKED "1\r\na\rx"), 400, "where its size says"},
    {"trailer without a colon", BYTES(CHUNKED "0\r\nX\r\n\r\n"), 400, "without a colon"},
    {"trailer without a name", BYTES(CHUNKED "0\r\n: x\r\n\r\n"), 400, "trailer without a name"},
    {"folded trailer", BYTES(CHUNKED "0\r\nX: 1\r\n 2\r\n\r\n"), 400, "folded line"},
    {"trailer with NUL", BYTES(CHUNKED "0\r\nX: \0\r\n\r\n"), 400, "0x00 in"},
    {"trailers with bare LF", BYTES(CHUNKED "0\r\nX: 1\n\r\n"), 400, "line feed without"},
    {"too many trailers", BYTES(CHUNKED "0\r\nA:\r\nB:\r\nC:\r\nD:\r\nE:\r\nF:\r\nG:\r\n\r\n"), 431,
     "more than 6 headers"},
    {"long trailers",
     BYTES(CHUNKED "0\r\nX: " TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
               TEN TEN TEN TEN TEN TEN TEN TEN TEN "\r\n\r\n"),
     431, "trailers are longer than 256 bytes"},
};

static void each_refusal_has_its_status_wherever_it_is_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_buf whole;
        char status[16];

        pp_buf_init(&whole, 1 << 16);
        parse_cut(refused[i].bytes, refused[i].size, refused[i].size, 1, &whole);
        (void)snprintf(status, sizeof status, "refused %d: ", refused[i].status);
        if (strncmp(pp_buf_text(&whole), status, strlen(status)) != 0 ||
            strstr(pp_buf_text(&whole), refused[i].text) == NULL)
            fail_msg("%s: wanted %s...%s, got %s", refused[i].name, status, refused[i].text,
                     pp_buf_text(&whole));
        check_cuts(refused[i].name, refused[i].bytes, refused[i].size, pp_buf_text(&whole));
        pp_buf_done(&whole);
    }
}

static void chunk_extensions_are_bounded(void **state)
{
    static const char chunk[] = "1;" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "\r\na\r\n";
    pp_http_request_limits wide = limits;
    pp_http_request_parser p;
    pp_http_parse_state st;
    char line[2048];
    size_t used;
    size_t n = 0;

    (void)state;
    wide.body_max_bytes = 1 << 20;
    pp_http_request_parser_init(&p, &wide);
    st = pp_http_request_parse(&p, CHUNKED, strlen(CHUNKED), &used);
    for (; st == PP_HTTP_PARSE_MORE && n < 1000; n++)
        st = pp_http_request_parse(&p, chunk, strlen(chunk), &used);
    assert_int_equal(st, PP_HTTP_PARSE_REFUSED);
    assert_int_equal(p.refused_status, 400);
    assert_int_equal(n, 16384 / 100 + 1); /* 100 bytes in each */
    pp_http_request_parser_clear(&p);

    memset(line, 'x', sizeof line); /* all in one line */
    (void)pp_http_request_parse(&p, CHUNKED "1;", strlen(CHUNKED "1;"), &used);
    assert_int_equal(pp_http_request_parse(&p, line, sizeof line, &used), PP_HTTP_PARSE_REFUSED);
    assert_int_equal(used, 1024 - 2);
    pp_http_request_parser_done(&p);
}

static void a_continue_is_wanted_only_before_a_body(void **state)
{
    static const struct {
        const char *bytes;
        bool want;
    } rows[] = {
        {POST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n", true},
        {POST "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", true},
        {POST "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n", false},
        {POST "Expect: 100-continue\r\n\r\n", false},
        {POST "Content-Length: 2\r\n\r\n", false},
        {POST "Expect: 100-continue\r\nContent-Length: 2\r\n", false}, /* head not complete */
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_http_request_parser p;
        size_t used;

        pp_http_request_parser_init(&p, &limits);
        (void)pp_http_request_parse(&p, rows[i].bytes, strlen(rows[i].bytes), &used);
        if (p.wants_continue != rows[i].want)
            fail_msg("%s: wants %d", rows[i].bytes, p.wants_continue);
        pp_http_request_parser_done(&p);
    }
}

static void without_memory_it_is_refused_with_503(void **state)
{
    static const char bytes[] = POST "Content-Length: 3\r\n\r\nabc";
    unsigned long n = 0;
    bool done = false;

    (void)state;
    while (!done) {
        pp_http_request_parser p;
        pp_http_parse_state st;
        size_t used;

        pp_http_request_parser_init(&p, &limits);
        pp_fail_nth_arm(++n);
        st = pp_http_request_parse(&p, bytes, sizeof bytes - 1, &used);
        done = pp_fail_nth_seen() < n;
        pp_fail_nth_arm(0);
        if (done)
            assert_int_equal(st, PP_HTTP_PARSE_COMPLETE);
        else
            assert_int_equal(p.refused_status, 503);
        pp_http_request_parser_done(&p);
    }
    assert_true(n > 3); /* head, headers, body */
}

static void large_buffers_are_not_kept_between_requests(void **state)
{
    pp_http_request_limits wide = limits;
    static char body[100000];
    pp_http_request_parser p;
    size_t used;

    (void)state;
    wide.body_max_bytes = sizeof body;
    pp_http_request_parser_init(&p, &wide);
    (void)pp_http_request_parse(&p, POST "Content-Length: 100000\r\n\r\n",
                                strlen(POST "Content-Length: 100000\r\n\r\n"), &used);
    assert_int_equal(pp_http_request_parse(&p, body, sizeof body, &used), PP_HTTP_PARSE_COMPLETE);
    assert_int_equal(p.request.body.size, sizeof body);
    pp_http_request_parser_clear(&p);
    assert_true(p.body.capacity + p.head.capacity <= 2 * PP_HTTP_KEEP_BYTES);
    pp_http_request_parser_done(&p);
}

static void the_byte_classes_are_those_of_the_rfcs(void **state)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"; /* RFC 9110, 5.6.2 */
    static const char url[] = "-._~:/?[]@!$&'()*+,;=%0123456789abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"; /* RFC 3986, 2.2 and 2.3 */

    (void)state;
    for (int c = 0; c < 256; c++) {
        unsigned char byte = (unsigned char)c;

        assert_int_equal(pp_http_is_token_char(byte), c != 0 && strchr(token, c) != NULL);
        assert_int_equal(pp_http_is_target_char(byte), c != 0 && strchr(url, c) != NULL);
        assert_int_equal(pp_http_is_value_char(byte), c == 9 || (c >= 32 && c != 127));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_the_same_wherever_they_are_cut),
        cmocka_unit_test(each_refusal_has_its_status_wherever_it_is_cut),
        cmocka_unit_test(chunk_extensions_are_bounded),
        cmocka_unit_test(a_continue_is_wanted_only_before_a_body),
        cmocka_unit_test(without_memory_it_is_refused_with_503),
        cmocka_unit_test(large_buffers_are_not_kept_between_requests),
        cmocka_unit_test(the_byte_classes_are_those_of_the_rfcs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
