#include "net/socket_set.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/fail_nth.h"

#define FIRST_CAPACITY 64

void pp_socket_set_init(pp_socket_set *set, int epoll_fd)
{
    *set = (pp_socket_set){.epoll_fd = epoll_fd};
}

void pp_socket_set_done(pp_socket_set *set)
{
    free(set->sockets);
    *set = (pp_socket_set){.epoll_fd = -1};
}

static pp_watched_socket *find(const pp_socket_set *set, int fd)
{
    return fd >= 0 && (size_t)fd < set->capacity ? &set->sockets[fd] : NULL;
}

static bool make_room(pp_socket_set *set, int fd)
{
    size_t capacity = set->capacity == 0 ? FIRST_CAPACITY : set->capacity;
    pp_watched_socket *grown;

    if (find(set, fd) != NULL)
        return true;
    while (capacity <= (size_t)fd)
        capacity *= 2;
    grown = pp_fail_nth_realloc(set->sockets, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    memset(grown + set->capacity, 0, (capacity - set->capacity) * sizeof *grown);
    set->sockets = grown;
    set->capacity = capacity;
    return true;
}

/* Taking out what is not in any more fails, and that is as good; what is to be watched for
 * something else may be put in without looking. */
static void control(const pp_socket_set *set, int operation, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};

    if (epoll_ctl(set->epoll_fd, operation, fd, &event) == 0)
        return;
    if (operation == EPOLL_CTL_ADD && errno == EEXIST)
        (void)epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, fd, &event);
}

void pp_socket_set_opened(pp_socket_set *set, int fd)
{
    if (fd >= 0 && make_room(set, fd))
        set->sockets[fd] = (pp_watched_socket){.is_connection = true};
}

static uint16_t port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    return address->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)address)->sin6_port)
                                          : 0;
}

static void look_up_ports(pp_watched_socket *s, int fd)
{
    struct sockaddr_storage local = {0};
    struct sockaddr_storage peer = {0};
    socklen_t local_size = sizeof local;
    socklen_t peer_size = sizeof peer;

    if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0 ||
        getsockname(fd, (struct sockaddr *)&local, &local_size) != 0)
        return; /* not connected yet */
    s->local_port = port_of(&local);
    s->peer_port = port_of(&peer);
}

static bool is_silent(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

bool pp_socket_set_use(pp_socket_set *set, int local_port, int peer_port, bool *ret_used)
{
    bool silent = true;

    *ret_used = false;
    for (size_t i = 0; i < set->capacity; i++) {
        pp_watched_socket *s = &set->sockets[i];

        if (!s->is_connection)
            continue;
        if (s->local_port == 0)
            look_up_ports(s, (int)i);
        if (s->local_port != local_port || s->peer_port != peer_port)
            continue;
        silent = silent && is_silent((int)i);
        *ret_used = *ret_used || s->was_used;
        s->was_used = true;
    }
    return silent;
}

void pp_socket_set_closing(pp_socket_set *set, int fd)
{
    pp_watched_socket *s = find(set, fd);

    if (s == NULL)
        return;
    if (s->set != 0) /* closing alone does not do it while a forked child holds the socket */
        control(set, EPOLL_CTL_DEL, fd, 0);
    *s = (pp_watched_socket){0};
}

void pp_socket_set_want(pp_socket_set *set, int fd, uint32_t events)
{
    pp_watched_socket *s = find(set, fd);

    if (s == NULL || !s->is_connection) {
        control(set, events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, fd, events);
        return;
    }
    s->wanted = events;
    if (events == 0 || events == s->set)
        return;
    control(set, s->set == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, events);
    s->set = events;
}

bool pp_socket_set_wants(pp_socket_set *set, int fd)
{
    pp_watched_socket *s = find(set, fd);

    if (s == NULL || !s->is_connection || s->wanted != 0)
        return true;
    control(set, EPOLL_CTL_DEL, fd, 0);
    s->set = 0;
    return false;
}
