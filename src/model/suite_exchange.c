#include "model/suite_exchange.h"

#include <string.h>

#include "model/tables.h"
#include "json/hex.h"
#include "json/lines.h"

static const char *const subject_names[PP_SUITE_SUBJECT_COUNT] = {"case", "context", "props"};

const char *pp_suite_subject_name(pp_suite_subject subject)
{
    return subject_names[subject];
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* Server's words that are no UTF-8 cannot stand in JSON; only their bytes in the body are kept. */
static pp_text valid_or_empty(pp_text text)
{
    return text.size > 0 && pp_utf8_is_valid(text.data, text.size) ? text : pp_text_of("");
}

static void set_body(pp_arena *arena, pp_json *line, pp_bytes body)
{
    const char *text = body.size == 0 ? "" : (const char *)body.data;
    bool is_text = pp_utf8_is_valid(text, body.size);

    pp_json_set(arena, line, "body",
                is_text ? pp_json_new_text(arena, (pp_text){text, body.size})
                        : pp_json_new_null(arena));
    pp_json_set(arena, line, "body_hex",
                is_text ? pp_json_new_null(arena) : pp_json_new_hex(arena, body));
}

static void set_failure(pp_arena *arena, pp_json *line, const pp_exchange *x)
{
    pp_json *failure;

    if (x->failure == PP_FAILURE_NONE) {
        pp_json_set_null(arena, line, "failure");
        return;
    }
    failure = pp_json_new_object(arena);
    pp_json_set_string(arena, failure, "class", pp_failure_name(x->failure));
    pp_json_set_text(arena, failure, "text", valid_or_empty(x->failure_text));
    pp_json_set(arena, line, "failure", failure);
}

static pp_status encode(pp_arena *arena, const pp_suite_exchange *e, pp_json **ret_line,
                        pp_error *err)
{
    const pp_exchange *x = &e->exchange;
    const pp_text request = {e->request.size == 0 ? "" : (const char *)e->request.data,
                             e->request.size};
    pp_json *line = pp_json_new_object(arena);
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_sha256_of(request.data, request.size, sha256, err);

    if (st == PP_OK && !pp_utf8_is_valid(request.data, request.size))
        st = pp_fail(err, PP_ERR_DOMAIN, "request of %s '%.80s' is no UTF-8",
                     pp_suite_subject_name(e->of), e->id.data == NULL ? "" : e->id.data);
    if (st != PP_OK)
        return st;
    pp_json_set_string(arena, line, "of", pp_suite_subject_name(e->of));
    pp_json_set_text(arena, line, "id", e->id.size == 0 ? pp_text_of("") : e->id);
    pp_json_set_text(arena, line, "request", request);
    pp_json_set_string(arena, line, "request_sha256", sha256);
    pp_json_set_int(arena, line, "started_ns", x->started_ns);
    pp_json_set_int(arena, line, "ended_ns", x->ended_ns);
    pp_json_set_maybe_int(arena, line, "http_status", x->http_status);
    pp_json_set_text(arena, line, "content_type", valid_or_empty(x->content_type));
    set_failure(arena, line, x);
    set_body(arena, line, x->body);
    *ret_line = line;
    return pp_arena_check(arena, err);
}

pp_status pp_suite_exchange_write(const pp_suite_exchange *exchange, pp_buf *lines, pp_error *err)
{
    pp_arena arena = {0};
    pp_json *line = NULL;
    pp_status st = encode(&arena, exchange, &line, err);

    if (st == PP_OK)
        st = pp_json_write(line, PP_JSON_COMPACT, lines, err);
    pp_arena_done(&arena);
    if (st != PP_OK)
        return st;
    pp_buf_append_char(lines, '\n');
    return pp_buf_check(lines, "replies to a suite", err);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static pp_status read_body(pp_arena *arena, const pp_json *line, pp_bytes *ret_body, pp_error *err)
{
    const pp_json *text = pp_json_find(line, "body");
    const pp_json *hex = pp_json_find(line, "body_hex");

    if ((text->kind == PP_JSON_NULL) == (hex->kind == PP_JSON_NULL))
        return pp_json_fail(line, err, "expected exactly one of body and body_hex");
    if (hex->kind != PP_JSON_NULL)
        return pp_json_get_hex(arena, hex, ret_body, err);
    *ret_body = (pp_bytes){(const unsigned char *)text->text.data, text->text.size};
    return PP_OK;
}

static void read_failure(const pp_json *line, pp_exchange *x)
{
    const pp_json *failure = pp_json_find(line, "failure");
    bool known;

    if (failure->kind == PP_JSON_NULL)
        return;
    known = pp_failure_find(pp_checked_text(failure, "class"), &x->failure);
    PP_ASSERT(known);
    x->failure_text = pp_checked_text(failure, "text");
}

static pp_status read_request(const pp_json *line, pp_suite_exchange *out, pp_error *err)
{
    const pp_json *digest = pp_json_find(line, "request_sha256");
    pp_text request = pp_checked_text(line, "request");
    char *sha256 = out->exchange.id.request_sha256;
    pp_status st = pp_sha256_of(request.data, request.size, sha256, err);

    if (st == PP_OK && !pp_text_is(digest->text, sha256))
        st = pp_json_fail(digest, err, "expected the digest of request, %s, got %s", sha256,
                          digest->text.data);
    out->request = (pp_bytes){(const unsigned char *)request.data, request.size};
    return st;
}

static pp_suite_subject subject_of(pp_text name)
{
    int subject = 0;

    while (!pp_text_is(name, subject_names[subject]))
        subject++;
    return (pp_suite_subject)subject;
}

static pp_status decode(pp_arena *arena, const pp_json *line, pp_suite_exchange *ret_exchange,
                        pp_error *err)
{
    pp_suite_exchange out = {0};
    pp_exchange *x = &out.exchange;
    const pp_json *status;
    pp_status st = pp_fields_check(line, &pp_suite_reply_fields, err);

    if (st != PP_OK)
        return st;
    status = pp_json_find(line, "http_status");
    out.of = subject_of(pp_checked_text(line, "of"));
    out.id = pp_checked_text(line, "id");
    x->started_ns = pp_checked_int(line, "started_ns");
    x->scheduled_ns = x->started_ns;
    x->ended_ns = pp_checked_int(line, "ended_ns");
    x->content_type = pp_checked_text(line, "content_type");
    if (status->kind != PP_JSON_NULL)
        x->http_status = pp_known_int(status->integer);
    read_failure(line, x);
    if (x->ended_ns < x->started_ns)
        return pp_json_fail(line, err, "ended_ns is before started_ns");
    st = read_request(line, &out, err);
    if (st == PP_OK)
        st = read_body(arena, line, &x->body, err);
    if (st == PP_OK)
        *ret_exchange = out;
    return st;
}

static pp_status read_line(pp_arena *arena, const pp_line_reader *lines, pp_text line,
                           pp_suite_exchange *ret_exchange, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_lines_parse(arena, lines, line, &root, err);

    if (st != PP_OK)
        return st;
    return pp_wrap(err, decode(arena, root, ret_exchange, err), "%s line %zu", lines->name,
                   lines->number);
}

pp_status pp_suite_exchanges_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                   pp_suite_exchange **ret_exchanges, size_t *ret_count,
                                   pp_error *err)
{
    pp_line_reader lines;
    pp_suite_exchange *exchanges;
    pp_text line;
    pp_status st;
    size_t count;

    pp_lines_init(&lines, name, bytes);
    count = pp_lines_count(&lines);
    exchanges = PP_ARENA_NEW(arena, pp_suite_exchange, count);
    st = pp_arena_check(arena, err);
    while (st == PP_OK && pp_lines_next(&lines, &line))
        st = read_line(arena, &lines, line, &exchanges[lines.number - 1], err);
    if (st == PP_OK) {
        *ret_exchanges = exchanges;
        *ret_count = count;
    }
    return st;
}
