#include "machine/watch_meter.h"

#include <string.h>

static double at_least_zero(double value)
{
    return value > 0 ? value : 0;
}

double pp_watch_foreign_percent(const pp_watch_sample *from, const pp_watch_sample *to)
{
    double wall_ns = (double)(to->at_ns - from->at_ns);
    double ours_ns =
        (double)(to->own_ns - from->own_ns) + (double)(to->children_ns - from->children_ns);
    /* iowait may run backwards (proc(5)), so no difference is trusted below zero */
    double idle_ns = at_least_zero((double)(to->idle_ns - from->idle_ns));
    double steal_ns = at_least_zero((double)(to->steal_ns - from->steal_ns));
    double by_ticks_ns = (double)(to->busy_ns - from->busy_ns) - ours_ns;
    double by_idle_ns = wall_ns * (double)to->cpu_count - idle_ns - steal_ns - ours_ns;

    if (wall_ns <= 0)
        return 0;
    if (from->cpu_count != to->cpu_count || by_ticks_ns < by_idle_ns)
        return 100 * at_least_zero(by_ticks_ns) / wall_ns;
    return 100 * at_least_zero(by_idle_ns) / wall_ns;
}

double pp_watch_steal_percent(const pp_watch_sample *from, const pp_watch_sample *to)
{
    double all_ns = (double)(to->at_ns - from->at_ns) * (double)to->cpu_count;

    if (all_ns <= 0)
        return 0;
    return 100 * at_least_zero((double)(to->steal_ns - from->steal_ns)) / all_ns;
}

void pp_watch_meter_init(pp_watch_meter *meter, pp_watch_sample *ring, size_t capacity,
                         int64_t window_ns, int64_t interval_ns, double limit_percent)
{
    memset(meter, 0, sizeof *meter);
    meter->ring = ring;
    meter->capacity = capacity;
    meter->window_ns = window_ns;
    meter->slack_ns = interval_ns / 2;
    meter->limit_percent = limit_percent;
}

/* The latest sample that lies a whole window back, wake-up jitter allowed; NULL before there is. */
static const pp_watch_sample *window_start(const pp_watch_meter *meter, int64_t now_ns)
{
    for (size_t back = 1; back <= meter->count; back++) {
        size_t at = (meter->next + meter->capacity - back) % meter->capacity;

        if (now_ns - meter->ring[at].at_ns >= meter->window_ns - meter->slack_ns)
            return &meter->ring[at];
    }
    return NULL;
}

/* The least share of the `count` newest windows, over the span of all of them. */
static pp_watch_window confirm(const pp_watch_meter *meter, int64_t count)
{
    pp_watch_window group = meter->recent[(meter->window_count - 1) % PP_WATCH_CONFIRMING_WINDOWS];

    for (int64_t back = 2; back <= count; back++) {
        const pp_watch_window *window =
            &meter->recent[(meter->window_count - back) % PP_WATCH_CONFIRMING_WINDOWS];

        if (window->foreign_percent < group.foreign_percent)
            group.foreign_percent = window->foreign_percent;
        group.from_ns = window->from_ns;
    }
    return group;
}

static void judge(pp_watch_meter *meter, pp_watch_window group)
{
    if (!meter->has_peak || group.foreign_percent > meter->peak.foreign_percent)
        meter->peak = group;
    meter->has_peak = true;
    if (!meter->is_over && group.foreign_percent > meter->limit_percent) {
        meter->first_over = group;
        meter->is_over = true;
    }
}

static void add_window(pp_watch_meter *meter, const pp_watch_sample *from,
                       const pp_watch_sample *to)
{
    meter->recent[meter->window_count % PP_WATCH_CONFIRMING_WINDOWS] =
        (pp_watch_window){pp_watch_foreign_percent(from, to), from->at_ns, to->at_ns};
    meter->window_count++;
}

void pp_watch_meter_add(pp_watch_meter *meter, const pp_watch_sample *sample)
{
    const pp_watch_sample *start = window_start(meter, sample->at_ns);

    if (meter->count == 0)
        meter->first = *sample;
    meter->last = *sample;
    if (start != NULL) {
        add_window(meter, start, sample);
        if (meter->window_count >= PP_WATCH_CONFIRMING_WINDOWS)
            judge(meter, confirm(meter, PP_WATCH_CONFIRMING_WINDOWS));
    }
    meter->ring[meter->next] = *sample;
    meter->next = (meter->next + 1) % meter->capacity;
    if (meter->count < meter->capacity)
        meter->count++;
}

void pp_watch_meter_finish(pp_watch_meter *meter)
{
    if (meter->has_peak || meter->count == 0 ||
        meter->last.at_ns - meter->first.at_ns < PP_WATCH_MIN_JUDGED_NS)
        return;
    if (meter->window_count == 0)
        add_window(meter, &meter->first, &meter->last);
    judge(meter, confirm(meter, meter->window_count));
}
