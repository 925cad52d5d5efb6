#include "gateway/relay_headers.h"

#include <string.h>

#include "net/http_syntax.h"

/* A name, or the beginning of many when it ends in '*'. */
typedef const char *name_rule;

/* Of one connection, not of a message (RFC 9110 section 7.6.1; HTTP2-Settings: RFC 7540 3.2.1), and
 * what frames it, which each side does anew (E2, E3). */
static const name_rule hop_by_hop[] = {
    "Connection", "Keep-Alive",     "TE",      "Trailer",        "Transfer-Encoding",
    "Upgrade",    "HTTP2-Settings", "Proxy-*", "Content-Length", "Content-Encoding",
    NULL,
};

static const name_rule not_for_backends[] = {
    /* made anew by our client */
    "Host",
    "Expect",
    "Accept-Encoding",
    "Content-Type",
    PP_REQUEST_ID_HEADER,
    /* secrets between the client and us, or another site of its browser (E33) */
    "Authorization",
    "X-Api-Key",
    "Api-Key",
    "Cookie",
    "Referer",
    /* the back end would generate on after the socket has closed (E22) */
    "X-Conversation-Id",
    /* a browser's business with us (E34) */
    "Origin",
    "Access-Control-*",
    "Sec-*",
    /* a POST that generates has neither parts nor conditions */
    "Range",
    "If-*",
    NULL,
};

/* Anybody may claim these; only a proxy that we know is believed. */
static const name_rule claims[] = {"Forwarded", "X-Forwarded-*", "X-Real-Ip", NULL};

static const name_rule not_for_clients[] = {
    /* ours to say */
    "Access-Control-*",
    "Server",
    "X-Powered-By",
    PP_REQUEST_ID_HEADER,
    PP_ROUTE_HEADER,
    PP_BACKEND_HEADER,
    /* where the back end is (G10), and what holds for its host alone */
    "Location",
    "Content-Location",
    "Refresh",
    "Link",
    "Alt-Svc",
    "Strict-Transport-Security",
    "Set-Cookie",
    "WWW-Authenticate",
    NULL,
};

/* What a stream gets from us instead (E10). */
static const name_rule of_streams[] = {"Cache-Control", "X-Accel-Buffering", NULL};

static bool rule_holds(name_rule rule, pp_text name)
{
    const size_t size = strlen(rule);

    if (rule[size - 1] != '*')
        return pp_http_name_is(name, rule);
    return name.size >= size - 1 &&
           pp_text_equal_ascii_case((pp_text){name.data, size - 1}, (pp_text){rule, size - 1});
}

static bool is_in(const name_rule *rules, pp_text name)
{
    for (; *rules != NULL; rules++)
        if (rule_holds(*rules, name))
            return true;
    return false;
}

/* Whether a list of tokens, which may come from outside, holds the name. */
static bool list_has_name(pp_text list, pp_text name)
{
    while (list.size > 0) {
        const char *comma = memchr(list.data, ',', list.size);
        const size_t size = comma == NULL ? list.size : (size_t)(comma - list.data);
        pp_text item = pp_http_without_blanks((pp_text){list.data, size});

        if (pp_text_equal_ascii_case(item, name))
            return true;
        list.data += size + (comma != NULL);
        list.size -= size + (comma != NULL);
    }
    return false;
}

static bool is_named_in_connection(const pp_http_header *headers, size_t n_headers, pp_text name)
{
    for (size_t i = 0; i < n_headers; i++)
        if (pp_http_name_is(headers[i].name, "Connection") && list_has_name(headers[i].value, name))
            return true;
    return false;
}

static pp_status check_connection(const pp_http_header *headers, size_t n_headers, pp_error *err)
{
    size_t total = 0;

    for (size_t i = 0; i < n_headers; i++)
        if (pp_http_name_is(headers[i].name, "Connection"))
            total += headers[i].value.size;
    if (total > PP_RELAY_CONNECTION_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "Connection: %zu bytes, at most %zu", total,
                       PP_RELAY_CONNECTION_MAX_BYTES);
    return PP_OK;
}

static bool can_be_sent(const pp_http_header *header)
{
    return pp_http_is_token(header->name) && header->value.size > 0 &&
           pp_http_is_value(header->value);
}

/* Header `at` of a message belongs to it, not to the connection, and can be sent. */
static bool goes_on(const pp_http_header *headers, size_t n_headers, size_t at)
{
    return can_be_sent(&headers[at]) && !is_in(hop_by_hop, headers[at].name) &&
           !is_named_in_connection(headers, n_headers, headers[at].name);
}

/* ---- to a back end ------------------------------------------------------------------------- */

typedef struct request_lines {
    pp_arena *arena;
    const char **lines;
    size_t count; /* also of those that found no room */
} request_lines;

/* By hand: some ten of them for each request, and printf takes longer than all else here. */
static void add_line(request_lines *out, pp_text name, pp_text value)
{
    char *line = NULL;

    if (out->count < PP_RELAY_HEADER_MAX)
        line = PP_ARENA_NEW(out->arena, char, name.size + value.size + 3);
    if (line != NULL) { /* zeroed, so it ends */
        memcpy(line, name.data, name.size);
        memcpy(line + name.size, ": ", 2);
        memcpy(line + name.size + 2, value.data, value.size);
        out->lines[out->count] = line;
    }
    out->count++;
}

static bool is_for_backends(const pp_http_header *headers, size_t n_headers, size_t at,
                            bool from_trusted_proxy)
{
    const pp_text name = headers[at].name;

    return goes_on(headers, n_headers, at) && !is_in(not_for_backends, name) &&
           !pp_http_name_is(name, "X-Forwarded-For") &&
           (from_trusted_proxy || !is_in(claims, name));
}

/* The chain that a trusted proxy forwards, if any, with the address of the connection behind it. */
static void add_forwarded_for(request_lines *out, const pp_http_header *headers, size_t n_headers,
                              const pp_relay_request *extra)
{
    pp_text chain = {"", 0};

    for (size_t i = 0; extra->from_trusted_proxy && i < n_headers; i++) {
        const pp_text value = headers[i].value;

        if (!pp_http_name_is(headers[i].name, "X-Forwarded-For") || !goes_on(headers, n_headers, i))
            continue;
        chain = pp_text_of(pp_arena_printf(out->arena, "%.*s%.*s, ", (int)chain.size, chain.data,
                                           (int)value.size, value.data));
        if (chain.data == NULL)
            return; /* the arena remembers */
    }
    if (extra->client_address.size > 0)
        chain = pp_text_of(pp_arena_printf(out->arena, "%.*s%.*s", (int)chain.size, chain.data,
                                           (int)extra->client_address.size,
                                           extra->client_address.data));
    if (chain.data != NULL && chain.size > 0)
        add_line(out, pp_text_of("X-Forwarded-For"), chain);
}

static void add_ours(request_lines *out, const pp_relay_request *extra)
{
    add_line(out, pp_text_of("Content-Type"), pp_text_of("application/json"));
    if (extra->request_id.size > 0)
        add_line(out, pp_text_of(PP_REQUEST_ID_HEADER), extra->request_id);
    if (extra->api_key.size > 0) {
        const char *bearer = pp_arena_printf(out->arena, "Bearer %.*s", (int)extra->api_key.size,
                                             extra->api_key.data);

        add_line(out, pp_text_of("Authorization"), pp_text_of(bearer == NULL ? "" : bearer));
    }
}

pp_status pp_relay_request_headers(pp_arena *arena, const pp_http_header *headers, size_t n_headers,
                                   const pp_relay_request *extra, const char *const **ret_lines,
                                   size_t *ret_count, pp_error *err)
{
    request_lines out = {arena, PP_ARENA_NEW(arena, const char *, PP_RELAY_HEADER_MAX), 0};
    pp_status st = check_connection(headers, n_headers, err);

    if (st != PP_OK)
        return st;
    if (out.lines == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < n_headers; i++)
        if (is_for_backends(headers, n_headers, i, extra->from_trusted_proxy))
            add_line(&out, headers[i].name, headers[i].value);
    add_forwarded_for(&out, headers, n_headers, extra);
    add_ours(&out, extra);
    if (out.count > PP_RELAY_HEADER_MAX)
        return pp_fail(err, PP_ERR_LIMIT, "%zu headers to send on, at most %zu", out.count,
                       PP_RELAY_HEADER_MAX);
    *ret_lines = out.lines;
    *ret_count = out.count;
    return pp_arena_check(arena, err);
}

pp_text pp_relay_request_id(const pp_http_header *headers, size_t n_headers, pp_text ours)
{
    const pp_text asked = pp_http_header_find(headers, n_headers, PP_REQUEST_ID_HEADER);

    return asked.size <= PP_REQUEST_ID_MAX_BYTES && pp_http_is_token(asked) ? asked : ours;
}

/* ---- to a client --------------------------------------------------------------------------- */

pp_status pp_relay_reply_headers(pp_arena *arena, const pp_http_header *headers, size_t n_headers,
                                 bool is_stream, pp_http_header **ret_headers, size_t *ret_count,
                                 pp_error *err)
{
    pp_http_header *out = PP_ARENA_NEW(arena, pp_http_header, n_headers + 2);
    pp_status st = check_connection(headers, n_headers, err);
    size_t count = 0;

    if (st != PP_OK)
        return st;
    if (out == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < n_headers; i++)
        if (goes_on(headers, n_headers, i) && !is_in(not_for_clients, headers[i].name) &&
            !(is_stream && is_in(of_streams, headers[i].name)))
            out[count++] = headers[i];
    if (is_stream) {
        out[count++] =
            (pp_http_header){pp_text_of("Cache-Control"), pp_text_of("no-cache, no-transform")};
        out[count++] = (pp_http_header){pp_text_of("X-Accel-Buffering"), pp_text_of("no")};
    }
    *ret_headers = out;
    *ret_count = count;
    return PP_OK;
}

bool pp_media_type_is(pp_text content_type, const char *media_type)
{
    const char *end =
        content_type.size == 0 ? NULL : memchr(content_type.data, ';', content_type.size);

    if (end != NULL)
        content_type.size = (size_t)(end - content_type.data);
    return pp_http_name_is(pp_http_without_blanks(content_type), media_type);
}
