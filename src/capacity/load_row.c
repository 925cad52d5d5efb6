#include "capacity/load_row.h"

#include <math.h>

#include "stats/percentile.h"

/* ---- percentiles ------------------------------------------------------------------------------
 */

static double ttft_of(const pp_load_sample *sample)
{
    return sample->ttft_ms.value;
}

static double e2e_of(const pp_load_sample *sample)
{
    return sample->e2e_latency_ms;
}

static pp_status percentiles(pp_arena *scratch, const pp_load_row *row,
                             double (*value_of)(const pp_load_sample *), pp_maybe_real *ret_p50,
                             pp_maybe_real *ret_p95, pp_error *err)
{
    double *values = PP_ARENA_NEW(scratch, double, row->sample_count);
    double p50;
    double p95;
    size_t n = 0;
    pp_status st = pp_arena_check(scratch, err);

    *ret_p50 = *ret_p95 = (pp_maybe_real){0};
    if (st != PP_OK || row->completed_count == 0)
        return st;
    for (size_t i = 0; i < row->sample_count; i++) {
        if (row->samples[i].completed)
            values[n++] = value_of(&row->samples[i]);
    }
    pp_samples_sort(values, n);
    st = pp_percentile(values, n, 50, &p50, err);
    if (st == PP_OK)
        st = pp_percentile(values, n, 95, &p95, err);
    if (st != PP_OK)
        return st;
    *ret_p50 = pp_known_real(p50);
    *ret_p95 = pp_known_real(p95);
    return PP_OK;
}

/* ---- rates ------------------------------------------------------------------------------------
 */

static double wall_time_seconds(const pp_load_row *row)
{
    double first = row->samples[0].started_at_seconds;
    double last = row->samples[0].finished_at_seconds;

    for (size_t i = 1; i < row->sample_count; i++) {
        first = fmin(first, row->samples[i].started_at_seconds);
        last = fmax(last, row->samples[i].finished_at_seconds);
    }
    return last - first;
}

static void take_rates(pp_load_row *row)
{
    int64_t tokens = 0;
    double all = (double)row->sample_count;
    double completed;

    row->completed_count = 0;
    for (size_t i = 0; i < row->sample_count; i++) {
        row->completed_count += row->samples[i].completed;
        tokens += row->samples[i].generated_tokens;
    }
    completed = (double)row->completed_count;
    row->completion_rate = completed / all;
    row->error_rate = (all - completed) / all;
    row->wall_time_seconds = wall_time_seconds(row);
    row->requests_per_second = completed / row->wall_time_seconds;
    row->generated_tokens_per_second = (double)tokens / row->wall_time_seconds;
}

/* ---- limits -----------------------------------------------------------------------------------
 */

static void judge(pp_load_row *row, const pp_load_slo *slo)
{
    size_t n = 0;

    if (row->completion_rate < slo->min_completion_rate)
        row->slo_failures[n++] = PP_LOAD_SLO_COMPLETION_RATE;
    if (!row->ttft_ms_p95.known) /* whether or not there is a limit */
        row->slo_failures[n++] = PP_LOAD_SLO_NO_TTFT;
    else if (slo->max_ttft_ms_p95.known && row->ttft_ms_p95.value > slo->max_ttft_ms_p95.value)
        row->slo_failures[n++] = PP_LOAD_SLO_TTFT;
    if (!row->e2e_latency_ms_p95.known)
        row->slo_failures[n++] = PP_LOAD_SLO_NO_E2E;
    else if (row->e2e_latency_ms_p95.value > slo->max_e2e_latency_ms_p95)
        row->slo_failures[n++] = PP_LOAD_SLO_E2E;
    row->slo_failure_count = n;
}

static bool is_finite(pp_maybe_real value)
{
    return !value.known || isfinite(value.value);
}

pp_status pp_load_row_derive(pp_load_row *row, const pp_load_slo *slo, pp_error *err)
{
    pp_arena scratch = {0};
    pp_status st;

    take_rates(row);
    st = percentiles(&scratch, row, ttft_of, &row->ttft_ms_p50, &row->ttft_ms_p95, err);
    if (st == PP_OK)
        st = percentiles(&scratch, row, e2e_of, &row->e2e_latency_ms_p50, &row->e2e_latency_ms_p95,
                         err);
    pp_arena_done(&scratch);
    if (st != PP_OK)
        return st;
    if (!isfinite(row->requests_per_second) || !isfinite(row->generated_tokens_per_second) ||
        !is_finite(row->ttft_ms_p50) || !is_finite(row->e2e_latency_ms_p50))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "level %lld: a figure is beyond the range of a number: the samples span "
                       "%g seconds",
                       (long long)row->concurrency, row->wall_time_seconds);
    judge(row, slo);
    return PP_OK;
}

pp_maybe_int pp_load_highest_slo_concurrency(const pp_load_row *rows, size_t count)
{
    pp_maybe_int highest = {0};

    for (size_t i = 0; i < count; i++) {
        if (rows[i].slo_failure_count == 0 &&
            (!highest.known || rows[i].concurrency > highest.value))
            highest = pp_known_int(rows[i].concurrency);
    }
    return highest;
}
