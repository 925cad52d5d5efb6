#include "gateway/wait_queue.h"

static void count_one(pp_wait_queue *queue, pp_waiter *waiter)
{
    waiter->queue = queue;
    queue->count++;
    if (queue->count > queue->highest)
        queue->highest = queue->count;
}

bool pp_wait_queue_push(pp_wait_queue *queue, pp_waiter *waiter)
{
    if (queue->count >= queue->max_count)
        return false;
    waiter->next = NULL;
    waiter->previous = queue->last;
    if (queue->last == NULL)
        queue->first = waiter;
    else
        queue->last->next = waiter;
    queue->last = waiter;
    count_one(queue, waiter);
    return true;
}

void pp_wait_queue_push_front(pp_wait_queue *queue, pp_waiter *waiter)
{
    waiter->previous = NULL;
    waiter->next = queue->first;
    if (queue->first == NULL)
        queue->last = waiter;
    else
        queue->first->previous = waiter;
    queue->first = waiter;
    count_one(queue, waiter);
}

void pp_waiter_leave(pp_waiter *waiter)
{
    pp_wait_queue *queue = waiter->queue;

    if (queue == NULL)
        return;
    if (waiter->previous == NULL)
        queue->first = waiter->next;
    else
        waiter->previous->next = waiter->next;
    if (waiter->next == NULL)
        queue->last = waiter->previous;
    else
        waiter->next->previous = waiter->previous;
    waiter->previous = waiter->next = NULL;
    waiter->queue = NULL;
    queue->count--;
}
