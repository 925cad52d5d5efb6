/* The watch on this machine, which other people may be using: truth comes from wait4 for the
 * processes we start and from a sum over all other processes of /proc, taken by this program. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/watch.h"
#include "shared.h"

#define MAX_PROCESSES 4096

static void *burn(void *until)
{
    while (pp_clock_now_ns() < *(const int64_t *)until)
        ;
    return NULL;
}

/* A child that burns with `threads` threads; when `inner`, its own child does and it waits. */
static pid_t start_burner(int threads, int64_t duration_ns, bool inner)
{
    pid_t pid = fork();
    int64_t until_ns = pp_clock_now_ns() + duration_ns;
    pthread_t ids[8];

    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (inner && (pid = fork()) != 0) {
        (void)waitpid(pid, NULL, 0);
        _exit(0);
    }
    for (int i = 1; i < threads; i++)
        (void)pthread_create(&ids[i], NULL, burn, &until_ns);
    (void)burn(&until_ns);
    for (int i = 1; i < threads; i++)
        (void)pthread_join(ids[i], NULL);
    _exit(0);
}

/* A child that computes busy_ms of CPU time in every 100 ms. */
static pid_t start_duty(int busy_ms, int64_t duration_ns)
{
    pid_t pid = fork();
    int64_t end_ns = pp_clock_now_ns() + duration_ns;

    if (pid != 0)
        return pid;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int64_t slot_ns = pp_clock_now_ns(); slot_ns < end_ns; slot_ns += 100 * PP_NS_PER_MS) {
        struct timespec used, begin;

        (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        do
            (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        while ((used.tv_sec - begin.tv_sec) * PP_NS_PER_S + used.tv_nsec - begin.tv_nsec <
               busy_ms * PP_NS_PER_MS);
        pp_clock_sleep_until_ns(slot_ns + 100 * PP_NS_PER_MS);
    }
    _exit(0);
}

static double cpu_ms(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec * 1e3 + (double)usage->ru_utime.tv_usec / 1e3 +
           (double)usage->ru_stime.tv_sec * 1e3 + (double)usage->ru_stime.tv_usec / 1e3;
}

typedef struct process_list {
    struct {
        long pid, own_ticks, children_ticks, started;
    } items[MAX_PROCESSES];
    size_t count;
} process_list;

static bool read_one(const char *name, long *own, long *children, long *parent, long *started)
{
    char path[300], text[1024] = "";
    long utime, stime, cutime, cstime;
    const char *rest;
    FILE *file;

    (void)snprintf(path, sizeof path, "/proc/%s/stat", name);
    file = fopen(path, "r");
    if (file == NULL)
        return false;
    if (fgets(text, sizeof text, file) == NULL)
        text[0] = '\0';
    (void)fclose(file);
    rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest + 1,
               " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld %*d %*d %*d %*d %ld",
               parent, &utime, &stime, &cutime, &cstime, started) != 6)
        return false;
    *own = utime + stime;
    *children = cutime + cstime;
    return true;
}

/* All processes but this one and its children. */
static void list_others(process_list *list)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;

    list->count = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL && list->count < MAX_PROCESSES) {
        long pid = strtol(entry->d_name, NULL, 10), own, children, parent, started;

        if (pid <= 0 || pid == getpid() ||
            !read_one(entry->d_name, &own, &children, &parent, &started) || parent == getpid())
            continue;
        list->items[list->count].pid = pid;
        list->items[list->count].own_ticks = own;
        list->items[list->count].children_ticks = children;
        list->items[list->count++].started = started;
    }
    if (folder != NULL)
        (void)closedir(folder);
}

/* Bounds of what the others used: the least counts processes that lived all the time, the most
 * adds newcomers and all that was handed up by processes that ended. */
static void others_ms(const process_list *begin, const process_list *end, double *ret_least,
                      double *ret_most)
{
    double tick_ms = 1000.0 / (double)sysconf(_SC_CLK_TCK), least = 0, most = 0;

    for (size_t i = 0; i < end->count; i++) {
        size_t j = 0;

        while (j < begin->count && (begin->items[j].pid != end->items[i].pid ||
                                    begin->items[j].started != end->items[i].started))
            j++;
        if (j == begin->count) {
            most += (double)(end->items[i].own_ticks + end->items[i].children_ticks);
            continue;
        }
        least += (double)(end->items[i].own_ticks - begin->items[j].own_ticks);
        most += (double)(end->items[i].children_ticks - begin->items[j].children_ticks);
    }
    *ret_least = least * tick_ms;
    *ret_most = (least + most) * tick_ms;
}

/* Inode of the first PID namespace, PROC_PID_INIT_INO of include/linux/proc_ns.h. In another one
 * (a container) /proc lacks processes whose time /proc/stat counts all the same. */
static bool sees_every_process(void)
{
    char link[64] = "";

    return readlink("/proc/self/ns/pid", link, sizeof link - 1) > 0 &&
           strcmp(link, "pid:[4026531836]") == 0;
}

/* user, nice, system, irq and softirq time of all CPUs */
static double machine_busy_ms(void)
{
    long user, nice, system, irq, softirq;
    FILE *file = fopen("/proc/stat", "r");

    assert_non_null(file);
    assert_int_equal(
        fscanf(file, "cpu %ld %ld %ld %*d %*d %ld %ld", &user, &nice, &system, &irq, &softirq), 5);
    (void)fclose(file);
    return (double)(user + nice + system + irq + softirq) * 1000.0 / (double)sysconf(_SC_CLK_TCK);
}

typedef struct trial {
    pp_watch_result result;
    double least_percent, most_percent; /* of one core: the others, by the independent sum */
    double untracked_percent;           /* our own untracked process, by wait4 */
    double tracked_percent;
} trial;

/* Watches a tracked burner on all cores and, with duty_ms, an untracked process beside it. */
static void run_trial(int64_t duration_ns, int duty_ms, bool inner, trial *ret)
{
    static process_list begin, end;
    pp_watch_options options;
    pp_watch *watch = NULL;
    pp_error err = {0};
    struct rusage usage;
    pid_t burner, duty = 0;
    double least, most, span_ms, tracked_ms, untracked_ms = 0, hidden_ms, busy_ms;

    memset(ret, 0, sizeof *ret);
    pp_watch_options_default(&options);
    list_others(&begin);
    busy_ms = machine_busy_ms();
    assert_ok(pp_watch_start(&options, &watch, &err), err);
    burner = start_burner((int)sysconf(_SC_NPROCESSORS_ONLN), duration_ns, inner);
    assert_ok(pp_watch_track(watch, burner, &err), err);
    if (duty_ms > 0)
        duty = start_duty(duty_ms, duration_ns);
    assert_int_equal(wait4(burner, NULL, 0, &usage), burner);
    pp_watch_untrack(watch, burner, &usage);
    tracked_ms = cpu_ms(&usage);
    if (duty != 0) {
        assert_int_equal(wait4(duty, NULL, 0, &usage), duty);
        untracked_ms = cpu_ms(&usage);
    }
    pp_watch_stop(watch, &ret->result);
    busy_ms = machine_busy_ms() - busy_ms;
    list_others(&end);
    span_ms = (double)ret->result.duration_ns / 1e6;
    others_ms(&begin, &end, &least, &most);
    hidden_ms = busy_ms - tracked_ms - untracked_ms - least;
    if (!sees_every_process() && hidden_ms > most - least)
        most = least + hidden_ms;
    ret->least_percent = 100 * least / span_ms;
    ret->most_percent = 100 * most / span_ms;
    ret->tracked_percent = 100 * tracked_ms / span_ms;
    ret->untracked_percent = 100 * untracked_ms / span_ms;
    print_message("# foreign mean %.2f %%, peak %.2f %%; independent: others %.2f to %.2f %%, ours "
                  "untracked %.2f %%; tracked %.1f of %.1f %%; own %.2f %%; %s, steal %.2f %%, "
                  "samples %lld, missed %lld\n",
                  ret->result.foreign_percent_mean.value, ret->result.foreign_percent_peak.value,
                  ret->least_percent, ret->most_percent, ret->untracked_percent,
                  ret->result.children_percent.value, ret->tracked_percent,
                  ret->result.own_percent.value, pp_watch_verdict_name(ret->result.verdict),
                  ret->result.steal_percent.value, (long long)ret->result.samples_taken,
                  (long long)ret->result.samples_missed);
}

static void assert_between(const char *what, double low, double got, double high)
{
    if (got < low || got > high)
        fail_msg("%s: expected %.2f to %.2f, got %.2f", what, low, high, got);
}

/* Tick rounding of the independent sum, and interrupt work that no process is charged for. */
#define MARGIN_PERCENT 3.0

static bool has_reason(const pp_watch_result *result, pp_watch_cause cause)
{
    for (size_t i = 0; i < result->reason_count; i++) {
        if (result->reasons[i].cause == cause)
            return true;
    }
    return false;
}

static void our_own_full_load_is_not_foreign(void **state)
{
    trial t;

    (void)state;
    run_trial(6 * PP_NS_PER_S, 0, false, &t);
    assert_between("foreign", t.least_percent - MARGIN_PERCENT, t.result.foreign_percent_mean.value,
                   t.most_percent + MARGIN_PERCENT);
    assert_between("tracked", t.tracked_percent - 0.5, t.result.children_percent.value,
                   t.tracked_percent + 0.5);
    if (t.most_percent < 1) /* a machine to ourselves */
        assert_false(has_reason(&t.result, PP_WATCH_FOREIGN_CPU));
    else
        print_message("# others used %.2f %% of a core: the quiet verdict is not judged\n",
                      t.most_percent);
}

static void a_tenth_of_a_core_beside_full_load_is_seen(void **state)
{
    trial t;

    (void)state;
    run_trial(4 * PP_NS_PER_S, 10, false, &t);
    assert_between("foreign", t.untracked_percent + t.least_percent - MARGIN_PERCENT,
                   t.result.foreign_percent_mean.value,
                   t.untracked_percent + t.most_percent + MARGIN_PERCENT);
    assert_int_equal(t.result.verdict, PP_WATCH_DISTURBED);
    assert_true(has_reason(&t.result, PP_WATCH_FOREIGN_CPU));
}

static void grandchildren_are_ours(void **state)
{
    trial t;

    (void)state;
    run_trial(3 * PP_NS_PER_S, 0, true, &t);
    assert_between("foreign", t.least_percent - MARGIN_PERCENT, t.result.foreign_percent_mean.value,
                   t.most_percent + MARGIN_PERCENT);
    assert_between("tracked", t.tracked_percent - 0.5, t.result.children_percent.value,
                   t.tracked_percent + 0.5);
}

/* Children that nobody untracks keep the ticks that were seen last. */
static void a_child_that_is_gone_keeps_its_time(void **state)
{
    pp_watch_options options;
    pp_watch_result result;
    pp_watch *watch = NULL;
    pp_error err = {0};
    struct rusage usage;
    pid_t pid;

    (void)state;
    pp_watch_options_default(&options);
    assert_ok(pp_watch_start(&options, &watch, &err), err);
    pid = start_burner(1, PP_NS_PER_S, false);
    assert_ok(pp_watch_track(watch, pid, &err), err);
    assert_int_equal(pp_watch_track(watch, pid, &err), PP_ERR_EXISTS);
    assert_int_equal(wait4(pid, NULL, 0, &usage), pid);
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 300 * PP_NS_PER_MS);
    pp_watch_untrack(watch, 999999999, NULL);
    pp_watch_stop(watch, &result);
    /* at most the time since the sample before the end is missing */
    assert_between("children", (cpu_ms(&usage) - 280) * 1e8 / (double)result.duration_ns,
                   result.children_percent.value,
                   (cpu_ms(&usage) + 20) * 1e8 / (double)result.duration_ns);
}

static void bad_options_and_roots_are_refused(void **state)
{
    pp_watch_options options;
    pp_watch *watch = NULL;
    pp_error err = {0};

    (void)state;
    pp_watch_options_default(&options);
    options.interval_ns = 1;
    assert_int_equal(pp_watch_start(&options, &watch, &err), PP_ERR_RANGE);
    assert_contains(err.text, "10 ms to 10 s");
    pp_watch_options_default(&options);
    options.window_ns = options.interval_ns;
    assert_int_equal(pp_watch_start(&options, &watch, &err), PP_ERR_RANGE);
    pp_watch_options_default(&options);
    options.root = "/nonexistent";
    assert_int_equal(pp_watch_start(&options, &watch, &err), PP_ERR_UNAVAILABLE);
    assert_contains(err.text, "/nonexistent/proc/stat");
    assert_null(watch);
    pp_watch_stop(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_and_roots_are_refused),
        cmocka_unit_test(a_child_that_is_gone_keeps_its_time),
        cmocka_unit_test(our_own_full_load_is_not_foreign),
        cmocka_unit_test(a_tenth_of_a_core_beside_full_load_is_seen),
        cmocka_unit_test(grandchildren_are_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
