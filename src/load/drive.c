#include "load/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/clock.h"
#include "load/client_use.h"
#include "load/decoder.h"
#include "load/live.h"
#include "load/worker.h"

#define TELL_NS        (500 * PP_NS_PER_MS)
/* Workers wake, look at the clock and sleep again before the first request is due. */
#define LEAD_NS        (2 * PP_NS_PER_MS)
/* Memory made for replies before the start, shared out over the streams. */
#define RESERVE_BYTES  ((size_t)16 << 20)
#define RESERVE_MIN    ((size_t)3 << 10)   /* a reply of some tokens fits */
#define RESERVE_MAX    ((size_t)256 << 10) /* some 1,700 events of /completion (K7) */
/* A wall clock that moved more than it may be slewed was set (K2). */
#define DRIFT_NOISE_NS (1 * PP_NS_PER_MS)
#define DRIFT_SLEW_PER 1000

typedef struct driver {
    pp_shared shared;
    pp_load_board board;
    pp_worker *workers; /* worker_count */
    int64_t started_count;
    pp_decoder decoder;
    pp_live_teller teller;
    int64_t next_tell_ns;
    pp_server_meter meter;
    double cpu_seconds;
    int64_t offset_ns;
    pp_load_observed observed;
} driver;

void pp_load_setup_default(pp_load_setup *ret_setup)
{
    *ret_setup = (pp_load_setup){
        .limits = {.connect_ns = 10 * PP_NS_PER_S,
                   .first_byte_ns = 600 * PP_NS_PER_S,
                   .idle_ns = 120 * PP_NS_PER_S,
                   .total_ns = 3600 * PP_NS_PER_S},
        .worker_count = 1,
        .drain_ns = 30 * PP_NS_PER_S,
        .root = "/",
        .pass = 1,
    };
}

/* ---- what may not be asked ------------------------------------------------------------------- */

static pp_status check_level(const pp_load_level *level, pp_error *err)
{
    bool bounded = level->request_count.known || level->duration_ns.known;

    if (level->number < 1 || level->warmup_count < 0 || level->ramp_ns < 0 || level->think_ns < 0)
        return pp_fail(err, PP_ERR_RANGE,
                       "a level has a number from 1 and no negative warm-up, ramp or think time");
    if ((level->request_count.known && level->request_count.value < 0) ||
        (level->duration_ns.known && level->duration_ns.value < 0))
        return pp_fail(err, PP_ERR_RANGE, "neither requests nor duration may be negative");
    if (level->loop != PP_LOAD_TRACE && !bounded)
        return pp_fail(err, PP_ERR_RANGE,
                       "a level without a number of requests or a duration would never end");
    if (level->loop == PP_LOAD_CLOSED && level->clients < 1)
        return pp_fail(err, PP_ERR_RANGE, "expected 1 client or more, got %lld",
                       (long long)level->clients);
    return PP_OK;
}

static pp_status check_setup(const pp_load_setup *setup, pp_error *err)
{
    PP_ASSERT(setup->base_url != NULL && setup->sample_of != NULL && setup->root != NULL);
    if (setup->worker_count < 1 || setup->worker_count > PP_LOAD_MAX_WORKERS)
        return pp_fail(err, PP_ERR_RANGE, "expected 1 to %d workers, got %lld", PP_LOAD_MAX_WORKERS,
                       (long long)setup->worker_count);
    if (setup->drain_ns < 0)
        return pp_fail(err, PP_ERR_RANGE, "the time to drain may not be negative");
    return PP_OK;
}

/* Connections at once: known in a closed loop. In an open one it depends on the server; enough for
 * replies that take a second is asked for, and more are seen as failures that say so. */
static int64_t connections_of(const driver *d)
{
    const pp_load_level *level = d->shared.level;
    int64_t second = 1;

    if (level->loop == PP_LOAD_CLOSED)
        return level->clients;
    if (level->loop == PP_LOAD_OPEN && isfinite(level->rate_per_second))
        second = (int64_t)fmin(ceil(level->rate_per_second), 1e6);
    return d->shared.due_count < second ? d->shared.due_count : second;
}

/* ---- before the start ------------------------------------------------------------------------ */

static pp_status plan_schedule(driver *d, pp_arena *arena, pp_error *err)
{
    const pp_load_level *level = d->shared.level;
    pp_load_source_facts facts;
    int64_t *due_ns = NULL;
    size_t count = 0;
    pp_status st;

    if (level->loop == PP_LOAD_CLOSED)
        return PP_OK;
    st = pp_load_source_schedule(d->shared.source, arena, level, &due_ns, &count, err);
    if (st != PP_OK)
        return st;
    d->shared.due_ns = due_ns;
    d->shared.due_count = (int64_t)count;
    pp_load_source_get_facts(d->shared.source, &facts);
    d->shared.ends_by_duration =
        level->duration_ns.known &&
        !(level->request_count.known && d->shared.due_count == level->request_count.value) &&
        !(level->loop == PP_LOAD_TRACE && count == facts.prompt_count);
    return PP_OK;
}

static pp_status make_url(driver *d, pp_arena *arena, pp_error *err)
{
    const char *root = NULL;
    pp_status st = pp_server_root(arena, d->shared.setup->base_url, &root, err);

    if (st != PP_OK)
        return st;
    d->shared.url = pp_arena_printf(arena, "%s%s", root, pp_load_source_path(d->shared.source));
    return pp_arena_check(arena, err);
}

static void plan_memory(driver *d)
{
    int64_t streams = d->shared.level->loop == PP_LOAD_CLOSED
                          ? d->shared.level->clients
                          : PP_LOAD_OPEN_STREAMS * d->shared.worker_count;
    size_t each = RESERVE_BYTES / (size_t)streams;

    each = each < RESERVE_MIN ? RESERVE_MIN : each;
    d->shared.reserve_bytes = each > RESERVE_MAX ? RESERVE_MAX : each;
    d->shared.reserve_arrivals = d->shared.reserve_bytes / 256; /* an event has about 150 bytes */
}

static void plan_hopeless(driver *d)
{
    pp_maybe_int measured = pp_shared_planned(&d->shared, PP_PHASE_MEASURED);
    int64_t all = measured.known ? measured.value + d->shared.level->warmup_count : INT64_MAX;

    d->shared.hopeless_count = all < PP_LOAD_HOPELESS ? all : PP_LOAD_HOPELESS;
    if (d->shared.setup->sends_all)
        d->shared.hopeless_count = INT64_MAX;
}

static void init_gate(pp_gate *gate)
{
    pthread_condattr_t attributes;

    (void)pthread_mutex_init(&gate->lock, NULL); /* neither fails on Linux */
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&gate->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

static void done_gate(pp_gate *gate)
{
    (void)pthread_cond_destroy(&gate->changed);
    (void)pthread_mutex_destroy(&gate->lock);
}

static pp_status plan(driver *d, pp_arena *arena, pp_error *err)
{
    pp_status st = check_setup(d->shared.setup, err);

    if (st == PP_OK)
        st = check_level(d->shared.level, err);
    if (st == PP_OK)
        st = plan_schedule(d, arena, err);
    if (st == PP_OK)
        st = make_url(d, arena, err);
    if (st != PP_OK)
        return st;
    d->shared.worker_count = d->shared.setup->worker_count;
    if (d->shared.level->loop == PP_LOAD_CLOSED &&
        d->shared.level->clients < d->shared.worker_count)
        d->shared.worker_count = d->shared.level->clients;
    plan_memory(d);
    plan_hopeless(d);
    return pp_client_allow(connections_of(d), d->shared.worker_count, err);
}

/* ---- workers and their gate ------------------------------------------------------------------ */

static pp_status start_workers(driver *d, pp_error *err)
{
    d->workers = calloc((size_t)d->shared.worker_count, sizeof *d->workers);
    d->decoder.workers = d->workers;
    if (d->workers == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for workers");
    for (int64_t i = 0; i < d->shared.worker_count; i++) {
        pp_worker *w = &d->workers[i];

        w->shared = &d->shared;
        w->number = i;
        pp_recorder_init(&w->recorder, d->shared.setup, d->shared.level, &d->board, false);
    }
    for (; d->started_count < d->shared.worker_count; d->started_count++) {
        pp_worker *w = &d->workers[d->started_count];
        int failed = pthread_create(&w->thread, NULL, pp_worker_run, w);

        if (failed != 0) {
            pp_shared_end(&d->shared, PP_CAUSE_ERROR); /* those that run pass their gates */
            return pp_fail_errno(err, PP_ERR_IO, failed, "starting worker %lld",
                                 (long long)d->started_count + 1);
        }
    }
    return PP_OK;
}

static void tell(driver *d)
{
    pp_load_live live;

    if (d->shared.setup->tick == NULL)
        return;
    pp_live_look(&d->teller, &d->shared, d->workers, &live);
    d->shared.setup->tick(d->shared.setup->user, &live);
}

static bool wait_a_little(pp_gate *gate, int64_t count, int64_t until_ns)
{
    struct timespec at = {(time_t)(until_ns / PP_NS_PER_S), (long)(until_ns % PP_NS_PER_S)};
    bool all;

    pthread_mutex_lock(&gate->lock);
    while (gate->arrived < count && pthread_cond_timedwait(&gate->changed, &gate->lock, &at) == 0)
        ;
    all = gate->arrived >= count;
    pthread_mutex_unlock(&gate->lock);
    return all;
}

/* Until every worker stands at the gate; figures are told meanwhile when a phase runs. */
static void await_workers(driver *d, bool telling)
{
    while (!wait_a_little(&d->shared.gate, d->started_count, d->next_tell_ns)) {
        if (telling)
            tell(d);
        d->next_tell_ns = pp_clock_now_ns() + TELL_NS;
    }
}

static void open_gate(driver *d)
{
    pp_gate *gate = &d->shared.gate;

    pthread_mutex_lock(&gate->lock);
    gate->arrived = 0;
    gate->opened++;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static void begin_phase(driver *d, pp_phase phase, int64_t at_ns)
{
    pp_live_begin(&d->teller, &d->shared, phase, at_ns);
    d->next_tell_ns = at_ns + TELL_NS;
    open_gate(d);
}

static void begin_level(driver *d)
{
    d->offset_ns = pp_clock_real_offset_ns();
    d->observed.started_unix_ms = pp_clock_unix_ms();
    d->shared.base_ns = pp_clock_now_ns();
    d->decoder.recorder.base_ns = d->shared.base_ns;
}

/* Nothing is in flight, all workers stand at the gate. */
static pp_status between_phases(driver *d, pp_error *err)
{
    const pp_load_setup *setup = d->shared.setup;
    pp_status st;

    if (setup->after_warmup != NULL && d->shared.level->warmup_count > 0)
        setup->after_warmup(setup->user);
    st = pp_server_meter_begin(&d->meter, setup->root, setup->server_pid, &d->observed.server, err);
    if (st != PP_OK)
        pp_shared_end(&d->shared, PP_CAUSE_ERROR);
    d->cpu_seconds = pp_client_cpu_seconds();
    d->shared.measured_ns = pp_clock_now_ns() + LEAD_NS;
    return st;
}

static pp_status run_phases(driver *d, pp_error *err)
{
    pp_status st;

    d->next_tell_ns = pp_clock_now_ns() + TELL_NS;
    await_workers(d, false);
    begin_level(d);
    st = pp_decoder_start(&d->decoder, err);
    if (st != PP_OK)
        pp_shared_end(&d->shared, PP_CAUSE_ERROR);
    begin_phase(d, PP_PHASE_WARMUP, d->shared.base_ns);
    await_workers(d, d->shared.level->warmup_count > 0);
    if (st == PP_OK)
        st = between_phases(d, err);
    begin_phase(d, PP_PHASE_MEASURED, d->shared.measured_ns);
    await_workers(d, true);
    d->observed.client_cpu_seconds = pp_client_cpu_seconds() - d->cpu_seconds;
    d->observed.ended_at_ns = pp_clock_now_ns() - d->shared.base_ns; /* unless a sample says more */
    pp_server_meter_end(&d->meter, &d->observed.server);
    d->observed.clock_drift_ns = pp_clock_real_offset_ns() - d->offset_ns;
    open_gate(d);
    return st;
}

static void join_workers(driver *d)
{
    for (int64_t i = 0; i < d->started_count; i++)
        pthread_join(d->workers[i].thread, NULL);
}

/* The first failure of a worker, of the decoder, of the rest. */
static pp_status first_failure(driver *d, pp_status st, pp_error *err)
{
    for (int64_t i = 0; i < d->started_count && st == PP_OK; i++) {
        st = d->workers[i].st;
        if (st != PP_OK && err != NULL)
            *err = d->workers[i].err;
    }
    return st;
}

/* ---- the result ------------------------------------------------------------------------------ */

static int compare_samples(const void *left, const void *right)
{
    const pp_sample *a = left;
    const pp_sample *b = right;

    if (a->id.phase != b->id.phase)
        return a->id.phase == PP_PHASE_WARMUP ? -1 : 1;
    return (a->id.index > b->id.index) - (a->id.index < b->id.index);
}

static void merge_recorder(driver *d, pp_arena *arena, pp_recorder *r, pp_load_result *result)
{
    pp_load_observed *o = &d->observed;

    pp_recorder_copy(r, result->samples + result->sample_count);
    result->sample_count += r->count;
    o->connections_opened_count += r->opened_count;
    o->connections_reused_count += r->reused_count;
    o->connections_died_count += r->died_count;
    o->clock_was_set = o->clock_was_set || r->clock_was_set;
    if (o->server_address[0] == '\0')
        memcpy(o->server_address, r->address, sizeof o->server_address);
    pp_arena_join(arena, &r->arena);
    r->chunks = NULL;
}

/* What thousands of streams needed goes back before all samples are copied. */
static void free_flights(driver *d)
{
    for (int64_t i = 0; i < d->started_count; i++)
        pp_worker_free_flights(&d->workers[i]);
#ifdef __GLIBC__
    (void)malloc_trim(0); /* it keeps what a thread freed for threads to come */
#endif
}

static pp_status merge(driver *d, pp_arena *arena, pp_load_result *result, pp_error *err)
{
    size_t count = d->decoder.recorder.count;
    pp_status st;

    for (int64_t i = 0; i < d->started_count; i++)
        count += d->workers[i].recorder.count;
    result->samples = PP_ARENA_NEW(arena, pp_sample, count);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    merge_recorder(d, arena, &d->decoder.recorder, result);
    for (int64_t i = 0; i < d->started_count; i++)
        merge_recorder(d, arena, &d->workers[i].recorder, result);
    qsort(result->samples, result->sample_count, sizeof *result->samples, compare_samples);
    return PP_OK;
}

typedef struct change {
    int64_t at_ns;
    int by; /* 1 begins, -1 ends */
} change;

static int compare_changes(const void *left, const void *right)
{
    const change *a = left;
    const change *b = right;

    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->by - b->by; /* an end makes room for a start at the same instant */
}

/* Of all workers together, which none of them sees: from the samples. */
static pp_status find_in_flight_max(driver *d, const pp_load_result *result, pp_error *err)
{
    size_t count = 2 * result->sample_count;
    change *changes = malloc((count + 1) * sizeof *changes);
    int64_t in_flight = 0;

    if (changes == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu requests", result->sample_count);
    for (size_t i = 0; i < result->sample_count; i++) {
        const pp_sample *s = &result->samples[i];

        changes[2 * i] = (change){s->started_ns, 1};
        changes[2 * i + 1] = (change){s->started_ns + s->stream_end_ns, -1};
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    for (size_t i = 0; i < count; i++) {
        in_flight += changes[i].by;
        if (in_flight > d->observed.in_flight_max)
            d->observed.in_flight_max = in_flight;
    }
    free(changes);
    return PP_OK;
}

static pp_load_end end_of(const driver *d)
{
    const pp_load_level *level = d->shared.level;
    pp_cause cause = (pp_cause)atomic_load(&d->shared.cause);

    for (int64_t i = 0; i < d->started_count; i++)
        if (d->workers[i].cut_by_signal)
            return PP_LOAD_END_INTERRUPTED;
    if (cause == PP_CAUSE_WARMUP)
        return PP_LOAD_END_WARMUP;
    if (d->shared.hopeless_count > 0 && !atomic_load(&d->shared.has_hope) &&
        atomic_load(&d->shared.refused_count) >= d->shared.hopeless_count)
        return PP_LOAD_END_HOPELESS;
    if (cause == PP_CAUSE_INTERRUPTED)
        return PP_LOAD_END_INTERRUPTED;
    if (cause == PP_CAUSE_DECIDED)
        return PP_LOAD_END_DECIDED;
    if (cause == PP_CAUSE_DURATION || d->shared.ends_by_duration)
        return PP_LOAD_END_DURATION;
    if (level->loop == PP_LOAD_TRACE &&
        !(level->request_count.known && level->request_count.value == d->shared.due_count))
        return PP_LOAD_END_TRACE;
    return PP_LOAD_END_REQUESTS;
}

/* What belongs to the client as a whole, and when the last measured request had ended. */
static void observe(driver *d, const pp_load_result *result, int64_t elapsed_ns)
{
    pp_load_observed *o = &d->observed;
    int64_t last_ns = -1;

    o->ended_by = end_of(d);
    o->worker_count = d->shared.worker_count;
    o->planned_count = pp_shared_planned(&d->shared, PP_PHASE_MEASURED);
    o->measured_at_ns = d->shared.measured_ns - d->shared.base_ns;
    for (size_t i = 0; i < result->sample_count; i++) {
        const pp_sample *s = &result->samples[i];

        if (s->id.phase == PP_PHASE_MEASURED && s->started_ns + s->stream_end_ns > last_ns)
            last_ns = s->started_ns + s->stream_end_ns;
    }
    if (last_ns >= 0)
        o->ended_at_ns = last_ns;
    if (o->ended_at_ns < o->measured_at_ns)
        o->ended_at_ns = o->measured_at_ns;
    for (int64_t i = 0; i < d->started_count; i++) {
        const pp_worker *w = &d->workers[i];

        if (w->stall_ns_max > o->stall_ns_max)
            o->stall_ns_max = w->stall_ns_max;
        o->record_count_max += w->flight_count;
        o->decoded_in_loop_count += w->decoded_here_count;
    }
    if (llabs(o->clock_drift_ns) > DRIFT_NOISE_NS + elapsed_ns / DRIFT_SLEW_PER)
        o->clock_was_set = true;
}

static void done_driver(driver *d)
{
    for (int64_t i = 0; i < d->shared.worker_count && d->workers != NULL; i++)
        pp_worker_done(&d->workers[i]);
    free(d->workers);
    pp_recorder_done(&d->decoder.recorder);
    (void)pthread_mutex_destroy(&d->board.lock);
    done_gate(&d->shared.gate);
    free(d);
}

static pp_status drive(driver *d, pp_arena *arena, pp_load_result *result, pp_error *err)
{
    pp_status st = start_workers(d, err);
    pp_status decoded;

    if (d->started_count > 0) {
        pp_status ran = run_phases(d, st == PP_OK ? err : NULL);

        st = st == PP_OK ? ran : st;
        join_workers(d);
    }
    decoded = pp_decoder_finish(&d->decoder, st == PP_OK ? err : NULL);
    st = first_failure(d, st == PP_OK ? decoded : st, err);
    free_flights(d);
    if (st == PP_OK)
        st = merge(d, arena, result, err);
    if (st == PP_OK)
        st = find_in_flight_max(d, result, err);
    if (st == PP_OK) {
        observe(d, result, pp_clock_now_ns() - d->shared.base_ns);
        tell(d); /* the last state, everything decoded */
    }
    return st;
}

pp_status pp_load_drive(pp_arena *arena, const pp_load_setup *setup, const pp_load_source *source,
                        const pp_load_level *level, const volatile sig_atomic_t *stop,
                        pp_load_result *ret_result, pp_error *err)
{
    driver *d = calloc(1, sizeof *d);
    pp_load_result result = {0};
    pp_status st;

    if (d == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a load");
    d->shared.setup = setup;
    d->shared.source = source;
    d->shared.level = level;
    d->shared.stop = stop;
    d->shared.board = &d->board;
    d->decoder.shared = &d->shared;
    init_gate(&d->shared.gate);
    (void)pthread_mutex_init(&d->board.lock, NULL);
    pp_recorder_init(&d->decoder.recorder, setup, level, &d->board, true);
    st = plan(d, arena, err);
    if (st == PP_OK)
        st = drive(d, arena, &result, err);
    if (st == PP_OK) {
        result.clock_start_ns = d->shared.base_ns;
        result.observed = d->observed;
        *ret_result = result;
    }
    done_driver(d);
    return pp_wrap(err, st, "running level %lld of the load", (long long)level->number);
}
