/* load_server.h - a server for tests of the load client: one thread, one epoll set, any number of
 * connections, and it counts what the client does: requests open at once, connections, instants.
 *
 * It answers every POST with an event stream as llama-server's /completion writes it (or with a
 * status), after a delay, one event at a time. */
#ifndef PP_TESTS_LOAD_SERVER_H
#define PP_TESTS_LOAD_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct load_server_options {
    int family;            /* AF_INET6 for ::1; anything else is 127.0.0.1 */
    int64_t delay_ns;      /* between request and first event */
    int64_t slow_every;    /* each n-th request (0 = none) ... */
    int64_t slow_delay_ns; /* ... waits so long instead */
    int64_t gap_ns;        /* between events; 0 = all in one write */
    int event_count;       /* with text; 1 or more */
    int status;            /* not 0: this status and no stream */
    int ok_after;          /* with status: requests behind the n-th are answered well; 0 = none */
    bool never_answers;
    bool
        dies_when_kept; /* the second request on a connection is read, then the connection closed */
} load_server_options;

typedef struct load_server load_server;

/** Fails the running test when it cannot start. */
load_server *load_server_start(const load_server_options *options);
void load_server_stop(load_server *server);

int load_server_port(const load_server *server);
/** "http://127.0.0.1:PORT" or "http://[::1]:PORT"; valid until stop. */
const char *load_server_url(const load_server *server);

int64_t load_server_request_count(load_server *server);
int64_t load_server_connection_count(load_server *server);
/** The most requests that were open at once: read whole, reply not yet written whole. */
int64_t load_server_open_max(load_server *server);
/** Forget the highest number so far. */
void load_server_forget_max(load_server *server);
/** How long fewer than `count` requests were open, from the first time that so many were up to the
 * last; nanoseconds. `count` is set before the load starts. */
void load_server_watch_below(load_server *server, int64_t count);
int64_t load_server_below_ns(load_server *server);

#endif
