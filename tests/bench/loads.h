/* loads.h - processes with a known appetite, for the bench programs. */
#ifndef PP_TESTS_LOADS_H
#define PP_TESTS_LOADS_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/** A child that computes with `threads` threads until it is ended; `children` of its own do the
 * same with one thread each. All die with us. */
pid_t load_start_busy(int threads, int children);

/** A child that waits wait_ns, then computes busy_ms of CPU time in every 100 ms for duration_ns,
 * then ends. */
pid_t load_start_pulses(int64_t wait_ns, int busy_ms, int64_t duration_ns);

/** Kill (when `kill_first`) and wait; what it used. */
void load_end(pid_t pid, int kill_first, struct rusage *ret_usage);

double load_cpu_ms(const struct rusage *usage);

/** A whole decimal number of the command line; prints what is wrong and exits with 2. */
long load_number(const char *what, const char *text, long min, long max);

#endif
