/* breaker.h - whether a back end is asked at all, judged by how it did lately.
 *
 * Closed: everything goes. `failure_count` failures within `window_ns` open it: nothing goes for
 * `open_ns`. Then it is half-open: at most `probe_count` requests at once find out. A success
 * closes it, a failure opens it for twice as long as before, up to PP_BREAKER_OPEN_FACTOR_MAX
 * times. Beside that, nothing goes while a Retry-After of the back end runs (G34).
 *
 * A request takes a pass with it and hands it back with its outcome. The outcome of one that was
 * sent before the breaker last changed its state says nothing any more, except a Retry-After.
 *
 * Arithmetic only: instants are the caller's, monotonic, at least 0 and never decreasing. */
#ifndef PP_GATEWAY_BREAKER_H
#define PP_GATEWAY_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* Most failures that can be asked for: their instants are kept. */
#define PP_BREAKER_FAILURE_MAX     64
#define PP_BREAKER_OPEN_FACTOR_MAX 16

/* A back end that wants to be left alone for longer is asked again all the same: that is somebody's
 * wrong clock, or a quota that one request an hour does not hurt. */
#define PP_BREAKER_PAUSE_MAX_NS (3600 * PP_NS_PER_S)

typedef struct pp_breaker_options {
    int64_t failure_count; /* 1 to PP_BREAKER_FAILURE_MAX */
    int64_t window_ns;     /* above 0 */
    int64_t open_ns;       /* above 0 */
    int64_t probe_count;   /* at least 1 */
} pp_breaker_options;

typedef enum pp_breaker_state {
    PP_BREAKER_CLOSED,
    PP_BREAKER_HALF_OPEN,
    PP_BREAKER_OPEN
} pp_breaker_state;

/* Read it by the functions below. */
typedef struct pp_breaker {
    pp_breaker_options options;
    pp_breaker_state state;                       /* an open one whose time is over included */
    int64_t failed_at_ns[PP_BREAKER_FAILURE_MAX]; /* a ring of failure_count entries */
    int64_t failed_count;                         /* entries in use */
    int64_t failed_next;                          /* where the next one goes */
    int64_t open_until_ns;                        /* while open */
    int64_t open_factor;                          /* of the last opening: 1, 2, 4, ... */
    int64_t paused_until_ns;                      /* by Retry-After */
    int64_t probes;                               /* under way while half-open */
    uint32_t generation;                          /* changes with the state */
    uint64_t opened_count;                        /* how often it opened */
} pp_breaker;

typedef struct pp_breaker_pass {
    uint32_t generation;
} pp_breaker_pass;

/** The options are within their ranges, else it is our own mistake. */
void pp_breaker_init(pp_breaker *breaker, const pp_breaker_options *options);

/** Another process answers now: nothing is held against it, and the outcome of what was sent before
 * says nothing. How often it opened stays counted. */
void pp_breaker_forget(pp_breaker *breaker);

/** Whether a request may go now; nothing is counted. */
bool pp_breaker_would_allow(const pp_breaker *breaker, int64_t now_ns);

/** The same, and it goes if it may: it is a probe when half-open. Each request that was allowed is
 * followed by exactly one of the three below, with its pass. */
bool pp_breaker_allows(pp_breaker *breaker, int64_t now_ns, pp_breaker_pass *ret_pass);

/** The back end does its work, be it that it refuses a wrong request (4xx). May be told as soon as
 * an answer has begun. */
void pp_breaker_success(pp_breaker *breaker, pp_breaker_pass pass, int64_t now_ns);

/** It does not. retry_after_ns: how long it wants to be left alone; 0 when it did not say. */
void pp_breaker_failure(pp_breaker *breaker, pp_breaker_pass pass, int64_t now_ns,
                        int64_t retry_after_ns);

/** The client left or the request was called off: that says nothing about the back end. */
void pp_breaker_abandoned(pp_breaker *breaker, pp_breaker_pass pass);

/** Nanoseconds until requests go again as far as time decides; 0 when they do. */
int64_t pp_breaker_wait_ns(const pp_breaker *breaker, int64_t now_ns);

/** As it acts now: one whose pause or open time runs is open, one whose open time is over
 * half-open. */
pp_breaker_state pp_breaker_state_of(const pp_breaker *breaker, int64_t now_ns);

/** "closed", "half-open", "open". */
const char *pp_breaker_state_name(pp_breaker_state state);

#endif
