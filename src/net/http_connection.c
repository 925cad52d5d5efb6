#include "net/http_connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "net/http_syntax.h"

/* Reads of one connection before the others get their turn. */
#define READS_PER_TURN 16
#define WATCHED_EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define CONTINUE_REPLY "HTTP/1.1 100 Continue\r\n\r\n"

/* ---- deadlines ------------------------------------------------------------------------------- */

void pp_http_connection_deadline(pp_http_call *call, int64_t at_ns)
{
    call->deadline_ns = at_ns;
    if (at_ns != 0 && (call->timer.deadline.slot == 0 || call->timer.deadline.at_ns > at_ns))
        pp_http_timer_set(call->server, &call->timer, at_ns);
}

/* One sentence, or a small document. */
#define REFUSAL_MAX_BYTES ((size_t)8 << 10)

static void refuse(pp_http_call *call, int status, const char *text);

/* A reply that nobody reads: a reset gives the kernel's memory back, too. */
static void give_up(pp_http_call *call)
{
    struct linger now = {1, 0};

    (void)setsockopt(call->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    call->peer_left = true;
    call->out.broken = true;
    pp_http_connection_needs_work(call);
}

static void expire(pp_http_call *call)
{
    call->deadline_ns = 0;
    if (call->phase == PP_HTTP_REPLYING)
        give_up(call);
    else if (call->phase == PP_HTTP_LINGERING || !call->parser.begun)
        pp_http_connection_close(call);
    else
        refuse(call, 408,
               call->parser.head_complete ? "the body stopped coming" : "the head stopped coming");
}

static void on_timer(void *user, int64_t now_ns)
{
    pp_http_call *call = user;

    if (call->deadline_ns == 0)
        return;
    if (now_ns < call->deadline_ns)
        pp_http_timer_set(call->server, &call->timer, call->deadline_ns);
    else
        expire(call);
}

/* ---- from accept to close -------------------------------------------------------------------- */

static void on_sent(void *user, uint64_t tag, int64_t before_write_ns)
{
    pp_http_call *call = user;
    const pp_http_server_handlers *handlers = &call->server->options.handlers;

    if (handlers->sent != NULL)
        handlers->sent(handlers->user, call, tag, before_write_ns);
}

static pp_http_call *new_call(pp_http_server *server)
{
    pp_http_call *call = server->spare;

    if (call != NULL) {
        server->spare = call->next;
        return call;
    }
    call = pp_fail_nth_malloc(sizeof *call);
    if (call == NULL)
        return NULL;
    memset(call, 0, sizeof *call);
    call->server = server;
    call->fd = -1;
    call->timer.fire = on_timer;
    call->timer.user = call;
    pp_http_request_parser_init(&call->parser, &server->limits);
    pp_buf_init(&call->pending, PP_HTTP_READ_BYTES);
    pp_http_output_init(&call->out, server->options.backlog_max_bytes, on_sent, call);
    return call;
}

static void link_call(pp_http_server *server, pp_http_call *call)
{
    call->previous = NULL;
    call->next = server->connections;
    if (call->next != NULL)
        call->next->previous = call;
    server->connections = call;
    server->counts.open++;
    if (server->counts.open > server->counts.highest)
        server->counts.highest = server->counts.open;
}

static void unlink_call(pp_http_server *server, pp_http_call *call)
{
    if (call->next != NULL)
        call->next->previous = call->previous;
    if (call->previous != NULL)
        call->previous->next = call->next;
    else
        server->connections = call->next;
    server->counts.open--;
}

static bool watch(pp_http_call *call)
{
    struct epoll_event event = {.events = WATCHED_EVENTS, .data.ptr = call};
    int on = 1;

    (void)setsockopt(call->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* only slower without */
    return epoll_ctl(call->server->epoll_fd, EPOLL_CTL_ADD, call->fd, &event) == 0;
}

void pp_http_connection_open(pp_http_server *server, int fd, const char *address, bool too_many)
{
    pp_http_call *call = new_call(server);

    if (call == NULL) {
        (void)close(fd);
        server->counts.accept_failed_count++;
        return;
    }
    call->fd = fd;
    call->phase = PP_HTTP_READING;
    call->readable = call->peer_left = call->shut = false;
    call->serial = server->next_serial++;
    call->request_count = 0;
    (void)snprintf(call->address, sizeof call->address, "%s", address);
    link_call(server, call);
    if (!watch(call)) {
        server->counts.accept_failed_count++;
        pp_http_connection_close(call);
        return;
    }
    pp_http_connection_deadline(call, pp_clock_now_ns() + server->options.keep_alive_timeout_ns);
    if (too_many)
        refuse(call, 503, "too many connections");
}

static void close_socket(pp_http_call *call)
{
    if (call->fd < 0)
        return;
    /* by hand: a child between fork and exec may hold a copy that would keep it in the set */
    (void)epoll_ctl(call->server->epoll_fd, EPOLL_CTL_DEL, call->fd, NULL);
    (void)close(call->fd);
    call->fd = -1;
}

static void reset_reply(pp_http_call *call)
{
    call->data = NULL;
    call->begun = call->raw = call->finished = call->closing = false;
    call->bodiless = call->keep = call->waited = false;
    call->declared_bytes = call->written_bytes = 0;
}

static void shrink_pending(pp_http_call *call)
{
    pp_buf_clear(&call->pending);
    call->pending_at = 0;
    if (call->pending.capacity <= PP_HTTP_KEEP_BYTES)
        return;
    pp_buf_done(&call->pending);
    pp_buf_init(&call->pending, PP_HTTP_READ_BYTES);
}

void pp_http_connection_close(pp_http_call *call)
{
    pp_http_server *server = call->server;

    close_socket(call);
    pp_http_timer_cancel(server, &call->timer);
    call->deadline_ns = 0;
    call->phase = PP_HTTP_CLOSED;
    reset_reply(call);
    shrink_pending(call);
    pp_http_request_parser_clear(&call->parser);
    pp_http_output_clear(&call->out, PP_HTTP_KEEP_BYTES);
    unlink_call(server, call);
    call->next = server->closed;
    server->closed = call;
}

void pp_http_connection_free(pp_http_call *call)
{
    pp_http_request_parser_done(&call->parser);
    pp_buf_done(&call->pending);
    pp_http_output_done(&call->out);
    free(call);
}

void pp_http_connection_needs_work(pp_http_call *call)
{
    pp_http_server *server = call->server;

    if (call->at_work)
        return;
    call->at_work = true;
    call->next_at_work = NULL;
    if (server->work_first == NULL) {
        server->work_first = call;
        if (!server->in_turn)
            pp_http_server_ask_turn(server); /* once: it does all that is there then */
    } else {
        server->work_last->next_at_work = call;
    }
    server->work_last = call;
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Throw away what comes; close at the end of it. */
static void linger(pp_http_call *call)
{
    char *bytes = call->server->read_bytes;
    ssize_t n = 1;

    pp_http_output_flush(&call->out, call->fd);
    if (call->out.broken) {
        pp_http_connection_close(call);
        return;
    }
    if (call->out.size == 0 && !call->shut) {
        call->shut = true;
        (void)shutdown(call->fd, SHUT_WR);
    }
    for (int i = 0; i < READS_PER_TURN && n > 0; i++)
        n = recv(call->fd, bytes, PP_HTTP_READ_BYTES, MSG_DONTWAIT);
    if (n > 0)
        pp_http_connection_needs_work(call);
    else if (n == 0 || errno != EAGAIN)
        pp_http_connection_close(call);
}

static void start_lingering(pp_http_call *call)
{
    call->phase = PP_HTTP_LINGERING;
    pp_http_connection_deadline(call, pp_clock_now_ns() + call->server->options.linger_timeout_ns);
    pp_http_connection_needs_work(call);
}

void pp_http_reply_head_start(pp_buf *head, int status, int minor_version)
{
    pp_buf_clear(head);
    pp_buf_printf(head, "HTTP/1.%d %d %s\r\n", minor_version, status, pp_http_reason(status));
}

/* Say why, then leave. */
/* What the client reads; its media type. */
static const char *refusal_body(const pp_http_server *server, int status, const char *text,
                                pp_buf *body)
{
    const pp_http_server_handlers *handlers = &server->options.handlers;
    const char *type = NULL;

    if (handlers->refusal != NULL)
        type = handlers->refusal(handlers->user, status, text, body);
    if (type != NULL && body->status == PP_OK)
        return type;
    pp_buf_clear(body);
    pp_buf_printf(body, "%s\n", text);
    return "text/plain; charset=utf-8";
}

static void refuse(pp_http_call *call, int status, const char *text)
{
    pp_buf *head = &call->server->head;
    pp_buf body;
    const char *type;
    struct iovec piece;

    pp_buf_init(&body, REFUSAL_MAX_BYTES);
    type = refusal_body(call->server, status, text, &body);
    call->server->counts.refused_count++;
    pp_http_reply_head_start(head, status, 1);
    pp_buf_printf(head, "Content-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                  type, body.size);
    pp_buf_append(head, pp_buf_text(&body), body.size);
    pp_buf_done(&body);
    piece = (struct iovec){head->data, head->size};
    if (head->status == PP_OK) /* without memory the close alone has to say it */
        pp_ignore(pp_http_output_put(&call->out, call->fd, &piece, 1, 0, NULL));
    start_lingering(call);
}

void pp_http_call_end(pp_http_call *call)
{
    const pp_http_server_handlers *handlers = &call->server->options.handlers;

    if (handlers->ended != NULL)
        handlers->ended(handlers->user, call);
}

static void tell_gone(pp_http_call *call)
{
    const pp_http_server_handlers *handlers = &call->server->options.handlers;

    call->server->counts.gone_count++;
    if (handlers->gone != NULL)
        handlers->gone(handlers->user, call);
    pp_http_call_end(call);
    pp_http_connection_close(call);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void ask_to_continue(pp_http_call *call)
{
    struct iovec piece = {(void *)(uintptr_t)CONTINUE_REPLY, sizeof CONTINUE_REPLY - 1};

    call->parser.wants_continue = false;
    pp_ignore(pp_http_output_put(&call->out, call->fd, &piece, 1, 0, NULL)); /* read tells */
}

static void begin_call(pp_http_call *call)
{
    pp_http_server *server = call->server;
    pp_http_request_view *request = &call->parser.request;

    request->arrived_ns = call->read_ns;
    request->connection_serial = call->serial;
    request->request_serial = ++call->request_count;
    server->counts.request_count++;
    call->phase = PP_HTTP_REPLYING;
    call->bodiless = pp_text_is(request->method, "HEAD");
    call->keep = call->parser.keep_alive && !server->draining;
    pp_http_connection_deadline(call, 0);
    pp_http_connection_needs_work(call); /* for what the handler leaves */
    server->options.handlers.request(server->options.handlers.user, call, request);
}

/* Keep what belongs to the next request; `bytes` may lie in the same buffer. */
static bool keep_pending(pp_http_call *call, const char *bytes, size_t size)
{
    if (call->pending.size > 0) {
        call->pending_at = call->pending.size - size;
        if (size == 0)
            shrink_pending(call);
        return true;
    }
    if (size > 0)
        pp_buf_append(&call->pending, bytes, size);
    return call->pending.status == PP_OK;
}

static void more_is_needed(pp_http_call *call, bool was_begun)
{
    const pp_http_server_options *options = &call->server->options;

    if (call->parser.head_complete) {
        if (call->parser.wants_continue)
            ask_to_continue(call);
        pp_http_connection_deadline(call, call->read_ns + options->body_timeout_ns);
    } else if (!was_begun && call->parser.begun) {
        pp_http_connection_deadline(call, call->read_ns + options->head_timeout_ns);
    }
}

static void parse(pp_http_call *call, const char *bytes, size_t size)
{
    bool was_begun = call->parser.begun;
    size_t used = 0;
    pp_http_parse_state state = pp_http_request_parse(&call->parser, bytes, size, &used);

    if (!keep_pending(call, bytes + used, size - used))
        refuse(call, 503, "no memory for the request");
    else if (state == PP_HTTP_PARSE_REFUSED)
        refuse(call, call->parser.refused_status, call->parser.refused_text);
    else if (state == PP_HTTP_PARSE_COMPLETE)
        begin_call(call);
    else
        more_is_needed(call, was_begun);
}

/* True when there may be more. */
static bool read_once(pp_http_call *call)
{
    char *bytes = call->server->read_bytes;
    ssize_t n = recv(call->fd, bytes, PP_HTTP_READ_BYTES, MSG_DONTWAIT);

    if (n > 0) {
        call->read_ns = pp_clock_now_ns();
        /* a short read has emptied it; an end that was already there has to be read, too */
        call->readable = (size_t)n == PP_HTTP_READ_BYTES || call->peer_left;
        parse(call, bytes, (size_t)n);
        return true;
    }
    if (n < 0 && errno == EINTR)
        return true;
    call->readable = false;
    if (n == 0 || errno != EAGAIN)
        pp_http_connection_close(call);
    return false;
}

static void read_requests(pp_http_call *call)
{
    int reads = 0;

    while (call->phase == PP_HTTP_READING) {
        if (call->pending.size > 0) {
            parse(call, call->pending.data + call->pending_at,
                  call->pending.size - call->pending_at);
        } else if (!call->readable) {
            return;
        } else if (++reads > READS_PER_TURN) {
            pp_http_connection_needs_work(call);
            return;
        } else if (!read_once(call)) {
            return;
        }
    }
}

/* ---- replying -------------------------------------------------------------------------------- */

static bool unread_bytes_are_likely(const pp_http_call *call)
{
    return call->readable || call->pending.size > 0;
}

static void finish_reply(pp_http_call *call)
{
    bool keep;

    pp_http_call_end(call);
    keep = call->keep && !call->closing && !call->server->draining;
    if (call->fd < 0 || (!keep && !unread_bytes_are_likely(call))) {
        pp_http_connection_close(call);
        return;
    }
    reset_reply(call);
    pp_http_request_parser_clear(&call->parser);
    pp_http_output_clear(&call->out, PP_HTTP_KEEP_BYTES);
    if (!keep) {
        start_lingering(call);
        return;
    }
    call->phase = PP_HTTP_READING;
    pp_http_connection_deadline(call,
                                pp_clock_now_ns() + call->server->options.keep_alive_timeout_ns);
    read_requests(call);
}

/* Bytes wait: for how long without progress is bounded. */
static void note_waiting(pp_http_call *call, bool progress)
{
    if (call->out.size == 0) {
        pp_http_connection_deadline(call, 0);
        return;
    }
    call->waited = true;
    if (progress || call->deadline_ns == 0)
        pp_http_connection_deadline(call,
                                    pp_clock_now_ns() + call->server->options.send_timeout_ns);
}

static void tell_drained(pp_http_call *call)
{
    const pp_http_server_handlers *handlers = &call->server->options.handlers;

    call->waited = false;
    if (handlers->drained != NULL)
        handlers->drained(handlers->user, call);
}

static void go_on_replying(pp_http_call *call)
{
    uint64_t taken = call->out.taken_bytes;
    bool all_said = call->finished || call->closing;

    if (call->fd >= 0)
        pp_http_output_flush(&call->out, call->fd);
    if (all_said && (call->fd < 0 || (call->out.size == 0 && !call->out.broken))) {
        finish_reply(call);
        return;
    }
    if (call->peer_left || call->out.broken) {
        tell_gone(call);
        return;
    }
    note_waiting(call, call->out.taken_bytes > taken);
    if (call->waited && call->out.size == 0 && !all_said)
        tell_drained(call);
}

void pp_http_connection_work(pp_http_call *call)
{
    switch (call->phase) {
    case PP_HTTP_CLOSED:
        break;
    case PP_HTTP_READING:
        read_requests(call);
        break;
    case PP_HTTP_REPLYING:
        go_on_replying(call);
        break;
    case PP_HTTP_LINGERING:
        linger(call);
        break;
    }
}

void pp_http_connection_event(pp_http_call *call, uint32_t events)
{
    if (call->phase == PP_HTTP_CLOSED || call->fd < 0)
        return;
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        call->readable = true;
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        call->peer_left = true;
    if ((events & (EPOLLHUP | EPOLLERR)) != 0)
        call->out.broken = true;
    if ((events & EPOLLOUT) != 0)
        call->out.blocked = false;
    pp_http_connection_work(call);
}
