/* Vectors of splitmix64 for the seed 1234567: the published reference outputs (Vigna's
 * splitmix64.c, as repeated by Rosetta Code). Distributions are compared with their closed forms by
 * the test of Kolmogorov and Smirnov. */
#include "stats/random.h"

#include <math.h>
#include <stdlib.h>

#include "shared.h"

#define DRAWS    10000
/* sqrt(n) D exceeds it once in 1,000 for the true distribution. Source: Smirnov 1948. */
#define KS_LIMIT 1.949

static void splitmix64_gives_its_published_numbers(void **state)
{
    static const uint64_t want[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                    UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                    UINT64_C(16408922859458223821)};
    uint64_t random = 1234567;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        assert_true(pp_random_at(1234567, i) == want[i]);
        assert_true(pp_random_next(&random) == want[i]);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* sqrt(n) times the largest distance of the empirical distribution from the true one. */
static double ks_distance(double *values, size_t n, double (*cdf)(double))
{
    double worst = 0;

    qsort(values, n, sizeof *values, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        double want = cdf(values[i]);

        worst = fmax(worst, fmax((double)(i + 1) / (double)n - want, want - (double)i / (double)n));
    }
    return worst * sqrt((double)n);
}

static double uniform_cdf(double x)
{
    return x;
}

static double normal_cdf(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double exponential_cdf(double x)
{
    return 1 - exp(-x);
}

/* Gamma with mean 1: shape 1/2 is chi-square with one degree of freedom, whole shapes are Erlang.
 */
static double gamma_half_cdf(double x)
{
    return erf(sqrt(x / 2));
}

static double gamma_two_cdf(double x)
{
    return 1 - exp(-2 * x) * (1 + 2 * x);
}

static double gamma_four_cdf(double x)
{
    double y = 4 * x;

    return 1 - exp(-y) * (1 + y + y * y / 2 + y * y * y / 6);
}

static double gamma_half(uint64_t *random)
{
    return pp_random_gamma(random, 0.5);
}

static double gamma_one(uint64_t *random)
{
    return pp_random_gamma(random, 1);
}

static double gamma_two(uint64_t *random)
{
    return pp_random_gamma(random, 2);
}

static double gamma_four(uint64_t *random)
{
    return pp_random_gamma(random, 4);
}

static void draws_follow_their_distribution(void **state)
{
    static const struct {
        const char *name;
        double (*draw)(uint64_t *);
        double (*cdf)(double);
    } rows[] = {
        {"uniform", pp_random_uniform, uniform_cdf},
        {"exponential", pp_random_exponential, exponential_cdf},
        {"normal", pp_random_normal, normal_cdf},
        {"gamma 1/2", gamma_half, gamma_half_cdf},
        {"gamma 1 is exponential", gamma_one, exponential_cdf},
        {"gamma 2", gamma_two, gamma_two_cdf},
        {"gamma 4", gamma_four, gamma_four_cdf},
    };
    double *values = calloc(DRAWS, sizeof *values);

    (void)state;
    assert_non_null(values);
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            uint64_t random = pp_random_stream(seed, rows[r].name, 0);
            double distance;

            for (size_t i = 0; i < DRAWS; i++)
                values[i] = rows[r].draw(&random);
            distance = ks_distance(values, DRAWS, rows[r].cdf);
            if (distance > KS_LIMIT)
                fail_msg("%s, seed %d: distance %g", rows[r].name, (int)seed, distance);
        }
    }
    /* the test can fail: an exponential is no gamma of shape 2 */
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t random = pp_random_stream(1, "wrong", i);

        values[i] = pp_random_exponential(&random);
    }
    assert_true(ks_distance(values, DRAWS, gamma_two_cdf) > 5 * KS_LIMIT);
    free(values);
}

/* Correlation of independent uniforms: standard error 1 / sqrt(n) = 0.01. */
static void streams_do_not_follow_each_other(void **state)
{
    static const struct {
        uint64_t seed;
        const char *name;
        uint64_t index;
    } rows[] = {{1, "a", 0}, {1, "a", 1}, {1, "b", 0}, {2, "a", 0}, {1, "ab", 0}, {1, "ba", 0}};

    (void)state;
    for (size_t a = 0; a < PP_COUNT_OF(rows); a++) {
        for (size_t b = 0; b < a; b++) {
            uint64_t left = pp_random_stream(rows[a].seed, rows[a].name, rows[a].index);
            uint64_t right = pp_random_stream(rows[b].seed, rows[b].name, rows[b].index);
            double sum = 0;

            assert_true(left != right);
            for (size_t i = 0; i < DRAWS; i++)
                sum += (pp_random_uniform(&left) - 0.5) * (pp_random_uniform(&right) - 0.5) * 12;
            assert_true(fabs(sum / DRAWS) < 0.04);
        }
    }
}

static void below_is_even_and_stays_below(void **state)
{
    size_t counts[7] = {0};
    uint64_t random = 3;

    (void)state;
    for (int i = 0; i < 70000; i++) {
        uint64_t drawn = pp_random_below(&random, 7);

        assert_true(drawn < 7);
        counts[drawn]++;
    }
    for (size_t i = 0; i < 7; i++) /* 10,000 +- 5 standard deviations of 92.6 */
        assert_true(counts[i] > 9537 && counts[i] < 10463);
    assert_true(pp_random_below(&random, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix64_gives_its_published_numbers),
        cmocka_unit_test(draws_follow_their_distribution),
        cmocka_unit_test(streams_do_not_follow_each_other),
        cmocka_unit_test(below_is_even_and_stays_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
