/* bench_load_client PARETOPILOT [SECONDS [PART]] - what the load client can do against the
 * simulated server. Parts: streams, lateness, priority, events, gathered, requests.
 * docs/method/client-truth.md says how each is measured.
 *
 * Client and server have a processor each where a ceiling is looked for, so "one core" is one core.
 * A ceiling is what was done by the CPU time of our whole process, measuring and decoding, because
 * a server that is slower than the client would otherwise be what is measured. Events in their own
 * segments are the exception: where our processor is the busier one the clock counts. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/event_stream.h"
#include "load_bench.h"
#include "loads.h"

#define CLIENT_CPU 0
#define ROUNDS     7
#define ROUND_S    2

typedef struct bench {
    const char *paretopilot;
    int64_t seconds;
    int server_cpu;
} bench;

/* ---- streams open at once -------------------------------------------------------------------- */

static int64_t peak_rss_kib(void)
{
    struct rusage use;

    return getrusage(RUSAGE_SELF, &use) == 0 ? use.ru_maxrss : 0;
}

static bool streams(const bench *b)
{
    static const char *const options[] = {"--slots",      "10000", "--prefill", "1s",
                                          "--token-time", "1s",    NULL};
    pp_load_level level = {.number = 1, .clients = 10000, .request_count = pp_known_int(10000)};
    bench_server server = bench_server_start(b->paretopilot, options, -1, 0);
    bench_load load = {.url = server.url, .output_tokens = 6, .prompt_count = 64};
    pp_arena arena = {0};
    pp_load_result r;
    bool kept;

    bench_drive(&arena, &load, &level, &r);
    bench_stop(&server.child);
    kept = bench_say("load_client: streams open at once", (double)r.observed.in_flight_max, 0, "",
                     10000, false);
    kept = bench_say("load_client: answered of them", (double)bench_count_ok(&r), 0, "", 10000,
                     false) &&
           kept;
    kept = bench_say("load_client: memory of 10000 streams", (double)peak_rss_kib() / 1024, 1,
                     " MiB", 200, true) &&
           kept;
    pp_arena_done(&arena);
    return kept;
}

/* ---- open loop ------------------------------------------------------------------------------- */

/* Every instant that was drawn, in its order, and no other. */
static bool issued_as_drawn(const bench_load *load, const pp_load_level *level,
                            const pp_load_result *r)
{
    pp_load_source *source = NULL;
    pp_arena arena = {0};
    pp_error err = {0};
    int64_t *due_ns = NULL;
    size_t due_count = 0, count = 0;
    bool same = true;

    bench_prepare(&arena, load, &source);
    if (pp_load_source_schedule(source, &arena, level, &due_ns, &due_count, &err) != PP_OK)
        bench_give_up("%s", err.text);
    for (size_t i = 0; i < r->sample_count; i++) {
        const pp_sample *s = &r->samples[i];

        if (s->id.phase != PP_PHASE_MEASURED)
            continue;
        same = same && count < due_count &&
               s->scheduled_ns - r->observed.measured_at_ns == due_ns[count];
        count++;
    }
    same = same && count == due_count;
    printf("load_client: %s: issued %zu of %zu drawn, each at its instant: %s\n",
           pp_arrivals_name(level->arrivals), count, due_count, same ? "kept" : "NOT so");
    pp_arena_done(&arena);
    return same;
}

static bool say_lateness(const char *what, const pp_load_result *r, double limit_us)
{
    int64_t *late_ns = calloc(r->sample_count, sizeof *late_ns);
    size_t count = 0;
    bool kept;

    if (late_ns == NULL)
        bench_give_up("out of memory");
    for (size_t i = 0; i < r->sample_count; i++)
        if (r->samples[i].id.phase == PP_PHASE_MEASURED)
            late_ns[count++] = r->samples[i].started_ns - r->samples[i].scheduled_ns;
    bench_sort(late_ns, count);
    printf("%s: lateness p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us, stall "
           "%.1f us; %lld of %zu well answered\n",
           what, (double)bench_percentile(late_ns, count, 50) / 1e3,
           (double)bench_percentile(late_ns, count, 99) / 1e3,
           (double)bench_percentile(late_ns, count, 99.9) / 1e3, (double)late_ns[count - 1] / 1e3,
           (double)r->observed.stall_ns_max / 1e3, (long long)bench_count_ok(r), count);
    kept = bench_say(what, (double)bench_percentile(late_ns, count, 99) / 1e3, 1, " us, p99",
                     limit_us, true);
    free(late_ns);
    return kept;
}

static bool open_loop(const bench *b, const char *what, pp_arrivals arrivals, bool spin,
                      bool beside_full_server, double limit_us)
{
    static const char *const options[] = {"--slots",      "1000", "--prefill", "0.1ms",
                                          "--token-time", "1ms",  NULL};
    int nice_by = beside_full_server ? 10 : 0;
    pp_load_level level = {.number = 1,
                           .loop = PP_LOAD_OPEN,
                           .rate_per_second = 1000,
                           .arrivals = arrivals,
                           .duration_ns = pp_known_int(b->seconds * PP_NS_PER_S),
                           .warmup_count = 20,
                           .seed = 1};
    bench_server server = bench_server_start(b->paretopilot, options, -1, nice_by);
    bench_load load = {.url = server.url, .output_tokens = 4, .prompt_count = 1000, .spin = spin};
    struct rusage usage;
    pid_t work = 0;
    pp_arena arena = {0};
    pp_load_result r;
    bool kept;

    if (beside_full_server) { /* the work that a real server of that priority would do */
        work = load_start_busy(bench_cpu_count(), 0);
        if (setpriority(PRIO_PROCESS, (id_t)work, nice_by) != 0)
            bench_give_up("the priority option does not work here");
    }
    bench_drive(&arena, &load, &level, &r);
    if (beside_full_server)
        load_end(work, 1, &usage);
    bench_stop(&server.child);
    kept = issued_as_drawn(&load, &level, &r);
    kept = say_lateness(what, &r, limit_us) && kept;
    pp_arena_done(&arena);
    return kept;
}

static bool lateness(const bench *b)
{
    bool kept =
        open_loop(b, "load_client: constant 1000/s", PP_ARRIVALS_CONSTANT, false, false, 300);

    kept =
        open_loop(b, "load_client: poisson 1000/s", PP_ARRIVALS_POISSON, false, false, 300) && kept;
    return open_loop(b, "load_client: constant 1000/s, spinning", PP_ARRIVALS_CONSTANT, true, false,
                     300) &&
           kept;
}

static bool priority(const bench *b)
{
    return open_loop(b, "load_client: constant 1000/s beside a server on all cores at nice +10",
                     PP_ARRIVALS_CONSTANT, false, true, 500);
}

/* ---- events in their own segments ------------------------------------------------------------ */

typedef struct ceiling {
    double requests, events, reads;
    double wall_s, cpu_s;
    double server_cpu_s;
} ceiling;

static ceiling drive_on_one_core(const bench *b, const char *const *options, int64_t clients,
                                 int64_t tokens, int64_t seconds)
{
    pp_load_level level = {.number = 1,
                           .clients = clients,
                           .duration_ns = pp_known_int(seconds * PP_NS_PER_S),
                           .warmup_count = clients};
    bench_server server = bench_server_start(b->paretopilot, options, b->server_cpu, 0);
    bench_load load = {.url = server.url,
                       .output_tokens = tokens,
                       .prompt_count = 1000,
                       .server_pid = pp_known_int(server.child.pid)};
    pp_arena arena = {0};
    pp_load_result r;
    ceiling c = {0};

    bench_pin(CLIENT_CPU);
    bench_drive(&arena, &load, &level, &r);
    bench_pin(-1);
    bench_stop(&server.child);
    for (size_t i = 0; i < r.sample_count; i++) {
        const pp_sample *s = &r.samples[i];

        if (s->id.phase != PP_PHASE_MEASURED)
            continue;
        c.requests +=
            s->http_status.known && s->http_status.value == 200 && s->failure != PP_FAILURE_CUT;
        c.events += (double)s->event_count;
        c.reads += (double)(s->kernel_arrival_count + s->user_arrival_count);
    }
    c.wall_s = (double)(r.observed.ended_at_ns - r.observed.measured_at_ns) / 1e9;
    c.cpu_s = r.observed.client_cpu_seconds;
    if (!r.observed.server.cpu_seconds.known)
        bench_give_up("the server's CPU time is not told: it is gone");
    c.server_cpu_s = r.observed.server.cpu_seconds.value;
    pp_arena_done(&arena);
    return c;
}

#define EVENT_STREAMS 500
#define EVENT_RATE    100000 /* of the first step, and what each step adds a quarter of */
#define EVENT_STEPS   13     /* to 400,000/s */

/* So many events a second are offered, each in its own segment: does the client take them as they
 * come? It does not when reads hold several, or fewer come because the server was held back. */
static bool takes_rate(const bench *b, double rate, ceiling *ret_ceiling)
{
    char token_time[32];
    char slots[16];
    const char *const options[] = {"--slots",     slots,          "--prefill", "0.1ms", "--jitter",
                                   "uniform:0.5", "--token-time", token_time,  NULL};
    int64_t seconds = b->seconds >= 8 ? b->seconds / 4 : 2;
    ceiling c;

    (void)snprintf(slots, sizeof slots, "%d", EVENT_STREAMS);
    (void)snprintf(token_time, sizeof token_time, "%.6fms", EVENT_STREAMS * 1e3 / rate);
    c = drive_on_one_core(b, options, EVENT_STREAMS, 1000, seconds);
    printf("load_client: %.0f events/s offered, %.0f came, %.3f for each read, for %.0f %% of the "
           "client's core and %.0f %% of the server's\n",
           rate, c.events / c.wall_s, c.events / c.reads, 100 * c.cpu_s / c.wall_s,
           100 * c.server_cpu_s / c.wall_s);
    (void)fflush(stdout);
    *ret_ceiling = c;
    return c.events / c.reads <= 1.1 && c.events / c.wall_s >= 0.95 * rate;
}

/* Offered more and more until it is too much: the last step that was not is the ceiling. What a
 * whole second of the client's CPU would take is an extrapolation, so nothing is held against it.
 */
static bool events(const bench *b)
{
    ceiling best = {.wall_s = 1, .cpu_s = 1};

    for (int i = 0; i < EVENT_STEPS; i++) {
        ceiling c;

        if (!takes_rate(b, EVENT_RATE * (1 + i / 4.0), &c))
            break;
        best = c;
    }
    printf("load_client: that was at %.0f events for each second of the client's CPU\n",
           best.events / best.cpu_s);
    return bench_say("load_client: events in their own segments, taken by one core",
                     best.events / best.wall_s, 0, "/s", 150000, false);
}

/* ---- events gathered in large writes --------------------------------------------------------- */

/* As a worker receives: the same loop, records and watch for keep-alives; decoding comes later. */
typedef struct receiver {
    pp_http_loop *loop;
    const pp_http_request *request;
    int64_t until_ns;
    double ended, bytes, reads;
} receiver;

typedef struct stream {
    receiver *receiver;
    pp_http_record record;
    pp_event_watch watch;
} stream;

static bool on_body(void *user, const void *bytes, size_t size)
{
    stream *s = user;

    return pp_event_watch_feed(&s->watch, bytes, size);
}

static void on_end(void *user);

static void begin(stream *s)
{
    const pp_http_handlers handlers = {.body = on_body, .end = on_end, .user = s};
    pp_error err = {0};

    s->watch = (pp_event_watch){0};
    if (pp_http_start(s->receiver->loop, s->receiver->request, &handlers, &s->record, NULL, &err) !=
        PP_OK)
        bench_give_up("%s", err.text);
}

static void on_end(void *user)
{
    stream *s = user;

    if (s->record.result != PP_HTTP_COMPLETE)
        bench_give_up("a reply failed: %s", s->record.text);
    s->receiver->ended++;
    s->receiver->bytes += (double)s->record.body.size;
    s->receiver->reads += (double)s->record.arrival_count;
    if (pp_clock_now_ns() < s->receiver->until_ns)
        begin(s);
}

static double own_cpu_s(void)
{
    struct rusage use;

    (void)getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
           ((double)use.ru_utime.tv_usec + (double)use.ru_stime.tv_usec) / 1e6;
}

static void receive(receiver *r, stream *all, size_t count)
{
    pp_http_loop_options options = {.stream_count = count};
    pp_error err = {0};
    pp_status st = pp_http_loop_new(NULL, &r->loop, &err);

    if (st == PP_OK)
        st = pp_http_loop_configure(r->loop, &options, &err);
    for (size_t i = 0; i < count && st == PP_OK; i++) {
        all[i].receiver = r;
        st = pp_http_record_init(&all[i].record, (size_t)16 << 20, (size_t)1 << 20, 4096, &err);
        if (st == PP_OK)
            begin(&all[i]);
    }
    if (st == PP_OK)
        st = pp_http_run(r->loop, NULL, 0, &err);
    if (st != PP_OK)
        bench_give_up("%s", err.text);
    for (size_t i = 0; i < count; i++)
        pp_http_record_done(&all[i].record);
    pp_http_loop_free(r->loop);
}

static bool gathered(const bench *b)
{
    static const char *const options[] = {"--slots", "8",       "--prefill",  "0ms", "--token-time",
                                          "0ms",     "--fault", "gather:100", NULL};
    static const char body[] = "{\"prompt\":\"a\",\"n_predict\":4000,\"stream\":true}";
    const double events_per_reply = 4001; /* and the finish */
    bench_server server = bench_server_start(b->paretopilot, options, b->server_cpu, 0);
    char url[96];
    pp_http_request request = {.url = url, .body = {(const unsigned char *)body, sizeof body - 1}};
    receiver r = {.request = &request, .until_ns = pp_clock_now_ns() + b->seconds * PP_NS_PER_S};
    stream all[8] = {{0}};
    double cpu_s, events;

    (void)snprintf(url, sizeof url, "%s/completion", server.url);
    bench_pin(CLIENT_CPU);
    cpu_s = own_cpu_s();
    receive(&r, all, PP_COUNT_OF(all));
    cpu_s = own_cpu_s() - cpu_s;
    bench_pin(-1);
    bench_stop(&server.child);
    events = r.ended * events_per_reply;
    printf(
        "load_client: gathered: %.0f events of %.0f replies, %.1f for each read, %.2f s of CPU\n",
        events, r.ended, events / r.reads, cpu_s);
    return bench_say("load_client: gathered events, received and kept, of one core", events / cpu_s,
                     0, "/s", 2e6, false);
}

/* ---- plain requests, and wrk beside ---------------------------------------------------------- */

/* wrk sends the very bodies that we send: the first of ours, again and again. */
static void write_script(const char *path, const bench_load *load)
{
    pp_load_source *source = NULL;
    pp_load_item item;
    pp_arena arena = {0};
    pp_error err = {0};
    pp_buf body;
    FILE *file = fopen(path, "wx");

    bench_prepare(&arena, load, &source);
    pp_buf_init(&body, PP_LOAD_BODY_MAX_BYTES);
    if (pp_load_source_make(source, 1, PP_PHASE_MEASURED, 1, &body, &item, &err) != PP_OK)
        bench_give_up("%s", err.text);
    if (file == NULL ||
        fprintf(file,
                "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\n"
                "wrk.body = [==[%.*s]==]\n",
                (int)item.body.size, (const char *)item.body.data) < 0 ||
        fclose(file) != 0)
        bench_give_up("cannot write '%s'", path);
    pp_buf_done(&body);
    pp_arena_done(&arena);
}

/* Requests a second, as wrk says. */
static double run_wrk(const char *script, const char *url)
{
    char duration[16];
    const char *const arguments[] = {"wrk", "-t1", "-c64", "-d", duration, "-s", script, url, NULL};
    char said[4096];
    size_t size = 0;
    ssize_t got;
    const char *rate;
    bench_child wrk;

    (void)snprintf(duration, sizeof duration, "%ds", ROUND_S);
    wrk = bench_start(arguments, CLIENT_CPU, 0);
    while (size < sizeof said - 1 &&
           (got = read(wrk.output, said + size, sizeof said - 1 - size)) > 0)
        size += (size_t)got;
    said[size] = '\0';
    bench_stop(&wrk);
    rate = strstr(said, "Requests/sec:");
    if (rate == NULL || strstr(said, "Non-2xx") != NULL)
        bench_give_up("wrk, from the package of that name, is missing, or failed: %s", said);
    return strtod(rate + strlen("Requests/sec:"), NULL);
}

static double wrk_beside(const bench *b, const char *script)
{
    static const char *const options[] = {"--null", NULL};
    bench_server server = bench_server_start(b->paretopilot, options, b->server_cpu, 0);
    char url[96];
    double rate;

    (void)snprintf(url, sizeof url, "%s/completion", server.url);
    rate = run_wrk(script, url);
    bench_stop(&server.child);
    return rate;
}

/* In turn, because both have two regimes, one side sleeping or not (K18). */
static void run_rounds(const bench *b, const char *script, double *rates, double *ratios)
{
    static const char *const options[] = {"--null", NULL};

    for (int i = 0; i < ROUNDS; i++) {
        double wrk = wrk_beside(b, script);
        ceiling c = drive_on_one_core(b, options, 64, 1, ROUND_S);

        rates[i] = c.requests / c.cpu_s;
        ratios[i] = c.requests / c.wall_s / wrk;
        printf("load_client: round %d: %.0f requests/s, wrk %.0f: %.3f; %.0f for a second of CPU\n",
               i + 1, c.requests / c.wall_s, wrk, ratios[i], rates[i]);
        (void)fflush(stdout);
    }
}

static bool requests(const bench *b)
{
    char folder[] = "/tmp/load-client-XXXXXX";
    char script[sizeof folder + 8];
    bench_load load = {.output_tokens = 1, .prompt_count = 1000};
    double rates[ROUNDS], ratios[ROUNDS];
    bool kept;

    if (mkdtemp(folder) == NULL)
        bench_give_up("no folder below /tmp");
    (void)snprintf(script, sizeof script, "%s/w.lua", folder);
    write_script(script, &load);
    run_rounds(b, script, rates, ratios);
    (void)unlink(script);
    (void)rmdir(folder);
    kept = bench_say("load_client: plain requests, decoded, of one core, median",
                     bench_median(rates, ROUNDS), 0, "/s", 30000, false);
    return bench_say("load_client: plain requests against wrk on the same core, median",
                     bench_median(ratios, ROUNDS), 3, " x", 0.25, false) &&
           kept;
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*run)(const bench *b);
} parts[] = {
    {"streams", streams}, /* first: the highest memory ever is looked at */
    {"lateness", lateness}, {"priority", priority}, {"events", events},
    {"gathered", gathered}, {"requests", requests},
};

int main(int argc, char **argv)
{
    bench b = {.server_cpu = bench_cpu_count() - 1};
    const char *only = argc > 3 ? argv[3] : NULL;
    bool kept = true;

    if (argc < 2)
        bench_give_up("usage: bench_load_client PARETOPILOT [SECONDS [PART]]");
    b.paretopilot = argv[1];
    b.seconds = argc > 2 ? load_number("SECONDS", argv[2], 1, 3600) : 20;
    bench_raise_files();
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < PP_COUNT_OF(parts); i++)
        if (only == NULL || strcmp(only, parts[i].name) == 0)
            kept = parts[i].run(&b) && kept;
    return kept ? 0 : 1;
}
