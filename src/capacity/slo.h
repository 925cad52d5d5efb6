/* slo.h - what is demanded of a level of load, as people write it, and what the requests say to it.
 *
 *     ttft.p95<=2s       at most 5 % of the requests wait longer for their first token
 *     e2e<=10s           a limit for each request: what counts as good throughput, no verdict
 *     error-rate<=1%     share of failed requests of this run
 *     completion>=99%    share of requests of this run that did not fail
 *
 * docs/method/load-verdicts.md says what a verdict means and what it does not. */
#ifndef PP_CAPACITY_SLO_H
#define PP_CAPACITY_SLO_H

#include "base/text.h"
#include "model/sample.h"

/* What a request took. */
typedef enum pp_load_metric {
    PP_METRIC_TTFT,
    PP_METRIC_FIRST_ANSWER,
    PP_METRIC_E2E,
    PP_METRIC_TPOT,     /* time per output token after the first */
    PP_METRIC_GAP,      /* the largest gap between events of the request */
    PP_METRIC_LATENESS, /* begun later than due: of the client, not of the server */
    PP_METRIC_COUNT
} pp_load_metric;

/** "ttft", "first-answer", "e2e", "tpot", "gap", "lateness". */
const char *pp_load_metric_name(pp_load_metric metric);

/**
 * Nanoseconds, as far as they are known, of a request of any outcome; `from_due` counts ttft, first
 * answer and e2e from the instant the request was due instead of its start. False when unknown.
 */
bool pp_load_metric_ns(const pp_sample *sample, pp_load_metric metric, bool from_due,
                       double *ret_ns);

typedef enum pp_slo_kind {
    PP_SLO_PERCENTILE, /* metric, percent, limit_ns */
    PP_SLO_EACH,       /* metric, limit_ns */
    PP_SLO_ERROR_RATE, /* limit_percent, at most */
    PP_SLO_COMPLETION  /* limit_percent, at least */
} pp_slo_kind;

typedef struct pp_slo {
    pp_slo_kind kind;
    pp_load_metric metric;
    double percent;       /* 1 <= percent < 100 */
    int64_t limit_ns;     /* > 0 */
    double limit_percent; /* 0 to 100 */
    pp_text text;         /* as it was written */
} pp_slo;

/** "percentile", "each", "error-rate", "completion". */
const char *pp_slo_kind_name(pp_slo_kind kind);

#define PP_SLO_MAX 32

/**
 * One demand. `ret_slo->text` is a copy in the arena.
 * Fails with PP_ERR_USAGE naming the byte, what was found and what was expected.
 */
PP_MUST_CHECK pp_status pp_slo_parse(pp_arena *arena, pp_text text, pp_slo *ret_slo, pp_error *err);

/** Add to a list of room for PP_SLO_MAX. The same demand twice counts once; two limits for one
 * thing are refused with PP_ERR_USAGE, because one of them would be without effect. */
PP_MUST_CHECK pp_status pp_slo_add(pp_slo *slos, size_t *count, const pp_slo *slo, pp_error *err);

/** The limit by which a single request counts as good for this metric: the demand for each request,
 * else the one for the highest percentile. NULL when there is none. */
const pp_slo *pp_slo_limit_of_each(const pp_slo *slos, size_t count, pp_load_metric metric);

/* ---- verdicts ------------------------------------------------------------------------------- */

typedef enum pp_slo_verdict { PP_SLO_PASS, PP_SLO_FAIL, PP_SLO_UNDECIDED } pp_slo_verdict;

/** "pass", "fail", "undecided". */
const char *pp_slo_verdict_name(pp_slo_verdict verdict);

/* Why there is no other verdict. */
typedef enum pp_slo_reason {
    PP_SLO_REASON_NONE,
    PP_SLO_REASON_TOO_FEW,     /* neither side is shown: more requests would decide */
    PP_SLO_REASON_NO_REQUESTS, /* none that counts */
    PP_SLO_REASON_NOT_VALID,   /* the level is not valid: docs/method/load-verdicts.md */
    PP_SLO_REASON_OVERLOADED,  /* in flight grew over the run: no pass, and a fail where too many
                                  were over the limit */
    PP_SLO_REASON_GATHERED,    /* events came gathered: gaps say nothing of the server */
    PP_SLO_REASON_DEPENDENT    /* sequential: neighbours resemble each other, and the test is for
                                  independent requests */
} pp_slo_reason;

/** "too-few", ...; NULL for none. */
const char *pp_slo_reason_name(pp_slo_reason reason);

typedef struct pp_slo_result {
    const pp_slo *slo;
    pp_slo_verdict verdict;
    pp_slo_reason reason;
    int64_t counted;         /* requests that say something, violations included */
    int64_t violation_count; /* over the limit, failed, or cut when already over the limit */
    int64_t left_out_count;  /* cut before they were over the limit */
    int64_t undefined_count; /* ended well without this measure */
    pp_maybe_real autocorrelation;
    bool is_dependent;
    int64_t effective_count; /* what the rule worked with: `counted` unless dependent */
    int64_t effective_violation_count;
    pp_maybe_real pass_error; /* chance of so few violations where the demand is missed; PASS at
                                 1 - confidence or less */
    pp_maybe_real fail_error; /* chance of so many where it is met; FAIL likewise */
    pp_maybe_int needed_more_count; /* undecided: requests until PASS if no violation comes */
    pp_maybe_real seen_percent;  /* of the kind that was asked: over the limit, failed, complete */
    pp_maybe_real bound_percent; /* error rate, completion: what `confidence` does not rule out */
} pp_slo_result;

/* What one request says to a demand on a percentile. */
typedef enum pp_slo_sight {
    PP_SLO_SIGHT_NOTHING = 1, /* it ended well and does not have this measure */
    PP_SLO_SIGHT_MET,
    PP_SLO_SIGHT_OVER, /* over the limit, failed, or cut when already over it */
    PP_SLO_SIGHT_CUT   /* cut before it was over the limit */
} pp_slo_sight;

pp_slo_sight pp_slo_see(const pp_slo *slo, const pp_sample *sample, bool from_due);

/**
 * Judge a demand by the measured requests of a level, in the order of their starts. PP_SLO_EACH has
 * no verdict and must not be asked.
 *
 * A percentile passes when its exact binomial test shows it: P(Bin(n, 1 - p) <= v) <= 1 - c; fails
 * when the opposite is shown: P(Bin(n, 1 - p) >= v) <= 1 - c; else it is undecided. Failures are
 * violations. A cut request is neither, unless it was already over the limit; to fail, those left
 * out are taken as met. Where neighbours resemble each other, n is the smaller effective number.
 * The rule is for a number of requests that was fixed before looking.
 * Error rate and completion are compared as they were seen.
 *
 * opening_count   so many of the first requests began together and found an emptier server than all
 *            others: they count like any, but say nothing about neighbours
 * from_due   ttft, first answer and e2e count from the instant a request was due
 * Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_slo_judge(const pp_slo *slo, const pp_sample *const *samples, size_t n,
                                     size_t opening_count, bool from_due, double confidence,
                                     pp_slo_result *ret_result, pp_error *err);

#endif
