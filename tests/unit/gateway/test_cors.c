/* What browsers are told. Source: the Fetch standard, "CORS protocol"; values are written out. */
#include "gateway/cors.h"

#include <string.h>

#include "shared.h"

static const pp_text two[] = {{"https://app.example", 19}, {"http://localhost:3000", 21}};
static const pp_text any[] = {{"*", 1}};
static const pp_cors configured = {two, 2};
static const pp_cors open_to_all = {any, 1};
static const pp_cors closed = {NULL, 0};

#define VARY "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
#define MAY(origin)                                                                                \
    VARY "|Access-Control-Allow-Origin: " origin "|Access-Control-Allow-Methods: GET, POST, "      \
         "OPTIONS"
#define AGE "|Access-Control-Max-Age: 600"

static const char *joined(pp_arena *arena, const pp_cors_reply *reply)
{
    const char *text = "";

    for (size_t i = 0; i < reply->count; i++)
        text = pp_arena_printf(arena, "%s%s%.*s: %.*s", text, i == 0 ? "" : "|",
                               (int)reply->headers[i].name.size, reply->headers[i].name.data,
                               (int)reply->headers[i].value.size, reply->headers[i].value.data);
    return text;
}

static const char *preflight(pp_arena *arena, const pp_cors *cors, const char *origin,
                             pp_text asked)
{
    const pp_http_header headers[] = {
        {pp_text_of("origin"), pp_text_of(origin)},
        {pp_text_of("Access-Control-Request-Method"), pp_text_of("POST")},
        {pp_text_of("access-control-request-headers"), asked},
    };
    pp_cors_reply reply;
    pp_error err = {0};

    assert_ok(pp_cors_preflight(arena, cors, headers, 3, &reply, &err), err);
    return joined(arena, &reply);
}

static void g27_what_an_sdk_asks_for_is_allowed(void **state)
{
    static const char asked[] =
        "authorization, content-type, x-stainless-arch, x-stainless-lang,x-stainless-os,"
        "\tx-stainless-package-version , x-stainless-retry-count, x-stainless-runtime, "
        "x-stainless-runtime-version, x-stainless-timeout, x.odd~name_1!#$%&'*+-^`|";
    pp_arena arena = {0};

    (void)state;
    assert_string_equal(
        preflight(&arena, &configured, "https://app.example", pp_text_of(asked)),
        MAY("https://app.example") "|Access-Control-Allow-Headers: authorization, content-type, "
                                   "x-stainless-arch, "
                                   "x-stainless-lang, x-stainless-os, x-stainless-package-version, "
                                   "x-stainless-retry-count, "
                                   "x-stainless-runtime, x-stainless-runtime-version, "
                                   "x-stainless-timeout, "
                                   "x.odd~name_1!#$%&'*+-^`|" AGE);
    pp_arena_done(&arena);
}

static void g28_nothing_is_said_back_raw(void **state)
{
    static char big[8192];
    static const struct {
        const char *asked;
        const char *want; /* of Access-Control-Allow-Headers; NULL: no such header */
    } rows[] = {
        {"*, ", NULL},
        {"*", NULL},
        {"", NULL},
        {" ,\t, ", NULL},
        {"a\r\nSet-Cookie: x, b", "b"},
        {"a b, c", "c"},
        {"a;b, \"c\", <d>, (e), f@, g", "g"},
        {"caf\xc3\xa9, x", "x"},
        {"a, A, b, a", "a, b"},
        {big, NULL},
    };

    (void)state;
    memset(big, 'x', sizeof big - 1);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        const char *got =
            preflight(&arena, &configured, "https://app.example", pp_text_of(rows[i].asked));

        print_message("# row %zu\n", i);
        if (rows[i].want == NULL)
            assert_string_equal(got, MAY("https://app.example") AGE);
        else
            assert_string_equal(
                got, pp_arena_printf(&arena,
                                     MAY("https://app.example") "|Access-Control-Allow-Headers: "
                                                                "%s" AGE,
                                     rows[i].want));
        pp_arena_done(&arena);
    }
}

static void at_most_sixty_four_names_of_sixty_four_bytes(void **state)
{
    static const char sixty_four[] =
        "x123456789012345678901234567890123456789012345678901234567890123";
    pp_arena arena = {0};
    const char *got;
    pp_buf asked;

    (void)state;
    pp_buf_init(&asked, (size_t)1 << 20);
    pp_buf_printf(&asked, "%s,%s4", sixty_four, sixty_four);
    for (int i = 0; i < 1000; i++)
        pp_buf_printf(&asked, ",n%d", i);
    got = preflight(&arena, &open_to_all, "https://app.example", (pp_text){asked.data, asked.size});
    assert_contains(got, ": x123456789012345678901234567890123456789012345678901234567890123, n0");
    assert_contains(got, ", n62|"); /* 63 after the long one */
    pp_buf_done(&asked);
    pp_arena_done(&arena);
}

static void e34_origins_are_the_configured_ones(void **state)
{
    static const struct {
        const char *name;
        const pp_cors *cors;
        const char *origin, *want;
    } rows[] = {
        {"one of them", &configured, "http://localhost:3000", MAY("http://localhost:3000") AGE},
        {"another", &configured, "https://evil.example", VARY},
        {"another port", &configured, "http://localhost:3001", VARY},
        {"a longer one", &configured, "https://app.example.evil.example", VARY},
        {"in capitals, as no browser sends it", &configured, "HTTPS://APP.EXAMPLE", VARY},
        {"the opaque one", &configured, "null", VARY},
        {"any", &open_to_all, "https://evil.example", MAY("*") AGE},
        {"any, opaque", &open_to_all, "null", MAY("*") AGE},
        {"same origin only", &closed, "https://app.example", ""},
        {"no origin", &configured, "", VARY},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};

        print_message("# %s\n", rows[i].name);
        assert_string_equal(preflight(&arena, rows[i].cors, rows[i].origin, pp_text_of("")),
                            rows[i].want);
        pp_arena_done(&arena);
    }
}

static void g35_a_page_may_read_retry_after_and_our_headers(void **state)
{
    const pp_http_header from = {pp_text_of("Origin"), pp_text_of("https://app.example")};
    static const char *const names[] = {"Retry-After",          "X-Request-Id",
                                        "X-ParetoPilot-Route",  "X-ParetoPilot-Backend",
                                        "X-ParetoPilot-Origin", "X-RateLimit-Remaining-Requests"};
    pp_arena arena = {0};
    pp_cors_reply reply;

    (void)state;
    pp_cors_headers(&configured, &from, 1, &reply);
    assert_true(reply.origin_is_allowed);
    assert_contains(joined(&arena, &reply),
                    "Vary: Origin|Access-Control-Allow-Origin: https://app.example|"
                    "Access-Control-Expose-Headers: ");
    for (size_t i = 0; i < PP_COUNT_OF(names); i++)
        assert_contains(joined(&arena, &reply), names[i]);
    /* without an Origin a cache must know all the same */
    pp_cors_headers(&configured, NULL, 0, &reply);
    assert_false(reply.origin_is_allowed);
    assert_string_equal(joined(&arena, &reply), "Vary: Origin");
    pp_cors_headers(&closed, &from, 1, &reply);
    assert_string_equal(joined(&arena, &reply), "");
    pp_arena_done(&arena);
}

static void e5_a_preflight_is_told_from_other_requests(void **state)
{
    const pp_http_header headers[] = {
        {pp_text_of("Origin"), pp_text_of("https://app.example")},
        {pp_text_of("Access-Control-Request-Method"), pp_text_of("POST")},
    };
    pp_http_request_view view = {.method = {"OPTIONS", 7}, .headers = headers, .header_count = 2};

    (void)state;
    assert_true(pp_cors_is_preflight(&view));
    view.header_count = 1;
    assert_false(pp_cors_is_preflight(&view));
    view.headers++;
    assert_false(pp_cors_is_preflight(&view));
    view.headers--;
    view.header_count = 2;
    view.method = pp_text_of("POST");
    assert_false(pp_cors_is_preflight(&view));
}

static pp_status ask(const void *context, pp_error *err)
{
    const pp_http_header headers[] = {
        {pp_text_of("Origin"), pp_text_of("https://app.example")},
        {pp_text_of("Access-Control-Request-Headers"), pp_text_of("a, b")},
    };
    pp_arena arena = {0};
    pp_cors_reply reply;
    pp_status st;

    (void)context;
    st = pp_cors_preflight(&arena, &configured, headers, 2, &reply, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(ask, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g27_what_an_sdk_asks_for_is_allowed),
        cmocka_unit_test(g28_nothing_is_said_back_raw),
        cmocka_unit_test(at_most_sixty_four_names_of_sixty_four_bytes),
        cmocka_unit_test(e34_origins_are_the_configured_ones),
        cmocka_unit_test(g35_a_page_may_read_retry_after_and_our_headers),
        cmocka_unit_test(e5_a_preflight_is_told_from_other_requests),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
