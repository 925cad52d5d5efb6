/* child.h - child processes that end when we want them to, and never outlive us.
 *
 * A child gets its own process group, a parent-death signal, default signal handling, standard
 * input from /dev/null and its output in files. It must be started from a thread that lives as long
 * as the program: the kernel ties the parent-death signal to the thread that forked (K39). A
 * wrapper script must `exec` what it wraps, or the grandchild escapes that signal (K40).
 *
 * Knows nothing about what the child does. Linux only. */
#ifndef PP_PROC_CHILD_H
#define PP_PROC_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"

typedef struct pp_child pp_child;

typedef struct pp_child_options {
    const char *const *argv;        /* NULL at the end; argv[0] is a path, no search */
    const char *const *environment; /* "NAME=value", NULL at the end; NULL: ours */
    const char *folder;             /* it runs there, and argv[0] starts from there; NULL: ours */
    const char *stdout_path;        /* a new file; NULL: /dev/null */
    const char *stderr_path;        /* a new file; NULL: /dev/null; equal paths share one file */
} pp_child_options;

typedef struct pp_child_exit {
    bool by_signal;
    int code;              /* exit code, or the number of the signal */
    int64_t wall_ns;       /* from the start to the end, as far as we saw it */
    struct rusage usage;   /* CPU time and faults of the child and what it waited for */
    int64_t max_rss_bytes; /* ru_maxrss, or -1 where it only shows our own size at the fork (K43) */
} pp_child_exit;

/** Start a program. Fails with PP_ERR_IO when the files or the program cannot be opened; the text
 * names the program. The caller frees the child. */
PP_MUST_CHECK pp_status pp_child_start(const pp_child_options *options, pp_child **ret_child,
                                       pp_error *err);

pid_t pp_child_pid(const pp_child *child);

/** Has it ended? ret_exit (may be NULL) is written when it has. Never blocks. */
bool pp_child_ended(pp_child *child, pp_child_exit *ret_exit);

/**
 * Wait until it ends.
 *
 * deadline_ns   monotonic instant; INT64_MAX: none
 * stop          checked when a signal handler ran; may be NULL
 *
 * Fails with PP_ERR_TIMEOUT or PP_ERR_INTERRUPTED; the child then still runs.
 */
PP_MUST_CHECK pp_status pp_child_wait(pp_child *child, int64_t deadline_ns,
                                      const volatile sig_atomic_t *stop, pp_child_exit *ret_exit,
                                      pp_error *err);

/** End it: SIGTERM to its group, SIGKILL when it has not gone after grace_ns. ret_exit may be NULL.
 * Also right for a child that has ended by itself. */
void pp_child_stop(pp_child *child, int64_t grace_ns, pp_child_exit *ret_exit);

/** End it as Ctrl-C does: SIGINT to its group; who has not gone after grace_ns gets SIGTERM, and
 * after last_grace_ns SIGKILL. Waits for the whole group, so that a program that a shell started
 * can write its files. ret_exit may be NULL. Also right for a child that has ended by itself. */
void pp_child_interrupt(pp_child *child, int64_t grace_ns, int64_t last_grace_ns,
                        pp_child_exit *ret_exit);

/** Kill what still runs (whole group) and release. Accepts NULL. */
void pp_child_free(pp_child *child);

/** "exit code 1" or "signal 11 (Segmentation fault)" into `out`; returns `out`. */
const char *pp_child_exit_text(const pp_child_exit *ended, char out[64]);

#endif
