/* http_client.h - HTTP requests whose bytes carry the instant at which they arrived.
 *
 * Owns libcurl. One loop holds any number of transfers on one epoll set; nothing here is
 * thread-safe except pp_http_loop_wake. The client does not decode what it receives: it keeps the
 * raw body and a record of the reads, so that decoding can happen after the clock has stopped
 * (F01).
 *
 * Arrival is the kernel's receive stamp where there is one, else the instant at which the loop woke
 * (K1-K4); which of the two is kept with each read.
 *
 * What it does on purpose: HTTP/1.1 only, proxies of the environment ignored (F09), no redirects,
 * no retries (libcurl's silent one on a kept connection that died is noticed and forbidden for
 * requests with a body, F07), no `Expect` (F08), `identity` asked and a compressed reply refused
 * (F06), TCP_NODELAY, no signals of its own. The program must ignore SIGPIPE itself. */
#ifndef PP_NET_HTTP_CLIENT_H
#define PP_NET_HTTP_CLIENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "net/http_request.h"

/* Bodies of failed replies are kept up to this size: enough to see what an error page says. */
#define PP_HTTP_ERROR_BODY_BYTES  ((size_t)64 << 10)
/* Replies of control requests (/props, /slots, /tokenize) are far smaller. */
#define PP_HTTP_CONTROL_MAX_BYTES ((size_t)16 << 20)
/* A stream of 4,096 tokens with ten log-probabilities each is about 6 MiB. */
#define PP_HTTP_STREAM_MAX_BYTES  ((size_t)256 << 20)

/* What became of a transfer, seen from the transport. */
typedef enum pp_http_result {
    PP_HTTP_COMPLETE = 0,       /* status 2xx and the body to its end */
    PP_HTTP_UNRESOLVED,         /* the host name has no address */
    PP_HTTP_REFUSED,            /* no address accepted a connection */
    PP_HTTP_CONNECT_TIMEOUT,    /* */
    PP_HTTP_FIRST_BYTE_TIMEOUT, /* no data in time after the start; pings are not data */
    PP_HTTP_IDLE_TIMEOUT,       /* no data for too long after the first */
    PP_HTTP_TOTAL_TIMEOUT,      /* */
    PP_HTTP_RESET,              /* the connection broke */
    PP_HTTP_PREMATURE_END,      /* closed before the body was whole */
    PP_HTTP_STATUS,             /* a final status outside 2xx, redirects included */
    PP_HTTP_ENCODING,           /* compressed although `identity` was asked */
    PP_HTTP_TOO_LARGE,          /* body above its ceiling */
    PP_HTTP_PROTOCOL,           /* not HTTP, TLS failed, or anything else */
    PP_HTTP_CANCELLED           /* by us */
} pp_http_result;

/** "complete", "refused", ... */
const char *pp_http_result_name(pp_http_result result);

/* Zero means no limit. All count from the start of the transfer, except idle_ns. */
typedef struct pp_http_limits {
    int64_t connect_ns;
    int64_t first_byte_ns; /* to the first data as pp_http_handlers.body tells it */
    int64_t idle_ns;       /* between data */
    int64_t total_ns;
} pp_http_limits;

typedef struct pp_http_request {
    const char *method; /* "GET" or "POST"; NULL is GET without a body, POST with one */
    const char *url;
    pp_bytes body;              /* JSON; borrowed until the transfer has ended */
    const char *const *headers; /* further "Name: value" lines, copied; may be NULL */
    size_t header_count;
    pp_http_limits limits;
    bool fresh_connection; /* a new connection, closed afterwards (F07) */
    bool relay;            /* the reply is somebody else's, see below */
} pp_http_request;

/* A relayed reply goes to handlers.head and handlers.body and is not kept: no body and no arrivals
 * in the record, and no ceiling for its size. Every status is a reply, so PP_HTTP_STATUS does not
 * occur: PP_HTTP_COMPLETE says that the reply came whole, whatever it says.
 *
 * A body shorter than its Content-Length, a missing last chunk, and an end within the head are
 * PP_HTTP_PREMATURE_END (PP_HTTP_RESET for an RST). Bytes behind the Content-Length are no part of
 * the reply: it is complete, they are dropped, and the connection is not used again. A compressed
 * reply is PP_HTTP_ENCODING, before anything of it was handed over.
 *
 * Of headers, only Host, Content-Length and "Accept-Encoding: identity" are added to those given. A
 * line without a value is not sent. */

/* One read of the socket that brought body bytes. */
typedef struct pp_http_arrival {
    uint64_t offset; /* of its first byte in the body */
    uint64_t size;
    int64_t at_ns;   /* arrival on the monotonic clock */
    int64_t woke_ns; /* when our loop woke; woke_ns - at_ns is how late we looked (K5) */
    bool from_kernel;
} pp_http_arrival;

/* All that is known of a transfer; the caller holds it. Reused from request to request its memory
 * stays, so that a measured transfer allocates nothing once it is large enough. */
typedef struct pp_http_record {
    pp_buf body;
    pp_http_arrival *arrivals;
    size_t arrival_count;
    size_t arrival_capacity;
    int64_t started_ns;   /* monotonic */
    int64_t connected_ns; /* connection obtained, handshakes included; 0 when it never was */
    int64_t head_ns;      /* head of the final reply; 0 when none came */
    int64_t ended_ns;     /* always set once the transfer has ended */
    pp_http_result result;
    int status;                /* 0 when no reply came */
    char content_type[128];    /* "" when absent */
    char text[256];            /* why it failed, for people; "" when complete */
    char address[46];          /* that was connected to, "127.0.0.1"; "" when none was (F10) */
    bool connection_reused;    /* */
    bool kept_connection_died; /* the kept connection was lost after the request had been written:
                                  with a body it failed as PP_HTTP_RESET and was not sent again,
                                  because the server may have it; without one it was (F07).
                                  Of a relayed request also before: nothing was written, because
                                  the server had spoken or left meanwhile */
    bool clock_was_set;        /* the wall clock jumped while it ran: later stamps are our own */
} pp_http_record;

/**
 * Prepare memory and touch it, so that no page fault falls into a measurement (K7).
 *
 * max_body_bytes    ceiling of a body
 * reserve_bytes     body size, and reserve_arrivals: number of reads, up to which nothing is
 *                   allocated while a transfer runs
 */
PP_MUST_CHECK pp_status pp_http_record_init(pp_http_record *record, size_t max_body_bytes,
                                            size_t reserve_bytes, size_t reserve_arrivals,
                                            pp_error *err);
void pp_http_record_done(pp_http_record *record);

/* Borrowed for the call. Repeated headers come as often as they were sent, in their order. A head
 * that others could read differently (controls, folded lines, two framings) has ended the transfer
 * with PP_HTTP_PROTOCOL; http_client_strict.c has the list. */
typedef struct pp_http_reply_head {
    int status; /* 200 or more */
    int minor_version;
    const pp_http_header *headers;
    size_t header_count;
} pp_http_reply_head;

/* More headers than this, and a relayed reply is PP_HTTP_TOO_LARGE: no server sends a quarter. */
#define PP_HTTP_REPLY_HEADERS_MAX 256

typedef struct pp_http_handlers {
    /** Body bytes in order, called inside the client: must be quick and start or cancel nothing.
     * True when they hold data, as opposed to a keep-alive, so that the first-byte and idle limits
     * start anew (F11). NULL: every byte is data. */
    bool (*body)(void *user, const void *bytes, size_t size);
    /** The transfer has ended and the record is complete; starting another one is allowed. */
    void (*end)(void *user);
    void *user;
    /** Head of the final reply, interim ones are passed over; of relayed requests only. Called as
     * `body` is, and before it. May be NULL. */
    void (*head)(void *user, const pp_http_reply_head *head);
} pp_http_handlers;

typedef struct pp_http_loop pp_http_loop;
typedef struct pp_http_transfer pp_http_transfer;

/** `stop` ends waits early once it is not zero; a signal handler of the program sets it. May be
 * NULL. Fails with PP_ERR_IO when the system gives no descriptors, PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_http_loop_new(const volatile sig_atomic_t *stop, pp_http_loop **ret_loop,
                                         pp_error *err);

/** Transfers under way are cancelled; their `end` is not called. */
void pp_http_loop_free(pp_http_loop *loop);

/* Zeroed is the default. */
typedef struct pp_http_loop_options {
    size_t stream_count; /* so many connections are kept open for reuse (K15), and so many transfers
                            have their bookkeeping made in advance; 0 leaves it to libcurl */
    size_t buffer_bytes; /* of each transfer for reading, 1 KiB or more; 0 is 16 KiB. 10,000 streams
                            want 1 KiB (K15) */
    const char *ca_file; /* certificates that TLS trusts; NULL is the system's */
    bool insecure;       /* TLS without looking at the certificate */
    bool spin;           /* never sleep: costs a core, wakes some 20 us earlier (K11) */
    bool no_stamps;      /* arrival is when the loop woke: spares the looking for the kernel's */
} pp_http_loop_options;

/** Before the first transfer. Fails with PP_ERR_IO when ca_file cannot be read, PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_http_loop_configure(pp_http_loop *loop,
                                               const pp_http_loop_options *options, pp_error *err);

/** Make a running or the next wait look at `stop` now. Safe in signal handlers and other threads.
 */
void pp_http_loop_wake(pp_http_loop *loop);

/** Begin a transfer; the first bytes are on their way when this returns. The handle is valid until
 * `end` has been called. Fails with PP_ERR_MEMORY, PP_ERR_USAGE for a URL that is none, or
 * PP_ERR_LIMIT for more than 128 headers. */
PP_MUST_CHECK pp_status pp_http_start(pp_http_loop *loop, const pp_http_request *request,
                                      const pp_http_handlers *handlers, pp_http_record *record,
                                      pp_http_transfer **ret_transfer, pp_error *err);

/** Close the connection now, it is not used again; the record ends as PP_HTTP_CANCELLED and `end`
 * is called. Not from within `head` or `body`. */
void pp_http_cancel(pp_http_loop *loop, pp_http_transfer *transfer);

/** Read nothing more of a relayed reply until it is resumed, and hand nothing over; what was read
 * already, at most one buffer, waits. From within `head` and `body`, too. The limits of first byte
 * and silence stand still meanwhile, for the silence is ours; that of the total goes on. While
 * paused, an end of the connection is not noticed. */
void pp_http_pause(pp_http_loop *loop, pp_http_transfer *transfer);

/** Go on in the next turn. From anywhere; when it is not paused nothing happens. */
void pp_http_resume(pp_http_loop *loop, pp_http_transfer *transfer);

/** The loop's epoll set, readable whenever pp_http_turn(loop, PP_HTTP_LOOK, err) has something to
 * do (timers included), from the first call of this function on: it may stand in the set of another
 * loop, level-triggered. Borrowed. */
int pp_http_loop_fd(pp_http_loop *loop);

size_t pp_http_active_count(const pp_http_loop *loop);

/**
 * Run transfers until *done is true (checked after each turn; may be NULL), until_ns has passed
 * (monotonic; 0 = no end), or, when neither is given, none is left. Fails with PP_ERR_INTERRUPTED
 * once `stop` is set; transfers then still wait to be cancelled or run on.
 */
PP_MUST_CHECK pp_status pp_http_run(pp_http_loop *loop, const bool *done, int64_t until_ns,
                                    pp_error *err);

/* As until_ns of a turn: do what is to be done, do not wait. */
#ifndef PP_HTTP_LOOK
#define PP_HTTP_LOOK ((int64_t)1)
#endif

/** One turn: wait until something happens or until_ns has passed (monotonic; 0 = no end, an instant
 * that has passed = do not wait), act on it, end what has ended. Does not look at `stop`; a signal
 * ends the wait. */
PP_MUST_CHECK pp_status pp_http_turn(pp_http_loop *loop, int64_t until_ns, pp_error *err);

/** One transfer from start to end, others on the loop go on. What became of it stands in the
 * record; only a failure to begin, or an interruption, is an error (the transfer is then cancelled
 * and its record says so). `body` as in pp_http_handlers. */
PP_MUST_CHECK pp_status pp_http_perform(pp_http_loop *loop, const pp_http_request *request,
                                        bool (*body)(void *, const void *, size_t), void *user,
                                        pp_http_record *record, pp_error *err);

/** A control request that needs its answer: as pp_http_perform, but anything except a complete
 * reply of status 2xx is PP_ERR_PEER (PP_ERR_TIMEOUT, PP_ERR_LIMIT) with a sentence that names the
 * URL. */
PP_MUST_CHECK pp_status pp_http_fetch(pp_http_loop *loop, const pp_http_request *request,
                                      pp_http_record *record, pp_error *err);

#endif
