/* Logarithm and exponential are compared with libm; log(gamma) with (n - 1)! and
 * (2 n)! sqrt(pi) / (4^n n!), computed with 60 digits. The bits of all three are pinned, so that a
 * machine that makes others is found. */
#include "stats/portable.h"

#include <math.h>

#include "shared.h"
#include "stats/random.h"

#define PINNED_SUM 0x1.29da422ce9692p+28

static void log_and_exp_agree_with_libm(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(1 + pp_random_uniform(&random), (int)pp_random_below(&random, 200) - 100);
        double y = -700 * pp_random_uniform(&random);

        assert_true(fabs(pp_portable_log(x) - log(x)) <= 0x1p-51 * fabs(log(x)));
        assert_true(fabs(pp_portable_exp(y) - exp(y)) <= 0x1p-50 * exp(y));
    }
    assert_true(pp_portable_log(1) == 0);
    assert_true(pp_portable_exp(0) == 1);
    assert_true(pp_portable_exp(-1000) == 0);
    assert_true(isinf(pp_portable_exp(1e300)));
}

static const struct {
    double x, want;
} gammas[] = {
    {1, 0},
    {2, 0},
    {3, 0.6931471805599453094172},
    {10, 12.801827480081469611207},
    {14, 22.552163853123422885570},
    {15, 25.191221182738681500093},
    {16, 27.899271383840891566089},
    {20, 39.339884187199494036224},
    {100, 359.13420536957539877604},
    {459, 2352.0886414000390238592},
    {1000, 5905.2204232091812118260},
    {100000, 1051287.7089736568949008},
    {0.5, 0.5723649429247000870717},
    {1.5, -0.120782237635245222345},
    {5.5, 3.9578139676187162938774},
    {30.5, 72.953471184169408323838},
};

static void lgamma_agrees_with_factorials(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(gammas); i++) {
        double got = pp_portable_lgamma(gammas[i].x);

        /* what the terms of the sum can lose, about 40 at the smallest x */
        if (!(fabs(got - gammas[i].want) <= 0x1p-50 * fmax(40, gammas[i].want)))
            fail_msg("lgamma(%g): expected %.17g, got %.17g", gammas[i].x, gammas[i].want, got);
    }
}

static void bits_are_the_same_on_every_machine(void **state)
{
    double sum = 0;

    (void)state;
    for (int i = 1; i <= 10000; i++)
        sum +=
            pp_portable_log(i * 0.37) + pp_portable_exp(-i * 0.013) + pp_portable_lgamma(i * 0.83);
    if (sum != PINNED_SUM)
        fail_msg("expected %a, got %a", PINNED_SUM, sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_and_exp_agree_with_libm),
        cmocka_unit_test(lgamma_agrees_with_factorials),
        cmocka_unit_test(bits_are_the_same_on_every_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
