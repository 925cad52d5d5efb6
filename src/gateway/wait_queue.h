/* wait_queue.h - who waits for a back end of one served model, in order, and never more than a
 * ceiling (E24: the waiting list inside a server has none).
 *
 * The nodes lie in their owners, so waiting costs no allocation. */
#ifndef PP_GATEWAY_WAIT_QUEUE_H
#define PP_GATEWAY_WAIT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pp_wait_queue pp_wait_queue;

typedef struct pp_waiter pp_waiter;

struct pp_waiter {
    pp_waiter *previous, *next;
    pp_wait_queue *queue; /* NULL: waits nowhere */
    void *owner;
};

struct pp_wait_queue {
    pp_waiter *first, *last;
    size_t count;
    size_t max_count;
    size_t highest; /* most at once so far */
};

/** To the end of the line; false when as many wait as may. */
bool pp_wait_queue_push(pp_wait_queue *queue, pp_waiter *waiter);

/** To the front, beyond the ceiling too: it had its turn, and lost it through no fault of its own.
 * As many can do so as are under way. */
void pp_wait_queue_push_front(pp_wait_queue *queue, pp_waiter *waiter);

/** Out of its queue; nothing happens when it is in none. */
void pp_waiter_leave(pp_waiter *waiter);

#endif
