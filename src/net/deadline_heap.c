#include "net/deadline_heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"

pp_status pp_deadline_reserve(pp_deadline_heap *heap, size_t count, pp_error *err)
{
    size_t capacity = heap->capacity == 0 ? 64 : heap->capacity;
    pp_deadline_node **grown;

    if (count <= heap->capacity)
        return PP_OK;
    if (count > SIZE_MAX / 2 / sizeof *grown)
        return pp_fail(err, PP_ERR_RANGE, "%zu deadlines are more than can be", count);
    while (capacity < count)
        capacity *= 2;
    grown = pp_fail_nth_realloc(heap->nodes, capacity * sizeof *grown);
    if (grown == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu deadlines", capacity);
    heap->nodes = grown;
    heap->capacity = capacity;
    return PP_OK;
}

void pp_deadline_heap_done(pp_deadline_heap *heap)
{
    free(heap->nodes);
    memset(heap, 0, sizeof *heap);
}

static bool is_before(const pp_deadline_node *a, const pp_deadline_node *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void place(pp_deadline_heap *heap, pp_deadline_node *node, size_t slot)
{
    heap->nodes[slot - 1] = node;
    node->slot = slot;
}

static void sift_up(pp_deadline_heap *heap, pp_deadline_node *node)
{
    size_t slot = node->slot;

    while (slot > 1 && is_before(node, heap->nodes[slot / 2 - 1])) {
        place(heap, heap->nodes[slot / 2 - 1], slot);
        slot /= 2;
    }
    place(heap, node, slot);
}

static void sift_down(pp_deadline_heap *heap, pp_deadline_node *node)
{
    size_t slot = node->slot;

    while (2 * slot <= heap->count) {
        size_t child = 2 * slot;

        if (child < heap->count && is_before(heap->nodes[child], heap->nodes[child - 1]))
            child++;
        if (!is_before(heap->nodes[child - 1], node))
            break;
        place(heap, heap->nodes[child - 1], slot);
        slot = child;
    }
    place(heap, node, slot);
}

void pp_deadline_set(pp_deadline_heap *heap, pp_deadline_node *node, int64_t at_ns)
{
    if (node->slot == 0) {
        PP_ASSERT(heap->count < heap->capacity);
        heap->count++;
        place(heap, node, heap->count);
    }
    node->at_ns = at_ns;
    node->order = heap->next_order++;
    sift_up(heap, node);
    sift_down(heap, node);
}

void pp_deadline_remove(pp_deadline_heap *heap, pp_deadline_node *node)
{
    pp_deadline_node *last;
    size_t slot = node->slot;

    if (slot == 0)
        return;
    last = heap->nodes[heap->count - 1];
    heap->count--;
    node->slot = 0;
    if (last == node)
        return;
    place(heap, last, slot);
    sift_up(heap, last);
    sift_down(heap, last);
}

pp_deadline_node *pp_deadline_first(const pp_deadline_heap *heap)
{
    return heap->count == 0 ? NULL : heap->nodes[0];
}
