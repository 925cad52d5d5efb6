#include "load/schedule.h"

#include <math.h>
#include <stdlib.h>

#include "stats/random.h"

#define NS_PER_SECOND 1e9
/* Instants beyond it (146 years) would come near the end of 64 bits. */
#define MAX_DUE_NS    0x1p62

static pp_status check_level(const pp_load_level *level, pp_error *err)
{
    if (level->loop != PP_LOAD_OPEN)
        return pp_fail(err, PP_ERR_RANGE, "expected an open level, got a %s one",
                       pp_load_loop_name(level->loop));
    if (!isfinite(level->rate_per_second) || level->rate_per_second <= 0)
        return pp_fail(err, PP_ERR_RANGE, "expected a rate above 0 requests per second, got %g",
                       level->rate_per_second);
    if (level->arrivals == PP_ARRIVALS_GAMMA &&
        (!isfinite(level->gamma_shape) || level->gamma_shape <= 0))
        return pp_fail(err, PP_ERR_RANGE, "expected a shape of gamma arrivals above 0, got %g",
                       level->gamma_shape);
    if (!level->request_count.known && !level->duration_ns.known)
        return pp_fail(err, PP_ERR_RANGE, "expected a number of requests or a duration, got none");
    if (level->request_count.known && level->request_count.value < 0)
        return pp_fail(err, PP_ERR_RANGE, "expected 0 or more requests, got %lld",
                       (long long)level->request_count.value);
    if ((level->duration_ns.known && level->duration_ns.value < 0) || level->ramp_ns < 0)
        return pp_fail(err, PP_ERR_RANGE, "expected a duration and a ramp of 0 or more");
    return PP_OK;
}

/* When `units` requests are due in the mean: the inverse of the summed rate. */
static double due_after(const pp_load_level *level, double units)
{
    double per_ns = level->rate_per_second / NS_PER_SECOND;
    double ramp_ns = (double)level->ramp_ns;
    double in_ramp = per_ns * ramp_ns / 2;

    if (units < in_ramp)
        return sqrt(2 * ramp_ns * units / per_ns);
    return units * NS_PER_SECOND / level->rate_per_second + ramp_ns / 2;
}

/* Place of request number `index` (from 0) in units of the mean gap; *at is that of the one before.
 * A constant one is no sum, so nothing adds up. */
static double next_place(const pp_load_level *level, uint64_t *random, int64_t index, double *at)
{
    switch (level->arrivals) {
    case PP_ARRIVALS_POISSON:
        return *at += pp_random_exponential(random);
    case PP_ARRIVALS_GAMMA:
        return *at += pp_random_gamma(random, level->gamma_shape);
    case PP_ARRIVALS_CONSTANT:
        break;
    }
    return (double)index;
}

typedef struct due_list {
    int64_t *due_ns; /* on the heap */
    size_t count, capacity;
} due_list;

static pp_status add_due(due_list *list, int64_t due_ns, pp_error *err)
{
    if (list->count == PP_SCHEDULE_MAX_REQUESTS)
        return pp_fail(err, PP_ERR_LIMIT, "the schedule has more than %d requests",
                       PP_SCHEDULE_MAX_REQUESTS);
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 1024 : 2 * list->capacity;
        int64_t *grown = realloc(list->due_ns, capacity * sizeof *grown);

        if (grown == NULL)
            return pp_fail(err, PP_ERR_MEMORY, "no memory for a schedule of %zu requests",
                           capacity);
        list->due_ns = grown;
        list->capacity = capacity;
    }
    list->due_ns[list->count++] = due_ns;
    return PP_OK;
}

static pp_status draw(const pp_load_level *level, due_list *list, pp_error *err)
{
    uint64_t random = pp_random_stream(level->seed, "arrivals", (uint64_t)level->number);
    int64_t count = level->request_count.known ? level->request_count.value : INT64_MAX;
    double end_ns = level->duration_ns.known ? (double)level->duration_ns.value : INFINITY;
    double at = 0;
    pp_status st = PP_OK;

    for (int64_t i = 0; i < count && st == PP_OK; i++) {
        double due_ns = floor(due_after(level, next_place(level, &random, i, &at)) + 0.5);

        if (due_ns >= end_ns)
            break;
        if (!(due_ns < MAX_DUE_NS))
            return pp_fail(err, PP_ERR_RANGE,
                           "request %lld at %g per second would be due after more than 146 years",
                           (long long)i + 1, level->rate_per_second);
        st = add_due(list, (int64_t)due_ns, err);
    }
    return st;
}

pp_status pp_schedule_draw(pp_arena *arena, const pp_load_level *level, int64_t **ret_due_ns,
                           size_t *ret_count, pp_error *err)
{
    due_list list = {0};
    int64_t *kept = NULL;
    pp_status st = check_level(level, err);

    if (st == PP_OK)
        st = draw(level, &list, err);
    if (st == PP_OK) {
        kept = PP_ARENA_NEW(arena, int64_t, list.count);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK) {
        for (size_t i = 0; i < list.count; i++)
            kept[i] = list.due_ns[i];
        *ret_due_ns = kept;
        *ret_count = list.count;
    }
    free(list.due_ns);
    return pp_wrap(err, st, "drawing the schedule of level %lld", (long long)level->number);
}
