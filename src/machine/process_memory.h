/* process_memory.h - what a process holds in memory, in bytes, kinds side by side (F65).
 *
 * /proc says kB and means KiB (F66). RSS counts touched file pages, also those of a mapped model
 * (K44); Pss divides shared pages by their sharers (F67). A zombie has none: absent. */
#ifndef PP_MACHINE_PROCESS_MEMORY_H
#define PP_MACHINE_PROCESS_MEMORY_H

#include <sys/types.h>

#include "base/error.h"
#include "base/maybe.h"
#include "machine/scan.h"

typedef struct pp_process_memory {
    pp_maybe_int peak_rss_bytes;    /* VmHWM; of this process image, unlike ru_maxrss (F63, K43) */
    pp_maybe_int rss_bytes;         /* VmRSS */
    pp_maybe_int anon_bytes;        /* RssAnon */
    pp_maybe_int file_bytes;        /* RssFile */
    pp_maybe_int shmem_bytes;       /* RssShmem */
    pp_maybe_int swap_bytes;        /* VmSwap */
    pp_maybe_int hugetlb_bytes;     /* HugetlbPages; not part of RSS */
    pp_maybe_int pss_bytes;         /* smaps_rollup; needs the right to look (same user) */
    pp_maybe_int cgroup_peak_bytes; /* of the innermost group that counts one: all its processes
                                       since it was made, page cache included (K44) */
    const char *cgroup_peak_file;   /* "memory.peak", or version 1's name; NULL when absent */
} pp_process_memory;

/** The lines of /proc/PID/status; kinds that are not there stay absent. */
void pp_process_memory_parse(pp_scan status, pp_process_memory *memory);

/** Fails with PP_ERR_UNAVAILABLE when the process is gone. */
PP_MUST_CHECK pp_status pp_process_memory_read(const char *root, pid_t pid,
                                               pp_process_memory *ret_memory, pp_error *err);

#endif
