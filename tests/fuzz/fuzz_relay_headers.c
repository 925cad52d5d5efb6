/* Whatever headers come, nothing goes on that frames, that belongs to a connection, that Connection
 * names, or that holds a control. The first byte of the input says whether a proxy is trusted and
 * whether the reply is a stream. What is checked is written down here anew, in other words. */
#include <strings.h>

#include "base/error.h"
#include "gateway/relay_headers.h"
#include "header_sets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const never[] = {
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "content-encoding",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    NULL,
};
static const char *const never_upstream[] = {
    "host", "expect", "accept-encoding", "x-conversation-id", "cookie", "origin", NULL,
};
static const char *const never_back[] = {
    "server", "set-cookie", "location", "access-control-allow-origin", NULL,
};

static bool is(pp_text name, const char *word)
{
    return name.size == strlen(word) && strncasecmp(name.data, word, name.size) == 0;
}

static void check_not_in(pp_text name, const char *const *words)
{
    for (; *words != NULL; words++)
        PP_ASSERT(!is(name, *words));
}

static void check_no_controls(pp_text text)
{
    for (size_t i = 0; i < text.size; i++)
        PP_ASSERT(text.data[i] == '\t' || (unsigned char)text.data[i] >= ' ');
    PP_ASSERT(memchr(text.data, 0x7f, text.size) == NULL);
}

/* The name stands, whole, somewhere between commas in a Connection header. */
static bool is_named(const header_set *set, pp_text name)
{
    for (size_t i = 0; i < set->count; i++) {
        const pp_text value = set->headers[i].value;
        size_t from = 0;

        if (!is(set->headers[i].name, "connection"))
            continue;
        for (size_t at = 0; at <= value.size; at++) {
            size_t a = from, b = at;

            if (at < value.size && value.data[at] != ',')
                continue;
            while (a < b && strchr(" \t", value.data[a]) != NULL && value.data[a] != '\0')
                a++;
            while (b > a && strchr(" \t", value.data[b - 1]) != NULL && value.data[b - 1] != '\0')
                b--;
            if (b - a == name.size && strncasecmp(value.data + a, name.data, name.size) == 0)
                return true;
            from = at + 1;
        }
    }
    return false;
}

static bool is_ours(pp_text name)
{
    return is(name, "content-type") || is(name, "x-forwarded-for") || is(name, "x-request-id") ||
           is(name, "authorization") || is(name, "cache-control") || is(name, "x-accel-buffering");
}

static void check(const header_set *set, pp_text name, pp_text value)
{
    check_not_in(name, never);
    PP_ASSERT(name.size > 0);
    check_no_controls(name);
    check_no_controls(value);
    PP_ASSERT(is_ours(name) || !is_named(set, name));
}

static void to_a_back_end(const header_set *set, bool trusted)
{
    const pp_relay_request extra = {{"192.0.2.1", 9}, trusted, {"secret", 6}, {"id", 2}};
    const char *const *lines = NULL;
    size_t count = 0, authorizations = 0;
    pp_arena arena = {0};

    if (pp_relay_request_headers(&arena, set->headers, set->count, &extra, &lines, &count, NULL) ==
        PP_OK) {
        PP_ASSERT(count >= 4 && count <= PP_RELAY_HEADER_MAX);
        for (size_t i = 0; i < count; i++) {
            const char *colon = strchr(lines[i], ':');

            PP_ASSERT(colon != NULL && colon[1] == ' ' && colon[2] != '\0');
            check(set, (pp_text){lines[i], (size_t)(colon - lines[i])}, pp_text_of(colon + 2));
            check_not_in((pp_text){lines[i], (size_t)(colon - lines[i])}, never_upstream);
            authorizations += strncasecmp(lines[i], "authorization:", 14) == 0;
        }
        PP_ASSERT(authorizations == 1);
        PP_ASSERT(strcmp(lines[count - 1], "Authorization: Bearer secret") == 0);
    }
    pp_arena_done(&arena);
}

static void to_a_client(const header_set *set, bool is_stream)
{
    pp_http_header *out = NULL;
    pp_arena arena = {0};
    size_t count = 0;

    if (pp_relay_reply_headers(&arena, set->headers, set->count, is_stream, &out, &count, NULL) ==
        PP_OK) {
        PP_ASSERT(count <= set->count + 2);
        for (size_t i = 0; i < count; i++) {
            check(set, out[i].name, out[i].value);
            check_not_in(out[i].name, never_back);
        }
    }
    pp_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    header_set set;

    if (size == 0)
        return 0;
    header_set_read(&set, data + 1, size - 1);
    to_a_back_end(&set, (data[0] & 1) != 0);
    to_a_client(&set, (data[0] & 2) != 0);
    PP_ASSERT(pp_relay_request_id(set.headers, set.count, (pp_text){"ours", 4}).size <=
              PP_REQUEST_ID_MAX_BYTES);
    return 0;
}
