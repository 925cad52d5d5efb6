#include "capacity/load_samples.h"

#include <string.h>

#include "shared.h"

static pp_sample ok_sample(pp_phase phase, int64_t index)
{
    return (pp_sample){
        .id = {.phase = phase, .index = index},
        .started_ns = 2000000000,
        .ttft_ns = pp_known_int(125000000),
        .e2e_ns = pp_known_int(900000000),
        .stream_end_ns = 1000000000,
        .asked_tokens = 64,
        .generated_tokens = pp_known_int(64),
        .token_source = PP_TOKEN_SOURCE_TIMINGS,
    };
}

static pp_load_sample convert(pp_arena *arena, const pp_sample *sample, int64_t clock_start_ns)
{
    pp_load_sample out;
    pp_error err = {0};
    char text[PP_LOAD_FAULT_MAX];
    const char *key;
    const char *fault;

    assert_ok(pp_load_sample_of(arena, sample, 64, clock_start_ns, &out, &err), err);
    fault = pp_load_sample_fault(&out, 64, &key, text); /* whatever it was, the document takes it */
    if (fault != NULL)
        fail_msg("%s: %s", key, fault);
    return out;
}

static void nanoseconds_become_seconds_of_one_clock(void **state)
{
    pp_arena arena = {0};
    pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);
    pp_load_sample out = convert(&arena, &sample, 1000000000000);

    (void)state;
    assert_true(out.completed);
    assert_null(out.error.data);
    assert_int_equal(out.generated_tokens, 64);
    assert_true(out.ttft_ms.known && out.ttft_ms.value == 125.0);
    assert_true(out.e2e_latency_ms == 1000.0); /* to the end of the reply */
    assert_true(out.started_at_seconds == 1002.0);
    assert_true(out.finished_at_seconds == 1003.0);
    pp_arena_done(&arena);
}

/* The same request after 300 days without a restart: doubles still tell the instants apart. */
static void a_late_clock_and_a_short_request_are_no_contradiction(void **state)
{
    pp_arena arena = {0};
    pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);
    const int64_t day_ns = 86400000000000;

    (void)state;
    (void)convert(&arena, &sample, 300 * day_ns);
    sample.stream_end_ns = 0;
    sample.ttft_ns = (pp_maybe_int){0};
    sample.failure = PP_FAILURE_REFUSED;
    assert_true(convert(&arena, &sample, 0).e2e_latency_ms == 1e-6);
    pp_arena_done(&arena);
}

static const struct {
    const char *name;
    pp_failure failure;
    const char *failure_text;
    int64_t http_status; /* 0: none */
    int64_t tokens;      /* -1: not known */
    pp_token_source source;
    const char *error;
    int64_t counted;
} rows[] = {
    {"a status and what the server said", PP_FAILURE_HTTP_STATUS, "HTTP status 503: Loading model",
     503, -1, PP_TOKEN_SOURCE_NONE, "HTTP 503: Loading model", 0},
    {"a status alone", PP_FAILURE_HTTP_STATUS, "HTTP status 500", 500, -1, PP_TOKEN_SOURCE_NONE,
     "HTTP 500", 0},
    {"a status and other words", PP_FAILURE_HTTP_STATUS, "  busy ", 429, -1, PP_TOKEN_SOURCE_NONE,
     "HTTP 429: busy", 0},
    {"no connection", PP_FAILURE_REFUSED, "connection refused", 0, -1, PP_TOKEN_SOURCE_NONE,
     "network error: refused: connection refused", 0},
    {"a cut", PP_FAILURE_CUT, "", 200, 7, PP_TOKEN_SOURCE_EVENTS, "network error: cut", 7},
    {"an error in the stream", PP_FAILURE_STREAM_ERROR, "out of memory", 200, 12,
     PP_TOKEN_SOURCE_EVENTS, "stream error: stream-error: out of memory", 12},
    {"one token too few", PP_FAILURE_NONE, "", 200, 63, PP_TOKEN_SOURCE_USAGE,
     "generated 63 tokens, asked for 64", 63},
    {"one token too many counts as those asked", PP_FAILURE_NONE, "", 200, 65,
     PP_TOKEN_SOURCE_TIMINGS, "generated 65 tokens, asked for 64", 64},
    {"a failure after too many", PP_FAILURE_RESET, "", 200, 70, PP_TOKEN_SOURCE_EVENTS,
     "network error: reset", 64},
    {"no count", PP_FAILURE_NONE, "", 200, -1, PP_TOKEN_SOURCE_NONE,
     "the server did not say how many tokens it generated", 0},
    {"a count of events", PP_FAILURE_NONE, "", 200, 64, PP_TOKEN_SOURCE_EVENTS,
     "the server did not say how many tokens it generated; events are no tokens", 64},
};

static void what_is_not_completed_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);
        pp_load_sample out;

        sample.failure = rows[i].failure;
        sample.failure_text = pp_text_of(rows[i].failure_text);
        sample.token_source = rows[i].source;
        sample.generated_tokens =
            rows[i].tokens < 0 ? (pp_maybe_int){0} : pp_known_int(rows[i].tokens);
        sample.http_status =
            rows[i].http_status == 0 ? (pp_maybe_int){0} : pp_known_int(rows[i].http_status);
        out = convert(&arena, &sample, 0);
        if (out.completed || !pp_text_is(out.error, rows[i].error) ||
            out.generated_tokens != rows[i].counted)
            fail_msg("%s: %lld tokens, \"%.*s\"", rows[i].name, (long long)out.generated_tokens,
                     (int)out.error.size, out.error.data);
        pp_arena_done(&arena);
    }
}

static void a_completed_request_needs_a_first_text(void **state)
{
    pp_arena arena = {0};
    pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);

    (void)state;
    sample.ttft_ns = (pp_maybe_int){0};
    assert_false(convert(&arena, &sample, 0).completed);
    pp_arena_done(&arena);
}

static void a_long_text_is_cut_between_characters(void **state)
{
    pp_arena arena = {0};
    pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);
    pp_load_sample out;
    pp_buf text;

    (void)state;
    pp_buf_init(&text, 1 << 16);
    for (size_t i = 0; i < 600; i++)
        pp_buf_append_text(&text, "\xc3\xbc");
    sample.failure = PP_FAILURE_HTTP_STATUS;
    sample.http_status = pp_known_int(500);
    sample.failure_text = pp_text_of(pp_buf_text(&text));
    out = convert(&arena, &sample, 0);
    assert_int_equal(pp_text_character_count(out.error), 512);
    assert_true(pp_utf8_is_valid(out.error.data, out.error.size));
    assert_int_equal(out.error.size, 10 + 2 * 502); /* "HTTP 500: " and the rest */
    pp_buf_done(&text);
    pp_arena_done(&arena);
}

static void instants_off_the_clock_are_refused(void **state)
{
    pp_sample sample = ok_sample(PP_PHASE_MEASURED, 1);
    const int64_t starts[] = {INT64_MAX, INT64_MAX - 2500000000, -2000000001};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(starts); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_load_sample out;

        assert_int_equal(pp_load_sample_of(&arena, &sample, 64, starts[i], &out, &err),
                         PP_ERR_DOMAIN);
        assert_contains(err.text, "measured request 1");
        pp_arena_done(&arena);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

static pp_load_prompt prompt = {{"x", 1}, ""};
static const pp_load_plan plan = {
    .method = {.prompts = &prompt,
               .prompt_count = 1,
               .output_tokens = 64,
               .warmup_count = 1,
               .measured_count = 2,
               .levels = {2},
               .level_count = 1},
};

static void a_level_is_put_into_the_order_of_requests(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_measured_level level;
    pp_sample samples[] = {ok_sample(PP_PHASE_MEASURED, 2), ok_sample(PP_PHASE_WARMUP, 1),
                           ok_sample(PP_PHASE_MEASURED, 1)};

    (void)state;
    samples[0].started_ns = 5000000000;
    samples[1].started_ns = 0;
    assert_ok(pp_measured_level_of(&arena, &plan, 2, samples, 3, 0, &level, &err), err);
    assert_int_equal(level.concurrency, 2);
    assert_int_equal(level.warmup_count, 1);
    assert_int_equal(level.measured_count, 2);
    assert_true(level.warmup[0].started_at_seconds == 0.0);
    assert_true(level.measured[0].started_at_seconds == 2.0);
    assert_true(level.measured[1].started_at_seconds == 5.0);
    assert_false(level.peak_rss_mib.known);
    pp_arena_done(&arena);
}

static void an_incomplete_level_is_refused(void **state)
{
    static const struct {
        int64_t last_index, asked;
        size_t count;
        const char *says;
    } bad[] = {
        {2, 64, 2, "measured request 2 of 2 is missing"},
        {1, 64, 3, "measured request 1 is there twice"},
        {3, 64, 3, "expected an index of 1 to 2"},
        {0, 64, 3, "expected an index of 1 to 2"},
        {2, 63, 3, "expected 64 tokens asked, got 63"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(bad); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_measured_level level;
        pp_sample samples[] = {ok_sample(PP_PHASE_WARMUP, 1), ok_sample(PP_PHASE_MEASURED, 1),
                               ok_sample(PP_PHASE_MEASURED, bad[i].last_index)};

        samples[2].asked_tokens = bad[i].asked;
        assert_int_equal(
            pp_measured_level_of(&arena, &plan, 2, samples, bad[i].count, 0, &level, &err),
            PP_ERR_DOMAIN);
        assert_contains(err.text, bad[i].says);
        assert_contains(err.text, "level 2");
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nanoseconds_become_seconds_of_one_clock),
        cmocka_unit_test(a_late_clock_and_a_short_request_are_no_contradiction),
        cmocka_unit_test(what_is_not_completed_says_why),
        cmocka_unit_test(a_completed_request_needs_a_first_text),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(instants_off_the_clock_are_refused),
        cmocka_unit_test(a_level_is_put_into_the_order_of_requests),
        cmocka_unit_test(an_incomplete_level_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
