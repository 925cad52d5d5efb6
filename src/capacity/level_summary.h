/* level_summary.h - what the requests of one level of load say.
 *
 * A pure function of samples, level, observations and rules, so that a verifier can make it again.
 * docs/method/load-summary.md has every rule in words, docs/formats/load-report.md every figure.
 *
 * Times are milliseconds. A request is due at `scheduled_ns`, begins at `started_ns`, has its last
 * text at `e2e_ns` and ends at `stream_end_ns` after its begin. Percentiles are nearest rank. */
#ifndef PP_CAPACITY_LEVEL_SUMMARY_H
#define PP_CAPACITY_LEVEL_SUMMARY_H

#include "capacity/slo.h"
#include "model/load_level.h"
#include "stats/percentile.h"
#include "stats/percents.h"

/* What decides how a level is judged. Limits are inclusive: beyond them the level is not valid. */
typedef struct pp_load_rules {
    const pp_slo *slos;
    size_t slo_count;
    pp_percents percents;
    double confidence; /* above 0.5, below 1 */
    bool stop_early;   /* percentiles are judged after each request, and a level ends when they are
                          decided: capacity/slo_sequential.h */
    bool cold;         /* prompts must not come from a cache (F46) */
    double lateness_ms_p99_max;
    double stall_ms_max;
    double client_lag_ms_p99_max; /* of the samples' own p99, nearest rank over the samples */
    double client_cpu_share_max;  /* of one core for each worker, 0 to 1 */
    double delivered_share_min;   /* open loop, trace: of the drawn rate, 0 to 1 */
    double steady_deviation_percent_max; /* of Little's law; beyond it a level is "not steady" */
    double gathered_percent_max;         /* requests flagged, or gaps of 0: gaps are withheld */
} pp_load_rules;

/** No demands; p50 p90 p95 p99; 95 %; not cold; and the limits of docs/method/load-summary.md. */
pp_load_rules pp_load_rules_default(void);

/* A percentile and what its position leaves open. */
typedef struct pp_load_tail {
    pp_tail at;
    int64_t lower_rank, upper_rank; /* two-sided interval at the confidence of the rules; 0: none */
    pp_maybe_real low, high;        /* the samples at these ranks; absent: none, or endless */
} pp_load_tail;

typedef struct pp_load_figures {
    int64_t count;                /* values; failures are among them only in "with failures" */
    int64_t failed_count;         /* failures: left out, or endless */
    pp_maybe_real mean, min, max; /* absent without values, and where an endless one forbids them */
    pp_load_tail *tails; /* one for each percent of the rules; in the arena. Only requests have
                            intervals: gaps of one request are not independent */
    size_t tail_count;
} pp_load_figures;

/* One measure of requests, without failures and with failures as endless ones (F71). Cut requests
 * are in neither. */
typedef struct pp_load_measure {
    int64_t undefined_count; /* ended well and do not have it: no tpot with one token (F37) */
    pp_load_figures ok, with_failures;
} pp_load_measure;

/* Rates over a window. */
typedef struct pp_load_window {
    bool known;            /* false: there is none, or it has no length (F75) */
    double from_ms, to_ms; /* from the start of the level */
    int64_t ended_count;   /* requests that ended well in it, by their last text (F38) */
    int64_t good_count;    /* of these, within every limit of a request */
    int64_t generated_tokens;
    double requests_per_second, tokens_per_second;
    pp_maybe_real good_per_second; /* goodput; absent without limits */
} pp_load_window;

typedef enum pp_steady {
    PP_STEADY_KNOWN,
    PP_STEADY_NO_REQUESTS,
    PP_STEADY_NEVER_ALL_RUNNING, /* fewer requests than clients */
    PP_STEADY_NO_LENGTH          /* nothing was begun after the last client had begun */
} pp_steady;

/** "known", "no-requests", "never-all-running", "no-length". */
const char *pp_steady_name(pp_steady steady);

/* Little's law over the steady window: mean number in flight = rate of ends * mean time. */
typedef struct pp_little {
    bool known;
    double in_flight_mean; /* by integration */
    double ended_per_second, residence_ms_mean;
    double deviation_percent; /* of in_flight_mean from the product */
    bool is_steady;
} pp_little;

/* Open loop and trace. */
typedef struct pp_load_rate {
    pp_maybe_real asked_per_second;     /* open loop */
    pp_maybe_real drawn_per_second;     /* of the instants that were due */
    pp_maybe_real delivered_per_second; /* of the starts */
    bool in_flight_known;
    double in_flight_thirds[3]; /* mean number due and not ended, in each third of the run */
    bool is_overloaded;         /* it grew over the run (B071) */
} pp_load_rate;

typedef struct pp_load_cache {
    int64_t told_count; /* requests whose server said how much was cached */
    int64_t cached_request_count;
    int64_t prompt_tokens, cached_tokens; /* of these requests */
    pp_maybe_real cached_percent;
    pp_maybe_bool is_cold; /* absent while a request that ended well did not tell */
} pp_load_cache;

/* Of requests that ended well and whose server told of drafts. */
typedef struct pp_load_speculation {
    int64_t request_count;          /* 0: none told */
    int64_t drafting_request_count; /* of these, with a drafted token */
    int64_t drafted_tokens, accepted_tokens;
    pp_maybe_real acceptance_ratio;      /* absent when nothing was drafted */
    pp_maybe_real low_ratio, high_ratio; /* interval at the confidence of the rules, over answers;
                                            absent with fewer than two that drafted */
} pp_load_speculation;

/* Why figures of a level must not be believed; bits. */
typedef enum pp_load_doubt {
    PP_DOUBT_CLOCK_SET = 1 << 0,
    PP_DOUBT_STALLED = 1 << 1,           /* the client was stopped or starved */
    PP_DOUBT_LATE = 1 << 2,              /* requests began late */
    PP_DOUBT_CLIENT_LAG = 1 << 3,        /* the client woke late for what had arrived (K5) */
    PP_DOUBT_CLIENT_CPU = 1 << 4,        /* the client used nearly all it could */
    PP_DOUBT_IN_FLIGHT = 1 << 5,         /* more in flight than asked */
    PP_DOUBT_SCHEDULE_NOT_KEPT = 1 << 6, /* fewer requests, or slower, than drawn (B062) */
    PP_DOUBT_NOT_COLD = 1 << 7,          /* cold was asked, prompts came from a cache (B103) */
    PP_DOUBT_POLLUTED = 1 << 8           /* the server worked on something else (B050) */
} pp_load_doubt;
#define PP_DOUBT_COUNT 9

/** Name of the n-th doubt, "clock-set", ...; NULL behind the last. */
const char *pp_load_doubt_name(size_t n);

/* What a reader should know of a level that is valid; bits. */
typedef enum pp_load_note {
    PP_NOTE_NOT_STEADY = 1 << 0,
    PP_NOTE_NO_STEADY_WINDOW = 1 << 1,
    PP_NOTE_OVERLOADED = 1 << 2,
    PP_NOTE_GATHERED = 1 << 3,
    PP_NOTE_COLD_NOT_SHOWN = 1 << 4, /* cold was asked, the server does not tell */
    PP_NOTE_TOKENS_ESTIMATED = 1 << 5,
    PP_NOTE_WRONG_LENGTH = 1 << 6,
    PP_NOTE_INTERRUPTED = 1 << 7,
    PP_NOTE_HOPELESS = 1 << 8,
    PP_NOTE_ALL_FAILED = 1 << 9,
    PP_NOTE_WARMUP_FAILED = 1 << 10,        /* and all had to complete */
    PP_NOTE_DRAFT_ACCEPTANCE_FELL = 1 << 11 /* below that of the first level (G39): set by
                                               pp_load_report_compare */
} pp_load_note;
#define PP_NOTE_COUNT 12

/** Name of the n-th note, "not-steady", ...; NULL behind the last. */
const char *pp_load_note_name(size_t n);

typedef struct pp_level_summary {
    /* measured requests; issued = ok + failed + cut */
    int64_t issued_count, ok_count, failed_count, cut_count, warmup_count;
    int64_t ramp_count; /* issued during the ramp: in the counts and windows, in no other figure */
    int64_t failures[PP_FAILURE_COUNT];
    int64_t flags[PP_SAMPLE_FLAG_COUNT]; /* requests that carry each */
    pp_maybe_real error_percent;         /* failed of failed and ok */

    pp_load_measure ttft, first_answer, e2e;             /* from the start */
    pp_load_measure ttft_due, first_answer_due, e2e_due; /* from the instant due */
    pp_load_measure tpot;
    pp_load_figures gaps; /* all gaps of all requests that ended well; empty when withheld */
    bool gaps_withheld;
    pp_maybe_real gathered_percent, zero_gap_percent;
    pp_load_figures lateness;        /* of every request */
    pp_load_figures connect;         /* of new connections */
    pp_load_figures stream_end;      /* of requests that ended well */
    pp_load_figures generation_rate; /* tokens/s of a request after its first (B037) */
    pp_load_figures request_rate;    /* tokens/s of a request from its start to its last text */
    pp_load_figures client_lag;      /* the samples' own p99 */
    pp_maybe_real client_cpu_share;  /* of one core for each worker */

    pp_load_window steady, whole;
    pp_steady steady_state;
    pp_little little;
    pp_load_rate rate;
    pp_load_cache cache;
    pp_load_speculation speculation;

    unsigned doubts; /* 0: the level is valid */
    unsigned notes;
    pp_slo_result *results; /* of the demands that have a verdict, in their order; in the arena */
    size_t result_count;
    bool has_verdict;
    pp_slo_verdict verdict; /* fail when one fails, pass when all pass */
} pp_level_summary;

/**
 * Summarise the samples whose level is `level->number` or not known; in any order.
 *
 * Everything that is allocated is in the arena; `rules->slos` must live as long as the summary.
 * Fails with PP_ERR_DOMAIN when a sample contradicts itself or the others (begun before it was due,
 * times beyond 2^61 ns, tokens beyond int64), PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_summarise(pp_arena *arena, const pp_load_level *level,
                                          const pp_load_observed *observed,
                                          const pp_sample *samples, size_t n,
                                          const pp_load_rules *rules, pp_level_summary *ret_summary,
                                          pp_error *err);

#endif
