/* flight.h - inside load/ only: one request under way with all the memory it needs, and the way
 * from the worker that measures to the thread that decodes and back. */
#ifndef PP_LOAD_FLIGHT_H
#define PP_LOAD_FLIGHT_H

#include <stdatomic.h>

#include "base/event_stream.h"
#include "load/source.h"
#include "model/exchange.h"
#include "net/http_client.h"

typedef struct pp_flight pp_flight;

struct pp_flight {
    pp_flight *next;     /* on a pile, or under way */
    pp_flight *previous; /* under way */
    void *worker;
    pp_http_record record;
    pp_http_transfer *transfer; /* while under way */
    pp_event_watch watch;
    pp_buf body; /* of the request */
    pp_load_item item;
    pp_phase phase;
    int64_t index;
    int64_t scheduled_ns; /* monotonic, as all instants here */
    const char *cut;      /* why we ended it; NULL when we did not */
};

/* Any thread puts on top, one thread takes all. Neither waits. */
typedef struct pp_flight_pile {
    _Atomic(pp_flight *) top;
} pp_flight_pile;

void pp_flight_put(pp_flight_pile *pile, pp_flight *flight);

/** All of them, linked by `next`, oldest first; NULL when there is none. */
pp_flight *pp_flight_take_all(pp_flight_pile *pile);

/** Fails with PP_ERR_MEMORY. The reserves are as in pp_http_record_init. */
PP_MUST_CHECK pp_status pp_flight_new(size_t reserve_bytes, size_t reserve_arrivals,
                                      pp_flight **ret_flight, pp_error *err);

/** A list linked by `next`; NULL is an empty one. */
void pp_flight_free_list(pp_flight *first);

#endif
