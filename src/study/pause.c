/* What happens before each run: a fixed time passes, or the machine becomes idle. */
#include "base/clock.h"
#include "machine/watch.h"
#include "study/context.h"

/* As long as the windows in which a run is judged. */
#define LOOK_NS (2 * PP_NS_PER_S)
#define STEP_NS (100 * PP_NS_PER_MS)

static pp_status sleep_until(pp_study *study, int64_t until_ns, pp_error *err)
{
    pp_status st = pp_study_check_stop(study, err);

    while (st == PP_OK && pp_clock_now_ns() < until_ns) {
        int64_t step_ns = pp_clock_now_ns() + STEP_NS;

        pp_clock_sleep_until_ns(step_ns < until_ns ? step_ns : until_ns);
        st = pp_study_check_stop(study, err);
    }
    return st;
}

/* How much others compute until then. A look that the end of patience cuts short says nothing. */
static pp_status look(pp_study *study, int64_t deadline_ns, pp_maybe_real *ret_percent,
                      pp_error *err)
{
    const int64_t end_ns = pp_clock_now_ns() + LOOK_NS;
    const bool whole = end_ns <= deadline_ns;
    pp_watch_options options;
    pp_watch_result result;
    pp_watch *watch = NULL;
    pp_status st;

    pp_watch_options_default(&options);
    st = pp_watch_start(&options, &watch, err);
    if (st != PP_OK)
        return st;
    st = sleep_until(study, whole ? end_ns : deadline_ns, err);
    pp_watch_stop(watch, &result);
    if (whole)
        *ret_percent = result.foreign_percent_mean;
    return st;
}

static pp_status wait_until_idle(pp_study *study, pp_study_pause_facts *facts, pp_error *err)
{
    const pp_plan_idle *idle = &study->plan.idle;
    const int64_t began_ns = pp_clock_now_ns();
    const int64_t deadline_ns = began_ns + idle->max_wait_ms * PP_NS_PER_MS;
    bool is_idle = false;
    pp_status st = PP_OK;

    while (st == PP_OK && !is_idle && pp_clock_now_ns() < deadline_ns) {
        st = look(study, deadline_ns, &facts->foreign_percent, err);
        is_idle = facts->foreign_percent.known && facts->foreign_percent.value <= idle->cpu_percent;
    }
    facts->known = true;
    facts->waited_ms = (pp_clock_now_ns() - began_ns) / PP_NS_PER_MS;
    facts->gave_up = !is_idle;
    return st;
}

pp_status pp_study_pause(pp_study *study, pp_study_pause_facts *ret_facts, pp_error *err)
{
    *ret_facts = (pp_study_pause_facts){0};
    return study->plan.waits_until_idle
               ? wait_until_idle(study, ret_facts, err)
               : sleep_until(study, pp_clock_now_ns() + study->plan.settle_ms * PP_NS_PER_MS, err);
}

pp_json *pp_study_pause_to_json(pp_arena *arena, const pp_study_pause_facts *facts)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "waited_ms", facts->waited_ms);
    pp_json_set_bool(arena, object, "gave_up", facts->gave_up);
    pp_json_set_maybe_real(arena, object, "foreign_percent", facts->foreign_percent);
    return object;
}
