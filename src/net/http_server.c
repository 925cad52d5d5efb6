#include "net/http_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "base/stop.h"
#include "net/http_connection.h"

#define EVENTS_PER_TURN 256
/* How often the list of work is gone through before sockets are looked at again. */
#define WORK_ROUNDS     8
/* A signal that falls between looking at `stop` and waiting wakes nobody; this bounds the loss. */
#define STOP_TICK_MS    200
/* Of a reply; callers make it, so this only stops a mistake. */
#define HEAD_MAX_BYTES  ((size_t)256 << 10)

void pp_http_server_options_default(pp_http_server_options *options)
{
    *options = (pp_http_server_options){
        .host = "127.0.0.1",
        .line_max_bytes = (size_t)8 << 10,
        .head_max_bytes = (size_t)32 << 10,
        .header_max_count = 100,
        .body_max_bytes = (size_t)16 << 20,
        .backlog_max_bytes = (size_t)16 << 20,
        .connection_max_count = 1024,
        .timer_max_count = 16384,
        .head_timeout_ns = 10 * PP_NS_PER_S,
        .body_timeout_ns = 30 * PP_NS_PER_S,
        .keep_alive_timeout_ns = 60 * PP_NS_PER_S,
        .send_timeout_ns = 60 * PP_NS_PER_S,
        .linger_timeout_ns = 1 * PP_NS_PER_S,
    };
}

static pp_status check_options(const pp_http_server_options *o, pp_error *err)
{
    if (o->line_max_bytes == 0 || o->head_max_bytes == 0 || o->header_max_count == 0 ||
        o->body_max_bytes == 0 || o->backlog_max_bytes == 0 || o->connection_max_count == 0 ||
        o->head_timeout_ns <= 0 || o->body_timeout_ns <= 0 || o->keep_alive_timeout_ns <= 0 ||
        o->send_timeout_ns <= 0 || o->linger_timeout_ns <= 0)
        return pp_fail(err, PP_ERR_RANGE,
                       "a ceiling or a timeout of an HTTP server is not above 0");
    PP_ASSERT(o->host != NULL && o->handlers.request != NULL);
    return PP_OK;
}

/* ---- timers ---------------------------------------------------------------------------------- */

/* Have the set become readable at that instant or before. */
static void arm(pp_http_server *server, int64_t at_ns)
{
    struct itimerspec at = {{0, 0}, {0, 0}};

    if (at_ns <= 0 || (server->armed_ns != 0 && server->armed_ns <= at_ns))
        return;
    at.it_value.tv_sec = (time_t)(at_ns / PP_NS_PER_S);
    at.it_value.tv_nsec = (long)(at_ns % PP_NS_PER_S);
    (void)timerfd_settime(server->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
    server->armed_ns = at_ns;
}

void pp_http_timer_set(pp_http_server *server, pp_http_timer *timer, int64_t at_ns)
{
    if (at_ns < 1)
        at_ns = 1; /* 0 means none where the earliest is told */
    timer->deadline.owner = timer;
    pp_deadline_set(&server->timers, &timer->deadline, at_ns);
    if (!server->in_turn)
        arm(server, at_ns);
}

void pp_http_timer_cancel(pp_http_server *server, pp_http_timer *timer)
{
    pp_deadline_remove(&server->timers, &timer->deadline);
}

int64_t pp_http_server_next_timer_ns(const pp_http_server *server)
{
    const pp_deadline_node *first = pp_deadline_first(&server->timers);

    return first == NULL ? 0 : first->at_ns;
}

/* Each at most once, however they are set again, so that sockets get their turn. */
static void fire_timers(pp_http_server *server)
{
    for (size_t left = server->timers.count; left > 0; left--) {
        pp_deadline_node *first = pp_deadline_first(&server->timers);
        int64_t now_ns = pp_clock_now_ns();
        pp_http_timer *timer;

        if (first == NULL || first->at_ns > now_ns)
            return;
        timer = first->owner;
        pp_deadline_remove(&server->timers, first);
        timer->fire(timer->user, now_ns);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static pp_status watch(pp_http_server *server, int *fd, pp_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = fd};

    if (*fd < 0 || epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, *fd, &event) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "setting up an HTTP server");
    return PP_OK;
}

static pp_status open_descriptors(pp_http_server *server, pp_error *err)
{
    pp_status st = pp_http_server_listen(server, err);

    if (st != PP_OK)
        return st;
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    st = watch(server, &server->listen_fd, err);
    if (st != PP_OK)
        return st;
    server->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    st = watch(server, &server->timer_fd, err);
    if (st != PP_OK)
        return st;
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return watch(server, &server->wake_fd, err);
}

static pp_status take_memory(pp_http_server *server, pp_error *err)
{
    const pp_http_server_options *o = &server->options;

    pp_buf_init(&server->head, HEAD_MAX_BYTES);
    server->read_bytes = pp_fail_nth_malloc(PP_HTTP_READ_BYTES);
    if (server->read_bytes == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for an HTTP server");
    /* each connection has one, the server one more */
    return pp_deadline_reserve(
        &server->timers,
        o->timer_max_count + o->connection_max_count + PP_HTTP_REFUSALS_AT_ONCE + 1, err);
}

pp_status pp_http_server_new(const pp_http_server_options *options, pp_http_server **ret_server,
                             pp_error *err)
{
    pp_status st = check_options(options, err);
    pp_http_server *server;

    if (st != PP_OK)
        return st;
    server = pp_fail_nth_malloc(sizeof *server);
    if (server == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for an HTTP server");
    memset(server, 0, sizeof *server);
    server->options = *options;
    server->limits = (pp_http_request_limits){options->line_max_bytes, options->head_max_bytes,
                                              options->header_max_count, options->body_max_bytes};
    server->epoll_fd = server->listen_fd = server->timer_fd = server->wake_fd = -1;
    server->next_serial = 1;
    server->accept_again.fire = pp_http_server_accept_again;
    server->accept_again.user = server;
    st = take_memory(server, err);
    if (st == PP_OK)
        st = open_descriptors(server, err);
    server->options.host = NULL;
    if (st != PP_OK) {
        pp_http_server_free(server);
        return st;
    }
    *ret_server = server;
    return PP_OK;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static void free_calls(pp_http_call *call)
{
    while (call != NULL) {
        pp_http_call *next = call->next;

        pp_http_connection_free(call);
        call = next;
    }
}

void pp_http_server_free(pp_http_server *server)
{
    if (server == NULL)
        return;
    while (server->connections != NULL) {
        if (server->connections->phase == PP_HTTP_REPLYING)
            pp_http_call_end(server->connections);
        pp_http_connection_close(server->connections);
    }
    free_calls(server->closed);
    free_calls(server->spare);
    close_fd(server->listen_fd);
    close_fd(server->timer_fd);
    close_fd(server->wake_fd);
    close_fd(server->epoll_fd);
    pp_deadline_heap_done(&server->timers);
    pp_buf_done(&server->head);
    free(server->read_bytes);
    free(server);
}

uint16_t pp_http_server_port(const pp_http_server *server)
{
    return server->port;
}

int pp_http_server_fd(const pp_http_server *server)
{
    return server->epoll_fd;
}

pp_http_server_counts pp_http_server_counts_of(const pp_http_server *server)
{
    return server->counts;
}

void pp_http_server_wake(pp_http_server *server)
{
    uint64_t one = 1;
    ssize_t written = write(server->wake_fd, &one, sizeof one);

    (void)written; /* full means that it is awake already */
}

void pp_http_server_ask_turn(pp_http_server *server)
{
    if (!server->options.caller_looks)
        pp_http_server_wake(server);
}

bool pp_http_server_has_work(const pp_http_server *server)
{
    return server->work_first != NULL;
}

static bool is_idle(const pp_http_call *call)
{
    return call->phase == PP_HTTP_READING && !call->parser.begun;
}

void pp_http_server_drain(pp_http_server *server)
{
    pp_http_call *next;

    server->draining = true;
    if (server->listen_fd >= 0)
        (void)epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, server->listen_fd, NULL);
    close_fd(server->listen_fd);
    server->listen_fd = -1;
    for (pp_http_call *call = server->connections; call != NULL; call = next) {
        next = call->next;
        if (is_idle(call))
            pp_http_connection_close(call);
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void do_work(pp_http_server *server)
{
    for (int round = 0; round < WORK_ROUNDS && server->work_first != NULL; round++) {
        pp_http_call *call = server->work_first;
        pp_http_call *next;

        server->work_first = server->work_last = NULL;
        for (; call != NULL; call = next) {
            next = call->next_at_work;
            call->at_work = false;
            pp_http_connection_work(call);
        }
    }
}

/* Events of this turn have been acted upon: closed connections may serve again. */
static void reuse_closed(pp_http_server *server)
{
    while (server->closed != NULL) {
        pp_http_call *call = server->closed;

        server->closed = call->next;
        call->next = server->spare;
        server->spare = call;
    }
}

static void drain_counter(int fd)
{
    uint64_t count;
    ssize_t n = read(fd, &count, sizeof count);

    (void)n; /* nothing to read is fine */
}

static void act(pp_http_server *server, const struct epoll_event *event)
{
    void *source = event->data.ptr;

    if (source == &server->listen_fd) {
        pp_http_server_accept(server);
    } else if (source == &server->timer_fd) {
        drain_counter(server->timer_fd);
        server->armed_ns = 0;
    } else if (source == &server->wake_fd) {
        drain_counter(server->wake_fd);
    } else {
        pp_http_connection_event(source, event->events);
    }
}

/* The number of events, or -1 with errno. */
static int wait_for_events(pp_http_server *server, int64_t until_ns, struct epoll_event *events)
{
    int timeout_ms = server->options.stop == NULL ? -1 : STOP_TICK_MS;

    arm(server, pp_http_server_next_timer_ns(server));
    if (server->work_first != NULL || (until_ns != 0 && until_ns <= pp_clock_now_ns()))
        timeout_ms = 0;
    else
        arm(server, until_ns);
    return epoll_wait(server->epoll_fd, events, EVENTS_PER_TURN, timeout_ms);
}

pp_status pp_http_server_turn(pp_http_server *server, int64_t until_ns, pp_error *err)
{
    struct epoll_event events[EVENTS_PER_TURN];
    int count = wait_for_events(server, until_ns, events);

    if (count < 0 && errno != EINTR)
        return pp_fail_errno(err, PP_ERR_IO, errno, "waiting for sockets");
    server->in_turn = true;
    for (int i = 0; i < count; i++)
        act(server, &events[i]);
    fire_timers(server);
    do_work(server);
    reuse_closed(server);
    server->in_turn = false;
    arm(server, pp_http_server_next_timer_ns(server));
    if (server->work_first != NULL)
        pp_http_server_ask_turn(server);
    return PP_OK;
}

pp_status pp_http_server_run(pp_http_server *server, const bool *done, pp_error *err)
{
    const volatile sig_atomic_t *stop = server->options.stop;
    pp_status st = PP_OK;

    while (st == PP_OK && (done == NULL || !*done) && !pp_stop_asked(stop))
        st = pp_http_server_turn(server, 0, err);
    return st;
}
