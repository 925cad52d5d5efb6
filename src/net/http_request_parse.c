#include "net/http_request_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_syntax.h"

#define refuse pp_http_request_refuse

/* What the next byte is part of. */
enum {
    AT_START, /* before the method; one empty line is allowed (RFC 9112 section 2.2) */
    AT_START_LF,
    IN_METHOD,
    IN_TARGET,
    IN_VERSION,
    AT_LINE_LF, /* behind the CR of the request line or a header */
    AT_LINE,    /* first byte of a header or of the blank line */
    IN_NAME,    /* */
    IN_VALUE,   /* */
    AT_HEAD_LF, /* behind the CR of the blank line */
    IN_BODY,    /* by length */
    AT_CHUNK,   /* first digit */
    IN_CHUNK,   /* further digits */
    IN_CHUNK_EXTENSION,
    AT_CHUNK_LF,
    IN_CHUNK_DATA,
    AT_DATA_CR,
    AT_DATA_LF,
    IS_COMPLETE,
};

#define METHOD_MAX_BYTES 32
#define VERSION_BYTES    8 /* "HTTP/1.1" */

bool pp_http_request_refuse(pp_http_request_parser *parser, int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(parser->refused_text, sizeof parser->refused_text, format, args);
    va_end(args);
    parser->refused_status = status;
    return false;
}

void pp_http_request_parser_init(pp_http_request_parser *parser,
                                 const pp_http_request_limits *limits)
{
    memset(parser, 0, sizeof *parser);
    parser->limits = limits;
    pp_buf_init(&parser->head, limits->head_max_bytes);
    pp_buf_init(&parser->body, limits->body_max_bytes);
}

void pp_http_request_parser_done(pp_http_request_parser *parser)
{
    pp_buf_done(&parser->head);
    pp_buf_done(&parser->body);
    free(parser->headers);
    parser->headers = NULL;
}

static void clear_buffer(pp_buf *buf)
{
    size_t max_bytes = buf->max_bytes;

    pp_buf_clear(buf);
    if (buf->capacity <= PP_HTTP_KEEP_BYTES)
        return;
    pp_buf_done(buf);
    pp_buf_init(buf, max_bytes);
}

void pp_http_request_parser_clear(pp_http_request_parser *parser)
{
    pp_http_request_parser fresh = {
        .limits = parser->limits,
        .headers = parser->headers,
        .header_capacity = parser->header_capacity,
    };

    clear_buffer(&parser->head);
    clear_buffer(&parser->body);
    fresh.head = parser->head;
    fresh.body = parser->body;
    *parser = fresh;
}

/* A byte that may not stand here, told without showing it to a terminal. */
static bool refuse_byte(pp_http_request_parser *p, unsigned char c, const char *where)
{
    const char *kind = "byte";

    if (c == '\n')
        kind = "line feed without a carriage return,";
    else if (c == '\r')
        kind = "carriage return,";
    else if (c == '\0')
        kind = "NUL byte,";
    return refuse(p, 400, "byte %llu: %s 0x%02x in %s", (unsigned long long)p->offset, kind, c,
                  where);
}

static bool expect_lf(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\n')
        return true;
    return refuse(p, 400, "byte %llu: carriage return without a line feed behind it",
                  (unsigned long long)(p->offset - 1));
}

/* ---- head, byte by byte ---------------------------------------------------------------------- */

static bool is_in_trailers(const pp_http_request_parser *p)
{
    return p->head_complete;
}

static const char *head_or_trailer(const pp_http_request_parser *p, const char *head,
                                   const char *trailer)
{
    return is_in_trailers(p) ? trailer : head;
}

static bool take_start(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\r' && p->offset == 0) {
        p->step = AT_START_LF;
        return true;
    }
    if (!pp_http_is_token_char(c))
        return refuse_byte(p, c, "the method");
    p->step = IN_METHOD;
    return true;
}

static bool take_method(pp_http_request_parser *p, unsigned char c)
{
    if (c == ' ') {
        p->step = IN_TARGET;
        return true;
    }
    if (!pp_http_is_token_char(c))
        return refuse_byte(p, c, "the method");
    if (p->head.size >= METHOD_MAX_BYTES)
        return refuse(p, 400, "the method is longer than %d bytes", METHOD_MAX_BYTES);
    return true;
}

static bool take_target(pp_http_request_parser *p, unsigned char c)
{
    if (c == ' ' && p->head.data[p->head.size - 1] != ' ') {
        p->line_bytes = 0; /* of the version */
        p->step = IN_VERSION;
        return true;
    }
    return pp_http_is_target_char(c) ? true : refuse_byte(p, c, "the target");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool check_version(pp_http_request_parser *p)
{
    const char *v = p->head.data + p->head.size - p->line_bytes;

    if (p->line_bytes != VERSION_BYTES || memcmp(v, "HTTP/", 5) != 0 || !is_digit(v[5]) ||
        v[6] != '.' || !is_digit(v[7]))
        return refuse(p, 400, "the request line does not end in HTTP/1.1 or HTTP/1.0");
    if (v[5] != '1' || (v[7] != '0' && v[7] != '1'))
        return refuse(p, 505, "only HTTP/1.1 and HTTP/1.0 are served here");
    p->request.minor_version = v[7] - '0';
    return true;
}

static bool take_version(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\r') {
        p->step = AT_LINE_LF;
        return check_version(p);
    }
    if (c <= ' ' || c >= 0x7f)
        return refuse_byte(p, c, "the version");
    if (++p->line_bytes > VERSION_BYTES)
        return refuse(p, 400, "the request line does not end in HTTP/1.1 or HTTP/1.0");
    return true;
}

static bool take_line(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\r') {
        p->step = AT_HEAD_LF;
        return true;
    }
    if (c == ' ' || c == '\t')
        return refuse(p, 400, "byte %llu: a %s that begins with a blank (folded line)",
                      (unsigned long long)p->offset, head_or_trailer(p, "header", "trailer"));
    if (c == ':')
        return refuse(p, 400, "byte %llu: a %s without a name", (unsigned long long)p->offset,
                      head_or_trailer(p, "header", "trailer"));
    if (!pp_http_is_token_char(c))
        return refuse_byte(p, c, head_or_trailer(p, "a header's name", "a trailer's name"));
    if (++p->line_count > p->limits->header_max_count)
        return refuse(p, 431, "more than %zu headers", p->limits->header_max_count);
    p->step = IN_NAME;
    return true;
}

static bool take_name(pp_http_request_parser *p, unsigned char c)
{
    if (c == ':') {
        p->step = IN_VALUE;
        return true;
    }
    if (c == ' ' || c == '\t')
        return refuse(p, 400, "byte %llu: a blank in a header's name or before its colon",
                      (unsigned long long)p->offset);
    if (c == '\r')
        return refuse(p, 400, "byte %llu: a header without a colon", (unsigned long long)p->offset);
    return pp_http_is_token_char(c) ? true : refuse_byte(p, c, "a header's name");
}

static bool take_value(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\r') {
        p->step = AT_LINE_LF;
        return true;
    }
    return pp_http_is_value_char(c) ? true : refuse_byte(p, c, "a header's value");
}

/* ---- framing of the body --------------------------------------------------------------------- */

static bool begin_body(pp_http_request_parser *p)
{
    bool chunked = false;
    uint64_t size = 0;

    if (!pp_http_request_head_judge(p, &chunked, &size))
        return false;
    p->head_complete = true;
    p->line_count = 0; /* of trailers from here on */
    p->line_bytes = 0;
    p->left_bytes = size;
    p->wants_continue = p->wants_continue && (chunked || size > 0);
    p->step = chunked ? AT_CHUNK : size > 0 ? IN_BODY : IS_COMPLETE;
    return true;
}

static bool take_head_lf(pp_http_request_parser *p, unsigned char c)
{
    if (!expect_lf(p, c))
        return false;
    if (!is_in_trailers(p))
        return begin_body(p);
    p->step = IS_COMPLETE;
    return true;
}

/* A size so large that it is above any ceiling stays so, whatever follows. */
static bool add_digit(pp_http_request_parser *p, int digit)
{
    uint64_t room = p->limits->body_max_bytes - p->body.size;

    if (p->left_bytes > (UINT64_MAX >> 4) || p->left_bytes * 16 + (uint64_t)digit > room)
        return refuse(p, 413, "the body is larger than %zu bytes", p->limits->body_max_bytes);
    p->left_bytes = p->left_bytes * 16 + (uint64_t)digit;
    return true;
}

static bool take_chunk_digit(pp_http_request_parser *p, unsigned char c)
{
    int digit = pp_http_hex_value(c);

    if (digit >= 0) {
        p->step = IN_CHUNK;
        return add_digit(p, digit);
    }
    if (p->step == AT_CHUNK)
        return refuse_byte(p, c, "place of a chunk's size");
    if (c == ';')
        p->step = IN_CHUNK_EXTENSION;
    else if (c == '\r')
        p->step = AT_CHUNK_LF;
    else
        return refuse_byte(p, c, "a chunk's size");
    return true;
}

static bool take_chunk_extension(pp_http_request_parser *p, unsigned char c)
{
    if (c == '\r') {
        p->step = AT_CHUNK_LF;
        return true;
    }
    if (!pp_http_is_value_char(c))
        return refuse_byte(p, c, "a chunk extension");
    if (++p->extension_bytes > PP_HTTP_CHUNK_EXTENSIONS_MAX_BYTES)
        return refuse(p, 400, "more than %zu bytes of chunk extensions",
                      PP_HTTP_CHUNK_EXTENSIONS_MAX_BYTES);
    return true;
}

static bool take_chunk_lf(pp_http_request_parser *p, unsigned char c)
{
    if (!expect_lf(p, c))
        return false;
    p->line_bytes = 0;
    p->step = p->left_bytes > 0 ? IN_CHUNK_DATA : AT_LINE; /* the last one: trailers */
    return true;
}

static bool take_data_end(pp_http_request_parser *p, unsigned char c)
{
    if (c != (p->step == AT_DATA_CR ? '\r' : '\n'))
        return refuse(p, 400, "byte %llu: a chunk does not end where its size says",
                      (unsigned long long)p->offset);
    p->step = p->step == AT_DATA_CR ? AT_DATA_LF : AT_CHUNK;
    return true;
}

/* ---- one byte, and many ---------------------------------------------------------------------- */

static bool take_byte(pp_http_request_parser *p, unsigned char c)
{
    switch (p->step) {
    case AT_START:
        return take_start(p, c);
    case IN_METHOD:
        return take_method(p, c);
    case IN_TARGET:
        return take_target(p, c);
    case IN_VERSION:
        return take_version(p, c);
    case AT_START_LF:
    case AT_LINE_LF:
        p->step = p->step == AT_START_LF ? AT_START : AT_LINE;
        return expect_lf(p, c);
    case AT_LINE:
        return take_line(p, c);
    case IN_NAME:
        return take_name(p, c);
    case IN_VALUE:
        return take_value(p, c);
    case AT_HEAD_LF:
        return take_head_lf(p, c);
    case AT_CHUNK:
    case IN_CHUNK:
        return take_chunk_digit(p, c);
    case IN_CHUNK_EXTENSION:
        return take_chunk_extension(p, c);
    case AT_CHUNK_LF:
        return take_chunk_lf(p, c);
    default:
        return take_data_end(p, c);
    }
}

static bool refuse_memory(pp_http_request_parser *p)
{
    return refuse(p, 503, "no memory for the request");
}

/* Keep a byte of the head, under the ceilings that hold at this place. */
static bool keep_head_byte(pp_http_request_parser *p, unsigned char c, bool in_line)
{
    if (in_line && p->head.size >= p->limits->line_max_bytes)
        return refuse(p, 414, "the request line is longer than %zu bytes",
                      p->limits->line_max_bytes);
    if (p->head.size >= p->limits->head_max_bytes)
        return refuse(p, in_line ? 414 : 431, "the head is longer than %zu bytes",
                      p->limits->head_max_bytes);
    pp_buf_append(&p->head, &c, 1);
    return p->head.status == PP_OK ? true : refuse_memory(p);
}

/* Bytes that are checked and dropped count, too. */
static bool count_line_byte(pp_http_request_parser *p)
{
    bool in_size = p->step >= AT_CHUNK && p->step <= AT_CHUNK_LF;

    if (!is_in_trailers(p) || (!in_size && p->step >= AT_CHUNK))
        return true;
    p->line_bytes++;
    if (in_size && p->line_bytes > PP_HTTP_CHUNK_LINE_MAX_BYTES)
        return refuse(p, 400, "a chunk-size line is longer than %zu bytes",
                      PP_HTTP_CHUNK_LINE_MAX_BYTES);
    if (!in_size && p->line_bytes > p->limits->head_max_bytes)
        return refuse(p, 431, "the trailers are longer than %zu bytes", p->limits->head_max_bytes);
    return true;
}

/* The empty line in front and the blank line's LF are not: the latter has the head judged. */
static bool is_kept(const pp_http_request_parser *p, unsigned char c)
{
    if (is_in_trailers(p) || p->step == AT_START_LF || p->step == AT_HEAD_LF)
        return false;
    return p->step != AT_START || c != '\r';
}

static bool feed_byte(pp_http_request_parser *p, unsigned char c)
{
    bool kept = is_kept(p, c);
    bool in_line = p->step <= IN_VERSION;

    if (!count_line_byte(p) || !take_byte(p, c))
        return false;
    if (kept && !keep_head_byte(p, c, in_line))
        return false;
    p->offset++;
    return true;
}

static bool is_plain(int step, unsigned char c)
{
    switch (step) {
    case IN_TARGET:
        return pp_http_is_target_char(c);
    case IN_NAME:
        return pp_http_is_token_char(c);
    default:
        return pp_http_is_value_char(c);
    }
}

/* A run of bytes that change nothing but the head's length; 0 where a ceiling or another byte is
 * near, which feed_byte then judges. */
static size_t feed_run(pp_http_request_parser *p, const char *bytes, size_t size)
{
    size_t max = p->step == IN_TARGET ? p->limits->line_max_bytes : p->limits->head_max_bytes;
    size_t room;
    size_t n = 0;

    if (max > p->limits->head_max_bytes)
        max = p->limits->head_max_bytes;
    room = max > p->head.size ? max - p->head.size : 0;
    while (n < size && n < room && is_plain(p->step, (unsigned char)bytes[n]))
        n++;
    pp_buf_append(&p->head, bytes, n);
    if (p->head.status != PP_OK)
        (void)refuse_memory(p);
    p->offset += n;
    return n;
}

/* Body bytes in one go; how many were taken; 0 and a refusal when there is no memory. */
static size_t feed_body(pp_http_request_parser *p, const char *bytes, size_t size)
{
    size_t n = size < p->left_bytes ? size : (size_t)p->left_bytes;

    pp_buf_append(&p->body, bytes, n);
    if (p->body.status != PP_OK) {
        (void)refuse_memory(p);
        return 0;
    }
    p->left_bytes -= n;
    p->offset += n;
    if (p->left_bytes == 0)
        p->step = p->step == IN_BODY ? IS_COMPLETE : AT_DATA_CR;
    return n;
}

static size_t feed_some(pp_http_request_parser *p, const char *bytes, size_t size)
{
    if (p->step == IN_BODY || p->step == IN_CHUNK_DATA)
        return feed_body(p, bytes, size);
    if (!is_in_trailers(p) && (p->step == IN_TARGET || p->step == IN_NAME || p->step == IN_VALUE)) {
        size_t n = feed_run(p, bytes, size);

        if (n > 0)
            return n;
    }
    return feed_byte(p, (unsigned char)bytes[0]) ? 1 : 0;
}

pp_http_parse_state pp_http_request_parse(pp_http_request_parser *parser, const void *bytes,
                                          size_t size, size_t *ret_used)
{
    const char *from = bytes;
    size_t used = 0;

    while (used < size && parser->step != IS_COMPLETE && parser->refused_status == 0) {
        parser->begun = true;
        used += feed_some(parser, from + used, size - used);
    }
    *ret_used = used;
    if (parser->refused_status != 0)
        return PP_HTTP_PARSE_REFUSED;
    if (parser->step != IS_COMPLETE)
        return PP_HTTP_PARSE_MORE;
    parser->request.body = (pp_bytes){(const unsigned char *)parser->body.data, parser->body.size};
    parser->wants_continue = false;
    return PP_HTTP_PARSE_COMPLETE;
}
