#include "model/load_plan.h"

#include <string.h>

#include "shared.h"

/* A plan with one part exchanged. */
#define PLAN_OF(prompts, tokens, warmups, measured, levels, timeout, slo)                          \
    "{\"schema_version\":\"1.0\",\"prompts\":[" prompts "],\"output_tokens\":" tokens              \
    ",\"warmup_requests_per_level\":" warmups ",\"measured_requests_per_level\":" measured         \
    ",\"concurrency_levels\":[" levels "],\"timeout_seconds\":" timeout ",\"slo\":" slo "}"
#define SLO_OF(rate, ttft, e2e)                                                                    \
    "{\"min_completion_rate\":" rate ",\"max_ttft_ms_p95\":" ttft                                  \
    ",\"max_e2e_latency_ms_p95\":" e2e "}"
#define SLO     SLO_OF("1", "500", "1500")
#define PROMPTS "\"a\",\"b\""
#define P16                                                                                        \
    "\"0\",\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"a\",\"b\",\"c\",\"d\",\"e\","   \
    "\"f\""

static const struct {
    const char *name;
    const char *text;
    const char *says; /* NULL: accepted */
} rows[] = {
    {"least of everything", PLAN_OF("\"a\"", "8", "0", "1", "1", "1e-9", SLO_OF("0", "null", "1")),
     NULL},
    {"most of everything",
     PLAN_OF(P16, "512", "32", "256", "1,2,4", "3600", SLO_OF("1.0", "1500", "1500")), NULL},
    {"one level of four", PLAN_OF(PROMPTS, "64", "4", "4", "4", "60", SLO), NULL},
    {"17 prompts", PLAN_OF(P16 ",\"g\"", "64", "4", "8", "1", "60", SLO), "expected 1 to 16 items"},
    {"no prompt", PLAN_OF("", "64", "4", "8", "1", "60", SLO), "$.prompts"},
    {"a prompt that is no text", PLAN_OF("5", "64", "4", "8", "1", "60", SLO),
     "$.prompts[0]: expected a string"},
    {"a prompt twice", PLAN_OF("\"a\",\"b\",\"a\"", "64", "4", "8", "1", "60", SLO),
     "$.prompts[2]: this prompt is there twice"},
    {"7 tokens", PLAN_OF(PROMPTS, "7", "4", "8", "1", "60", SLO), "$.output_tokens"},
    {"513 tokens", PLAN_OF(PROMPTS, "513", "4", "8", "1", "60", SLO), "$.output_tokens"},
    {"tokens as a real", PLAN_OF(PROMPTS, "64.0", "4", "8", "1", "60", SLO), "$.output_tokens"},
    {"33 warm-ups", PLAN_OF(PROMPTS, "64", "33", "8", "1", "60", SLO),
     "$.warmup_requests_per_level"},
    {"no request", PLAN_OF(PROMPTS, "64", "4", "0", "1", "60", SLO),
     "$.measured_requests_per_level"},
    {"257 requests", PLAN_OF(PROMPTS, "64", "4", "257", "1", "60", SLO),
     "$.measured_requests_per_level"},
    {"fewer requests than clients", PLAN_OF(PROMPTS, "64", "4", "2", "1,4", "60", SLO),
     "expected at least 4, the largest level, got 2"},
    {"requests that clients cannot share", PLAN_OF(PROMPTS, "64", "4", "6", "1,2,4", "60", SLO),
     "expected a multiple of the level 4, got 6"},
    {"no level", PLAN_OF(PROMPTS, "64", "4", "8", "", "60", SLO), "$.concurrency_levels"},
    {"level 3", PLAN_OF(PROMPTS, "64", "4", "9", "1,3", "60", SLO), "1, 2 or 4, got 3"},
    {"level 8", PLAN_OF(PROMPTS, "64", "4", "8", "8", "60", SLO), "$.concurrency_levels[0]"},
    {"a level twice", PLAN_OF(PROMPTS, "64", "4", "8", "2,2", "60", SLO), "above 2, got 2"},
    {"no time", PLAN_OF(PROMPTS, "64", "4", "8", "1", "0", SLO), "$.timeout_seconds"},
    {"more than an hour", PLAN_OF(PROMPTS, "64", "4", "8", "1", "3600.1", SLO),
     "$.timeout_seconds"},
    {"TTFT above E2E", PLAN_OF(PROMPTS, "64", "4", "8", "1", "60", SLO_OF("1", "1500.1", "1500")),
     "$.slo.max_ttft_ms_p95: expected at most max_e2e_latency_ms_p95"},
    {"no limit on E2E", PLAN_OF(PROMPTS, "64", "4", "8", "1", "60", SLO_OF("1", "1", "null")),
     "$.slo.max_e2e_latency_ms_p95: expected a number"},
    {"a rate of 1.1", PLAN_OF(PROMPTS, "64", "4", "8", "1", "60", SLO_OF("1.1", "1", "1")),
     "$.slo.min_completion_rate: expected 0 to 1"},
    {"a rate that is a boolean",
     PLAN_OF(PROMPTS, "64", "4", "8", "1", "60", SLO_OF("true", "1", "1")),
     "$.slo.min_completion_rate: expected a number"},
};

static pp_status decode(pp_arena *arena, const char *text, pp_load_plan *ret, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "p", text, strlen(text), &root, err);

    return st == PP_OK ? pp_load_plan_decode(arena, root, ret, err) : st;
}

static void each_rule_has_a_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_load_plan plan;
        pp_status st = decode(&arena, rows[i].text, &plan, &err);

        if ((st == PP_OK) != (rows[i].says == NULL))
            fail_msg("%s: %s", rows[i].name, st == PP_OK ? "accepted" : err.text);
        if (rows[i].says != NULL)
            assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

static void a_plan_is_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_load_plan plan;

    (void)state;
    assert_ok(decode(&arena, PLAN_OF(PROMPTS, "64", "3", "8", "1,4", "60", SLO), &plan, &err), err);
    assert_int_equal(plan.method.prompt_count, 2);
    assert_string_equal(plan.method.prompts[1].text.data, "b");
    /* SHA-256 of "b", as sha256sum has it */
    assert_string_equal(plan.method.prompts[1].sha256,
                        "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d");
    assert_int_equal(plan.method.output_tokens, 64);
    assert_int_equal(plan.method.warmup_count, 3);
    assert_int_equal(plan.method.measured_count, 8);
    assert_int_equal(plan.method.level_count, 2);
    assert_int_equal(plan.method.levels[1], 4);
    assert_int_equal(pp_load_method_find_level(&plan.method, 4), 1);
    assert_int_equal(pp_load_method_find_level(&plan.method, 2), 2);
    assert_true(plan.timeout_seconds == 60.0);
    assert_true(plan.slo.min_completion_rate == 1.0);
    assert_true(plan.slo.max_ttft_ms_p95.known && plan.slo.max_ttft_ms_p95.value == 500.0);
    assert_true(plan.slo.max_e2e_latency_ms_p95 == 1500.0);
    pp_arena_done(&arena);
}

static void prompts_are_measured_in_characters(void **state)
{
    (void)state;
    for (size_t extra = 0; extra <= 1; extra++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_load_plan plan;
        pp_buf text;
        pp_status st;

        pp_buf_init(&text, 1 << 20);
        for (size_t i = 0; i < 8192 + extra; i++)
            pp_buf_append_text(&text, "\xc3\xbc");
        st = decode(&arena,
                    pp_arena_printf(&arena, PLAN_OF("\"%s\"", "64", "3", "8", "1", "60", SLO),
                                    pp_buf_text(&text)),
                    &plan, &err);
        assert_int_equal(st, extra == 0 ? PP_OK : PP_ERR_SCHEMA);
        pp_buf_done(&text);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_a_refusal),
        cmocka_unit_test(a_plan_is_read),
        cmocka_unit_test(prompts_are_measured_in_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
