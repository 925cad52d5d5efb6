/* watch.h - was the machine ours while we measured?
 *
 * A thread samples the machine's CPU time, our own and that of registered children, and says at the
 * end whether others computed beside us. It allocates and logs nothing while it runs and keeps its
 * files open. Times are percent of ONE core unless a field says otherwise. What is counted and how
 * exact it is: docs/method/noise-watch.md. */
#ifndef PP_MACHINE_WATCH_H
#define PP_MACHINE_WATCH_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/maybe.h"

typedef struct pp_watch pp_watch;

typedef struct pp_watch_options {
    const char *root;             /* "/"; borrowed until stop */
    int64_t interval_ns;          /* between samples, 10 ms to 10 s */
    int64_t window_ns;            /* 2 to 1,000 intervals */
    double foreign_limit_percent; /* of one core over any window */
    double steal_limit_percent;   /* of all CPU time over the run */
} pp_watch_options;

/** "/", 250 ms, 2 s, 5 %, 1 %. */
void pp_watch_options_default(pp_watch_options *ret_options);

typedef enum pp_watch_verdict {
    PP_WATCH_UNDECIDED, /* shorter than half a second: too short to judge */
    PP_WATCH_QUIET,
    PP_WATCH_DISTURBED
} pp_watch_verdict;

typedef enum pp_watch_cause {
    PP_WATCH_FOREIGN_CPU,      /* percent of one core over a window */
    PP_WATCH_STEAL,            /* percent of all CPU time over the run */
    PP_WATCH_CGROUP_THROTTLED, /* periods in which our own group's quota stopped us */
    PP_WATCH_THERMAL_THROTTLED /* events in which heat slowed the CPUs */
} pp_watch_cause;

#define PP_WATCH_MAX_REASONS 4

typedef struct pp_watch_reason {
    pp_watch_cause cause;
    double measured, limit;
    pp_maybe_int at_ns; /* where in the run it began; absent for sums over the run */
} pp_watch_reason;

typedef struct pp_watch_result {
    pp_watch_verdict verdict;
    pp_watch_reason reasons[PP_WATCH_MAX_REASONS];
    size_t reason_count;

    int64_t duration_ns, interval_ns, window_ns;
    double foreign_limit_percent, steal_limit_percent;
    int64_t cpu_count;
    int64_t samples_taken, samples_missed;
    int64_t descendants_not_followed_count; /* more than the table holds; they count as foreign */

    pp_maybe_real foreign_percent_peak; /* highest confirmed window */
    pp_maybe_int foreign_peak_at_ns;    /* its begin in the run */
    pp_maybe_real foreign_percent_mean; /* over the run */
    pp_maybe_real steal_percent;        /* of all CPU time */
    pp_maybe_real own_percent;          /* this process: the client */
    pp_maybe_real children_percent;     /* the registered processes */

    pp_maybe_int psi_cpu_some_us, psi_memory_some_us; /* time in which somebody waited */
    pp_maybe_int cgroup_throttled_count, cgroup_throttled_ns;
    pp_maybe_int major_faults_count; /* whole machine */
    pp_maybe_int frequency_min_khz, frequency_max_khz;
    pp_maybe_int thermal_throttled_count;
} pp_watch_result;

const char *pp_watch_verdict_name(pp_watch_verdict verdict); /* "quiet" */
const char *pp_watch_cause_name(pp_watch_cause cause);       /* "foreign-cpu" */
const char *pp_watch_cause_unit(pp_watch_cause cause);       /* "% of one core" */

/** Fails with PP_ERR_RANGE for bad options, PP_ERR_UNAVAILABLE where <root>/proc/stat cannot be
 * used. The caller ends it by pp_watch_stop. */
PP_MUST_CHECK pp_status pp_watch_start(const pp_watch_options *options, pp_watch **ret_watch,
                                       pp_error *err);

/**
 * From now on the process and all it starts are ours. One that was born after the watch began
 * counts from its birth: call it right after the spawn. Any thread.
 * Fails with PP_ERR_UNAVAILABLE when it has ended, PP_ERR_EXISTS, PP_ERR_LIMIT (64 processes).
 */
PP_MUST_CHECK pp_status pp_watch_track(pp_watch *watch, pid_t pid, pp_error *err);

/** The process was waited for: `final` of wait4 replaces what was sampled last; NULL keeps that.
 * Unknown process ids are ignored. Any thread. */
void pp_watch_untrack(pp_watch *watch, pid_t pid, const struct rusage *final);

/** Ends the thread, writes the result and frees the watch. ret_result may be NULL. */
void pp_watch_stop(pp_watch *watch, pp_watch_result *ret_result);

#endif
