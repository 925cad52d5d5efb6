/* Admission, the line, and what follows an attempt that came to nothing. The table is in
 * exchange.h. */
#include "gateway/parts.h"

#include <string.h>

#include "base/clock.h"

static const pp_serve_model *model_of(const pp_exchange *x)
{
    return &x->gateway->config->models[x->route.model_index];
}

static pp_wait_queue *queue_of(const pp_exchange *x)
{
    return &x->gateway->queues[x->route.model_index];
}

static void set_timer(pp_exchange *x, int64_t at_ns)
{
    pp_http_timer_set(x->gateway->server, &x->timer, at_ns);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* While nothing comes, a stream is kept alive: first by its head, then by comments (E12). */
static void arm_comment(pp_exchange *x)
{
    const pp_serve_config *c = x->gateway->config;

    if (!x->ask.stream || (x->committed && !x->as_stream))
        return;
    set_timer(x, x->committed ? x->sent_ns + pp_gateway_ns(c->keep_alive_comment_ms)
                              : x->asked_ns + pp_gateway_ns(c->hold_ms));
}

static void keep_alive(pp_exchange *x, int64_t now_ns)
{
    int64_t pause_ns = pp_gateway_ns(x->gateway->config->keep_alive_comment_ms);

    if (!x->committed) {
        if (pp_reply_commit_early(x))
            pp_reply_comment(x);
    } else if (now_ns >= x->sent_ns + pause_ns && !x->paused) {
        pp_reply_comment(x);
    }
    if (x->state == PP_EXCHANGE_GONE)
        return;
    /* a reader that takes nothing, or an event that does not end: look again later */
    set_timer(x, x->sent_ns + pause_ns > now_ns ? x->sent_ns + pause_ns : now_ns + pause_ns);
}

static void leave_line(pp_exchange *x)
{
    if (x->waiter.queue == NULL)
        return;
    pp_waiter_leave(&x->waiter);
    x->wait_ns += pp_clock_now_ns() - x->queued_ns;
}

/* What a back end said last stands, whatever it was; else what we know. */
static void give_last(pp_exchange *x, const pp_problem_report *report)
{
    pp_http_timer_cancel(x->gateway->server, &x->timer);
    if (x->attempt.whole && !x->committed)
        pp_reply_whole(x);
    else
        pp_reply_problem(x, report);
}

/* ---- the line -------------------------------------------------------------------------------- */

/* The end of its patience, or the next comment of a stream that has its head already. */
static void arm_waiting(pp_exchange *x)
{
    int64_t comment_ns = x->sent_ns + pp_gateway_ns(x->gateway->config->keep_alive_comment_ms);

    set_timer(x, x->committed && comment_ns < x->wait_until_ns ? comment_ns : x->wait_until_ns);
}

static void begin_waiting(pp_exchange *x, int64_t now_ns)
{
    const pp_serve_config *c = x->gateway->config;
    int64_t total_ns = x->arrived_ns + pp_gateway_ns(c->total_ms);

    x->state = PP_EXCHANGE_WAITING;
    x->queued_ns = now_ns;
    x->wait_until_ns = now_ns + pp_gateway_ns(c->queue_max_wait_ms);
    if (x->wait_until_ns > total_ns)
        x->wait_until_ns = total_ns;
    arm_waiting(x);
}

static void wait_on(pp_exchange *x, int64_t now_ns)
{
    if (now_ns < x->wait_until_ns) {
        pp_reply_comment(x);
        if (x->state == PP_EXCHANGE_WAITING)
            arm_waiting(x);
        return;
    }
    leave_line(x);
    if (!x->has_last)
        x->last = (pp_problem_report){.problem = PP_PROBLEM_QUEUE_TIMEOUT};
    give_last(x, &x->last);
}

static void on_timer(void *user, int64_t now_ns)
{
    pp_exchange *x = user;

    if (x->state == PP_EXCHANGE_WAITING)
        wait_on(x, now_ns);
    else if (x->state == PP_EXCHANGE_ASKING || x->state == PP_EXCHANGE_HOLDING ||
             x->state == PP_EXCHANGE_RELAYING)
        keep_alive(x, now_ns);
}

void pp_exchange_go(pp_exchange *x, const pp_backend_found *found)
{
    int64_t now_ns = pp_clock_now_ns();

    leave_line(x);
    pp_http_timer_cancel(x->gateway->server, &x->timer);
    x->state = PP_EXCHANGE_ASKING;
    if (x->asked_ns == 0)
        x->asked_ns = now_ns;
    x->tried |= (uint64_t)1 << found->index;
    x->attempt_count++;
    pp_arena_clear(&x->reply_arena);
    pp_buf_clear(&x->held);
    x->attempt = (pp_attempt){.backend = found->index,
                              .pass = found->pass,
                              .is_probe = found->is_probe,
                              .under_way = true};
    arm_comment(x);
    pp_attempt_start(x);
}

/* No back end can be asked: say which of the reasons it is. */
static void refuse(pp_exchange *x, pp_backend_choice choice, int64_t wait_ns)
{
    pp_problem_report report = {.problem = choice == PP_CHOICE_LOADING ? PP_PROBLEM_UPSTREAM_LOADING
                                                                       : PP_PROBLEM_NO_BACKEND};

    if (wait_ns > 0)
        report.retry_after_s = pp_known_int(pp_retry_after_of_ns(wait_ns));
    give_last(x, x->has_last ? &x->last : &report);
}

/* True when those behind it need not be looked at: nothing is free. */
static bool serve_waiter(pp_exchange *x, int64_t now_ns)
{
    pp_backend_found found;
    pp_backend_choice choice =
        pp_backend_choose(model_of(x), x->gateway->backends, x->tried, now_ns, &found);

    if (choice == PP_CHOICE_FOUND) {
        pp_exchange_go(x, &found);
    } else if (choice == PP_CHOICE_NONE) {
        leave_line(x);
        refuse(x, choice, found.wait_ns);
    }
    return choice == PP_CHOICE_WAIT && x->tried == 0;
}

static void dispatch_queue(pp_wait_queue *queue, int64_t now_ns)
{
    pp_waiter *next;

    for (pp_waiter *w = queue->first; w != NULL; w = next) {
        next = w->next;
        if (serve_waiter(w->owner, now_ns))
            return;
    }
}

/* Models that share a back end begin in turn, so that none of them starves. */
void pp_exchange_dispatch(pp_gateway *g, int64_t now_ns)
{
    size_t n = g->config->model_count;

    for (size_t i = 0; i < n; i++)
        dispatch_queue(&g->queues[(g->first_queue + i) % n], now_ns);
    g->first_queue = (g->first_queue + 1) % n;
}

static void wait_in_line(pp_exchange *x, int64_t now_ns)
{
    const pp_serve_config *c = x->gateway->config;
    pp_problem_report full = {.problem = PP_PROBLEM_QUEUE_FULL, .status = c->queue_full_status};

    if (!pp_wait_queue_push(queue_of(x), &x->waiter)) {
        pp_reply_problem(x, &full);
        return;
    }
    begin_waiting(x, now_ns);
}

/* Nobody passes those who wait, unless all of them wait for somebody else. */
static void place(pp_exchange *x)
{
    int64_t now_ns = pp_clock_now_ns();
    pp_wait_queue *queue = queue_of(x);
    pp_backend_found found = {0};
    pp_backend_choice choice = PP_CHOICE_WAIT;

    if (queue->count == 0 || !pp_backend_any_usable(model_of(x), x->gateway->backends, now_ns))
        choice = pp_backend_choose(model_of(x), x->gateway->backends, 0, now_ns, &found);
    if (choice == PP_CHOICE_FOUND) {
        pp_exchange_go(x, &found);
    } else if (choice != PP_CHOICE_WAIT) {
        refuse(x, choice, found.wait_ns);
    } else {
        wait_in_line(x, now_ns);
        if (queue->count > 1 && x->state == PP_EXCHANGE_WAITING)
            dispatch_queue(queue, now_ns);
    }
}

void pp_exchange_next(pp_exchange *x, const pp_problem_report *report, bool may_try_again)
{
    int64_t now_ns = pp_clock_now_ns();
    pp_backend_found found;
    pp_backend_choice choice = PP_CHOICE_NONE;

    if (may_try_again && !x->relayed && !x->gateway->cutting)
        choice = pp_backend_choose(model_of(x), x->gateway->backends, x->tried, now_ns, &found);
    if (choice == PP_CHOICE_FOUND) {
        pp_exchange_go(x, &found);
    } else if (choice == PP_CHOICE_WAIT) {
        x->last = *report;
        x->has_last = true;
        pp_wait_queue_push_front(queue_of(x), &x->waiter);
        begin_waiting(x, now_ns);
    } else {
        give_last(x, report);
    }
}

/* ---- admission ------------------------------------------------------------------------------- */

static bool read_ask(pp_exchange *x)
{
    const char *param = "";
    pp_error err = {0};
    pp_status st = pp_ask_read(&x->arena, x->request->body, x->endpoint, &x->ask, &param, &err);
    pp_problem_report report = {.problem = st == PP_ERR_MEMORY ? PP_PROBLEM_MEMORY
                                                               : PP_PROBLEM_BAD_REQUEST,
                                .detail = err.text,
                                .param = param};

    if (st != PP_OK)
        pp_reply_problem(x, &report);
    return st == PP_OK;
}

/* What rules may look at. Nothing is copied where there are none. */
static const pp_route_pair *route_headers(pp_exchange *x)
{
    const pp_http_request_view *r = x->request;
    pp_route_pair *pairs;

    if (x->gateway->config->rule_count == 0)
        return NULL;
    pairs = PP_ARENA_NEW(&x->arena, pp_route_pair, r->header_count);
    for (size_t i = 0; pairs != NULL && i < r->header_count; i++)
        pairs[i] = (pp_route_pair){r->headers[i].name, r->headers[i].value};
    return pairs;
}

static void write_trace(pp_exchange *x)
{
    pp_buf trace;

    pp_buf_init(&trace, sizeof x->trace - 1);
    pp_route_trace(x->gateway->config, &x->route, &trace);
    if (trace.status == PP_OK) /* what does not fit is not told in part */
        memcpy(x->trace, pp_buf_text(&trace), trace.size + 1);
    pp_buf_done(&trace);
}

static bool find_model(pp_exchange *x)
{
    const pp_route_pair *pairs = route_headers(x);
    pp_route_ask ask = {.model = x->ask.model,
                        .endpoint = pp_text_of(pp_endpoint_name(x->endpoint)),
                        .body_bytes = x->request->body.size,
                        .stream = x->ask.stream,
                        .has_tools = x->ask.has_tools,
                        .headers = pairs,
                        .header_count = pairs == NULL ? 0 : x->request->header_count};
    pp_problem_report report = {.problem = PP_PROBLEM_UNKNOWN_MODEL, .param = "model"};

    pp_route_choose(x->gateway->config, &ask, &x->route);
    if (!x->route.found) {
        report.detail =
            pp_arena_printf(&x->arena, "%.*s", (int)x->ask.model.size, x->ask.model.data);
        pp_reply_problem(x, &report);
        return false;
    }
    write_trace(x);
    return true;
}

void pp_exchange_admit(pp_exchange *x)
{
    x->timer.fire = on_timer;
    x->timer.user = x;
    x->waiter.owner = x;
    if (pp_admit_rate(x) && read_ask(x) && find_model(x))
        place(x);
}

/* ---- from outside ---------------------------------------------------------------------------- */

void pp_exchange_on_gone(pp_exchange *x)
{
    leave_line(x);
    pp_http_timer_cancel(x->gateway->server, &x->timer);
    x->client_gone = true;
    x->state = PP_EXCHANGE_GONE;
    pp_attempt_cancel(x, PP_OUTCOME_ABANDONED);
}

void pp_exchange_on_drained(pp_exchange *x)
{
    if (!x->paused || x->attempt.transfer == NULL)
        return;
    x->paused = false;
    pp_http_resume(x->gateway->client, x->attempt.transfer);
}

void pp_exchange_cut(pp_exchange *x)
{
    const pp_problem_report report = {.problem = PP_PROBLEM_DRAINING};

    if (x->state == PP_EXCHANGE_ANSWERED || x->state == PP_EXCHANGE_GONE)
        return;
    leave_line(x);
    pp_http_timer_cancel(x->gateway->server, &x->timer);
    pp_attempt_cancel(x, PP_OUTCOME_ABANDONED);
    x->gateway->totals.cut++;
    pp_reply_problem(x, &report);
}
