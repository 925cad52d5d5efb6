#include "load/drive.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "intake/server_stream.h"
#include "load/schedule.h"
#include "load_server.h"
#include "shared.h"
#include "tape_server.h"

#define MS PP_NS_PER_MS

/* A server, requests for it, and what a test asks of them; the result after `drive`. */
typedef struct setting {
    pp_arena arena;
    load_server *server;
    pp_prompts prompts;
    pp_load_source *source;
    pp_load_setup setup;
    pp_load_level level;
    volatile sig_atomic_t stop, cut;
    pp_load_result result;
    int64_t warm_open_max, warm_requests; /* as the server saw them when the warm-up was over */
    int64_t warm_calls, ticks;
    int tell_fd; /* gets a byte at the first tick; 0 = none */
    pp_load_live last;
} setting;

static void after_warmup(void *user)
{
    setting *s = user;

    s->warm_calls++;
    s->warm_open_max = load_server_open_max(s->server);
    s->warm_requests = load_server_request_count(s->server);
}

static void tick(void *user, const pp_load_live *now)
{
    setting *s = user;

    s->ticks++;
    s->last = *now;
    if (s->tell_fd != 0 && s->ticks == 1)
        assert_int_equal(write(s->tell_fd, "x", 1), 1);
}

static void set_up(setting *s, const load_server_options *options)
{
    static const char lines[] = "one\ntwo\nthree\n";
    pp_load_source_options wanted;
    pp_error err = {0};

    memset(s, 0, sizeof *s);
    s->server = load_server_start(options);
    assert_ok(pp_prompts_parse(&s->arena, "prompts",
                               (pp_bytes){(const unsigned char *)lines, sizeof lines - 1},
                               &s->prompts, &err),
              err);
    pp_load_source_options_default(&wanted);
    wanted.dialect.endpoint = PP_ENDPOINT_COMPLETION;
    wanted.reuse = PP_LOAD_UNSAID;
    wanted.prompts = &s->prompts;
    wanted.output = pp_lengths_fixed(options->event_count);
    assert_ok(pp_load_source_prepare(&s->arena, NULL, &wanted, &s->source, &err), err);
    pp_load_setup_default(&s->setup);
    s->setup.base_url = load_server_url(s->server);
    s->setup.keep_alive = true;
    s->setup.sample_of = pp_sample_of_exchange;
    s->setup.cut_now = &s->cut;
    s->setup.after_warmup = after_warmup;
    s->setup.tick = tick;
    s->setup.user = s;
    s->level = (pp_load_level){.number = 1, .loop = PP_LOAD_CLOSED, .clients = 4, .seed = 7};
}

static void drive(setting *s)
{
    pp_error err = {0};

    assert_ok(pp_load_drive(&s->arena, &s->setup, s->source, &s->level, &s->stop, &s->result, &err),
              err);
}

static void tear_down(setting *s)
{
    load_server_stop(s->server);
    pp_arena_done(&s->arena);
}

static size_t count_failure(const setting *s, pp_failure failure)
{
    size_t count = 0;

    for (size_t i = 0; i < s->result.sample_count; i++)
        count += s->result.samples[i].failure == failure;
    return count;
}

/* Numbers from 1 without holes, warm-up first. */
static void assert_numbered(const setting *s, size_t warmup, size_t measured)
{
    assert_int_equal(s->result.sample_count, warmup + measured);
    for (size_t i = 0; i < s->result.sample_count; i++) {
        const pp_request_id *id = &s->result.samples[i].id;

        assert_int_equal(id->phase, i < warmup ? PP_PHASE_WARMUP : PP_PHASE_MEASURED);
        assert_int_equal(id->index, i < warmup ? i + 1 : i + 1 - warmup);
        assert_int_equal(id->level.value, s->level.number);
    }
}

/* ---- closed loop -------------------------------------------------------------------------------
 */

/* One slow request in eight takes 150 ms: a client that works in 40 waves would leave places empty
 * for 40 x 146 ms = 5.8 s. Ours leaves one empty for as long as it takes to begin the next, which a
 * busy machine can stretch. */
static void b063_b066_a_closed_loop_keeps_exactly_its_clients_in_flight(void **state)
{
    static const int64_t workers[] = {1, 3};

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(workers); row++) {
        setting s;

        set_up(&s, &(load_server_options){.delay_ns = 4 * MS,
                                          .slow_every = 8,
                                          .slow_delay_ns = 150 * MS,
                                          .event_count = 2});
        load_server_watch_below(s.server, 8);
        s.setup.worker_count = workers[row];
        s.level.clients = 8;
        s.level.request_count = pp_known_int(320);
        drive(&s);
        assert_numbered(&s, 0, 320);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 320);
        assert_int_equal(load_server_request_count(s.server), 320);
        assert_int_equal(load_server_open_max(s.server), 8);
        assert_in_range(load_server_below_ns(s.server), 0, 1500 * MS);
        assert_int_equal(s.result.observed.in_flight_max, 8);
        assert_int_equal(s.result.observed.worker_count, workers[row]);
        assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_REQUESTS);
        assert_int_equal(s.result.observed.planned_count.value, 320);
        assert_string_equal(s.result.observed.server_address, "127.0.0.1");
        assert_true(s.result.observed.client_cpu_seconds > 0);
        assert_false(s.result.observed.clock_was_set);
        tear_down(&s);
    }
}

static void the_ramp_spreads_starts_and_clients_think(void **state)
{
    setting s;
    const pp_sample *samples;
    int64_t start_ns;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    s.level.clients = 4;
    s.level.ramp_ns = 200 * MS;
    s.level.think_ns = 300 * MS;
    s.level.request_count = pp_known_int(8);
    drive(&s);
    assert_numbered(&s, 0, 8);
    samples = s.result.samples;
    start_ns = s.result.observed.measured_at_ns;
    for (int64_t i = 0; i < 4; i++) { /* 4 clients over 200 ms */
        const pp_sample *first = &samples[i];

        assert_int_equal(first->scheduled_ns - start_ns, i * 50 * MS);
        assert_true(first->started_ns >= first->scheduled_ns);
        /* Each client thinks 300 ms; as the server answers at once, they come in the same order. */
        assert_in_range(samples[4 + i].scheduled_ns -
                            (first->started_ns + first->stream_end_ns + 300 * MS),
                        0, 20 * MS);
    }
    assert_int_equal(s.result.observed.in_flight_max, 1);
    tear_down(&s);
}

static void b068_any_number_of_warmups_ends(void **state)
{
    static const struct {
        const char *name;
        int64_t warmup, workers;
        pp_load_loop loop;
        int64_t want_open_max; /* G63: never more than the level's clients */
    } rows[] = {
        {"none", 0, 1, PP_LOAD_CLOSED, 0},
        {"fewer than clients", 1, 1, PP_LOAD_CLOSED, 1},
        {"as many as clients", 4, 1, PP_LOAD_CLOSED, 4},
        {"more than clients and prompts", 37, 1, PP_LOAD_CLOSED, 4},
        {"two workers", 37, 2, PP_LOAD_CLOSED, 4},
        {"open loop, one at a time", 5, 2, PP_LOAD_OPEN, 1},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;

        print_message("# %s\n", rows[row].name);
        set_up(&s, &(load_server_options){.delay_ns = 10 * MS, .event_count = 1});
        s.setup.worker_count = rows[row].workers;
        s.level.loop = rows[row].loop;
        s.level.clients = rows[row].loop == PP_LOAD_CLOSED ? 4 : 0;
        s.level.rate_per_second = rows[row].loop == PP_LOAD_CLOSED ? 0 : 1000;
        s.level.warmup_count = rows[row].warmup;
        s.level.request_count = pp_known_int(6);
        drive(&s);
        assert_numbered(&s, (size_t)rows[row].warmup, 6);
        assert_int_equal(s.warm_calls, rows[row].warmup > 0);
        assert_int_equal(s.warm_requests, rows[row].warmup);
        assert_int_equal(s.warm_open_max, rows[row].want_open_max);
        for (size_t i = 0; i < s.result.sample_count; i++) {
            const pp_sample *sample = &s.result.samples[i];

            if (sample->id.phase == PP_PHASE_MEASURED)
                assert_true(sample->started_ns >= s.result.observed.measured_at_ns);
            else
                assert_true(sample->started_ns + sample->stream_end_ns <=
                            s.result.observed.measured_at_ns);
        }
        tear_down(&s);
    }
}

static void a_failed_warmup_is_a_sample(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.status = 503, .ok_after = 3, .event_count = 1});
    s.level.clients = 1;
    s.level.warmup_count = 3;
    s.level.request_count = pp_known_int(2);
    drive(&s);
    assert_numbered(&s, 3, 2);
    assert_int_equal(s.result.samples[2].failure, PP_FAILURE_HTTP_STATUS);
    assert_int_equal(s.result.samples[3].failure, PP_FAILURE_NONE);
    assert_int_equal(s.last.ok_count, 2);
    assert_int_equal(s.last.failed_count, 0); /* of the measured phase */
    tear_down(&s);
}

/* ---- what ends a level -------------------------------------------------------------------------
 */

static void b090_each_limit_ends_a_level_and_is_named(void **state)
{
    static const struct {
        const char *name;
        pp_load_loop loop;
        int64_t requests, duration_ms; /* 0 = not given */
        pp_load_end want;
        int64_t want_count; /* 0: as it comes */
    } rows[] = {
        {"count", PP_LOAD_CLOSED, 20, 0, PP_LOAD_END_REQUESTS, 20},
        {"duration", PP_LOAD_CLOSED, 0, 150, PP_LOAD_END_DURATION, 0},
        {"both, count first", PP_LOAD_CLOSED, 20, 60000, PP_LOAD_END_REQUESTS, 20},
        {"both, duration first", PP_LOAD_CLOSED, 100000, 150, PP_LOAD_END_DURATION, 0},
        {"open, count", PP_LOAD_OPEN, 20, 0, PP_LOAD_END_REQUESTS, 20},
        {"open, duration", PP_LOAD_OPEN, 0, 150, PP_LOAD_END_DURATION, 30},
        {"open, both, count first", PP_LOAD_OPEN, 20, 60000, PP_LOAD_END_REQUESTS, 20},
        {"open, both, duration first", PP_LOAD_OPEN, 1000, 150, PP_LOAD_END_DURATION, 30},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;
        bool closed = rows[row].loop == PP_LOAD_CLOSED;
        bool cuts = closed && rows[row].want == PP_LOAD_END_DURATION;
        const pp_load_observed *o = &s.result.observed;

        print_message("# %s\n", rows[row].name);
        /* Where some are cut each client meets a slow one long before the end: replies that come
         * just when the time is over would be whole. */
        set_up(&s, &(load_server_options){.delay_ns = 20 * MS,
                                          .slow_every = cuts ? 2 : 0,
                                          .slow_delay_ns = 20 * PP_NS_PER_S,
                                          .event_count = 1});
        s.level.loop = rows[row].loop;
        s.level.clients = closed ? 4 : 0;
        s.level.rate_per_second = closed ? 0 : 200;
        if (rows[row].requests > 0)
            s.level.request_count = pp_known_int(rows[row].requests);
        if (rows[row].duration_ms > 0)
            s.level.duration_ns = pp_known_int(rows[row].duration_ms * MS);
        drive(&s);
        assert_int_equal(o->ended_by, rows[row].want);
        if (rows[row].want_count > 0)
            assert_int_equal(s.result.sample_count, rows[row].want_count);
        /* F80: a closed loop cuts what is in flight when the time is over, nothing else does. */
        assert_int_equal(count_failure(&s, PP_FAILURE_CUT), cuts ? 4 : 0);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE) + count_failure(&s, PP_FAILURE_CUT),
                         s.result.sample_count);
        for (size_t i = 0; i < s.result.sample_count && rows[row].duration_ms > 0; i++)
            assert_true(s.result.samples[i].scheduled_ns - o->measured_at_ns <
                        rows[row].duration_ms * MS);
        if (cuts)
            assert_in_range(o->ended_at_ns - o->measured_at_ns, 150 * MS, 1000 * MS);
        tear_down(&s);
    }
}

static void b054_a_hopeless_start_ends_early(void **state)
{
    static const struct {
        const char *name;
        int status, ok_after;
        int64_t requests, warmup;
        pp_load_end want;
        size_t at_most;
    } rows[] = {
        {"all 404", 404, 0, 1000, 0, PP_LOAD_END_HOPELESS, 12},
        {"warm-up refused", 401, 0, 1000, 20, PP_LOAD_END_HOPELESS, 12},
        {"fewer requests than it takes", 422, 0, 3, 0, PP_LOAD_END_HOPELESS, 3},
        {"the fifth is answered", 400, 4, 200, 0, PP_LOAD_END_REQUESTS, 200},
        {"503 may pass", 503, 0, 200, 0, PP_LOAD_END_REQUESTS, 200},
        {"429 may pass", 429, 0, 200, 0, PP_LOAD_END_REQUESTS, 200},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;

        print_message("# %s\n", rows[row].name);
        set_up(&s, &(load_server_options){.status = rows[row].status,
                                          .ok_after = rows[row].ok_after,
                                          .event_count = 1});
        s.level.request_count = pp_known_int(rows[row].requests);
        s.level.warmup_count = rows[row].warmup;
        drive(&s);
        assert_int_equal(s.result.observed.ended_by, rows[row].want);
        assert_in_range(s.result.sample_count, 1, rows[row].at_most);
        if (rows[row].want == PP_LOAD_END_REQUESTS)
            assert_numbered(&s, 0, (size_t)rows[row].requests);
        assert_true(count_failure(&s, PP_FAILURE_HTTP_STATUS) > 0);
        tear_down(&s);
    }
}

typedef struct stopper {
    setting *s;
    bool twice;
} stopper;

/* As a person would: once requests are seen, Ctrl-C, and perhaps again. */
/* Counts measured samples, from whichever thread makes them. */
static bool is_fiftieth(void *user, const pp_sample *sample)
{
    atomic_int *count = user;

    assert_int_equal(sample->id.phase, PP_PHASE_MEASURED);
    return atomic_fetch_add(count, 1) + 1 >= 50;
}

static void a_caller_that_has_seen_enough_ends_the_level(void **state)
{
    atomic_int count = 0;
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 2, .gap_ns = 5 * PP_NS_PER_MS});
    s.level.clients = 8;
    s.level.warmup_count = 8;
    s.level.request_count = pp_known_int(1000000);
    s.setup.worker_count = 2;
    s.setup.enough = is_fiftieth;
    s.setup.enough_user = &count;
    drive(&s);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_DECIDED);
    assert_in_range(s.result.sample_count, 58, 200000);
    assert_int_equal(atomic_load(&count), s.result.sample_count - 8);
    assert_in_range(count_failure(&s, PP_FAILURE_CUT), 0, 8);
    tear_down(&s);
}

static void *stop_soon(void *user)
{
    stopper *stop = user;

    while (load_server_request_count(stop->s->server) < 4)
        pp_clock_sleep_until_ns(pp_clock_now_ns() + MS);
    __atomic_store_n(&stop->s->stop, SIGINT, __ATOMIC_SEQ_CST);
    if (stop->twice) {
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 100 * MS);
        __atomic_store_n(&stop->s->cut, SIGINT, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void b094_b102_a_stop_drains_then_cuts_and_keeps_everything(void **state)
{
    static const struct {
        const char *name;
        bool never_answers, twice;
        int64_t drain_ms;
        pp_load_loop loop;
        pp_failure want;
        int64_t at_most_ms;
    } rows[] = {
        {"what is in flight may end", false, false, 20000, PP_LOAD_CLOSED, PP_FAILURE_NONE, 10000},
        {"the drain has an end", true, false, 100, PP_LOAD_CLOSED, PP_FAILURE_CUT, 10000},
        {"a second stop cuts", true, true, 60000, PP_LOAD_CLOSED, PP_FAILURE_CUT, 20000},
        {"open loop", true, false, 100, PP_LOAD_OPEN, PP_FAILURE_CUT, 10000},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;
        stopper stop = {&s, rows[row].twice};
        pthread_t thread;
        bool closed = rows[row].loop == PP_LOAD_CLOSED;
        int64_t begin_ns = pp_clock_now_ns();

        print_message("# %s\n", rows[row].name);
        set_up(&s, &(load_server_options){.delay_ns = 300 * MS,
                                          .never_answers = rows[row].never_answers,
                                          .event_count = 1});
        s.setup.drain_ns = rows[row].drain_ms * MS;
        s.level.loop = rows[row].loop;
        s.level.clients = closed ? 4 : 0;
        s.level.rate_per_second = closed ? 0 : 50;
        s.level.request_count = pp_known_int(1000);
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
        drive(&s);
        pthread_join(thread, NULL);
        assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_INTERRUPTED);
        if (closed)
            assert_int_equal(s.result.sample_count, 4);
        else
            assert_in_range(s.result.sample_count, 4, 500);
        assert_int_equal(count_failure(&s, rows[row].want), s.result.sample_count);
        assert_int_equal(s.result.observed.planned_count.value, 1000);
        for (size_t i = 0; i < s.result.sample_count; i++)
            assert_true(s.result.samples[i].stream_end_ns > 0);
        assert_in_range(pp_clock_now_ns() - begin_ns, 0, rows[row].at_most_ms * MS);
        tear_down(&s);
    }
}

static void a_stop_before_the_start_leaves_an_empty_result(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    s.stop = SIGTERM;
    s.level.warmup_count = 3;
    s.level.request_count = pp_known_int(5);
    drive(&s);
    assert_int_equal(s.result.sample_count, 0);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_INTERRUPTED);
    assert_true(s.result.observed.ended_at_ns >= s.result.observed.measured_at_ns);
    tear_down(&s);
}

static void no_requests_and_only_failures_have_results(void **state)
{
    setting s;
    char base[64];

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    s.level.request_count = pp_known_int(0);
    drive(&s);
    assert_int_equal(s.result.sample_count, 0);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_REQUESTS);
    assert_int_equal(s.result.observed.in_flight_max, 0);

    (void)snprintf(base, sizeof base, "http://127.0.0.1:%d/v1", tape_unused_port());
    s.setup.base_url = base;
    s.level.duration_ns = pp_known_int(3600 * PP_NS_PER_S);
    s.level.request_count = (pp_maybe_int){0};
    drive(&s);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_HOPELESS);
    assert_numbered(&s, 0, PP_LOAD_HOPELESS); /* 4 clients, twice */
    assert_int_equal(count_failure(&s, PP_FAILURE_REFUSED), PP_LOAD_HOPELESS);
    assert_int_equal(s.result.observed.connections_opened_count, 0);
    assert_string_equal(s.result.observed.server_address, "");
    assert_int_equal(s.last.failed_by_class[PP_FAILURE_REFUSED], PP_LOAD_HOPELESS);
    tear_down(&s);
}

static void *kill_server_soon(void *user)
{
    setting *s = user;

    while (load_server_request_count(s->server) < 12)
        pp_clock_sleep_until_ns(pp_clock_now_ns() + MS);
    load_server_stop(s->server);
    return NULL;
}

/* Each of 4 clients tries a dead server once in 100 ms: at most 11 times in a second, and a busy
 * machine makes it fewer. Without the pause it would be thousands. */
static void a_closed_loop_pauses_where_nothing_connects(void **state)
{
    setting s;
    pthread_t thread;
    char base[64];
    int64_t before_ns[4] = {0};

    (void)state;
    set_up(&s, &(load_server_options){.delay_ns = 5 * MS, .event_count = 1});
    (void)snprintf(base, sizeof base, "%s", load_server_url(s.server)); /* outlives the server */
    s.setup.base_url = base;
    s.setup.keep_alive = false;
    s.level.duration_ns = pp_known_int(1000 * MS);
    assert_int_equal(pthread_create(&thread, NULL, kill_server_soon, &s), 0);
    drive(&s);
    pthread_join(thread, NULL);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_DURATION);
    assert_in_range(count_failure(&s, PP_FAILURE_REFUSED), 4, 44);
    for (size_t i = 0, n = 0; i < s.result.sample_count; i++) {
        const pp_sample *sample = &s.result.samples[i];

        if (sample->failure != PP_FAILURE_REFUSED)
            continue;
        if (n >= 4) /* clients come round in turn */
            assert_true(sample->started_ns - before_ns[n % 4] >= 90 * MS);
        before_ns[n++ % 4] = sample->started_ns;
    }
    pp_arena_done(&s.arena);
}

/* ---- open loop ---------------------------------------------------------------------------------
 */

static void run_open(setting *s, int64_t workers, pp_arrivals arrivals)
{
    set_up(s, &(load_server_options){.delay_ns = 5 * MS, .event_count = 1});
    s->setup.worker_count = workers;
    s->level.loop = PP_LOAD_OPEN;
    s->level.clients = 0;
    s->level.rate_per_second = 500;
    s->level.arrivals = arrivals;
    s->level.gamma_shape = 1;
    s->level.duration_ns = pp_known_int(400 * MS);
    drive(s);
}

static void b060_everything_drawn_is_issued_when_it_was_due(void **state)
{
    static const pp_arrivals arrivals[] = {PP_ARRIVALS_CONSTANT, PP_ARRIVALS_POISSON};

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(arrivals); row++) {
        setting one, four;
        int64_t *due_ns = NULL;
        size_t count = 0;
        pp_error err = {0};

        run_open(&one, 1, arrivals[row]);
        run_open(&four, 4, arrivals[row]);
        assert_ok(pp_schedule_draw(&one.arena, &one.level, &due_ns, &count, &err), err);
        if (arrivals[row] == PP_ARRIVALS_CONSTANT)
            assert_int_equal(count, 200);
        assert_numbered(&one, 0, count);
        assert_numbered(&four, 0, count); /* F83: whatever the number of workers */
        assert_int_equal(load_server_request_count(one.server), count);
        for (size_t i = 0; i < count; i++) {
            const pp_sample *a = &one.result.samples[i];
            const pp_sample *b = &four.result.samples[i];

            assert_int_equal(a->scheduled_ns - one.result.observed.measured_at_ns, due_ns[i]);
            assert_int_equal(b->scheduled_ns - four.result.observed.measured_at_ns, due_ns[i]);
            assert_true(a->started_ns >= a->scheduled_ns && b->started_ns >= b->scheduled_ns);
            assert_string_equal(a->id.request_sha256, b->id.request_sha256);
        }
        assert_int_equal(one.result.observed.planned_count.value, count);
        tear_down(&one);
        tear_down(&four);
    }
}

/* F79, B062: 150 requests due within 300 ms while each takes 600: all must be open at once. */
static void an_open_loop_is_not_held_up_by_what_is_in_flight(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.delay_ns = 600 * MS, .event_count = 1});
    s.level.loop = PP_LOAD_OPEN;
    s.level.clients = 0;
    s.level.rate_per_second = 500;
    s.level.request_count = pp_known_int(150);
    drive(&s);
    assert_int_equal(load_server_open_max(s.server), 150);
    assert_int_equal(s.result.observed.in_flight_max, 150);
    assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 150);
    tear_down(&s);
}

/* The end of a duration gives what was due before it the time to drain. */
static void an_open_loop_drains_then_cuts(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.never_answers = true, .event_count = 1});
    s.level.loop = PP_LOAD_OPEN;
    s.level.clients = 0;
    s.level.rate_per_second = 100;
    s.level.duration_ns = pp_known_int(100 * MS);
    s.setup.drain_ns = 150 * MS;
    drive(&s);
    assert_int_equal(s.result.sample_count, 10);
    assert_int_equal(count_failure(&s, PP_FAILURE_CUT), 10);
    assert_int_equal(s.result.observed.ended_by, PP_LOAD_END_DURATION);
    assert_in_range(s.result.observed.ended_at_ns - s.result.observed.measured_at_ns, 250 * MS,
                    2000 * MS);
    tear_down(&s);
}

/* A process of its own stops us for a second, once the measured part is under way. */
static pid_t stop_us_for_a_second(int *ret_tell_fd)
{
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        pid_t parent = getppid();
        char byte;

        (void)close(ends[1]);
        if (read(ends[0], &byte, 1) == 1) {
            (void)kill(parent, SIGSTOP);
            pp_clock_sleep_until_ns(pp_clock_now_ns() + 1000 * MS);
            (void)kill(parent, SIGCONT);
        }
        _exit(0);
    }
    (void)close(ends[0]);
    *ret_tell_fd = ends[1];
    return child;
}

/* B074, B075: client and server stand still for a second. Everything that was due is sent, and the
 * wait counts from when it was due. */
static void a_stall_is_seen_and_counted(void **state)
{
    setting s;
    int64_t latest_ns = 0;
    pid_t child;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    s.level.loop = PP_LOAD_OPEN;
    s.level.clients = 0;
    s.level.rate_per_second = 200;
    s.level.duration_ns = pp_known_int(3000 * MS);
    child = stop_us_for_a_second(&s.tell_fd);
    drive(&s);
    (void)close(s.tell_fd);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_numbered(&s, 0, 600);
    for (size_t i = 0; i < 600; i++) {
        int64_t late_ns = s.result.samples[i].started_ns - s.result.samples[i].scheduled_ns;

        latest_ns = late_ns > latest_ns ? late_ns : latest_ns;
    }
    assert_in_range(latest_ns, 900 * MS, 5000 * MS);
    assert_in_range(s.result.observed.stall_ns_max, 900 * MS, 5000 * MS);
    tear_down(&s);
}

static void b090_a_trace_is_played_as_written(void **state)
{
    static const char lines[] = "{\"due_ms\":0,\"prompt\":\"a\",\"output_tokens\":1}\n"
                                "{\"due_ms\":12.5,\"prompt\":\"b\",\"output_tokens\":1}\n"
                                "{\"due_ms\":12.5,\"prompt\":\"c\",\"output_tokens\":1}\n"
                                "{\"due_ms\":80,\"prompt\":\"d\",\"output_tokens\":1}\n";
    static const int64_t due_ns[] = {0, 12500000, 12500000, 80 * MS};
    static const struct {
        int64_t requests, duration_ms; /* 0 = not given */
        size_t want_count;
        pp_load_end want;
    } rows[] = {
        {0, 0, 4, PP_LOAD_END_TRACE},
        {0, 60000, 4, PP_LOAD_END_TRACE},
        {0, 50, 3, PP_LOAD_END_DURATION},
        {2, 0, 2, PP_LOAD_END_REQUESTS},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;
        pp_load_source_options wanted;
        pp_trace trace;
        pp_error err = {0};

        set_up(&s, &(load_server_options){.event_count = 1});
        assert_ok(pp_trace_parse(&s.arena, "trace",
                                 (pp_bytes){(const unsigned char *)lines, sizeof lines - 1}, 1,
                                 &trace, &err),
                  err);
        pp_load_source_options_default(&wanted);
        wanted.dialect.endpoint = PP_ENDPOINT_COMPLETION;
        wanted.reuse = PP_LOAD_UNSAID;
        wanted.trace = &trace;
        assert_ok(pp_load_source_prepare(&s.arena, NULL, &wanted, &s.source, &err), err);
        s.setup.worker_count = 2;
        s.level.loop = PP_LOAD_TRACE;
        s.level.clients = 0;
        if (rows[row].requests > 0)
            s.level.request_count = pp_known_int(rows[row].requests);
        if (rows[row].duration_ms > 0)
            s.level.duration_ns = pp_known_int(rows[row].duration_ms * MS);
        drive(&s);
        assert_numbered(&s, 0, rows[row].want_count);
        assert_int_equal(s.result.observed.ended_by, rows[row].want);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), rows[row].want_count);
        for (size_t i = 0; i < rows[row].want_count; i++)
            assert_int_equal(s.result.samples[i].scheduled_ns - s.result.observed.measured_at_ns,
                             due_ns[i]);
        tear_down(&s);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

/* B166, B074: many workers, one request each; all begin at one instant and none waits for ever. */
static void b166_many_workers_with_one_request_each(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        setting s;

        set_up(&s, &(load_server_options){.event_count = 1});
        s.setup.worker_count = 16;
        s.level.clients = 16;
        s.level.warmup_count = 16;
        s.level.request_count = pp_known_int(16);
        drive(&s);
        assert_numbered(&s, 16, 16);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 32);
        for (size_t i = 0; i < 16; i++)
            assert_true(s.result.samples[16 + i].scheduled_ns >= s.result.observed.measured_at_ns);
        tear_down(&s);
    }
}

static bool is_decoder(void)
{
    char name[16] = "";

    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "load-decoder") == 0;
}

static pp_status decode_slowly(pp_arena *arena, const pp_exchange *exchange, pp_sample *ret_sample,
                               pp_error *err)
{
    if (is_decoder())
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 10 * MS);
    return pp_sample_of_exchange(arena, exchange, ret_sample, err);
}

/* B151: decoding all of it would take 30 s. What waits is bounded, the rest the workers decode. */
static void b151_measuring_never_waits_for_decoding(void **state)
{
    setting s;
    const pp_load_observed *o = &s.result.observed;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    s.setup.sample_of = decode_slowly;
    s.level.request_count = pp_known_int(3000);
    drive(&s);
    assert_numbered(&s, 0, 3000);
    assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 3000);
    assert_in_range(o->ended_at_ns - o->measured_at_ns, 0, 15 * PP_NS_PER_S);
    assert_in_range(o->decoded_in_loop_count, 1, 3000 - 1024);
    assert_in_range(o->record_count_max, 1024, 1024 + 4 + 1);
    tear_down(&s);
}

static pp_status decode_badly(pp_arena *arena, const pp_exchange *exchange, pp_sample *ret_sample,
                              pp_error *err)
{
    if (exchange->id.index == 20)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for number 20");
    return pp_sample_of_exchange(arena, exchange, ret_sample, err);
}

static void a_failure_of_our_own_ends_the_level(void **state)
{
    setting s;
    pp_error err = {0};

    (void)state;
    set_up(&s, &(load_server_options){.delay_ns = MS, .event_count = 1});
    s.setup.sample_of = decode_badly;
    s.setup.worker_count = 2;
    s.level.duration_ns = pp_known_int(60 * PP_NS_PER_S);
    assert_int_equal(pp_load_drive(&s.arena, &s.setup, s.source, &s.level, NULL, &s.result, &err),
                     PP_ERR_MEMORY);
    assert_contains(err.text, "running level 1 of the load");
    assert_contains(err.text, "no memory for number 20");
    s.setup.sample_of = pp_sample_of_exchange;
    s.setup.server_pid = pp_known_int(0x7ffffff0); /* no process has this number */
    memset(&err, 0, sizeof err);
    assert_int_equal(pp_load_drive(&s.arena, &s.setup, s.source, &s.level, NULL, &s.result, &err),
                     PP_ERR_UNAVAILABLE);
    tear_down(&s);
}

static pp_status decode_badly_and_late(pp_arena *arena, const pp_exchange *exchange,
                                       pp_sample *ret_sample, pp_error *err)
{
    if (exchange->id.index == 20)
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 200 * MS);
    return decode_badly(arena, exchange, ret_sample, err);
}

/* The last one is under way, for a minute, when the failure comes. */
static void a_failure_of_our_own_waits_for_no_reply(void **state)
{
    setting s;
    pp_error err = {0};
    int64_t began_ns;

    (void)state;
    set_up(&s, &(load_server_options){.delay_ns = MS,
                                      .slow_every = 24,
                                      .slow_delay_ns = 60 * PP_NS_PER_S,
                                      .event_count = 1});
    s.setup.sample_of = decode_badly_and_late;
    s.level.request_count = pp_known_int(24);
    began_ns = pp_clock_now_ns();
    assert_int_equal(pp_load_drive(&s.arena, &s.setup, s.source, &s.level, NULL, &s.result, &err),
                     PP_ERR_MEMORY);
    assert_in_range(pp_clock_now_ns() - began_ns, 0, 30 * PP_NS_PER_S);
    tear_down(&s);
}

/* ---- connections -------------------------------------------------------------------------------
 */

static void b165_connections_are_kept_or_fresh_as_asked_and_counted(void **state)
{
    (void)state;
    for (int keep = 0; keep <= 1; keep++) {
        setting s;

        set_up(&s, &(load_server_options){.event_count = 1});
        s.setup.keep_alive = keep;
        s.level.clients = 1;
        s.level.request_count = pp_known_int(20);
        drive(&s);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 20);
        assert_int_equal(load_server_connection_count(s.server), keep ? 1 : 20);
        assert_int_equal(s.result.observed.connections_opened_count, keep ? 1 : 20);
        assert_int_equal(s.result.observed.connections_reused_count, keep ? 19 : 0);
        assert_int_equal(s.result.observed.connections_died_count, 0);
        tear_down(&s);
    }
}

/* F07: each connection takes one request, reads a second one and closes. libcurl by itself would
 * send that one again, and the server would have seen it twice. */
static void a_post_on_a_connection_that_died_is_not_sent_again(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.dies_when_kept = true, .event_count = 1});
    s.level.clients = 1;
    s.level.request_count = pp_known_int(10);
    drive(&s);
    assert_int_equal(load_server_request_count(s.server), 10);
    assert_int_equal(load_server_connection_count(s.server), 5);
    assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 5);
    assert_int_equal(count_failure(&s, PP_FAILURE_RESET), 5);
    assert_int_equal(s.result.observed.connections_died_count, 5);
    assert_contains(s.result.samples[1].failure_text.data, "not sent again");
    tear_down(&s);
}

static void b154_b155_addresses_of_both_families_work(void **state)
{
    static const int families[] = {AF_INET, AF_INET6};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(families); i++) {
        setting s;
        char base[64];

        if (families[i] == AF_INET6 && access("/proc/net/if_inet6", R_OK) != 0) {
            print_message("# no IPv6 here\n");
            continue;
        }
        set_up(&s, &(load_server_options){.family = families[i], .event_count = 1});
        s.level.request_count = pp_known_int(5);
        drive(&s);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 5);
        assert_string_equal(s.result.observed.server_address,
                            families[i] == AF_INET6 ? "::1" : "127.0.0.1");
        (void)snprintf(base, sizeof base, "http://localhost:%d/", load_server_port(s.server));
        s.setup.base_url = base;
        drive(&s);
        assert_int_equal(count_failure(&s, PP_FAILURE_NONE), 5);
        assert_string_equal(s.result.observed.server_address,
                            families[i] == AF_INET6 ? "::1" : "127.0.0.1");
        tear_down(&s);
    }
}

/* ---- limits and figures ------------------------------------------------------------------------
 */

static void each_deadline_has_its_class(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.never_answers = true, .event_count = 1});
    s.setup.limits.first_byte_ns = 80 * MS;
    s.level.request_count = pp_known_int(8);
    drive(&s);
    assert_int_equal(count_failure(&s, PP_FAILURE_FIRST_BYTE_TIMEOUT), 8);
    s.setup.limits.first_byte_ns = 0;
    s.setup.limits.total_ns = 80 * MS;
    drive(&s);
    assert_int_equal(count_failure(&s, PP_FAILURE_TOTAL_TIMEOUT), 8);
    for (size_t i = 0; i < 8; i++)
        assert_in_range(s.result.samples[i].stream_end_ns, 80 * MS, 1000 * MS);
    tear_down(&s);
}

/* In a process of its own: a limit that was lowered cannot be raised again. */
static int drive_with_few_files(setting *s)
{
    struct rlimit limit = {64, 64};
    pp_error err = {0};
    pp_status st;

    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    s->level.clients = 64;
    s->level.request_count = pp_known_int(64);
    st = pp_load_drive(&s->arena, &s->setup, s->source, &s->level, NULL, &s->result, &err);
    if (st != PP_ERR_LIMIT || strstr(err.text, "open files") == NULL ||
        strstr(err.text, "is 64,") == NULL)
        return 2;
    return load_server_request_count(s->server) == 0 ? 0 : 3;
}

static void too_few_files_are_said_before_the_start(void **state)
{
    setting s;
    int status = 0;
    pid_t child;

    (void)state;
    set_up(&s, &(load_server_options){.event_count = 1});
    child = fork();
    if (child == 0)
        _exit(drive_with_few_files(&s));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    tear_down(&s);
}

static void levels_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *text;
        pp_status want;
        int64_t clients, workers, number;
        bool bounded;
        const char *base_url;
    } rows[] = {
        {"client", PP_ERR_RANGE, 0, 1, 1, true, NULL},
        {"workers", PP_ERR_RANGE, 1, 0, 1, true, NULL},
        {"workers", PP_ERR_RANGE, 1, 65, 1, true, NULL},
        {"never end", PP_ERR_RANGE, 1, 1, 1, false, NULL},
        {"number", PP_ERR_RANGE, 1, 1, 0, true, NULL},
        {"http", PP_ERR_USAGE, 1, 1, 1, true, "ftp://127.0.0.1"},
    };

    (void)state;
    for (size_t row = 0; row < PP_COUNT_OF(rows); row++) {
        setting s;
        pp_error err = {0};

        set_up(&s, &(load_server_options){.event_count = 1});
        s.level.clients = rows[row].clients;
        s.level.number = rows[row].number;
        s.setup.worker_count = rows[row].workers;
        if (rows[row].base_url != NULL)
            s.setup.base_url = rows[row].base_url;
        if (rows[row].bounded)
            s.level.request_count = pp_known_int(1);
        assert_int_equal(
            pp_load_drive(&s.arena, &s.setup, s.source, &s.level, NULL, &s.result, &err),
            rows[row].want);
        assert_contains(err.text, rows[row].text);
        assert_int_equal(load_server_request_count(s.server), 0);
        tear_down(&s);
    }
}

static void figures_are_told_while_it_runs(void **state)
{
    setting s;

    (void)state;
    set_up(&s, &(load_server_options){.delay_ns = 20 * MS, .gap_ns = 5 * MS, .event_count = 3});
    s.level.duration_ns = pp_known_int(1300 * MS);
    s.setup.server_pid = pp_known_int(getpid());
    drive(&s);
    assert_in_range(s.ticks, 3, 20); /* two while it runs and one at the end */
    assert_int_equal(s.last.phase, PP_PHASE_MEASURED);
    assert_int_equal(s.last.issued_count, s.result.sample_count);
    assert_int_equal(s.last.in_flight_count, 0);
    assert_int_equal(s.last.ok_count, count_failure(&s, PP_FAILURE_NONE));
    assert_int_equal(s.last.failed_by_class[PP_FAILURE_CUT], count_failure(&s, PP_FAILURE_CUT));
    assert_true(s.last.ttft_ns_p50.known);
    assert_in_range(s.last.ttft_ns_p50.value, 19 * MS, 200 * MS);
    assert_true(s.result.observed.server.rss_start_bytes.known);
    assert_true(s.result.observed.server.rss_peak_bytes.value >=
                s.result.observed.server.rss_end_bytes.value);
    assert_true(s.result.observed.server.cpu_seconds.known);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b063_b066_a_closed_loop_keeps_exactly_its_clients_in_flight),
        cmocka_unit_test(the_ramp_spreads_starts_and_clients_think),
        cmocka_unit_test(b068_any_number_of_warmups_ends),
        cmocka_unit_test(a_failed_warmup_is_a_sample),
        cmocka_unit_test(b090_each_limit_ends_a_level_and_is_named),
        cmocka_unit_test(b054_a_hopeless_start_ends_early),
        cmocka_unit_test(a_caller_that_has_seen_enough_ends_the_level),
        cmocka_unit_test(b094_b102_a_stop_drains_then_cuts_and_keeps_everything),
        cmocka_unit_test(a_stop_before_the_start_leaves_an_empty_result),
        cmocka_unit_test(no_requests_and_only_failures_have_results),
        cmocka_unit_test(a_closed_loop_pauses_where_nothing_connects),
        cmocka_unit_test(b060_everything_drawn_is_issued_when_it_was_due),
        cmocka_unit_test(an_open_loop_is_not_held_up_by_what_is_in_flight),
        cmocka_unit_test(an_open_loop_drains_then_cuts),
        cmocka_unit_test(a_stall_is_seen_and_counted),
        cmocka_unit_test(b090_a_trace_is_played_as_written),
        cmocka_unit_test(b166_many_workers_with_one_request_each),
        cmocka_unit_test(b151_measuring_never_waits_for_decoding),
        cmocka_unit_test(a_failure_of_our_own_ends_the_level),
        cmocka_unit_test(a_failure_of_our_own_waits_for_no_reply),
        cmocka_unit_test(b165_connections_are_kept_or_fresh_as_asked_and_counted),
        cmocka_unit_test(a_post_on_a_connection_that_died_is_not_sent_again),
        cmocka_unit_test(b154_b155_addresses_of_both_families_work),
        cmocka_unit_test(each_deadline_has_its_class),
        cmocka_unit_test(too_few_files_are_said_before_the_start),
        cmocka_unit_test(levels_that_make_no_sense_are_refused),
        cmocka_unit_test(figures_are_told_while_it_runs),
    };

    (void)alarm(110); /* a hang is a failure, not a wait */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
