#include "sim/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"

pp_status pp_sim_slots_init(pp_sim_slots *slots, int64_t count, int64_t queue_max, pp_error *err)
{
    size_t n = (size_t)count;

    memset(slots, 0, sizeof *slots);
    slots->jobs = pp_fail_nth_malloc(n * sizeof(pp_sim_job *));
    slots->free = pp_fail_nth_malloc(n * sizeof *slots->free);
    if (slots->jobs == NULL || slots->free == NULL) {
        pp_sim_slots_done(slots);
        return pp_fail(err, PP_ERR_MEMORY, "no memory for %lld slots", (long long)count);
    }
    memset(slots->jobs, 0, n * sizeof(pp_sim_job *));
    slots->count = count;
    slots->queue_max = queue_max;
    for (int64_t i = count - 1; i >= 0; i--) /* the lowest on top */
        slots->free[slots->free_count++] = i;
    return PP_OK;
}

void pp_sim_slots_done(pp_sim_slots *slots)
{
    free((void *)slots->jobs);
    free(slots->free);
    memset(slots, 0, sizeof *slots);
}

static void take_slot(pp_sim_slots *slots, pp_sim_job *job, int64_t slot, int64_t at_ns)
{
    job->place = PP_SIM_PLACE_SLOT;
    job->slot = slot;
    job->start_ns = at_ns;
    slots->jobs[slot] = job;
}

static void append(pp_sim_slots *slots, pp_sim_job *job)
{
    job->place = PP_SIM_PLACE_QUEUE;
    job->before = slots->last;
    job->behind = NULL;
    if (slots->last == NULL)
        slots->first = job;
    else
        slots->last->behind = job;
    slots->last = job;
    slots->queue_count++;
}

static void unlink_job(pp_sim_slots *slots, pp_sim_job *job)
{
    if (job->before == NULL)
        slots->first = job->behind;
    else
        job->before->behind = job->behind;
    if (job->behind == NULL)
        slots->last = job->before;
    else
        job->behind->before = job->before;
    job->before = NULL;
    job->behind = NULL;
    job->place = PP_SIM_PLACE_NONE;
    slots->queue_count--;
}

pp_sim_place pp_sim_slots_enter(pp_sim_slots *slots, pp_sim_job *job, int64_t now_ns)
{
    if (slots->free_count > 0)
        take_slot(slots, job, slots->free[--slots->free_count], now_ns);
    else if (slots->queue_count < slots->queue_max)
        append(slots, job);
    return job->place;
}

pp_sim_job *pp_sim_slots_leave(pp_sim_slots *slots, pp_sim_job *job, int64_t at_ns)
{
    pp_sim_job *next = slots->first;

    if (job->place == PP_SIM_PLACE_QUEUE)
        unlink_job(slots, job);
    if (job->place != PP_SIM_PLACE_SLOT)
        return NULL;
    job->place = PP_SIM_PLACE_NONE;
    if (next == NULL) {
        slots->jobs[job->slot] = NULL;
        slots->free[slots->free_count++] = job->slot;
        return NULL;
    }
    unlink_job(slots, next);
    take_slot(slots, next, job->slot, at_ns);
    return next;
}

int64_t pp_sim_slots_busy(const pp_sim_slots *slots)
{
    return slots->count - slots->free_count;
}
