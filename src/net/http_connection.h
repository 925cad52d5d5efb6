/* http_connection.h - inside net/ only: one client of the server, from accept to close.
 *
 * A connection has one request under way at a time, so the connection and the caller's pp_http_call
 * are one object. It reads, then it replies, then it reads again. Whatever has to happen outside of
 * the caller's functions (begin of the next request, gone, ended, close) is done by the loop for
 * connections that were put on its list of work. */
#ifndef PP_NET_HTTP_CONNECTION_H
#define PP_NET_HTTP_CONNECTION_H

#include "net/deadline_heap.h"
#include "net/http_output.h"
#include "net/http_request_parse.h"
#include "net/http_server.h"

/* One read of a socket takes at most this much. */
#define PP_HTTP_READ_BYTES ((size_t)64 << 10)

/* Clients above the ceiling that are told so at the same time; more are reset. */
#define PP_HTTP_REFUSALS_AT_ONCE 64

typedef enum pp_http_phase {
    PP_HTTP_CLOSED,   /* no socket; the object waits for its next use */
    PP_HTTP_READING,  /* a request, or the pause before one */
    PP_HTTP_REPLYING, /* `request` has been called, `ended` has not */
    PP_HTTP_LINGERING /* all is said; wait until the client has read it, so that no RST takes it */
} pp_http_phase;

struct pp_http_call {
    pp_http_server *server;
    int fd; /* -1 after a reset */
    pp_http_phase phase;
    bool readable;  /* the socket may hold bytes or an end (edge-triggered, so remembered) */
    bool peer_left; /* closed, half-closed or broke */
    bool at_work;   /* stands in the list of work */
    bool shut;      /* we have said that nothing more comes */

    pp_http_request_parser parser;
    pp_buf pending; /* read but not parsed, from pending_at */
    size_t pending_at;
    int64_t read_ns;
    pp_http_output out;

    /* the reply */
    void *data;
    bool begun;    /* begin was called */
    bool raw;      /* raw bytes were sent */
    bool finished; /* end was called */
    bool closing;  /* close or reset was called */
    bool bodiless; /* HEAD, 204, 304 */
    bool keep;     /* the connection goes on after this reply */
    bool waited;   /* bytes had to wait for the kernel */
    pp_http_framing framing;
    uint64_t declared_bytes;
    uint64_t written_bytes;

    pp_http_timer
        timer; /* at deadline_ns or earlier: moved only when it fires, to spare the heap */
    int64_t deadline_ns; /* 0 = none */
    int64_t serial;
    int64_t request_count;
    char address[46];              /* of the client; INET6_ADDRSTRLEN */
    pp_http_call *previous, *next; /* all connections, or the free ones */
    pp_http_call *next_at_work;
};

struct pp_http_server {
    pp_http_server_options options;
    pp_http_request_limits limits;
    int epoll_fd;
    int listen_fd; /* -1 once it drains */
    int timer_fd;
    int wake_fd;
    uint16_t port;
    bool in_turn;
    bool draining;
    int64_t armed_ns; /* what timer_fd is set to; 0 = disarmed */
    pp_deadline_heap timers;
    pp_http_timer accept_again; /* after the system refused to accept */
    pp_http_call *connections;
    pp_http_call *closed; /* of this turn: events for them may still be under way */
    pp_http_call *spare;
    pp_http_call *work_first, *work_last;
    int64_t next_serial;
    pp_http_server_counts counts;
    pp_buf head; /* of the reply that is being begun */
    char *read_bytes;
};

/** Open the listening socket of the options' host and port. */
PP_MUST_CHECK pp_status pp_http_server_listen(pp_http_server *server, pp_error *err);

/** Let in everybody who waits, as far as the system and the ceiling allow. */
void pp_http_server_accept(pp_http_server *server);

/** Fires some time after the system had no descriptors left. */
void pp_http_server_accept_again(void *server, int64_t now_ns);

/** Take a socket into service; it is closed when there is no memory (counted). address: of the
 * client, copied. too_many: only to tell the client so. */
void pp_http_connection_open(pp_http_server *server, int fd, const char *address, bool too_many);

/** Act on what epoll tells. */
void pp_http_connection_event(pp_http_call *call, uint32_t events);

/** Do what is to be done now; called for the list of work. */
void pp_http_connection_work(pp_http_call *call);

/** Close the socket without a word to the caller; the object becomes spare after this turn. */
void pp_http_connection_close(pp_http_call *call);

/** Free the memory of a closed connection. */
void pp_http_connection_free(pp_http_call *call);

/** Put it on the list of work; wakes the loop when that is not in its turn. */
void pp_http_connection_needs_work(pp_http_call *call);

/** Work is left for the next turn: an outer loop that waits for our descriptor must get to know. */
void pp_http_server_ask_turn(pp_http_server *server);

/** Tell the caller that the call has ended. */
void pp_http_call_end(pp_http_call *call);

/** Act at that instant if the connection has not moved on; 0 = no deadline. */
void pp_http_connection_deadline(pp_http_call *call, int64_t at_ns);

/** Clear `head` and begin it with a status line. */
void pp_http_reply_head_start(pp_buf *head, int status, int minor_version);

#endif
