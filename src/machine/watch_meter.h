/* watch_meter.h - the arithmetic of the noise watch: samples in, shares of one core out.
 *
 * Knows no clock, file or thread, so tests feed it made samples. Internal to machine/; the method
 * and its error bounds are in docs/method/noise-watch.md. */
#ifndef PP_MACHINE_WATCH_METER_H
#define PP_MACHINE_WATCH_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A window counts as disturbed only when this many windows in a row are: the reading jitter of two
 * ends is independent from window to window, a neighbour is not. */
#define PP_WATCH_CONFIRMING_WINDOWS 3

/* Below this length tick rounding alone would reach the limit. */
#define PP_WATCH_MIN_JUDGED_NS ((int64_t)500000000)

/* Running totals at one instant; only differences are used. */
typedef struct pp_watch_sample {
    int64_t at_ns;                      /* monotonic */
    int64_t busy_ns, idle_ns, steal_ns; /* of the machine */
    int64_t cpu_count;                  /* CPUs on line */
    int64_t own_ns;                     /* this process, all threads */
    int64_t children_ns;                /* registered processes and their descendants */
} pp_watch_sample;

/**
 * CPU time that neither we nor our children used between two samples, in percent of one core, >= 0.
 *
 * The smaller of two readings: wall time of all CPUs less idle, steal and ours (exact where the
 * kernel's idle time is, but ours lags by up to one tick per running thread), and busy ticks less
 * ours (lags alike, but is sampled). When CPUs came or went only the second is defined.
 */
double pp_watch_foreign_percent(const pp_watch_sample *from, const pp_watch_sample *to);

/** Steal in percent of all CPU time between two samples, >= 0. */
double pp_watch_steal_percent(const pp_watch_sample *from, const pp_watch_sample *to);

typedef struct pp_watch_window {
    double foreign_percent;
    int64_t from_ns, to_ns;
} pp_watch_window;

typedef struct pp_watch_meter {
    pp_watch_sample *ring; /* borrowed; enough for one window and one more */
    size_t capacity, count, next;
    int64_t window_ns, slack_ns;
    double limit_percent;
    pp_watch_sample first, last;
    pp_watch_window recent[PP_WATCH_CONFIRMING_WINDOWS];
    int64_t window_count;
    pp_watch_window peak; /* the highest confirmed one; its share is the least of its group */
    bool has_peak;
    pp_watch_window first_over; /* the first confirmed one above the limit */
    bool is_over;
} pp_watch_meter;

void pp_watch_meter_init(pp_watch_meter *meter, pp_watch_sample *ring, size_t capacity,
                         int64_t window_ns, int64_t interval_ns, double limit_percent);

/** Samples come in the order of time. */
void pp_watch_meter_add(pp_watch_meter *meter, const pp_watch_sample *sample);

/** After the last sample: a run with fewer windows than confirm each other is judged by what there
 * is, a run shorter than one window as a whole; below PP_WATCH_MIN_JUDGED_NS has_peak stays false.
 */
void pp_watch_meter_finish(pp_watch_meter *meter);

#endif
