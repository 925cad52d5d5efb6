#include "proc/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_EVERY_NS (20 * PP_NS_PER_MS)

extern char **environ;

static int set_outputs(posix_spawn_file_actions_t *actions)
{
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    for (int fd = STDOUT_FILENO; failed == 0 && fd <= STDERR_FILENO; fd++)
        failed = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_WRONLY, 0);
    return failed;
}

/* SIGPIPE is ours to ignore, not its. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    if (posix_spawnattr_setsigdefault(attributes, &signals) != 0)
        return EINVAL;
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const char *const *argv, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed != 0)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        failed = set_outputs(&actions);
        if (failed == 0)
            failed = set_attributes(&attributes);
        if (failed == 0) /* it copies the words and changes none */
            failed =
                posix_spawn(ret_pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static bool has_ended(pid_t pid, int *ret_status)
{
    pid_t got;

    do
        got = waitpid(pid, ret_status, WNOHANG);
    while (got < 0 && errno == EINTR);
    return got == pid;
}

pp_status pp_detached_start(const char *const *argv, int64_t look_ns, pp_error *err)
{
    const int64_t until_ns = pp_clock_now_ns() + look_ns;
    int status = 0;
    pid_t pid;
    int failed = spawn(argv, &pid);

    if (failed != 0)
        return pp_fail_errno(err, PP_ERR_IO, failed, "cannot start '%s'", argv[0]);
    while (!has_ended(pid, &status)) {
        int64_t now_ns = pp_clock_now_ns();

        if (now_ns >= until_ns)
            return PP_OK;
        pp_clock_sleep_until_ns(now_ns + LOOK_EVERY_NS);
    }
    if (WIFSIGNALED(status))
        return pp_fail(err, PP_ERR_PEER, "'%s' ended by signal %d", argv[0], WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return pp_fail(err, PP_ERR_PEER, "'%s' ended with exit code %d", argv[0],
                       WEXITSTATUS(status));
    return PP_OK;
}
