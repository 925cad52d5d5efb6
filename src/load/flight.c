#include "load/flight.h"

#include <stdlib.h>

void pp_flight_put(pp_flight_pile *pile, pp_flight *flight)
{
    pp_flight *top = atomic_load_explicit(&pile->top, memory_order_relaxed);

    do
        flight->next = top;
    while (!atomic_compare_exchange_weak_explicit(&pile->top, &top, flight, memory_order_release,
                                                  memory_order_relaxed));
}

pp_flight *pp_flight_take_all(pp_flight_pile *pile)
{
    pp_flight *newest = atomic_exchange_explicit(&pile->top, NULL, memory_order_acquire);
    pp_flight *first = NULL;

    while (newest != NULL) {
        pp_flight *older = newest->next;

        newest->next = first;
        first = newest;
        newest = older;
    }
    return first;
}

pp_status pp_flight_new(size_t reserve_bytes, size_t reserve_arrivals, pp_flight **ret_flight,
                        pp_error *err)
{
    pp_flight *flight = calloc(1, sizeof *flight);
    pp_status st;

    if (flight == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a request");
    pp_buf_init(&flight->body, PP_LOAD_BODY_MAX_BYTES);
    st = pp_http_record_init(&flight->record, PP_HTTP_STREAM_MAX_BYTES, reserve_bytes,
                             reserve_arrivals, err);
    if (st != PP_OK)
        pp_flight_free_list(flight);
    else
        *ret_flight = flight;
    return st;
}

void pp_flight_free_list(pp_flight *first)
{
    while (first != NULL) {
        pp_flight *next = first->next;

        pp_http_record_done(&first->record);
        pp_buf_done(&first->body);
        free(first);
        first = next;
    }
}
