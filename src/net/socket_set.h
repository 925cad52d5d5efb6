/* socket_set.h - inside net/ only: which sockets an event loop watches, and for what.
 *
 * libcurl forgets a connection when a reply has ended and wants it back with the next request. Two
 * system calls for each request would be spent on that, so a connection that is kept stays in the
 * epoll set; it leaves it when it is closed, or when something happens on it that nobody asked for.
 * That works for connections only, because their owner says when they are closed: the number of a
 * descriptor may mean another socket afterwards. All others come and go at once. */
#ifndef PP_NET_SOCKET_SET_H
#define PP_NET_SOCKET_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pp_watched_socket {
    uint32_t wanted; /* events of epoll; 0 = none */
    uint32_t set;    /* what epoll knows; 0 = it is not in */
    bool is_connection;
    bool was_used;       /* a request went over it */
    uint16_t local_port; /* 0 = not looked up yet */
    uint16_t peer_port;
} pp_watched_socket;

typedef struct pp_socket_set {
    int epoll_fd;
    pp_watched_socket *sockets; /* by descriptor */
    size_t capacity;
} pp_socket_set;

void pp_socket_set_init(pp_socket_set *set, int epoll_fd);
void pp_socket_set_done(pp_socket_set *set);

/** A connection was made; pp_socket_set_closing will be called for it. When memory is short it is
 * treated like any other socket. */
void pp_socket_set_opened(pp_socket_set *set, int fd);

/** A request is about to go over the connection with these ports, of which there may be several to
 * different addresses. False when bytes, or the end, came over it that nobody has read: of a reply
 * that is over, or of none. ret_used: whether it had a request before. */
bool pp_socket_set_use(pp_socket_set *set, int local_port, int peer_port, bool *ret_used);

/** Just before close. */
void pp_socket_set_closing(pp_socket_set *set, int fd);

/** Wait for these events of epoll from now on; 0 is none. */
void pp_socket_set_want(pp_socket_set *set, int fd, uint32_t events);

/** Something happened: does anybody want to know? When not, the socket leaves the epoll set. */
bool pp_socket_set_wants(pp_socket_set *set, int fd);

#endif
