/* watch_overhead [SECONDS [PROCESSES]] - what the noise watch costs, in percent of one core.
 *
 * This process has two threads: the watch's, and the main one, which sleeps. CPU time of the
 * process less CPU time of the main thread is the watch's, in the scheduler's nanoseconds. The
 * watch follows a registered tree of PROCESSES processes (a server with what it starts; 1 of them,
 * with as many threads as CPUs, the others with one). Starting and stopping are not counted: no
 * request runs then. A watch that hardly looked costs nothing, so half of the samples that were due
 * must have been taken. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "loads.h"
#include "machine/watch.h"

#define LIMIT_PERCENT 0.2

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return now.tv_sec * PP_NS_PER_S + now.tv_nsec;
}

static int64_t watch_thread_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int main(int argc, char **argv)
{
    long seconds = argc > 1 ? load_number("SECONDS", argv[1], 1, 3600) : 30;
    long processes = argc > 2 ? load_number("PROCESSES", argv[2], 1, 100) : 3;
    pp_watch_options options;
    pp_watch_result result;
    pp_watch *watch = NULL;
    pp_error err = {0};
    struct rusage usage;
    int64_t begin_ns, used_ns, wall_ns;
    double percent;
    bool looked, kept;
    pid_t tree;

    pp_watch_options_default(&options);
    if (pp_watch_start(&options, &watch, &err) != PP_OK) {
        fprintf(stderr, "watch_overhead: %s\n", err.text);
        return 3;
    }
    tree = load_start_busy((int)sysconf(_SC_NPROCESSORS_ONLN), (int)processes - 1);
    if (pp_watch_track(watch, tree, &err) != PP_OK) {
        fprintf(stderr, "watch_overhead: %s\n", err.text);
        return 3;
    }
    begin_ns = pp_clock_now_ns();
    used_ns = watch_thread_ns();
    pp_clock_sleep_until_ns(begin_ns + seconds * PP_NS_PER_S);
    used_ns = watch_thread_ns() - used_ns;
    wall_ns = pp_clock_now_ns() - begin_ns;
    load_end(tree, 1, &usage);
    pp_watch_untrack(watch, tree, &usage);
    pp_watch_stop(watch, &result);
    percent = 100 * (double)used_ns / (double)wall_ns;
    looked = result.samples_taken >= wall_ns / options.interval_ns / 2;
    kept = looked && percent <= LIMIT_PERCENT;
    printf("watch_overhead: %.4f %% of one core, limit %.1f %%: %s (%.2f ms of CPU in %.1f s, %lld "
           "samples, %lld missed, %ld registered processes)\n",
           percent, LIMIT_PERCENT,
           kept     ? "kept"
           : looked ? "exceeded"
                    : "too few samples",
           (double)used_ns / 1e6, (double)wall_ns / 1e9, (long long)result.samples_taken,
           (long long)result.samples_missed, processes);
    return kept ? 0 : 1;
}
