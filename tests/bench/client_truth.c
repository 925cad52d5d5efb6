/* bench_client_truth PARETOPILOT [SECONDS] - how far our client's arrivals are from what the
 * simulated server did.
 *
 * 64 streams at 50 events/s with jitter, so that an arrival held against the wrong event would show
 * as an error of milliseconds. Every event of every answer is held against the server's own log,
 * which has the instant before its write on the same clock: once by the stamp of the kernel, which
 * is what samples hold, and once by the instant at which our loop woke. First on the machine as it
 * is, then with a busy process for each processor. docs/method/client-truth.md. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "intake/server_stream.h"
#include "load_bench.h"
#include "loads.h"
#include "json/json.h"

#define STREAMS       64
#define TOKENS        250 /* 5 s */
#define LIMIT_P99_US  50
#define LIMIT_P999_US 100
#define LOG_MAX_BYTES ((size_t)1 << 30)

/* ---- what the server did --------------------------------------------------------------------- */

typedef struct truth {
    char request_sha256[PP_SHA256_HEX_SIZE];
    bool complete;
    int64_t event_count;
    int64_t at_ns[TOKENS + 2]; /* of event k at k */
} truth;

typedef struct truth_log {
    truth *requests; /* by serial number, from 1; then sorted by digest */
    size_t count;
} truth_log;

static int64_t int_of(const pp_json *line, const char *key)
{
    const pp_json *value = pp_json_find(line, key);

    if (value == NULL || value->kind != PP_JSON_INTEGER)
        bench_give_up("the server's log: a line without %s", key);
    return value->integer;
}

static pp_text text_of(const pp_json *line, const char *key)
{
    const pp_json *value = pp_json_find(line, key);

    if (value == NULL || value->kind != PP_JSON_STRING)
        bench_give_up("the server's log: a line without %s", key);
    return value->text;
}

static truth *truth_of(truth_log *log, const pp_json *line)
{
    size_t serial = (size_t)int_of(line, "request");

    if (serial < 1 || serial > log->count)
        bench_give_up("the server's log: request %zu of %zu", serial, log->count);
    return &log->requests[serial - 1];
}

/* A write may complete several events: all of them get its instant. */
static void take_event(truth *t, const pp_json *line)
{
    int64_t last = int_of(line, "event");

    for (int64_t k = last - int_of(line, "events") + 1; k <= last; k++) {
        if (k < 1 || k > TOKENS + 1)
            bench_give_up("the server's log: event %lld of an answer", (long long)k);
        t->at_ns[k] = int_of(line, "at_ns");
    }
    t->event_count = last;
}

static void take_line(truth_log *log, const pp_json *line)
{
    pp_text kind = text_of(line, "log");

    if (pp_text_is(kind, "arrival")) {
        pp_text digest = text_of(line, "request_sha256");

        if (digest.size != PP_SHA256_HEX_SIZE - 1)
            bench_give_up("the server's log: a digest of %zu characters", digest.size);
        memcpy(truth_of(log, line)->request_sha256, digest.data, digest.size);
    } else if (pp_text_is(kind, "event")) {
        take_event(truth_of(log, line), line);
    } else if (pp_text_is(kind, "end")) {
        truth_of(log, line)->complete = pp_text_is(text_of(line, "outcome"), "complete");
    } else if (pp_text_is(kind, "summary") && int_of(line, "dropped") != 0) {
        bench_give_up("the server's log has holes");
    }
}

static int compare_digests(const void *left, const void *right)
{
    return strcmp(((const truth *)left)->request_sha256, ((const truth *)right)->request_sha256);
}

static void sort_by_digest(truth_log *log)
{
    qsort(log->requests, log->count, sizeof *log->requests, compare_digests);
    for (size_t i = 1; i < log->count; i++)
        if (compare_digests(&log->requests[i - 1], &log->requests[i]) == 0)
            bench_give_up("two requests with one digest cannot be told apart");
}

static void read_log(const char *path, size_t request_count, truth_log *log)
{
    pp_error err = {0};
    pp_buf bytes;
    pp_status st;
    const char *at;

    pp_buf_init(&bytes, LOG_MAX_BYTES);
    st = pp_file_read(path, &bytes, &err);
    log->count = request_count;
    log->requests = calloc(request_count, sizeof *log->requests);
    at = pp_buf_text(&bytes);
    for (const char *end; st == PP_OK && (end = strchr(at, '\n')) != NULL; at = end + 1) {
        pp_arena arena = {0};
        const pp_json *line = NULL;

        st = pp_json_parse(&arena, path, at, (size_t)(end - at), &line, &err);
        if (st == PP_OK)
            take_line(log, line);
        pp_arena_done(&arena);
    }
    if (st != PP_OK || log->requests == NULL)
        bench_give_up("the server's log: %s", err.text);
    pp_buf_done(&bytes);
    sort_by_digest(log);
}

static const truth *find_truth(const truth_log *log, const char *digest)
{
    truth key = {0};

    memcpy(key.request_sha256, digest, PP_SHA256_HEX_SIZE);
    return bsearch(&key, log->requests, log->count, sizeof *log->requests, compare_digests);
}

/* ---- what the client saw --------------------------------------------------------------------- */

/* The same reply, read as if only our own clock were there. Filled by the threads that decode. */
typedef struct by_user {
    pthread_mutex_t lock;
    pp_sample *samples; /* by number of the request, from 1 */
    size_t count;
    int64_t *lags_ns;
    size_t lag_count;
    size_t lag_capacity;
} by_user;

static by_user seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep_lags(const pp_exchange *x)
{
    if (seen.lag_count + x->arrival_count > seen.lag_capacity)
        bench_give_up("more reads than the bench has room for");
    for (size_t i = 0; i < x->arrival_count; i++)
        if (x->arrivals[i].from_kernel)
            seen.lags_ns[seen.lag_count++] = x->arrivals[i].lag_ns;
}

static pp_status sample_both(pp_arena *arena, const pp_exchange *x, pp_sample *ret_sample,
                             pp_error *err)
{
    pp_arrival *woken = PP_ARENA_NEW(arena, pp_arrival, x->arrival_count);
    pp_exchange again = *x;
    pp_sample user;
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < x->arrival_count; i++) {
        woken[i] = x->arrivals[i];
        woken[i].at_ns += woken[i].lag_ns;
    }
    again.arrivals = woken;
    st = pp_sample_of_exchange(arena, x, ret_sample, err);
    if (st == PP_OK)
        st = pp_sample_of_exchange(arena, &again, &user, err);
    if (st != PP_OK)
        return st;
    pthread_mutex_lock(&seen.lock);
    keep_lags(x);
    PP_ASSERT(x->id.index >= 1 && (size_t)x->id.index <= seen.count);
    seen.samples[x->id.index - 1] = user;
    pthread_mutex_unlock(&seen.lock);
    return PP_OK;
}

static void make_room(size_t requests)
{
    seen.count = requests;
    seen.samples = calloc(requests, sizeof *seen.samples);
    seen.lag_count = 0;
    seen.lag_capacity = requests * (TOKENS + 16);
    seen.lags_ns = calloc(seen.lag_capacity, sizeof *seen.lags_ns);
    if (seen.samples == NULL || seen.lags_ns == NULL)
        bench_give_up("out of memory");
}

/* ---- one held against the other -------------------------------------------------------------- */

typedef struct errors {
    int64_t *values_ns; /* without their signs */
    size_t count;
} errors;

typedef struct comparison {
    errors first, arrivals, gaps;
    int64_t early_ns; /* the most by which an arrival was before its write: an error of clocks */
} comparison;

static void add(errors *e, int64_t error_ns)
{
    e->values_ns[e->count++] = llabs(error_ns);
}

static void compare(const pp_load_result *r, const pp_sample *s, const truth *t, comparison *c)
{
    int64_t at_ns = r->clock_start_ns + s->started_ns + s->ttft_ns.value;

    for (int64_t k = 1; k <= s->text_event_count; k++) {
        int64_t error_ns = at_ns - t->at_ns[k];

        add(&c->arrivals, error_ns);
        if (k == 1)
            add(&c->first, error_ns);
        if (-error_ns > c->early_ns)
            c->early_ns = -error_ns;
        if (k < s->text_event_count) {
            int64_t gap_ns = s->gaps_ns[k - 1];

            add(&c->gaps, gap_ns - (t->at_ns[k + 1] - t->at_ns[k]));
            at_ns += gap_ns;
        }
    }
}

static comparison new_comparison(size_t requests)
{
    comparison c = {0};
    errors *all[] = {&c.first, &c.arrivals, &c.gaps};

    for (size_t i = 0; i < PP_COUNT_OF(all); i++) {
        all[i]->values_ns = calloc(requests * TOKENS, sizeof *all[i]->values_ns);
        if (all[i]->values_ns == NULL)
            bench_give_up("out of memory");
    }
    return c;
}

static void done_comparison(comparison *c)
{
    free(c->first.values_ns);
    free(c->arrivals.values_ns);
    free(c->gaps.values_ns);
}

/* Both have seen the same events of this request, or the comparison means nothing. */
static const truth *match(const truth_log *log, const pp_sample *s)
{
    const truth *t = find_truth(log, s->id.request_sha256);

    if (!pp_sample_is_ok(s))
        bench_give_up("request %lld failed: %.*s", (long long)s->id.index,
                      (int)s->failure_text.size, s->failure_text.data);
    if (t == NULL || !t->complete)
        bench_give_up("request %lld: the server's log does not have it whole",
                      (long long)s->id.index);
    if (s->text_event_count != TOKENS || t->event_count != TOKENS + 1) /* and the finish */
        bench_give_up("request %lld: %lld events with text, the server made %lld",
                      (long long)s->id.index, (long long)s->text_event_count,
                      (long long)t->event_count - 1);
    return t;
}

/* ---- figures --------------------------------------------------------------------------------- */

static double us(int64_t ns)
{
    return (double)ns / 1000;
}

static void print(const char *name, const char *what, errors *e)
{
    bench_sort(e->values_ns, e->count);
    printf("client_truth: %s: %s, n %zu: p50 %.1f us, p99 %.1f us", name, what, e->count,
           us(bench_percentile(e->values_ns, e->count, 50)),
           us(bench_percentile(e->values_ns, e->count, 99)));
    if (e->count >= 1000)
        printf(", p99.9 %.1f us", us(bench_percentile(e->values_ns, e->count, 99.9)));
    printf(", max %.1f us\n", us(e->values_ns[e->count - 1]));
}

static bool judge(const char *name, const char *what, const errors *e)
{
    char text[96];
    bool kept;

    (void)snprintf(text, sizeof text, "client_truth: %s: %s, kernel stamp, p99", name, what);
    kept = bench_say(text, us(bench_percentile(e->values_ns, e->count, 99)), 1, " us", LIMIT_P99_US,
                     true);
    if (e->count < 1000) /* p99.9 would be the largest one */
        return kept;
    (void)snprintf(text, sizeof text, "client_truth: %s: %s, kernel stamp, p99.9", name, what);
    return bench_say(text, us(bench_percentile(e->values_ns, e->count, 99.9)), 1, " us",
                     LIMIT_P999_US, true) &&
           kept;
}

static void print_reads(const char *name, const pp_load_result *r)
{
    int64_t kernel = 0, user = 0, events = 0;

    for (size_t i = 0; i < r->sample_count; i++) {
        kernel += r->samples[i].kernel_arrival_count;
        user += r->samples[i].user_arrival_count;
        events += r->samples[i].event_count;
    }
    printf("client_truth: %s: %zu requests, %lld events in %lld reads, %.2f %% stamped by the "
           "kernel\n",
           name, r->sample_count, (long long)events, (long long)(kernel + user),
           100 * (double)kernel / (double)(kernel + user));
}

static bool report(const char *name, const pp_load_result *r, const truth_log *log)
{
    comparison kernel = new_comparison(r->sample_count);
    comparison user = new_comparison(r->sample_count);
    errors lags = {seen.lags_ns, seen.lag_count};
    bool kept;

    for (size_t i = 0; i < r->sample_count; i++) {
        const pp_sample *s = &r->samples[i];
        const truth *t = match(log, s);

        compare(r, s, t, &kernel);
        compare(r, &seen.samples[s->id.index - 1], t, &user);
    }
    print_reads(name, r);
    print(name, "time to first token, kernel stamp", &kernel.first);
    print(name, "time to first token, user stamp", &user.first);
    print(name, "arrivals, kernel stamp", &kernel.arrivals);
    print(name, "arrivals, user stamp", &user.arrivals);
    print(name, "gaps, kernel stamp", &kernel.gaps);
    print(name, "gaps, user stamp", &user.gaps);
    print(name, "client lag", &lags);
    printf("client_truth: %s: arrivals before their write: by %.1f us at most\n", name,
           us(kernel.early_ns));
    kept = judge(name, "time to first token", &kernel.first);
    kept = judge(name, "arrivals", &kernel.arrivals) && kept;
    kept = judge(name, "gaps", &kernel.gaps) && kept;
    done_comparison(&kernel);
    done_comparison(&user);
    return kept;
}

static void done_run(truth_log *log)
{
    free(log->requests);
    free(seen.samples);
    free(seen.lags_ns);
}

static bool run(const char *paretopilot, const char *name, int64_t seconds, bool busy)
{
    char path[] = "/tmp/client-truth-XXXXXX";
    char log_path[sizeof path + 8];
    const char *options[] = {"--slots",      "64",     "--prefill", "0.2ms",
                             "--token-time", "20ms",   "--jitter",  "uniform:0.5",
                             "--log",        log_path, NULL};
    int64_t rounds = (seconds * 50 + TOKENS - 1) / TOKENS;
    pp_load_level level = {.number = 1,
                           .clients = STREAMS,
                           .request_count = pp_known_int(STREAMS * rounds),
                           .ramp_ns = PP_NS_PER_S};
    bench_load load = {
        .output_tokens = TOKENS, .prompt_count = STREAMS * rounds, .sample_of = sample_both};
    struct rusage usage;
    pp_arena arena = {0};
    truth_log log = {0};
    bench_server server;
    pp_load_result r;
    pid_t neighbours = 0;
    bool kept;

    if (mkdtemp(path) == NULL)
        bench_give_up("no folder below /tmp");
    (void)snprintf(log_path, sizeof log_path, "%s/log", path);
    make_room((size_t)level.request_count.value);
    server = bench_server_start(paretopilot, options, -1, 0);
    load.url = server.url;
    if (busy)
        neighbours = load_start_busy(bench_cpu_count(), 0);
    bench_drive(&arena, &load, &level, &r);
    if (busy)
        load_end(neighbours, 1, &usage);
    bench_stop(&server.child);
    read_log(log_path, (size_t)level.request_count.value, &log);
    kept = report(name, &r, &log);
    done_run(&log);
    pp_arena_done(&arena);
    (void)unlink(log_path);
    (void)rmdir(path);
    return kept;
}

int main(int argc, char **argv)
{
    int64_t seconds = argc > 2 ? load_number("SECONDS", argv[2], 1, 3600) : 20;
    bool kept;

    if (argc < 2)
        bench_give_up("usage: bench_client_truth PARETOPILOT [SECONDS]");
    kept = run(argv[1], "idle", seconds, false);
    return run(argv[1], "all processors busy", seconds, true) && kept ? 0 : 1;
}
