#include "capacity/slo_sequential.h"

#include <stdlib.h>

#include "stats/serial.h"

pp_sprt pp_slo_sequential_test(const pp_slo *slo)
{
    double bad = (100.0 - slo->percent) / 100.0;

    return (pp_sprt){
        .bad_share = bad,
        .good_share = bad * PP_SLO_SEQUENTIAL_GOOD_SHARE,
        .false_accept = PP_SLO_SEQUENTIAL_ERROR,
        .false_reject = PP_SLO_SEQUENTIAL_ERROR,
    };
}

/* ---- while requests end ---------------------------------------------------------------------- */

pp_status pp_slo_watch_init(pp_arena *arena, const pp_slo *slos, size_t slo_count, bool from_due,
                            int64_t request_count, pp_slo_watch *ret_watch, pp_error *err)
{
    pp_slo_watch watch = {.from_due = from_due, .request_count = request_count};

    for (size_t i = 0; i < slo_count; i++)
        if (slos[i].kind == PP_SLO_PERCENTILE)
            watch.slos[watch.slo_count++] = &slos[i];
    watch.sights = PP_ARENA_NEW(arena, unsigned char, (size_t)request_count *watch.slo_count);
    *ret_watch = watch;
    return pp_arena_check(arena, err);
}

static void advance(pp_slo_watch *w, size_t i, pp_slo_sight sight)
{
    pp_sprt test = pp_slo_sequential_test(w->slos[i]);

    if (w->stand[i].answer != PP_SPRT_CONTINUE ||
        (sight != PP_SLO_SIGHT_MET && sight != PP_SLO_SIGHT_OVER))
        return;
    w->stand[i].counted++;
    w->stand[i].violation_count += sight == PP_SLO_SIGHT_OVER;
    w->stand[i].answer = pp_sprt_ask(&test, w->stand[i].counted, w->stand[i].violation_count);
}

static bool is_decided(const pp_slo_watch *w)
{
    size_t accepted = 0;

    for (size_t i = 0; i < w->slo_count; i++) {
        if (w->stand[i].answer == PP_SPRT_REJECT)
            return true;
        accepted += w->stand[i].answer == PP_SPRT_ACCEPT;
    }
    return w->slo_count > 0 && accepted == w->slo_count;
}

bool pp_slo_watch_add(pp_slo_watch *w, const pp_sample *sample)
{
    int64_t at = sample->id.index - 1;

    if (at < 0 || at >= w->request_count || w->slo_count == 0)
        return false;
    for (size_t i = 0; i < w->slo_count; i++)
        w->sights[(size_t)at * w->slo_count + i] =
            (unsigned char)pp_slo_see(w->slos[i], sample, w->from_due);
    while (w->next < w->request_count && !is_decided(w)) {
        const unsigned char *sights = w->sights + (size_t)w->next * w->slo_count;

        if (sights[0] == 0)
            break;
        for (size_t i = 0; i < w->slo_count; i++)
            advance(w, i, (pp_slo_sight)sights[i]);
        w->next++;
    }
    return is_decided(w);
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static void conclude(pp_slo_result *r, pp_sprt_answer answer, const double *values, size_t n)
{
    pp_serial serial = pp_serial_of(values, n);

    r->autocorrelation = serial.lag1;
    r->is_dependent = serial.is_dependent;
    r->effective_count = r->counted;
    r->effective_violation_count = r->violation_count;
    r->pass_error = r->fail_error = pp_known_real(PP_SLO_SEQUENTIAL_ERROR);
    if (r->counted > 0)
        r->seen_percent = pp_known_real(100.0 * (double)r->violation_count / (double)r->counted);
    if (r->counted == 0)
        r->reason = PP_SLO_REASON_NO_REQUESTS;
    else if (answer == PP_SPRT_CONTINUE)
        r->reason = PP_SLO_REASON_TOO_FEW;
    else if (serial.is_dependent)
        r->reason = PP_SLO_REASON_DEPENDENT;
    else
        r->verdict = answer == PP_SPRT_ACCEPT ? PP_SLO_PASS : PP_SLO_FAIL;
}

pp_status pp_slo_judge_sequential(const pp_slo *slo, const pp_sample *const *samples, size_t n,
                                  size_t opening_count, bool from_due, pp_slo_result *ret_result,
                                  pp_error *err)
{
    pp_slo_result result = {.slo = slo, .verdict = PP_SLO_UNDECIDED};
    pp_sprt test = pp_slo_sequential_test(slo);
    pp_sprt_answer answer = PP_SPRT_CONTINUE;
    double *values = calloc(n + 1, sizeof *values);
    size_t value_count = 0;

    if (values == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", n);
    for (size_t i = 0; i < n && answer == PP_SPRT_CONTINUE; i++) {
        pp_slo_sight sight = pp_slo_see(slo, samples[i], from_due);

        if (sight == PP_SLO_SIGHT_CUT) {
            result.left_out_count++;
            break;
        }
        if (sight == PP_SLO_SIGHT_NOTHING) {
            result.undefined_count++;
            continue;
        }
        result.counted++;
        result.violation_count += sight == PP_SLO_SIGHT_OVER;
        if (i >= opening_count && pp_sample_is_ok(samples[i]) &&
            pp_load_metric_ns(samples[i], slo->metric, from_due, &values[value_count]))
            value_count++;
        answer = pp_sprt_ask(&test, result.counted, result.violation_count);
    }
    conclude(&result, answer, values, value_count);
    free(values);
    *ret_result = result;
    return PP_OK;
}
