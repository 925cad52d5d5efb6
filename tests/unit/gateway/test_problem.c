/* Statuses: E17 and E30, row by row; the bodies are written out. */
#include "gateway/problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "shared.h"
#include "json/json.h"

#define BODY_MAX_BYTES ((size_t)64 << 10)

static void e17_e30_each_reason_has_its_status_and_a_code_of_its_own(void **state)
{
    static const struct {
        pp_problem problem;
        int status;
        const char *code;
    } rows[] = {
        {PP_PROBLEM_BAD_REQUEST, 400, "bad_request"},
        {PP_PROBLEM_NO_KEY, 401, "missing_api_key"},
        {PP_PROBLEM_BAD_KEY, 401, "invalid_api_key"},
        {PP_PROBLEM_UNKNOWN_MODEL, 404, "model_not_found"},
        {PP_PROBLEM_NOT_FOUND, 404, "not_found"},
        {PP_PROBLEM_METHOD, 405, "method_not_allowed"},
        {PP_PROBLEM_TOO_LARGE, 413, "request_too_large"},
        {PP_PROBLEM_HEADERS, 431, "headers_too_large"},
        {PP_PROBLEM_RATE, 429, "rate_limit_exceeded"},
        {PP_PROBLEM_QUEUE_FULL, 429, "queue_full"},
        {PP_PROBLEM_QUEUE_TIMEOUT, 429, "queue_timeout"},
        {PP_PROBLEM_UPSTREAM_REFUSED, 502, "upstream_refused"},
        {PP_PROBLEM_UPSTREAM_BROKE, 502, "upstream_broke"},
        {PP_PROBLEM_UPSTREAM_INVALID, 502, "upstream_invalid"},
        {PP_PROBLEM_UPSTREAM_LOADING, 503, "model_loading"},
        {PP_PROBLEM_NO_BACKEND, 503, "no_backend"},
        {PP_PROBLEM_CONNECT_TIMEOUT, 504, "connect_timeout"},
        {PP_PROBLEM_FIRST_BYTE_TIMEOUT, 504, "first_byte_timeout"},
        {PP_PROBLEM_IDLE_TIMEOUT, 504, "idle_timeout"},
        {PP_PROBLEM_TOTAL_TIMEOUT, 504, "total_timeout"},
        {PP_PROBLEM_DRAINING, 503, "draining"},
        {PP_PROBLEM_MEMORY, 503, "out_of_memory"},
        {PP_PROBLEM_INTERNAL, 500, "internal_error"},
    };

    (void)state;
    assert_int_equal(PP_COUNT_OF(rows), PP_PROBLEM_COUNT);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_problem_report report = {.problem = rows[i].problem};

        print_message("# %s\n", rows[i].code);
        assert_int_equal(pp_problem_status(&report), rows[i].status);
        assert_string_equal(pp_problem_code(rows[i].problem), rows[i].code);
        if (rows[i].status == 429 || rows[i].status == 503)
            assert_true(pp_problem_retry_after_s(&report).known); /* E17, E24 */
        if (rows[i].status < 429)
            assert_false(pp_problem_retry_after_s(&report).known);
    }
}

static void expect_body(const pp_problem_report *report, const char *want)
{
    pp_buf out;

    pp_buf_init(&out, BODY_MAX_BYTES);
    pp_problem_body(report, &out);
    assert_string_equal(pp_buf_text(&out), want);
    pp_buf_done(&out);
}

static void e17_the_body_has_the_four_members(void **state)
{
    const pp_problem_report queue = {.problem = PP_PROBLEM_QUEUE_FULL, .status = 503};
    const pp_problem_report field = {.problem = PP_PROBLEM_BAD_REQUEST,
                                     .detail = "$.stream: expected a boolean, got \"yes\"",
                                     .param = "stream"};

    (void)state;
    expect_body(&queue, "{\"error\":{\"code\":\"queue_full\","
                        "\"message\":\"too many requests are waiting for this model\","
                        "\"param\":null,\"type\":\"overloaded_error\"}}");
    assert_int_equal(pp_problem_status(&queue), 503);
    expect_body(&field,
                "{\"error\":{\"code\":\"bad_request\",\"message\":\"the request is not valid: "
                "$.stream: expected a boolean, got \\\"yes\\\"\",\"param\":\"stream\","
                "\"type\":\"invalid_request_error\"}}");
}

static void e18_in_a_stream_it_is_one_event(void **state)
{
    const pp_problem_report report = {.problem = PP_PROBLEM_UPSTREAM_BROKE};
    pp_buf out;

    (void)state;
    pp_buf_init(&out, BODY_MAX_BYTES);
    pp_problem_event(&report, &out);
    assert_string_equal(
        pp_buf_text(&out),
        "data: {\"error\":{\"code\":\"upstream_broke\",\"message\":\"the server of this model "
        "ended its answer short of its length or its "
        "end\",\"param\":null,\"type\":\"upstream_error\"}}\n\n");
    pp_buf_done(&out);
}

/* What a connection failure says names an address, what a back end says may name a key. */
static void g10_nothing_of_a_back_end_gets_into_the_sentence(void **state)
{
    (void)state;
    for (int i = PP_PROBLEM_QUEUE_FULL; i < PP_PROBLEM_COUNT; i++) {
        const pp_problem_report bare = {.problem = (pp_problem)i};
        pp_problem_report told = bare;
        pp_buf a, b;

        told.detail = "http://10.0.0.5:8081 said: bad key sk-12345678";
        pp_buf_init(&a, BODY_MAX_BYTES);
        pp_buf_init(&b, BODY_MAX_BYTES);
        pp_problem_body(&bare, &a);
        pp_problem_body(&told, &b);
        assert_string_equal(pp_buf_text(&a), pp_buf_text(&b));
        pp_buf_done(&a);
        pp_buf_done(&b);
    }
}

static void foreign_text_is_escaped_and_cut(void **state)
{
    char longer[4 * PP_PROBLEM_TEXT_MAX];
    pp_problem_report report = {.problem = PP_PROBLEM_UNKNOWN_MODEL,
                                .detail = "\"a\x1b[2J\n\xff\""};
    pp_buf out;

    (void)state;
    expect_body(&report, "{\"error\":{\"code\":\"model_not_found\",\"message\":\"this model is not "
                         "served here (GET /v1/models lists those that are): "
                         "\\\"a\\\\u001b[2J\\\\u000a\\\\xff\\\"\","
                         "\"param\":null,\"type\":\"invalid_request_error\"}}");
    memset(longer, 'm', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    report.detail = longer;
    pp_buf_init(&out, BODY_MAX_BYTES);
    pp_problem_body(&report, &out);
    assert_true(out.size > PP_PROBLEM_TEXT_MAX && out.size < PP_PROBLEM_TEXT_MAX + 200);
    assert_contains(pp_buf_text(&out), "mmm...\",\"param\":null");
    pp_buf_done(&out);
}

static void g35_retry_after_is_the_given_one_or_the_tables(void **state)
{
    pp_problem_report report = {.problem = PP_PROBLEM_UPSTREAM_BROKE};

    (void)state;
    assert_false(pp_problem_retry_after_s(&report).known);
    report.retry_after_s = pp_known_int(7);
    assert_int_equal(pp_problem_retry_after_s(&report).value, 7);
    report.retry_after_s = pp_known_int(-7);
    assert_int_equal(pp_problem_retry_after_s(&report).value, 0);
    assert_int_equal(pp_retry_after_of_ns(-1), 1);
    assert_int_equal(pp_retry_after_of_ns(0), 1);
    assert_int_equal(pp_retry_after_of_ns(PP_NS_PER_S), 1);
    assert_int_equal(pp_retry_after_of_ns(PP_NS_PER_S + 1), 2);
    assert_int_equal(pp_retry_after_of_ns(INT64_MAX), 9223372037);
}

/* With room for the text but memory for nothing else, the answer is still whole JSON. */
static void without_memory_there_is_still_a_body(void **state)
{
    const pp_problem_report report = {.problem = PP_PROBLEM_MEMORY, .detail = "x", .param = "y"};
    unsigned long n = 0, seen;

    (void)state;
    do {
        pp_json const *root = NULL;
        pp_arena arena = {0};
        pp_error err = {0};
        pp_buf out;

        pp_buf_init(&out, BODY_MAX_BYTES);
        for (int i = 0; i < 64; i++)
            pp_buf_append(&out, "room for the text", 17);
        pp_buf_clear(&out);
        pp_fail_nth_arm(++n);
        pp_problem_body(&report, &out);
        seen = pp_fail_nth_seen();
        pp_fail_nth_arm(0);
        assert_ok(pp_json_parse(&arena, "body", out.data, out.size, &root, &err), err);
        assert_non_null(pp_json_find(pp_json_find(root, "error"), "message"));
        pp_arena_done(&arena);
        pp_buf_done(&out);
    } while (seen >= n);
    assert_true(n > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e17_e30_each_reason_has_its_status_and_a_code_of_its_own),
        cmocka_unit_test(e17_the_body_has_the_four_members),
        cmocka_unit_test(e18_in_a_stream_it_is_one_event),
        cmocka_unit_test(g10_nothing_of_a_back_end_gets_into_the_sentence),
        cmocka_unit_test(foreign_text_is_escaped_and_cut),
        cmocka_unit_test(g35_retry_after_is_the_given_one_or_the_tables),
        cmocka_unit_test(without_memory_there_is_still_a_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
