#include "net/http_client.h"

#include "base/clock.h"
#include "base/stop.h"
#include "net/http_client_transfer.h"

static void unlink_transfer(pp_http_transfer *t)
{
    pp_http_loop *loop = t->loop;

    if (t->previous != NULL)
        t->previous->next = t->next;
    else
        loop->transfers = t->next;
    if (t->next != NULL)
        t->next->previous = t->previous;
    loop->transfer_count--;
    pp_deadline_remove(&loop->deadlines, &t->deadline);
}

static void link_transfer(pp_http_loop *loop, pp_http_transfer *t)
{
    t->previous = NULL;
    t->next = loop->transfers;
    if (t->next != NULL)
        t->next->previous = t;
    loop->transfers = t;
    loop->transfer_count++;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Takes the handle out of libcurl, completes the record, tells the owner. */
static void end_transfer(pp_http_transfer *t, int64_t ended_ns)
{
    pp_http_handlers handlers = t->handlers;
    pp_http_record *r = t->record;

    pp_http_note_reply(t);
    (void)curl_multi_remove_handle(t->loop->multi, t->easy);
    r->ended_ns = ended_ns;
    if (r->arrival_count > 0 && r->arrivals[r->arrival_count - 1].at_ns > ended_ns)
        r->ended_ns = r->arrivals[r->arrival_count - 1].at_ns;
    unlink_transfer(t);
    pp_http_transfer_put_aside(t);
    if (handlers.end != NULL)
        handlers.end(handlers.user);
}

/* When the transfer that libcurl just reported as over ended: with the read that completed it. */
static int64_t end_of_read(const pp_http_transfer *t)
{
    const pp_http_record *r = t->record;
    int64_t at_ns = t->loop->stamp.at_ns;

    if (r->arrival_count > 0 && t->read_serial == t->loop->stamp.serial) /* or its last part */
        at_ns = r->arrivals[r->arrival_count - 1].at_ns;
    return at_ns > r->started_ns ? at_ns : pp_clock_now_ns();
}

void pp_http_reap(pp_http_loop *loop)
{
    CURLMsg *message;
    int left;

    loop->ended_unseen = false;
    while ((message = curl_multi_info_read(loop->multi, &left)) != NULL) {
        pp_http_transfer *t = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        pp_http_judge(t, message->data.result);
        end_transfer(t, end_of_read(t));
    }
}

void pp_http_end_by_us(pp_http_transfer *t, pp_http_result result, const char *text)
{
    (void)pp_http_refuse(t, result, text);
    end_transfer(t, pp_clock_now_ns());
}

void pp_http_expire(pp_http_loop *loop, int64_t now_ns)
{
    pp_deadline_node *first;

    while ((first = pp_deadline_first(&loop->deadlines)) != NULL && first->at_ns <= now_ns) {
        pp_http_transfer *t = first->owner;
        pp_http_limit next = pp_http_next_limit(t);

        if (t->resume_due)
            pp_http_go_on(t);
        else if (next.at_ns != 0 && next.at_ns <= now_ns)
            pp_http_end_by_us(t, next.result, pp_http_limit_text(next.result));
        else
            pp_http_arm_limit(t);
    }
}

void pp_http_cancel(pp_http_loop *loop, pp_http_transfer *transfer)
{
    (void)loop;
    pp_http_end_by_us(transfer, PP_HTTP_CANCELLED, "cancelled");
}

void pp_http_drop_all(pp_http_loop *loop)
{
    while (loop->transfers != NULL) {
        pp_http_transfer *t = loop->transfers;

        t->handlers = (pp_http_handlers){0};
        pp_http_end_by_us(t, PP_HTTP_CANCELLED, "cancelled");
    }
    while (loop->idle_transfers != NULL) {
        pp_http_transfer *t = loop->idle_transfers;

        loop->idle_transfers = t->next;
        pp_http_transfer_free(t);
    }
    pp_http_target_release(loop->target);
    loop->target = NULL;
    pp_http_headers_release(loop->headers);
    loop->headers = NULL;
}

size_t pp_http_active_count(const pp_http_loop *loop)
{
    return loop->transfer_count;
}

/* ---- the start ------------------------------------------------------------------------------ */

pp_status pp_http_start(pp_http_loop *loop, const pp_http_request *request,
                        const pp_http_handlers *handlers, pp_http_record *record,
                        pp_http_transfer **ret_transfer, pp_error *err)
{
    pp_http_transfer *t = NULL;
    pp_status st = pp_http_transfer_take(loop, &t, err);

    if (st != PP_OK)
        return st;
    t->handlers = handlers == NULL ? (pp_http_handlers){0} : *handlers;
    t->limits = request->limits;
    t->relay = request->relay;
    t->record = record;
    t->clock_jump_count = loop->clock_jump_count;
    st = pp_http_transfer_prepare(t, request, err);
    if (st != PP_OK) {
        pp_http_transfer_free(t);
        return st;
    }
    pp_http_record_restart(record);
    record->started_ns = pp_clock_now_ns();
    loop->woke_ns = record->started_ns;
    link_transfer(loop, t);
    if (curl_multi_add_handle(loop->multi, t->easy) != CURLM_OK) {
        unlink_transfer(t);
        pp_http_transfer_free(t);
        return pp_fail(err, PP_ERR_MEMORY, "libcurl could not take a request");
    }
    pp_http_arm_limit(t);
    pp_http_loop_kick(loop); /* sends what can be sent now, not at the next turn (K13) */
    pp_http_loop_settle(loop);
    if (ret_transfer != NULL)
        *ret_transfer = t;
    return PP_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

pp_status pp_http_turn(pp_http_loop *loop, int64_t until_ns, pp_error *err)
{
    pp_http_reap(loop);
    return pp_http_loop_turn(loop, until_ns, err);
}

pp_status pp_http_run(pp_http_loop *loop, const bool *done, int64_t until_ns, pp_error *err)
{
    for (;;) {
        pp_status st;

        pp_http_reap(loop);
        if (done != NULL && *done)
            return PP_OK;
        if (done == NULL && until_ns == 0 && loop->transfer_count == 0)
            return PP_OK;
        if (pp_stop_asked(loop->stop))
            return pp_fail(err, PP_ERR_INTERRUPTED, "interrupted");
        if (until_ns != 0 && pp_clock_now_ns() >= until_ns)
            return PP_OK;
        st = pp_http_loop_turn(loop, until_ns, err);
        if (st != PP_OK)
            return st;
    }
}

typedef struct single {
    bool (*body)(void *user, const void *bytes, size_t size);
    void *user;
    bool ended;
} single;

static bool single_body(void *user, const void *bytes, size_t size)
{
    single *one = user;

    return one->body == NULL || one->body(one->user, bytes, size);
}

static void single_end(void *user)
{
    single *one = user;

    one->ended = true;
}

pp_status pp_http_perform(pp_http_loop *loop, const pp_http_request *request,
                          bool (*body)(void *, const void *, size_t), void *user,
                          pp_http_record *record, pp_error *err)
{
    single one = {body, user, false};
    pp_http_handlers handlers = {.body = single_body, .end = single_end, .user = &one};
    pp_http_transfer *t = NULL;
    pp_status st = pp_http_start(loop, request, &handlers, record, &t, err);

    if (st != PP_OK)
        return st;
    st = pp_http_run(loop, &one.ended, 0, err);
    if (!one.ended)
        pp_http_cancel(loop, t);
    return st;
}

static pp_status status_of_result(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_COMPLETE:
        return PP_OK;
    case PP_HTTP_CONNECT_TIMEOUT:
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
    case PP_HTTP_IDLE_TIMEOUT:
    case PP_HTTP_TOTAL_TIMEOUT:
        return PP_ERR_TIMEOUT;
    case PP_HTTP_TOO_LARGE:
        return PP_ERR_LIMIT;
    case PP_HTTP_CANCELLED:
        return PP_ERR_INTERRUPTED;
    default:
        return PP_ERR_PEER;
    }
}

pp_status pp_http_fetch(pp_http_loop *loop, const pp_http_request *request, pp_http_record *record,
                        pp_error *err)
{
    char safe_url[256];
    pp_status st = pp_http_perform(loop, request, NULL, NULL, record, err);

    pp_http_safe_url(request->url, safe_url, sizeof safe_url);
    if (st == PP_OK && record->result != PP_HTTP_COMPLETE)
        st = pp_fail(err, status_of_result(record->result), "%s", record->text);
    return pp_wrap(err, st, "asking '%s'", safe_url);
}
