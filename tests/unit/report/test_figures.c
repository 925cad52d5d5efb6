#include "shared.h"

#include <math.h>
#include <string.h>

#include "report/chart_scale.h"
#include "report/launch_command.h"
#include "report/metric_info.h"

static void values_read_as_published(void **state)
{
    static const struct {
        const char *metric;
        double value;
        const char *want;
    } rows[] = {
        {"e2e_latency_ms_p95", 3500, "3,500 ms"},
        {"generation_tps", 35.4, "35.4 tok/s"},
        {"prompt_tokens_per_second", 118.123456, "118.1235 tok/s"},
        {"peak_rss_mib", 1807.0000000001, "1,807 MiB"},
        {"peak_rss_mb", 12.5, "12.5 MB"},
        {"requests_per_second", 0.31, "0.31 req/s"},
        {"model_identity_quality_retention", 0.975, "97.50 %"},
        {"confidence_and_practical_effect_gate", 1, "pass"},
        {"confidence_and_practical_effect_gate", 0, "fail"},
        {"score", 1234567, "1,234,567"},
        {"score", 1234567.5, "1.235e+06"},
        {"score", 0.00005, "5e-05"},
        {"score", 1e-12, "1e-12"},
        {"score", -1234.5, "-1,234.5"},
        {"score", -0.0, "0"},
    };
    char text[PP_FIGURE_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_string_equal(pp_metric_value_text(pp_text_of(rows[i].metric), rows[i].value, text),
                            rows[i].want);
    pp_metric_value_text(pp_text_of("largest_ms"), -1.7976931348623157e308, text);
    assert_int_equal(strlen(text), 1 + 309 + 102 + 3);
}

static void fixed_decimals_follow_the_receipt(void **state)
{
    static const struct {
        double value;
        int decimals;
        const char *want;
    } rows[] = {
        {1807, 4, "+1,807"},
        {11.399999999999999, 4, "+11.4"},
        {-3.125, 2, "-3.12"},
        {0.5649717514124173, 2, "+0.56"},
        {0.00005, 4, "+5e-05"},
        {0.004, 2, "+0.004"},
        {99999.99995, 4, "+99,999.9999"},
        {0, 2, "0"},
    };
    char text[PP_FIGURE_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_string_equal(pp_figure_signed(rows[i].value, rows[i].decimals, text), rows[i].want);
}

static void ticks_are_round_and_hold_the_range(void **state)
{
    static const struct {
        double low, high;
        bool drawn;
        double want_step;
        const char *want_first;
    } rows[] = {
        {13.4, 38.4, true, 5, "10"},     {0.17, 0.33, true, 0.05, "0.15"},
        {0, 1000000, true, 200000, "0"}, {-1, 1, true, 0.5, "-1"},
        {7, 7, true, 0.2, "6.6"},        {0, 0, true, 0.5, "-1"},
        {-1e300, 1e300, false, 0, ""},   {1e-300, 2e-300, false, 0, ""},
    };
    char text[PP_FIGURE_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_scale scale;

        assert_int_equal(pp_scale_make(rows[i].low, rows[i].high, 0, 100, 6, &scale),
                         rows[i].drawn);
        if (!rows[i].drawn)
            continue;
        assert_true(fabs(scale.step - rows[i].want_step) <= rows[i].want_step * 1e-12);
        assert_string_equal(pp_scale_tick_text(&scale, 0, text), rows[i].want_first);
        assert_true(scale.low <= rows[i].low && scale.high >= rows[i].high);
        assert_true(scale.tick_count >= 2 && scale.tick_count <= 9);
    }
}

static void words_are_quoted_for_a_shell(void **state)
{
    static const char *const rows[][2] = {
        {"--model=a_b/c.gguf", "--model=a_b/c.gguf"},
        {"two words", "'two words'"},
        {"it's", "'it'\"'\"'s'"},
        {"$(x)", "'$(x)'"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_buf out;

        pp_buf_init(&out, 100);
        pp_launch_quote(pp_text_of(rows[i][0]), &out);
        assert_string_equal(pp_buf_text(&out), rows[i][1]);
        pp_buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_read_as_published),
        cmocka_unit_test(fixed_decimals_follow_the_receipt),
        cmocka_unit_test(ticks_are_round_and_hold_the_range),
        cmocka_unit_test(words_are_quoted_for_a_shell),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
