/* load_client.c - what the load client can do: requests and events a second on one core, lateness
 * of an open loop, memory of many streams. bench_load_client [SECONDS
 * [streams|lateness|spin|requests|events]]
 *
 * The server is the tests' own, in a process of its own, so that only the client is counted. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "intake/server_stream.h"
#include "load/drive.h"
#include "load_server.h"

typedef struct server {
    pid_t pid;
    char url[64];
} server;

static void raise_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static server start_server(const load_server_options *options)
{
    server s = {0};
    int ends[2];

    if (pipe(ends) != 0)
        abort();
    s.pid = fork();
    if (s.pid == 0) {
        load_server *own;

        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        raise_files();
        own = load_server_start(options);
        if (write(ends[1], load_server_url(own), strlen(load_server_url(own)) + 1) < 0)
            abort();
        for (;;)
            (void)pause();
    }
    if (s.pid < 0 || read(ends[0], s.url, sizeof s.url) <= 0)
        abort();
    (void)close(ends[0]);
    (void)close(ends[1]);
    return s;
}

static void stop_server(const server *s)
{
    (void)kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, NULL, 0);
}

static void drive(pp_arena *arena, const load_server_options *options, const pp_load_level *level,
                  bool spin, pp_load_result *ret_result)
{
    static const char lines[] = "one\ntwo\nthree\n";
    pp_load_source_options wanted;
    pp_load_source *source = NULL;
    pp_prompts prompts;
    pp_load_setup setup;
    pp_error err = {0};
    server s = start_server(options);
    pp_status st = pp_prompts_parse(arena, "prompts",
                                    (pp_bytes){(const unsigned char *)lines, sizeof lines - 1},
                                    &prompts, &err);

    pp_load_source_options_default(&wanted);
    wanted.dialect.endpoint = PP_ENDPOINT_COMPLETION;
    wanted.reuse = PP_LOAD_UNSAID;
    wanted.prompts = &prompts;
    wanted.output = pp_lengths_fixed(options->event_count);
    if (st == PP_OK)
        st = pp_load_source_prepare(arena, NULL, &wanted, &source, &err);
    pp_load_setup_default(&setup);
    setup.base_url = s.url;
    setup.keep_alive = true;
    setup.spin = spin;
    setup.sample_of = pp_sample_of_exchange;
    if (st == PP_OK)
        st = pp_load_drive(arena, &setup, source, level, NULL, ret_result, &err);
    stop_server(&s);
    if (st != PP_OK) {
        fprintf(stderr, "bench_load_client: %s\n", err.text);
        exit(2);
    }
}

static int64_t count_ok(const pp_load_result *r, int64_t *ret_events)
{
    int64_t count = 0;

    *ret_events = 0;
    for (size_t i = 0; i < r->sample_count; i++) {
        if (r->samples[i].id.phase != PP_PHASE_MEASURED)
            continue;
        count += pp_sample_is_ok(&r->samples[i]);
        *ret_events += r->samples[i].text_event_count;
    }
    return count;
}

static int64_t peak_rss_kib(void)
{
    struct rusage use;

    return getrusage(RUSAGE_SELF, &use) == 0 ? use.ru_maxrss : 0;
}

static bool say(const char *what, double got, const char *unit, double limit, bool at_most)
{
    bool kept = at_most ? got <= limit : got >= limit;

    printf("load_client: %s: %.0f %s, limit %.0f: %s\n", what, got, unit, limit,
           kept ? "kept" : "exceeded");
    (void)fflush(stdout);
    return kept;
}

/* The rate that one core of the client would reach: what was done by the CPU time it took, of
 * measuring and decoding together. */
static bool throughput(int64_t seconds, bool events)
{
    load_server_options options = {.delay_ns = events ? 1 : 0,
                                   .gap_ns = events ? 1000 * 1000 : 0,
                                   .event_count = events ? 1000 : 1};
    pp_load_level level = {.number = 1,
                           .clients = events ? 256 : 64,
                           .duration_ns = pp_known_int(seconds * PP_NS_PER_S),
                           .warmup_count = 64};
    pp_arena arena = {0};
    pp_load_result r;
    int64_t event_count, ok;
    double wall, cpu;
    bool kept;

    drive(&arena, &options, &level, false, &r);
    cpu = r.observed.client_cpu_seconds;
    ok = count_ok(&r, &event_count);
    wall = (double)(r.observed.ended_at_ns - r.observed.measured_at_ns) / 1e9;
    printf("load_client: %lld ok, %lld events in %.2f s, %.2f s of CPU, %lld decoded in loop, "
           "%lld records\n",
           (long long)ok, (long long)event_count, wall, r.observed.client_cpu_seconds,
           (long long)r.observed.decoded_in_loop_count, (long long)r.observed.record_count_max);
    printf("load_client: %.0f requests/s and %.0f events/s by the clock\n", (double)ok / wall,
           (double)event_count / wall);
    kept = events ? say("events in their own segments, of one core", (double)event_count / cpu,
                        "/s", 150000, false)
                  : say("plain requests, of one core", (double)ok / cpu, "/s", 30000, false);
    pp_arena_done(&arena);
    return kept;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static bool lateness(int64_t seconds, bool spin)
{
    load_server_options options = {.delay_ns = 2 * PP_NS_PER_MS, .event_count = 4};
    pp_load_level level = {.number = 1,
                           .loop = PP_LOAD_OPEN,
                           .rate_per_second = 1000,
                           .duration_ns = pp_known_int(seconds * PP_NS_PER_S),
                           .warmup_count = 20};
    pp_arena arena = {0};
    pp_load_result r;
    int64_t *late_ns;
    size_t count = 0;
    bool kept;

    drive(&arena, &options, &level, spin, &r);
    late_ns = PP_ARENA_NEW(&arena, int64_t, r.sample_count);
    for (size_t i = 0; i < r.sample_count && late_ns != NULL; i++)
        if (r.samples[i].id.phase == PP_PHASE_MEASURED)
            late_ns[count++] = r.samples[i].started_ns - r.samples[i].scheduled_ns;
    qsort(late_ns, count, sizeof *late_ns, compare_times);
    printf("load_client: %zu issued of %lld, lateness p50 %lld ns, p99 %lld ns, stall %lld ns\n",
           count, (long long)r.observed.planned_count.value, (long long)late_ns[count / 2],
           (long long)late_ns[count * 99 / 100], (long long)r.observed.stall_ns_max);
    kept = say(spin ? "lateness p99 at 1000/s, spinning" : "lateness p99 at 1000/s",
               (double)late_ns[count * 99 / 100] / 1000, "us", 300, true);
    pp_arena_done(&arena);
    return kept && (int64_t)count == r.observed.planned_count.value;
}

static bool many_streams(void)
{
    load_server_options options = {
        .delay_ns = 3000 * PP_NS_PER_MS, .gap_ns = 500 * PP_NS_PER_MS, .event_count = 6};
    pp_load_level level = {.number = 1, .clients = 10000, .request_count = pp_known_int(10000)};
    pp_arena arena = {0};
    pp_load_result r;
    int64_t events;
    bool kept;

    drive(&arena, &options, &level, false, &r);
    kept = say("streams open at once", (double)r.observed.in_flight_max, "", 10000, false);
    kept = say("answered of them", (double)count_ok(&r, &events), "", 10000, false) && kept;
    kept = say("memory of 10000 streams", (double)peak_rss_kib() / 1024, "MiB", 200, true) && kept;
    pp_arena_done(&arena);
    return kept;
}

static bool wants(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

int main(int argc, char **argv)
{
    int64_t seconds = argc > 1 ? atoll(argv[1]) : 5;
    const char *only = argc > 2 ? argv[2] : NULL;
    bool kept = true;

    raise_files();
    if (wants(only, "streams")) /* first: the highest memory ever is looked at */
        kept = many_streams() && kept;
    if (wants(only, "lateness"))
        kept = lateness(seconds, false) && kept;
    if (wants(only, "spin"))
        kept = lateness(seconds, true) && kept;
    if (wants(only, "requests"))
        kept = throughput(seconds, false) && kept;
    if (wants(only, "events"))
        kept = throughput(seconds, true) && kept;
    return kept ? 0 : 1;
}
