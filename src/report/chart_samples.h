/* chart_samples.h - inside report/ only: every measured request as a dot, candidates side by side,
 * with the quantiles that metrics are made of. */
#ifndef PP_REPORT_CHART_SAMPLES_H
#define PP_REPORT_CHART_SAMPLES_H

#include "report/chart_frame.h"

/* Of more candidates the first are drawn; the table has all that tables name. */
#define PP_SAMPLES_MAX_ROWS 40
/* Dots of a chart, all candidates together: what a page can carry and an eye can use. */
#define PP_SAMPLES_MAX_DOTS 4000

/* What the noise watch said of the run that a request was of; shapes differ. */
typedef enum pp_sample_noise {
    PP_NOISE_QUIET,
    PP_NOISE_DISTURBED,
    PP_NOISE_UNDECIDED /* too short to judge, or not watched */
} pp_sample_noise;

typedef struct pp_sample_dot {
    double value_ms;
    size_t lane; /* runs of a candidate lie below each other, from 0 */
    pp_sample_noise noise;
} pp_sample_dot;

/* One measure of one candidate, over all runs that count. */
typedef struct pp_sample_row {
    size_t candidate;
    pp_sample_dot *dots; /* in the order of the requests; those that failed have none */
    size_t dot_count;
    size_t lane_count;
    size_t request_count, failed_count;
    size_t run_count, disturbed_run_count;
    pp_maybe_real p50, p95; /* failed requests count as endless; one that falls on it is unknown */
    pp_maybe_real lowest, highest;
} pp_sample_row;

typedef struct pp_sample_chart {
    const char *id;
    const char *title; /* "Time to first token", ours */
    const pp_sample_row *rows;
    size_t row_count;
} pp_sample_chart;

/** The row of a candidate; no requests: request_count is 0. */
PP_MUST_CHECK pp_status pp_sample_row_make(const pp_view *v, size_t candidate, bool is_ttft,
                                           pp_sample_row *ret_row, pp_error *err);

/**
 * Every how many-th dot of a row is drawn, so that no more than `most` are, the extremes beside:
 * 1 when all are.
 */
size_t pp_samples_step(size_t dot_count, size_t most);

/** Figure with caption and legend; nothing when no row has a dot. */
void pp_chart_samples(const pp_view *v, const pp_sample_chart *chart);

pp_sample_noise pp_sample_noise_of(const pp_report_run *run);

#endif
