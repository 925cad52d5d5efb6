/* drive.h - one level of load against one endpoint: every request issued when it should be, every
 * one kept as a sample.
 *
 * Threads: workers (one unless told otherwise) measure; each has an event loop, connections and
 * request bodies of its own. One further thread at the lowest priority decodes replies that have
 * ended and gives their memory back. The calling thread waits, tells live figures, and joins. A
 * worker never waits for any of them (F95): what it hands over goes through a list without locks,
 * and when the decoder is far behind, the worker decodes that one reply itself, which is counted.
 *
 * The closed loop keeps exactly `clients` requests in flight: the end of one starts the next at
 * once. All workers take request numbers from one counter, so numbers have no holes and no client
 * rests while another worker still has requests to send. In the open loop worker w has the requests
 * w, w + n, ... of the schedule; nothing but the schedule decides when one is sent (F79), and after
 * a stall everything that is due is sent. docs/method/load.md says what ends a level and what
 * becomes of requests that are then in flight. */
#ifndef PP_LOAD_DRIVE_H
#define PP_LOAD_DRIVE_H

#include <signal.h>

#include "load/source.h"
#include "model/load_level.h"
#include "model/sample.h"
#include "net/http_client.h"

#define PP_LOAD_MAX_WORKERS 64
/* So many requests that are refused or get no connection, from the first on and all for the same
 * reason, say that the rest would fare no better (B054). */
#define PP_LOAD_HOPELESS    8

/** Makes the sample of an exchange whose texts it may borrow: pp_sample_of_exchange of intake/,
 * which load/ must not reach. Called from several threads, each with its own arena. */
typedef pp_status (*pp_load_sampler)(pp_arena *arena, const pp_exchange *exchange,
                                     pp_sample *ret_sample, pp_error *err);

/* How a phase stands. Counts are of the phase, rates since the call before. */
typedef struct pp_load_live {
    pp_phase phase;
    int64_t elapsed_ns;
    pp_maybe_int planned_count;
    int64_t issued_count;
    int64_t in_flight_count;
    int64_t ok_count;
    int64_t failed_count;
    int64_t failed_by_class[PP_FAILURE_COUNT];
    double ended_per_second;
    double tokens_per_second; /* of replies that ended since the call before */
    pp_maybe_int ttft_ns_p50; /* of replies that ended in the last second */
} pp_load_live;

typedef struct pp_load_setup {
    const char *base_url; /* "http://127.0.0.1:8080"; the source's path follows. One slash at its
                             end does no harm */
    const char *const *headers; /* authorisation; in no message and no result; may be NULL */
    size_t header_count;
    pp_http_limits limits;
    bool keep_alive;      /* connections are used again (F07) */
    const char *ca_file;  /* NULL: the system's */
    bool insecure_tls;    /* */
    int64_t worker_count; /* 1 to PP_LOAD_MAX_WORKERS; a closed level uses no more than it has
                             clients */
    bool spin;            /* workers never sleep (K11) */
    int64_t drain_ns;     /* patience with requests in flight after a first signal, and after the
                             duration of an open level or a trace */
    bool sends_all;       /* also when the first requests are all refused alike */
    bool warmup_must_complete; /* the first warm-up request that fails on the wire ends the level;
                                  nothing is measured */
    pp_maybe_int server_pid;
    const char *root;  /* of /proc of that pid: "/" */
    pp_text candidate; /* may be empty */
    int64_t pass;      /* from 1 */
    pp_load_sampler sample_of;
    /* Called with each exchange when its sample is made, from the threads that make them; what is
     * kept of it goes to the arena, which lives as long as the result. May be NULL. */
    void (*keep)(void *user, pp_arena *arena, const pp_exchange *exchange);
    /* Called with each measured sample when it is made, from the threads that make them, perhaps at
     * once: true ends the level, and what is in flight is cut. May be NULL. */
    bool (*enough)(void *user, const pp_sample *sample);
    void *enough_user;
    const volatile sig_atomic_t *cut_now; /* not zero: cut what is in flight at once; may be NULL */
    /* These are called on the calling thread, which does not measure; may be NULL. */
    void (*after_warmup)(void *user); /* nothing is in flight; not called without a warm-up */
    void (*tick)(void *user, const pp_load_live *now); /* about twice a second */
    void *user;
} pp_load_setup;

/** One worker, fresh connections, 30 s to drain, and generous limits (F11, B052): 10 s to connect,
 * 10 min to the first byte, 2 min of silence, 1 h in all. A caller prints the ones it uses. The
 * caller adds base_url and sample_of. */
void pp_load_setup_default(pp_load_setup *ret_setup);

typedef struct pp_load_result {
    pp_sample *samples; /* warm-up first, then by number, which is the order of issue */
    size_t sample_count;
    int64_t clock_start_ns; /* monotonic; where the instants of samples count from */
    pp_load_observed observed;
} pp_load_result;

/**
 * Run the level. Everything of the result lives in `arena`, which must not be used meanwhile.
 *
 * stop   not zero: no more requests, those in flight have drain_ns to end, the rest is cut; what
 *        was measured is the result and ended_by says "interrupted". Looked at every 20 ms. May be
 *        NULL.
 *
 * A request that fails is a sample. Fails only with PP_ERR_RANGE for a level or set-up out of
 * range, PP_ERR_USAGE for a URL that is none, PP_ERR_LIMIT when the system allows fewer files or
 * local ports than the level needs (F14), PP_ERR_UNAVAILABLE when server_pid is no process,
 * PP_ERR_IO, PP_ERR_MEMORY, and as the source or sample_of does.
 */
PP_MUST_CHECK pp_status pp_load_drive(pp_arena *arena, const pp_load_setup *setup,
                                      const pp_load_source *source, const pp_load_level *level,
                                      const volatile sig_atomic_t *stop, pp_load_result *ret_result,
                                      pp_error *err);

#endif
