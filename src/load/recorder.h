/* recorder.h - inside load/ only: flights that have landed become samples.
 *
 * A recorder belongs to one thread; they are merged when all threads have ended. */
#ifndef PP_LOAD_RECORDER_H
#define PP_LOAD_RECORDER_H

#include <pthread.h>

#include "load/drive.h"
#include "load/flight.h"

/* What is told while a level runs. Counts are atomic, so that a worker can add without waiting;
 * the ring belongs to the decoder, and a lock keeps it from the thread that tells. */
typedef struct pp_load_board {
    atomic_int_fast64_t ok_count[2]; /* by phase */
    atomic_int_fast64_t failed[2][PP_FAILURE_COUNT];
    atomic_int_fast64_t token_count;
    pthread_mutex_t lock;
    struct {
        int64_t ended_ns;
        int64_t ttft_ns;
    } ring[2048];
    size_t ring_count; /* ever; place is the remainder */
} pp_load_board;

typedef struct pp_sample_chunk pp_sample_chunk;

typedef struct pp_recorder {
    const pp_load_setup *setup;
    const pp_load_level *level;
    pp_load_board *board;
    bool may_lock;   /* false on a thread that measures: the ring goes without */
    int64_t base_ns; /* instants of samples count from here */
    pp_arena arena;  /* holds the samples; joined to the result's */
    pp_sample_chunk *chunks;
    size_t count;
    pp_arrival *arrivals; /* scratch */
    size_t arrival_capacity;
    int64_t opened_count; /* connections */
    int64_t reused_count;
    int64_t died_count;
    char address[46];
    bool clock_was_set;
} pp_recorder;

/** What the record says of instants, failure, status, connection and body, which is borrowed; all
 * else of the exchange, the texts too, stays as it was. Instants count from base_ns. */
void pp_exchange_take_record(pp_exchange *exchange, const pp_http_record *record, int64_t base_ns);

void pp_recorder_init(pp_recorder *recorder, const pp_load_setup *setup, const pp_load_level *level,
                      pp_load_board *board, bool may_lock);
void pp_recorder_done(pp_recorder *recorder);

/** Decode one. The flight can be used again afterwards. Fails with PP_ERR_MEMORY and as sample_of
 * does. */
PP_MUST_CHECK pp_status pp_recorder_add(pp_recorder *recorder, const pp_flight *flight,
                                        pp_error *err);

/** The sample that was made last; there is one. */
const pp_sample *pp_recorder_latest(const pp_recorder *recorder);

/** Append the samples to an array with room for them. */
void pp_recorder_copy(const pp_recorder *recorder, pp_sample *samples);

#endif
