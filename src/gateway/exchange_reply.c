/* What the client gets. One event is one write, so that nothing gathers here (E10). */
#include "gateway/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "json/json.h"

#define JSON_TYPE      "application/json; charset=utf-8"
#define COMMENT        ": keep-alive\n\n"
#define OUR_HEADER_MAX 4

static pp_bytes bytes_of(const pp_buf *buf)
{
    return (pp_bytes){(const unsigned char *)pp_buf_text(buf), buf->size};
}

/* The client cannot be told any more: it left, which `gone` says, or takes so little that its
 * backlog is full, or memory is short. A reset is no end of a reply. */
static bool lose(pp_exchange *x, pp_status st)
{
    if (st != PP_ERR_PEER) {
        pp_http_reply_reset(x->call);
        x->client_gone = st == PP_ERR_LIMIT;         /* `gone` will not say it */
        if (!x->has_problem && st != PP_ERR_LIMIT) { /* half a reply is no success in the figures */
            x->has_problem = true;
            x->problem = st == PP_ERR_MEMORY ? PP_PROBLEM_MEMORY : PP_PROBLEM_INTERNAL;
        }
    }
    x->state = PP_EXCHANGE_GONE;
    return false;
}

static void answered(pp_exchange *x)
{
    pp_http_timer_cancel(x->gateway->server, &x->timer);
    x->state = PP_EXCHANGE_ANSWERED;
}

static bool write_bytes(pp_exchange *x, pp_bytes bytes)
{
    pp_status st = pp_http_reply_write(x->call, bytes, 0, NULL);

    if (st != PP_OK)
        return lose(x, st);
    x->sent_bytes += bytes.size;
    x->sent_ns = pp_clock_now_ns();
    return true;
}

static bool begin(pp_exchange *x, int status, const pp_http_header *headers, size_t n_headers,
                  int64_t length)
{
    pp_status st = pp_http_reply_begin(x->call, status, headers, n_headers,
                                       length < 0 ? PP_HTTP_FRAME_CHUNKED : PP_HTTP_FRAME_LENGTH,
                                       length < 0 ? 0 : (uint64_t)length, NULL);

    if (st != PP_OK)
        return lose(x, st);
    x->committed = true;
    x->status = status;
    x->sent_ns = pp_clock_now_ns();
    return true;
}

/* ---- heads ----------------------------------------------------------------------------------- */

/* Where it went, with what was decided: the trace begins with the rule and the model. */
static void add_route(pp_exchange *x, pp_http_header *out, size_t *count)
{
    if (x->trace[0] != '\0')
        out[(*count)++] = (pp_http_header){pp_text_of(PP_ROUTE_HEADER), pp_text_of(x->trace)};
}

static void add_backend(const pp_exchange *x, pp_http_header *out, size_t *count)
{
    const pp_backend *b = &x->gateway->backends[x->attempt.backend];

    out[(*count)++] = (pp_http_header){pp_text_of(PP_BACKEND_HEADER), b->row->id};
}

/* A server that we started answers with the words of its model, whatever its origin; it does not
 * know of it. What a back end says itself is relayed. */
static void add_origin(const pp_exchange *x, pp_http_header *out, size_t *count)
{
    const pp_backend *b = &x->gateway->backends[x->attempt.backend];
    const pp_attempt *a = &x->attempt;

    if (b->origin_known && b->origin != PP_ORIGIN_MEASURED &&
        pp_http_header_find(a->headers, a->header_count, PP_ORIGIN_HEADER).data == NULL)
        out[(*count)++] =
            (pp_http_header){pp_text_of(PP_ORIGIN_HEADER), pp_text_of(pp_origin_name(b->origin))};
}

bool pp_reply_commit(pp_exchange *x, int64_t length)
{
    const pp_attempt *a = &x->attempt;
    size_t count = a->header_count + x->own_header_count;
    pp_http_header *headers;

    x->relayed = true;
    if (x->committed)
        return true;
    headers = PP_ARENA_NEW(&x->arena, pp_http_header, count + OUR_HEADER_MAX);
    if (headers == NULL)
        return lose(x, PP_ERR_MEMORY);
    if (a->header_count > 0)
        memcpy(headers, a->headers, a->header_count * sizeof *headers);
    if (x->own_header_count > 0)
        memcpy(headers + a->header_count, x->own_headers, x->own_header_count * sizeof *headers);
    add_route(x, headers, &count);
    add_backend(x, headers, &count);
    add_origin(x, headers, &count);
    x->as_stream = a->is_stream;
    return begin(x, a->status, headers, count, length);
}

bool pp_reply_commit_early(pp_exchange *x)
{
    pp_http_header headers[PP_EXCHANGE_OWN_HEADERS + OUR_HEADER_MAX + 3] = {
        {pp_text_of("Content-Type"), pp_text_of("text/event-stream")},
        {pp_text_of("Cache-Control"), pp_text_of("no-cache, no-transform")},
        {pp_text_of("X-Accel-Buffering"), pp_text_of("no")},
    };
    size_t count = 3;

    memcpy(headers + count, x->own_headers, x->own_header_count * sizeof *headers);
    count += x->own_header_count;
    add_route(x, headers, &count);
    add_origin(x, headers, &count);
    x->as_stream = true;
    return begin(x, 200, headers, count, -1);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Nothing more is read from the back end while so much waits for the client (E31). */
static void hold_back(pp_exchange *x)
{
    size_t high = (size_t)x->gateway->config->stream_buffer_bytes / 2;

    if (x->paused || x->attempt.transfer == NULL || pp_http_reply_queued(x->call) <= high)
        return;
    x->paused = true;
    pp_http_pause(x->gateway->client, x->attempt.transfer);
}

bool pp_reply_pass_held(pp_exchange *x)
{
    bool told;

    if (x->state == PP_EXCHANGE_GONE)
        return false;
    if (x->held.size == 0)
        return true;
    told = write_bytes(x, bytes_of(&x->held));
    pp_buf_clear(&x->held);
    if (told)
        hold_back(x);
    return told;
}

void pp_reply_end(pp_exchange *x)
{
    pp_status st = pp_http_reply_end(x->call, NULL);

    if (st == PP_OK)
        answered(x);
    else
        (void)lose(x, st);
}

void pp_reply_whole(pp_exchange *x)
{
    if (pp_reply_commit(x, (int64_t)x->held.size) && pp_reply_pass_held(x))
        pp_reply_end(x);
}

void pp_reply_own(pp_exchange *x, int status, const char *content_type, pp_bytes body,
                  const pp_http_header *headers, size_t n_headers)
{
    pp_http_header all[PP_EXCHANGE_OWN_HEADERS + OUR_HEADER_MAX + 1];
    size_t count = 0;

    PP_ASSERT(n_headers <= OUR_HEADER_MAX);
    if (content_type != NULL)
        all[count++] = (pp_http_header){pp_text_of("Content-Type"), pp_text_of(content_type)};
    memcpy(all + count, x->own_headers, x->own_header_count * sizeof *all);
    count += x->own_header_count;
    if (n_headers > 0)
        memcpy(all + count, headers, n_headers * sizeof *all);
    count += n_headers;
    if (begin(x, status, all, count, (int64_t)body.size) && write_bytes(x, body))
        pp_reply_end(x);
}

void pp_reply_comment(pp_exchange *x)
{
    static const pp_bytes comment = {(const unsigned char *)COMMENT, sizeof COMMENT - 1};

    if (x->mid_event || x->state == PP_EXCHANGE_GONE)
        return;
    x->comment_count++;
    (void)write_bytes(x, comment); /* a lost client is gone with the server's next turn */
}

/* ---- problems -------------------------------------------------------------------------------- */

/* The back end's own words, when it refused after the client had got our head. */
static bool quote_refusal(pp_exchange *x, pp_buf *out)
{
    const pp_json *root = NULL;

    if (!x->attempt.whole ||
        pp_json_parse(&x->reply_arena, "reply", pp_buf_text(&x->held), x->held.size, &root, NULL) !=
            PP_OK ||
        pp_json_find(root, "error") == NULL)
        return false;
    pp_buf_append_text(out, "data: ");
    if (pp_json_write(root, PP_JSON_COMPACT, out, NULL) != PP_OK)
        return false;
    pp_buf_append_text(out, "\n\n");
    return true;
}

static void write_event(pp_exchange *x, const pp_problem_report *report, pp_buf *out)
{
    pp_buf_clear(out);
    if (quote_refusal(x, out))
        return;
    pp_buf_clear(out);
    pp_problem_event(report, out);
}

static void problem_within(pp_exchange *x, const pp_problem_report *report)
{
    pp_buf *out = &x->gateway->out;

    if (x->as_stream && !x->mid_event) {
        write_event(x, report, out);
        if (out->status == PP_OK && !write_bytes(x, bytes_of(out)))
            return;
    }
    pp_http_reply_close(x->call); /* without the last chunk: this is no end */
    answered(x);
}

static void problem_alone(pp_exchange *x, const pp_problem_report *report)
{
    pp_maybe_int after_s = pp_problem_retry_after_s(report);
    pp_http_header extra[2];
    size_t count = 0;
    char seconds[24];

    if (after_s.known) {
        (void)snprintf(seconds, sizeof seconds, "%lld", (long long)after_s.value);
        extra[count++] = (pp_http_header){pp_text_of("Retry-After"), pp_text_of(seconds)};
    }
    add_route(x, extra, &count);
    pp_buf_clear(&x->gateway->out);
    pp_problem_body(report, &x->gateway->out);
    pp_reply_own(x, pp_problem_status(report), JSON_TYPE, bytes_of(&x->gateway->out), extra, count);
}

void pp_reply_problem(pp_exchange *x, const pp_problem_report *report)
{
    x->has_problem = true;
    x->problem = report->problem;
    if (x->state == PP_EXCHANGE_GONE)
        return;
    if (x->committed)
        problem_within(x, report);
    else
        problem_alone(x, report);
}
