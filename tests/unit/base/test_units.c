#include "base/units.h"
#include "shared.h"

static const struct {
    const char *text;
    pp_status want_status;
    int64_t want_ns;
} durations[] = {
    {"250ms", PP_OK, 250000000},  {"30s", PP_OK, 30000000000},
    {"1.5m", PP_OK, 90000000000}, {"0s", PP_OK, 0},
    {"30", PP_ERR_USAGE, 0},      {"-3s", PP_ERR_USAGE, 0},
    {"1e3s", PP_ERR_USAGE, 0},    {" 3s", PP_ERR_USAGE, 0},
    {"3 s", PP_ERR_USAGE, 0},     {"3.s", PP_ERR_USAGE, 0},
    {"0x10s", PP_ERR_USAGE, 0},   {"99999999999999h", PP_ERR_USAGE, 0},
    {"", PP_ERR_USAGE, 0},
};

static void durations_carry_their_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(durations); i++) {
        pp_error err = {0};
        int64_t ns = 0;

        if (pp_parse_duration(durations[i].text, "--settle", &ns, &err) !=
                durations[i].want_status ||
            ns != durations[i].want_ns)
            fail_msg("'%s' gave %lld", durations[i].text, (long long)ns);
    }
}

static void sizes_are_powers_of_1024_and_name_the_option_when_wrong(void **state)
{
    pp_error err = {0};
    int64_t bytes = 0;

    (void)state;
    assert_ok(pp_parse_size("4096MiB", "--max-rss", &bytes, &err), err);
    assert_int_equal(bytes, (int64_t)4096 << 20);
    assert_int_equal(pp_parse_size("4096MB", "--max-rss", &bytes, &err), PP_ERR_USAGE);
    assert_string_equal(err.text, "--max-rss: expected a number with its unit such as 512B, "
                                  "4096MiB or 4GiB, got '4096MB'");
}

static void integers_are_whole_words_in_their_range(void **state)
{
    static const char *const refused[] = {
        "", "-", "+1", "1.0", "1 ", "0x1", "11", "-1", "99999999999999999999"};
    pp_error err = {0};
    int64_t value = 0;

    (void)state;
    assert_ok(pp_parse_int("7", "--seed", 0, 10, &value, &err), err);
    assert_int_equal(value, 7);
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++)
        assert_int_equal(pp_parse_int(refused[i], "--seed", 0, 10, &value, &err), PP_ERR_USAGE);
}

static void numbers_are_plain_decimals_in_their_range(void **state)
{
    static const struct {
        const char *text;
        double want;
    } accepted[] = {{"0", 0}, {"0.25", 0.25}, {"007.50", 7.5}, {"8", 8}};
    static const char *const refused[] = {"",   ".5",  "5.",  "1.2.3", "-1",  "+1",  " 1",
                                          "1 ", "1e2", "0x8", "inf",   "nan", "8.1", "1,5"};
    pp_error err = {0};
    double value = 0;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(accepted); i++) {
        assert_ok(pp_parse_number(accepted[i].text, "--share", 0, 8, &value, &err), err);
        assert_true(value == accepted[i].want);
    }
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++)
        if (pp_parse_number(refused[i], "--share", 0, 8, &value, &err) != PP_ERR_USAGE)
            fail_msg("'%s' was accepted", refused[i]);
    assert_contains(err.text, "--share: expected a number from 0 to 8, got '1,5'");
    assert_int_equal(pp_parse_number("1", "--share", 2, 8, &value, &err), PP_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_carry_their_unit),
        cmocka_unit_test(sizes_are_powers_of_1024_and_name_the_option_when_wrong),
        cmocka_unit_test(integers_are_whole_words_in_their_range),
        cmocka_unit_test(numbers_are_plain_decimals_in_their_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
