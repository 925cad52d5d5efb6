/* clang-format off: the table keeps its columns */
/* exchange.h - inside gateway/ only: one request, from its arrival to its line in the log.
 *
 * The life of it is this table; a state's name is what the exchange waits for.
 *
 *   state     event                          action, and the state after it
 *   --------  -----------------------------  ------------------------------------------------------
 *   (new)     a request for an answer        refused by key, rate, body or route: ANSWERED.
 *                                            A back end can take it: start, ASKING. All are at
 *                                            their caps: WAITING, or ANSWERED with 429 when the
 *                                            line is full. None can be asked: ANSWERED with 503
 *   WAITING   a back end got free            start, ASKING
 *             waited too long, or no back    the last answer of a back end if there was one, else
 *             end can be asked any more      429 or 503: ANSWERED
 *             the client left                out of the line: GONE
 *   ASKING    head of the reply              HOLDING
 *   HOLDING   first event of a stream, no    head and event to the client: RELAYING
 *             error
 *             first event is an error        cancel, as a failure
 *             reply is whole, and no failure head and body to the client: ANSWERED
 *             answer above what is held      head and body so far: RELAYING
 *   ASKING,   failure, or a whole reply that next back end, each once: ASKING, or WAITING at the
 *   HOLDING   is one (409, 429, 5xx, error   front of the line. None left: the back end's own
 *             object under status 200)       answer, else ours: ANSWERED
 *             hold time over, of a stream    our own head with 200 and a comment; the state stays,
 *                                            and later failures travel as an event
 *             silence goes on                another comment; the state stays
 *             the client left                cancel at once: GONE
 *   RELAYING  bytes                          to the client as far as events are whole
 *             reply is whole                 the rest and the end, as the back end ended: ANSWERED
 *             failure behind the end mark    as a whole reply
 *             another failure                an error event and close, never an end mark; a plain
 *                                            reply is closed short of its end: ANSWERED
 *             silence                        a comment between events
 *             the client does not read       stop reading from the back end until it has
 *             the client left                cancel at once: GONE
 *   any       draining is over               cut, as a failure of ours
 *   ANSWERED, the server lets go of the call account, back to the free ones
 *   GONE
 *
 * exchange.c has admission and waiting; exchange_start.c what a back end is sent;
 * exchange_attempt.c what it says; exchange_reply.c what the client gets; exchange_account.c
 * figures and the log; exchange_pool.c the memory of it all. */
/* clang-format on */
#ifndef PP_GATEWAY_EXCHANGE_H
#define PP_GATEWAY_EXCHANGE_H

#include "gateway/ask.h"
#include "gateway/backend.h"
#include "gateway/key_ring.h"
#include "gateway/metrics.h"
#include "gateway/problem.h"
#include "gateway/relay_headers.h"
#include "gateway/tee.h"
#include "gateway/wait_queue.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "route/rules.h"

typedef struct pp_gateway pp_gateway;
typedef struct pp_exchange pp_exchange;

/* An id of our own is "pp-", 16 hexadecimal digits of this start, and a number. */
#define PP_EXCHANGE_ID_MAX (PP_REQUEST_ID_MAX_BYTES + 1)

/* Of our own in every reply. */
#define PP_EXCHANGE_OWN_HEADERS 8

/* Buffers above this do not outlive their request: a thousand streams have to fit into 64 MiB. */
#define PP_EXCHANGE_KEEP_BYTES ((size_t)16 << 10)

/* An unfinished event waits so long for its end; a longer one goes on in pieces. */
#define PP_EXCHANGE_EVENT_HOLD_BYTES ((size_t)256 << 10)

typedef enum pp_exchange_state {
    PP_EXCHANGE_NEW,
    PP_EXCHANGE_WAITING,
    PP_EXCHANGE_ASKING,
    PP_EXCHANGE_HOLDING,
    PP_EXCHANGE_RELAYING,
    PP_EXCHANGE_ANSWERED, /* our part is done; the server sends what is queued */
    PP_EXCHANGE_GONE
} pp_exchange_state;

/* One attempt on a back end, and its reply. Zeroed between attempts but for the memory. */
typedef struct pp_attempt {
    size_t backend;
    bool under_way; /* a slot of the back end is taken and its breaker waits for the outcome */
    bool judged;    /* the breaker has been told */
    bool fresh;     /* on a new connection, after a kept one had died */
    pp_breaker_pass pass;
    bool is_probe;
    pp_http_transfer *transfer; /* NULL when none runs */
    int status;                 /* of the reply; 0: none yet */
    bool is_stream;
    pp_http_header *headers; /* for the client, in reply_arena */
    size_t header_count;
    pp_maybe_int retry_after_s;
    bool whole;  /* the back end's own refusal is held, and the client may have it */
    bool doomed; /* a callback of the client decided that it fails; done when that may be done */
    pp_problem doom;
    int doom_status; /* that the back end named in an error object; 0: none */
} pp_attempt;

struct pp_exchange {
    pp_gateway *gateway;
    pp_exchange *next;      /* of the free ones */
    pp_exchange *next_todo; /* of those that have work which a callback may not do */
    pp_exchange *previous_live, *next_live;
    bool is_todo;
    pp_exchange_state state;
    pp_http_call *call; /* NULL once the server has let go */
    const pp_http_request_view *request;
    pp_http_timer timer; /* the line, the hold time, the next comment: whichever the state has */
    pp_waiter waiter;
    pp_arena arena;       /* of the request */
    pp_arena reply_arena; /* of the attempt */

    /* what was asked */
    char id[PP_EXCHANGE_ID_MAX];
    pp_endpoint endpoint;
    bool is_relayed; /* one of the two paths that go to back ends */
    pp_metrics_endpoint metrics_endpoint;
    bool has_key;
    size_t key_index; /* in the ring */
    pp_text key_name;
    char key_fingerprint[PP_KEY_FINGERPRINT_SIZE]; /* of a rejected one */
    pp_text address; /* of the client, by what its proxies say where they are trusted */
    bool from_proxy; /* such a one stands in between */
    pp_ask ask;
    pp_route_choice route;
    char trace[256];
    pp_http_header own_headers[PP_EXCHANGE_OWN_HEADERS]; /* in every reply: id, CORS */
    size_t own_header_count;

    /* where it is tried */
    uint64_t tried; /* bit i: back end i */
    uint32_t attempt_count;
    pp_attempt attempt;
    bool has_last; /* an attempt came to nothing, and another one is waited for */
    pp_problem_report last;
    pp_http_record record;
    pp_buf body; /* for the back end */
    pp_tee *tee;
    pp_buf held; /* has passed the tee, but not to the client */
    bool paused; /* nothing is read from the back end, because the client does not read */

    /* what the client got */
    bool committed; /* a head */
    bool as_stream; /* that of a stream */
    bool relayed;   /* bytes of a back end: no other one may go on */
    bool mid_event; /* the last bytes end within an event */
    bool client_gone;
    int status; /* 0: none */
    pp_problem problem;
    bool has_problem;
    uint64_t sent_bytes;
    uint64_t comment_count;

    /* monotonic; 0: did not happen */
    int64_t arrived_ns, queued_ns, asked_ns, sent_ns;
    int64_t wait_ns;       /* in line, all times together */
    int64_t wait_until_ns; /* while it waits: the end of its patience */
};

/* ---- exchange.c ------------------------------------------------------------------------------ */

/** A request for an answer: the whole way from the table. */
void pp_exchange_admit(pp_exchange *x);

/** Start the attempt on the back end that was found. */
void pp_exchange_go(pp_exchange *x, const pp_backend_found *found);

/** This attempt is over and was none: the next back end, or the answer. `report` is what we say
 * when the back end said nothing itself. */
void pp_exchange_next(pp_exchange *x, const pp_problem_report *report, bool may_try_again);

/** Let waiting requests of all models have what is free. */
void pp_exchange_dispatch(pp_gateway *gateway, int64_t now_ns);

/** The time of draining is over. */
void pp_exchange_cut(pp_exchange *x);

void pp_exchange_on_gone(pp_exchange *x);
void pp_exchange_on_drained(pp_exchange *x);

/* ---- admission.c ----------------------------------------------------------------------------- */

/** Who asks, for limits and the log. */
void pp_admit_note_address(pp_exchange *x);
/** Whether the key that the request shows is one, and a key is needed; else it was answered. */
bool pp_admit_key(pp_exchange *x);
/** Whether key and address may ask now; else it was answered. */
bool pp_admit_rate(pp_exchange *x);

/* ---- exchange_attempt.c ---------------------------------------------------------------------- */

extern const pp_http_handlers pp_attempt_handlers; /* but for `user`, the exchange */

/** It fails, said from a callback of the client or a start, which may neither start nor cancel. */
void pp_attempt_doom(pp_exchange *x, pp_problem problem);

/** Close the connection to the back end where one is open; its outcome is `outcome`. */
void pp_attempt_cancel(pp_exchange *x, pp_backend_outcome outcome);

/** The slot is free again, and the breaker knows. */
void pp_attempt_finish(pp_exchange *x, pp_backend_outcome outcome, int64_t retry_after_ns);

/** Work that a callback of the client had to leave. */
void pp_attempt_do_doomed(pp_exchange *x);

/* ---- exchange_start.c ------------------------------------------------------------------------ */

/** Send the request to the attempt's back end. */
void pp_attempt_start(pp_exchange *x);

/* ---- exchange_reply.c ------------------------------------------------------------------------ */

/** Head of the back end's reply, with what is ours. length: of the whole body, or -1. False when
 * the client cannot be told. */
bool pp_reply_commit(pp_exchange *x, int64_t length);

/** Our own head of a stream, before a back end has said anything. */
bool pp_reply_commit_early(pp_exchange *x);

/** What is held goes to the client. */
bool pp_reply_pass_held(pp_exchange *x);

/** A whole reply of the back end, held until now: head, body, end. */
void pp_reply_whole(pp_exchange *x);

void pp_reply_end(pp_exchange *x);

/** What went wrong: as a reply of its own, as an event and a close, or as a close alone, by what
 * the client has got already. */
void pp_reply_problem(pp_exchange *x, const pp_problem_report *report);

/** A reply of JSON or text that is ours. */
void pp_reply_own(pp_exchange *x, int status, const char *content_type, pp_bytes body,
                  const pp_http_header *headers, size_t n_headers);

/** A comment, where one may stand. */
void pp_reply_comment(pp_exchange *x);

/* ---- exchange_account.c ---------------------------------------------------------------------- */

/** Figures and the line of the log. */
void pp_exchange_account(pp_exchange *x, int64_t ended_ns);

#endif
