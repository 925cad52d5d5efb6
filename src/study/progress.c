#include "base/clock.h"
#include "base/stop.h"
#include "study/context.h"

void pp_study_report(pp_study *study, pp_study_phase phase, const char *what, const char *note)
{
    size_t done = pp_step_log_done_count(&study->steps, &study->log);
    const pp_study_progress progress = {
        .phase = phase,
        .what = what,
        .note = note,
        /* what came out of a step is told before its end is in the journal */
        .done = done + (note != NULL && !study->is_beside_steps && done < study->steps.count),
        .total = study->steps.count,
        .elapsed_ns = study->log.elapsed_ns + pp_clock_now_ns() - study->began_ns,
        .remaining_ns = pp_step_log_remaining_ns(&study->steps, &study->log),
    };

    if (study->options->progress != NULL)
        study->options->progress(study->options->user, &progress);
}

pp_status pp_study_check_stop(const pp_study *study, pp_error *err)
{
    if (pp_stop_asked(study->options->stop))
        return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted");
    return PP_OK;
}
