/* Whatever a browser or somebody else asks, what is said back is legal: the configuration's origin,
 * and names of headers that were asked for. */
#include <ctype.h>

#include "base/error.h"
#include "gateway/cors.h"
#include "header_sets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const pp_text origins[] = {{"https://app.example", 19}, {"http://localhost", 16}};

static void check_value(const pp_http_header *h)
{
    PP_ASSERT(h->value.size > 0);
    for (size_t i = 0; i < h->value.size; i++)
        PP_ASSERT(h->value.data[i] >= ' ' && h->value.data[i] <= '~');
    if (strncmp(h->name.data, "Access-Control-Allow-Origin", h->name.size) == 0)
        PP_ASSERT(pp_text_equal(h->value, origins[0]) || pp_text_equal(h->value, origins[1]));
}

/* "a, b, c": no name empty, too long, or of what is no token. */
static void check_names(pp_text list)
{
    size_t length = 0, count = 1;

    for (size_t i = 0; i < list.size; i++) {
        const char c = list.data[i];

        if (c == ',') {
            PP_ASSERT(length > 0 && i + 1 < list.size && list.data[i + 1] == ' ');
            length = 0;
            count++;
            i++;
        } else {
            PP_ASSERT(isalnum((unsigned char)c) || strchr("!#$%&'*+-.^_`|~", c) != NULL);
            length++;
        }
        PP_ASSERT(length <= PP_CORS_NAME_MAX_BYTES);
    }
    PP_ASSERT(length > 0 && count <= PP_CORS_HEADER_MAX);
}

static void check(const pp_cors_reply *reply)
{
    PP_ASSERT(reply->count >= 1 && reply->count <= PP_CORS_REPLY_MAX); /* Vary at least */
    PP_ASSERT(reply->origin_is_allowed == (reply->count > 1));
    for (size_t i = 0; i < reply->count; i++) {
        check_value(&reply->headers[i]);
        if (pp_text_is(reply->headers[i].name, "Access-Control-Allow-Headers"))
            check_names(reply->headers[i].value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pp_cors cors = {origins, 2};
    pp_cors_reply reply;
    pp_arena arena = {0};
    header_set set;

    header_set_read(&set, data, size);
    pp_cors_headers(&cors, set.headers, set.count, &reply);
    check(&reply);
    if (pp_cors_preflight(&arena, &cors, set.headers, set.count, &reply, NULL) == PP_OK)
        check(&reply);
    pp_arena_done(&arena);
    return 0;
}
