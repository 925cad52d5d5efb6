/* clock.h - the two clocks: durations are monotonic nanoseconds, dates are wall-clock milliseconds.
 *
 * Durations never come from the wall clock (F01). The wall clock appears only in records that say
 * when something happened. */
#ifndef PP_BASE_CLOCK_H
#define PP_BASE_CLOCK_H

#include <stdint.h>

#define PP_NS_PER_MS ((int64_t)1000000)
#define PP_NS_PER_S  ((int64_t)1000000000)

/** CLOCK_MONOTONIC in nanoseconds. */
int64_t pp_clock_now_ns(void);

/** Milliseconds since 1970-01-01 UTC. */
int64_t pp_clock_unix_ms(void);

/** What to subtract from a CLOCK_REALTIME instant to get the monotonic one, in nanoseconds; the
 * middle of a pair of monotonic readings around one of the real-time clock (K2). */
int64_t pp_clock_real_offset_ns(void);

/** Sleep until the monotonic instant; returns early when a signal handler ran. */
void pp_clock_sleep_until_ns(int64_t until_ns);

#endif
