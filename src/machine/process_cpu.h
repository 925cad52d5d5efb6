/* process_cpu.h - CPU time of one process from /proc/PID/stat. */
#ifndef PP_MACHINE_PROCESS_CPU_H
#define PP_MACHINE_PROCESS_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/scan.h"

typedef struct pp_process_cpu {
    char state; /* R S D Z T ... */
    int64_t parent_pid;
    int64_t own_ticks;      /* utime + stime, all threads, USER_HZ */
    int64_t children_ticks; /* cutime + cstime: descendants that were waited for */
    int64_t started_ticks;  /* after boot, USER_HZ */
} pp_process_cpu;

/** The command name may hold blanks and parentheses, so fields count from the last ')'. False when
 * the text is not such a line. */
bool pp_process_cpu_parse(pp_scan text, pp_process_cpu *ret_cpu);

#endif
