/* proc_stat.h - the CPU lines of /proc/stat, in USER_HZ ticks (proc(5)). */
#ifndef PP_MACHINE_PROC_STAT_H
#define PP_MACHINE_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/scan.h"

typedef struct pp_proc_stat {
    int64_t busy_ticks;  /* user + nice + system + irq + softirq; user holds guest already */
    int64_t idle_ticks;  /* idle + iowait: nobody computed */
    int64_t steal_ticks; /* the hypervisor ran somebody else; 0 on kernels before 2.6.11 */
    int64_t cpu_count;   /* cpuN lines: the CPUs on line */
} pp_proc_stat;

/** False when the text has no "cpu" line of at least four counts, or a count is negative or absurd
 * (more than 2^53). */
bool pp_proc_stat_parse(pp_scan text, pp_proc_stat *ret_stat);

#endif
