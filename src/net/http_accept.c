/* The server's door: its listening socket, and whom it lets in. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http_connection.h"

#define BACKLOG         4096 /* K27 */
/* After the system refused to accept, for want of descriptors. */
#define ACCEPT_PAUSE_NS (100 * PP_NS_PER_MS)

/* ---- listening ------------------------------------------------------------------------------- */

static int listen_at(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    int error;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* only a quicker restart */
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    error = errno;
    (void)close(fd);
    errno = error;
    return -1;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char port[8] = "0";

    (void)getsockname(fd, (struct sockaddr *)&address, &size); /* a socket that we have bound */
    (void)getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof port,
                      NI_NUMERICSERV);
    return (uint16_t)strtoul(port, NULL, 10);
}

pp_status pp_http_server_listen(pp_http_server *server, pp_error *err)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    const char *host = server->options.host;
    unsigned asked = server->options.port;
    struct addrinfo *addresses = NULL;
    char port[8];
    int failed;

    (void)snprintf(port, sizeof port, "%u", asked);
    failed = getaddrinfo(host, port, &hints, &addresses);
    if (failed != 0)
        return pp_fail(err, PP_ERR_IO, "host '%s' to listen on: %s", host, gai_strerror(failed));
    for (struct addrinfo *a = addresses; a != NULL && server->listen_fd < 0; a = a->ai_next)
        server->listen_fd = listen_at(a);
    failed = errno;
    freeaddrinfo(addresses);
    if (server->listen_fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, failed, "listening on '%s', port %u", host, asked);
    server->port = port_of(server->listen_fd);
    return PP_OK;
}

/* ---- accepting ------------------------------------------------------------------------------- */

static void watch_listener(pp_http_server *server, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = &server->listen_fd};

    if (server->listen_fd >= 0)
        (void)epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, server->listen_fd, &event);
}

void pp_http_server_accept_again(void *user, int64_t now_ns)
{
    (void)now_ns;
    watch_listener(user, EPOLLIN);
}

/* True when accepting may go on. */
static bool accept_failed(pp_http_server *server, int error)
{
    if (error == EAGAIN || error == EWOULDBLOCK)
        return false;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
        server->counts.accept_failed_count++;
        watch_listener(server, 0); /* else the waiting client would keep the loop spinning */
        pp_http_timer_set(server, &server->accept_again, pp_clock_now_ns() + ACCEPT_PAUSE_NS);
        return false;
    }
    return true; /* that client has left already */
}

static void reset_socket(int fd)
{
    struct linger now = {1, 0};

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    (void)close(fd);
}

static void address_of(const struct sockaddr_storage *peer, char address[INET6_ADDRSTRLEN])
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)peer;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)peer;
    const void *bytes = NULL;
    int family = peer->ss_family;

    if (family == AF_INET) {
        bytes = &v4->sin_addr;
    } else if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
        family = AF_INET;
        bytes = &v6->sin6_addr.s6_addr[12];
    } else if (family == AF_INET6) {
        bytes = &v6->sin6_addr;
    }
    if (bytes == NULL || inet_ntop(family, bytes, address, INET6_ADDRSTRLEN) == NULL)
        address[0] = '\0';
}

static void accept_one(pp_http_server *server, int fd, const struct sockaddr_storage *peer)
{
    char address[INET6_ADDRSTRLEN];
    size_t max = server->options.connection_max_count;

    server->counts.accepted_count++;
    address_of(peer, address);
    if (server->counts.open < max + PP_HTTP_REFUSALS_AT_ONCE) {
        pp_http_connection_open(server, fd, address, server->counts.open >= max);
    } else {
        server->counts.refused_count++;
        reset_socket(fd);
    }
}

void pp_http_server_accept(pp_http_server *server)
{
    while (server->listen_fd >= 0) {
        struct sockaddr_storage peer = {0};
        socklen_t size = sizeof peer;
        int fd = accept4(server->listen_fd, (struct sockaddr *)&peer, &size,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0)
            accept_one(server, fd, &peer);
        else if (!accept_failed(server, errno))
            return;
    }
}
