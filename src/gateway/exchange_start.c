/* What goes to a back end: the client's body with values spliced, its headers by the table, limits.
 */
#include "gateway/parts.h"

#include "base/clock.h"

static const pp_backend *backend_of(const pp_exchange *x)
{
    return &x->gateway->backends[x->attempt.backend];
}

static pp_http_limits limits_of(const pp_exchange *x)
{
    const pp_serve_config *c = x->gateway->config;
    int64_t left_ns = x->arrived_ns + pp_gateway_ns(c->total_ms) - pp_clock_now_ns();

    return (pp_http_limits){.connect_ns = pp_gateway_ns(c->connect_ms),
                            .first_byte_ns = pp_gateway_ns(c->first_byte_ms),
                            .idle_ns = pp_gateway_ns(c->between_bytes_ms),
                            .total_ns = left_ns > 1 ? left_ns : 1};
}

static pp_status write_body(pp_exchange *x, pp_error *err)
{
    pp_buf_clear(&x->body);
    return pp_ask_write(&x->ask, x->request->body, backend_of(x)->row->endpoint.model,
                        x->ask.stream, &x->body, err);
}

static pp_status write_headers(pp_exchange *x, pp_http_request *request, pp_error *err)
{
    const pp_relay_request extra = {.client_address = pp_text_of(pp_http_call_address(x->call)),
                                    .from_trusted_proxy = x->from_proxy,
                                    .api_key = backend_of(x)->api_key,
                                    .request_id = pp_text_of(x->id)};

    return pp_relay_request_headers(&x->arena, x->request->headers, x->request->header_count,
                                    &extra, &request->headers, &request->header_count, err);
}

static pp_status start(pp_exchange *x, pp_error *err)
{
    pp_http_handlers handlers = pp_attempt_handlers;
    pp_http_request request = {
        .limits = limits_of(x), .fresh_connection = x->attempt.fresh, .relay = true};
    pp_status st = write_body(x, err);

    if (st == PP_OK)
        st = write_headers(x, &request, err);
    if (st != PP_OK)
        return st;
    handlers.user = x;
    request.url =
        pp_arena_printf(&x->arena, "%s%s", backend_of(x)->root, pp_endpoint_path(x->endpoint));
    request.body = (pp_bytes){(const unsigned char *)pp_buf_text(&x->body), x->body.size};
    st = pp_arena_check(&x->arena, err);
    if (st == PP_OK)
        st = pp_http_start(x->gateway->client, &request, &handlers, &x->record,
                           &x->attempt.transfer, err);
    return st;
}

void pp_attempt_start(pp_exchange *x)
{
    pp_error err = {0};
    pp_status st = start(x, &err);

    if (st == PP_OK)
        return;
    if (st == PP_ERR_MEMORY)
        pp_attempt_doom(x, PP_PROBLEM_MEMORY);
    else
        pp_attempt_doom(x, st == PP_ERR_LIMIT ? PP_PROBLEM_HEADERS : PP_PROBLEM_INTERNAL);
}
