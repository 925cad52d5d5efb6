/* metrics.h - what the gateway did so far, as Prometheus text (format 0.0.4).
 *
 * Labels come from closed sets: the models and back ends of the configuration, our endpoints,
 * classes of statuses, codes of problems. Every request is told once, when it is over, streamed or
 * not (G31). What nobody told is not counted as 0: tokens, drafts (G38), times without an event.
 *
 * Time to first token and two rates have names of their own (G59): decode is
 * (tokens - 1) / (last text - first text), end to end is tokens / whole time, prefill included.
 *
 * Memory is taken at the start and does not grow. Not thread-safe. No clock. */
#ifndef PP_GATEWAY_METRICS_H
#define PP_GATEWAY_METRICS_H

#include "base/buffer.h"
#include "base/maybe.h"
#include "base/text.h"
#include "gateway/breaker.h"
#include "gateway/problem.h"

/* As Content-Type of the text. */
#define PP_METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* A ceiling for the text: hundreds of models and back ends stay far below it. */
#define PP_METRICS_MAX_BYTES ((size_t)32 << 20)

/* As index: of no model, no back end. */
#define PP_METRICS_NONE SIZE_MAX

typedef enum pp_metrics_endpoint {
    PP_METRICS_CHAT,
    PP_METRICS_TEXT,
    PP_METRICS_MODELS,
    PP_METRICS_HEALTH,
    PP_METRICS_METRICS,
    PP_METRICS_OTHER,
    PP_METRICS_ENDPOINT_COUNT
} pp_metrics_endpoint;

/** "chat", "text", "models", ... */
const char *pp_metrics_endpoint_name(pp_metrics_endpoint endpoint);

typedef struct pp_metrics pp_metrics;

/** Names are copied. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_metrics_new(const pp_text *models, size_t model_count,
                                       const pp_text *backends, size_t backend_count,
                                       pp_metrics **ret_metrics, pp_error *err);

/** Accepts NULL. */
void pp_metrics_free(pp_metrics *metrics);

/* A request that is over. Zeroed is a plain request to chat of model 0: set the indices. */
typedef struct pp_metrics_request {
    pp_metrics_endpoint endpoint;
    size_t model_index;   /* or PP_METRICS_NONE */
    size_t backend_index; /* whose answer the client got, or PP_METRICS_NONE */
    bool is_stream;
    int status; /* sent to the client; PP_STATUS_CLIENT_GONE when it left before one was */
    bool client_gone;
    bool failed; /* with `problem`; also in a stream that had begun with 200 */
    pp_problem problem;
    int64_t total_ns;              /* arrival to last byte */
    pp_maybe_int queue_ns;         /* waited for a back end */
    pp_maybe_int ttft_ns;          /* arrival to first text at our side */
    pp_maybe_int upstream_ttft_ns; /* start of the last attempt to first text */
    pp_maybe_int text_ns;          /* first text to last text of a stream */
    pp_maybe_int prompt_tokens, completion_tokens, cached_tokens;
    pp_maybe_int drafted_tokens, accepted_tokens; /* absent without speculation */
} pp_metrics_request;

void pp_metrics_count(pp_metrics *metrics, const pp_metrics_request *request);

typedef enum pp_metrics_outcome {
    PP_METRICS_ANSWERED,
    PP_METRICS_FAILED,
    PP_METRICS_CALLED_OFF,
    PP_METRICS_OUTCOME_COUNT
} pp_metrics_outcome;

/** An attempt on a back end is over. is_retry: not the first one of its request. */
void pp_metrics_attempt(pp_metrics *metrics, size_t backend_index, pp_metrics_outcome outcome,
                        bool is_retry);

/* What is so now, told when the text is made. */
typedef struct pp_metrics_backend_now {
    bool is_ready;
    int64_t in_flight;
    int64_t slots; /* most that may be in flight */
    pp_breaker_state breaker;
    uint64_t breaker_opened_count;
    uint64_t restart_count;
} pp_metrics_backend_now;

typedef struct pp_metrics_now {
    const pp_metrics_backend_now *backends; /* backend_count of them */
    const int64_t *queue_depths;            /* model_count of them */
    int64_t connections;
    uint64_t log_dropped_count; /* lines of the access log */
} pp_metrics_now;

/** Append the text; the buffer remembers a failure. */
void pp_metrics_write(const pp_metrics *metrics, const pp_metrics_now *now, pp_buf *out);

/** (tokens - 1) / time from first to last text. Absent for less than two tokens or no time. */
pp_maybe_real pp_decode_tokens_per_second(pp_maybe_int completion_tokens, pp_maybe_int text_ns);

/** tokens / whole time. */
pp_maybe_real pp_end_to_end_tokens_per_second(pp_maybe_int completion_tokens, int64_t total_ns);

#endif
