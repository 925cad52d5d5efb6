/* process_tree.h - memory and CPU time of a process together with all that it started.
 *
 * Kinds of memory are added up. Peaks were not reached at the same time, so their sum is an upper
 * bound; resident file pages that two processes share are counted twice, Pss counts them once. CPU
 * time holds that of descendants which have ended and were waited for. */
#ifndef PP_MACHINE_PROCESS_TREE_H
#define PP_MACHINE_PROCESS_TREE_H

#include <stddef.h>

#include "machine/process_memory.h"

/* A gateway and what it may start. */
#define PP_PROCESS_TREE_MAX 256

/** All of them that live, zombies left out; what one of them does not tell is absent. The control
 * group is that of `pid`. Fails with PP_ERR_UNAVAILABLE when `pid` is gone or its children cannot
 * be listed, PP_ERR_LIMIT when there are too many. */
PP_MUST_CHECK pp_status pp_process_tree_memory(const char *root, pid_t pid,
                                               pp_process_memory *ret_memory, pp_error *err);

/** User and system time, in nanoseconds at the resolution of /proc/PID/stat. Fails as above. */
PP_MUST_CHECK pp_status pp_process_tree_cpu(const char *root, pid_t pid, int64_t *ret_ns,
                                            pp_error *err);

#endif
