#include <math.h>

#include "shared.h"
#include "stats/paired.h"

static const struct {
    const char *name;
    int64_t b, c;
    double want;
} tests_of_pairs[] = {
    {"nothing changed sides", 0, 0, 1},
    {"one", 1, 0, 1},
    {"one each", 1, 1, 1}, /* twice 3/4 is more than 1 */
    {"two", 0, 2, 0.5},
    {"five", 5, 0, 0.0625},
    {"six", 6, 0, 0.03125},
    {"eight to one", 8, 1, 0.0390625},
    {"one to eight is the same", 1, 8, 0.0390625},
    {"62 still by counting", 62, 0, 0x1p-61},
    {"63 by the continued fraction", 63, 0, 0x1p-62},
    /* the sum of C(100, k), k to 40, over 2^99: exact rational arithmetic */
    {"60 to 40", 60, 40, 0.056887933640981},
};

static void mcnemar_is_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(tests_of_pairs); i++) {
        double got = pp_mcnemar_exact(tests_of_pairs[i].b, tests_of_pairs[i].c);
        double want = tests_of_pairs[i].want;
        bool counted = tests_of_pairs[i].b + tests_of_pairs[i].c <= 62;

        if (counted ? got != want : fabs(got - want) > 1e-12 * want + 1e-15)
            fail_msg("%s: expected %.17g, got %.17g", tests_of_pairs[i].name, want, got);
    }
}

/* Published: psi = 5 % and 10 % discordant, margins of 5 and 3 points. */
static void non_inferiority_needs_the_published_cases(void **state)
{
    (void)state;
    assert_int_equal(pp_non_inferiority_cases(0.05, 0.05).value, 124);
    assert_int_equal(pp_non_inferiority_cases(0.05, 0.03).value, 344);
    assert_int_equal(pp_non_inferiority_cases(0.10, 0.05).value, 248);
    assert_int_equal(pp_non_inferiority_cases(0.10, 0.03).value, 687);
    assert_false(pp_non_inferiority_cases(1, 1e-9).known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mcnemar_is_exact),
        cmocka_unit_test(non_inferiority_needs_the_published_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
