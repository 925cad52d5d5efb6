#include "proc/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

/* How often a wait looks at the stop flag when no pidfd wakes it. */
#define POLL_STEP_MS  100
/* How often a wait looks whether a group whose leader has ended is gone. */
#define GROUP_STEP_NS (10 * PP_NS_PER_MS)

struct pp_child {
    pid_t pid;
    int pidfd; /* -1 on kernels before 5.3: then waiting polls */
    int64_t started_ns;
    int64_t own_peak_bytes; /* our VmHWM at the fork: ru_maxrss of the child starts there */
    bool ended;
    pp_child_exit result;
};

extern char **environ;

static int64_t own_peak_rss_bytes(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : INT64_MAX;
}

/* ---- between fork and exec: only async-signal-safe calls ------------------------------------ */

static void reset_signals(void)
{
    struct sigaction standard;
    sigset_t none;

    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        (void)sigaction(signal_number, &standard, NULL); /* KILL and STOP refuse, rightly */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become_program(const pp_child_options *options, char **environment, const int fds[3],
                          pid_t parent)
{
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return errno;
    if (getppid() != parent)
        _exit(127); /* the parent died before the signal was armed */
    for (int i = 0; i < 3; i++) {
        if (dup2(fds[i], i) < 0)
            return errno;
    }
    if (options->folder != NULL && chdir(options->folder) != 0)
        return errno;
    reset_signals();
    execve(options->argv[0], (char *const *)options->argv, environment);
    return errno;
}

/* ---- in the parent --------------------------------------------------------------------------- */

static int open_output(const char *path)
{
    if (path == NULL)
        return open("/dev/null", O_WRONLY | O_CLOEXEC);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
}

static pp_status open_files(const pp_child_options *options, int fds[3], pp_error *err)
{
    const char *out = options->stdout_path;
    const char *log = options->stderr_path;

    fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fds[0] < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '/dev/null'");
    fds[1] = open_output(out);
    if (fds[1] < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", out);
    if (out != NULL && log != NULL && strcmp(out, log) == 0)
        fds[2] = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
    else
        fds[2] = open_output(log);
    if (fds[2] < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create '%s'", log);
    return PP_OK;
}

/* The child writes errno into the pipe when exec fails; success closes it without a byte. */
static int read_exec_errno(int fd)
{
    int errnum = 0;
    ssize_t got;

    do {
        got = read(fd, &errnum, sizeof errnum);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof errnum ? errnum : 0;
}

static pp_status fork_program(const pp_child_options *options, const int fds[3], pp_child *child,
                              pp_error *err)
{
    char **environment = options->environment != NULL ? (char **)options->environment : environ;
    pid_t parent = getpid();
    int report[2];
    int errnum;

    if (pipe2(report, O_CLOEXEC) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot create a pipe");
    child->own_peak_bytes = own_peak_rss_bytes();
    child->started_ns = pp_clock_now_ns();
    child->pid = fork();
    if (child->pid == 0) {
        errnum = become_program(options, environment, fds, parent);
        (void)!write(report[1], &errnum, sizeof errnum); /* nobody left to tell if it fails */
        _exit(127);
    }
    (void)close(report[1]); /* only the child writes */
    if (child->pid < 0) {
        (void)close(report[0]);
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot fork for '%s'", options->argv[0]);
    }
    errnum = read_exec_errno(report[0]);
    (void)close(report[0]);
    if (errnum == 0)
        return PP_OK;
    (void)waitpid(child->pid, NULL, 0);
    child->pid = -1;
    return pp_fail_errno(err, PP_ERR_IO, errnum, "cannot start '%s'", options->argv[0]);
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    return fd;
#else
    (void)pid;
    return -1;
#endif
}

pp_status pp_child_start(const pp_child_options *options, pp_child **ret_child, pp_error *err)
{
    int fds[3] = {-1, -1, -1};
    pp_child *child = calloc(1, sizeof *child);
    pp_status st;

    if (child == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory");
    child->pid = -1;
    child->pidfd = -1;
    st = open_files(options, fds, err);
    if (st == PP_OK)
        st = fork_program(options, fds, child, err);
    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            (void)close(fds[i]); /* the child has its own copies */
    }
    if (st != PP_OK) {
        free(child);
        return st;
    }
    child->pidfd = open_pidfd(child->pid);
    *ret_child = child;
    return PP_OK;
}

pid_t pp_child_pid(const pp_child *child)
{
    return child->pid;
}

static void record_end(pp_child *child, int status, const struct rusage *usage)
{
    int64_t max_rss_bytes = (int64_t)usage->ru_maxrss * 1024;

    child->ended = true;
    child->result.by_signal = WIFSIGNALED(status);
    child->result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    child->result.wall_ns = pp_clock_now_ns() - child->started_ns;
    child->result.usage = *usage;
    child->result.max_rss_bytes = max_rss_bytes > child->own_peak_bytes ? max_rss_bytes : -1;
}

bool pp_child_ended(pp_child *child, pp_child_exit *ret_exit)
{
    if (!child->ended) {
        struct rusage usage;
        int status;
        pid_t got;

        do {
            got = wait4(child->pid, &status, WNOHANG, &usage);
        } while (got < 0 && errno == EINTR);
        if (got == child->pid)
            record_end(child, status, &usage);
    }
    if (child->ended && ret_exit != NULL)
        *ret_exit = child->result;
    return child->ended;
}

/* Sleep until it ends, a handler runs, or `until_ns`; at most one step. */
static void wait_a_step(const pp_child *child, int64_t until_ns)
{
    struct pollfd watched = {.fd = child->pidfd, .events = POLLIN};
    int64_t left_ms = (until_ns - pp_clock_now_ns()) / PP_NS_PER_MS + 1;
    int timeout_ms = left_ms < POLL_STEP_MS ? (int)left_ms : POLL_STEP_MS;

    if (timeout_ms > 0)
        (void)poll(&watched, child->pidfd >= 0 ? 1 : 0,
                   child->pidfd >= 0 || timeout_ms < 5 ? timeout_ms : 5);
}

pp_status pp_child_wait(pp_child *child, int64_t deadline_ns, const volatile sig_atomic_t *stop,
                        pp_child_exit *ret_exit, pp_error *err)
{
    while (!pp_child_ended(child, ret_exit)) {
        if (pp_stop_asked(stop))
            return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted");
        if (pp_clock_now_ns() >= deadline_ns)
            return pp_fail(err, PP_ERR_TIMEOUT, "process %ld did not end in time",
                           (long)child->pid);
        wait_a_step(child, deadline_ns);
    }
    return PP_OK;
}

void pp_child_stop(pp_child *child, int64_t grace_ns, pp_child_exit *ret_exit)
{
    int64_t deadline_ns = pp_clock_now_ns() + grace_ns;

    if (!pp_child_ended(child, ret_exit)) {
        (void)kill(-child->pid, SIGTERM); /* it may have ended in between */
        (void)kill(-child->pid, SIGCONT); /* one that is stopped cannot hear */
    }
    while (!pp_child_ended(child, ret_exit)) {
        if (pp_clock_now_ns() >= deadline_ns) {
            (void)kill(-child->pid, SIGKILL);
            deadline_ns = INT64_MAX;
        }
        wait_a_step(child, deadline_ns);
    }
    (void)kill(-child->pid, SIGKILL); /* what it left behind in its group */
}

/* Nobody is left of its group. One that nobody waited for counts as left: the grace ends that. */
static bool is_group_gone(pp_child *child)
{
    return pp_child_ended(child, NULL) && kill(-child->pid, 0) != 0;
}

static void signal_group(pp_child *child, int number, int64_t grace_ns)
{
    const int64_t deadline_ns = pp_clock_now_ns() + grace_ns;

    if (is_group_gone(child))
        return;
    (void)kill(-child->pid, number);
    while (!is_group_gone(child) && pp_clock_now_ns() < deadline_ns) {
        if (child->ended)
            pp_clock_sleep_until_ns(pp_clock_now_ns() + GROUP_STEP_NS); /* no pidfd tells */
        else
            wait_a_step(child, deadline_ns);
    }
}

void pp_child_interrupt(pp_child *child, int64_t grace_ns, int64_t last_grace_ns,
                        pp_child_exit *ret_exit)
{
    signal_group(child, SIGINT, grace_ns);
    signal_group(child, SIGTERM, last_grace_ns);
    pp_child_stop(child, 0, ret_exit);
}

void pp_child_free(pp_child *child)
{
    if (child == NULL)
        return;
    pp_child_stop(child, 0, NULL);
    if (child->pidfd >= 0)
        (void)close(child->pidfd);
    free(child);
}

const char *pp_child_exit_text(const pp_child_exit *ended, char out[64])
{
    if (ended->by_signal)
        (void)snprintf(out, 64, "signal %d (%s)", ended->code, strsignal(ended->code));
    else
        (void)snprintf(out, 64, "exit code %d", ended->code);
    return out;
}
