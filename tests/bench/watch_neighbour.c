/* watch_neighbour [TRIES [SEED [THREADS]]] - does the noise watch find a small neighbour, and only
 * that?
 *
 * TRIES runs of 10 s with a neighbour nobody registered: 20 % of one core (20 ms of CPU time in
 * every 100 ms) for 2 s, beginning at a seeded random instant of the first 8 s. Each is followed by
 * a run without it. In all of them a registered child computes with THREADS threads (as many as
 * CPUs, which is what a server does). Runs never overlap. The truth about the neighbour is what
 * wait4 says. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "loads.h"
#include "machine/watch.h"
#include "stats/random.h"

#define RUN_NS    (10 * PP_NS_PER_S)
#define BURST_NS  (2 * PP_NS_PER_S)
#define BUSY_MS   20 /* of every 100 */
#define SETTLE_NS (500 * PP_NS_PER_MS)

typedef struct run_outcome {
    pp_watch_result result;
    double neighbour_ms;
} run_outcome;

static void give_up(const pp_error *err)
{
    fprintf(stderr, "watch_neighbour: %s\n", err->text);
    exit(3);
}

/* begin_ns < 0: no neighbour */
static void run_once(int threads, int64_t begin_ns, run_outcome *ret)
{
    pp_watch_options options;
    pp_watch *watch = NULL;
    pp_error err = {0};
    struct rusage usage;
    pid_t child, neighbour = 0;
    int64_t end_ns;

    pp_clock_sleep_until_ns(pp_clock_now_ns() + SETTLE_NS);
    pp_watch_options_default(&options);
    if (pp_watch_start(&options, &watch, &err) != PP_OK)
        give_up(&err);
    end_ns = pp_clock_now_ns() + RUN_NS;
    child = load_start_busy(threads, 0);
    if (pp_watch_track(watch, child, &err) != PP_OK)
        give_up(&err);
    if (begin_ns >= 0)
        neighbour = load_start_pulses(begin_ns, BUSY_MS, BURST_NS);
    pp_clock_sleep_until_ns(end_ns);
    load_end(child, 1, &usage);
    pp_watch_untrack(watch, child, &usage);
    pp_watch_stop(watch, &ret->result);
    ret->neighbour_ms = 0;
    if (neighbour != 0) {
        load_end(neighbour, 0, &usage);
        ret->neighbour_ms = load_cpu_ms(&usage);
    }
}

static int is_foreign(const pp_watch_result *result)
{
    for (size_t i = 0; i < result->reason_count; i++) {
        if (result->reasons[i].cause == PP_WATCH_FOREIGN_CPU)
            return 1;
    }
    return 0;
}

static void print_run(const char *what, long number, int64_t begin_ns, const run_outcome *outcome)
{
    const pp_watch_result *result = &outcome->result;

    printf("%-9s %2ld: %-9s peak %6.2f %%, mean %5.2f %%, steal %.2f %%", what, number,
           pp_watch_verdict_name(result->verdict), result->foreign_percent_peak.value,
           result->foreign_percent_mean.value, result->steal_percent.value);
    if (begin_ns >= 0)
        printf("; it used %.0f ms from %.3f s, seen from %.3f s", outcome->neighbour_ms,
               (double)begin_ns / 1e9, (double)result->foreign_peak_at_ns.value / 1e9);
    for (size_t i = 0; i < result->reason_count; i++)
        printf("; %s", pp_watch_cause_name(result->reasons[i].cause));
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    long tries = argc > 1 ? load_number("TRIES", argv[1], 1, 1000) : 20;
    uint64_t random = (uint64_t)(argc > 2 ? load_number("SEED", argv[2], 0, 1000000000) : 1);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = (int)(argc > 3 ? load_number("THREADS", argv[3], 1, 1024) : cpus);
    long found = 0, false_alarms = 0;
    run_outcome outcome;

    for (long i = 1; i <= tries; i++) {
        int64_t begin_ns = (int64_t)(pp_random_next(&random) % (uint64_t)(RUN_NS - BURST_NS));

        run_once(threads, begin_ns, &outcome);
        found += is_foreign(&outcome.result);
        print_run("neighbour", i, begin_ns, &outcome);
        run_once(threads, -1, &outcome);
        false_alarms += outcome.result.verdict != PP_WATCH_QUIET;
        print_run("quiet", i, -1, &outcome);
    }
    printf(
        "watch_neighbour: found %ld of %ld (20 %% of a core for 2 s in 10 s), flagged %ld of %ld "
        "quiet runs; %d registered threads on %ld CPUs\n",
        found, tries, false_alarms, tries, threads, cpus);
    return found == tries && false_alarms == 0 ? 0 : 1;
}
