#include "base/clock.h"
#include "study/context.h"

const char *pp_study_step_name(pp_study_step step)
{
    static const char *const names[PP_STUDY_STEP_COUNT] = {
        [PP_STUDY_VERIFY] = "verify",         [PP_STUDY_PREFLIGHT] = "preflight",
        [PP_STUDY_THROUGHPUT] = "throughput", [PP_STUDY_REQUESTS] = "requests",
        [PP_STUDY_ASSEMBLE] = "assemble",
    };

    return names[step];
}

/* How many parts of a step the plan has. */
static size_t planned_parts(const pp_study *study, pp_study_step step)
{
    switch (step) {
    case PP_STUDY_VERIFY:
        return study->plan.model_count;
    case PP_STUDY_PREFLIGHT:
        return study->plan.candidate_count;
    case PP_STUDY_THROUGHPUT:
    case PP_STUDY_REQUESTS:
        return study->plan.candidate_count * (size_t)study->plan.passes;
    default:
        return 1;
    }
}

/* Parts of the two long steps differ little between candidates: the mean of those that ended is a
 * fair guess for those to come. Until both have one, nothing is said. */
static int64_t estimate_remaining_ns(const pp_study *study)
{
    static const pp_study_step long_steps[] = {PP_STUDY_THROUGHPUT, PP_STUDY_REQUESTS};
    int64_t remaining_ns = 0;

    for (size_t i = 0; i < PP_COUNT_OF(long_steps); i++) {
        pp_study_step step = long_steps[i];
        size_t left = planned_parts(study, step) - study->step_parts[step];

        if (left > 0 && study->step_parts[step] == 0)
            return -1;
        if (left > 0)
            remaining_ns += study->step_ns[step] / (int64_t)study->step_parts[step] * (int64_t)left;
    }
    return remaining_ns;
}

static void report(pp_study *study, pp_study_step step, const char *what, const char *note)
{
    pp_study_progress progress = {
        .step = step,
        .what = what,
        .note = note,
        .done = study->parts_done,
        .elapsed_ns = pp_clock_now_ns() - study->began_ns,
        .remaining_ns = estimate_remaining_ns(study),
    };

    for (int i = 0; i < PP_STUDY_STEP_COUNT; i++)
        progress.total += planned_parts(study, (pp_study_step)i);
    if (study->options->progress != NULL)
        study->options->progress(study->options->user, &progress);
}

void pp_study_report_begin(pp_study *study, pp_study_step step, const char *what)
{
    study->step_ns[step] -= pp_clock_now_ns();
    report(study, step, what, NULL);
}

void pp_study_report_end(pp_study *study, pp_study_step step, const char *what, const char *note)
{
    study->step_ns[step] += pp_clock_now_ns();
    study->step_parts[step]++;
    study->parts_done++;
    report(study, step, what, note);
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
