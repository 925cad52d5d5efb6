/* Samples made by hand: 100 ms to the first token, 400 ms to the end, 8 tokens in 8 events. */
#include "evidence/cross_checks.h"

#include <string.h>

#include "shared.h"

static pp_sample fitting(void)
{
    return (pp_sample){
        .id = {.phase = PP_PHASE_MEASURED, .index = 3},
        .ttft_ns = pp_known_int(100000000),
        .stream_end_ns = 400000000,
        .server_prompt_ms = pp_known_real(95),
        .server_predicted_ms = pp_known_real(300),
        .generated_tokens = pp_known_int(8),
        .token_source = PP_TOKEN_SOURCE_TIMINGS,
        .text_event_count = 8,
    };
}

static void assert_checks(pp_sample sample, int64_t checked, int64_t contradicted,
                          const char *first)
{
    pp_cross_checks checks = {0};

    pp_cross_checks_add_sample(&checks, &sample);
    assert_int_equal(checks.checked, checked);
    assert_int_equal(checks.contradicted, contradicted);
    assert_string_equal(checks.first, first);
}

static void what_fits_is_counted_and_not_flagged(void **state)
{
    pp_sample sample = fitting();

    (void)state;
    assert_checks(sample, 4, 0, "");
    sample.server_prompt_ms.value = 105; /* the tolerance itself, of the sum as well */
    sample.text_event_count = 2;         /* several tokens in an event */
    assert_checks(sample, 4, 0, "");
    sample.server_prompt_ms.value = 0;
    sample.server_predicted_ms.value = 405;
    assert_checks(sample, 4, 0, "");
}

static void each_contradiction_has_a_sentence(void **state)
{
    pp_sample sample = fitting();

    (void)state;
    sample.server_prompt_ms.value = 105.5;
    sample.server_predicted_ms.value = 1;
    assert_checks(sample, 4, 1,
                  "measured request 3: the server says 105.5 ms for the prompt, the client saw the "
                  "first token after 100.0 ms");
    sample = fitting();
    sample.server_predicted_ms.value = 900; /* and so is the sum */
    assert_checks(sample, 4, 2,
                  "measured request 3: the server says 900.0 ms for the answer, the client saw the "
                  "end of the reply after 400.0 ms");
    sample = fitting();
    sample.server_predicted_ms.value = 310.5;
    assert_checks(
        sample, 4, 1,
        "measured request 3: the server says 95.0 ms for the prompt and then 310.5 ms for "
        "the answer, the client saw the end of the reply after 400.0 ms");
    sample = fitting();
    sample.text_event_count = 9;
    assert_checks(sample, 4, 1,
                  "measured request 3: the server counts 8 tokens, the client saw 9 events with "
                  "text");
}

static void what_one_side_does_not_say_is_not_checked(void **state)
{
    pp_sample sample = fitting();

    (void)state;
    sample.server_prompt_ms.known = false;
    assert_checks(sample, 2, 0, ""); /* the sum is not known, either */
    sample.server_predicted_ms.known = false;
    assert_checks(sample, 1, 0, "");
    sample.token_source = PP_TOKEN_SOURCE_EVENTS; /* the client's own count */
    sample.text_event_count = 99;
    assert_checks(sample, 0, 0, "");
    sample = fitting();
    sample.failure = PP_FAILURE_PREMATURE_END;
    sample.server_prompt_ms.value = 999;
    assert_checks(sample, 0, 0, "");
}

static void passes_add_up_and_the_first_sentence_stays(void **state)
{
    pp_cross_checks all = {0};
    const pp_cross_checks quiet = {.checked = 6};
    const pp_cross_checks one = {.checked = 5, .contradicted = 1, .first = "one"};
    const pp_cross_checks two = {.checked = 4, .contradicted = 2, .first = "two"};

    (void)state;
    pp_cross_checks_append(&all, &quiet);
    pp_cross_checks_append(&all, &one);
    pp_cross_checks_append(&all, &two);
    assert_int_equal(all.checked, 15);
    assert_int_equal(all.contradicted, 3);
    assert_string_equal(all.first, "one");
}

/* ---- many at once -------------------------------------------------------------------------------
 */

/* Four requests of 400 ms, two at a time: 800 ms. The server worked 395 ms on each: 1.975 at once.
 */
static void make_level(pp_sample samples[5])
{
    for (int i = 0; i < 4; i++) {
        samples[i] = fitting();
        samples[i].id.index = i + 1;
        samples[i].started_ns = 1000000000 + (i / 2) * 400000000LL;
    }
    samples[4] = fitting();
    samples[4].id.phase = PP_PHASE_WARMUP;
    samples[4].server_prompt_ms.value = 9999; /* not looked at */
}

static void a_server_is_not_busy_on_more_requests_than_it_has_slots(void **state)
{
    pp_cross_checks checks = {0};
    pp_sample samples[5];

    (void)state;
    make_level(samples);
    pp_cross_checks_add_level(&checks, "load, level 2", samples, 5, pp_known_int(2));
    assert_int_equal(checks.checked, 17); /* four of each request, and one of the level */
    assert_int_equal(checks.contradicted, 0);
    checks = (pp_cross_checks){0};
    pp_cross_checks_add_level(&checks, "load, level 2", samples, 5, pp_known_int(1));
    assert_int_equal(checks.checked, 17);
    assert_int_equal(checks.contradicted, 1);
    assert_string_equal(
        checks.first, "load, level 2, Little's law: the server says that it worked 1580.0 ms on 4 "
                      "requests, which took 800.0 ms, so 1.98 at once, and that it has 1 slots");
}

static void a_level_names_itself_before_a_request(void **state)
{
    pp_cross_checks checks = {0};
    pp_sample samples[5];

    (void)state;
    make_level(samples);
    samples[2].text_event_count = 9;
    pp_cross_checks_add_level(&checks, "load plan, level 1", samples, 5, pp_known_int(2));
    assert_int_equal(checks.contradicted, 1);
    assert_string_equal(checks.first, "load plan, level 1, measured request 3: the server counts 8 "
                                      "tokens, the client saw 9 events with text");
}

static void a_level_without_slots_or_times_is_not_held_against_them(void **state)
{
    pp_cross_checks checks = {0};
    pp_sample samples[5];

    (void)state;
    make_level(samples);
    pp_cross_checks_add_level(&checks, "load, level 1", samples, 5, (pp_maybe_int){0});
    assert_int_equal(checks.checked, 16);
    checks = (pp_cross_checks){0};
    samples[0].server_prompt_ms.known = false;
    pp_cross_checks_add_level(&checks, "load, level 1", samples, 5, pp_known_int(1));
    assert_int_equal(checks.checked,
                     14); /* of one request neither prompt nor sum, of the level nothing */
    assert_int_equal(checks.contradicted, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_counted_and_not_flagged),
        cmocka_unit_test(each_contradiction_has_a_sentence),
        cmocka_unit_test(what_one_side_does_not_say_is_not_checked),
        cmocka_unit_test(a_server_is_not_busy_on_more_requests_than_it_has_slots),
        cmocka_unit_test(a_level_names_itself_before_a_request),
        cmocka_unit_test(a_level_without_slots_or_times_is_not_held_against_them),
        cmocka_unit_test(passes_add_up_and_the_first_sentence_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
