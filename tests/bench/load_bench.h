/* load_bench.h - what the benches of the load client share: the simulated server as a process of
 * its own, a level against it by the client's usual way, verdicts.
 *
 * A bench that cannot do its work says so and ends with exit code 3; nothing here returns errors.
 */
#ifndef PP_TESTS_LOAD_BENCH_H
#define PP_TESTS_LOAD_BENCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "load/drive.h"

/* Says why and ends the program with exit code 3. */
_Noreturn void bench_give_up(const char *format, ...) PP_PRINTF(1, 2);

/** Processors that this process may use. */
int bench_cpu_count(void);
/** Run here only, threads made from now on too; -1 is everywhere again. */
void bench_pin(int cpu);
/** The highest number of open files that is allowed. */
void bench_raise_files(void);

typedef struct bench_child {
    pid_t pid;
    int output; /* reads its standard output */
} bench_child;

/** Start a program. arguments[0] is its file; the list ends in NULL. cpu: as bench_pin. nice: added
 * to ours. */
bench_child bench_start(const char *const *arguments, int cpu, int nice);
/** Ask it to end, wait for it. */
void bench_stop(bench_child *child);

typedef struct bench_server {
    bench_child child;
    char url[64];
} bench_server;

/** `paretopilot sim` with these further options. */
bench_server bench_server_start(const char *paretopilot, const char *const *options, int cpu,
                                int nice);
/** Any program that tells its URL in its first line. */
bench_server bench_program_start(const char *const *arguments, int cpu, int nice);

typedef struct bench_load {
    const char *url;
    int64_t output_tokens;
    int64_t prompt_count; /* so many different bodies */
    bool spin;
    bool text;                 /* /v1/completions; else llama-server's /completion */
    pp_load_sampler sample_of; /* NULL: the usual one */
    pp_maybe_int server_pid;   /* known: its CPU time is looked at, too */
} bench_load;

/** Completions for a llama-server, streamed, on kept connections. */
void bench_prepare(pp_arena *arena, const bench_load *load, pp_load_source **ret_source);
/** Samples live in `arena`. */
void bench_drive(pp_arena *arena, const bench_load *load, const pp_load_level *level,
                 pp_load_result *ret_result);
/** Measured requests that ended well. */
int64_t bench_count_ok(const pp_load_result *result);

/** One line: value, limit, kept or exceeded. True when kept. `digits` behind the point. */
bool bench_say(const char *what, double got, int digits, const char *unit, double limit,
               bool at_most);

/** Ascending; in place. */
void bench_sort(int64_t *values, size_t count);
/** Nearest rank of a sorted list. */
int64_t bench_percentile(const int64_t *sorted, size_t count, double percent);
double bench_median(double *values, size_t count);

#endif
