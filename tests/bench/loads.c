#include "loads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static void *burn(void *unused)
{
    for (volatile unsigned long counter = 0;; counter++)
        ;
    return unused;
}

static pid_t fork_or_exit(void)
{
    pid_t pid = fork();

    if (pid < 0) {
        perror("fork");
        exit(3);
    }
    if (pid == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

pid_t load_start_busy(int threads, int children)
{
    pid_t pid = fork_or_exit();

    if (pid != 0)
        return pid;
    for (int i = 0; i < children; i++) {
        if (fork_or_exit() == 0)
            (void)burn(NULL);
    }
    for (int i = 1; i < threads; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, burn, NULL) != 0)
            _exit(3);
    }
    (void)burn(NULL);
    _exit(0);
}

static int64_t own_cpu_ns(void)
{
    struct timespec used = {0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * PP_NS_PER_S + used.tv_nsec;
}

pid_t load_start_pulses(int64_t wait_ns, int busy_ms, int64_t duration_ns)
{
    int64_t begin_ns = pp_clock_now_ns() + wait_ns;
    pid_t pid = fork_or_exit();

    if (pid != 0)
        return pid;
    for (int64_t slot_ns = begin_ns; slot_ns < begin_ns + duration_ns;
         slot_ns += 100 * PP_NS_PER_MS) {
        int64_t until_ns;

        pp_clock_sleep_until_ns(slot_ns);
        until_ns = own_cpu_ns() + busy_ms * PP_NS_PER_MS;
        while (own_cpu_ns() < until_ns)
            ;
    }
    _exit(0);
}

void load_end(pid_t pid, int kill_first, struct rusage *ret_usage)
{
    if (kill_first)
        (void)kill(pid, SIGKILL);
    while (wait4(pid, NULL, 0, ret_usage) < 0 && errno == EINTR)
        ;
}

double load_cpu_ms(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec * 1e3 + (double)usage->ru_utime.tv_usec / 1e3 +
           (double)usage->ru_stime.tv_sec * 1e3 + (double)usage->ru_stime.tv_usec / 1e3;
}

long load_number(const char *what, const char *text, long min, long max)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < min || value > max) {
        fprintf(stderr, "%s: expected %ld to %ld, got '%s'\n", what, min, max, text);
        exit(2);
    }
    return value;
}
