/* bandwidth.h - how fast can this machine read memory?
 *
 * Decoding one token reads the weights once, so the fitting roof is a read-only sum over a buffer
 * of the model's size with the candidate's number of threads, not a copy or a triad. Threads
 * inherit the caller's CPU mask. What is counted and how to read it: docs/method/bandwidth.md. */
#ifndef PP_MACHINE_BANDWIDTH_H
#define PP_MACHINE_BANDWIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/maybe.h"

#define PP_BANDWIDTH_MAX_THREADS 1024
#define PP_BANDWIDTH_MAX_REPEATS 31

/* Below this, starting the threads would be most of what is timed. */
#define PP_BANDWIDTH_MIN_BYTES_PER_THREAD ((int64_t)64 << 10)

/* Left to everything else beside the buffer. */
#define PP_BANDWIDTH_SPARE_BYTES ((int64_t)64 << 20)

typedef struct pp_bandwidth_options {
    const char *root;        /* whose /proc and /sys say what fits */
    int64_t footprint_bytes; /* of the buffer; all threads together */
    int64_t thread_count;
    int64_t repeat_count;
    int64_t repeat_ns; /* a repeat reads the buffer until about this much time has passed */
} pp_bandwidth_options;

/** "/", no footprint, as many threads as CPUs are allowed, 7 repeats of 100 ms. */
void pp_bandwidth_options_default(pp_bandwidth_options *ret_options);

typedef struct pp_bandwidth_repeat {
    int64_t read_bytes;
    int64_t duration_ns; /* from the first thread's start to the last one's end */
    double bytes_per_second;
} pp_bandwidth_repeat;

typedef struct pp_bandwidth {
    int64_t footprint_bytes; /* rounded up to whole blocks of 128 bytes for each thread */
    int64_t thread_count;
    pp_bandwidth_repeat repeats[PP_BANDWIDTH_MAX_REPEATS];
    size_t repeat_count;
    double best_bytes_per_second, median_bytes_per_second, worst_bytes_per_second;
    pp_maybe_int huge_bytes; /* of the buffer in transparent huge pages (AnonHugePages) */
} pp_bandwidth;

/**
 * Measure. Each thread touches its part first, reads it once untimed, then all of them read at the
 * same time, `repeat_count` times.
 *
 * Every thread's sum is compared with what algebra says; PP_ERR_BUG when one differs.
 * Fails with PP_ERR_RANGE for options outside their range,
 * PP_ERR_UNAVAILABLE when the buffer does not fit into free memory or a control group's limit,
 * PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_bandwidth_measure(const pp_bandwidth_options *options,
                                             pp_bandwidth *ret_bandwidth, pp_error *err);

#endif
