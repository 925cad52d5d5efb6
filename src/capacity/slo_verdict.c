/* Verdicts of slo.h: which requests are violations, and what the exact rule makes of their number.
 */
#include <math.h>
#include <stdlib.h>

#include "capacity/slo.h"
#include "stats/binomial.h"
#include "stats/serial.h"

static const char *const verdict_names[] = {"pass", "fail", "undecided"};
static const char *const reason_names[] = {NULL,         "too-few",  "no-requests", "not-valid",
                                           "overloaded", "gathered", "dependent"};

const char *pp_slo_verdict_name(pp_slo_verdict verdict)
{
    return (size_t)verdict < PP_COUNT_OF(verdict_names) ? verdict_names[verdict] : "unknown";
}

const char *pp_slo_reason_name(pp_slo_reason reason)
{
    return (size_t)reason < PP_COUNT_OF(reason_names) ? reason_names[reason] : "unknown";
}

/* ---- counting ------------------------------------------------------------------------------- */

typedef struct tally {
    const pp_slo *slo;
    bool from_due;
    double *values; /* of those that ended well, in order, the opening ones left out */
    size_t value_count;
    bool is_opening;
    pp_slo_result *result;
} tally;

static void count_one(tally *t, bool violated)
{
    t->result->counted++;
    t->result->violation_count += violated;
}

/* How long the request had been going on when it ended or we gave up. */
static double elapsed_ns(const tally *t, const pp_sample *sample)
{
    double late = t->from_due ? (double)sample->started_ns - (double)sample->scheduled_ns : 0.0;

    return (double)sample->stream_end_ns + late;
}

static void count_ok(tally *t, const pp_sample *sample)
{
    double limit = (double)t->slo->limit_ns;
    double ns;

    if (pp_load_metric_ns(sample, t->slo->metric, t->from_due, &ns)) {
        if (!t->is_opening)
            t->values[t->value_count++] = ns;
        count_one(t, ns > limit);
    } else if (t->slo->metric == PP_METRIC_FIRST_ANSWER &&
               (sample->flags & PP_SAMPLE_NO_ANSWER) != 0 && elapsed_ns(t, sample) > limit) {
        count_one(t, true); /* it only reasoned, longer than the limit */
    } else {
        t->result->undefined_count++;
    }
}

/* Known to be over the limit although it had not ended. */
static bool cut_was_over(const tally *t, const pp_sample *sample)
{
    double ns;
    bool known = pp_load_metric_ns(sample, t->slo->metric, t->from_due, &ns);

    if (!known && (t->slo->metric == PP_METRIC_TPOT || t->slo->metric == PP_METRIC_GAP))
        return false;
    return (known ? ns : elapsed_ns(t, sample)) > (double)t->slo->limit_ns;
}

static void count_sample(tally *t, const pp_sample *sample)
{
    if (t->slo->metric == PP_METRIC_LATENESS || pp_sample_is_ok(sample))
        count_ok(t, sample);
    else if (sample->failure != PP_FAILURE_CUT || cut_was_over(t, sample))
        count_one(t, true);
    else
        t->result->left_out_count++;
}

pp_slo_sight pp_slo_see(const pp_slo *slo, const pp_sample *sample, bool from_due)
{
    pp_slo_result seen = {.slo = slo};
    double value;
    tally t = {.slo = slo, .from_due = from_due, .values = &value, .result = &seen};

    count_sample(&t, sample);
    if (seen.counted == 0)
        return seen.left_out_count > 0 ? PP_SLO_SIGHT_CUT : PP_SLO_SIGHT_NOTHING;
    return seen.violation_count > 0 ? PP_SLO_SIGHT_OVER : PP_SLO_SIGHT_MET;
}

/* ---- the rule ------------------------------------------------------------------------------- */

static void judge_percentile(pp_slo_result *r, double confidence, double effective_share)
{
    double share = (100.0 - r->slo->percent) / 100.0;
    double n_all = (double)(r->counted + r->left_out_count) * effective_share;
    double over = (double)r->violation_count * effective_share;

    r->effective_count = (int64_t)floor((double)r->counted * effective_share);
    r->effective_violation_count = (int64_t)ceil(over);
    r->pass_error =
        pp_known_real(pp_binomial_at_most(r->effective_count, share, r->effective_violation_count));
    r->fail_error =
        pp_known_real(pp_binomial_at_least((int64_t)floor(n_all), share, (int64_t)floor(over)));
    if (r->pass_error.value <= 1.0 - confidence) {
        r->verdict = PP_SLO_PASS;
    } else if (r->fail_error.value <= 1.0 - confidence) {
        r->verdict = PP_SLO_FAIL;
    } else {
        int64_t needed = pp_requests_needed(r->effective_violation_count, share, confidence);

        r->reason = PP_SLO_REASON_TOO_FEW;
        if (needed > 0)
            r->needed_more_count = pp_known_int(
                (int64_t)ceil((double)(needed - r->effective_count) / effective_share));
    }
}

static pp_status judge_latency(const pp_sample *const *samples, size_t n, size_t opening_count,
                               bool from_due, double confidence, pp_slo_result *r, pp_error *err)
{
    tally t = {.slo = r->slo,
               .from_due = from_due,
               .values = calloc(n + 1, sizeof *t.values),
               .result = r};
    pp_serial serial;

    if (t.values == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", n);
    for (size_t i = 0; i < n; i++) {
        t.is_opening = i < opening_count;
        count_sample(&t, samples[i]);
    }
    serial = pp_serial_of(t.values, t.value_count);
    free(t.values);
    r->autocorrelation = serial.lag1;
    r->is_dependent = serial.is_dependent;
    if (r->counted == 0) {
        r->reason = PP_SLO_REASON_NO_REQUESTS;
        r->needed_more_count =
            pp_known_int(pp_requests_needed(0, (100.0 - r->slo->percent) / 100.0, confidence));
        return PP_OK;
    }
    r->seen_percent = pp_known_real(100.0 * (double)r->violation_count / (double)r->counted);
    judge_percentile(r, confidence,
                     serial.is_dependent ? serial.effective_count / (double)t.value_count : 1.0);
    return PP_OK;
}

static void judge_share(const pp_sample *const *samples, size_t n, double confidence,
                        pp_slo_result *r)
{
    bool is_error_rate = r->slo->kind == PP_SLO_ERROR_RATE;
    double failed, bound;

    for (size_t i = 0; i < n; i++) {
        if (samples[i]->failure == PP_FAILURE_CUT) {
            r->left_out_count++;
            continue;
        }
        r->counted++;
        r->violation_count += !pp_sample_is_ok(samples[i]);
    }
    r->effective_count = r->counted;
    r->effective_violation_count = r->violation_count;
    if (r->counted == 0) {
        r->reason = PP_SLO_REASON_NO_REQUESTS;
        return;
    }
    failed = 100.0 * (double)r->violation_count / (double)r->counted;
    bound = 100.0 * pp_share_upper_bound(r->violation_count, r->counted, confidence);
    r->seen_percent = pp_known_real(
        is_error_rate ? failed
                      : 100.0 * (double)(r->counted - r->violation_count) / (double)r->counted);
    r->bound_percent = pp_known_real(is_error_rate ? bound : 100.0 - bound);
    if (is_error_rate)
        r->verdict = failed <= r->slo->limit_percent ? PP_SLO_PASS : PP_SLO_FAIL;
    else
        r->verdict = r->seen_percent.value >= r->slo->limit_percent ? PP_SLO_PASS : PP_SLO_FAIL;
}

pp_status pp_slo_judge(const pp_slo *slo, const pp_sample *const *samples, size_t n,
                       size_t opening_count, bool from_due, double confidence,
                       pp_slo_result *ret_result, pp_error *err)
{
    pp_slo_result result = {.slo = slo, .verdict = PP_SLO_UNDECIDED};
    pp_status st = PP_OK;

    PP_ASSERT(slo->kind != PP_SLO_EACH);
    if (slo->kind == PP_SLO_PERCENTILE)
        st = judge_latency(samples, n, opening_count, from_due, confidence, &result, err);
    else
        judge_share(samples, n, confidence, &result);
    if (st == PP_OK)
        *ret_result = result;
    return st;
}
