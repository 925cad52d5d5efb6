/* What concerns a whole head: its parts, its host, how its body is framed. The bytes themselves
 * have been checked one by one when this runs. */
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"
#include "net/http_request_parse.h"
#include "net/http_syntax.h"

#define refuse pp_http_request_refuse

#define FIRST_HEADERS ((size_t)16)

static bool reserve_headers(pp_http_request_parser *p)
{
    size_t capacity = p->header_capacity > 0 ? p->header_capacity : FIRST_HEADERS;
    pp_http_header *headers;

    while (capacity < p->line_count)
        capacity *= 2;
    if (capacity == p->header_capacity)
        return true;
    headers = pp_fail_nth_realloc(p->headers, capacity * sizeof *headers);
    if (headers == NULL)
        return refuse(p, 503, "no memory for the request");
    p->headers = headers;
    p->header_capacity = capacity;
    return true;
}

/* The bytes in front of `end`, which is there. */
static pp_text cut_until(const char **at, char end)
{
    const char *found = strchr(*at, end);
    pp_text text = {*at, (size_t)(found - *at)};

    *at = found + 1;
    return text;
}

/* The head holds no NUL and ends in one, so plain searches are safe. */
static void split_head(pp_http_request_parser *p)
{
    pp_http_request_view *r = &p->request;
    const char *at = p->head.data;

    r->method = cut_until(&at, ' ');
    r->target = cut_until(&at, ' ');
    (void)cut_until(&at, '\n');
    r->headers = p->headers;
    r->header_count = p->line_count;
    for (size_t i = 0; i < p->line_count; i++) {
        p->headers[i].name = cut_until(&at, ':');
        p->headers[i].value = pp_http_without_blanks(cut_until(&at, '\r'));
        at++; /* the line feed */
    }
}

static bool starts_with_any_case(pp_text text, const char *prefix)
{
    size_t size = strlen(prefix);

    return text.size >= size && pp_http_name_is((pp_text){text.data, size}, prefix);
}

static void split_query(pp_http_request_view *r, pp_text path)
{
    const char *mark = path.size == 0 ? NULL : memchr(path.data, '?', path.size);

    r->path = path;
    r->query = (pp_text){path.data + path.size, 0};
    if (mark != NULL) {
        r->path.size = (size_t)(mark - path.data);
        r->query = (pp_text){mark + 1, path.size - r->path.size - 1};
    }
    if (r->path.size == 0)
        r->path = pp_text_of("/"); /* "http://host" and "http://host?x" */
}

static bool is_host_char(char c)
{
    return pp_http_is_target_char((unsigned char)c) && strchr("/?@,", c) == NULL;
}

static bool is_host(pp_text host)
{
    for (size_t i = 0; i < host.size; i++) {
        if (!is_host_char(host.data[i]))
            return false;
    }
    return true;
}

/* Absolute form: what stands behind the host. */
static bool judge_url(pp_http_request_parser *p)
{
    pp_text target = p->request.target;
    size_t begin = starts_with_any_case(target, "http://") ? 7 : 8;
    size_t end = begin;

    while (end < target.size && target.data[end] != '/' && target.data[end] != '?')
        end++;
    if (end == begin || !is_host((pp_text){target.data + begin, end - begin}))
        return refuse(p, 400, "the target is a URL without a host that could be one");
    split_query(&p->request, (pp_text){target.data + end, target.size - end});
    return true;
}

static bool judge_target(pp_http_request_parser *p)
{
    pp_http_request_view *r = &p->request;

    if (r->target.data[0] == '/') {
        split_query(r, r->target);
        return true;
    }
    if (starts_with_any_case(r->target, "http://") || starts_with_any_case(r->target, "https://"))
        return judge_url(p);
    if (pp_text_is(r->target, "*") && pp_text_is(r->method, "OPTIONS")) {
        split_query(r, r->target);
        return true;
    }
    return refuse(p, 400, "the target is neither a path nor a URL");
}

/* How many headers have this name; ret_value: of the last of them. */
static size_t find_all(const pp_http_request_parser *p, const char *name, pp_text *ret_value)
{
    size_t count = 0;

    for (size_t i = 0; i < p->line_count; i++) {
        if (!pp_http_name_is(p->headers[i].name, name))
            continue;
        *ret_value = p->headers[i].value;
        count++;
    }
    return count;
}

static bool judge_host(pp_http_request_parser *p)
{
    pp_text host = {0};
    size_t count = find_all(p, "Host", &host);

    if (count > 1)
        return refuse(p, 400, "%zu Host headers", count);
    if (count == 0 && p->request.minor_version > 0)
        return refuse(p, 400, "no Host header, which HTTP/1.1 demands");
    if (!is_host(host))
        return refuse(p, 400, "the Host header names no host");
    return true;
}

static bool parse_length(pp_text text, uint64_t *ret_length)
{
    uint64_t length = 0;

    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(text.data[i] - '0');

        if (text.data[i] < '0' || digit > 9 || length > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        length = length * 10 + digit;
    }
    *ret_length = length;
    return text.size > 0;
}

static bool judge_length(pp_http_request_parser *p, size_t count, pp_text text, uint64_t *ret_bytes)
{
    if (count > 1)
        return refuse(p, 400, "%zu Content-Length headers", count);
    if (!parse_length(text, ret_bytes))
        return refuse(p, 400, "the Content-Length is no number from 0 to %lld",
                      (long long)INT64_MAX);
    if (*ret_bytes > p->limits->body_max_bytes)
        return refuse(p, 413, "the body is larger than %zu bytes", p->limits->body_max_bytes);
    return true;
}

static bool judge_framing(pp_http_request_parser *p, bool *ret_chunked, uint64_t *ret_body_bytes)
{
    pp_text length = {0};
    pp_text coding = {0};
    size_t length_count = find_all(p, "Content-Length", &length);
    size_t coding_count = find_all(p, "Transfer-Encoding", &coding);

    if (length_count > 0 && coding_count > 0)
        return refuse(p, 400, "both Content-Length and Transfer-Encoding");
    if (length_count > 0)
        return judge_length(p, length_count, length, ret_body_bytes);
    if (coding_count == 0)
        return true;
    if (coding_count > 1)
        return refuse(p, 400, "%zu Transfer-Encoding headers", coding_count);
    if (p->request.minor_version == 0)
        return refuse(p, 400, "Transfer-Encoding in HTTP/1.0");
    if (!pp_http_name_is(coding, "chunked"))
        return refuse(p, 501, "a transfer coding other than exactly 'chunked'");
    *ret_chunked = true;
    return true;
}

static bool judge_expectation(pp_http_request_parser *p)
{
    pp_text value = {0};

    if (p->request.minor_version == 0 || find_all(p, "Expect", &value) == 0)
        return true;
    if (!pp_http_name_is(value, "100-continue"))
        return refuse(p, 417, "an expectation other than 100-continue");
    p->wants_continue = true;
    return true;
}

static bool wants_keep_alive(const pp_http_request_parser *p)
{
    bool keep = p->request.minor_version > 0;

    for (size_t i = 0; i < p->line_count; i++) {
        if (!pp_http_name_is(p->headers[i].name, "Connection"))
            continue;
        if (pp_http_list_has(p->headers[i].value, "close"))
            return false;
        keep = keep || pp_http_list_has(p->headers[i].value, "keep-alive");
    }
    return keep;
}

bool pp_http_request_head_judge(pp_http_request_parser *parser, bool *ret_chunked,
                                uint64_t *ret_body_bytes)
{
    if (!reserve_headers(parser))
        return false;
    split_head(parser);
    if (!judge_target(parser) || !judge_host(parser) ||
        !judge_framing(parser, ret_chunked, ret_body_bytes) || !judge_expectation(parser))
        return false;
    parser->keep_alive = wants_keep_alive(parser);
    return true;
}
