#include "load/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* How often a worker comes round at least: bounds how late it sees a signal or another worker's
 * end, and how exactly a stall is seen. */
#define TICK_NS          (20 * PP_NS_PER_MS)
/* Replies that may wait for the decoder; more, and beyond those ever in flight, and the worker
 * decodes. Bounds memory in long runs. */
#define AWAY_MAX         1024
/* So many requests are sent before sockets, signals and the clock are looked at again: after a
 * stall, and where requests fail as fast as they are sent. */
#define BURST            64
/* A closed loop would try a dead server as often as the processor allows, with a sample each time.
 */
#define RETRY_NS         (100 * PP_NS_PER_MS)
/* Small buffers where there are many (K15). */
#define MANY_STREAMS     1024
#define FEW_BUFFER_BYTES 1024

static const char cut_by_end[] = "in flight when the duration of the level ended";
static const char cut_by_patience[] = "in flight when the time to drain was over";
static const char cut_by_decision[] = "in flight when the demands were decided";
static const char cut_by_stop[] = "in flight when the level was stopped from outside";
static const char cut_without_hope[] = "in flight when the level was given up";

void pp_shared_end(pp_shared *shared, pp_cause cause)
{
    int none = PP_CAUSE_NONE;

    if (cause == PP_CAUSE_ERROR)
        atomic_store(&shared->cause, (int)cause);
    else
        (void)atomic_compare_exchange_strong(&shared->cause, &none, (int)cause);
}

void pp_shared_look(pp_shared *shared, const pp_recorder *recorder)
{
    const pp_sample *sample = pp_recorder_latest(recorder);

    if (shared->setup->enough != NULL && sample->id.phase == PP_PHASE_MEASURED &&
        shared->setup->enough(shared->setup->enough_user, sample))
        pp_shared_end(shared, PP_CAUSE_DECIDED);
}

static pp_cause cause_of(const pp_worker *w)
{
    return (pp_cause)atomic_load_explicit(&w->shared->cause, memory_order_acquire);
}

static bool is_closed(const pp_worker *w)
{
    return w->phase == PP_PHASE_WARMUP || w->shared->level->loop == PP_LOAD_CLOSED;
}

pp_maybe_int pp_shared_planned(const pp_shared *shared, pp_phase phase)
{
    if (phase == PP_PHASE_WARMUP)
        return pp_known_int(shared->level->warmup_count);
    if (shared->level->loop != PP_LOAD_CLOSED)
        return pp_known_int(shared->due_count);
    return shared->level->request_count;
}

static void fail_all(pp_worker *w, pp_status st)
{
    if (w->st == PP_OK)
        w->st = st;
    pp_shared_end(w->shared, PP_CAUSE_ERROR);
}

/* ---- memory of requests ---------------------------------------------------------------------- */

static void take_back(pp_worker *w)
{
    pp_flight *flight = pp_flight_take_all(&w->returned);

    while (flight != NULL) {
        pp_flight *next = flight->next;

        flight->next = w->spare;
        w->spare = flight;
        w->away_count--;
        flight = next;
    }
}

static pp_status add_flight(pp_worker *w, size_t bytes, size_t arrivals, pp_error *err)
{
    pp_flight *f = NULL;
    pp_status st = pp_flight_new(bytes, arrivals, &f, err);

    if (st != PP_OK)
        return st;
    f->worker = w;
    f->next = w->spare;
    w->spare = f;
    w->flight_count++;
    return PP_OK;
}

/* One that must be made while others are measured gets what replies have needed so far: touching
 * more costs page faults, which is what making them in advance is to avoid. */
static pp_status take_flight(pp_worker *w, pp_flight **ret_flight, pp_error *err)
{
    pp_status st;

    if (w->spare == NULL)
        take_back(w);
    if (w->spare == NULL) {
        st = add_flight(w, w->bytes_max, w->arrivals_max, err);
        if (st != PP_OK)
            return st;
    }
    *ret_flight = w->spare;
    w->spare = w->spare->next;
    return PP_OK;
}

static void link_flight(pp_worker *w, pp_flight *f)
{
    f->previous = NULL;
    f->next = w->flying;
    if (f->next != NULL)
        f->next->previous = f;
    w->flying = f;
    w->in_flight_count++;
    if (w->in_flight_count > w->in_flight_max)
        w->in_flight_max = w->in_flight_count;
    atomic_store_explicit(&w->in_flight_seen, w->in_flight_count, memory_order_relaxed);
}

static void unlink_flight(pp_worker *w, pp_flight *f)
{
    if (f->previous != NULL)
        f->previous->next = f->next;
    else
        w->flying = f->next;
    if (f->next != NULL)
        f->next->previous = f->previous;
    w->in_flight_count--;
    atomic_store_explicit(&w->in_flight_seen, w->in_flight_count, memory_order_relaxed);
}

/* The decoder gets it, unless it is so far behind that memory would grow. */
static void land(pp_worker *w, pp_flight *f)
{
    pp_status st;

    if (w->away_count >= AWAY_MAX)
        take_back(w);
    if (w->away_count < AWAY_MAX || w->away_count < w->in_flight_max) {
        w->away_count++;
        pp_flight_put(&w->landed, f);
    } else {
        st = pp_recorder_add(&w->recorder, f, &w->err);
        if (st == PP_OK)
            pp_shared_look(w->shared, &w->recorder);
        else
            fail_all(w, st);
        w->decoded_here_count++;
        f->next = w->spare;
        w->spare = f;
    }
}

/* ---- one request -------------------------------------------------------------------------------
 */

static bool on_body(void *user, const void *bytes, size_t size)
{
    pp_flight *f = user;

    return pp_event_watch_feed(&f->watch, bytes, size);
}

/* Refused, unresolved, or not connected in time: the server has not seen this request. */
static bool got_no_connection(const pp_flight *f)
{
    return f->cut == NULL && f->record.connected_ns == 0;
}

/* Why the next request will fare no better: a status, or, below 0, what kept it from connecting. 0
 * when it may. */
static int refusal_of(const pp_flight *f)
{
    static const int statuses[] = {400, 401, 403, 404, 405, 422};

    if (got_no_connection(f))
        return -(int)f->record.result;
    for (size_t i = 0; i < PP_COUNT_OF(statuses); i++)
        if (f->record.status == statuses[i])
            return statuses[i];
    return 0;
}

/* Only the first replies are looked at: the first that is no refusal like the others ends it. */
static void look_for_hope(pp_shared *shared, const pp_flight *f)
{
    int refusal = refusal_of(f);
    int first = 0;

    if (f->cut != NULL || atomic_load_explicit(&shared->has_hope, memory_order_relaxed))
        return;
    if (refusal == 0 ||
        (!atomic_compare_exchange_strong(&shared->refusal, &first, refusal) && first != refusal)) {
        atomic_store(&shared->has_hope, true);
        return;
    }
    if (atomic_fetch_add(&shared->refused_count, 1) + 1 >= shared->hopeless_count)
        pp_shared_end(shared, PP_CAUSE_HOPELESS);
}

/* What a 200 holds is decoded elsewhere and later: the caller finds it in the samples. */
static void look_at_warmup(pp_shared *shared, const pp_flight *f)
{
    if (shared->setup->warmup_must_complete && f->phase == PP_PHASE_WARMUP && f->cut == NULL &&
        f->record.result != PP_HTTP_COMPLETE)
        pp_shared_end(shared, PP_CAUSE_WARMUP);
}

static void note_size(pp_worker *w, const pp_flight *f)
{
    if (f->record.body.size > w->bytes_max)
        w->bytes_max = f->record.body.size;
    if (f->record.arrival_count > w->arrivals_max)
        w->arrivals_max = f->record.arrival_count;
}

static void client_is_free(pp_worker *w, int64_t ended_ns, int64_t pause_ns);

static void on_end(void *user)
{
    pp_flight *f = user;
    pp_worker *w = f->worker;
    int64_t ended_ns = f->record.ended_ns;
    int64_t pause_ns = got_no_connection(f) ? RETRY_NS : 0;

    unlink_flight(w, f);
    note_size(w, f);
    look_at_warmup(w->shared, f);
    look_for_hope(w->shared, f);
    land(w, f);
    if (is_closed(w))
        client_is_free(w, ended_ns, pause_ns);
}

static pp_status send_request(pp_worker *w, pp_flight *f, pp_error *err)
{
    const pp_load_setup *setup = w->shared->setup;
    const pp_http_handlers handlers = {.body = on_body, .end = on_end, .user = f};
    const pp_http_request request = {
        .url = w->shared->url,
        .body = f->item.body,
        .headers = setup->headers,
        .header_count = setup->header_count,
        .limits = setup->limits,
        .fresh_connection = !setup->keep_alive,
    };

    return pp_http_start(w->loop, &request, &handlers, &f->record, &f->transfer, err);
}

static void issue(pp_worker *w, int64_t index, int64_t scheduled_ns)
{
    pp_flight *f = NULL;
    pp_status st = take_flight(w, &f, &w->err);

    if (st == PP_OK) {
        f->phase = w->phase;
        f->index = index;
        f->scheduled_ns = scheduled_ns;
        f->cut = NULL;
        f->watch = (pp_event_watch){0};
        st = pp_load_source_make(w->shared->source, w->shared->level->number, w->phase, index,
                                 &f->body, &f->item, &w->err);
        if (st == PP_OK)
            st = send_request(w, f, &w->err);
        if (st == PP_OK) {
            link_flight(w, f);
            return;
        }
        f->next = w->spare;
        w->spare = f;
    }
    fail_all(w, st);
}

/* ---- closed loop and warm-up -------------------------------------------------------------------
 */

/* The next request number of the phase, from 1; 0 when there is none. */
static int64_t take_number(pp_worker *w)
{
    pp_maybe_int planned = pp_shared_planned(w->shared, w->phase);
    bool measured = w->phase == PP_PHASE_MEASURED;
    int64_t taken;

    if (cause_of(w) != PP_CAUSE_NONE)
        return 0;
    taken = atomic_load_explicit(&w->shared->issued[measured], memory_order_relaxed);
    do {
        if (planned.known && taken >= planned.value) {
            if (measured)
                pp_shared_end(w->shared, PP_CAUSE_COUNT);
            return 0;
        }
    } while (!atomic_compare_exchange_weak_explicit(&w->shared->issued[measured], &taken, taken + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (measured && planned.known && taken + 1 == planned.value)
        pp_shared_end(w->shared, PP_CAUSE_COUNT); /* the count came first, whatever is next */
    return taken + 1;
}

static int64_t end_of_duration(const pp_worker *w)
{
    pp_maybe_int duration = w->shared->level->duration_ns;

    return w->phase == PP_PHASE_MEASURED && duration.known ? w->phase_ns + duration.value : 0;
}

/* The duration is looked at here as well as in every turn: a reply that arrived while we were put
 * aside, beyond the end, begins nothing more (B090). */
static void send_next(pp_worker *w, int64_t scheduled_ns)
{
    int64_t end_ns = end_of_duration(w);
    int64_t index;

    if (end_ns != 0 && pp_clock_now_ns() >= end_ns)
        pp_shared_end(w->shared, PP_CAUSE_DURATION);
    index = take_number(w);
    if (index != 0)
        issue(w, index, scheduled_ns);
}

/* Nearly always behind the last one: pauses are alike, and stamps of two sockets cross by
 * microseconds. */
static void rest_until(pp_worker *w, int64_t due_ns)
{
    int64_t at = w->resting_count++;

    for (; at > 0; at--) {
        int64_t before_ns = w->resting[(w->resting_first + at - 1) % w->clients];

        if (before_ns <= due_ns)
            break;
        w->resting[(w->resting_first + at) % w->clients] = before_ns;
    }
    w->resting[(w->resting_first + at) % w->clients] = due_ns;
}

/* The end of one request starts the next (B066), at once or after a pause: the time to think, or
 * pause_ns where that is longer. */
static void client_is_free(pp_worker *w, int64_t ended_ns, int64_t pause_ns)
{
    int64_t think_ns = w->phase == PP_PHASE_MEASURED ? w->shared->level->think_ns : 0;

    if (think_ns > pause_ns)
        pause_ns = think_ns;
    if (pause_ns == 0 && w->sent_in_turn < BURST) {
        w->sent_in_turn++;
        send_next(w, ended_ns);
    } else {
        rest_until(w, ended_ns + pause_ns);
    }
}

/* Clients are dealt out to workers in turn, and begin in that order over the ramp. */
static int64_t begin_of_client(const pp_worker *w, int64_t k)
{
    const pp_load_level *level = w->shared->level;
    int64_t number = w->number + k * w->shared->worker_count;

    if (w->phase == PP_PHASE_WARMUP || level->ramp_ns == 0)
        return w->phase_ns;
    return w->phase_ns +
           (int64_t)((double)level->ramp_ns * (double)number / (double)level->clients);
}

static void send_due_closed(pp_worker *w, int64_t now_ns)
{
    while (w->begun < w->clients && begin_of_client(w, w->begun) <= now_ns &&
           cause_of(w) == PP_CAUSE_NONE)
        send_next(w, begin_of_client(w, w->begun++));
    while (w->resting_count > 0 && w->resting[w->resting_first] <= now_ns) {
        int64_t due_ns = w->resting[w->resting_first];

        w->resting_first = (w->resting_first + 1) % w->clients;
        w->resting_count--;
        send_next(w, due_ns);
    }
}

/* ---- open loop and trace -----------------------------------------------------------------------
 */

static int64_t next_due(const pp_worker *w)
{
    return w->phase_ns + w->shared->due_ns[w->position];
}

static bool schedule_is_over(const pp_worker *w)
{
    return w->position >= w->shared->due_count;
}

static void send_due_open(pp_worker *w, int64_t now_ns)
{
    for (int n = 0;
         n < BURST && !schedule_is_over(w) && next_due(w) <= now_ns && cause_of(w) == PP_CAUSE_NONE;
         n++) {
        atomic_fetch_add_explicit(&w->shared->issued[1], 1, memory_order_relaxed);
        issue(w, w->position + 1, next_due(w));
        w->position += w->shared->worker_count;
    }
}

/* ---- the course of a phase ---------------------------------------------------------------------
 */

static void cut_all(pp_worker *w, const char *why)
{
    while (w->flying != NULL) {
        pp_flight *f = w->flying;

        f->cut = why;
        pp_http_cancel(w->loop, f->transfer);
    }
}

static bool is_set(const volatile sig_atomic_t *flag)
{
    return flag != NULL && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

static bool has_more(const pp_worker *w)
{
    pp_maybe_int planned = pp_shared_planned(w->shared, w->phase);

    if (cause_of(w) != PP_CAUSE_NONE)
        return false;
    if (!is_closed(w))
        return !schedule_is_over(w);
    if (w->begun == w->clients && w->resting_count == 0)
        return false;
    return !planned.known || atomic_load_explicit(&w->shared->issued[w->phase == PP_PHASE_MEASURED],
                                                  memory_order_relaxed) < planned.value;
}

static int64_t earlier_patience(int64_t a, int64_t b)
{
    return a == 0 || b < a ? b : a;
}

/* A first signal ends issuing and starts the patience, a second one ends that, too. */
static void look_at_signals(pp_worker *w, int64_t now_ns)
{
    bool cut_now = is_set(w->shared->setup->cut_now);

    if (!w->stop_seen &&
        (cut_now || is_set(w->shared->stop) || cause_of(w) == PP_CAUSE_INTERRUPTED)) {
        w->stop_seen = true;
        w->cut_ns = earlier_patience(w->cut_ns, now_ns + w->shared->setup->drain_ns);
        if (w->phase == PP_PHASE_WARMUP || is_closed(w) || !schedule_is_over(w))
            pp_shared_end(w->shared, PP_CAUSE_INTERRUPTED); /* counts when nothing else has */
    }
    if (cut_now || (w->cut_ns != 0 && now_ns >= w->cut_ns)) {
        w->cut_by_signal = w->cut_by_signal || (w->stop_seen && w->flying != NULL);
        cut_all(w, w->stop_seen ? cut_by_stop : cut_by_patience);
    }
}

static void look_at_ends(pp_worker *w, int64_t now_ns)
{
    int64_t end_ns = end_of_duration(w);

    look_at_signals(w, now_ns);
    if (is_closed(w) && end_ns != 0 && now_ns >= end_ns)
        pp_shared_end(w->shared, PP_CAUSE_DURATION);
    switch (cause_of(w)) {
    case PP_CAUSE_DURATION:
        cut_all(w, cut_by_end);
        break;
    case PP_CAUSE_DECIDED:
        cut_all(w, cut_by_decision);
        break;
    case PP_CAUSE_HOPELESS:
    case PP_CAUSE_WARMUP:
    case PP_CAUSE_ERROR:
        cut_all(w, cut_without_hope);
        break;
    default:
        break;
    }
}

static void come_round(pp_worker *w, int64_t now_ns)
{
    int64_t late_ns = now_ns - w->tick_ns;

    if (late_ns < 0)
        return;
    if (w->phase == PP_PHASE_MEASURED && late_ns > w->stall_ns_max)
        w->stall_ns_max = late_ns;
    w->tick_ns = now_ns + TICK_NS;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_instant(const pp_worker *w)
{
    int64_t at_ns = w->tick_ns;

    if (w->cut_ns != 0)
        at_ns = earlier(at_ns, w->cut_ns);
    if (cause_of(w) != PP_CAUSE_NONE)
        return at_ns;
    if (!is_closed(w))
        return schedule_is_over(w) ? at_ns : earlier(at_ns, next_due(w));
    if (end_of_duration(w) != 0)
        at_ns = earlier(at_ns, end_of_duration(w));
    if (w->begun < w->clients)
        at_ns = earlier(at_ns, begin_of_client(w, w->begun));
    if (w->resting_count > 0)
        at_ns = earlier(at_ns, w->resting[w->resting_first]);
    return at_ns;
}

static void start_phase(pp_worker *w, pp_phase phase, int64_t at_ns)
{
    const pp_shared *shared = w->shared;
    const pp_load_level *level = shared->level;
    /* One at a time where there are no clients to say more (G63). */
    int64_t clients = level->loop == PP_LOAD_CLOSED ? level->clients : 1;

    w->phase = phase;
    w->phase_ns = at_ns;
    w->clients = (clients + shared->worker_count - 1 - w->number) / shared->worker_count;
    w->begun = 0;
    w->resting_first = w->resting_count = 0;
    w->position = w->number;
    w->tick_ns = at_ns + TICK_NS;
    if (phase == PP_PHASE_MEASURED && !is_closed(w) && shared->ends_by_duration)
        w->cut_ns = at_ns + level->duration_ns.value + shared->setup->drain_ns;
}

static void run_phase(pp_worker *w, pp_phase phase, int64_t at_ns)
{
    start_phase(w, phase, at_ns);
    for (;;) {
        int64_t now_ns = pp_clock_now_ns();
        pp_status st;

        w->sent_in_turn = 0;
        come_round(w, now_ns);
        look_at_ends(w, now_ns);
        if (is_closed(w))
            send_due_closed(w, now_ns);
        else
            send_due_open(w, now_ns);
        if (w->in_flight_count == 0 && !has_more(w))
            return;
        st = pp_http_turn(w->loop, next_instant(w), &w->err);
        if (st != PP_OK) {
            fail_all(w, st);
            cut_all(w, cut_without_hope);
            return;
        }
    }
}

/* ---- the thread --------------------------------------------------------------------------------
 */

static void pass_gate(pp_gate *gate)
{
    int64_t opened;

    pthread_mutex_lock(&gate->lock);
    opened = gate->opened;
    gate->arrived++;
    pthread_cond_broadcast(&gate->changed);
    while (gate->opened == opened)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

/* Makes what the first requests need, so that none of it falls into the measurement (K7). */
static pp_status make_flights(pp_worker *w, int64_t count, pp_error *err)
{
    pp_status st = PP_OK;

    for (int64_t i = 0; i < count && st == PP_OK; i++)
        st = add_flight(w, w->shared->reserve_bytes, w->shared->reserve_arrivals, err);
    return st;
}

static pp_status get_ready(pp_worker *w, pp_error *err)
{
    const pp_load_setup *setup = w->shared->setup;
    const pp_load_level *level = w->shared->level;
    int64_t streams = level->loop == PP_LOAD_CLOSED ? level->clients / w->shared->worker_count + 1
                                                    : PP_LOAD_OPEN_STREAMS;
    pp_http_loop_options options = {
        .stream_count = (size_t)(level->loop == PP_LOAD_CLOSED ? streams : 65536),
        .buffer_bytes = streams >= MANY_STREAMS ? FEW_BUFFER_BYTES : 0,
        .ca_file = setup->ca_file,
        .insecure = setup->insecure_tls,
        .spin = setup->spin,
    };
    pp_status st = pp_http_loop_new(NULL, &w->loop, err);

    if (st == PP_OK)
        st = pp_http_loop_configure(w->loop, &options, err);
    if (st == PP_OK)
        st = make_flights(w, streams, err);
    if (st == PP_OK && (w->resting = calloc((size_t)streams, sizeof *w->resting)) == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory for %lld clients", (long long)streams);
    return st;
}

void *pp_worker_run(void *worker)
{
    pp_worker *w = worker;
    pp_shared *shared = w->shared;
    pp_status st = get_ready(w, &w->err);

    (void)pthread_setname_np(pthread_self(), "load-worker"); /* for those who look with top -H */
    if (st != PP_OK)
        fail_all(w, st);
    pass_gate(&shared->gate);
    w->recorder.base_ns = shared->base_ns;
    if (w->st == PP_OK)
        run_phase(w, PP_PHASE_WARMUP, shared->base_ns);
    pass_gate(&shared->gate);
    if (w->st == PP_OK)
        run_phase(w, PP_PHASE_MEASURED, shared->measured_ns);
    pass_gate(&shared->gate);
    pp_http_loop_free(w->loop);
    w->loop = NULL;
    return NULL;
}

void pp_worker_free_flights(pp_worker *worker)
{
    pp_flight_free_list(worker->spare);
    worker->spare = NULL;
    pp_flight_free_list(pp_flight_take_all(&worker->returned));
    pp_flight_free_list(pp_flight_take_all(&worker->landed));
}

void pp_worker_done(pp_worker *worker)
{
    pp_worker_free_flights(worker);
    free(worker->resting);
    pp_recorder_done(&worker->recorder);
}
