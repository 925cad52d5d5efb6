/* The gateway's life: listening, the loop over server and client, draining. */
#include "gateway/gateway.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "gateway/parts.h"

/* Retries of breakers, states of started servers, lines of the log: nothing of it is in a hurry. */
#define TICK_NS (250 * PP_NS_PER_MS)

/* A signal between the look at the flag and the wait is noticed so late at most. */
#define WAIT_MS 200

/* After the last reply: a client that does not take it is not waited for longer. */
#define LAST_BYTES_NS PP_NS_PER_S

/* Of a reply that may still be refused: a plain answer of a model is far smaller. */
#define HOLD_MAX_BYTES ((size_t)4 << 20)

/* Each transfer under way has one; larger ones make a thousand streams large, too. */
#define CLIENT_READ_BYTES ((size_t)8 << 10)

/* Own replies: lists of models and figures. */
#define OUT_MAX_BYTES ((size_t)16 << 20)

/* ---- what the server tells ------------------------------------------------------------------- */

static void on_request(void *user, pp_http_call *call, const pp_http_request_view *request)
{
    pp_exchange *x = pp_exchange_take(user, call, request);

    if (x == NULL)
        pp_http_reply_reset(call);
    else
        pp_gateway_route(x);
}

static void on_drained(void *user, pp_http_call *call)
{
    pp_exchange *x = pp_http_call_data(call);

    (void)user;
    if (x != NULL)
        pp_exchange_on_drained(x);
}

static void on_gone(void *user, pp_http_call *call)
{
    pp_exchange *x = pp_http_call_data(call);

    (void)user;
    if (x != NULL)
        pp_exchange_on_gone(x);
}

static void on_ended(void *user, pp_http_call *call)
{
    pp_exchange *x = pp_http_call_data(call);

    (void)user;
    if (x != NULL)
        pp_exchange_put_back(x);
}

/* ---- back ends ------------------------------------------------------------------------------- */

static void look_at_started(pp_gateway *g, size_t index)
{
    pp_backend *b = &g->backends[index];
    pp_backend_status status = {0};

    g->options.backend_status(g->options.backend_user, index, &status);
    if (status.restarts != b->restarts)
        pp_breaker_forget(&b->breaker);
    b->restarts = status.restarts;
    b->state = status.state;
    b->speculation_asked = status.speculation_asked;
    b->root = NULL;
    if (status.state != PP_BACKEND_READY)
        return;
    memcpy(b->url, status.url, sizeof b->url);
    b->root = b->url;
    b->origin = status.origin;
    b->origin_known = true;
    if (!b->row->max_in_flight.known && status.slots > 0)
        b->in_flight_max = status.slots;
}

void pp_gateway_look_at_backends(pp_gateway *g)
{
    if (g->options.backend_status == NULL)
        return;
    for (size_t i = 0; i < g->config->backend_count; i++)
        if (g->backends[i].row->kind == PP_SERVE_STARTED)
            look_at_started(g, i);
}

static pp_status make_backend(pp_gateway *g, size_t i, const pp_breaker_options *breaker,
                              pp_error *err)
{
    pp_backend *b = &g->backends[i];
    const pp_serve_backend *row = &g->config->backends[i];
    pp_text root = row->endpoint.url;
    char *copy;

    *b = (pp_backend){.row = row, .state = PP_BACKEND_STARTING};
    pp_breaker_init(&b->breaker, breaker);
    b->in_flight_max =
        row->max_in_flight.known ? row->max_in_flight.value : PP_SERVE_ENDPOINT_IN_FLIGHT;
    if (g->options.backend_keys != NULL)
        b->api_key = g->options.backend_keys[i];
    if (row->kind == PP_SERVE_STARTED)
        return PP_OK;
    copy = pp_arena_dup(&g->arena, root.data, root.size);
    if (copy == NULL)
        return pp_arena_check(&g->arena, err);
    b->state = PP_BACKEND_READY;
    return pp_server_root(&g->arena, copy, &b->root, err);
}

static pp_status make_backends(pp_gateway *g, pp_error *err)
{
    const pp_serve_config *c = g->config;
    const pp_breaker_options breaker = {.failure_count = c->breaker_failures,
                                        .window_ns = pp_gateway_ns(c->breaker_window_ms),
                                        .open_ns = pp_gateway_ns(c->breaker_open_ms),
                                        .probe_count = c->breaker_probes};
    pp_status st = PP_OK;

    g->backends = PP_ARENA_NEW(&g->arena, pp_backend, c->backend_count);
    g->queues = PP_ARENA_NEW(&g->arena, pp_wait_queue, c->model_count);
    if (g->backends == NULL || g->queues == NULL)
        return pp_arena_check(&g->arena, err);
    for (size_t i = 0; i < c->model_count; i++)
        g->queues[i].max_count = (size_t)c->queue_max_waiting;
    for (size_t i = 0; st == PP_OK && i < c->backend_count; i++)
        st = make_backend(g, i, &breaker, err);
    return st;
}

/* ---- time ------------------------------------------------------------------------------------ */

static void set_tick(pp_gateway *g, int64_t now_ns)
{
    pp_http_timer_set(g->server, &g->tick, now_ns + TICK_NS);
}

static void on_tick(void *user, int64_t now_ns)
{
    pp_gateway *g = user;

    pp_gateway_look_at_backends(g);
    pp_gateway_flush_log(g, now_ns);
    g->has_room = true; /* a breaker may have come to its time */
    set_tick(g, now_ns);
}

/* ---- making it ------------------------------------------------------------------------------- */

static pp_status make_server(pp_gateway *g, pp_error *err)
{
    const pp_serve_config *c = g->config;
    pp_http_server_options o;

    pp_http_server_options_default(&o);
    o.host = pp_arena_dup(&g->arena, c->host.data, c->host.size);
    o.port = c->port;
    o.head_max_bytes = (size_t)c->head_max_bytes;
    o.body_max_bytes = (size_t)c->body_max_bytes;
    o.connection_max_count = (size_t)c->connections;
    o.timer_max_count = (size_t)c->connections + 1;
    o.backlog_max_bytes =
        (size_t)c->stream_buffer_bytes + g->hold_max_bytes + PP_GATEWAY_SPARE_BYTES;
    o.caller_looks = true;
    o.send_timeout_ns = pp_gateway_ns(c->client_send_ms);
    o.stop = g->options.stop;
    o.handlers = (pp_http_server_handlers){.request = on_request,
                                           .drained = on_drained,
                                           .gone = on_gone,
                                           .ended = on_ended,
                                           .refusal = pp_gateway_refusal,
                                           .user = g};
    if (o.host == NULL)
        return pp_arena_check(&g->arena, err);
    return pp_http_server_new(&o, &g->server, err);
}

static pp_status make_client(pp_gateway *g, pp_error *err)
{
    pp_http_loop_options o = {.buffer_bytes = CLIENT_READ_BYTES, .no_stamps = true};
    pp_status st = pp_http_loop_new(NULL, &g->client, err);

    for (size_t i = 0; i < g->config->backend_count; i++)
        o.stream_count += (size_t)g->backends[i].in_flight_max;
    if (o.stream_count > (size_t)g->config->connections)
        o.stream_count = (size_t)g->config->connections;
    if (st == PP_OK)
        st = pp_http_loop_configure(g->client, &o, err);
    return st;
}

static pp_status make_rate(const pp_serve_rate *rate, pp_rate_limit **ret_limit, pp_error *err)
{
    pp_token_rate tokens;

    if (!rate->present)
        return PP_OK;
    if (!pp_token_rate_of(rate->per_second, rate->burst, &tokens))
        return pp_fail(err, PP_ERR_RANGE, "a rate of %g per second with a burst of %lld",
                       rate->per_second, (long long)rate->burst);
    return pp_rate_limit_new(&tokens, PP_RATE_LIMIT_CLIENTS, ret_limit, err);
}

static pp_status make_rates(pp_gateway *g, pp_error *err)
{
    pp_status st = make_rate(&g->config->rate_per_key, &g->rate_keys, err);

    if (st == PP_OK)
        st = make_rate(&g->config->rate_per_address, &g->rate_addresses, err);
    return st;
}

/* Ids of two starts differ, so that a log of both can be read. */
static pp_status make_id_prefix(pp_gateway *g, pp_error *err)
{
    uint64_t start;

    if (getrandom(&start, sizeof start, 0) != (ssize_t)sizeof start)
        return pp_fail_errno(err, PP_ERR_IO, errno, "asking the system for random bytes");
    (void)snprintf(g->id_prefix, sizeof g->id_prefix, "pp-%016llx-", (unsigned long long)start);
    return PP_OK;
}

static pp_status make_parts(pp_gateway *g, pp_error *err)
{
    static pp_status (*const makers[])(pp_gateway *, pp_error *) = {
        make_id_prefix, make_backends,           make_rates,      make_client,
        make_server,    pp_gateway_make_metrics, pp_slots_ask_all};
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(makers); i++)
        st = makers[i](g, err);
    return st;
}

pp_status pp_gateway_new(const pp_gateway_options *options, pp_gateway **ret_gateway, pp_error *err)
{
    pp_gateway *g = pp_fail_nth_malloc(sizeof *g);
    pp_status st;

    if (g == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the gateway");
    memset(g, 0, sizeof *g);
    g->options = *options;
    g->config = options->config;
    g->hold_max_bytes = HOLD_MAX_BYTES;
    g->started_unix_s = pp_clock_unix_ms() / 1000;
    g->tick.fire = on_tick;
    g->tick.user = g;
    pp_buf_init(&g->out, OUT_MAX_BYTES);
    st = make_parts(g, err);
    if (st != PP_OK) {
        pp_gateway_free(g);
        return pp_wrap(err, st, "starting the gateway");
    }
    pp_gateway_look_at_backends(g);
    set_tick(g, pp_clock_now_ns());
    *ret_gateway = g;
    return PP_OK;
}

void pp_gateway_free(pp_gateway *g)
{
    if (g == NULL)
        return;
    g->cutting = true;
    pp_http_server_free(g->server); /* `ended` for each call: its exchange comes back */
    pp_http_loop_free(g->client);
    while (g->free != NULL) {
        pp_exchange *x = g->free;

        g->free = x->next;
        pp_exchange_free(x);
    }
    pp_slots_ask_free(g);
    pp_rate_limit_free(g->rate_keys);
    pp_rate_limit_free(g->rate_addresses);
    pp_metrics_free(g->metrics);
    pp_buf_done(&g->out);
    pp_arena_done(&g->arena);
    free(g);
}

uint16_t pp_gateway_port(const pp_gateway *g)
{
    return pp_http_server_port(g->server);
}

void pp_gateway_wake(pp_gateway *g)
{
    __atomic_store_n(&g->woken, true, __ATOMIC_RELEASE);
    pp_http_server_wake(g->server);
}

pp_gateway_totals pp_gateway_totals_of(const pp_gateway *g)
{
    return g->totals;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool is_set(const volatile sig_atomic_t *flag)
{
    return flag != NULL && *flag != 0;
}

static int wait_ms(const pp_gateway *g, int64_t until_ns)
{
    int64_t left_ns = until_ns - pp_clock_now_ns();

    if (g->todo_first != NULL || g->has_room || pp_http_server_has_work(g->server))
        return 0;
    if (until_ns == 0 || left_ns >= WAIT_MS * PP_NS_PER_MS)
        return WAIT_MS;
    return left_ns <= 0 ? 0 : (int)(left_ns / PP_NS_PER_MS) + 1;
}

/* Whichever is readable gets its turn; what callbacks left over is done in between. */
static pp_status turn(pp_gateway *g, int64_t until_ns, pp_error *err)
{
    struct pollfd fds[] = {{.fd = pp_http_server_fd(g->server), .events = POLLIN},
                           {.fd = pp_http_loop_fd(g->client), .events = POLLIN}};
    pp_status st = PP_OK;

    if (poll(fds, PP_COUNT_OF(fds), wait_ms(g, until_ns)) < 0 && errno != EINTR)
        return pp_fail_errno(err, PP_ERR_IO, errno, "waiting for requests");
    if (fds[1].revents != 0)
        st = pp_http_turn(g->client, PP_HTTP_LOOK, err);
    pp_gateway_do_todo(g);
    if (st == PP_OK && (fds[0].revents != 0 || pp_http_server_has_work(g->server)))
        st = pp_http_server_turn(g->server, PP_HTTP_LOOK, err);
    pp_gateway_do_todo(g);
    if (__atomic_exchange_n(&g->woken, false, __ATOMIC_ACQ_REL)) {
        pp_gateway_look_at_backends(g);
        g->has_room = true;
    }
    if (g->has_room) {
        g->has_room = false;
        pp_exchange_dispatch(g, pp_clock_now_ns());
    }
    return st;
}

static void cut_all(pp_gateway *g)
{
    g->cutting = true;
    for (pp_exchange *x = g->live; x != NULL; x = x->next_live)
        pp_exchange_cut(x);
}

static pp_status drain(pp_gateway *g, pp_error *err)
{
    int64_t until_ns = pp_clock_now_ns() + pp_gateway_ns(g->config->drain_ms);
    pp_status st = PP_OK;

    g->draining = true;
    pp_http_server_drain(g->server);
    while (st == PP_OK && pp_http_server_counts_of(g->server).open > 0 &&
           pp_clock_now_ns() < until_ns && !is_set(g->options.stop_now))
        st = turn(g, until_ns, err);
    cut_all(g);
    until_ns = pp_clock_now_ns() + LAST_BYTES_NS;
    while (st == PP_OK && pp_http_server_counts_of(g->server).open > 0 &&
           pp_clock_now_ns() < until_ns && !is_set(g->options.stop_now))
        st = turn(g, until_ns, err);
    return st;
}

pp_status pp_gateway_run(pp_gateway *g, int64_t until_ns, pp_error *err)
{
    pp_status st = PP_OK;

    while (st == PP_OK && !is_set(g->options.stop) &&
           (until_ns == 0 || pp_clock_now_ns() < until_ns))
        st = turn(g, until_ns, err);
    if (st == PP_OK)
        st = drain(g, err);
    return st;
}
