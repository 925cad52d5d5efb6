#include "tape_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "shared.h"

#define MAX_CONNECTIONS 512
#define MAX_REQUESTS    512
#define MAX_WRITES      8192

typedef struct connection {
    tape_server *server;
    pthread_t thread;
    int fd;
} connection;

struct tape_server {
    const tape *tapes;
    size_t n_tapes;
    bool used[64];
    int listen_fd;
    int stop_pipe[2];
    int port;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    connection connections[MAX_CONNECTIONS];
    size_t connection_count;
    char *requests[MAX_REQUESTS];
    size_t request_count;
    int64_t written_ns[MAX_WRITES];
    size_t write_count;
    char url[256];
};

/* Waits for `fd` to be readable; false when the server stops or the time is over. */
static bool wait_readable(tape_server *s, int fd, int timeout_ms)
{
    struct pollfd fds[2] = {{s->stop_pipe[0], POLLIN, 0}, {fd, POLLIN, 0}};
    int got;

    do
        got = poll(fds, fd < 0 ? 1 : 2, timeout_ms);
    while (got < 0 && errno == EINTR);
    return got > 0 && fds[0].revents == 0;
}

static bool stopped_during(tape_server *s, int pause_ms)
{
    struct pollfd fd = {s->stop_pipe[0], POLLIN, 0};

    return pause_ms > 0 && poll(&fd, 1, pause_ms) > 0;
}

static bool send_all(tape_server *s, int fd, const char *bytes, size_t size)
{
    pthread_mutex_lock(&s->lock);
    if (s->write_count < MAX_WRITES)
        s->written_ns[s->write_count++] = pp_clock_now_ns();
    pthread_mutex_unlock(&s->lock);
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static size_t body_size_of(const char *head)
{
    const char *line = strcasestr(head, "\r\nContent-Length:");

    return line == NULL ? 0 : strtoul(line + 17, NULL, 10);
}

/* One request with its body; NULL when the client left. The caller frees it. */
static char *read_request(tape_server *s, int fd)
{
    pp_buf text;
    const char *end;

    pp_buf_init(&text, (size_t)64 << 20);
    for (;;) {
        char bytes[65536];
        ssize_t n;

        end = strstr(pp_buf_text(&text), "\r\n\r\n");
        if (end != NULL &&
            text.size >= (size_t)(end + 4 - text.data) + body_size_of(pp_buf_text(&text)))
            return pp_buf_take(&text);
        if (!wait_readable(s, fd, 30000) || (n = recv(fd, bytes, sizeof bytes, 0)) <= 0)
            break;
        pp_buf_append(&text, bytes, (size_t)n);
    }
    pp_buf_done(&text);
    return NULL;
}

static const tape *choose_tape(tape_server *s, const char *request)
{
    const char *target = strchr(request, ' ');
    const tape *last = NULL;

    for (size_t i = 0; i < s->n_tapes; i++) {
        const char *path = s->tapes[i].path;

        if (path != NULL && (target == NULL || strncmp(target + 1, path, strlen(path)) != 0))
            continue;
        last = &s->tapes[i];
        if (!s->used[i]) {
            s->used[i] = true;
            break;
        }
    }
    return last;
}

static const tape *note_request(tape_server *s, char *request)
{
    const tape *chosen;

    pthread_mutex_lock(&s->lock);
    chosen = choose_tape(s, request);
    if (s->request_count < MAX_REQUESTS)
        s->requests[s->request_count++] = request;
    else
        free(request);
    pthread_mutex_unlock(&s->lock);
    return chosen;
}

static bool play(tape_server *s, int fd, const tape *t, const char *request)
{
    pp_buf reply;
    bool ok;

    if (t->respond != NULL) {
        pp_buf_init(&reply, (size_t)64 << 20);
        t->respond(request, &reply);
        ok = send_all(s, fd, pp_buf_text(&reply), reply.size);
        pp_buf_done(&reply);
        return ok;
    }
    for (size_t i = 0; i < t->piece_count; i++) {
        const tape_piece *p = &t->pieces[i];

        if (stopped_during(s, p->pause_ms) ||
            !send_all(s, fd, p->bytes, p->size == 0 ? strlen(p->bytes) : p->size))
            return false;
    }
    return true;
}

static void wait_until_client_leaves(tape_server *s, int fd)
{
    char bytes[256];

    while (wait_readable(s, fd, 60000) && recv(fd, bytes, sizeof bytes, 0) > 0)
        ;
}

static void *serve_connection(void *user)
{
    connection *c = user;
    tape_server *s = c->server;
    const tape *t = NULL;
    char *request;

    while ((request = read_request(s, c->fd)) != NULL) {
        t = note_request(s, request);
        if (t == NULL || !play(s, c->fd, t, request) || t->end != TAPE_KEEP)
            break;
    }
    if (t != NULL && t->end == TAPE_HOLD)
        wait_until_client_leaves(s, c->fd);
    if (t != NULL && t->end == TAPE_RESET) {
        struct linger now = {1, 0};

        (void)stopped_during(s, 20); /* what was written arrives first */
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    (void)close(c->fd);
    return NULL;
}

static void *accept_connections(void *user)
{
    tape_server *s = user;

    while (wait_readable(s, s->listen_fd, -1)) {
        int fd = accept(s->listen_fd, NULL, NULL);
        int one = 1;
        connection *c;

        if (fd < 0 || s->connection_count == MAX_CONNECTIONS)
            break;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pthread_mutex_lock(&s->lock);
        c = &s->connections[s->connection_count++];
        pthread_mutex_unlock(&s->lock);
        *c = (connection){.server = s, .fd = fd};
        if (pthread_create(&c->thread, NULL, serve_connection, c) != 0)
            abort();
    }
    return NULL;
}

static int listen_on_free_port(int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 128) != 0 || getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        fail_msg("cannot listen: %s", strerror(errno));
    *ret_port = ntohs(address.sin_port);
    return fd;
}

tape_server *tape_server_start(const tape *tapes, size_t n_tapes)
{
    tape_server *s = calloc(1, sizeof *s);

    if (s == NULL || n_tapes > PP_COUNT_OF(s->used))
        fail_msg("cannot start a tape server");
    s->tapes = tapes;
    s->n_tapes = n_tapes;
    pthread_mutex_init(&s->lock, NULL);
    s->listen_fd = listen_on_free_port(&s->port);
    if (pipe(s->stop_pipe) != 0 || pthread_create(&s->thread, NULL, accept_connections, s) != 0)
        fail_msg("cannot start a tape server");
    return s;
}

void tape_server_stop(tape_server *s)
{
    (void)close(s->stop_pipe[1]); /* makes the reading end readable for everybody */
    pthread_join(s->thread, NULL);
    for (size_t i = 0; i < s->connection_count; i++)
        pthread_join(s->connections[i].thread, NULL);
    for (size_t i = 0; i < s->request_count; i++)
        free(s->requests[i]);
    (void)close(s->stop_pipe[0]);
    (void)close(s->listen_fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *tape_server_url(tape_server *s, const char *path)
{
    (void)snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d%s", s->port, path);
    return s->url;
}

static size_t count_of(tape_server *s, const size_t *count)
{
    size_t value;

    pthread_mutex_lock(&s->lock);
    value = *count;
    pthread_mutex_unlock(&s->lock);
    return value;
}

size_t tape_server_request_count(tape_server *s)
{
    return count_of(s, &s->request_count);
}

size_t tape_server_connection_count(tape_server *s)
{
    return count_of(s, &s->connection_count);
}

const char *tape_server_request(tape_server *s, size_t n)
{
    const char *text;

    pthread_mutex_lock(&s->lock);
    text = n < s->request_count ? s->requests[n] : "";
    pthread_mutex_unlock(&s->lock);
    return text;
}

int64_t tape_server_written_ns(tape_server *s, size_t n)
{
    int64_t at_ns;

    pthread_mutex_lock(&s->lock);
    at_ns = n < s->write_count ? s->written_ns[n] : 0;
    pthread_mutex_unlock(&s->lock);
    return at_ns;
}

int tape_unused_port(void)
{
    int port;

    (void)close(listen_on_free_port(&port));
    return port;
}
