#include "load_bench.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "intake/server_stream.h"
#include "stats/percentile.h"

#define MAX_ARGUMENTS    32
#define PROMPT_MAX_BYTES ((size_t)16)

void bench_give_up(const char *format, ...)
{
    va_list args;

    (void)fflush(stdout);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(3);
}

/* ---- processors, files ----------------------------------------------------------------------- */

/* As it was when the program began. */
static const cpu_set_t *all_cpus(void)
{
    static cpu_set_t all;
    static bool known;

    if (!known && sched_getaffinity(0, sizeof all, &all) != 0)
        bench_give_up("sched_getaffinity: %s", strerror(errno));
    known = true;
    return &all;
}

int bench_cpu_count(void)
{
    return CPU_COUNT(all_cpus());
}

/* The n-th processor that may be used. */
static cpu_set_t nth_cpu(int n)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, all_cpus()) && n-- == 0)
            CPU_SET(i, &one);
    }
    return one;
}

void bench_pin(int cpu)
{
    cpu_set_t set = cpu < 0 ? *all_cpus() : nth_cpu(cpu);

    if (sched_setaffinity(0, sizeof set, &set) != 0)
        bench_give_up("sched_setaffinity: %s", strerror(errno));
}

void bench_raise_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* ---- other programs -------------------------------------------------------------------------- */

static _Noreturn void become(const char *const *arguments, int output, int cpu, int nice_by)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_pin(cpu);
    errno = 0;
    if (nice_by != 0 && nice(nice_by) == -1 && errno != 0)
        _exit(126);
    (void)dup2(output, STDOUT_FILENO);
    (void)execvp(arguments[0], (char *const *)(uintptr_t)arguments); /* changes none of them */
    _exit(127);
}

bench_child bench_start(const char *const *arguments, int cpu, int nice_by)
{
    bench_child child;
    int ends[2];

    (void)all_cpus();
    if (pipe(ends) != 0)
        bench_give_up("pipe: %s", strerror(errno));
    (void)fflush(NULL);
    child.pid = fork();
    if (child.pid == 0)
        become(arguments, ends[1], cpu, nice_by);
    if (child.pid < 0)
        bench_give_up("fork: %s", strerror(errno));
    (void)close(ends[1]);
    child.output = ends[0];
    return child;
}

void bench_stop(bench_child *child)
{
    (void)kill(child->pid, SIGTERM);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    (void)close(child->output);
}

bench_server bench_server_start(const char *paretopilot, const char *const *options, int cpu,
                                int nice_by)
{
    const char *arguments[MAX_ARGUMENTS] = {paretopilot, "sim"};
    size_t n = 2;

    while (options[n - 2] != NULL && n < MAX_ARGUMENTS - 1) {
        arguments[n] = options[n - 2];
        n++;
    }
    return bench_program_start(arguments, cpu, nice_by);
}

bench_server bench_program_start(const char *const *arguments, int cpu, int nice_by)
{
    bench_server server = {0};
    size_t size = 0;

    server.child = bench_start(arguments, cpu, nice_by);
    while (size < sizeof server.url - 1 && read(server.child.output, server.url + size, 1) == 1 &&
           server.url[size] != '\n')
        size++;
    server.url[size] = '\0';
    if (strncmp(server.url, "http://", 7) != 0)
        bench_give_up("'%s %s' did not start", arguments[0], arguments[1]);
    return server;
}

/* ---- a level --------------------------------------------------------------------------------- */

void bench_prepare(pp_arena *arena, const bench_load *load, pp_load_source **ret_source)
{
    pp_load_source_options wanted;
    pp_prompts *prompts = PP_ARENA_NEW(arena, pp_prompts, 1);
    pp_error err = {0};
    pp_status st;
    pp_buf lines;

    pp_buf_init(&lines, (size_t)load->prompt_count * PROMPT_MAX_BYTES);
    for (int64_t i = 0; i < load->prompt_count; i++)
        pp_buf_printf(&lines, "say %07lld\n", (long long)i);
    st = pp_buf_check(&lines, "prompts", &err);
    if (st == PP_OK)
        st = pp_prompts_parse(arena, "prompts",
                              (pp_bytes){(const unsigned char *)pp_buf_text(&lines), lines.size},
                              prompts, &err);
    pp_load_source_options_default(&wanted);
    wanted.dialect.endpoint = load->text ? PP_ENDPOINT_TEXT : PP_ENDPOINT_COMPLETION;
    wanted.reuse = PP_LOAD_UNSAID;
    wanted.prompts = prompts;
    wanted.output = pp_lengths_fixed(load->output_tokens);
    if (st == PP_OK)
        st = pp_load_source_prepare(arena, NULL, &wanted, ret_source, &err);
    pp_buf_done(&lines);
    if (st != PP_OK)
        bench_give_up("%s", err.text);
}

void bench_drive(pp_arena *arena, const bench_load *load, const pp_load_level *level,
                 pp_load_result *ret_result)
{
    pp_load_source *source = NULL;
    pp_load_setup setup;
    pp_error err = {0};

    bench_prepare(arena, load, &source);
    pp_load_setup_default(&setup);
    setup.base_url = load->url;
    setup.keep_alive = true;
    setup.spin = load->spin;
    setup.server_pid = load->server_pid;
    setup.sample_of = load->sample_of == NULL ? pp_sample_of_exchange : load->sample_of;
    if (pp_load_drive(arena, &setup, source, level, NULL, ret_result, &err) != PP_OK)
        bench_give_up("%s", err.text);
}

/* ---- figures --------------------------------------------------------------------------------- */

int64_t bench_count_ok(const pp_load_result *result)
{
    int64_t count = 0;

    for (size_t i = 0; i < result->sample_count; i++)
        count += result->samples[i].id.phase == PP_PHASE_MEASURED &&
                 pp_sample_is_ok(&result->samples[i]);
    return count;
}

bool bench_say(const char *what, double got, int digits, const char *unit, double limit,
               bool at_most)
{
    bool kept = at_most ? got <= limit : got >= limit;

    printf("%s: %.*f%s, limit %.*f: %s\n", what, digits, got, unit, digits, limit,
           kept ? "kept" : "exceeded");
    (void)fflush(stdout);
    return kept;
}

static int compare_values(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

void bench_sort(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
}

int64_t bench_percentile(const int64_t *sorted, size_t count, double percent)
{
    if (count == 0)
        bench_give_up("no figure to take a percentile of");
    return sorted[pp_percentile_rank(count, percent) - 1];
}

static int compare_reals(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return (a > b) - (a < b);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_reals);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
