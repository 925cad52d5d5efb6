#include "net/http_loop.h"

#include <errno.h>
#include <linux/net_tstamp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

#define EVENTS_PER_TURN  64
/* A signal that falls between looking at `stop` and waiting wakes nobody; this bounds the loss. */
#define STOP_TICK_NS     (200 * PP_NS_PER_MS)
/* The wall clock is slewed by at most 500 ppm; more, and beyond noise, is a jump (K2). */
#define OFFSET_NOISE_NS  (1 * PP_NS_PER_MS)
#define OFFSET_SLEW_PER  1000
/* Who looks later than this after the first byte looks for what came behind it; what came sooner is
 * that much too early at most. */
#define LATE_NS          (50 * 1000)
/* System calls for that in one turn: a client at its ceiling is always late, and must not become
 * slower for it. */
#define PEEKS_PER_TURN   256
/* A stamp older than this is no stamp of what waits in the socket now. */
#define STAMP_MAX_AGE_NS (60 * PP_NS_PER_S)

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void init_curl(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT); /* a failure shows in curl_multi_init */
}

static uint32_t epoll_events_of(int what)
{
    uint32_t events = 0;

    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        events |= EPOLLOUT;
    return events;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *known)
{
    pp_http_loop *loop = user;

    (void)easy;
    (void)known;
    pp_socket_set_want(&loop->sockets, fd, epoll_events_of(what)); /* CURL_POLL_REMOVE: none */
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user)
{
    pp_http_loop *loop = user;

    (void)multi;
    loop->curl_deadline_ns =
        timeout_ms < 0 ? 0 : pp_clock_now_ns() + (int64_t)timeout_ms * PP_NS_PER_MS;
    return 0;
}

/* Where there are no stamps of the kernel our own are used. */
static void stamp_socket(int fd)
{
    int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;

    (void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
                     sizeof flags); /* else source "user" */
}

void pp_http_loop_opened(pp_http_loop *loop, int fd)
{
    if (!loop->options.no_stamps)
        stamp_socket(fd);
    pp_socket_set_opened(&loop->sockets, fd);
}

void pp_http_loop_close(pp_http_loop *loop, int fd)
{
    pp_socket_set_closing(&loop->sockets, fd);
    (void)close(fd);
}

static pp_status watch(pp_http_loop *loop, int fd, pp_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (fd < 0 || epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "setting up the event loop");
    return PP_OK;
}

static pp_status open_descriptors(pp_http_loop *loop, pp_error *err)
{
    pp_status st;

    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    pp_socket_set_init(&loop->sockets, loop->epoll_fd);
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    /* The kernel switches stamping on when the first socket asks, and a little later; an idle one
     * that asked makes the first reply of the first connection stamped too (K3). */
    loop->stamping_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (loop->stamping_fd >= 0)
        stamp_socket(loop->stamping_fd);
    st = watch(loop, loop->timer_fd, err);
    if (st == PP_OK)
        st = watch(loop, loop->wake_fd, err);
    return st;
}

pp_status pp_http_loop_new(const volatile sig_atomic_t *stop, pp_http_loop **ret_loop,
                           pp_error *err)
{
    pp_http_loop *loop = calloc(1, sizeof *loop);
    pp_status st;

    if (loop == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for an event loop");
    loop->epoll_fd = loop->timer_fd = loop->wake_fd = loop->stamping_fd = -1;
    loop->stop = stop;
    (void)pthread_once(&curl_once, init_curl);
    st = open_descriptors(loop, err);
    if (st == PP_OK && (loop->multi = curl_multi_init()) == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "libcurl could not be started");
    if (st != PP_OK) {
        pp_http_loop_free(loop);
        return st;
    }
    (void)curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    (void)curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    (void)curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    (void)curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    (void)curl_multi_setopt(loop->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    *ret_loop = loop;
    return PP_OK;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

void pp_http_loop_free(pp_http_loop *loop)
{
    if (loop == NULL)
        return;
    pp_http_drop_all(loop);
    if (loop->multi != NULL)
        (void)curl_multi_cleanup(loop->multi);
    close_if_open(loop->epoll_fd);
    close_if_open(loop->timer_fd);
    close_if_open(loop->wake_fd);
    close_if_open(loop->stamping_fd);
    pp_deadline_heap_done(&loop->deadlines);
    pp_socket_set_done(&loop->sockets);
    free(loop->ca_file);
    free(loop);
}

pp_status pp_http_loop_configure(pp_http_loop *loop, const pp_http_loop_options *options,
                                 pp_error *err)
{
    char *ca_file = NULL;

    PP_ASSERT(loop->handle_count == 0);
    if (options->ca_file != NULL) {
        if (access(options->ca_file, R_OK) != 0)
            return pp_fail_errno(err, PP_ERR_IO, errno, "certificates of authorities in '%s'",
                                 options->ca_file);
        ca_file = strdup(options->ca_file);
        if (ca_file == NULL)
            return pp_fail(err, PP_ERR_MEMORY, "out of memory for an event loop");
    }
    free(loop->ca_file);
    loop->ca_file = ca_file;
    loop->options = *options;
    loop->options.ca_file = ca_file;
    if (options->no_stamps && loop->stamping_fd >= 0) {
        (void)close(loop->stamping_fd);
        loop->stamping_fd = -1;
    }
    if (options->stream_count > 0)
        (void)curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, (long)options->stream_count);
    return pp_deadline_reserve(&loop->deadlines, options->stream_count, err);
}

void pp_http_loop_wake(pp_http_loop *loop)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t done = write(loop->wake_fd, &one, sizeof one); /* full means it wakes anyway */

    (void)done;
    errno = saved;
}

static void drain(int fd)
{
    uint64_t count;
    ssize_t got = read(fd, &count, sizeof count); /* nothing there is fine */

    (void)got;
}

/* Offset of the two clocks for this turn; a jump is counted. */
static void take_offset(pp_http_loop *loop)
{
    int64_t offset = pp_clock_real_offset_ns();
    int64_t moved = llabs(offset - loop->real_offset_ns);
    int64_t elapsed = loop->woke_ns - loop->offset_taken_ns;

    if (loop->offset_taken_ns != 0 && moved > OFFSET_NOISE_NS + elapsed / OFFSET_SLEW_PER)
        loop->clock_jump_count++;
    loop->real_offset_ns = offset;
    loop->offset_taken_ns = loop->woke_ns;
}

static void stamp_by_wake(pp_http_loop *loop, bool waited)
{
    loop->stamp = (pp_read_stamp){
        .at_ns = loop->woke_ns,
        .woke_ns = loop->woke_ns,
        .waited = waited,
        .serial = loop->stamp.serial + 1,
    };
}

/* The kernel's stamp on our clock; 0 for one that cannot be. `at_ns` may be later than the instant
 * at which we woke: it came while this turn was already at work. */
static int64_t convert_stamp(const pp_http_loop *loop, int64_t real_ns, int64_t now_ns)
{
    int64_t at_ns = real_ns - loop->real_offset_ns;

    return real_ns == 0 || at_ns > now_ns || now_ns - at_ns > STAMP_MAX_AGE_NS ? 0 : at_ns;
}

/* More may have come since the first byte: each segment has its own stamp. */
static void stamp_segments(pp_http_loop *loop, int fd, int64_t first_real_ns, int64_t now_ns)
{
    pp_segment found[PP_READ_SEGMENTS];
    size_t count = pp_segments_find(fd, first_real_ns, loop->peeked, sizeof loop->peeked,
                                    &loop->peek_budget, found, PP_COUNT_OF(found));

    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = convert_stamp(loop, found[i].real_ns, now_ns);

        if (at_ns == 0 || at_ns < loop->stamp.at_ns)
            return; /* as if they had not been looked for */
        loop->stamp.segments[i] = (pp_read_segment){found[i].end, at_ns};
    }
    loop->stamp.segment_count = count;
}

/* Looking takes a pending error away from the socket, so it is remembered: libcurl would only see
 * the end of the stream. */
static void stamp_socket_read(pp_http_loop *loop, int fd)
{
    int64_t real_ns;
    int64_t at_ns;
    int64_t now_ns;
    bool is_all;

    stamp_by_wake(loop, true);
    real_ns = pp_segment_first(fd, &loop->stamp.socket_errno, &is_all);
    now_ns = real_ns - loop->real_offset_ns <= loop->woke_ns ? loop->woke_ns : pp_clock_now_ns();
    at_ns = convert_stamp(loop, real_ns, now_ns);
    if (at_ns == 0)
        return;
    loop->stamp.at_ns = at_ns;
    loop->stamp.woke_ns = now_ns;
    loop->stamp.from_kernel = true;
    if (!is_all && now_ns - at_ns > LATE_NS && loop->peek_budget > 0) {
        now_ns = pp_clock_now_ns();
        stamp_segments(loop, fd, real_ns, now_ns);
    }
}

static void act_on_socket(pp_http_loop *loop, const struct epoll_event *event)
{
    int running;
    int what = 0;

    if ((event->events & EPOLLIN) != 0 && !loop->options.no_stamps)
        stamp_socket_read(loop, event->data.fd);
    else
        stamp_by_wake(loop, (event->events & EPOLLIN) != 0);
    if ((event->events & EPOLLIN) != 0)
        what |= CURL_CSELECT_IN;
    if ((event->events & EPOLLOUT) != 0)
        what |= CURL_CSELECT_OUT;
    /* Let it read to the end: what waits in front of an error is still to be had (F05). */
    if ((event->events & (EPOLLERR | EPOLLHUP)) != 0)
        what |= CURL_CSELECT_IN | CURL_CSELECT_OUT;
    (void)curl_multi_socket_action(loop->multi, event->data.fd, what, &running);
    pp_http_reap(loop);
}

void pp_http_loop_kick(pp_http_loop *loop)
{
    int running;

    loop->curl_deadline_ns = 0; /* before the call, which may set the next one (K12) */
    stamp_by_wake(loop, false);
    (void)curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    loop->ended_unseen = (size_t)running < loop->transfer_count;
}

static int64_t earlier(int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    return a < b ? a : b;
}

static void arm_timer(pp_http_loop *loop, int64_t deadline_ns)
{
    struct itimerspec at = {{0, 0}, {0, 0}};

    if (deadline_ns == loop->armed_ns)
        return;
    at.it_value.tv_sec = (time_t)(deadline_ns / PP_NS_PER_S);
    at.it_value.tv_nsec = (long)(deadline_ns % PP_NS_PER_S);
    (void)timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
    loop->armed_ns = deadline_ns;
}

static int64_t next_instant(const pp_http_loop *loop, int64_t until_ns)
{
    const pp_deadline_node *first = pp_deadline_first(&loop->deadlines);
    int64_t at_ns = earlier(loop->curl_deadline_ns, until_ns);

    return first == NULL ? at_ns : earlier(at_ns, first->at_ns);
}

/* Sets the timer and waits; the number of events, or -1 with errno. What is due already is not
 * waited for, and not worth a timer. */
static int wait_for_events(pp_http_loop *loop, int64_t until_ns, struct epoll_event *events)
{
    int64_t deadline_ns = next_instant(loop, until_ns);
    int64_t now_ns = pp_clock_now_ns();
    bool at_once = loop->options.spin || (deadline_ns != 0 && deadline_ns <= now_ns);
    int count;

    if (loop->stop != NULL)
        deadline_ns = earlier(deadline_ns, now_ns + STOP_TICK_NS);
    if (!at_once)
        arm_timer(loop, deadline_ns);
    count = epoll_wait(loop->epoll_fd, events, EVENTS_PER_TURN, at_once ? 0 : -1);
    loop->woke_ns = pp_clock_now_ns();
    return count;
}

pp_status pp_http_loop_turn(pp_http_loop *loop, int64_t until_ns, pp_error *err)
{
    struct epoll_event events[EVENTS_PER_TURN];
    int count = wait_for_events(loop, until_ns, events);

    if (count < 0 && errno != EINTR)
        return pp_fail_errno(err, PP_ERR_IO, errno, "waiting for sockets");
    if (!loop->options.no_stamps)
        take_offset(loop);
    loop->peek_budget = PEEKS_PER_TURN;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == loop->timer_fd) {
            drain(loop->timer_fd);
            loop->armed_ns = 0;
        } else if (events[i].data.fd == loop->wake_fd) {
            drain(loop->wake_fd);
        } else if (pp_socket_set_wants(&loop->sockets, events[i].data.fd)) {
            act_on_socket(loop, &events[i]);
        }
    }
    if (loop->curl_deadline_ns != 0 && loop->curl_deadline_ns <= loop->woke_ns) {
        pp_http_loop_kick(loop);
        pp_http_reap(loop);
    }
    pp_http_expire(loop, loop->woke_ns);
    pp_http_loop_settle(loop);
    return PP_OK;
}

/* An instant too early costs a turn for nothing, one system call for each deadline costs more. */
void pp_http_loop_settle(pp_http_loop *loop)
{
    int64_t at_ns;

    if (!loop->is_watched)
        return;
    at_ns = loop->ended_unseen ? 1 : next_instant(loop, 0);
    if (at_ns != 0 && (loop->armed_ns == 0 || at_ns < loop->armed_ns))
        arm_timer(loop, at_ns);
}

int pp_http_loop_fd(pp_http_loop *loop)
{
    loop->is_watched = true;
    pp_http_loop_settle(loop);
    return loop->epoll_fd;
}
