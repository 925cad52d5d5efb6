/* cgroup.h - the control groups a process is in, and the tightest limits on the way to the root.
 *
 * Version 1, version 2 and both at once (hybrid). Folders are looked for where distributions mount
 * them, below <root>/sys/fs/cgroup. In a container the path of /proc/PID/cgroup may be one of the
 * host that is not mounted; levels that are absent are passed over. */
#ifndef PP_MACHINE_CGROUP_H
#define PP_MACHINE_CGROUP_H

#include <sys/types.h>

#include "base/maybe.h"
#include "machine/scan.h"

#define PP_CGROUP_PATH_MAX 512

/* Paths as /proc/PID/cgroup gives them, "" for none. */
typedef struct pp_cgroup_paths {
    char unified[PP_CGROUP_PATH_MAX]; /* version 2 */
    char cpu[PP_CGROUP_PATH_MAX];     /* version 1, each controller its own */
    char memory[PP_CGROUP_PATH_MAX];
    char cpuset[PP_CGROUP_PATH_MAX];
} pp_cgroup_paths;

typedef struct pp_cgroup {
    const char *version; /* "v1", "v2", "hybrid"; NULL when there are none */
    pp_cgroup_paths paths;
    pp_maybe_real cpu_quota_cores; /* absent: no limit */
    pp_maybe_int memory_limit_bytes;
    /* The least that any level with a limit still gives: limit - (usage - page cache of files),
     * because that cache makes room; >= 0. Absent: no limit. */
    pp_maybe_int memory_headroom_bytes;
    pp_maybe_int cpuset_cpu_count;
    char cpuset_cpus[256]; /* "0-3"; "" when absent; long lists are cut */
    /* Folders below the root ("sys/fs/cgroup/..."), "" when absent: */
    char cpu_stat_folder[PP_CGROUP_PATH_MAX + 64];    /* where cpu.stat counts the tightest quota */
    char memory_peak_folder[PP_CGROUP_PATH_MAX + 64]; /* innermost that counts a peak */
    const char *memory_peak_file; /* "memory.peak", "memory.max_usage_in_bytes" (v1), or NULL */
} pp_cgroup;

/** Lines "id:controllers:path"; others are passed over. A path with ".." reads as "/". */
void pp_cgroup_paths_parse(pp_scan text, pp_cgroup_paths *ret_paths);

/** "200000 100000" -> 2 cores; false for "max ..." and for anything malformed. */
bool pp_cgroup_cpu_max_parse(pp_scan text, double *ret_cores);

/** pid 0 is the calling process itself ("self"). Never fails: absent is absent. */
void pp_cgroup_read(const char *root, pid_t pid, pp_cgroup *ret_cgroup);

#endif
