#include "sim/wire.h"

#include <stdio.h>
#include <string.h>

#include "model/origin.h"

/* Larger than the largest fault (a head or an event of 32 MiB) with its framing. */
#define FRAMED_MAX_BYTES ((size_t)96 << 20)

void pp_sim_wire_init(pp_sim_wire *wire, pp_http_call *call, const pp_sim_quirks *q)
{
    memset(wire, 0, sizeof *wire);
    wire->call = call;
    wire->quirks = q;
    wire->raw = q->interim > 0 || q->huge_head_bytes > 0 || q->odd_chunks || q->no_last_chunk ||
                q->length_off != 0 || q->stream_length > 0 || q->close || q->chunk_size > 0 ||
                q->write_size > 0;
    pp_buf_init(&wire->framed, FRAMED_MAX_BYTES);
}

void pp_sim_wire_done(pp_sim_wire *wire)
{
    pp_buf_done(&wire->framed);
}

/* ---- heads ------------------------------------------------------------------------------------
 */

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        {200, "OK"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {404, "Not Found"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (rows[i].status == status)
            return rows[i].reason;
    }
    return "Status";
}

static size_t list_headers(const pp_sim_wire *wire, const pp_sim_head *head, pp_http_header out[8])
{
    size_t n = 0;
    const char *type = wire->quirks->content_type;

    if (type == NULL)
        type = head->content_type;
    out[n++] = (pp_http_header){pp_text_of("Server"), pp_text_of("paretopilot-sim")};
    out[n++] = (pp_http_header){pp_text_of(PP_ORIGIN_HEADER), pp_text_of("simulated")};
    if (type != NULL)
        out[n++] = (pp_http_header){pp_text_of("Content-Type"), pp_text_of(type)};
    if (head->retry_after != NULL)
        out[n++] = (pp_http_header){pp_text_of("Retry-After"), pp_text_of(head->retry_after)};
    if (head->is_stream)
        out[n++] = (pp_http_header){pp_text_of("X-Accel-Buffering"), pp_text_of("no")};
    if (wire->quirks->raw_gzip)
        out[n++] = (pp_http_header){pp_text_of("Content-Encoding"), pp_text_of("gzip")};
    return n;
}

static void put_interim(pp_sim_wire *wire)
{
    int64_t status = wire->quirks->interim;

    if (status > 0)
        pp_buf_printf(&wire->framed, "HTTP/1.1 %lld %s\r\n%s\r\n", (long long)status,
                      status == 100   ? "Continue"
                      : status == 103 ? "Early Hints"
                                      : "Processing",
                      status == 103 ? "Link: </style.css>; rel=preload\r\n" : "");
}

static void put_huge_header(pp_sim_wire *wire)
{
    if (wire->quirks->huge_head_bytes == 0)
        return;
    pp_buf_append_text(&wire->framed, "X-Huge: ");
    for (int64_t i = 0; i < wire->quirks->huge_head_bytes; i++)
        pp_buf_append_char(&wire->framed, 'h');
    pp_buf_append_text(&wire->framed, "\r\n");
}

/* Declared length of a raw reply, -1 for none. */
static int64_t declared_length(const pp_sim_wire *wire, const pp_sim_head *head)
{
    int64_t length = (int64_t)head->length + wire->quirks->length_off;

    if (wire->quirks->raw_gzip && !head->is_stream)
        return -1; /* known only when it is packed */
    if (head->is_stream)
        return wire->quirks->stream_length > 0 ? wire->quirks->stream_length : -1;
    return length > 0 ? length : 0;
}

static pp_status write_raw(pp_sim_wire *wire, uint64_t tag)
{
    const unsigned char *at = (const unsigned char *)pp_buf_text(&wire->framed);
    size_t left = wire->framed.size;
    size_t piece = wire->quirks->write_size > 0 ? (size_t)wire->quirks->write_size : left;
    pp_status st = pp_buf_check(&wire->framed, "a reply", NULL);

    while (st == PP_OK && left > 0) {
        size_t n = left < piece ? left : piece;

        st = pp_http_reply_raw(wire->call, (pp_bytes){at, n}, n == left ? tag : 0, NULL);
        at += n;
        left -= n;
    }
    pp_buf_clear(&wire->framed);
    return st;
}

static pp_status open_raw(pp_sim_wire *wire, const pp_sim_head *head)
{
    pp_http_header headers[8];
    size_t n = list_headers(wire, head, headers);
    int64_t length = declared_length(wire, head);
    pp_buf *out = &wire->framed;

    put_interim(wire);
    pp_buf_printf(out, "HTTP/1.1 %d %s\r\n", head->status, reason_of(head->status));
    for (size_t i = 0; i < n; i++)
        pp_buf_printf(out, "%s: %s\r\n", headers[i].name.data, headers[i].value.data);
    put_huge_header(wire);
    wire->chunked = length < 0 && !wire->quirks->read_to_close;
    wire->closes = wire->quirks->close || wire->quirks->read_to_close ||
                   wire->quirks->no_last_chunk || wire->quirks->length_off != 0 ||
                   wire->quirks->stream_length > 0;
    if (wire->chunked)
        pp_buf_append_text(out, "Transfer-Encoding: chunked\r\n");
    else if (length >= 0 && !wire->quirks->read_to_close)
        pp_buf_printf(out, "Content-Length: %lld\r\n", (long long)length);
    if (wire->quirks->close)
        pp_buf_append_text(out, "Connection: close\r\n");
    pp_buf_append_text(out, "\r\n");
    return write_raw(wire, 0);
}

pp_status pp_sim_wire_open(pp_sim_wire *wire, const pp_sim_head *head)
{
    pp_http_header headers[8];
    pp_http_framing framing = PP_HTTP_FRAME_LENGTH;

    wire->open = true;
    if (wire->raw)
        return open_raw(wire, head);
    if (wire->quirks->read_to_close)
        framing = PP_HTTP_FRAME_CLOSE;
    else if (head->is_stream || wire->quirks->raw_gzip)
        framing = PP_HTTP_FRAME_CHUNKED;
    return pp_http_reply_begin(wire->call, head->status, headers, list_headers(wire, head, headers),
                               framing, framing == PP_HTTP_FRAME_LENGTH ? head->length : 0, NULL);
}

/* ---- bodies -----------------------------------------------------------------------------------
 */

static pp_status write_body(pp_sim_wire *wire, pp_bytes bytes, uint64_t tag)
{
    if (!wire->raw)
        return pp_http_reply_write(wire->call, bytes, tag, NULL);
    if (wire->chunked)
        pp_sim_chunks(wire->quirks, bytes.data, bytes.size, &wire->framed);
    else
        pp_buf_append(&wire->framed, bytes.data, bytes.size);
    return write_raw(wire, tag);
}

static pp_status write_gzip(pp_sim_wire *wire, pp_bytes bytes, bool is_last, uint64_t tag)
{
    pp_buf packed;
    pp_status st;

    pp_buf_init(&packed, FRAMED_MAX_BYTES);
    pp_sim_gzip_put(&wire->gzip, bytes.data, bytes.size, is_last, &packed);
    st = pp_buf_check(&packed, "a reply", NULL);
    if (st == PP_OK)
        st = write_body(wire, (pp_bytes){(const unsigned char *)pp_buf_text(&packed), packed.size},
                        tag);
    pp_buf_done(&packed);
    return st;
}

pp_status pp_sim_wire_write(pp_sim_wire *wire, pp_bytes bytes, uint64_t tag)
{
    return wire->quirks->raw_gzip ? write_gzip(wire, bytes, false, tag)
                                  : write_body(wire, bytes, tag);
}

pp_status pp_sim_wire_end(pp_sim_wire *wire)
{
    pp_status st = PP_OK;

    if (wire->quirks->raw_gzip)
        st = write_gzip(wire, (pp_bytes){(const unsigned char *)"", 0}, true, 0);
    if (st == PP_OK && wire->raw && wire->chunked && !wire->quirks->no_last_chunk) {
        pp_sim_last_chunk(wire->quirks, &wire->framed);
        st = write_raw(wire, 0);
    }
    if (st != PP_OK)
        return st;
    if (wire->closes) {
        pp_http_reply_close(wire->call);
        return PP_OK;
    }
    return pp_http_reply_end(wire->call, NULL);
}

pp_status pp_sim_wire_whole(pp_sim_wire *wire, const pp_sim_head *head, pp_bytes body, uint64_t tag)
{
    pp_status st = pp_sim_wire_open(wire, head);

    if (st == PP_OK && body.size > 0)
        st = pp_sim_wire_write(wire, body, tag);
    return st == PP_OK ? pp_sim_wire_end(wire) : st;
}
