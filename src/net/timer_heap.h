/* timer_heap.h - inside net/ only: timers in order of their instants, none of them allocated.
 *
 * A binary heap of pointers. Its memory is taken once, so that setting a timer cannot fail. */
#ifndef PP_NET_TIMER_HEAP_H
#define PP_NET_TIMER_HEAP_H

#include "net/http_server.h"

typedef struct pp_timer_heap {
    pp_http_timer **slots; /* from 1: slot 0 stays empty, so that a timer's 0 means "not set" */
    size_t count;
    size_t max_count;
    uint64_t next_order;
} pp_timer_heap;

PP_MUST_CHECK pp_status pp_timer_heap_init(pp_timer_heap *heap, size_t max_count, pp_error *err);
void pp_timer_heap_done(pp_timer_heap *heap);

void pp_timer_heap_set(pp_timer_heap *heap, pp_http_timer *timer, int64_t at_ns);
void pp_timer_heap_remove(pp_timer_heap *heap, pp_http_timer *timer);

/** The earliest timer; NULL when there is none. */
pp_http_timer *pp_timer_heap_first(const pp_timer_heap *heap);

#endif
