/* Intervals computed by numerical integration of the beta distribution at 30 digits; where all or
 * none are hits they have a closed form. */
#include "stats/share_of_groups.h"

#include <math.h>

#include "shared.h"

static const struct {
    const char *name;
    pp_grouped_count count;
    pp_share_interval want;
} rows[] = {
    /* 3 of 10, 9 of 10, 12 of 20: off by -3, 3, 0 */
    {"three groups", {3, 40, 24, 18}, {true, 3.14306903071, 0.0751722359209, 0.980070643683}},
    /* 36 of 40 eight times, 28 of 40 twice */
    {"ten groups", {10, 400, 344, 102.4}, {true, 127.872860224, 0.787561238525, 0.915000466592}},
    /* one item each: all but Clopper and Pearson for 6 of 20 */
    {"groups of one", {20, 20, 6, 4.2}, {true, 19, 0.115156070916, 0.549740569483}},
    /* (1 - 0.95)/2 = low^4 */
    {"all hits", {4, 40, 40, 0}, {true, 4, 0.397635364384, 1}},
    {"no hits", {4, 40, 0, 0}, {true, 4, 0, 0.602364635616}},
    /* two that agree show little: t of 7 over t of 1, squared, times 8 */
    {"two alike", {2, 8, 6, 0}, {true, 0.277065574591, 1.77439078278e-8, 1}},
    {"one group", {1, 40, 24, 0}, {false, 0, 0, 0}},
    {"nothing", {0, 0, 0, 0}, {false, 0, 0, 0}},
};

static void assert_near(const char *name, const char *what, double got, double want)
{
    if (!(fabs(got - want) <= 1e-8 * fmax(1e-3, fabs(want))))
        fail_msg("%s: %s: expected %.12g, got %.12g", name, what, want, got);
}

static void intervals_are_those_of_the_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_share_interval got = pp_share_of_groups(&rows[i].count, 0.95);

        if (got.known != rows[i].want.known)
            fail_msg("%s: known: got %d", rows[i].name, got.known);
        assert_near(rows[i].name, "effective", got.effective_count, rows[i].want.effective_count);
        assert_near(rows[i].name, "low", got.low, rows[i].want.low);
        assert_near(rows[i].name, "high", got.high, rows[i].want.high);
    }
}

/* Beyond what the beta function is exact for the interval stays as it is at a million items. */
static void very_many_items_are_as_a_million(void **state)
{
    const pp_grouped_count many = {1000, INT64_MAX / 2, INT64_MAX / 4, 0};
    pp_share_interval got = pp_share_of_groups(&many, 0.95);

    (void)state;
    assert_true(got.known && got.effective_count <= 1e6);
    assert_true(got.low > 0.499 - 0.0001 && got.low < 0.5 && got.high > 0.5 && got.high < 0.5011);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_the_groups),
        cmocka_unit_test(very_many_items_are_as_a_million),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
