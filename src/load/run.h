/* run.h - the requests of a workload, one after another: what a study measures of a server.
 *
 * One client in a closed loop of load/drive.h, with the replies kept as the wire gave them. Writes
 * nothing. A request that fails is a sample like any other; it never ends the run. */
#ifndef PP_LOAD_RUN_H
#define PP_LOAD_RUN_H

#include "load/drive.h"
#include "load/workload.h"

typedef struct pp_load_options {
    const char *base_url; /* "http://127.0.0.1:8080", without a slash at the end */
    const char *const *headers;
    size_t header_count;
    pp_http_limits limits;
    const char *ca_file; /* NULL: the system's */
    bool insecure_tls;
    bool keep_alive;   /* reuse the connection (F07); off, so that TTFT holds a connect each time */
    pp_text candidate; /* ids of the samples; borrowed as long as they live */
    int64_t pass;      /* from 1 */
    pp_load_sampler sample_of;
    /* Called once, between the last warm-up and the first measured request, when nothing is in
     * flight; not when there is no warm-up. May be NULL. */
    void (*after_warmup)(void *user);
    void *after_warmup_user;
} pp_load_options;

/** Limits as pp_load_setup_default; the caller adds base_url and sample_of. */
void pp_load_options_default(pp_load_options *ret_options);

typedef struct pp_load_run {
    pp_sample *samples; /* in order of sending, those that were started; without a level */
    size_t sample_count;
    const pp_bytes *replies; /* bodies as they came, beside the workload's requests */
    size_t asked_count;      /* requests of the workload */
    bool interrupted;        /* stopped from outside; what was measured is kept */
} pp_load_run;

/* How many requests of a source, and the seed of its level. */
typedef struct pp_load_counts {
    int64_t warmup, measured;
    uint64_t seed;
} pp_load_counts;

/**
 * One client, one request after another, each as soon as the one before has ended.
 *
 * Samples and replies live in `arena`; texts of ids are borrowed from the workload.
 *
 * stop   not zero: the request in flight is cut and kept as such, no further one is sent
 *
 * Fails as pp_load_drive does.
 */
PP_MUST_CHECK pp_status pp_load_run_sequential(pp_arena *arena, const pp_workload *workload,
                                               const pp_load_options *options,
                                               const volatile sig_atomic_t *stop,
                                               pp_load_run *ret_run, pp_error *err);

/** The same with the requests of a source, of its level 1. */
PP_MUST_CHECK pp_status pp_load_run_source(pp_arena *arena, const pp_load_source *source,
                                           const pp_load_counts *counts,
                                           const pp_load_options *options,
                                           const volatile sig_atomic_t *stop, pp_load_run *ret_run,
                                           pp_error *err);

#endif
