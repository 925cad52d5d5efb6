/* server_idle.h - whether a server still works on something, before the next level begins.
 *
 * A server may go on generating when its client has left (F13, B050); what is measured then is
 * measured beside it. Knows /slots of a llama-server, and where that is switched off the gauges of
 * /metrics, its own and those of vLLM. */
#ifndef PP_LOAD_SERVER_IDLE_H
#define PP_LOAD_SERVER_IDLE_H

#include "base/arena.h"
#include "base/maybe.h"
#include "base/text.h"
#include "net/http_client.h"

typedef struct pp_server_idle {
    pp_maybe_bool was_idle; /* at the last look; absent: the server does not tell */
    bool too_slow;          /* absent because a look took more than 5 s */
    int64_t waited_ns;
} pp_server_idle;

/** What a reply to GET /slots says: false when a slot works, absent when it is no list of slots. */
pp_maybe_bool pp_server_idle_by_slots(pp_arena *arena, pp_text body);

/** The same of GET /metrics: false when a request is worked on or waits, absent when one of the two
 * gauges is missing or no number. Gauges with labels are added up. `text` ends with a NUL. */
pp_maybe_bool pp_server_idle_by_gauges(const char *text);

/**
 * Look every 50 ms until no slot works and no request waits, or patience_ns is over; one look in
 * any case. It is one request or two, each of which takes up to 5 s where the server hangs; what
 * hangs is too slow to tell.
 *
 * What the server answers is never an error. Fails with PP_ERR_INTERRUPTED when the loop was
 * stopped, PP_ERR_USAGE for a root that is no URL, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_server_await_idle(pp_http_loop *loop, const char *root,
                                             const char *const *headers, size_t header_count,
                                             int64_t patience_ns, pp_server_idle *ret_idle,
                                             pp_error *err);

#endif
