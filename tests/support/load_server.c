#include "load_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "shared.h"

#define REQUEST_MAX 16384

typedef struct connection {
    int fd;
    int64_t request_count;
    bool open;      /* a request is being answered */
    int64_t due_ns; /* of the next write */
    int next_event; /* of it */
    size_t size;
    char bytes[REQUEST_MAX];
} connection;

struct load_server {
    load_server_options options;
    int listen_fd, epoll_fd, stop_fd, port;
    char url[64];
    pthread_t thread;
    connection *connections[65536]; /* by descriptor */
    int fd_end;
    int64_t next_due_ns; /* or earlier; INT64_MAX = none */
    int64_t open_count;
    int64_t fell_below_ns; /* 0 = is not below, or was never there */
    bool was_there;
    atomic_int_fast64_t requests, accepted, open_max, watched, below_ns;
};

#define HEAD                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
#define TOKEN "18\r\ndata: {\"content\":\" a\"}\n\n\r\n"

static void note_below(load_server *s, int64_t now_ns)
{
    int64_t below_ns = now_ns - s->fell_below_ns;

    if (s->fell_below_ns == 0)
        return;
    atomic_fetch_add(&s->below_ns, below_ns);
    s->fell_below_ns = 0;
}

static void change_open(load_server *s, int by)
{
    int64_t watched = atomic_load(&s->watched);
    int64_t now_ns = watched > 0 ? pp_clock_now_ns() : 0;

    s->open_count += by;
    if (s->open_count > atomic_load(&s->open_max))
        atomic_store(&s->open_max, s->open_count);
    if (watched == 0)
        return;
    if (s->open_count >= watched) {
        note_below(s, now_ns);
        s->was_there = true;
    } else if (s->was_there && s->fell_below_ns == 0) {
        s->fell_below_ns = now_ns;
    }
}

static void close_connection(load_server *s, connection *c)
{
    if (c->open)
        change_open(s, -1);
    s->connections[c->fd] = NULL;
    (void)close(c->fd);
    free(c);
}

/* What it writes is far smaller than a socket's buffer. */
static bool say(connection *c, const char *bytes, size_t size)
{
    return send(c->fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static int write_last(const load_server *s, char *out, size_t size)
{
    char event[256];
    int n = snprintf(event, sizeof event,
                     "data: {\"content\":\"\",\"stop\":true,\"stop_type\":\"limit\",\"timings\":"
                     "{\"cache_n\":0,\"prompt_n\":4,\"predicted_n\":%d,\"prompt_ms\":1.5}}\n\n",
                     s->options.event_count);

    return snprintf(out, size, "%x\r\n%s\r\n0\r\n\r\n", (unsigned)n, event);
}

/* Counted before the bytes leave: the client may be quicker with its next request than we. */
static void finish(load_server *s, connection *c, const char *bytes, size_t size)
{
    c->open = false;
    change_open(s, -1);
    if (!say(c, bytes, size))
        close_connection(s, c);
}

static void answer_whole(load_server *s, connection *c)
{
    char text[65536];
    size_t size = 0;

    if (s->options.status != 0 &&
        !(s->options.ok_after > 0 && atomic_load(&s->requests) > s->options.ok_after)) {
        size =
            (size_t)snprintf(text, sizeof text, "HTTP/1.1 %d Status\r\nContent-Length: 2\r\n\r\nno",
                             s->options.status);
    } else {
        size = (size_t)snprintf(text, sizeof text, "%s", HEAD);
        for (int i = 0; i < s->options.event_count; i++)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s", TOKEN);
        size += (size_t)write_last(s, text + size, sizeof text - size);
    }
    finish(s, c, text, size);
}

static void answer_next(load_server *s, connection *c)
{
    char text[1024];
    int size;

    if (s->options.gap_ns == 0 || s->options.status != 0) {
        answer_whole(s, c);
        return;
    }
    if (c->next_event == s->options.event_count) {
        size = write_last(s, text, sizeof text);
        finish(s, c, text, (size_t)size);
        return;
    }
    size = snprintf(text, sizeof text, "%s%s", c->next_event == 0 ? HEAD : "", TOKEN);
    c->next_event++;
    c->due_ns += s->options.gap_ns;
    if (!say(c, text, (size_t)size))
        close_connection(s, c);
}

static bool is_whole(const connection *c)
{
    const char *end = strstr(c->bytes, "\r\n\r\n");
    const char *length = strcasestr(c->bytes, "\r\nContent-Length:");

    return end != NULL && c->size >= (size_t)(end + 4 - c->bytes) +
                                         (length == NULL ? 0 : strtoul(length + 17, NULL, 10));
}

static void take_request(load_server *s, connection *c)
{
    int64_t number = atomic_fetch_add(&s->requests, 1) + 1;
    bool slow = s->options.slow_every > 0 && number % s->options.slow_every == 0;
    int64_t delay_ns = slow ? s->options.slow_delay_ns : s->options.delay_ns;

    c->size = 0;
    c->request_count++;
    c->open = true;
    c->next_event = 0;
    change_open(s, 1);
    if (s->options.dies_when_kept && c->request_count == 2) {
        close_connection(s, c);
        return;
    }
    if (s->options.never_answers) {
        c->due_ns = INT64_MAX;
        return;
    }
    c->due_ns = pp_clock_now_ns() + delay_ns;
    if (delay_ns == 0 && (s->options.gap_ns == 0 || s->options.status != 0))
        answer_next(s, c);
    else if (c->due_ns < s->next_due_ns)
        s->next_due_ns = c->due_ns;
}

static void read_from(load_server *s, connection *c)
{
    ssize_t got = recv(c->fd, c->bytes + c->size, sizeof c->bytes - 1 - c->size, MSG_DONTWAIT);

    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            close_connection(s, c);
        return;
    }
    c->size += (size_t)got;
    c->bytes[c->size] = '\0';
    if (is_whole(c))
        take_request(s, c);
}

static void accept_all(load_server *s)
{
    struct epoll_event event = {.events = EPOLLIN};
    int one = 1;
    int fd;

    while ((fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        connection *c = fd < 65536 ? calloc(1, sizeof *c) : NULL;

        if (c == NULL) {
            (void)close(fd);
            continue;
        }
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        c->fd = fd;
        s->connections[fd] = c;
        if (fd >= s->fd_end)
            s->fd_end = fd + 1;
        event.data.fd = fd;
        (void)epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event);
        atomic_fetch_add(&s->accepted, 1);
    }
}

static void answer_due(load_server *s)
{
    int64_t now_ns = pp_clock_now_ns();

    if (now_ns < s->next_due_ns)
        return;
    s->next_due_ns = INT64_MAX;
    for (int fd = 0; fd < s->fd_end; fd++) {
        connection *c = s->connections[fd];

        if (c != NULL && c->open && c->due_ns <= now_ns)
            answer_next(s, c);
        c = s->connections[fd];
        if (c != NULL && c->open && c->due_ns < s->next_due_ns)
            s->next_due_ns = c->due_ns;
    }
}

static int wait_ms(const load_server *s)
{
    int64_t left_ns = s->next_due_ns - pp_clock_now_ns();

    if (s->next_due_ns == INT64_MAX)
        return -1;
    return left_ns <= 0 ? 0 : (int)((left_ns + PP_NS_PER_MS - 1) / PP_NS_PER_MS);
}

static void *serve(void *user)
{
    load_server *s = user;
    struct epoll_event events[256];

    for (;;) {
        int count = epoll_wait(s->epoll_fd, events, 256, wait_ms(s));

        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;

            if (fd == s->stop_fd)
                return NULL;
            if (fd == s->listen_fd)
                accept_all(s);
            else if (s->connections[fd] != NULL)
                read_from(s, s->connections[fd]);
        }
        answer_due(s);
    }
}

static void listen_somewhere(load_server *s)
{
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool is_six = s->options.family == AF_INET6;
    struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    socklen_t size = is_six ? sizeof six : sizeof four;

    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listen_fd =
        socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listen_fd < 0 || bind(s->listen_fd, address, size) != 0 ||
        listen(s->listen_fd, 4096) != 0 || getsockname(s->listen_fd, address, &size) != 0)
        fail_msg("cannot listen: %s", strerror(errno));
    s->port = ntohs(is_six ? six.sin6_port : four.sin_port);
    (void)snprintf(s->url, sizeof s->url, "http://%s:%d", is_six ? "[::1]" : "127.0.0.1", s->port);
}

static void watch(load_server *s, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (fd < 0 || epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        fail_msg("cannot start a load server: %s", strerror(errno));
}

load_server *load_server_start(const load_server_options *options)
{
    load_server *s = calloc(1, sizeof *s);

    if (s == NULL)
        fail_msg("cannot start a load server");
    s->options = *options;
    s->next_due_ns = INT64_MAX;
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    s->stop_fd = eventfd(0, EFD_CLOEXEC);
    listen_somewhere(s);
    watch(s, s->stop_fd);
    watch(s, s->listen_fd);
    if (pthread_create(&s->thread, NULL, serve, s) != 0)
        fail_msg("cannot start a load server");
    return s;
}

void load_server_stop(load_server *s)
{
    uint64_t one = 1;

    if (write(s->stop_fd, &one, sizeof one) != (ssize_t)sizeof one)
        abort();
    pthread_join(s->thread, NULL);
    for (int fd = 0; fd < s->fd_end; fd++)
        if (s->connections[fd] != NULL)
            close_connection(s, s->connections[fd]);
    (void)close(s->listen_fd);
    (void)close(s->epoll_fd);
    (void)close(s->stop_fd);
    free(s);
}

int load_server_port(const load_server *s)
{
    return s->port;
}

const char *load_server_url(const load_server *s)
{
    return s->url;
}

int64_t load_server_request_count(load_server *s)
{
    return atomic_load(&s->requests);
}

int64_t load_server_connection_count(load_server *s)
{
    return atomic_load(&s->accepted);
}

int64_t load_server_open_max(load_server *s)
{
    return atomic_load(&s->open_max);
}

void load_server_forget_max(load_server *s)
{
    atomic_store(&s->open_max, 0);
}

void load_server_watch_below(load_server *s, int64_t count)
{
    atomic_store(&s->watched, count);
}

int64_t load_server_below_ns(load_server *s)
{
    return atomic_load(&s->below_ns);
}
