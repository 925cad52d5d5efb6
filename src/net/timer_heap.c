#include "net/timer_heap.h"

#include <stdlib.h>

#include "base/fail_nth.h"

pp_status pp_timer_heap_init(pp_timer_heap *heap, size_t max_count, pp_error *err)
{
    *heap = (pp_timer_heap){.max_count = max_count};
    if (max_count >= SIZE_MAX / sizeof *heap->slots)
        return pp_fail(err, PP_ERR_RANGE, "%zu timers are more than can be", max_count);
    heap->slots = pp_fail_nth_malloc((max_count + 1) * sizeof *heap->slots);
    if (heap->slots == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for %zu timers", max_count);
    return PP_OK;
}

void pp_timer_heap_done(pp_timer_heap *heap)
{
    free(heap->slots);
    *heap = (pp_timer_heap){0};
}

static bool is_before(const pp_http_timer *a, const pp_http_timer *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void put(pp_timer_heap *heap, size_t slot, pp_http_timer *timer)
{
    heap->slots[slot] = timer;
    timer->slot = slot;
}

static void rise(pp_timer_heap *heap, size_t slot)
{
    pp_http_timer *timer = heap->slots[slot];

    for (; slot > 1 && is_before(timer, heap->slots[slot / 2]); slot /= 2)
        put(heap, slot, heap->slots[slot / 2]);
    put(heap, slot, timer);
}

static void sink(pp_timer_heap *heap, size_t slot)
{
    pp_http_timer *timer = heap->slots[slot];

    while (slot * 2 <= heap->count) {
        size_t child = slot * 2;

        if (child < heap->count && is_before(heap->slots[child + 1], heap->slots[child]))
            child++;
        if (!is_before(heap->slots[child], timer))
            break;
        put(heap, slot, heap->slots[child]);
        slot = child;
    }
    put(heap, slot, timer);
}

void pp_timer_heap_set(pp_timer_heap *heap, pp_http_timer *timer, int64_t at_ns)
{
    if (timer->slot == 0) {
        PP_ASSERT(heap->count < heap->max_count);
        put(heap, ++heap->count, timer);
    }
    timer->at_ns = at_ns;
    timer->order = heap->next_order++;
    rise(heap, timer->slot);
    sink(heap, timer->slot);
}

void pp_timer_heap_remove(pp_timer_heap *heap, pp_http_timer *timer)
{
    size_t slot = timer->slot;
    pp_http_timer *last;

    if (slot == 0)
        return;
    timer->slot = 0;
    last = heap->slots[heap->count--];
    if (last == timer)
        return;
    put(heap, slot, last);
    rise(heap, slot);
    sink(heap, last->slot);
}

pp_http_timer *pp_timer_heap_first(const pp_timer_heap *heap)
{
    return heap->count == 0 ? NULL : heap->slots[1];
}
