/* Expected instants are worked out from the rate; distributions are compared with closed forms. */
#include "load/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

#define S  1000000000
#define MS 1000000

static pp_load_level open_level(double rate, int64_t count)
{
    return (pp_load_level){
        .number = 1,
        .loop = PP_LOAD_OPEN,
        .rate_per_second = rate,
        .request_count = {count > 0, count},
        .seed = 42,
    };
}

static size_t draw(pp_arena *arena, const pp_load_level *level, int64_t **ret_due_ns)
{
    pp_error err = {0};
    size_t count = 0;

    if (pp_schedule_draw(arena, level, ret_due_ns, &count, &err) != PP_OK)
        fail_msg("%s", err.text);
    for (size_t i = 1; i < count; i++)
        assert_true((*ret_due_ns)[i] >= (*ret_due_ns)[i - 1]);
    return count;
}

static void constant_arrivals_are_exact_and_do_not_drift(void **state)
{
    static const struct {
        const char *name;
        double rate;
        int64_t duration_ns;
        size_t want_count;
        size_t at;
        int64_t want_due_ns;
    } rows[] = {
        {"500/s for 10 s (B060)", 500, 10LL * S, 5000, 4999, 9998LL * MS},
        {"3/s: thirds do not add up", 3, 1000LL * S, 3000, 2999, 999666666667},
        {"one in 10 s", 0.1, 60LL * S, 6, 5, 50LL * S},
        {"a span of 100 ms", 20, 100 * MS, 2, 1, 50 * MS},
        {"a span shorter than a gap", 0.1, 10 * MS, 1, 0, 0},
        {"no time", 1000, 0, 0, 0, 0},
        {"7 million a second", 7e6, 1LL * S, 7000000, 6999999, 999999857},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_load_level level = open_level(rows[r].rate, 0);
        pp_arena arena = {0};
        int64_t *due_ns;
        size_t count;

        level.duration_ns = pp_known_int(rows[r].duration_ns);
        count = draw(&arena, &level, &due_ns);
        if (count != rows[r].want_count)
            fail_msg("%s: %zu requests, expected %zu", rows[r].name, count, rows[r].want_count);
        if (count > 0 && due_ns[rows[r].at] != rows[r].want_due_ns)
            fail_msg("%s: due at %lld, expected %lld", rows[r].name, (long long)due_ns[rows[r].at],
                     (long long)rows[r].want_due_ns);
        pp_arena_done(&arena);
    }
}

static void the_first_limit_that_is_reached_ends_it(void **state)
{
    pp_load_level level = open_level(10, 5);
    pp_arena arena = {0};
    int64_t *due_ns;

    (void)state;
    level.duration_ns = pp_known_int(10LL * S);
    assert_int_equal(draw(&arena, &level, &due_ns), 5);
    level.duration_ns = pp_known_int(250 * MS); /* 0, 100 and 200 ms */
    assert_int_equal(draw(&arena, &level, &due_ns), 3);
    pp_arena_done(&arena);
}

/* Mean and variance of 10,000 gaps (B061): the mean of unit gaps with variance v has the standard
 * error sqrt(v / n); that of the variance is sqrt((m4 - v^2) / n), with the fourth central moment
 * m4 = 3 v^2 (1 + 2 v) of a gamma distribution with mean 1 and shape 1 / v. */
static void b061_gaps_have_the_asked_mean_and_variance(void **state)
{
    static const struct {
        pp_arrivals arrivals;
        double shape;
        double variance;
    } rows[] = {
        {PP_ARRIVALS_POISSON, 0, 1},  {PP_ARRIVALS_GAMMA, 1, 1},     {PP_ARRIVALS_GAMMA, 0.5, 2},
        {PP_ARRIVALS_GAMMA, 4, 0.25}, {PP_ARRIVALS_GAMMA, 100, .01}, {PP_ARRIVALS_GAMMA, 0.1, 10},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_load_level level = open_level(200, 10000);
        double v = rows[r].variance, n = 10000, sum = 0, squares = 0, before = 0;
        double m4 = 3 * v * v * (1 + 2 * v);
        pp_arena arena = {0};
        int64_t *due_ns;

        level.arrivals = rows[r].arrivals;
        level.gamma_shape = rows[r].shape;
        assert_int_equal(draw(&arena, &level, &due_ns), 10000);
        for (size_t i = 0; i < 10000; i++) {
            double gap = ((double)due_ns[i] - before) * 200 / S;

            before = (double)due_ns[i];
            sum += gap;
            squares += (gap - 1) * (gap - 1);
        }
        if (fabs(sum / n - 1) > 4 * sqrt(v / n) ||
            fabs(squares / n - v) > 4 * sqrt((m4 - v * v) / n))
            fail_msg("row %zu: mean %g, variance %g", r, sum / n, squares / n);
        pp_arena_done(&arena);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double exponential_cdf(double x)
{
    return 1 - exp(-x);
}

static double erlang_three_cdf(double x)
{
    return 1 - exp(-3 * x) * (1 + 3 * x + 4.5 * x * x);
}

/* 1.949: exceeded once in 1,000 by the true distribution. */
static double ks_distance(const pp_load_level *level, double (*cdf)(double))
{
    double *gaps = calloc(10000, sizeof *gaps), worst = 0;
    pp_arena arena = {0};
    int64_t *due_ns;
    size_t n = draw(&arena, level, &due_ns);

    for (size_t i = 0; i < n; i++)
        gaps[i] = (double)(due_ns[i] - (i > 0 ? due_ns[i - 1] : 0)) * level->rate_per_second / S;
    qsort(gaps, n, sizeof *gaps, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        double want = cdf(gaps[i]);

        worst = fmax(worst, fmax((double)(i + 1) / (double)n - want, want - (double)i / (double)n));
    }
    free(gaps);
    pp_arena_done(&arena);
    return worst * sqrt((double)n);
}

static void gaps_follow_their_distribution(void **state)
{
    pp_load_level level = open_level(50, 10000);

    (void)state;
    level.arrivals = PP_ARRIVALS_POISSON;
    assert_true(ks_distance(&level, exponential_cdf) < 1.949);
    level.arrivals = PP_ARRIVALS_GAMMA;
    level.gamma_shape = 3;
    assert_true(ks_distance(&level, erlang_three_cdf) < 1.949);
    assert_true(ks_distance(&level, exponential_cdf) > 10);
}

/* R t^2 / (2 T) = n at t = sqrt(2 T n / R); behind the ramp n = R (t - T / 2). */
static void a_ramp_rises_linearly(void **state)
{
    pp_load_level level = open_level(10, 0);
    pp_arena arena = {0};
    int64_t *due_ns;

    (void)state;
    level.ramp_ns = 10LL * S;
    level.duration_ns = pp_known_int(20LL * S);
    assert_int_equal(draw(&arena, &level, &due_ns), 150); /* 50 in the ramp, 100 behind it */
    assert_true(due_ns[0] == 0);
    assert_true(due_ns[2] == 2LL * S);
    assert_true(due_ns[18] == 6LL * S);
    assert_true(due_ns[50] == 10LL * S);
    assert_true(due_ns[51] == 10100LL * MS);
    assert_true(due_ns[149] == 19900LL * MS);
    pp_arena_done(&arena);
}

/* Of N requests of a Poisson process with a ramp those in its first half are a quarter of those in
 * it: 2,500 of 20,000 to t = T / 2, with R = 2,000, T = 10 s; standard deviation 50. */
static void a_ramp_stretches_drawn_gaps(void **state)
{
    pp_load_level level = open_level(2000, 0);
    pp_arena arena = {0};
    int64_t *due_ns;
    size_t n, early = 0;

    (void)state;
    level.arrivals = PP_ARRIVALS_POISSON;
    level.ramp_ns = 10LL * S;
    level.duration_ns = pp_known_int(15LL * S);
    n = draw(&arena, &level, &due_ns);
    while (early < n && due_ns[early] < 5LL * S)
        early++;
    assert_true(early > 2300 && early < 2700);
    assert_true(n > 19440 && n < 20560); /* 20,000 +- 4 sqrt(20,000) */
    pp_arena_done(&arena);
}

static bool same(const pp_load_level *a, const pp_load_level *b)
{
    pp_arena arena = {0};
    int64_t *left, *right;
    size_t n = draw(&arena, a, &left), m = draw(&arena, b, &right);
    bool equal = n == m && memcmp(left, right, n * sizeof *left) == 0;

    pp_arena_done(&arena);
    return equal;
}

static void b061_seed_and_level_decide(void **state)
{
    pp_load_level level = open_level(100, 1000), other;

    (void)state;
    level.arrivals = PP_ARRIVALS_POISSON;
    other = level;
    assert_true(same(&level, &other));
    other.clients = 7; /* of no matter here */
    other.warmup_count = 3;
    assert_true(same(&level, &other));
    other.seed = 43;
    assert_false(same(&level, &other));
    other = level;
    other.number = 2;
    assert_false(same(&level, &other));
}

static void a_longer_schedule_begins_with_the_shorter(void **state)
{
    pp_load_level level = open_level(100, 10), longer = open_level(100, 1000);
    pp_arena arena = {0};
    int64_t *left, *right;

    (void)state;
    level.arrivals = longer.arrivals = PP_ARRIVALS_GAMMA;
    level.gamma_shape = longer.gamma_shape = 0.3;
    draw(&arena, &level, &left);
    draw(&arena, &longer, &right);
    assert_memory_equal(left, right, 10 * sizeof *left);
    pp_arena_done(&arena);
}

static void what_makes_no_schedule_is_refused(void **state)
{
    static const struct {
        const char *name;
        double rate;
        pp_arrivals arrivals;
        double shape;
        int64_t count, duration_ns; /* -1: not given */
        int64_t ramp_ns;
        pp_load_loop loop;
        pp_status want;
    } rows[] = {
        {"closed", 1, 0, 0, 1, -1, 0, PP_LOAD_CLOSED, PP_ERR_RANGE},
        {"rate 0", 0, 0, 0, 1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"rate below 0", -1, 0, 0, 1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"rate no number", NAN, 0, 0, 1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"rate without end", INFINITY, 0, 0, 1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"shape 0", 1, PP_ARRIVALS_GAMMA, 0, 1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"neither count nor duration", 1, 0, 0, -1, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"ramp below 0", 1, 0, 0, 1, -1, -1, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"due in a thousand years", 1e-10, 0, 0, 10, -1, 0, PP_LOAD_OPEN, PP_ERR_RANGE},
        {"too many", 1e6, 0, 0, 10000001, -1, 0, PP_LOAD_OPEN, PP_ERR_LIMIT},
        {"too many in time", 1e9, 0, 0, -1, 3600LL * S, 0, PP_LOAD_OPEN, PP_ERR_LIMIT},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_load_level level = open_level(rows[r].rate, 0);
        pp_arena arena = {0};
        pp_error err = {0};
        int64_t *due_ns;
        size_t count;

        level.loop = rows[r].loop;
        level.arrivals = rows[r].arrivals;
        level.gamma_shape = rows[r].shape;
        level.request_count = (pp_maybe_int){rows[r].count >= 0, rows[r].count};
        level.duration_ns = (pp_maybe_int){rows[r].duration_ns >= 0, rows[r].duration_ns};
        level.ramp_ns = rows[r].ramp_ns;
        if (pp_schedule_draw(&arena, &level, &due_ns, &count, &err) != rows[r].want)
            fail_msg("%s: '%s'", rows[r].name, err.text);
        assert_non_null(strstr(err.text, "drawing the schedule of level 1: "));
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_arrivals_are_exact_and_do_not_drift),
        cmocka_unit_test(the_first_limit_that_is_reached_ends_it),
        cmocka_unit_test(b061_gaps_have_the_asked_mean_and_variance),
        cmocka_unit_test(gaps_follow_their_distribution),
        cmocka_unit_test(a_ramp_rises_linearly),
        cmocka_unit_test(a_ramp_stretches_drawn_gaps),
        cmocka_unit_test(b061_seed_and_level_decide),
        cmocka_unit_test(a_longer_schedule_begins_with_the_shorter),
        cmocka_unit_test(what_makes_no_schedule_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
