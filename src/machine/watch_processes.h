/* watch_processes.h - CPU time of registered processes and all they start. Internal to machine/.
 *
 * The files of the processes stay open, which also guards against reused process ids: a descriptor
 * of a process that ended never shows another one. Nothing is allocated while sampling. */
#ifndef PP_MACHINE_WATCH_PROCESSES_H
#define PP_MACHINE_WATCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* A study runs one server and a few other programs at a time. */
#define PP_WATCH_MAX_ROOTS     64
#define PP_WATCH_MAX_PROCESSES 256

typedef struct pp_watched_root {
    pid_t pid;              /* 0: ended, only its total counts */
    int64_t baseline_ticks; /* used before the watch began */
    int64_t lost_ticks;     /* of processes that went without handing their time to a parent */
    int64_t total_ticks;    /* never falls */
    int64_t total_ns;       /* what counts as ours */
} pp_watched_root;

typedef struct pp_watched_process {
    pid_t pid;
    int stat_fd;
    size_t root;
} pp_watched_process;

typedef struct pp_watch_processes {
    const char *root_folder;
    int64_t tick_ns;
    int64_t began_ticks; /* boot time of the watch's begin; processes born later count whole */
    pp_watched_root roots[PP_WATCH_MAX_ROOTS];
    size_t root_count;
    pp_watched_process processes[PP_WATCH_MAX_PROCESSES];
    size_t process_count;
    int64_t not_followed_count; /* found, but the table was full */
} pp_watch_processes;

void pp_watch_processes_init(pp_watch_processes *set, const char *root_folder, int64_t tick_ns);
void pp_watch_processes_done(pp_watch_processes *set);

PP_MUST_CHECK pp_status pp_watch_processes_add(pp_watch_processes *set, pid_t pid, pp_error *err);

/** End a root; final_ns >= 0 replaces what was sampled last. False when it is not registered. */
bool pp_watch_processes_end(pp_watch_processes *set, pid_t pid, int64_t final_ns);

/** Look for new descendants (of the main threads, or of `all_threads`), read all, give the sum. */
int64_t pp_watch_processes_sample_ns(pp_watch_processes *set, bool all_threads);

#endif
