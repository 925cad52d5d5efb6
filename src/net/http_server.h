/* http_server.h - HTTP/1.1 on the listening side: strict framing, bounded, one epoll set.
 *
 * The simulated server and the gateway stand on it. It owns every byte it writes: a reply is framed
 * by it (length, chunks, close) or is raw bytes of the caller, and each tagged piece reports the
 * instant just before the write that gave its last byte to the kernel (K6). It knows no domain
 * words, no TLS, no HTTP/2, no files.
 *
 * Nothing blocks and nothing here is thread-safe except pp_http_server_wake. SIGPIPE need not be
 * ignored: writes ask for no signal.
 *
 * What it refuses by itself, with a reply of one sentence (or what its user makes of it) and a
 * close (those of the parser are rows of tests/unit/net/test_http_request_parse.c):
 *
 *     400  Content-Length beside Transfer-Encoding; Content-Length repeated (equal ones too), not
 *          digits, or beyond int64; Transfer-Encoding repeated or in HTTP/1.0; Host missing in 1.1,
 *          repeated, or no host; bare LF, bare CR, folded header, blank before a colon, header
 *          without a name or a colon, NUL and controls; method, target or version that is none;
 *          chunk size, chunk end, or trailer that is none; more than 16 KiB of chunk extensions
 *     408  a head or a body that stops coming
 *     413  a body above its ceiling (told from Content-Length, before any of it is read)
 *     414  a request line above its ceiling
 *     417  an expectation other than 100-continue
 *     431  a head or trailers above their ceiling, or too many headers
 *     501  a transfer coding other than exactly `chunked`
 *     503  too many connections, or no memory
 *     505  a version of HTTP other than 1.0 and 1.1
 *
 * One request of a connection is under way at a time: the next one (pipelined or not) is read when
 * the reply has ended. While a reply runs nothing is read, but a client that leaves is noticed at
 * once (EPOLLRDHUP, K19): a half-close counts as leaving, too. */
#ifndef PP_NET_HTTP_SERVER_H
#define PP_NET_HTTP_SERVER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/text.h"
#include "net/deadline_heap.h"
#include "net/http_request.h"

typedef struct pp_http_server pp_http_server;

/* One request and its reply; valid until `ended` has been called for it. */
typedef struct pp_http_call pp_http_call;

typedef enum pp_http_framing {
    PP_HTTP_FRAME_LENGTH,  /* Content-Length */
    PP_HTTP_FRAME_CHUNKED, /* one chunk for each write; to a client of HTTP/1.0 as CLOSE */
    PP_HTTP_FRAME_CLOSE    /* the end of the connection is the end of the body */
} pp_http_framing;

/* All but `sent` are called from pp_http_server_turn only, never from within a pp_http_reply_
 * function: a call stays valid until the handler or timer that holds it returns. */
typedef struct pp_http_server_handlers {
    /** A request has arrived. Reply now, or later from a timer or from outside of the turn. */
    void (*request)(void *user, pp_http_call *call, const pp_http_request_view *request);
    /** The kernel took the last byte of a tagged piece; `before_write_ns` is the monotonic instant
     * just before that write. Called from within the reply functions too, so it may only take notes
     * and must call nothing of the server. May be NULL. */
    void (*sent)(void *user, pp_http_call *call, uint64_t tag, int64_t before_write_ns);
    /** Bytes had to wait for the kernel and none wait any more: the moment to go on after
     * back-pressure. May be NULL. */
    void (*drained)(void *user, pp_http_call *call);
    /** The client closed, half-closed or reset before the reply had ended, or took no byte for
     * send_timeout_ns. Nothing more can be sent; `ended` follows at once. May be NULL. */
    void (*gone)(void *user, pp_http_call *call);
    /** Always, once, last: forget the call, cancel its timers. Comes when the last byte of an ended
     * reply was given to the kernel, after a close or a reset, after gone, and at
     * pp_http_server_free. May be NULL. */
    void (*ended)(void *user, pp_http_call *call);
    /** The server refuses what came, see above: append the body of that reply and return its media
     * type. `text` is the sentence. NULL, or a failure of `body`: the sentence as plain text. */
    const char *(*refusal)(void *user, int status, const char *text, pp_buf *body);
    void *user;
} pp_http_server_handlers;

typedef struct pp_http_server_options {
    const char *host;            /* numeric or a name, IPv4 or IPv6 without brackets; "127.0.0.1" */
    uint16_t port;               /* 0: a free one, see pp_http_server_port */
    size_t line_max_bytes;       /* request line; 8 KiB: prompts do not travel in URLs */
    size_t head_max_bytes;       /* request line and headers; 32 KiB */
    size_t header_max_count;     /* 100 */
    size_t body_max_bytes;       /* 16 MiB: a long prompt is below 1 MiB, an image below 10 */
    size_t backlog_max_bytes;    /* of one reply, waiting for the kernel; 16 MiB */
    size_t connection_max_count; /* 1,024; the limit of open files is the caller's business */
    size_t timer_max_count;      /* set at once by the caller; 16,384; memory is taken beforehand */
    int64_t head_timeout_ns;     /* first byte to end of head; 10 s */
    int64_t body_timeout_ns;     /* between two reads of a body; 30 s */
    int64_t keep_alive_timeout_ns; /* without any byte of a (next) request; 60 s */
    int64_t send_timeout_ns;       /* the kernel takes no byte of a reply; 60 s */
    int64_t linger_timeout_ns;     /* how long a refused client may go on sending; 1 s */
    bool caller_looks; /* an outer loop turns it whenever pp_http_server_has_work says so, which
                          spares two system calls for each reply that is made outside of a turn */
    const volatile sig_atomic_t *stop; /* as in http_client.h; may be NULL */
    pp_http_server_handlers handlers;
} pp_http_server_options;

/** Fill in the figures above; `request` must be set by the caller. */
void pp_http_server_options_default(pp_http_server_options *options);

/**
 * Listen. Connections are accepted in pp_http_server_turn.
 *
 * Fails with PP_ERR_IO (names host and port: address in use, no such host, no permission),
 * PP_ERR_RANGE for a ceiling of 0, PP_ERR_MEMORY. `options` is copied, `host` is not kept.
 */
PP_MUST_CHECK pp_status pp_http_server_new(const pp_http_server_options *options,
                                           pp_http_server **ret_server, pp_error *err);

/** Close everything; `ended` is called for each call that is under way. Accepts NULL. Not from
 * within a handler. */
void pp_http_server_free(pp_http_server *server);

/** The port it listens on. */
uint16_t pp_http_server_port(const pp_http_server *server);

/** Its epoll set, readable whenever pp_http_server_turn has something to do (timers included): it
 * may stand in the set of another loop, level-triggered, which then calls
 * pp_http_server_turn(server, PP_HTTP_LOOK, err). Borrowed. */
int pp_http_server_fd(const pp_http_server *server);

/** Something is left to be done that needs no event, such as `ended` of a reply that was made
 * outside of a turn: to be asked before waiting for the descriptor, with `caller_looks`. */
bool pp_http_server_has_work(const pp_http_server *server);

/* As until_ns of a turn: do what is to be done, do not wait. (The same in http_client.h.) */
#ifndef PP_HTTP_LOOK
#define PP_HTTP_LOOK ((int64_t)1)
#endif

/** Wait until something happens, at most until the monotonic instant until_ns (0 = no end), and
 * act on it. Returns early after pp_http_server_wake and within 200 ms of `stop`. Fails with
 * PP_ERR_IO only when the system refuses to wait; trouble of one connection is never an error. */
PP_MUST_CHECK pp_status pp_http_server_turn(pp_http_server *server, int64_t until_ns,
                                            pp_error *err);

/** Turn after turn until `stop` is set or *done is true (may be NULL); PP_OK for both. */
PP_MUST_CHECK pp_status pp_http_server_run(pp_http_server *server, const bool *done, pp_error *err);

/** Make a running or the next turn return. Safe in signal handlers and other threads. */
void pp_http_server_wake(pp_http_server *server);

/** Accept no more, close connections without a request, and close the others when their reply has
 * ended: counts.open then goes to 0. */
void pp_http_server_drain(pp_http_server *server);

typedef struct pp_http_server_counts {
    size_t open;                  /* connections now, those that linger after a refusal included */
    size_t highest;               /* most at once */
    uint64_t accepted_count;      /* connections ever */
    uint64_t request_count;       /* given to `request` */
    uint64_t refused_count;       /* answered with a 4xx or 5xx of our own */
    uint64_t gone_count;          /* clients that left before their reply had ended */
    uint64_t accept_failed_count; /* accept refused by the system, or no memory for a connection */
} pp_http_server_counts;

pp_http_server_counts pp_http_server_counts_of(const pp_http_server *server);

/* ---- replies ----------------------------------------------------------------------------------
 *
 * All may be called from `request`, `drained`, timers, and between turns; they never block. A piece
 * that the kernel does not take at once waits, in order, up to backlog_max_bytes.
 *
 * Statuses of all: PP_ERR_PEER when the client has left (gone and ended follow in the turn);
 * PP_ERR_LIMIT when the piece does not fit into the backlog (refused whole, the reply goes on);
 * PP_ERR_MEMORY (the connection is reset when a part was already on its way); PP_ERR_BUG for a
 * wrong order, such as begin twice or write after end. After any failure nothing of the piece was
 * sent, unless the client has left. `err` may be NULL. */

/** A pointer of the caller that travels with the call; NULL at first. */
void pp_http_call_set_data(pp_http_call *call, void *data);
void *pp_http_call_data(const pp_http_call *call);

/** Numeric address of the client without a port: "127.0.0.1", "::1"; that of IPv4 behind a socket
 * of IPv6 is told as IPv4. "" when the system gave none. Valid as long as the call. */
const char *pp_http_call_address(const pp_http_call *call);

/** The request again, as `request` got it. */
const pp_http_request_view *pp_http_call_request(const pp_http_call *call);

/**
 * Status line and headers. They leave with the first write or the end, in the same write to the
 * kernel, or at the end of the turn if neither comes before.
 *
 * Adds Content-Length or Transfer-Encoding, and Connection where it is needed; nothing else, so
 * Date, Server and Content-Type are the caller's. To HEAD, and with status 204 and 304, no body is
 * sent: pieces are counted and dropped without a report.
 *
 * status    200 to 599; the usual reason phrase is added
 * length    of the body, only for PP_HTTP_FRAME_LENGTH, else 0
 *
 * Fails with PP_ERR_RANGE for another status, for a header whose name is no token or whose value
 * holds CR, LF, NUL or another control, for one that frames (Content-Length, Transfer-Encoding,
 * Connection), and for 204 or 304 with a length other than 0 or with another framing.
 */
PP_MUST_CHECK pp_status pp_http_reply_begin(pp_http_call *call, int status,
                                            const pp_http_header *headers, size_t n_headers,
                                            pp_http_framing framing, uint64_t length,
                                            pp_error *err);

/** A piece of the body, framed as declared: with chunks one call is one chunk and, where the kernel
 * takes it, one write. Nothing is done for 0 bytes (a chunk of 0 would end the body).
 * tag       0: no report; else `sent` is called with it
 * Fails with PP_ERR_RANGE when the declared length would be exceeded. */
PP_MUST_CHECK pp_status pp_http_reply_write(pp_http_call *call, pp_bytes bytes, uint64_t tag,
                                            pp_error *err);

/** The reply is whole: last chunk if there are chunks; then the connection waits for its next
 * request or closes, as both sides want it. Fails with PP_ERR_RANGE when fewer bytes were written
 * than declared; the reply then goes on, and pp_http_reply_close ends it. */
PP_MUST_CHECK pp_status pp_http_reply_end(pp_http_call *call, pp_error *err);

/** Bytes as they are, without framing and not counted: instead of begin and write, or in between
 * them to break a reply on purpose. After raw bytes alone pp_http_reply_end adds nothing and the
 * connection goes on as the request asked: the caller vouches for the framing. */
PP_MUST_CHECK pp_status pp_http_reply_raw(pp_http_call *call, pp_bytes bytes, uint64_t tag,
                                          pp_error *err);

/** Orderly close after what is queued, whatever was declared; also directly after end, in the same
 * handler. Then `ended`. */
void pp_http_reply_close(pp_http_call *call);

/** RST now; what is queued is lost. Then `ended`, without `gone`. */
void pp_http_reply_reset(pp_http_call *call);

/** Bytes that wait for the kernel, a held head included. */
size_t pp_http_reply_queued(const pp_http_call *call);

/** A whole reply in one write: begin, write, end. content_type may be NULL. */
PP_MUST_CHECK pp_status pp_http_reply_text(pp_http_call *call, int status, const char *content_type,
                                           pp_bytes body, pp_error *err);

/* ---- timers -----------------------------------------------------------------------------------
 *
 * On the same loop, in nanoseconds; they lie in the caller's structures and cost no allocation. */

typedef struct pp_http_timer {
    pp_deadline_node deadline; /* the server's; of equal instants the one set first fires first */
    void (*fire)(void *user, int64_t now_ns);
    void *user;
} pp_http_timer;

/** Fire once at at_ns or as soon after as the loop comes to it; an instant that has passed fires in
 * the next turn or later in this one. Set again: moved. It may be set again from its own `fire`.
 * `fire` and `user` must be set; more than timer_max_count at once is our own mistake (assertion).
 */
void pp_http_timer_set(pp_http_server *server, pp_http_timer *timer, int64_t at_ns);

/** Not set is fine. */
void pp_http_timer_cancel(pp_http_server *server, pp_http_timer *timer);

/** The earliest timer, those of connections included; 0 when there is none. */
int64_t pp_http_server_next_timer_ns(const pp_http_server *server);

#endif
