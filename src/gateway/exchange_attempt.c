/* One attempt on one back end: listened to and judged. exchange_start.c begins it. */
#include "gateway/parts.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "load/dialect.h"
#include "net/retry_after.h"

static pp_backend *backend_of(const pp_exchange *x)
{
    return &x->gateway->backends[x->attempt.backend];
}

static bool is_success(int status)
{
    return status >= 200 && status <= 299;
}

/* ---- the end of it --------------------------------------------------------------------------- */

static void tell_breaker(pp_exchange *x, pp_backend_outcome outcome, int64_t retry_after_ns)
{
    if (x->attempt.judged)
        return;
    x->attempt.judged = true;
    pp_backend_judge(backend_of(x), x->attempt.pass, outcome, pp_clock_now_ns(), retry_after_ns);
}

static pp_metrics_outcome metrics_outcome(pp_backend_outcome outcome)
{
    if (outcome == PP_OUTCOME_ANSWERED)
        return PP_METRICS_ANSWERED;
    return outcome == PP_OUTCOME_FAILED ? PP_METRICS_FAILED : PP_METRICS_CALLED_OFF;
}

void pp_attempt_finish(pp_exchange *x, pp_backend_outcome outcome, int64_t retry_after_ns)
{
    if (!x->attempt.under_way)
        return;
    x->attempt.under_way = false;
    x->paused = false;
    tell_breaker(x, outcome, retry_after_ns);
    pp_metrics_attempt(x->gateway->metrics, x->attempt.backend, metrics_outcome(outcome),
                       x->attempt_count > 1);
    pp_backend_release(backend_of(x));
    x->gateway->has_room = true;
}

void pp_attempt_cancel(pp_exchange *x, pp_backend_outcome outcome)
{
    pp_http_transfer *transfer = x->attempt.transfer;

    x->attempt.transfer = NULL; /* so `end` knows that it was us */
    if (transfer != NULL)
        pp_http_cancel(x->gateway->client, transfer);
    pp_attempt_finish(x, outcome, 0);
}

/* From callbacks, which may neither start nor cancel. */
void pp_attempt_doom(pp_exchange *x, pp_problem problem)
{
    if (x->attempt.doomed)
        return;
    x->attempt.doomed = true;
    x->attempt.doom = problem;
    pp_gateway_todo(x->gateway, x);
}

/* Problems that are ours say nothing about the back end, and another one would not help. */
static bool is_ours(pp_problem problem)
{
    return problem == PP_PROBLEM_MEMORY || problem == PP_PROBLEM_INTERNAL ||
           problem == PP_PROBLEM_HEADERS;
}

static void failed(pp_exchange *x, const pp_problem_report *report)
{
    bool ours = is_ours(report->problem);

    pp_attempt_cancel(x, ours ? PP_OUTCOME_ABANDONED : PP_OUTCOME_FAILED);
    pp_exchange_next(x, report, !ours && report->problem != PP_PROBLEM_TOTAL_TIMEOUT);
}

void pp_attempt_do_doomed(pp_exchange *x)
{
    pp_problem_report report = {.problem = x->attempt.doom, .status = x->attempt.doom_status};

    if (!x->attempt.doomed || !x->attempt.under_way)
        return;
    x->attempt.doomed = false;
    if (x->state == PP_EXCHANGE_GONE)
        pp_attempt_cancel(x, PP_OUTCOME_ABANDONED);
    else
        failed(x, &report);
}

/* ---- head ------------------------------------------------------------------------------------ */

static void keep_headers(pp_exchange *x, const pp_http_reply_head *head)
{
    pp_attempt *a = &x->attempt;
    pp_error err = {0};
    pp_status st = pp_relay_reply_headers(&x->reply_arena, head->headers, head->header_count,
                                          a->is_stream, &a->headers, &a->header_count, &err);

    for (size_t i = 0; st == PP_OK && i < a->header_count; i++) {
        a->headers[i].name = pp_text_dup(&x->reply_arena, a->headers[i].name);
        a->headers[i].value = pp_text_dup(&x->reply_arena, a->headers[i].value);
    }
    if (st == PP_OK)
        st = pp_arena_check(&x->reply_arena, NULL);
    if (st != PP_OK)
        pp_attempt_doom(x, st == PP_ERR_MEMORY ? PP_PROBLEM_MEMORY : PP_PROBLEM_UPSTREAM_INVALID);
}

static void note_origin(pp_backend *backend, const pp_http_reply_head *head)
{
    pp_text said = pp_http_header_find(head->headers, head->header_count, PP_ORIGIN_HEADER);
    pp_origin origin;

    if (said.size > 0 && pp_origin_find(said, &origin)) {
        backend->origin = origin;
        backend->origin_known = true;
    }
}

static void make_tee(pp_exchange *x)
{
    const pp_tee_options options = {.is_stream = x->attempt.is_stream,
                                    .strip_usage = x->ask.stream && !x->ask.wants_usage};

    pp_tee_free(x->tee);
    x->tee = NULL;
    if (pp_tee_new(&options, &x->tee, NULL) != PP_OK)
        pp_attempt_doom(x, PP_PROBLEM_MEMORY);
}

/* Comments and our own head are for streams; a client that was promised one cannot get this. */
static void expect_plain(pp_exchange *x)
{
    if (x->committed)
        pp_attempt_doom(x, PP_PROBLEM_UPSTREAM_INVALID);
    else
        pp_http_timer_cancel(x->gateway->server, &x->timer);
}

static void on_head(void *user, const pp_http_reply_head *head)
{
    pp_exchange *x = user;
    pp_attempt *a = &x->attempt;
    pp_text type = pp_http_header_find(head->headers, head->header_count, "Content-Type");

    x->state = PP_EXCHANGE_HOLDING;
    a->status = head->status;
    a->is_stream = is_success(head->status) && pp_media_type_is(type, "text/event-stream");
    a->retry_after_s =
        pp_http_retry_after_s(pp_http_header_find(head->headers, head->header_count, "Retry-After"),
                              pp_clock_unix_ms() / 1000);
    note_origin(backend_of(x), head);
    keep_headers(x, head);
    if (is_success(a->status))
        make_tee(x);
    if (is_success(a->status) && !a->is_stream)
        expect_plain(x);
}

/* ---- body ------------------------------------------------------------------------------------ */

/* An error object that came with 200: where it blames the request, so do we; else the table's 502.
 */
static int said_status(const pp_tee_facts *facts)
{
    return facts->error_status >= 400 && facts->error_status <= 499 ? facts->error_status : 0;
}

static void begin_relaying(pp_exchange *x)
{
    x->state = PP_EXCHANGE_RELAYING;
    if (x->attempt.is_probe) /* others wait for what it tells; a stream may take minutes */
        tell_breaker(x, PP_OUTCOME_ANSWERED, 0);
    pp_reply_commit(x, -1);
}

/* The first event decides whether the client gets this reply at all (E18). */
static void look_at_first(pp_exchange *x)
{
    const pp_tee_facts *facts = pp_tee_facts_of(x->tee);

    if (facts->first == PP_TEE_FIRST_ERROR) {
        x->attempt.doom_status = said_status(facts);
        pp_attempt_doom(x, PP_PROBLEM_UPSTREAM_INVALID);
    } else if (facts->first == PP_TEE_FIRST_EVENT) {
        begin_relaying(x);
    } else if (x->held.size > x->gateway->hold_max_bytes) {
        pp_attempt_doom(
            x, PP_PROBLEM_UPSTREAM_INVALID); /* comments without end, or an event without one */
    }
}

static void feed(pp_exchange *x, pp_bytes bytes, int64_t now_ns)
{
    pp_error err = {0};

    if (bytes.size == 0 || x->attempt.doomed)
        return;
    if (pp_tee_feed(x->tee, bytes, now_ns, &x->held, &err) != PP_OK || x->held.status != PP_OK)
        pp_attempt_doom(x, PP_PROBLEM_MEMORY);
}

/* Behind the last empty line; 0 when there is none. Only a hint: the tee knows. */
static size_t end_of_last_event(pp_bytes bytes)
{
    for (size_t i = bytes.size; i >= 2; i--)
        if (bytes.data[i - 1] == '\n' &&
            (bytes.data[i - 2] == '\n' ||
             (i >= 4 && bytes.data[i - 2] == '\r' && bytes.data[i - 3] == '\n')))
            return i;
    return 0;
}

/* Only whole events go on, so that an error event can always follow, unless one is very long. */
static void pass_events(pp_exchange *x)
{
    bool whole = pp_tee_between_events(x->tee);

    if (x->attempt.doomed)
        return;
    if (x->state == PP_EXCHANGE_HOLDING)
        look_at_first(x);
    if (x->state != PP_EXCHANGE_RELAYING || x->attempt.doomed)
        return;
    if (!whole && x->held.size <= PP_EXCHANGE_EVENT_HOLD_BYTES)
        return;
    x->mid_event = !whole;
    (void)pp_reply_pass_held(x); /* a client that is lost is gone with the server's next turn */
}

static bool take_events(pp_exchange *x, pp_bytes bytes, int64_t now_ns)
{
    const pp_tee_facts *facts = pp_tee_facts_of(x->tee);
    uint64_t before = facts->event_count;
    size_t whole = end_of_last_event(bytes);

    feed(x, (pp_bytes){bytes.data, whole}, now_ns);
    if (whole > 0)
        pass_events(x);
    feed(x, (pp_bytes){bytes.data + whole, bytes.size - whole}, now_ns);
    if (whole < bytes.size)
        pass_events(x);
    return facts->event_count > before;
}

/* An answer goes on, and what comes later cannot be taken back. A refusal does not: whether the
 * client may have it, and without which words, is known when it is whole. */
static void too_long_to_hold(pp_exchange *x)
{
    if (is_success(x->attempt.status))
        begin_relaying(x);
    else
        pp_attempt_doom(x, PP_PROBLEM_UPSTREAM_INVALID);
}

static void take_plain(pp_exchange *x, pp_bytes bytes, int64_t now_ns)
{
    if (x->tee != NULL && is_success(x->attempt.status))
        feed(x, bytes, now_ns);
    else
        pp_buf_append(&x->held, bytes.data, bytes.size);
    if (x->attempt.doomed)
        return;
    if (x->held.status != PP_OK)
        pp_attempt_doom(x, PP_PROBLEM_UPSTREAM_INVALID);
    else if (x->state == PP_EXCHANGE_HOLDING && x->held.size > x->gateway->hold_max_bytes)
        too_long_to_hold(x);
    if (x->state == PP_EXCHANGE_RELAYING)
        (void)pp_reply_pass_held(x); /* as above */
}

static bool on_body(void *user, const void *bytes, size_t size)
{
    pp_exchange *x = user;
    pp_bytes piece = {bytes, size};

    if (x->attempt.doomed || x->state == PP_EXCHANGE_GONE)
        return false;
    if (x->attempt.is_stream)
        return take_events(x, piece, pp_clock_now_ns());
    take_plain(x, piece, pp_clock_now_ns());
    return true;
}

/* ---- judgement ------------------------------------------------------------------------------- */

static pp_problem problem_of(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_UNRESOLVED:
    case PP_HTTP_REFUSED:
        return PP_PROBLEM_UPSTREAM_REFUSED;
    case PP_HTTP_CONNECT_TIMEOUT:
        return PP_PROBLEM_CONNECT_TIMEOUT;
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
        return PP_PROBLEM_FIRST_BYTE_TIMEOUT;
    case PP_HTTP_IDLE_TIMEOUT:
        return PP_PROBLEM_IDLE_TIMEOUT;
    case PP_HTTP_TOTAL_TIMEOUT:
        return PP_PROBLEM_TOTAL_TIMEOUT;
    case PP_HTTP_RESET:
    case PP_HTTP_PREMATURE_END:
        return PP_PROBLEM_UPSTREAM_BROKE;
    default:
        return PP_PROBLEM_UPSTREAM_INVALID;
    }
}

/* Another back end may do what this one did not (G34). 401 and 403 are about our key, for the
 * client's never gets there (E33); redirects lead where nobody configured us to go. */
static bool is_refusal(int status)
{
    return status < 200 || (status >= 300 && status < 400) || status == 401 || status == 403 ||
           status == 408 || status == 409 || status == 429 || status >= 500;
}

/* The client is told what the back end said, except where that is between it and us. */
static bool may_be_told(int status)
{
    return status >= 400 && status != 401 && status != 403;
}

static pp_problem problem_of_status(int status)
{
    if (status == 503)
        return PP_PROBLEM_UPSTREAM_LOADING;
    if (status == 504)
        return PP_PROBLEM_FIRST_BYTE_TIMEOUT;
    return status == 429 ? PP_PROBLEM_QUEUE_FULL : PP_PROBLEM_UPSTREAM_INVALID;
}

static void status_refused(pp_exchange *x)
{
    pp_attempt *a = &x->attempt;
    int64_t pause_ns = 0;
    pp_problem_report report = {.problem = problem_of_status(a->status),
                                .retry_after_s = a->retry_after_s};

    if (a->retry_after_s.known && a->retry_after_s.value < INT64_MAX / PP_NS_PER_S)
        pause_ns = a->retry_after_s.value * PP_NS_PER_S;
    a->whole = may_be_told(a->status);
    /* 409 is no failure, unless it wants to be left alone (G34) */
    pp_attempt_finish(
        x, a->status == 409 && pause_ns == 0 ? PP_OUTCOME_ABANDONED : PP_OUTCOME_FAILED, pause_ns);
    pp_exchange_next(x, &report, true);
}

/* Whole events, but nothing says that it is the end: some framings cannot tell (G16). */
static bool stops_short(const pp_tee_facts *facts)
{
    return !facts->end_mark && facts->finish_reason.size == 0 && !facts->error_seen;
}

static void stream_is_whole(pp_exchange *x)
{
    const pp_tee_facts *facts = pp_tee_facts_of(x->tee);
    pp_problem_report report = {.problem = PP_PROBLEM_UPSTREAM_INVALID};

    /* of one that stops short nothing has been given away yet: another back end may answer (G16) */
    if (!x->attempt.doomed && x->state == PP_EXCHANGE_HOLDING && !stops_short(facts))
        look_at_first(x);
    if (x->attempt.doomed) {
        pp_attempt_do_doomed(x);
    } else if (facts->event_count > 0 && stops_short(facts)) {
        report.problem = PP_PROBLEM_UPSTREAM_BROKE;
        failed(x, &report);
    } else if (x->state == PP_EXCHANGE_HOLDING) { /* a stream without any event */
        failed(x, &report);
    } else {
        pp_attempt_finish(x, facts->error_seen ? PP_OUTCOME_FAILED : PP_OUTCOME_ANSWERED, 0);
        x->mid_event = false;
        if (pp_reply_pass_held(x))
            pp_reply_end(x);
    }
}

/* Said to be JSON and none: a length that is too small cuts the last bytes off (G22). */
static bool is_cut_json(const pp_exchange *x)
{
    const pp_attempt *a = &x->attempt;
    pp_text type = pp_http_header_find(a->headers, a->header_count, "Content-Type");

    return pp_tee_facts_of(x->tee)->plain_is_no_json && pp_media_type_is(type, "application/json");
}

static void plain_is_whole(pp_exchange *x)
{
    const pp_tee_facts *facts = pp_tee_facts_of(x->tee);
    pp_problem_report report = {.problem = PP_PROBLEM_UPSTREAM_INVALID,
                                .status = said_status(facts)};

    if (x->state == PP_EXCHANGE_RELAYING) {
        pp_attempt_finish(x, PP_OUTCOME_ANSWERED, 0);
        if (pp_reply_pass_held(x))
            pp_reply_end(x);
    } else if (facts->plain_is_error || is_cut_json(x)) { /* G36 */
        failed(x, &report);
    } else {
        pp_attempt_finish(x, PP_OUTCOME_ANSWERED, 0);
        pp_reply_whole(x);
    }
}

/* A page of a back end may quote the key that we sent (F15). */
static void hide_key(pp_exchange *x)
{
    pp_text shown = {pp_buf_text(&x->held), x->held.size};
    pp_text clean = pp_secret_remove(&x->reply_arena, shown, backend_of(x)->api_key);

    if (clean.data == shown.data)
        return;
    pp_buf_clear(&x->held);
    pp_buf_append(&x->held, clean.data, clean.size);
}

static void reply_is_whole(pp_exchange *x)
{
    int status = x->attempt.status;

    if (is_success(status)) {
        if (pp_tee_finish(x->tee, pp_clock_now_ns(), &x->held, NULL) != PP_OK)
            pp_attempt_doom(x, PP_PROBLEM_MEMORY);
        if (x->attempt.is_stream)
            stream_is_whole(x);
        else
            plain_is_whole(x);
        return;
    }
    hide_key(x);
    if (is_refusal(status)) {
        status_refused(x);
    } else {
        pp_problem_report report = {.problem = PP_PROBLEM_BAD_REQUEST, .status = status};

        x->attempt.whole = true;
        pp_attempt_finish(x, PP_OUTCOME_ANSWERED, 0);
        pp_exchange_next(x, &report, false);
    }
}

/* The server had closed a kept connection just when it was used: it has not seen the request. */
static bool again_on_fresh(pp_exchange *x)
{
    if (!x->record.kept_connection_died || x->attempt.fresh || x->attempt.status != 0 ||
        backend_of(x)->root == NULL) /* a started one has gone down meanwhile */
        return false;
    x->attempt.fresh = true;
    pp_attempt_start(x);
    return true;
}

/* The server has said that it is done; that it then framed or closed badly takes nothing away from
 * the answer (G21). */
static bool is_done_all_the_same(const pp_exchange *x)
{
    return x->state == PP_EXCHANGE_RELAYING && x->attempt.is_stream &&
           pp_tee_facts_of(x->tee)->end_mark;
}

static void on_end(void *user)
{
    pp_exchange *x = user;
    pp_problem_report report = {0};

    if (x->attempt.transfer == NULL) /* cancelled by us */
        return;
    x->attempt.transfer = NULL;
    if (x->state == PP_EXCHANGE_GONE) {
        /* A write told that the client is lost, and `gone` comes with the server's next turn. The
         * tee has not seen the rest, so nothing can be said of the back end. */
        pp_attempt_finish(x, PP_OUTCOME_ABANDONED, 0);
    } else if (x->attempt.doomed) {
        pp_attempt_do_doomed(x);
    } else if (x->record.result == PP_HTTP_COMPLETE || is_done_all_the_same(x)) {
        reply_is_whole(x);
    } else if (!again_on_fresh(x)) {
        report.problem = problem_of(x->record.result);
        failed(x, &report);
    }
}

const pp_http_handlers pp_attempt_handlers = {.head = on_head, .body = on_body, .end = on_end};
