#include "gateway/cors.h"

#include <string.h>

#include "gateway/relay_headers.h"
#include "model/origin.h"
#include "net/http_syntax.h"

/* What a page may read of a reply beyond the few headers that it always may. */
static const char exposed[] =
    "Retry-After, " PP_REQUEST_ID_HEADER ", " PP_ROUTE_HEADER ", " PP_BACKEND_HEADER
    ", " PP_ORIGIN_HEADER ", X-RateLimit-Limit-Requests, X-RateLimit-Remaining-Requests, "
    "X-RateLimit-Reset-Requests, X-RateLimit-Limit-Tokens, X-RateLimit-Remaining-Tokens, "
    "X-RateLimit-Reset-Tokens";

static void add(pp_cors_reply *reply, const char *name, pp_text value)
{
    PP_ASSERT(reply->count < PP_CORS_REPLY_MAX);
    reply->headers[reply->count++] = (pp_http_header){pp_text_of(name), value};
}

/* The configuration's word for this origin, so that nothing of the request's is said back; a zeroed
 * text when it may not. */
static pp_text allowed_origin(const pp_cors *cors, pp_text origin)
{
    if (origin.size == 0)
        return (pp_text){0};
    for (size_t i = 0; i < cors->origin_count; i++)
        if (pp_text_is(cors->origins[i], "*") || pp_text_equal(cors->origins[i], origin))
            return cors->origins[i];
    return (pp_text){0};
}

static void begin(const pp_cors *cors, const pp_http_header *headers, size_t n_headers,
                  const char *vary, pp_cors_reply *reply)
{
    const pp_text origin = allowed_origin(cors, pp_http_header_find(headers, n_headers, "Origin"));

    *reply = (pp_cors_reply){.origin_is_allowed = origin.size > 0};
    if (cors->origin_count > 0) /* a cache must not give one origin's reply to another */
        add(reply, "Vary", pp_text_of(vary));
    if (reply->origin_is_allowed)
        add(reply, "Access-Control-Allow-Origin", origin);
}

bool pp_cors_is_preflight(const pp_http_request_view *request)
{
    return pp_text_is(request->method, "OPTIONS") &&
           pp_http_header_find(request->headers, request->header_count, "Origin").size > 0 &&
           pp_http_header_find(request->headers, request->header_count,
                               "Access-Control-Request-Method")
                   .size > 0;
}

void pp_cors_headers(const pp_cors *cors, const pp_http_header *headers, size_t n_headers,
                     pp_cors_reply *ret_reply)
{
    begin(cors, headers, n_headers, "Origin", ret_reply);
    if (ret_reply->origin_is_allowed)
        add(ret_reply, "Access-Control-Expose-Headers", pp_text_of(exposed));
}

/* ---- preflight ----------------------------------------------------------------------------- */

typedef struct asked_names {
    pp_text names[PP_CORS_HEADER_MAX];
    size_t count;
} asked_names;

static bool is_known(const asked_names *asked, pp_text name)
{
    for (size_t i = 0; i < asked->count; i++)
        if (pp_text_equal_ascii_case(asked->names[i], name))
            return true;
    return false;
}

/* "*" is a token, but as a name it would allow what nobody asked for (G28). */
static bool is_name(pp_text text)
{
    return text.size <= PP_CORS_NAME_MAX_BYTES && pp_http_is_token(text) && !pp_text_is(text, "*");
}

static void take_names(asked_names *asked, pp_text list)
{
    while (list.size > 0 && asked->count < PP_CORS_HEADER_MAX) {
        const char *comma = memchr(list.data, ',', list.size);
        const size_t size = comma == NULL ? list.size : (size_t)(comma - list.data);
        const pp_text name = pp_http_without_blanks((pp_text){list.data, size});

        if (is_name(name) && !is_known(asked, name))
            asked->names[asked->count++] = name;
        list.data += size + (comma != NULL);
        list.size -= size + (comma != NULL);
    }
}

static pp_text join_names(pp_arena *arena, const asked_names *asked)
{
    char *joined = PP_ARENA_NEW(arena, char, asked->count *(PP_CORS_NAME_MAX_BYTES + 2) + 1);
    size_t size = 0;

    for (size_t i = 0; joined != NULL && i < asked->count; i++) {
        if (i > 0) {
            memcpy(joined + size, ", ", 2);
            size += 2;
        }
        memcpy(joined + size, asked->names[i].data, asked->names[i].size);
        size += asked->names[i].size;
    }
    return (pp_text){joined, size};
}

pp_status pp_cors_preflight(pp_arena *arena, const pp_cors *cors, const pp_http_header *headers,
                            size_t n_headers, pp_cors_reply *ret_reply, pp_error *err)
{
    asked_names asked = {.count = 0};

    begin(cors, headers, n_headers,
          "Origin, Access-Control-Request-Method, Access-Control-Request-Headers", ret_reply);
    if (!ret_reply->origin_is_allowed)
        return PP_OK;
    for (size_t i = 0; i < n_headers; i++)
        if (pp_http_name_is(headers[i].name, "Access-Control-Request-Headers"))
            take_names(&asked, headers[i].value);
    add(ret_reply, "Access-Control-Allow-Methods", pp_text_of("GET, POST, OPTIONS"));
    if (asked.count > 0)
        add(ret_reply, "Access-Control-Allow-Headers", join_names(arena, &asked));
    add(ret_reply, "Access-Control-Max-Age", pp_text_of(PP_CORS_MAX_AGE_SECONDS));
    return pp_arena_check(arena, err);
}
