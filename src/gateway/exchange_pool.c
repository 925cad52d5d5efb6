/* Exchanges and their memory: taken for a request, used again for the next one, so that a request
 * allocates little. And the list of those with work that a callback had to leave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "gateway/parts.h"

/* As many as clients at once in the usual configuration; more are given back to the system. */
#define FREE_MAX 1024

static void unlink_live(pp_exchange *x)
{
    if (x->previous_live != NULL)
        x->previous_live->next_live = x->next_live;
    else
        x->gateway->live = x->next_live;
    if (x->next_live != NULL)
        x->next_live->previous_live = x->previous_live;
}

static void link_live(pp_gateway *g, pp_exchange *x)
{
    x->previous_live = NULL;
    x->next_live = g->live;
    if (g->live != NULL)
        g->live->previous_live = x;
    g->live = x;
}

static pp_exchange *new_exchange(pp_gateway *g)
{
    pp_exchange *x = pp_fail_nth_malloc(sizeof *x);

    if (x == NULL)
        return NULL;
    memset(x, 0, sizeof *x);
    x->gateway = g;
    pp_buf_init(&x->body, (size_t)g->config->body_max_bytes + 4096);
    pp_buf_init(&x->held, g->hold_max_bytes + PP_GATEWAY_SPARE_BYTES);
    if (pp_http_record_init(&x->record, PP_HTTP_ERROR_BODY_BYTES, 0, 0, NULL) == PP_OK)
        return x;
    pp_exchange_free(x);
    return NULL;
}

void pp_exchange_free(pp_exchange *x)
{
    pp_http_record_done(&x->record);
    pp_tee_free(x->tee);
    pp_buf_done(&x->body);
    pp_buf_done(&x->held);
    pp_arena_done(&x->arena);
    pp_arena_done(&x->reply_arena);
    free(x);
}

static void name_request(pp_exchange *x)
{
    char ours[PP_EXCHANGE_ID_MAX];
    pp_text id;

    (void)snprintf(ours, sizeof ours, "%s%llu", x->gateway->id_prefix,
                   (unsigned long long)++x->gateway->serial);
    id = pp_relay_request_id(x->request->headers, x->request->header_count, pp_text_of(ours));
    (void)snprintf(x->id, sizeof x->id, "%.*s", (int)id.size, id.data);
    x->own_headers[x->own_header_count++] =
        (pp_http_header){pp_text_of(PP_REQUEST_ID_HEADER), pp_text_of(x->id)};
}

pp_exchange *pp_exchange_take(pp_gateway *g, pp_http_call *call,
                              const pp_http_request_view *request)
{
    pp_exchange *x = g->free;

    if (x != NULL) {
        g->free = x->next;
        g->free_count--;
    } else {
        x = new_exchange(g);
    }
    if (x == NULL)
        return NULL;
    x->call = call;
    x->request = request;
    x->arrived_ns = request->arrived_ns;
    link_live(g, x);
    pp_http_call_set_data(call, x);
    name_request(x);
    pp_admit_note_address(x);
    g->totals.requests++;
    return x;
}

static void drop_large(pp_buf *buf)
{
    size_t max_bytes = buf->max_bytes;

    pp_buf_clear(buf);
    if (buf->capacity <= PP_EXCHANGE_KEEP_BYTES)
        return;
    pp_buf_done(buf);
    pp_buf_init(buf, max_bytes);
}

static void clear_arena(pp_arena *arena)
{
    if (arena->used_bytes > PP_EXCHANGE_KEEP_BYTES)
        pp_arena_done(arena);
    else
        pp_arena_clear(arena);
}

/* Everything zero but for the memory that is used again. */
static void clear_exchange(pp_exchange *x)
{
    pp_exchange kept = {.gateway = x->gateway,
                        .arena = x->arena,
                        .reply_arena = x->reply_arena,
                        .record = x->record,
                        .body = x->body,
                        .held = x->held};

    pp_tee_free(x->tee);
    *x = kept;
    drop_large(&x->body);
    drop_large(&x->held);
    clear_arena(&x->arena);
    clear_arena(&x->reply_arena);
}

static void leave_todo(pp_gateway *g, pp_exchange *x)
{
    pp_exchange **at = &g->todo_first;

    if (!x->is_todo)
        return;
    g->todo_last = NULL;
    while (*at != NULL) {
        if (*at == x)
            *at = x->next_todo;
        else {
            g->todo_last = *at;
            at = &(*at)->next_todo;
        }
    }
    x->is_todo = false;
}

void pp_exchange_put_back(pp_exchange *x)
{
    pp_gateway *g = x->gateway;

    pp_waiter_leave(&x->waiter);
    pp_http_timer_cancel(g->server, &x->timer);
    pp_attempt_cancel(x, PP_OUTCOME_ABANDONED);
    pp_exchange_account(x, pp_clock_now_ns());
    leave_todo(g, x);
    unlink_live(x);
    if (g->free_count >= FREE_MAX) {
        pp_exchange_free(x);
        return;
    }
    clear_exchange(x);
    x->next = g->free;
    g->free = x;
    g->free_count++;
}

void pp_gateway_todo(pp_gateway *g, pp_exchange *x)
{
    if (x->is_todo)
        return;
    x->is_todo = true;
    x->next_todo = NULL;
    if (g->todo_first == NULL)
        g->todo_first = x;
    else
        g->todo_last->next_todo = x;
    g->todo_last = x;
}

void pp_gateway_do_todo(pp_gateway *g)
{
    pp_exchange *x;

    while ((x = g->todo_first) != NULL) {
        g->todo_first = x->next_todo;
        if (g->todo_first == NULL)
            g->todo_last = NULL;
        x->is_todo = false;
        pp_attempt_do_doomed(x);
    }
}
