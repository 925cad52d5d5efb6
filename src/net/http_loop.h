/* http_loop.h - inside net/ only: the event loop that drives libcurl, without any transfer.
 *
 * K12: libcurl names a waiting time only when it changes, so an absolute deadline is kept and
 * cleared before it is acted upon. K8: a timerfd, because epoll_wait rounds to milliseconds. */
#ifndef PP_NET_HTTP_LOOP_H
#define PP_NET_HTTP_LOOP_H

#include <curl/curl.h>

#include "net/deadline_heap.h"
#include "net/http_client.h"
#include "net/segment_stamps.h"
#include "net/socket_set.h"

/* So many parts of one read get their own stamps. */
#define PP_READ_SEGMENTS  16
/* As large as libcurl's reads. */
#define PP_READ_MAX_BYTES ((size_t)16 << 10)

typedef struct pp_read_segment {
    size_t end; /* bytes of the read up to its last one */
    int64_t at_ns;
} pp_read_segment;

/* When the socket being served got its bytes. */
typedef struct pp_read_stamp {
    int64_t at_ns;
    int64_t woke_ns;
    bool from_kernel;
    bool waited; /* bytes were there when the loop woke. Else what libcurl reads, right behind what
                    it has just sent, came later than that */
    uint64_t
        serial; /* a new number for each turn of libcurl: callbacks with one are one read (K4) */
    int socket_errno;     /* what looking at the socket brought to light, 0 for nothing */
    size_t segment_count; /* told apart; 0 or 1: the stamp holds for all */
    pp_read_segment segments[PP_READ_SEGMENTS];
} pp_read_stamp;

typedef struct pp_http_target pp_http_target;
typedef struct pp_http_headers pp_http_headers;

struct pp_http_loop {
    CURLM *multi;
    int epoll_fd;
    pp_socket_set sockets;
    int timer_fd;
    int wake_fd;
    int stamping_fd; /* keeps the kernel stamping packets while no connection is open */
    const volatile sig_atomic_t *stop;
    int64_t curl_deadline_ns;   /* 0 = none */
    pp_deadline_heap deadlines; /* of transfers: when each meets its next limit, or earlier */
    int64_t armed_ns;           /* what timer_fd is set to; 0 = disarmed */
    bool ended_unseen;          /* libcurl has ended a transfer that was not reaped yet */
    bool is_watched;            /* its epoll set stands in another one */
    int64_t woke_ns;
    int64_t real_offset_ns;
    int64_t offset_taken_ns;
    uint64_t clock_jump_count;
    pp_read_stamp stamp;
    int peek_budget; /* of this turn */
    char peeked[PP_READ_MAX_BYTES];
    pp_http_transfer *transfers; /* under way */
    size_t transfer_count;
    pp_http_transfer *idle_transfers; /* ended, with their libcurl handles and options (K14) */
    size_t handle_count;              /* handles made, under way and idle */
    pp_http_target *target;           /* made last; NULL before the first request */
    pp_http_headers *headers;         /* likewise */
    pp_http_loop_options options;
    char *ca_file; /* owned copy */
};

/** Wait for something to happen, but not beyond until_ns (0 = no end), and let libcurl act on it.
 */
PP_MUST_CHECK pp_status pp_http_loop_turn(pp_http_loop *loop, int64_t until_ns, pp_error *err);

/** Let libcurl act on its timer now. */
void pp_http_loop_kick(pp_http_loop *loop);

/** When somebody else waits for us: have the epoll set become readable in time. Behind everything
 * that may have set a nearer deadline, or ended a transfer, outside of a turn. */
void pp_http_loop_settle(pp_http_loop *loop);

/** libcurl made a socket for a connection. */
void pp_http_loop_opened(pp_http_loop *loop, int fd);

/** Close a socket for libcurl. */
void pp_http_loop_close(pp_http_loop *loop, int fd);

/** Called by the loop after each act of libcurl: finish what has ended. */
void pp_http_reap(pp_http_loop *loop);

/** End what is late by `now_ns`; take up what is to be resumed. */
void pp_http_expire(pp_http_loop *loop, int64_t now_ns);

/** Forget all transfers without telling anybody, idle ones with their handles too. */
void pp_http_drop_all(pp_http_loop *loop);

#endif
