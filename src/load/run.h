/* run.h - drive the requests of a workload and keep what the wire saw.
 *
 * Writes nothing and decodes nothing: it returns exchanges, which the reading of server streams
 * turns into samples when the clock has stopped. A request that fails is an exchange like any
 * other; it never ends the run. */
#ifndef PP_LOAD_RUN_H
#define PP_LOAD_RUN_H

#include "load/workload.h"

typedef struct pp_load_options {
    const char *base_url; /* "http://127.0.0.1:8080", without a slash at the end */
    const char *const *headers;
    size_t header_count;
    pp_http_limits limits;
    bool keep_alive;   /* reuse the connection (F07); off, so that TTFT holds a connect each time */
    pp_text candidate; /* ids of the exchanges; borrowed as long as they live */
    int64_t pass;      /* from 1 */
    /* Called once, between the last warm-up and the first measured request, when nothing is in
     * flight; not when there is no warm-up. May be NULL. */
    void (*after_warmup)(void *user);
    void *after_warmup_user;
} pp_load_options;

/** Generous limits (F11, B052): 10 s to connect, 10 min to the first byte, 2 min of silence, 1 h in
 * all. A caller prints the ones it uses. */
void pp_load_options_default(pp_load_options *ret_options);

typedef struct pp_load_run {
    pp_exchange *exchanges; /* in order of sending; only those that were started */
    size_t exchange_count;
    size_t asked_count; /* requests of the workload */
    bool interrupted;   /* stopped from outside; what was measured is kept */
    int64_t started_unix_ms;
    int64_t duration_ns; /* of the whole run, monotonic */
    int64_t
        clock_drift_ns; /* how far the wall clock went ahead of the monotonic one meanwhile (F01) */
} pp_load_run;

/**
 * One client, one request after another, each as soon as the one before has ended.
 *
 * Bodies and arrivals of the exchanges live in `arena`; texts of ids are borrowed from the
 * workload. The loop's stop flag ends the run early: the request in flight is cancelled and kept as
 * such. Fails with PP_ERR_USAGE for a URL that is none, PP_ERR_IO, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_run_sequential(pp_arena *arena, pp_http_loop *loop,
                                               const pp_workload *workload,
                                               const pp_load_options *options, pp_load_run *ret_run,
                                               pp_error *err);

/** The failure of documents for what the transport says. */
pp_failure pp_failure_of_http(pp_http_result result);

#endif
