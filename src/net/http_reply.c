/* What the caller says on a call: framing, and the rules of order. */
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_connection.h"
#include "net/http_syntax.h"

void pp_http_call_set_data(pp_http_call *call, void *data)
{
    call->data = data;
}

void *pp_http_call_data(const pp_http_call *call)
{
    return call->data;
}

const char *pp_http_call_address(const pp_http_call *call)
{
    return call->address;
}

const pp_http_request_view *pp_http_call_request(const pp_http_call *call)
{
    return &call->parser.request;
}

size_t pp_http_reply_queued(const pp_http_call *call)
{
    return call->out.size;
}

static pp_status check_open(const pp_http_call *call, pp_error *err)
{
    if (call->phase != PP_HTTP_REPLYING || call->finished || call->closing)
        return pp_fail(err, PP_ERR_BUG, "a reply that has ended is given more");
    return PP_OK;
}

/* ---- the head -------------------------------------------------------------------------------- */

static bool frames(pp_text name)
{
    return pp_http_name_is(name, "Content-Length") || pp_http_name_is(name, "Transfer-Encoding") ||
           pp_http_name_is(name, "Connection");
}

static pp_status check_header(const pp_http_header *header, pp_error *err)
{
    if (!pp_http_is_token(header->name))
        return pp_fail(err, PP_ERR_RANGE, "a header's name is no token: '%.*s'",
                       (int)header->name.size, header->name.data);
    if (!pp_http_is_value(header->value))
        return pp_fail(err, PP_ERR_RANGE, "header %.*s: a control character in its value",
                       (int)header->name.size, header->name.data);
    if (frames(header->name))
        return pp_fail(err, PP_ERR_RANGE, "header %.*s: framing is the server's",
                       (int)header->name.size, header->name.data);
    return PP_OK;
}

static pp_status check_begin(const pp_http_call *call, int status, pp_http_framing framing,
                             uint64_t length, pp_error *err)
{
    pp_status st = check_open(call, err);

    if (st != PP_OK)
        return st;
    if (call->begun)
        return pp_fail(err, PP_ERR_BUG, "a reply is begun twice");
    if (status < 200 || status > 599)
        return pp_fail(err, PP_ERR_RANGE, "status of a reply: expected 200 to 599, got %d", status);
    if ((status == 204 || status == 304) && (framing != PP_HTTP_FRAME_LENGTH || length > 0))
        return pp_fail(err, PP_ERR_RANGE, "status %d has no body", status);
    return PP_OK;
}

static void append_framing(pp_buf *head, const pp_http_call *call, int status)
{
    if (status == 204 || status == 304)
        return;
    if (call->framing == PP_HTTP_FRAME_LENGTH)
        pp_buf_printf(head, "Content-Length: %llu\r\n", (unsigned long long)call->declared_bytes);
    else if (call->framing == PP_HTTP_FRAME_CHUNKED)
        pp_buf_append_text(head, "Transfer-Encoding: chunked\r\n");
}

static void append_connection(pp_buf *head, const pp_http_call *call)
{
    if (!call->keep)
        pp_buf_append_text(head, "Connection: close\r\n");
    else if (call->parser.request.minor_version == 0)
        pp_buf_append_text(head, "Connection: keep-alive\r\n");
}

static void append_header(pp_buf *head, const pp_http_header *header)
{
    pp_buf_append(head, header->name.data, header->name.size);
    pp_buf_append(head, ": ", 2);
    pp_buf_append(head, header->value.data, header->value.size);
    pp_buf_append(head, "\r\n", 2);
}

static void set_framing(pp_http_call *call, int status, pp_http_framing framing, uint64_t length)
{
    if (framing == PP_HTTP_FRAME_CHUNKED && call->parser.request.minor_version == 0)
        framing = PP_HTTP_FRAME_CLOSE;
    call->framing = framing;
    call->declared_bytes = length;
    call->bodiless = call->bodiless || status == 204 || status == 304;
    call->keep = call->keep && framing != PP_HTTP_FRAME_CLOSE && !call->server->draining;
}

static pp_status hold_head(pp_http_call *call, int status, const pp_http_header *headers,
                           size_t n_headers, pp_error *err)
{
    pp_buf *head = &call->server->head;
    pp_status st;

    pp_http_reply_head_start(head, status, 1);
    for (size_t i = 0; i < n_headers; i++) {
        st = check_header(&headers[i], err);
        if (st != PP_OK)
            return st;
        append_header(head, &headers[i]);
    }
    append_framing(head, call, status);
    append_connection(head, call);
    pp_buf_append(head, "\r\n", 2);
    st = pp_buf_check(head, "head of a reply", err);
    if (st != PP_OK)
        return st;
    return pp_http_output_hold(&call->out,
                               (pp_bytes){(const unsigned char *)head->data, head->size}, err);
}

pp_status pp_http_reply_begin(pp_http_call *call, int status, const pp_http_header *headers,
                              size_t n_headers, pp_http_framing framing, uint64_t length,
                              pp_error *err)
{
    bool keep = call->keep;
    bool bodiless = call->bodiless;
    pp_status st = check_begin(call, status, framing, length, err);

    if (st != PP_OK)
        return st;
    set_framing(call, status, framing, length);
    st = hold_head(call, status, headers, n_headers, err);
    call->begun = st == PP_OK;
    if (st != PP_OK) { /* as if it had not been tried: another status may be begun */
        call->keep = keep;
        call->bodiless = bodiless;
        return st;
    }
    pp_http_connection_needs_work(call); /* the head leaves this turn, even alone */
    return PP_OK;
}

/* ---- the body -------------------------------------------------------------------------------- */

static pp_status put(pp_http_call *call, const struct iovec *pieces, size_t n_pieces, uint64_t tag,
                     pp_error *err)
{
    pp_status st = pp_http_output_put(&call->out, call->fd, pieces, n_pieces, tag, err);

    if (call->out.broken || call->out.size > 0)
        pp_http_connection_needs_work(call); /* gone is told, a deadline set, by the loop */
    return st;
}

static struct iovec piece_of(const void *bytes, size_t size)
{
    return (struct iovec){(void *)(uintptr_t)bytes, size}; /* only read by the kernel */
}

static pp_status check_write(const pp_http_call *call, size_t size, pp_error *err)
{
    pp_status st = check_open(call, err);

    if (st != PP_OK)
        return st;
    if (!call->begun)
        return pp_fail(err, PP_ERR_BUG, "a body is written before its reply is begun");
    if (call->framing == PP_HTTP_FRAME_LENGTH && size > call->declared_bytes - call->written_bytes)
        return pp_fail(err, PP_ERR_RANGE, "body of a reply: %llu bytes declared, got %llu",
                       (unsigned long long)call->declared_bytes,
                       (unsigned long long)call->written_bytes + size);
    return PP_OK;
}

static pp_status put_chunk(pp_http_call *call, pp_bytes bytes, uint64_t tag, pp_error *err)
{
    char size_line[24];
    int size = snprintf(size_line, sizeof size_line, "%zx\r\n", bytes.size);
    struct iovec pieces[] = {piece_of(size_line, (size_t)size), piece_of(bytes.data, bytes.size),
                             piece_of("\r\n", 2)};

    return put(call, pieces, PP_COUNT_OF(pieces), tag, err);
}

pp_status pp_http_reply_write(pp_http_call *call, pp_bytes bytes, uint64_t tag, pp_error *err)
{
    struct iovec piece = piece_of(bytes.data, bytes.size);
    pp_status st = check_write(call, bytes.size, err);

    if (st != PP_OK || bytes.size == 0)
        return st;
    if (call->bodiless)
        st = PP_OK;
    else if (call->framing == PP_HTTP_FRAME_CHUNKED)
        st = put_chunk(call, bytes, tag, err);
    else
        st = put(call, &piece, 1, tag, err);
    if (st == PP_OK)
        call->written_bytes += bytes.size;
    return st;
}

pp_status pp_http_reply_raw(pp_http_call *call, pp_bytes bytes, uint64_t tag, pp_error *err)
{
    struct iovec piece = piece_of(bytes.data, bytes.size);
    pp_status st = check_open(call, err);

    if (st != PP_OK || bytes.size == 0)
        return st;
    st = put(call, &piece, 1, tag, err);
    call->raw = call->raw || st == PP_OK;
    return st;
}

/* ---- the end --------------------------------------------------------------------------------- */

static pp_status check_end(const pp_http_call *call, pp_error *err)
{
    pp_status st = check_open(call, err);

    if (st != PP_OK)
        return st;
    if (!call->begun && !call->raw)
        return pp_fail(err, PP_ERR_BUG, "a reply is ended before it is begun");
    if (call->begun && !call->bodiless && call->framing == PP_HTTP_FRAME_LENGTH &&
        call->written_bytes < call->declared_bytes)
        return pp_fail(err, PP_ERR_RANGE, "body of a reply: %llu bytes declared, got %llu",
                       (unsigned long long)call->declared_bytes,
                       (unsigned long long)call->written_bytes);
    return PP_OK;
}

pp_status pp_http_reply_end(pp_http_call *call, pp_error *err)
{
    struct iovec last = piece_of("0\r\n\r\n", 5);
    pp_status st = check_end(call, err);

    if (st != PP_OK)
        return st;
    if (call->begun && call->framing == PP_HTTP_FRAME_CHUNKED && !call->bodiless)
        st = put(call, &last, 1, 0, err);
    if (st != PP_OK)
        return st;
    call->finished = true;
    pp_http_connection_needs_work(call);
    return PP_OK;
}

void pp_http_reply_close(pp_http_call *call)
{
    call->closing = true;
    pp_http_connection_needs_work(call);
}

void pp_http_reply_reset(pp_http_call *call)
{
    struct linger now = {1, 0};

    call->closing = true;
    if (call->fd >= 0) {
        (void)setsockopt(call->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        (void)epoll_ctl(call->server->epoll_fd, EPOLL_CTL_DEL, call->fd, NULL);
        (void)close(call->fd);
        call->fd = -1;
    }
    pp_http_connection_needs_work(call);
}

pp_status pp_http_reply_text(pp_http_call *call, int status, const char *content_type,
                             pp_bytes body, pp_error *err)
{
    pp_http_header type = {pp_text_of("Content-Type"), {0}};
    pp_status st;

    if (content_type != NULL)
        type.value = pp_text_of(content_type);
    st = pp_http_reply_begin(call, status, &type, content_type != NULL, PP_HTTP_FRAME_LENGTH,
                             body.size, err);
    if (st == PP_OK)
        st = pp_http_reply_write(call, body, 0, err);
    if (st == PP_OK)
        st = pp_http_reply_end(call, err);
    return st;
}
