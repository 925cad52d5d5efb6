/* load_level.h - one level of a load: what was asked of the client, and what the client saw besides
 * the samples.
 *
 * The noun between the client, which drives, and the summary, which is pure so that a verifier can
 * make it again. Instants are nanoseconds on one monotonic clock from the start of the level. */
#ifndef PP_MODEL_LOAD_LEVEL_H
#define PP_MODEL_LOAD_LEVEL_H

#include "model/sample.h"

typedef enum pp_load_loop {
    PP_LOAD_CLOSED, /* a constant number of requests in flight */
    PP_LOAD_OPEN,   /* requests are due at drawn instants, whatever is in flight */
    PP_LOAD_TRACE   /* requests are due at given instants */
} pp_load_loop;

typedef enum pp_arrivals {
    PP_ARRIVALS_CONSTANT,
    PP_ARRIVALS_POISSON,
    PP_ARRIVALS_GAMMA
} pp_arrivals;

/* What ended a level (B090). */
typedef enum pp_load_end {
    PP_LOAD_END_REQUESTS,
    PP_LOAD_END_DURATION,
    PP_LOAD_END_TRACE,
    PP_LOAD_END_INTERRUPTED,
    PP_LOAD_END_HOPELESS, /* the first requests all failed alike, without a chance (B054) */
    PP_LOAD_END_WARMUP,   /* a warm-up request failed, and all had to complete */
    PP_LOAD_END_DECIDED   /* the caller had seen enough of the samples */
} pp_load_end;

/** "closed", "open", "trace". */
const char *pp_load_loop_name(pp_load_loop loop);
/** "constant", "poisson", "gamma"; NULL behind the last, so that options can list them. */
const char *pp_arrivals_name(size_t arrivals);
/** "requests", "duration", "trace", "interrupted", "hopeless", "warm-up", "decided". */
const char *pp_load_end_name(pp_load_end end);

typedef struct pp_load_level {
    int64_t number; /* from 1 within the run; the samples say the same */
    pp_load_loop loop;
    int64_t clients;            /* closed: in flight, >= 1; 0 otherwise */
    double rate_per_second;     /* open: > 0; 0 otherwise */
    pp_arrivals arrivals;       /* open */
    double gamma_shape;         /* gamma: > 0, 1 is poisson */
    pp_maybe_int request_count; /* measured requests; closed and open need this or the duration */
    pp_maybe_int duration_ns;   /* no request begins after it; what is in flight then is cut */
    int64_t warmup_count;       /* requests before the first measured one, never more at once than
                                   `clients`; one at a time in open loop and trace */
    int64_t ramp_ns;  /* closed: clients start spread over it; open: the rate rises over it from 0;
                         outside the steady window */
    int64_t think_ns; /* closed: pause of a client between an end and its next start */
    uint64_t seed;
} pp_load_level;

/* Of the server's process, where its pid was given; absent otherwise. */
typedef struct pp_load_server_use {
    pp_maybe_int rss_start_bytes;
    pp_maybe_int rss_end_bytes;
    pp_maybe_int rss_peak_bytes; /* VmHWM: since the process began, not since the level did */
    pp_maybe_int pss_end_bytes;
    pp_maybe_real cpu_seconds; /* user and system, during the measured part */
} pp_load_server_use;

typedef struct pp_load_observed {
    pp_load_end ended_by;
    pp_maybe_bool server_was_idle; /* when the level began; absent: it does not tell (F13) */
    int64_t idle_wait_ns;          /* waited for that before the level */
    int64_t started_unix_ms;
    int64_t measured_at_ns;     /* when the measured part began */
    int64_t ended_at_ns;        /* when its last request had ended or was cut */
    pp_maybe_int planned_count; /* open, trace: length of the drawn schedule; closed: as asked */
    int64_t in_flight_max;
    int64_t stall_ns_max;      /* longest time by which our loop came round later than it was due:
                                  starved or stopped */
    double client_cpu_seconds; /* of our whole process, during the measured part */
    int64_t worker_count;
    int64_t clock_drift_ns; /* how far the wall clock went ahead of the monotonic one (F01) */
    bool clock_was_set;
    pp_load_server_use server;
    int64_t connections_opened_count; /* by requests that have ended (B165) */
    int64_t connections_reused_count; /* requests that found a kept connection */
    int64_t connections_died_count;   /* kept ones that were lost under a request; it failed, unless
                                         it had no body (F07) */
    char server_address[46];          /* the first one that was connected to (F10); "" for none */
    int64_t record_count_max;         /* replies that had memory at once, under way or waiting to be
                                         decoded */
    int64_t decoded_in_loop_count;    /* replies that a measuring thread decoded itself, because the
                                         decoder was far behind (F95) */
} pp_load_observed;

#endif
