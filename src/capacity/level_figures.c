/* Figures over the requests of a level. */
#include <math.h>

#include "capacity/level_parts.h"
#include "stats/binomial.h"
#include "stats/summary.h"

#define NS_PER_MS 1e6

static pp_maybe_real value_at(const pp_level_view *view, int64_t rank)
{
    if (rank == 0 || isinf(view->values[rank - 1]))
        return (pp_maybe_real){0};
    return pp_known_real(view->values[rank - 1]);
}

static void put_interval(const pp_level_view *view, size_t count, pp_load_tail *tail)
{
    pp_rank_interval ranks = pp_percentile_rank_interval((int64_t)count, tail->at.percent / 100,
                                                         view->rules->confidence);

    tail->lower_rank = ranks.lower;
    tail->upper_rank = ranks.upper;
    tail->low = value_at(view, ranks.lower);
    tail->high = value_at(view, ranks.upper);
}

/* Of sorted values. */
static void put_tails(const pp_level_view *view, size_t count, bool with_intervals,
                      pp_load_figures *f)
{
    f->tail_count = view->rules->percents.count;
    f->tails = PP_ARENA_NEW(view->arena, pp_load_tail, f->tail_count);
    for (size_t i = 0; f->tails != NULL && i < f->tail_count; i++) {
        f->tails[i].at = pp_tail_of(view->values, count, view->rules->percents.values[i]);
        if (with_intervals && count > 0)
            put_interval(view, count, &f->tails[i]);
    }
}

/* Of `count` values in view->values, the last `endless` of them without end. Sorts them. */
static pp_load_figures figures_of(const pp_level_view *view, size_t count, size_t endless,
                                  bool with_intervals)
{
    pp_load_figures f = {.count = (int64_t)count, .failed_count = (int64_t)endless};
    double sum;

    pp_samples_sort(view->values, count);
    put_tails(view, count, with_intervals, &f);
    if (count > endless)
        f.min = pp_known_real(view->values[0]);
    if (count == 0 || endless > 0)
        return f;
    f.max = pp_known_real(view->values[count - 1]);
    if (pp_exact_sum(view->values, count, &sum, NULL) == PP_OK)
        f.mean = pp_known_real(sum / (double)count);
    return f;
}

static pp_load_measure measure_of(const pp_level_view *view, pp_load_metric metric, bool from_due)
{
    pp_load_measure m = {0};
    size_t count = 0;
    size_t failed = 0;

    for (size_t i = 0; i < view->judged_count; i++) {
        const pp_sample *s = view->judged[i];
        double ns;

        if (!pp_sample_is_ok(s))
            failed += s->failure != PP_FAILURE_CUT;
        else if (pp_load_metric_ns(s, metric, from_due, &ns))
            view->values[count++] = ns / NS_PER_MS;
        else
            m.undefined_count++;
    }
    m.ok = figures_of(view, count, 0, true);
    m.ok.failed_count = (int64_t)failed;
    for (size_t i = 0; i < failed; i++)
        view->values[count + i] = INFINITY;
    m.with_failures = figures_of(view, count + failed, failed, true);
    return m;
}

/* ---- one value of each request -------------------------------------------------------------- */

typedef bool value_of(const pp_sample *sample, double *ret_value);

static bool lateness_of(const pp_sample *s, double *ret_value)
{
    *ret_value = ((double)s->started_ns - (double)s->scheduled_ns) / NS_PER_MS;
    return true;
}

static bool connect_of(const pp_sample *s, double *ret_value)
{
    *ret_value = (double)s->connect_ns.value / NS_PER_MS;
    return s->connect_ns.known && (s->flags & PP_SAMPLE_CONNECTION_REUSED) == 0;
}

static bool stream_end_of(const pp_sample *s, double *ret_value)
{
    *ret_value = (double)s->stream_end_ns / NS_PER_MS;
    return pp_sample_is_ok(s);
}

static bool generation_rate_of(const pp_sample *s, double *ret_value)
{
    pp_maybe_real rate = pp_sample_generation_tokens_per_second(s);

    *ret_value = rate.value;
    return rate.known;
}

static bool request_rate_of(const pp_sample *s, double *ret_value)
{
    if (!pp_sample_is_ok(s) || !s->generated_tokens.known || !s->e2e_ns.known ||
        s->e2e_ns.value <= 0)
        return false;
    *ret_value = (double)s->generated_tokens.value * 1e9 / (double)s->e2e_ns.value;
    return true;
}

static bool client_lag_of(const pp_sample *s, double *ret_value)
{
    *ret_value = (double)s->client_lag_ns_p99.value / NS_PER_MS;
    return s->client_lag_ns_p99.known;
}

static pp_load_figures each_of(const pp_level_view *view, value_of *value)
{
    size_t count = 0;

    for (size_t i = 0; i < view->judged_count; i++)
        count += value(view->judged[i], &view->values[count]);
    return figures_of(view, count, 0, true);
}

/* ---- gaps ----------------------------------------------------------------------------------- */

static pp_maybe_real percent_of(int64_t part, int64_t whole)
{
    return whole == 0 ? (pp_maybe_real){0} : pp_known_real(100.0 * (double)part / (double)whole);
}

/* Through a proxy that gathers events the gaps seem to shrink (B015): they are not shown then. */
static void put_gaps(const pp_level_view *view, pp_level_summary *out)
{
    double limit = view->rules->gathered_percent_max;
    int64_t requests = 0;
    int64_t gathered = 0;
    int64_t zeros = 0;
    size_t count = 0;

    for (size_t i = 0; i < view->judged_count; i++) {
        const pp_sample *s = view->judged[i];

        if (!pp_sample_is_ok(s))
            continue;
        requests++;
        gathered += (s->flags & PP_SAMPLE_GATHERED) != 0;
        for (size_t j = 0; j < s->gap_count; j++) {
            zeros += s->gaps_ns[j] == 0;
            view->values[count++] = (double)s->gaps_ns[j] / NS_PER_MS;
        }
    }
    out->gathered_percent = percent_of(gathered, requests);
    out->zero_gap_percent = percent_of(zeros, (int64_t)count);
    out->gaps_withheld = out->gathered_percent.value > limit || out->zero_gap_percent.value > limit;
    out->gaps = figures_of(view, out->gaps_withheld ? 0 : count, 0, false);
}

void pp_level_put_figures(const pp_level_view *view, pp_level_summary *out)
{
    out->ttft = measure_of(view, PP_METRIC_TTFT, false);
    out->first_answer = measure_of(view, PP_METRIC_FIRST_ANSWER, false);
    out->e2e = measure_of(view, PP_METRIC_E2E, false);
    out->ttft_due = measure_of(view, PP_METRIC_TTFT, true);
    out->first_answer_due = measure_of(view, PP_METRIC_FIRST_ANSWER, true);
    out->e2e_due = measure_of(view, PP_METRIC_E2E, true);
    out->tpot = measure_of(view, PP_METRIC_TPOT, false);
    put_gaps(view, out);
    out->lateness = each_of(view, lateness_of);
    out->connect = each_of(view, connect_of);
    out->stream_end = each_of(view, stream_end_of);
    out->generation_rate = each_of(view, generation_rate_of);
    out->request_rate = each_of(view, request_rate_of);
    out->client_lag = each_of(view, client_lag_of);
    out->error_percent = percent_of(out->failed_count, out->failed_count + out->ok_count);
}
