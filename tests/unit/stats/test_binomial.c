/* Published vectors, tables and simulations; see the sources beside each. */
#include <math.h>

#include "shared.h"
#include "stats/beta.h"
#include "stats/binomial.h"
#include "stats/sprt.h"

static void assert_near(const char *name, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: expected %.15g, got %.15g", name, want, got);
}

static const struct {
    const char *name;
    double a, b, x, want;
} betas[] = {
    {"I_.95(19,2)", 19, 2, .95, 0.735839524944},
    {"I_.95(5,2)", 5, 2, .95, 0.967226171875},
    {"I_.95(90,1)", 90, 1, .95, 0.00988836470966},
    {"I_.99(459,1)", 459, 1, .99, 0.00992097420104},
    {"I_.99(458,1)", 458, 1, .99, 0.0100211860617},
    /* algebra: I_x(1,b) = 1-(1-x)^b, I_x(a,1) = x^a, I_1/2(a,a) = 1/2 */
    {"x to the a", 3.5, 1, .2, 0.0035777087639996636},
    {"one minus", 1, 4, .25, 0.68359375},
    {"symmetric", 1e6, 1e6, .5, .5},
    {"nothing below 0", 2, 3, 0, 0},
    {"all below 1", 2, 3, 1, 1},
};

static void the_incomplete_beta_equals_published_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(betas); i++)
        assert_near(betas[i].name, pp_beta_regularised(betas[i].a, betas[i].b, betas[i].x),
                    betas[i].want, 1e-9);
}

/* Sums of exact terms: Bin(4, 1/2) in sixteenths. */
static void both_tails_add_up_by_counting(void **state)
{
    const double at_most[] = {1 / 16., 5 / 16., 11 / 16., 15 / 16., 1};

    (void)state;
    for (int64_t k = 0; k <= 4; k++) {
        assert_near("at most", pp_binomial_at_most(4, .5, k), at_most[k], 1e-12);
        assert_near("at least", pp_binomial_at_least(4, .5, k + 1), 1 - at_most[k], 1e-12);
    }
    assert_true(pp_binomial_at_least(4, .5, 0) == 1 && pp_binomial_at_most(4, .5, -1) == 0);
    assert_true(pp_binomial_at_most(10, 0, 0) == 1 && pp_binomial_at_least(10, 0, 1) == 0);
}

/* Tables of Student's distribution. */
static void student_quantiles_equal_the_tables(void **state)
{
    (void)state;
    assert_near("3 degrees", pp_student_quantile(3, .975), 3.18244630528371, 1e-9);
    assert_near("1 degree", pp_student_quantile(1, .975), 12.7062047361747, 1e-9);
    assert_near("30 degrees", pp_student_quantile(30, .95), 1.69726088659396, 1e-9);
}

static void the_requests_needed_are_those_of_the_table(void **state)
{
    static const int64_t want[6][4] = {{59, 90, 299, 459},    {93, 130, 473, 662},
                                       {124, 165, 628, 838},  {153, 198, 773, 1001},
                                       {181, 229, 913, 1157}, {208, 259, 1049, 1307}};
    const double shares[] = {.05, .05, .01, .01};
    const double confidences[] = {.95, .99, .95, .99};

    (void)state;
    for (int64_t v = 0; v < 6; v++)
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(pp_requests_needed(v, shares[i], confidences[i]), want[v][i]);
}

/* n >= ln(1-c)/ln(p) when nothing may be over */
static void without_violations_the_maximum_is_the_bound(void **state)
{
    static const int64_t want[3][5] = {
        {4, 22, 45, 230, 2302}, {5, 29, 59, 299, 2995}, {7, 44, 90, 459, 4603}};
    const double shares[] = {.5, .1, .05, .01, .001};
    const double confidences[] = {.9, .95, .99};

    (void)state;
    for (size_t c = 0; c < 3; c++)
        for (size_t p = 0; p < 5; p++)
            assert_int_equal(pp_requests_needed(0, shares[p], confidences[c]), want[c][p]);
    assert_int_equal(pp_requests_needed(0, 1e-12, .95), 0); /* more than anybody can send */
    /* (1 - s)^n <= .05 from n = ln .05 / ln(1 - s) = 748,933,067 on; log gamma of it is 1.5e10 and
     * its last bits are worth 1.3e-5 in the exponent, so 3,300 in n */
    assert_in_range(pp_requests_needed(0, 4e-9, .95), 748929767, 748936367);
}

static const struct {
    int64_t n;
    int64_t ranks[4][2]; /* median, p90, p95, p99 */
} intervals[] = {
    {20, {{6, 15}, {15, 0}, {17, 0}, {19, 0}}},
    {40, {{14, 27}, {32, 40}, {35, 0}, {38, 0}}},
    {72, {{28, 45}, {59, 70}, {64, 72}, {69, 0}}},
    {100, {{40, 61}, {84, 96}, {90, 100}, {97, 0}}},
    {200, {{86, 115}, {171, 189}, {184, 197}, {195, 0}}},
    {400, {{180, 221}, {348, 372}, {371, 389}, {392, 400}}},
    {1000, {{469, 532}, {881, 919}, {936, 964}, {983, 997}}},
};

static void rank_intervals_are_those_of_the_table(void **state)
{
    const double p[] = {.5, .9, .95, .99};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(intervals); i++) {
        for (size_t j = 0; j < 4; j++) {
            pp_rank_interval got = pp_percentile_rank_interval(intervals[i].n, p[j], .95);

            if (got.lower != intervals[i].ranks[j][0] || got.upper != intervals[i].ranks[j][1])
                fail_msg("n %lld, p %g: expected %lld..%lld, got %lld..%lld",
                         (long long)intervals[i].n, p[j], (long long)intervals[i].ranks[j][0],
                         (long long)intervals[i].ranks[j][1], (long long)got.lower,
                         (long long)got.upper);
            assert_true(got.coverage >= .95);
        }
    }
    assert_near("n 20, median", pp_percentile_rank_interval(20, .5, .95).coverage, .959, 1e-3);
    assert_near("n 72, p95", pp_percentile_rank_interval(72, .95, .95).coverage, .966, 1e-3);
    assert_int_equal(pp_percentile_rank_interval(1, .5, .95).lower, 0);
    assert_int_equal(pp_percentile_rank_interval(1, .5, .95).upper, 0);
}

/* Clopper-Pearson, one-sided: 1 - 0.05^(1/n) for nothing seen. */
static void the_upper_bound_of_a_share_is_exact(void **state)
{
    (void)state;
    assert_near("0 of 24", pp_share_upper_bound(0, 24, .95), 1 - pow(.05, 1 / 24.), 1e-9);
    assert_near("3 of 24", pp_share_upper_bound(3, 24, .975), .324, 2e-3); /* 1 - .676 */
    assert_true(pp_share_upper_bound(0, 0, .95) == 1 && pp_share_upper_bound(5, 5, .95) == 1);
}

/* ---- looking again and again (B183) --------------------------------------------------------- */

#define RUNS       10000
#define LIMIT      0.05  /* largest share of violations that is good enough */
#define TRUE_SHARE 0.052 /* of a server that just is not */

/* xorshift64*, of its own so that nothing here depends on the code under test */
static double random_share(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static bool passes(int64_t n, int64_t violations)
{
    return pp_binomial_at_most(n, LIMIT, violations) <= .05;
}

static void a_fixed_number_passes_no_oftener_than_stated(void **state)
{
    uint64_t seed = 0x9e3779b97f4a7c15;
    int at_end = 0;
    int at_any_look = 0;

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        int64_t violations = 0;
        bool looked = false;

        for (int64_t n = 1; n <= 208; n++) {
            violations += random_share(&seed) < TRUE_SHARE;
            looked = looked || (violations <= 5 && n >= 59 && passes(n, violations));
        }
        at_end += passes(208, violations);
        at_any_look += looked;
    }
    assert_in_range(at_end, 1, RUNS * 5 / 100);
    assert_true(at_any_look > RUNS * 10 / 100); /* what looking again does: twice the error */
}

static void b183_the_sequential_test_keeps_its_error_at_every_look(void **state)
{
    const pp_sprt test = {.01, LIMIT, .05, .05};
    uint64_t seed = 0x2545f4914f6cdd1d;
    int accepted = 0;

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        pp_sprt_answer answer = PP_SPRT_CONTINUE;
        int64_t violations = 0;

        for (int64_t n = 1; answer == PP_SPRT_CONTINUE; n++) {
            violations += random_share(&seed) < TRUE_SHARE;
            answer = pp_sprt_ask(&test, n, violations);
        }
        accepted += answer == PP_SPRT_ACCEPT;
    }
    /* Wald's bound is alpha/(1-beta) = 0.0526; the published share is 0.06 in rounding */
    assert_in_range(accepted, RUNS * 3 / 100, RUNS * 65 / 1000);
}

static void the_sequential_test_adds_the_published_steps(void **state)
{
    const pp_sprt test = {.01, .05, .05, .05};

    (void)state;
    assert_near("a good request", pp_sprt_score(&test, 1, 0), 0.04124, 1e-3);
    assert_near("a violation", pp_sprt_score(&test, 1, 1), -1.60944, 1e-5);
    assert_int_equal(pp_sprt_ask(&test, 71, 0), PP_SPRT_CONTINUE);
    assert_int_equal(pp_sprt_ask(&test, 72, 0), PP_SPRT_ACCEPT);
    assert_int_equal(pp_sprt_ask(&test, 2, 2), PP_SPRT_REJECT);
    assert_int_equal(pp_sprt_ask(&test, 1, 1), PP_SPRT_CONTINUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_incomplete_beta_equals_published_values),
        cmocka_unit_test(both_tails_add_up_by_counting),
        cmocka_unit_test(student_quantiles_equal_the_tables),
        cmocka_unit_test(the_requests_needed_are_those_of_the_table),
        cmocka_unit_test(without_violations_the_maximum_is_the_bound),
        cmocka_unit_test(rank_intervals_are_those_of_the_table),
        cmocka_unit_test(the_upper_bound_of_a_share_is_exact),
        cmocka_unit_test(a_fixed_number_passes_no_oftener_than_stated),
        cmocka_unit_test(b183_the_sequential_test_keeps_its_error_at_every_look),
        cmocka_unit_test(the_sequential_test_adds_the_published_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
