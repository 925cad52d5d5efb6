#include "capacity/level_summary.h"

#include <stdlib.h>

#include "capacity/level_parts.h"
#include "capacity/slo_sequential.h"

#define TIME_NS_MAX ((int64_t)1 << 61) /* 73 years: sums of two stay in range */

pp_load_rules pp_load_rules_default(void)
{
    return (pp_load_rules){
        .percents = {{50, 90, 95, 99}, 4},
        .confidence = 0.95,
        .lateness_ms_p99_max = 20,
        .stall_ms_max = 250,
        .client_lag_ms_p99_max = 20,
        .client_cpu_share_max = 0.9,
        .delivered_share_min = 0.98,
        .steady_deviation_percent_max = 5,
        .gathered_percent_max = 10,
    };
}

/* ---- which samples, in which order ---------------------------------------------------------- */

static pp_status check_sample(const pp_sample *s, size_t at, pp_error *err)
{
    if (s->scheduled_ns < 0 || s->started_ns > TIME_NS_MAX || s->stream_end_ns < 0 ||
        s->stream_end_ns > TIME_NS_MAX)
        return pp_fail(err, PP_ERR_DOMAIN, "sample %zu: a time is outside 0 to 2^61 ns", at + 1);
    if (s->started_ns < s->scheduled_ns)
        return pp_fail(err, PP_ERR_DOMAIN, "sample %zu: begun %lld ns before it was due", at + 1,
                       (long long)(s->scheduled_ns - s->started_ns));
    return PP_OK;
}

static int by_start(const void *a, const void *b)
{
    const pp_sample *x = *(const pp_sample *const *)a;
    const pp_sample *y = *(const pp_sample *const *)b;

    if (x->started_ns != y->started_ns)
        return x->started_ns < y->started_ns ? -1 : 1;
    if (x->id.pass != y->id.pass)
        return x->id.pass < y->id.pass ? -1 : 1;
    return (x->id.index > y->id.index) - (x->id.index < y->id.index);
}

static bool is_of_level(const pp_sample *sample, const pp_load_level *level)
{
    return !sample->id.level.known || sample->id.level.value == level->number;
}

static bool add_to(int64_t *sum, pp_maybe_int value)
{
    return !value.known || (value.value >= 0 && !__builtin_add_overflow(*sum, value.value, sum));
}

static pp_status check_tokens(const pp_level_view *view, pp_error *err)
{
    int64_t generated = 0;
    int64_t prompt = 0;
    int64_t cached = 0;
    int64_t drafted = 0;

    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];

        if (!add_to(&generated, s->generated_tokens) || !add_to(&prompt, s->prompt_tokens) ||
            !add_to(&cached, s->cached_tokens) || !add_to(&drafted, s->draft_tokens))
            return pp_fail(err, PP_ERR_DOMAIN, "more tokens than a 64-bit number counts");
    }
    return PP_OK;
}

static void split_ramp(pp_level_view *view)
{
    for (size_t i = 0; i < view->issued_count; i++)
        if ((double)view->issued[i]->scheduled_ns >= view->ramp_end_ns)
            view->judged[view->judged_count++] = view->issued[i];
}

/* Requests or gaps, whatever is more. */
static size_t values_needed(const pp_level_view *view)
{
    size_t gaps = 0;

    for (size_t i = 0; i < view->issued_count; i++)
        gaps += view->issued[i]->gap_count;
    return gaps > view->issued_count ? gaps : view->issued_count;
}

static pp_status make_view(pp_level_view *view, const pp_sample *samples, size_t n,
                           int64_t *ret_warmup_count, pp_error *err)
{
    pp_status st = PP_OK;

    view->issued = PP_ARENA_NEW(view->arena, const pp_sample *, n + 1);
    view->judged = PP_ARENA_NEW(view->arena, const pp_sample *, n + 1);
    st = pp_arena_check(view->arena, err);
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        if (!is_of_level(&samples[i], view->level))
            continue;
        st = check_sample(&samples[i], i, err);
        if (samples[i].id.phase == PP_PHASE_WARMUP)
            (*ret_warmup_count)++;
        else
            view->issued[view->issued_count++] = &samples[i];
    }
    if (st != PP_OK)
        return st;
    qsort(view->issued, view->issued_count, sizeof view->issued[0], by_start);
    view->ramp_end_ns = view->level->ramp_ns > 0
                            ? (double)view->observed->measured_at_ns + (double)view->level->ramp_ns
                            : 0.0;
    split_ramp(view);
    view->values = PP_ARENA_NEW(view->arena, double, values_needed(view) + 1);
    st = pp_arena_check(view->arena, err);
    return st == PP_OK ? check_tokens(view, err) : st;
}

static void put_counts(const pp_level_view *view, pp_level_summary *out)
{
    out->issued_count = (int64_t)view->issued_count;
    out->ramp_count = (int64_t)(view->issued_count - view->judged_count);
    for (size_t i = 0; i < view->issued_count; i++) {
        const pp_sample *s = view->issued[i];

        out->failures[s->failure]++;
        for (size_t bit = 0; bit < PP_SAMPLE_FLAG_COUNT; bit++)
            out->flags[bit] += (s->flags & 1u << bit) != 0;
    }
    out->ok_count = out->failures[PP_FAILURE_NONE];
    out->cut_count = out->failures[PP_FAILURE_CUT];
    out->failed_count = out->issued_count - out->ok_count - out->cut_count;
}

/* ---- verdicts ------------------------------------------------------------------------------- */

static void withhold(pp_slo_result *result, pp_slo_reason reason)
{
    result->verdict = PP_SLO_UNDECIDED;
    result->reason = reason;
    result->needed_more_count = (pp_maybe_int){0};
}

/* The queue grew over the run and would go on to: no number of requests would show a pass, and more
 * over the limit than allowed are a miss, although each wait resembles the one before it. */
static void judge_overload(pp_slo_result *result)
{
    if (result->verdict == PP_SLO_PASS) {
        withhold(result, PP_SLO_REASON_OVERLOADED);
    } else if (result->verdict == PP_SLO_UNDECIDED && result->seen_percent.known &&
               result->seen_percent.value > 100.0 - result->slo->percent) {
        withhold(result, PP_SLO_REASON_OVERLOADED);
        result->verdict = PP_SLO_FAIL;
    }
}

static void apply_doubts(const pp_level_summary *s, pp_slo_result *result)
{
    bool is_latency = result->slo->kind == PP_SLO_PERCENTILE;

    if (s->doubts != 0)
        withhold(result, PP_SLO_REASON_NOT_VALID);
    else if (is_latency && result->slo->metric == PP_METRIC_GAP && s->gaps_withheld)
        withhold(result, PP_SLO_REASON_GATHERED);
    else if (is_latency && s->rate.is_overloaded)
        judge_overload(result);
}

/* All clients of a closed loop begin at once unless there is a ramp, whose requests are not judged.
 */
static size_t opening_count(const pp_load_level *level)
{
    return level->loop == PP_LOAD_CLOSED && level->ramp_ns == 0 ? (size_t)level->clients : 0;
}

static pp_status judge(const pp_level_view *view, const pp_slo *slo, pp_slo_result *ret_result,
                       pp_error *err)
{
    bool is_latency = slo->kind == PP_SLO_PERCENTILE;

    if (is_latency && view->rules->stop_early)
        return pp_slo_judge_sequential(slo, view->judged, view->judged_count,
                                       opening_count(view->level), view->from_due, ret_result, err);
    return pp_slo_judge(slo, is_latency ? view->judged : view->issued,
                        is_latency ? view->judged_count : view->issued_count,
                        opening_count(view->level), view->from_due, view->rules->confidence,
                        ret_result, err);
}

static pp_slo_verdict worse(pp_slo_verdict a, pp_slo_verdict b)
{
    if (a == PP_SLO_FAIL || b == PP_SLO_FAIL)
        return PP_SLO_FAIL;
    return a == PP_SLO_PASS ? b : a;
}

static pp_status put_verdicts(const pp_level_view *view, pp_level_summary *out, pp_error *err)
{
    pp_status st;

    out->results = PP_ARENA_NEW(view->arena, pp_slo_result, view->rules->slo_count + 1);
    st = pp_arena_check(view->arena, err);
    for (size_t i = 0; st == PP_OK && i < view->rules->slo_count; i++) {
        pp_slo_result *result = &out->results[out->result_count];

        if (view->rules->slos[i].kind == PP_SLO_EACH)
            continue;
        st = judge(view, &view->rules->slos[i], result, err);
        if (st != PP_OK)
            break;
        apply_doubts(out, result);
        out->verdict = out->has_verdict ? worse(out->verdict, result->verdict) : result->verdict;
        out->has_verdict = true;
        out->result_count++;
    }
    return st;
}

pp_status pp_load_summarise(pp_arena *arena, const pp_load_level *level,
                            const pp_load_observed *observed, const pp_sample *samples, size_t n,
                            const pp_load_rules *rules, pp_level_summary *ret_summary,
                            pp_error *err)
{
    pp_level_view view = {.arena = arena, .level = level, .observed = observed, .rules = rules};
    pp_level_summary summary = {0};
    pp_status st = make_view(&view, samples, n, &summary.warmup_count, err);

    view.from_due = level->loop != PP_LOAD_CLOSED;
    if (st == PP_OK) {
        put_counts(&view, &summary);
        pp_level_put_figures(&view, &summary);
        pp_level_put_windows(&view, &summary);
        pp_level_put_little(&view, &summary);
        pp_level_put_rate(&view, &summary);
        pp_level_put_speculation(&view, &summary);
        pp_level_put_doubts(&view, &summary);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK)
        st = put_verdicts(&view, &summary, err);
    if (st == PP_OK)
        *ret_summary = summary;
    return pp_wrap(err, st, "summarising level %lld", (long long)level->number);
}
