#include "machine/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/cgroup.h"
#include "machine/proc_stat.h"
#include "machine/tree.h"
#include "machine/watch_meter.h"
#include "machine/watch_processes.h"

#define MIN_INTERVAL_NS      (10 * PP_NS_PER_MS)
#define MAX_INTERVAL_NS      (10 * PP_NS_PER_S)
#define MAX_WINDOW_INTERVALS 1000

/* Only the front of /proc/stat is wanted; 1,024 CPUs have some 100 KiB of cpu lines. */
#define STAT_MAX_BYTES ((size_t)256 << 10)

#define SLOW_EVERY          4 /* samples between looks at frequencies and at all threads' children */
#define MAX_FREQUENCY_FILES 8
#define TEXT_MAX_BYTES      16384

/* Totals that are read at the begin and at the end only. */
typedef struct totals {
    pp_maybe_int psi_cpu_some_us, psi_memory_some_us;
    pp_maybe_int throttled_count, throttled_ns;
    pp_maybe_int major_faults, thermal;
} totals;

struct pp_watch {
    pp_watch_options options;
    int64_t tick_ns;
    int stat_fd;
    char *stat_text; /* STAT_MAX_BYTES */
    pp_watch_sample *ring;
    pp_watch_meter meter;
    pp_watch_processes processes;
    int frequency_fds[MAX_FREQUENCY_FILES];
    size_t frequency_count;
    pp_maybe_int frequency_min_khz, frequency_max_khz;
    char cpu_stat_path[PP_TREE_PATH_MAX]; /* "" when there is none */
    totals begin;
    int64_t samples_taken, samples_missed;

    pthread_t thread;
    pthread_mutex_t mutex; /* guards all above once the thread runs, and `stopping` */
    pthread_cond_t wake;
    bool stopping;
};

void pp_watch_options_default(pp_watch_options *ret_options)
{
    *ret_options = (pp_watch_options){.root = "/",
                                      .interval_ns = 250 * PP_NS_PER_MS,
                                      .window_ns = 2 * PP_NS_PER_S,
                                      .foreign_limit_percent = 5,
                                      .steal_limit_percent = 1};
}

const char *pp_watch_verdict_name(pp_watch_verdict verdict)
{
    static const char *const names[] = {"undecided", "quiet", "disturbed"};

    return names[verdict];
}

const char *pp_watch_cause_name(pp_watch_cause cause)
{
    static const char *const names[] = {"foreign-cpu", "steal", "cgroup-throttled",
                                        "thermal-throttled"};

    return names[cause];
}

const char *pp_watch_cause_unit(pp_watch_cause cause)
{
    static const char *const units[] = {"% of one core", "% of all CPU time", "periods", "events"};

    return units[cause];
}

/* ---- totals ---------------------------------------------------------------------------------- */

static pp_maybe_int keyed_int(const char *path, const char *key, int64_t unit)
{
    char buf[TEXT_MAX_BYTES];
    pp_scan text, value;
    int64_t number;

    if (!pp_tree_read(path, buf, sizeof buf, &text) || !pp_scan_key(text, key, &value) ||
        !pp_scan_int(&value, &number) || number < 0 || number > INT64_MAX / unit)
        return (pp_maybe_int){0};
    return pp_known_int(number * unit);
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=24908227": microseconds. */
static pp_maybe_int psi_some_us(const char *root, const char *what)
{
    char path[PP_TREE_PATH_MAX], buf[TEXT_MAX_BYTES];
    pp_scan text, some, word;
    int64_t total;

    if (!pp_tree_path(path, root, "proc/pressure/%s", what) ||
        !pp_tree_read(path, buf, sizeof buf, &text) || !pp_scan_key(text, "some", &some))
        return (pp_maybe_int){0};
    while (pp_scan_word(&some, &word)) {
        if (!pp_scan_starts(word, "total="))
            continue;
        word.at += strlen("total=");
        if (pp_scan_int(&word, &total))
            return pp_known_int(total);
    }
    return (pp_maybe_int){0};
}

static pp_maybe_int thermal_count(const char *root)
{
    char path[PP_TREE_PATH_MAX], buf[TEXT_MAX_BYTES], relative[128];
    pp_maybe_int sum = {0}, one;
    int64_t cpu = -1;
    pp_scan online;

    if (!pp_tree_path(path, root, "sys/devices/system/cpu/online") ||
        !pp_tree_read(path, buf, sizeof buf, &online))
        return sum;
    while (pp_scan_list_next(online, &cpu)) {
        (void)snprintf(relative, sizeof relative,
                       "sys/devices/system/cpu/cpu%lld/thermal_throttle/core_throttle_count",
                       (long long)cpu);
        one = pp_tree_int(root, relative);
        if (!one.known || one.value < 0 || one.value > INT32_MAX)
            break;
        sum = pp_known_int(sum.value + one.value);
    }
    return sum;
}

static totals read_totals(const pp_watch *watch)
{
    const char *root = watch->options.root;
    char vmstat[PP_TREE_PATH_MAX];
    totals now = {.psi_cpu_some_us = psi_some_us(root, "cpu"),
                  .psi_memory_some_us = psi_some_us(root, "memory"),
                  .thermal = thermal_count(root)};

    if (watch->cpu_stat_path[0] != '\0') {
        now.throttled_count = keyed_int(watch->cpu_stat_path, "nr_throttled", 1);
        now.throttled_ns = keyed_int(watch->cpu_stat_path, "throttled_usec", 1000); /* version 2 */
        if (!now.throttled_ns.known)
            now.throttled_ns = keyed_int(watch->cpu_stat_path, "throttled_time", 1);
    }
    if (pp_tree_path(vmstat, root, "proc/vmstat"))
        now.major_faults = keyed_int(vmstat, "pgmajfault", 1);
    return now;
}

static pp_maybe_int difference(pp_maybe_int begin, pp_maybe_int end)
{
    if (!begin.known || !end.known || end.value < begin.value)
        return (pp_maybe_int){0};
    return pp_known_int(end.value - begin.value);
}

/* ---- sampling -------------------------------------------------------------------------------- */

static int64_t own_cpu_ns(void)
{
    struct timespec used = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used); /* all threads; cannot fail */
    return used.tv_sec * PP_NS_PER_S + used.tv_nsec;
}

static void sample_frequencies(pp_watch *watch)
{
    for (size_t i = 0; i < watch->frequency_count; i++) {
        char buf[64];
        pp_scan text = pp_tree_pread(watch->frequency_fds[i], buf, sizeof buf);
        int64_t khz;

        if (!pp_scan_int(&text, &khz) || khz <= 0)
            continue;
        if (!watch->frequency_min_khz.known || khz < watch->frequency_min_khz.value)
            watch->frequency_min_khz = pp_known_int(khz);
        if (!watch->frequency_max_khz.known || khz > watch->frequency_max_khz.value)
            watch->frequency_max_khz = pp_known_int(khz);
    }
}

static bool take_sample(pp_watch *watch)
{
    bool slow = watch->samples_taken % SLOW_EVERY == 0;
    pp_watch_sample sample = {0};
    int64_t before_ns = pp_clock_now_ns();
    pp_proc_stat stat;

    if (!pp_proc_stat_parse(pp_tree_pread(watch->stat_fd, watch->stat_text, STAT_MAX_BYTES), &stat))
        return false;
    sample.at_ns = before_ns + (pp_clock_now_ns() - before_ns) / 2;
    sample.own_ns = own_cpu_ns();
    sample.children_ns = pp_watch_processes_sample_ns(&watch->processes, slow);
    sample.busy_ns = stat.busy_ticks * watch->tick_ns;
    sample.idle_ns = stat.idle_ticks * watch->tick_ns;
    sample.steal_ns = stat.steal_ticks * watch->tick_ns;
    sample.cpu_count = stat.cpu_count;
    pp_watch_meter_add(&watch->meter, &sample);
    if (slow)
        sample_frequencies(watch);
    watch->samples_taken++;
    return true;
}

/* Waits with the mutex released; true when the watch was told to stop. */
static bool wait_until(pp_watch *watch, int64_t until_ns)
{
    struct timespec until = {until_ns / PP_NS_PER_S, until_ns % PP_NS_PER_S};

    while (!watch->stopping && pp_clock_now_ns() < until_ns)
        (void)pthread_cond_timedwait(&watch->wake, &watch->mutex, &until); /* loop asks the clock */
    return watch->stopping;
}

static void *watch_main(void *context)
{
    pp_watch *watch = context;
    int64_t interval_ns = watch->options.interval_ns;
    int64_t due_ns = watch->meter.last.at_ns + interval_ns;

    (void)pthread_mutex_lock(&watch->mutex); /* cannot fail on a valid mutex */
    while (!wait_until(watch, due_ns)) {
        int64_t slots = (pp_clock_now_ns() - due_ns) / interval_ns; /* whole intervals overslept */

        watch->samples_missed += slots;
        if (!take_sample(watch))
            watch->samples_missed++;
        due_ns += (slots + 1) * interval_ns;
    }
    (void)pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

/* ---- start ----------------------------------------------------------------------------------- */

static pp_status check_options(const pp_watch_options *options, pp_error *err)
{
    if (options->interval_ns < MIN_INTERVAL_NS || options->interval_ns > MAX_INTERVAL_NS)
        return pp_fail(err, PP_ERR_RANGE, "interval: expected 10 ms to 10 s, got %lld ns",
                       (long long)options->interval_ns);
    if (options->window_ns < 2 * options->interval_ns ||
        options->window_ns > MAX_WINDOW_INTERVALS * options->interval_ns)
        return pp_fail(err, PP_ERR_RANGE, "window: expected 2 to %d intervals, got %lld ns",
                       MAX_WINDOW_INTERVALS, (long long)options->window_ns);
    if (!(options->foreign_limit_percent >= 0) || !(options->steal_limit_percent >= 0))
        return pp_fail(err, PP_ERR_RANGE, "limits: expected 0 or more percent, got %g and %g",
                       options->foreign_limit_percent, options->steal_limit_percent);
    return PP_OK;
}

static void open_frequencies(pp_watch *watch)
{
    char path[PP_TREE_PATH_MAX], buf[TEXT_MAX_BYTES];
    int64_t cpu = -1;
    pp_scan online;

    if (!pp_tree_path(path, watch->options.root, "sys/devices/system/cpu/online") ||
        !pp_tree_read(path, buf, sizeof buf, &online))
        return;
    while (watch->frequency_count < MAX_FREQUENCY_FILES && pp_scan_list_next(online, &cpu)) {
        int fd = -1;

        if (pp_tree_path(path, watch->options.root,
                         "sys/devices/system/cpu/cpu%lld/cpufreq/scaling_cur_freq", (long long)cpu))
            fd = pp_tree_open(path);
        if (fd < 0)
            return;
        watch->frequency_fds[watch->frequency_count++] = fd;
    }
}

static void find_cpu_stat(pp_watch *watch)
{
    pp_cgroup cgroup;

    pp_cgroup_read(watch->options.root, 0, &cgroup);
    if (cgroup.cpu_stat_folder[0] == '\0' ||
        !pp_tree_path(watch->cpu_stat_path, watch->options.root, "%s/cpu.stat",
                      cgroup.cpu_stat_folder))
        watch->cpu_stat_path[0] = '\0';
}

static pp_status open_watch(pp_watch *watch, pp_error *err)
{
    size_t capacity = (size_t)(watch->options.window_ns / watch->options.interval_ns) + 2;
    char path[PP_TREE_PATH_MAX];

    watch->stat_text = malloc(STAT_MAX_BYTES);
    watch->ring = calloc(capacity, sizeof *watch->ring);
    if (watch->stat_text == NULL || watch->ring == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the noise watch");
    memset(watch->stat_text, 0, STAT_MAX_BYTES); /* touch it now, not while measuring */
    pp_watch_meter_init(&watch->meter, watch->ring, capacity, watch->options.window_ns,
                        watch->options.interval_ns, watch->options.foreign_limit_percent);
    watch->tick_ns = PP_NS_PER_S / sysconf(_SC_CLK_TCK);
    pp_watch_processes_init(&watch->processes, watch->options.root, watch->tick_ns);
    if (pp_tree_path(path, watch->options.root, "proc/stat"))
        watch->stat_fd = pp_tree_open(path);
    if (watch->stat_fd < 0)
        return pp_fail(err, PP_ERR_UNAVAILABLE, "cannot read '%s'", path);
    open_frequencies(watch);
    find_cpu_stat(watch);
    watch->begin = read_totals(watch);
    if (!take_sample(watch))
        return pp_fail(err, PP_ERR_UNAVAILABLE, "'%s' has no usable line of CPU times", path);
    return PP_OK;
}

static void free_watch(pp_watch *watch)
{
    if (watch->stat_fd >= 0)
        (void)close(watch->stat_fd); /* only read from, like the ones below */
    for (size_t i = 0; i < watch->frequency_count; i++)
        (void)close(watch->frequency_fds[i]);
    pp_watch_processes_done(&watch->processes);
    free(watch->ring);
    free(watch->stat_text);
    free(watch);
}

/* Signals are for the program's own threads. */
static int start_thread(pp_watch *watch)
{
    pthread_condattr_t attributes;
    sigset_t all, old;
    int code = pthread_condattr_init(&attributes);

    if (code != 0)
        return code;
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* a valid clock */
    (void)pthread_cond_init(&watch->wake, &attributes); /* these two always succeed on Linux */
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&watch->mutex, NULL);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    code = pthread_create(&watch->thread, NULL, watch_main, watch);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}

pp_status pp_watch_start(const pp_watch_options *options, pp_watch **ret_watch, pp_error *err)
{
    pp_status st = check_options(options, err);
    pp_watch *watch = st == PP_OK ? calloc(1, sizeof *watch) : NULL;
    int code;

    if (st == PP_OK && watch == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "no memory for the noise watch");
    if (st != PP_OK)
        return pp_wrap(err, st, "starting the noise watch");
    watch->options = *options;
    watch->stat_fd = -1;
    st = open_watch(watch, err);
    if (st == PP_OK) {
        code = start_thread(watch);
        if (code != 0)
            st = pp_fail_errno(err, PP_ERR_UNAVAILABLE, code, "cannot start a thread");
    }
    if (st != PP_OK) {
        free_watch(watch);
        return pp_wrap(err, st, "starting the noise watch");
    }
    *ret_watch = watch;
    return PP_OK;
}

/* ---- while it runs --------------------------------------------------------------------------- */

pp_status pp_watch_track(pp_watch *watch, pid_t pid, pp_error *err)
{
    pp_status st;

    (void)pthread_mutex_lock(&watch->mutex); /* cannot fail on a valid mutex */
    st = pp_watch_processes_add(&watch->processes, pid, err);
    (void)pthread_mutex_unlock(&watch->mutex);
    return st;
}

static int64_t timeval_ns(struct timeval time)
{
    return time.tv_sec * PP_NS_PER_S + time.tv_usec * 1000;
}

void pp_watch_untrack(pp_watch *watch, pid_t pid, const struct rusage *final)
{
    int64_t final_ns = -1;

    if (final != NULL)
        final_ns = timeval_ns(final->ru_utime) + timeval_ns(final->ru_stime);
    (void)pthread_mutex_lock(&watch->mutex);
    (void)pp_watch_processes_end(&watch->processes, pid, final_ns); /* unknown ids are ignored */
    (void)pthread_mutex_unlock(&watch->mutex);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static void add_reason(pp_watch_result *result, pp_watch_cause cause, double measured, double limit,
                       pp_maybe_int at_ns)
{
    result->reasons[result->reason_count++] = (pp_watch_reason){cause, measured, limit, at_ns};
}

static void judge(const pp_watch *watch, pp_watch_result *result)
{
    const pp_watch_meter *meter = &watch->meter;

    if (meter->is_over)
        add_reason(result, PP_WATCH_FOREIGN_CPU, meter->peak.foreign_percent,
                   result->foreign_limit_percent,
                   pp_known_int(meter->first_over.from_ns - meter->first.at_ns));
    if (meter->has_peak && result->steal_percent.value > result->steal_limit_percent)
        add_reason(result, PP_WATCH_STEAL, result->steal_percent.value, result->steal_limit_percent,
                   (pp_maybe_int){0});
    if (result->cgroup_throttled_count.known && result->cgroup_throttled_count.value > 0)
        add_reason(result, PP_WATCH_CGROUP_THROTTLED, (double)result->cgroup_throttled_count.value,
                   0, (pp_maybe_int){0});
    if (result->thermal_throttled_count.known && result->thermal_throttled_count.value > 0)
        add_reason(result, PP_WATCH_THERMAL_THROTTLED,
                   (double)result->thermal_throttled_count.value, 0, (pp_maybe_int){0});
    if (result->reason_count > 0)
        result->verdict = PP_WATCH_DISTURBED;
    else
        result->verdict = meter->has_peak ? PP_WATCH_QUIET : PP_WATCH_UNDECIDED;
}

static void fill_shares(const pp_watch_meter *meter, pp_watch_result *result)
{
    const pp_watch_sample *first = &meter->first, *last = &meter->last;
    double wall_ns = (double)result->duration_ns;

    if (!meter->has_peak)
        return;
    result->foreign_percent_peak = pp_known_real(meter->peak.foreign_percent);
    result->foreign_peak_at_ns = pp_known_int(meter->peak.from_ns - first->at_ns);
    result->foreign_percent_mean = pp_known_real(pp_watch_foreign_percent(first, last));
    result->steal_percent = pp_known_real(pp_watch_steal_percent(first, last));
    result->own_percent = pp_known_real(100 * (double)(last->own_ns - first->own_ns) / wall_ns);
    result->children_percent =
        pp_known_real(100 * (double)(last->children_ns - first->children_ns) / wall_ns);
}

static void fill_totals(const pp_watch *watch, pp_watch_result *result)
{
    totals end = read_totals(watch);
    const totals *begin = &watch->begin;

    result->psi_cpu_some_us = difference(begin->psi_cpu_some_us, end.psi_cpu_some_us);
    result->psi_memory_some_us = difference(begin->psi_memory_some_us, end.psi_memory_some_us);
    result->cgroup_throttled_count = difference(begin->throttled_count, end.throttled_count);
    result->cgroup_throttled_ns = difference(begin->throttled_ns, end.throttled_ns);
    result->major_faults_count = difference(begin->major_faults, end.major_faults);
    result->thermal_throttled_count = difference(begin->thermal, end.thermal);
    result->frequency_min_khz = watch->frequency_min_khz;
    result->frequency_max_khz = watch->frequency_max_khz;
}

static void fill_result(pp_watch *watch, pp_watch_result *result)
{
    const pp_watch_meter *meter = &watch->meter;

    memset(result, 0, sizeof *result);
    pp_watch_meter_finish(&watch->meter);
    result->duration_ns = meter->last.at_ns - meter->first.at_ns;
    result->interval_ns = watch->options.interval_ns;
    result->window_ns = watch->options.window_ns;
    result->foreign_limit_percent = watch->options.foreign_limit_percent;
    result->steal_limit_percent = watch->options.steal_limit_percent;
    result->cpu_count = meter->last.cpu_count;
    result->samples_taken = watch->samples_taken;
    result->samples_missed = watch->samples_missed;
    result->descendants_not_followed_count = watch->processes.not_followed_count;
    fill_shares(meter, result);
    fill_totals(watch, result);
    judge(watch, result);
}

void pp_watch_stop(pp_watch *watch, pp_watch_result *ret_result)
{
    if (watch == NULL)
        return;
    (void)pthread_mutex_lock(&watch->mutex);
    watch->stopping = true;
    (void)pthread_cond_signal(&watch->wake);
    (void)pthread_mutex_unlock(&watch->mutex);
    (void)pthread_join(watch->thread, NULL); /* it has no other way to end */
    if (ret_result != NULL) {
        if (!take_sample(watch))
            watch->samples_missed++;
        fill_result(watch, ret_result);
    }
    (void)pthread_cond_destroy(&watch->wake);
    (void)pthread_mutex_destroy(&watch->mutex);
    free_watch(watch);
}
