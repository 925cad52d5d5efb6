/* Expected values: sums of binomial terms in exact rational arithmetic, bisected to 64 bits; the
 * rounded ones stand in tables of exact intervals. */
#include <math.h>

#include "shared.h"
#include "stats/binomial.h"
#include "stats/certify.h"

static void assert_near(const char *name, double got, double want, double distance)
{
    if (!(fabs(got - want) <= distance))
        fail_msg("%s: expected %.15g, got %.15g", name, want, got);
}

static const struct {
    const char *name;
    int64_t count, n;
    double lower, upper;
} intervals[] = {
    {"21 of 24", 21, 24, 0.67638864181116698, 0.97344068501375103},
    {"20 of 24", 20, 24, 0.62615828651131733, 0.95264637339274294},
    {"19 of 24", 19, 24, 0.57848715636274739, 0.92868138280194512},
    {"12 of 24 lies in the middle", 12, 24, 0.29124177983621197, 0.70875822016378809},
    {"5 of 10", 5, 10, 0.18708602844739852, 0.81291397155260148},
    /* algebra: (1 - p)^n = 0.025 and p^n = 0.025 */
    {"none of 24", 0, 24, 0, 0.14247359772252566},
    {"all of 24", 24, 24, 0.85752640227747434, 1},
    {"one of one", 1, 1, 0.025, 1},
    {"none of one", 0, 1, 0, 0.975},
};

static void intervals_are_clopper_and_pearsons(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(intervals); i++) {
        pp_share_interval got = pp_share_interval_of(intervals[i].count, intervals[i].n, 0.95);

        assert_near(intervals[i].name, got.lower, intervals[i].lower, 1e-12);
        assert_near(intervals[i].name, got.upper, intervals[i].upper, 1e-12);
    }
    assert_true(pp_share_interval_of(0, 24, 0.95).lower == 0.0);
    assert_true(pp_share_interval_of(24, 24, 0.95).upper == 1.0);
}

/* What defines an end: the chance of such a count or one further out is the tail. */
static void ends_have_the_stated_tail(void **state)
{
    (void)state;
    for (int64_t count = 1; count < 2000; count += 333) {
        pp_share_interval got = pp_share_interval_of(count, 2000, 0.95);

        assert_near("lower", pp_binomial_at_least(2000, got.lower, count), 0.025, 1e-10);
        assert_near("upper", pp_binomial_at_most(2000, got.upper, count), 0.025, 1e-10);
        assert_true(got.lower < (double)count / 2000 && (double)count / 2000 < got.upper);
    }
}

static const struct {
    int64_t n, passes; /* 0: none */
    double power;      /* at a true share of 0.875 */
} floors[] = {
    {0, 0, 0},
    {1, 0, 0},
    {13, 0, 0}, /* 0.8^13 is above 0.05 */
    {14, 14, 0.154210},
    {24, 23, 0.179662},
    {50, 45, 0.393487},
    {96, 84, 0.576135},
    {100, 87, 0.631761},
    {150, 129, 0.756670},
    {200, 170, 0.878556},
    {300, 252, 0.969216},
};

static void a_floor_of_80_percent_needs_the_published_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(floors); i++) {
        pp_maybe_int got = pp_passes_needed(floors[i].n, 0.8, 0.95);

        if (got.known != (floors[i].passes > 0) || got.value != floors[i].passes)
            fail_msg("n = %lld: expected %lld passes, got %lld", (long long)floors[i].n,
                     (long long)floors[i].passes, (long long)got.value);
        if (got.known)
            assert_near("power", pp_binomial_at_least(floors[i].n, 0.875, got.value),
                        floors[i].power, 1e-6);
    }
}

/* n misses nothing: floor^n <= 0.05. */
static void high_floors_need_many_cases(void **state)
{
    (void)state;
    assert_false(pp_passes_needed(298, 0.99, 0.95).known);
    assert_int_equal(pp_passes_needed(299, 0.99, 0.95).value, 299);
}

static const struct {
    int64_t passed, n;
    double floor;
    int64_t want; /* 0: absent */
} rows[] = {
    {21, 24, 0.8, 88},
    {20, 24, 0.8, 414},
    {22, 24, 0.8, 44},
    {23, 24, 0.8, 22},
    {24, 24, 0.8, 14},
    {1, 1, 0.8, 14},
    {7, 8, 0.8, 88},
    {5, 6, 0.8, 414},
    {86, 96, 0.85, 182},
    {41, 50, 0.8, 1122},
    {2, 2, 0.99, 299},
    {3, 4, 0.5, 16},
    {9, 10, 0.85, 150},
    /* the share is not above the floor */
    {19, 24, 0.8, 0},
    {4, 5, 0.8, 0},
    {0, 5, 0.8, 0},
    /* one in a million above it */
    {500001, 1000000, 0.5, 0},
};

static void cases_needed_are_those_of_counting_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_maybe_int got = pp_cases_needed(rows[i].passed, rows[i].n, rows[i].floor, 0.95);

        if (got.known != (rows[i].want > 0) || got.value != rows[i].want)
            fail_msg("%lld of %lld at %g: expected %lld, got %lld", (long long)rows[i].passed,
                     (long long)rows[i].n, rows[i].floor, (long long)rows[i].want,
                     (long long)got.value);
    }
}

#define COUNTED 1500

/* Counting up one by one, which the search does not do. */
static int64_t by_counting(const pp_maybe_int *needed, int64_t passed, int64_t n)
{
    for (int64_t cases = 1; cases <= COUNTED; cases++) {
        if (needed[cases].known && passed * cases / n >= needed[cases].value)
            return cases;
    }
    return 0;
}

static void check_shares(const pp_maybe_int *needed, int64_t n, double floor)
{
    for (int64_t passed = 0; passed <= n; passed++) {
        int64_t want = by_counting(needed, passed, n);
        pp_maybe_int got = pp_cases_needed(passed, n, floor, 0.95);

        if ((double)passed / (double)n <= floor)
            assert_false(got.known);
        else if (want > 0 ? got.value != want : got.known && got.value <= COUNTED)
            fail_msg("%lld of %lld at %g: expected %lld, got %lld", (long long)passed, (long long)n,
                     floor, (long long)want, (long long)got.value);
    }
}

static void the_search_skips_no_number_of_cases(void **state)
{
    static const double some[] = {0.5, 0.8, 0.95};
    static pp_maybe_int needed[COUNTED + 1];

    (void)state;
    for (size_t f = 0; f < PP_COUNT_OF(some); f++) {
        for (int64_t cases = 1; cases <= COUNTED; cases++)
            needed[cases] = pp_passes_needed(cases, some[f], 0.95);
        for (int64_t n = 1; n <= 41; n += 4)
            check_shares(needed, n, some[f]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_clopper_and_pearsons),
        cmocka_unit_test(ends_have_the_stated_tail),
        cmocka_unit_test(a_floor_of_80_percent_needs_the_published_passes),
        cmocka_unit_test(high_floors_need_many_cases),
        cmocka_unit_test(cases_needed_are_those_of_counting_up),
        cmocka_unit_test(the_search_skips_no_number_of_cases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
