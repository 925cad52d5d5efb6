/* worker.h - inside load/ only: one thread that issues requests and notes what comes back.
 *
 * What workers share on the measuring path are a few atomic words of pp_shared: the counter of
 * request numbers, why issuing ended, and whether the first replies were all refusals. None makes
 * anybody wait. */
#ifndef PP_LOAD_WORKER_H
#define PP_LOAD_WORKER_H

#include <pthread.h>

#include "load/drive.h"
#include "load/flight.h"
#include "load/recorder.h"

/* Replies that each worker has memory for from the start, where no number of clients bounds them;
 * more are made as they are needed. */
#define PP_LOAD_OPEN_STREAMS 256

/* Why no more requests are issued. The first cause stays, but an error comes before all: nobody
 * waits for replies of a level that has failed. */
typedef enum pp_cause {
    PP_CAUSE_NONE = 0,
    PP_CAUSE_COUNT,
    PP_CAUSE_DURATION,
    PP_CAUSE_INTERRUPTED,
    PP_CAUSE_HOPELESS,
    PP_CAUSE_WARMUP,
    PP_CAUSE_DECIDED,
    PP_CAUSE_ERROR /* of a worker or a recorder: the level fails */
} pp_cause;

/* All workers stop here until the calling thread lets them go on (B166). */
typedef struct pp_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t arrived;
    int64_t opened; /* how often */
} pp_gate;

typedef struct pp_shared {
    const pp_load_setup *setup;
    const pp_load_source *source;
    const pp_load_level *level;
    const volatile sig_atomic_t *stop;
    const char *url;
    const int64_t *due_ns; /* open, trace: from the start of the measured part */
    int64_t due_count;
    bool ends_by_duration; /* open, trace: it was the duration that ended the schedule */
    int64_t worker_count;
    int64_t base_ns;     /* start of the level */
    int64_t measured_ns; /* start of the measured part; written while all stand at the gate */
    int64_t hopeless_count;
    size_t reserve_bytes; /* of each flight */
    size_t reserve_arrivals;
    pp_load_board *board;
    pp_gate gate;
    atomic_int_fast64_t issued[2]; /* request numbers that were taken, by phase */
    atomic_int cause;
    atomic_bool has_hope;
    atomic_int
        refusal; /* of the first reply: a status, or below 0 a pp_http_result; 0 = none yet */
    atomic_int_fast64_t refused_count;
} pp_shared;

typedef struct pp_worker {
    pp_shared *shared;
    int64_t number; /* from 0 */
    pthread_t thread;
    pp_http_loop *loop;
    pp_recorder recorder;  /* for what the decoder cannot keep up with */
    pp_flight_pile landed; /* for the decoder */
    pp_flight_pile returned;
    pp_flight *spare;
    pp_flight *flying; /* under way, linked both ways */
    int64_t in_flight_count;
    int64_t in_flight_max;
    int64_t flight_count; /* made */
    int64_t away_count;   /* landed and not yet seen again */
    size_t bytes_max;     /* of a reply so far, and arrivals */
    size_t arrivals_max;
    int64_t decoded_here_count;
    atomic_int_fast64_t in_flight_seen; /* for the live figures; the requests of a moment ago */

    pp_phase phase;
    int64_t phase_ns; /* its start */
    int64_t clients;  /* of this worker in this phase */
    int64_t begun;    /* of them */
    int64_t *resting; /* ring of instants at which clients are due again, ascending */
    int64_t resting_first;
    int64_t resting_count;
    int64_t position; /* next of the schedule */
    int64_t sent_in_turn;
    int64_t tick_ns; /* when to come round at the latest */
    int64_t cut_ns;  /* when patience with requests in flight ends; 0 = it does not */
    bool stop_seen;
    bool cut_by_signal;
    int64_t stall_ns_max;
    pp_status st;
    pp_error err;
} pp_worker;

/** The thread. Passes the gate three times: ready, warm-up over, measured part over. */
void *pp_worker_run(void *worker);

/** Frees memory for replies when the thread has ended and the decoder too. */
void pp_worker_free_flights(pp_worker *worker);

/** Frees what is left when the thread has ended and the decoder too. */
void pp_worker_done(pp_worker *worker);

/** Notes why issuing ends, unless it has ended already; an error in any case. */
void pp_shared_end(pp_shared *shared, pp_cause cause);

/** The recorder has made one more sample: the caller may have seen enough. */
void pp_shared_look(pp_shared *shared, const pp_recorder *recorder);

/** How many requests a phase has, where that is known in advance. */
pp_maybe_int pp_shared_planned(const pp_shared *shared, pp_phase phase);

#endif
