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
    assert_checks(sample, 3, 0, "");
    sample.server_prompt_ms.value = 105; /* the tolerance itself */
    sample.server_predicted_ms.value = 405;
    sample.text_event_count = 2; /* several tokens in an event */
    assert_checks(sample, 3, 0, "");
}

static void each_contradiction_has_a_sentence(void **state)
{
    pp_sample sample = fitting();

    (void)state;
    sample.server_prompt_ms.value = 105.5;
    assert_checks(sample, 3, 1,
                  "measured request 3: the server says 105.5 ms for the prompt, the client saw the "
                  "first token after 100.0 ms");
    sample = fitting();
    sample.server_predicted_ms.value = 900;
    assert_checks(sample, 3, 1,
                  "measured request 3: the server says 900.0 ms for the answer, the client saw the "
                  "end of the reply after 400.0 ms");
    sample = fitting();
    sample.text_event_count = 9;
    assert_checks(sample, 3, 1,
                  "measured request 3: the server counts 8 tokens, the client saw 9 events with "
                  "text");
}

static void what_one_side_does_not_say_is_not_checked(void **state)
{
    pp_sample sample = fitting();

    (void)state;
    sample.server_prompt_ms.known = false;
    assert_checks(sample, 2, 0, "");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_counted_and_not_flagged),
        cmocka_unit_test(each_contradiction_has_a_sentence),
        cmocka_unit_test(what_one_side_does_not_say_is_not_checked),
        cmocka_unit_test(passes_add_up_and_the_first_sentence_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
