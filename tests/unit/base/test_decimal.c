#include "base/decimal.h"

#include <stdio.h>
#include <string.h>

#include "shared.h"

static const struct {
    const char *text;
    bool is_number;
} texts[] = {
    {"0", true},
    {"-0", true},
    {"+7", true},
    {"007", true},
    {"12.50", true},
    {"6.02e23", true},
    {"1E-7", true},
    {"1e+2", true},
    {"9e99", true},
    {"1e-100", true},
    {"10e99", false},
    {"1e-101", false},
    {"0e999999999999999999999", true}, /* 0 whatever the exponent */
    {"1e999999999999999999999", false},
    {"1e-99999999999999999999", false},
    {"0.1e100", true},
    {"100e-102", true},
    {"", false},
    {"-", false},
    {".5", false},
    {"5.", false},
    {"1e", false},
    {"1e+", false},
    {"e5", false},
    {"1 ", false},
    {" 1", false},
    {"1,000", false},
    {"0x1", false},
    {"inf", false},
    {"nan", false},
    {"--1", false},
    {"1.2.3", false},
    {"1e2e3", false},
};

static void what_is_a_number(void **state)
{
    pp_decimal d;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++) {
        if (pp_decimal_parse(pp_text_of(texts[i].text), &d) != texts[i].is_number)
            fail_msg("'%s': expected %d", texts[i].text, texts[i].is_number);
    }
}

static const struct {
    const char *name;
    const char *value, *target, *absolute, *relative;
    bool within;
} rows[] = {
    {"equal", "1.50", "15e-1", "0", "0", true},
    {"different signs of nothing", "0", "-0", "0", "0", true},
    {"not equal in the last place", "1e-100", "0", "0", "0", false},
    {"at the absolute edge", "0.8", "0.7", "0.1", "0", true},
    {"above it by the last place", "0.8", "0.7", "0.0999999999999999999999", "0", false},
    {"below the target", "0.6", "0.7", "0.1", "0", true},
    {"borrows through zeros", "1000000", "999999.9", "0.1", "0", true},
    {"other sign", "-1", "1", "2", "0", true},
    {"other sign, too far", "-1", "1", "1.999", "0", false},
    {"a sum with one digit more than any number", "9e99", "-9e99", "9e99", "0", false},
    {"at the relative edge", "101", "100", "0", "0.01", true},
    {"above it", "101.0001", "100", "0", "0.01", false},
    {"a negative target", "-101", "-100", "0", "0.01", true},
    {"the product of many digits", "1.23456789", "0.617283945", "0", "1", true},
    {"that product less one", "1.23456790", "0.617283945", "0", "1", false},
    {"relative to nothing", "1e-100", "0", "0", "9e99", false},
    {"either is enough", "5", "4", "0.5", "0.25", true},
    {"large relative tolerance", "9e99", "1e-100", "0", "9e99", false},
    {"the whole range", "9e99", "1e50", "0", "1e50", true},
};

static void within_compares_without_rounding(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_decimal value, target, absolute, relative;

        assert_true(pp_decimal_parse(pp_text_of(rows[i].value), &value));
        assert_true(pp_decimal_parse(pp_text_of(rows[i].target), &target));
        assert_true(pp_decimal_parse(pp_text_of(rows[i].absolute), &absolute));
        assert_true(pp_decimal_parse(pp_text_of(rows[i].relative), &relative));
        if (pp_decimal_within(&value, &target, &absolute, &relative) != rows[i].within)
            fail_msg("%s: expected %d", rows[i].name, rows[i].within);
    }
}

/* Against whole numbers of the compiler, in thousandths. */
static void within_agrees_with_integers(void **state)
{
    (void)state;
    for (int value = -1200; value <= 1200; value += 7) {
        for (int target = -1100; target <= 1100; target += 13) {
            static const int tolerances[] = {0, 1, 99, 1000, 2300};

            for (size_t t = 0; t < PP_COUNT_OF(tolerances); t++) {
                char text[3][32];
                pp_decimal d[3], zero = {0};
                int apart = value > target ? value - target : target - value;

                (void)snprintf(text[0], sizeof text[0], "%de-3", value);
                (void)snprintf(text[1], sizeof text[1], "%de-3", target);
                (void)snprintf(text[2], sizeof text[2], "%de-3", tolerances[t]);
                for (int i = 0; i < 3; i++)
                    assert_true(pp_decimal_parse(pp_text_of(text[i]), &d[i]));
                if (pp_decimal_within(&d[0], &d[1], &d[2], &zero) != (apart <= tolerances[t]))
                    fail_msg("%s, %s, %s", text[0], text[1], text[2]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_a_number),
        cmocka_unit_test(within_compares_without_rounding),
        cmocka_unit_test(within_agrees_with_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
