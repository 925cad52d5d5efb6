/* metrics_parts.h - inside metrics only: what is counted, between counting and writing. */
#ifndef PP_GATEWAY_METRICS_PARTS_H
#define PP_GATEWAY_METRICS_PARTS_H

#include "gateway/metrics.h"

#define PP_METRICS_BOUND_MAX 16

typedef enum pp_status_class {
    PP_CLASS_2XX,
    PP_CLASS_3XX,
    PP_CLASS_4XX,
    PP_CLASS_5XX,
    PP_CLASS_GONE,
    PP_CLASS_COUNT
} pp_status_class;

typedef enum pp_histogram_kind {
    PP_HISTOGRAM_DURATION,
    PP_HISTOGRAM_QUEUE,
    PP_HISTOGRAM_TTFT,
    PP_HISTOGRAM_UPSTREAM_TTFT,
    PP_HISTOGRAM_DECODE_RATE,
    PP_HISTOGRAM_END_TO_END_RATE,
    PP_HISTOGRAM_COUNT
} pp_histogram_kind;

typedef struct pp_histogram_row {
    const char *name, *help;
    const double *bounds; /* ascending */
    size_t bound_count;   /* at most PP_METRICS_BOUND_MAX */
} pp_histogram_row;

extern const pp_histogram_row pp_histogram_rows[PP_HISTOGRAM_COUNT];

typedef struct pp_histogram {
    uint64_t counts[PP_METRICS_BOUND_MAX + 1]; /* of each bucket alone; the last one has no bound */
    double sum;
} pp_histogram;

/* A counter that does not exist before somebody told it something. */
typedef struct pp_told_counter {
    bool told;
    uint64_t value;
} pp_told_counter;

typedef struct pp_model_counts {
    const char *label;                                               /* escaped */
    uint64_t requests[PP_METRICS_ENDPOINT_COUNT][2][PP_CLASS_COUNT]; /* [.][is_stream][.] */
    uint64_t failures[PP_PROBLEM_COUNT];
    uint64_t client_gone;
    pp_told_counter prompt_tokens, completion_tokens, cached_tokens;
    pp_histogram histograms[PP_HISTOGRAM_COUNT][2]; /* [.][is_stream] */
} pp_model_counts;

typedef struct pp_backend_counts {
    const char *label;
    uint64_t attempts[PP_METRICS_OUTCOME_COUNT];
    uint64_t retries;
    pp_told_counter drafted_tokens, accepted_tokens;
} pp_backend_counts;

struct pp_metrics {
    pp_arena arena;
    size_t model_count, backend_count;
    pp_model_counts *models; /* one more than model_count: requests of no model, label "" */
    pp_backend_counts *backends;
};

#endif
