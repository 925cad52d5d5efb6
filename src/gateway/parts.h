/* parts.h - inside gateway/ only: the gateway's own struct. */
#ifndef PP_GATEWAY_PARTS_H
#define PP_GATEWAY_PARTS_H

#include "gateway/cors.h"
#include "gateway/exchange.h"
#include "gateway/gateway.h"
#include "gateway/metrics.h"
#include "gateway/rate_limit.h"

/* Room for a held reply and an event that came in one piece on top of what a stream may queue. */
#define PP_GATEWAY_SPARE_BYTES ((size_t)2 << 20)

struct pp_gateway {
    pp_gateway_options options;
    pp_arena arena;
    const pp_serve_config *config;
    pp_http_server *server;
    pp_http_loop *client;
    pp_http_timer tick;
    bool draining;
    bool woken;    /* by another thread: atomic */
    bool cutting;  /* draining took too long */
    bool has_room; /* a request ended somewhere: those who wait are looked at */
    int64_t drain_until_ns;
    int64_t started_unix_s;

    pp_backend *backends;  /* as in the configuration */
    pp_wait_queue *queues; /* for each served model */
    size_t first_queue;    /* that is looked at next time */
    size_t hold_max_bytes; /* of a reply, before the client gets any of it */
    struct pp_slots_ask *slots_asks;

    pp_exchange *live;
    pp_exchange *free;
    size_t free_count;
    pp_exchange *todo_first, *todo_last;

    char id_prefix[24];
    uint64_t serial;
    pp_buf out; /* scratch of one reply */
    pp_metrics *metrics;
    pp_rate_limit *rate_keys, *rate_addresses;
    pp_gateway_totals totals;
    sig_atomic_t reopened; /* what reopen_log was when it was last heeded */
};

static inline int64_t pp_gateway_ns(int64_t ms)
{
    return ms * 1000000;
}

/** NULL when memory is short. */
pp_exchange *pp_exchange_take(pp_gateway *gateway, pp_http_call *call,
                              const pp_http_request_view *request);
/** After the server let go of its call: account, and back to the free ones. */
void pp_exchange_put_back(pp_exchange *x);
void pp_exchange_free(pp_exchange *x);

/** Work that a callback of the client had to leave: noted, and done between turns. */
void pp_gateway_todo(pp_gateway *gateway, pp_exchange *x);
void pp_gateway_do_todo(pp_gateway *gateway);

/** The path's own work, or a refusal (routes.c). */
void pp_gateway_route(pp_exchange *x);

/** What the server refuses by itself, as an error like all others (E17); for
 * pp_http_server_handlers. */
const char *pp_gateway_refusal(void *user, int status, const char *text, pp_buf *body);

/** Ask endpoints for their slots where the configuration does not say how many requests they take
 * (slots_ask.c). */
PP_MUST_CHECK pp_status pp_slots_ask_all(pp_gateway *gateway, pp_error *err);
void pp_slots_ask_free(pp_gateway *gateway);

/** Figures of this configuration (exchange_account.c). */
PP_MUST_CHECK pp_status pp_gateway_make_metrics(pp_gateway *gateway, pp_error *err);
/** What the log has gathered is written when it is due, to a new file when that was asked for. */
void pp_gateway_flush_log(pp_gateway *gateway, int64_t now_ns);

/** Take over what the supervisor knows of started back ends (gateway.c). */
void pp_gateway_look_at_backends(pp_gateway *gateway);

#endif
