#include "evidence/case_result.h"

#include <string.h>

#include "shared.h"

static pp_text accepted[] = {{"42", 2}, {"forty-two", 9}};
static pp_match_rule rules[] = {
    {.mode = PP_MATCH_TRIMMED_EXACT, .accepted = accepted, .accepted_count = 2},
};
static const pp_suite_case answer_case = {
    .id = {"answer", 6}, .prompt = {"?", 1}, .rules = rules, .rule_count = 1, .max_tokens = 8};

static pp_case_result result_of(pp_arena *arena, const pp_exchange *exchange)
{
    pp_case_result result;
    pp_error err = {0};

    assert_ok(pp_case_result_of(arena, &answer_case, exchange, &result, &err), err);
    return result;
}

static pp_exchange reply(const char *body)
{
    return (pp_exchange){.started_ns = 100,
                         .ended_ns = 350,
                         .http_status = {true, 200},
                         .body = {(const unsigned char *)body, strlen(body)}};
}

static void a_reply_is_matched_and_counted(void **state)
{
    pp_exchange x = reply("{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":"
                          "\" forty-two\\n\"}}],\"timings\":{\"cache_n\":0,\"prompt_n\":12,"
                          "\"predicted_n\":3,\"draft_n\":4,\"draft_n_accepted\":2}}");
    pp_arena arena = {0};
    pp_case_result r = result_of(&arena, &x);

    (void)state;
    assert_int_equal(r.outcome, PP_OUTCOME_MATCHED);
    assert_string_equal(r.answer.data, " forty-two\n");
    assert_true(pp_text_is(r.matched_answer, "forty-two"));
    assert_true(pp_text_is(r.finish_reason, "stop"));
    assert_int_equal(r.failure.size, 0);
    assert_int_equal(r.latency_ns.value, 250);
    assert_int_equal(r.prompt_tokens.value, 12);
    assert_int_equal(r.cached_tokens.value, 0);
    assert_int_equal(r.output_tokens.value, 3);
    assert_int_equal(r.drafted_tokens.value, 4);
    assert_int_equal(r.accepted_tokens.value, 2);
    pp_arena_done(&arena);
}

static void another_answer_and_none_are_missed(void **state)
{
    static const char *const bodies[] = {
        "{\"choices\":[{\"message\":{\"content\":\"43\"}}]}",
        "{\"choices\":[{\"message\":{\"content\":null,\"reasoning_content\":\"42\"}}]}",
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(bodies); i++) {
        pp_exchange x = reply(bodies[i]);
        pp_arena arena = {0};
        pp_case_result r = result_of(&arena, &x);

        assert_int_equal(r.outcome, PP_OUTCOME_MISSED);
        assert_int_equal(r.matched_answer.size, 0);
        assert_false(r.output_tokens.known);
        pp_arena_done(&arena);
    }
}

static void what_is_no_answer_has_failed(void **state)
{
    pp_exchange x = reply("{\"error\":{\"message\":\"full\"}}");
    pp_arena arena = {0};
    pp_case_result r = result_of(&arena, &x);

    (void)state;
    assert_int_equal(r.outcome, PP_OUTCOME_FAILED);
    assert_string_equal(r.failure.data, "stream-error: full");
    assert_int_equal(r.answer.size, 0);
    assert_int_equal(r.latency_ns.value, 250);
    x.failure = PP_FAILURE_REFUSED;
    r = result_of(&arena, &x);
    assert_string_equal(r.failure.data, "refused");
    pp_arena_done(&arena);
}

static void what_was_never_asked_has_no_latency(void **state)
{
    pp_arena arena = {0};
    pp_case_result r = result_of(&arena, NULL);

    (void)state;
    assert_int_equal(r.outcome, PP_OUTCOME_FAILED);
    assert_true(r.failure.size > 0);
    assert_false(r.latency_ns.known);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_is_matched_and_counted),
        cmocka_unit_test(another_answer_and_none_are_missed),
        cmocka_unit_test(what_is_no_answer_has_failed),
        cmocka_unit_test(what_was_never_asked_has_no_latency),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
