/* deadline_heap.h - inside net/ only: which of many instants comes first. Limits of the client's
 * transfers and timers of the server.
 *
 * A binary heap of nodes that live in their owners: setting, moving and removing one is
 * logarithmic, so that 10,000 transfers cost no walk each time one of them is late. Of equal
 * instants the one that was set first comes first. */
#ifndef PP_NET_DEADLINE_HEAP_H
#define PP_NET_DEADLINE_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct pp_deadline_node {
    int64_t at_ns;
    size_t slot;    /* place in the heap, from 1; 0 = not in it */
    uint64_t order; /* of being set */
    void *owner;
} pp_deadline_node;

typedef struct pp_deadline_heap {
    pp_deadline_node **nodes;
    size_t count;
    size_t capacity;
    uint64_t next_order;
} pp_deadline_heap;

/** Make room for `count` nodes; pp_deadline_set then cannot fail for so many. */
PP_MUST_CHECK pp_status pp_deadline_reserve(pp_deadline_heap *heap, size_t count, pp_error *err);
void pp_deadline_heap_done(pp_deadline_heap *heap);

/** Put the node in, or move it; room must have been made. */
void pp_deadline_set(pp_deadline_heap *heap, pp_deadline_node *node, int64_t at_ns);

/** Take it out; nothing happens when it is not in. */
void pp_deadline_remove(pp_deadline_heap *heap, pp_deadline_node *node);

/** The earliest one, NULL when there is none. */
pp_deadline_node *pp_deadline_first(const pp_deadline_heap *heap);

#endif
