/* What goes on and what does not. The names are those of RFC 9110 section 7.6.1 and of the facts
 * and rows that the tests carry in their names. */
#include "gateway/relay_headers.h"

#include <string.h>

#include "shared.h"

static pp_http_header header(const char *name, const char *value)
{
    return (pp_http_header){pp_text_of(name), pp_text_of(value)};
}

static const pp_relay_request plain = {
    .client_address = {"203.0.113.9", 11},
    .request_id = {"id-1", 4},
};

/* The lines of a request with this one header beside a Host, joined with '|'. */
static const char *sent_on(pp_arena *arena, const pp_http_header *headers, size_t n,
                           const pp_relay_request *extra)
{
    const char *const *lines = NULL;
    const char *joined = "";
    pp_error err = {0};
    size_t count = 0;

    assert_ok(pp_relay_request_headers(arena, headers, n, extra, &lines, &count, &err), err);
    for (size_t i = 0; i < count; i++)
        joined = pp_arena_printf(arena, "%s%s%s", joined, i == 0 ? "" : "|", lines[i]);
    return joined;
}

static const char *given_back(pp_arena *arena, const pp_http_header *headers, size_t n,
                              bool is_stream)
{
    pp_http_header *out = NULL;
    const char *joined = "";
    pp_error err = {0};
    size_t count = 0;

    assert_ok(pp_relay_reply_headers(arena, headers, n, is_stream, &out, &count, &err), err);
    for (size_t i = 0; i < count; i++)
        joined = pp_arena_printf(arena, "%s%s%.*s: %.*s", joined, i == 0 ? "" : "|",
                                 (int)out[i].name.size, out[i].name.data, (int)out[i].value.size,
                                 out[i].value.data);
    return joined;
}

#define OURS "Content-Type: application/json|X-Request-Id: id-1"

static void e2_e22_e33_e34_what_no_back_end_gets(void **state)
{
    static const char *const names[] = {
        "connection",
        "Keep-Alive",
        "TE",
        "Trailer",
        "transfer-encoding",
        "Upgrade",
        "HTTP2-Settings",
        "Proxy-Authorization",
        "PROXY-CONNECTION",
        "Content-Length",
        "Content-Encoding",
        "Host",
        "Expect",
        "Accept-Encoding",
        "Content-Type",
        "X-Request-Id",
        "authorization",
        "X-Api-Key",
        "api-key",
        "Cookie",
        "Referer",
        "X-Conversation-Id",
        "x-conversation-id",
        "Origin",
        "Access-Control-Request-Headers",
        "Sec-Fetch-Mode",
        "Range",
        "If-None-Match",
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "x-forwarded-proto",
        "X-Real-IP",
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        pp_arena arena = {0};
        const pp_http_header one = header(names[i], "a-value");
        const char *got = sent_on(&arena, &one, 1, &plain);

        print_message("# %s\n", names[i]);
        assert_string_equal(got, "X-Forwarded-For: 203.0.113.9|" OURS);
        pp_arena_done(&arena);
    }
}

static void e16_everything_else_goes_on_as_it_came(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("user-agent", "OpenAI/Python 1.2"),
        header("x-stainless-lang", "python"),
        header("Accept", "a"),
        header("Accept", "b"),
        header("traceparent", "00-ab-cd-01"),
        header("TEA", "no TE"),
        header("X-Odd", "\xc3\xa9\ttab"),
    };

    (void)state;
    assert_string_equal(sent_on(&arena, headers, PP_COUNT_OF(headers), &plain),
                        "user-agent: OpenAI/Python 1.2|x-stainless-lang: python|Accept: a|Accept: b"
                        "|traceparent: 00-ab-cd-01|TEA: no TE|X-Odd: \xc3\xa9\ttab"
                        "|X-Forwarded-For: 203.0.113.9|" OURS);
    pp_arena_done(&arena);
}

static void e2_what_connection_names_stays_here_in_both_directions(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("X-Mine", "1"), header("Connection", "close, x-mine"), header("X-Yours", "2"),
        header("X-Kept", "3"), header("connection", "\tX-YOURS ,,"),  header("X-Min", "4"),
    };

    (void)state;
    assert_string_equal(sent_on(&arena, headers, PP_COUNT_OF(headers), &plain),
                        "X-Kept: 3|X-Min: 4|X-Forwarded-For: 203.0.113.9|" OURS);
    assert_string_equal(given_back(&arena, headers, PP_COUNT_OF(headers), false),
                        "X-Kept: 3|X-Min: 4");
    pp_arena_done(&arena);
}

static void e33_ours_cannot_be_named_away_and_the_key_is_the_back_ends(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("Authorization", "Bearer of-the-client"),
        header("Connection", "authorization, x-forwarded-for, x-request-id, content-type"),
    };
    pp_relay_request extra = plain;

    (void)state;
    extra.api_key = pp_text_of("of-the-back-end");
    assert_string_equal(sent_on(&arena, headers, 2, &extra),
                        "X-Forwarded-For: 203.0.113.9|" OURS
                        "|Authorization: Bearer of-the-back-end");
    pp_arena_done(&arena);
}

static void a_trusted_proxy_is_believed_and_stands_last(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("X-Forwarded-For", "198.51.100.1"),
        header("X-Forwarded-Proto", "https"),
        header("x-forwarded-for", "198.51.100.2, 198.51.100.3"),
    };
    pp_relay_request extra = plain;

    (void)state;
    extra.from_trusted_proxy = true;
    assert_string_equal(sent_on(&arena, headers, 3, &extra),
                        "X-Forwarded-Proto: https|X-Forwarded-For: 198.51.100.1, 198.51.100.2, "
                        "198.51.100.3, 203.0.113.9|" OURS);
    pp_arena_done(&arena);
}

/* The parser refuses such heads; if one came through, a line end in a value would be a header. */
static void what_cannot_stand_in_a_head_is_left_out(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("X-A", "1\r\nAuthorization: x"),
        header("X B", "1"),
        header("", "1"),
        header("X-Empty", ""),
        header("X-Bell", "\a"),
        header("X-Del", "\x7f"),
        {{"X-Nul", 5}, {"a\0b", 3}},
        header("X-Good", "1"),
    };

    (void)state;
    assert_string_equal(sent_on(&arena, headers, PP_COUNT_OF(headers), &plain),
                        "X-Good: 1|X-Forwarded-For: 203.0.113.9|" OURS);
    assert_string_equal(given_back(&arena, headers, PP_COUNT_OF(headers), false), "X-Good: 1");
    pp_arena_done(&arena);
}

static void the_clients_id_is_kept_when_it_is_a_short_token(void **state)
{
    static const char sixty_four[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    static const char sixty_five[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefg";
    const struct {
        const char *value, *want;
    } rows[] = {
        {"req-7.a_b", "req-7.a_b"}, {sixty_four, sixty_four}, {sixty_five, "ours"}, {"", "ours"},
        {"two words", "ours"},      {"a\"b", "ours"},         {"\xc3\xa9", "ours"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_http_header one = header("x-request-id", rows[i].value);

        if (!pp_text_is(pp_relay_request_id(&one, 1, pp_text_of("ours")), rows[i].want))
            fail_msg("'%s': expected '%s'", rows[i].value, rows[i].want);
    }
    assert_true(pp_text_is(pp_relay_request_id(NULL, 0, pp_text_of("ours")), "ours"));
}

static void e3_e34_g35_what_a_client_sees_of_a_reply(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("Content-Length", "12"),
        header("Transfer-Encoding", "chunked"),
        header("Content-Encoding", "identity"),
        header("Keep-Alive", "timeout=5"),
        header("Access-Control-Allow-Origin", "*"),
        header("access-control-expose-headers", "x"),
        header("Server", "llama.cpp"),
        header("Location", "http://10.0.0.5:8081/"),
        header("Set-Cookie", "a=b"),
        header("WWW-Authenticate", "Basic"),
        header("X-Request-Id", "of the back end"),
        header("X-ParetoPilot-Route", "a claim"),
        header("Content-Type", "application/json; charset=utf-8"),
        header("Retry-After", "7"),
        header("X-RateLimit-Remaining-Requests", "0"),
        header("X-Paretopilot-Origin", "simulated"),
        header("openai-processing-ms", "9"),
        header("Cache-Control", "max-age=3"),
    };

    (void)state;
    assert_string_equal(given_back(&arena, headers, PP_COUNT_OF(headers), false),
                        "Content-Type: application/json; charset=utf-8|Retry-After: 7"
                        "|X-RateLimit-Remaining-Requests: 0|X-Paretopilot-Origin: simulated"
                        "|openai-processing-ms: 9|Cache-Control: max-age=3");
    pp_arena_done(&arena);
}

static void e10_a_stream_is_not_to_be_gathered_nor_changed(void **state)
{
    pp_arena arena = {0};
    const pp_http_header headers[] = {
        header("content-type", "text/event-stream"),
        header("cache-control", "max-age=3"),
        header("x-accel-buffering", "yes"),
    };

    (void)state;
    assert_string_equal(given_back(&arena, headers, 3, true),
                        "content-type: text/event-stream|Cache-Control: no-cache, no-transform"
                        "|X-Accel-Buffering: no");
    assert_string_equal(given_back(&arena, NULL, 0, false), "");
    pp_arena_done(&arena);
}

static void more_than_can_be_sent_is_refused(void **state)
{
    static char long_list[PP_RELAY_CONNECTION_MAX_BYTES + 2];
    pp_http_header many[PP_RELAY_HEADER_MAX];
    pp_http_header named = header("Connection", long_list);
    const char *const *lines;
    pp_http_header *headers;
    pp_arena arena = {0};
    pp_error err = {0};
    size_t count;

    (void)state;
    for (size_t i = 0; i < PP_RELAY_HEADER_MAX; i++)
        many[i] = header("X-Many", "1");
    /* three are ours */
    assert_ok(pp_relay_request_headers(&arena, many, 125, &plain, &lines, &count, &err), err);
    assert_int_equal(count, 128);
    assert_int_equal(pp_relay_request_headers(&arena, many, 126, &plain, &lines, &count, &err),
                     PP_ERR_LIMIT);
    assert_string_equal(err.text, "129 headers to send on, at most 128");

    memset(long_list, 'a', PP_RELAY_CONNECTION_MAX_BYTES + 1);
    named.value = pp_text_of(long_list);
    assert_int_equal(pp_relay_request_headers(&arena, &named, 1, &plain, &lines, &count, NULL),
                     PP_ERR_LIMIT);
    assert_int_equal(pp_relay_reply_headers(&arena, &named, 1, false, &headers, &count, NULL),
                     PP_ERR_LIMIT);
    named.value.size--;
    assert_ok(pp_relay_reply_headers(&arena, &named, 1, false, &headers, &count, &err), err);
    pp_arena_done(&arena);
}

static pp_status relay_both(const void *context, pp_error *err)
{
    const pp_http_header headers[] = {header("X-Forwarded-For", "::1"), header("X-A", "1")};
    pp_relay_request extra = plain;
    const char *const *lines;
    pp_http_header *out;
    pp_arena arena = {0};
    pp_status st;
    size_t count;

    (void)context;
    extra.from_trusted_proxy = true;
    extra.api_key = pp_text_of("key");
    st = pp_relay_request_headers(&arena, headers, 2, &extra, &lines, &count, err);
    if (st == PP_OK)
        st = pp_relay_reply_headers(&arena, headers, 2, true, &out, &count, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(relay_both, NULL) > 0);
}

static void e17_a_media_type_has_parameters_and_no_case(void **state)
{
    static const struct {
        const char *content_type;
        bool want;
    } rows[] = {
        {"application/json", true},
        {"application/json; charset=utf-8", true},
        {"Application/JSON ;charset=utf-8", true},
        {" application/json\t", true},
        {"application/json;", true},
        {"application/jsonp", false},
        {"application/problem+json", false},
        {"text/json", false},
        {"text/plain; application/json", false},
        {"", false},
        {";", false},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        if (pp_media_type_is(pp_text_of(rows[i].content_type), "application/json") != rows[i].want)
            fail_msg("'%s'", rows[i].content_type);
    assert_false(pp_media_type_is((pp_text){0}, "application/json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e2_e22_e33_e34_what_no_back_end_gets),
        cmocka_unit_test(e16_everything_else_goes_on_as_it_came),
        cmocka_unit_test(e2_what_connection_names_stays_here_in_both_directions),
        cmocka_unit_test(e33_ours_cannot_be_named_away_and_the_key_is_the_back_ends),
        cmocka_unit_test(a_trusted_proxy_is_believed_and_stands_last),
        cmocka_unit_test(what_cannot_stand_in_a_head_is_left_out),
        cmocka_unit_test(the_clients_id_is_kept_when_it_is_a_short_token),
        cmocka_unit_test(e3_e34_g35_what_a_client_sees_of_a_reply),
        cmocka_unit_test(e10_a_stream_is_not_to_be_gathered_nor_changed),
        cmocka_unit_test(more_than_can_be_sent_is_refused),
        cmocka_unit_test(missing_memory_is_said),
        cmocka_unit_test(e17_a_media_type_has_parameters_and_no_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
