/* Requests and refusals do not depend on where the bytes are cut. The first byte of the input says
 * how: in pieces of 1 to 256 bytes. */
#include <stdint.h>
#include <string.h>

#include "net/http_request_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that a fuzzer comes to the ceilings. */
static const pp_http_request_limits limits = {
    .line_max_bytes = 128,
    .head_max_bytes = 512,
    .header_max_count = 8,
    .body_max_bytes = 256,
};

static void note_text(pp_buf *seen, pp_text text)
{
    pp_buf_printf(seen, "%zu:", text.size);
    pp_buf_append(seen, text.data, text.size);
}

static void note_request(pp_buf *seen, const pp_http_request_parser *p)
{
    const pp_http_request_view *r = &p->request;

    note_text(seen, r->method);
    note_text(seen, r->target);
    note_text(seen, r->path);
    note_text(seen, r->query);
    PP_ASSERT(r->path.size > 0 && r->header_count <= limits.header_max_count);
    for (size_t i = 0; i < r->header_count; i++) {
        PP_ASSERT(r->headers[i].name.size > 0);
        note_text(seen, r->headers[i].name);
        note_text(seen, r->headers[i].value);
    }
    note_text(seen, (pp_text){(const char *)r->body.data, r->body.size});
    PP_ASSERT(r->body.size <= limits.body_max_bytes);
    pp_buf_printf(seen, "1.%d %d\n", r->minor_version, p->keep_alive);
}

static void parse(const uint8_t *data, size_t size, size_t step, pp_buf *seen)
{
    pp_http_request_parser p;
    pp_http_parse_state state = PP_HTTP_PARSE_MORE;
    size_t at = 0;

    pp_http_request_parser_init(&p, &limits);
    while (at < size && state != PP_HTTP_PARSE_REFUSED) {
        size_t n = step < size - at ? step : size - at;
        size_t used = 0;

        state = pp_http_request_parse(&p, data + at, n, &used);
        PP_ASSERT(used <= n && (used > 0 || state == PP_HTTP_PARSE_REFUSED));
        at += used;
        if (state == PP_HTTP_PARSE_COMPLETE) {
            note_request(seen, &p);
            pp_http_request_parser_clear(&p);
        }
    }
    if (state == PP_HTTP_PARSE_REFUSED) /* a refusal always explains itself */
        PP_ASSERT(p.refused_status >= 400 && p.refused_text[0] != '\0');
    pp_buf_printf(seen, "=%d %d %s", (int)state, p.refused_status, p.refused_text);
    pp_http_request_parser_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_buf whole, cut;

    if (size == 0)
        return 0;
    pp_buf_init(&whole, (size_t)64 << 20);
    pp_buf_init(&cut, (size_t)64 << 20);
    parse(data + 1, size - 1, size, &whole);
    parse(data + 1, size - 1, (size_t)data[0] + 1, &cut);
    PP_ASSERT(cut.size == whole.size && memcmp(cut.data, whole.data, cut.size) == 0);
    pp_buf_done(&whole);
    pp_buf_done(&cut);
    return 0;
}
