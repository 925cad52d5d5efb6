/* bench_gateway PARETOPILOT [SECONDS [PART]] - what the gateway costs between a client and a
 * server, with nginx as a plain proxy on the same way beside it. Parts: streams, latency, requests.
 * docs/method/gateway-cost.md says how each is measured.
 *
 * The server behind is the simulated one. A figure of one run alone says little: what is judged are
 * medians of rounds in which direct, nginx and the gateway are measured one after the other (K18).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "load_bench.h"
#include "loads.h"
#include "machine/process_cpu.h"
#include "machine/process_memory.h"
#include "machine/tree.h"

#define ROUNDS      7
#define CLIENT_CPU  0
#define STREAMS     1000
#define CONNECTIONS 64
#define PATIENCE_NS (10 * PP_NS_PER_S)

typedef struct bench {
    const char *paretopilot;
    int64_t seconds; /* of all rounds of one way together */
    int proxy_cpu;
    char folder[32];
} bench;

/* ---- the ways -------------------------------------------------------------------------------- */

typedef enum way { DIRECT, NGINX, GATEWAY, WAY_COUNT } way;

static const char *const way_names[] = {"direct", "nginx", "gateway"};

/* The server and what stands in front of it; each listens as long as the other ways are measured,
 * idle. */
typedef struct ways {
    bench_server servers[WAY_COUNT];
} ways;

static void write_file(const bench *b, const char *name, const char *text, char *path, size_t size)
{
    FILE *file;

    (void)snprintf(path, size, "%s/%s", b->folder, name);
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        bench_give_up("cannot write '%s'", path);
}

/* As a peer it gets what a proxy for streams wants (K28), and writes no log either. */
static const char nginx_text[] =
    "daemon off;\nmaster_process off;\nworker_processes 1;\nworker_rlimit_nofile 8192;\n"
    "pid nginx.pid;\nerror_log error.log crit;\nevents { worker_connections 4096; }\n"
    "http {\n  access_log off;\n  keepalive_requests 1000000000;\n"
    "  client_body_temp_path body;\n  proxy_temp_path proxy;\n  fastcgi_temp_path fastcgi;\n"
    "  uwsgi_temp_path uwsgi;\n  scgi_temp_path scgi;\n"
    "  upstream behind { server %s; keepalive 1024; keepalive_requests 1000000000; }\n"
    "  server {\n    listen 127.0.0.1:%d backlog=4096;\n    location / {\n"
    "      proxy_pass http://behind;\n      proxy_http_version 1.1;\n"
    "      proxy_set_header Connection \"\";\n      proxy_buffering off;\n    }\n  }\n}\n";

static const char gateway_text[] =
    "{\"schema_version\":\"1.0\",\"document\":\"serve-config\",\"listen\":{\"port\":0},\n"
    " \"backends\":[{\"id\":\"sim\",\"url\":\"%s\",\"max_in_flight\":4096}],\n"
    " \"models\":[{\"name\":\"simulated\",\"backends\":[\"sim\"]}],\n"
    " \"limits\":{\"connections\":4096}}\n";

static int unused_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        bench_give_up("no free port: %s", strerror(errno));
    (void)close(fd);
    return ntohs(address.sin_port);
}

static bool answers(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool connected;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    (void)close(fd);
    return connected;
}

static bench_server start_nginx(const bench *b, const char *behind, int cpu)
{
    const char *program = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx";
    int64_t until_ns = pp_clock_now_ns() + PATIENCE_NS;
    int port = unused_port();
    bench_server server;
    char text[2048];
    char path[64];
    const char *const arguments[] = {program, "-p", b->folder, "-e", "error.log", "-c", path, NULL};

    (void)snprintf(text, sizeof text, nginx_text, behind + strlen("http://"), port);
    write_file(b, "nginx.conf", text, path, sizeof path);
    server.child = bench_start(arguments, cpu, 0);
    (void)snprintf(server.url, sizeof server.url, "http://127.0.0.1:%d", port);
    while (!answers(port)) {
        if (pp_clock_now_ns() > until_ns)
            bench_give_up("nginx, from the package nginx-light, is missing or did not start");
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 20 * PP_NS_PER_MS);
    }
    return server;
}

static bench_server start_gateway(const bench *b, const char *behind, int cpu)
{
    char text[1024];
    char path[64];
    const char *const arguments[] = {b->paretopilot, "serve", path, NULL};

    (void)snprintf(text, sizeof text, gateway_text, behind);
    write_file(b, "serve.json", text, path, sizeof path);
    return bench_program_start(arguments, cpu, 0);
}

static ways start_ways(const bench *b, const char *const *sim_options, int server_cpu,
                       int proxy_cpu)
{
    ways w;

    w.servers[DIRECT] = bench_server_start(b->paretopilot, sim_options, server_cpu, 0);
    w.servers[NGINX] = start_nginx(b, w.servers[DIRECT].url, proxy_cpu);
    w.servers[GATEWAY] = start_gateway(b, w.servers[DIRECT].url, proxy_cpu);
    return w;
}

static void stop_ways(ways *w)
{
    for (size_t i = WAY_COUNT; i-- > 0;)
        bench_stop(&w->servers[i].child);
}

/* ---- streams open at once -------------------------------------------------------------------- */

static double peak_mib(pid_t pid)
{
    pp_process_memory memory;
    pp_error err = {0};

    if (pp_process_memory_read("/", pid, &memory, &err) != PP_OK)
        bench_give_up("%s", err.text);
    if (!memory.peak_rss_bytes.known)
        bench_give_up("the memory of process %d is not told", (int)pid);
    return (double)memory.peak_rss_bytes.value / (1 << 20);
}

static bool streams(const bench *b)
{
    static const char *const options[] = {"--slots",      "1000",  "--prefill", "0.3s",
                                          "--token-time", "100ms", NULL};
    pp_load_level level = {.number = 1, .clients = STREAMS, .request_count = pp_known_int(STREAMS)};
    ways w = start_ways(b, options, -1, -1);
    bench_load load = {
        .url = w.servers[GATEWAY].url, .output_tokens = 30, .prompt_count = 64, .text = true};
    pp_arena arena = {0};
    pp_load_result r;
    double memory_mib;
    bool kept;

    bench_drive(&arena, &load, &level, &r);
    memory_mib = peak_mib(w.servers[GATEWAY].child.pid);
    stop_ways(&w);
    kept = bench_say("gateway: streams open at once", (double)r.observed.in_flight_max, 0, "",
                     STREAMS, false);
    kept =
        bench_say("gateway: answered of them", (double)bench_count_ok(&r), 0, "", STREAMS, false) &&
        kept;
    kept = bench_say("gateway: its memory at most", memory_mib, 1, " MiB", 64, true) && kept;
    pp_arena_done(&arena);
    return kept;
}

/* ---- added latency --------------------------------------------------------------------------- */

typedef struct latency_of {
    double p50_us, p99_us;
} latency_of;

/* From the first byte of the request to the last of the reply, at a rate that nobody is busy with.
 */
static latency_of measure(const char *url, int64_t duration_ns)
{
    pp_load_level level = {.number = 1,
                           .loop = PP_LOAD_OPEN,
                           .rate_per_second = 1000,
                           .arrivals = PP_ARRIVALS_CONSTANT,
                           .duration_ns = pp_known_int(duration_ns),
                           .warmup_count = 50,
                           .seed = 1};
    bench_load load = {.url = url, .output_tokens = 1, .prompt_count = 1000, .text = true};
    pp_arena arena = {0};
    pp_load_result r;
    latency_of found;
    int64_t *took_ns;
    size_t count = 0;

    bench_drive(&arena, &load, &level, &r);
    took_ns = PP_ARENA_NEW(&arena, int64_t, r.sample_count);
    if (took_ns == NULL)
        bench_give_up("out of memory");
    for (size_t i = 0; i < r.sample_count; i++) {
        const pp_sample *s = &r.samples[i];

        if (s->id.phase != PP_PHASE_MEASURED)
            continue;
        if (!s->http_status.known || s->http_status.value != 200 || s->stream_end_ns <= 0)
            bench_give_up("'%s' did not answer a request well", url);
        took_ns[count++] = s->stream_end_ns;
    }
    bench_sort(took_ns, count);
    found.p50_us = (double)bench_percentile(took_ns, count, 50) / 1e3;
    found.p99_us = (double)bench_percentile(took_ns, count, 99) / 1e3;
    pp_arena_done(&arena);
    return found;
}

static bool say_added(way which, double *p50_us, double *p99_us, bool judged)
{
    double p50 = bench_median(p50_us, ROUNDS);
    double p99 = bench_median(p99_us, ROUNDS);
    bool kept;

    if (!judged) {
        printf("gateway: added by %s at 1000/s, medians: p50 %.1f us, p99 %.1f us\n",
               way_names[which], p50, p99);
        return true;
    }
    kept = bench_say("gateway: added at 1000/s, median", p50, 1, " us, p50", 120, true);
    return bench_say("gateway: added at 1000/s, median", p99, 1, " us, p99", 500, true) && kept;
}

static bool latency(const bench *b)
{
    static const char *const options[] = {"--null", NULL};
    double p50_us[WAY_COUNT][ROUNDS], p99_us[WAY_COUNT][ROUNDS];
    ways w = start_ways(b, options, -1, -1);
    bool kept;

    for (int i = 0; i < ROUNDS; i++) {
        latency_of direct = {0};

        printf("gateway: round %d at 1000/s, p50/p99 in us:", i + 1);
        for (size_t which = 0; which < WAY_COUNT; which++) {
            latency_of found = measure(w.servers[which].url, b->seconds * PP_NS_PER_S / ROUNDS);

            direct = which == DIRECT ? found : direct;
            p50_us[which][i] = found.p50_us - direct.p50_us;
            p99_us[which][i] = found.p99_us - direct.p99_us;
            printf(" %s %.1f/%.1f", way_names[which], found.p50_us, found.p99_us);
            (void)fflush(stdout);
        }
        printf("\n");
    }
    stop_ways(&w);
    kept = say_added(NGINX, p50_us[NGINX], p99_us[NGINX], false);
    return say_added(GATEWAY, p50_us[GATEWAY], p99_us[GATEWAY], true) && kept;
}

/* ---- as many as it can ----------------------------------------------------------------------- */

#define BODY "{\"model\":\"simulated\",\"prompt\":\"say 0000001\",\"max_tokens\":1}"

/* Of the process so far, its kernel time included. */
static double cpu_s(pid_t pid)
{
    char path[PP_TREE_PATH_MAX], text[1024];
    pp_process_cpu cpu;
    pp_scan scan;

    if (!pp_tree_path(path, "/", "proc/%d/stat", (int)pid) ||
        !pp_tree_read(path, text, sizeof text, &scan) || !pp_process_cpu_parse(scan, &cpu))
        bench_give_up("cannot read the time of process %d", (int)pid);
    return (double)cpu.own_ticks / (double)sysconf(_SC_CLK_TCK);
}

typedef struct wrk_result {
    double per_second;
    double requests; /* all of them: it runs a little longer than it was told */
} wrk_result;

/* "  12345 requests in 1.10s, 1.23MB read", and "Requests/sec:  11222.33". */
static wrk_result wrk_result_of(const char *said)
{
    const char *count = strstr(said, " requests in ");
    const char *rate = strstr(said, "Requests/sec:");
    wrk_result result;

    if (count == NULL || rate == NULL || strstr(said, "Non-2xx") != NULL ||
        strstr(said, "Socket errors") != NULL)
        bench_give_up("wrk, from the package of that name, is missing, or failed: %s", said);
    while (count > said && count[-1] >= '0' && count[-1] <= '9')
        count--;
    result.per_second = strtod(rate + strlen("Requests/sec:"), NULL);
    result.requests = strtod(count, NULL);
    if (!(result.requests > 0))
        bench_give_up("wrk got no answer: %s", said);
    return result;
}

static wrk_result run_wrk(const char *script, const char *base_url, int64_t seconds)
{
    char duration[24], connections[16], url[96];
    const char *const arguments[] = {"wrk", "-t1",  connections, "-d", duration,
                                     "-s",  script, url,         NULL};
    char said[4096];
    size_t size = 0;
    ssize_t got;
    bench_child wrk;

    (void)snprintf(url, sizeof url, "%s/v1/completions", base_url);
    (void)snprintf(duration, sizeof duration, "%llds", (long long)seconds);
    (void)snprintf(connections, sizeof connections, "-c%d", CONNECTIONS);
    wrk = bench_start(arguments, CLIENT_CPU, 0);
    while (size < sizeof said - 1 &&
           (got = read(wrk.output, said + size, sizeof said - 1 - size)) > 0)
        size += (size_t)got;
    said[size] = '\0';
    bench_stop(&wrk);
    return wrk_result_of(said);
}

/* The proxy has a processor of its own, client and server share another one: what is measured is
 * what one core of a proxy carries, as long as direct is well above it. */
static bool requests(const bench *b)
{
    static const char *const options[] = {"--null", NULL};
    int64_t round_s = b->seconds / ROUNDS < 1 ? 1 : b->seconds / ROUNDS;
    ways w = start_ways(b, options, CLIENT_CPU, b->proxy_cpu);
    double rates[ROUNDS], ratios[ROUNDS], spare[ROUNDS], cpu_us[WAY_COUNT][ROUNDS];
    char script[64];
    bool kept;

    write_file(b, "wrk.lua",
               "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\n"
               "wrk.body = [==[" BODY "]==]\n",
               script, sizeof script);
    for (int i = 0; i < ROUNDS; i++) {
        double found[WAY_COUNT];

        for (size_t which = 0; which < WAY_COUNT; which++) {
            double before_s = cpu_s(w.servers[which].child.pid);

            wrk_result wrk = run_wrk(script, w.servers[which].url, round_s);

            found[which] = wrk.per_second;
            cpu_us[which][i] = (cpu_s(w.servers[which].child.pid) - before_s) * 1e6 / wrk.requests;
        }
        rates[i] = found[GATEWAY];
        ratios[i] = found[GATEWAY] / found[NGINX];
        spare[i] = found[DIRECT] / found[GATEWAY];
        printf("gateway: round %d, requests/s: direct %.0f, nginx %.0f, gateway %.0f: %.3f\n",
               i + 1, found[DIRECT], found[NGINX], found[GATEWAY], ratios[i]);
        (void)fflush(stdout);
    }
    stop_ways(&w);
    printf("gateway: direct carries %.1f times as many, median\n", bench_median(spare, ROUNDS));
    printf("gateway: CPU of one request, medians: nginx %.1f us, gateway %.1f us\n",
           bench_median(cpu_us[NGINX], ROUNDS), bench_median(cpu_us[GATEWAY], ROUNDS));
    kept = bench_say("gateway: requests of one core, median", bench_median(rates, ROUNDS), 0, "/s",
                     10000, false);
    return bench_say("gateway: requests against nginx on the same core, median",
                     bench_median(ratios, ROUNDS), 3, " x", 0.5, false) &&
           kept;
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*run)(const bench *b);
} parts[] = {{"streams", streams}, {"latency", latency}, {"requests", requests}};

static void make_folder(bench *b)
{
    (void)strcpy(b->folder, "/tmp/gateway-XXXXXX");
    if (mkdtemp(b->folder) == NULL)
        bench_give_up("no folder below /tmp");
}

static void remove_folder(const bench *b)
{
    static const char *const names[] = {"nginx.conf", "serve.json", "wrk.lua", "error.log",
                                        "nginx.pid",  "body",       "proxy",   "fastcgi",
                                        "uwsgi",      "scgi"};
    char path[64];

    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
        (void)remove(path);
    }
    (void)rmdir(b->folder);
}

int main(int argc, char **argv)
{
    bench b = {.proxy_cpu = bench_cpu_count() - 1};
    const char *only = argc > 3 ? argv[3] : NULL;
    bool kept = true;

    if (argc < 2)
        bench_give_up("usage: bench_gateway PARETOPILOT [SECONDS [PART]]");
    b.paretopilot = argv[1];
    b.seconds = argc > 2 ? load_number("SECONDS", argv[2], 1, 3600) : 20;
    make_folder(&b);
    bench_raise_files();
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < PP_COUNT_OF(parts); i++)
        if (only == NULL || strcmp(only, parts[i].name) == 0)
            kept = parts[i].run(&b) && kept;
    remove_folder(&b);
    return kept ? 0 : 1;
}
