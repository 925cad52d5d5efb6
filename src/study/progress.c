#include "base/clock.h"
#include "study/context.h"

void pp_study_report(pp_study *study, pp_study_phase phase, const char *what, const char *note)
{
    size_t done = pp_step_log_done_count(&study->steps, &study->log);
    const pp_study_progress progress = {
        .phase = phase,
        .what = what,
        .note = note,
        /* what came out of a step is told before its end is in the journal */
        .done = done + (note != NULL && done < study->steps.count),
        .total = study->steps.count,
        .elapsed_ns = study->log.elapsed_ns + pp_clock_now_ns() - study->began_ns,
        .remaining_ns = pp_step_log_remaining_ns(&study->steps, &study->log),
    };

    if (study->options->progress != NULL)
        study->options->progress(study->options->user, &progress);
}

pp_status pp_study_check_stop(const pp_study *study, pp_error *err)
{
    if (study->options->stop != NULL && *study->options->stop != 0)
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted");
    return PP_OK;
}

pp_status pp_study_settle(pp_study *study, pp_error *err)
{
    int64_t until_ns = pp_clock_now_ns() + study->plan.settle_ms * PP_NS_PER_MS;
    pp_status st = pp_study_check_stop(study, err);

    while (st == PP_OK && pp_clock_now_ns() < until_ns) {
        int64_t step_ns = pp_clock_now_ns() + 100 * PP_NS_PER_MS;

        pp_clock_sleep_until_ns(step_ns < until_ns ? step_ns : until_ns);
        st = pp_study_check_stop(study, err);
    }
    return st;
}
