/* Lines are written here by hand; digests are those that sha256sum says. */
#include <string.h>

#include "model/suite_exchange.h"
#include "shared.h"

/* sha256sum of "ask" and of nothing */
#define ASK_SHA256   "2f2fc7f2e9ce13b09b84f63d54d0b4a59f4dbd46aea41da67023817e2d0c5e59"
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define LINE(of, id, request, sha256, failure, body, hex)                                          \
    "{\"body\":" body ",\"body_hex\":" hex ",\"content_type\":\"text/plain\",\"ended_ns\":90,"     \
    "\"failure\":" failure ",\"http_status\":200,\"id\":\"" id "\",\"of\":\"" of                   \
    "\",\"request\":\"" request "\",\"request_sha256\":\"" sha256 "\",\"started_ns\":7}\n"

static pp_status parse(pp_arena *arena, const char *text, pp_suite_exchange **ret_exchanges,
                       size_t *ret_count, pp_error *err)
{
    return pp_suite_exchanges_parse(arena, "lines",
                                    (pp_bytes){(const unsigned char *)text, strlen(text)},
                                    ret_exchanges, ret_count, err);
}

static void bytes_survive_reading_and_writing(void **state)
{
    static const char text[] =
        LINE("case", "c1", "ask", ASK_SHA256, "null", "\"yes\\u0000\"", "null")
            LINE("context", "x", "ask", ASK_SHA256, "{\"class\":\"cut\",\"text\":\"stopped\"}",
                 "null", "\"ff00c3\"") LINE("props", "", "", EMPTY_SHA256, "null", "\"\"", "null");
    pp_arena arena = {0};
    pp_suite_exchange *e = NULL;
    size_t count = 0;
    pp_buf again;
    pp_error err = {0};

    (void)state;
    assert_ok(parse(&arena, text, &e, &count, &err), err);
    assert_int_equal(count, 3);
    assert_int_equal(e[0].exchange.body.size, 4);
    assert_memory_equal(e[0].exchange.body.data, "yes\0", 4);
    assert_int_equal(e[0].exchange.ended_ns - e[0].exchange.started_ns, 83);
    assert_int_equal(e[1].of, PP_SUITE_ASKED_CONTEXT);
    assert_int_equal(e[1].exchange.failure, PP_FAILURE_CUT);
    assert_int_equal(e[1].exchange.body.size, 3);
    assert_memory_equal(e[1].exchange.body.data, "\xff\x00\xc3", 3);
    assert_int_equal(e[2].of, PP_SUITE_ASKED_PROPS);
    pp_buf_init(&again, 4096);
    for (size_t i = 0; i < count; i++)
        assert_ok(pp_suite_exchange_write(&e[i], &again, &err), err);
    assert_string_equal(pp_buf_text(&again), text);
    pp_buf_done(&again);
    pp_arena_done(&arena);
}

static void what_does_not_fit_together_is_refused(void **state)
{
    static const struct {
        const char *line, *why;
    } rows[] = {
        {LINE("case", "c", "ask", EMPTY_SHA256, "null", "\"\"", "null"),
         "lines line 1: $.request_sha256: expected the digest of request, " ASK_SHA256},
        {LINE("case", "c", "ask", ASK_SHA256, "null", "\"\"", "\"00\""),
         "expected exactly one of body and body_hex"},
        {LINE("case", "c", "ask", ASK_SHA256, "null", "null", "null"),
         "expected exactly one of body and body_hex"},
        {LINE("case", "c", "ask", ASK_SHA256, "null", "null", "\"abc\""),
         "$.body_hex: expected two digits for each byte"},
        {LINE("case", "c", "ask", ASK_SHA256, "null", "null", "\"AB\""),
         "$.body_hex: expected lower-case hexadecimal digits"},
        {LINE("question", "c", "ask", ASK_SHA256, "null", "\"\"", "null"), "$.of: expected"},
        {LINE("case", "c", "ask", ASK_SHA256, "{\"class\":\"tired\",\"text\":\"\"}", "\"\"",
              "null"),
         "$.failure.class"},
    };
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_suite_exchange *e = NULL;
        size_t count = 0;
        pp_error err = {0};

        assert_int_equal(parse(&arena, rows[i].line, &e, &count, &err), PP_ERR_SCHEMA);
        assert_contains(err.text, rows[i].why);
    }
    pp_arena_done(&arena);
}

static void a_request_that_is_no_text_is_not_written(void **state)
{
    const pp_suite_exchange e = {.id = pp_text_of("c"),
                                 .request = {(const unsigned char *)"\xff", 1}};
    pp_buf lines;
    pp_error err = {0};

    (void)state;
    pp_buf_init(&lines, 4096);
    assert_int_equal(pp_suite_exchange_write(&e, &lines, &err), PP_ERR_DOMAIN);
    assert_contains(err.text, "request of case 'c' is no UTF-8");
    pp_buf_done(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_survive_reading_and_writing),
        cmocka_unit_test(what_does_not_fit_together_is_refused),
        cmocka_unit_test(a_request_that_is_no_text_is_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
