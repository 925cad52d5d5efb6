#include <math.h>
#include <stdlib.h>

#include "shared.h"
#include "stats/percentile.h"
#include "stats/percents.h"
#include "stats/serial.h"

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("expected %.17g, got %.17g", want, got);
}

static const struct {
    const char *text;
    size_t want_count; /* 0: refused */
    double want[4];
    const char *want_text;
} lists[] = {
    {"95", 1, {95}, NULL},
    {"50,50,95,95.0", 2, {50, 95}, NULL},
    {"99.90,99.9", 1, {99.9}, NULL},
    {"99,50,90", 3, {50, 90, 99}, NULL},
    {"100", 1, {100}, NULL},
    {"1", 1, {1}, NULL},
    {"0.95", 0, {0}, "0.95 is written 95"},
    {"p95", 0, {0}, "got 'p95'"},
    {"95%", 0, {0}, "got '95%'"},
    {"950", 0, {0}, "from 1 to 100"},
    {"101", 0, {0}, "from 1 to 100"},
    {"100.1", 0, {0}, "from 1 to 100"},
    {"0", 0, {0}, "from 1 to 100"},
    {"-1", 0, {0}, "got '-1'"},
    {"nan", 0, {0}, "got 'nan'"},
    {"inf", 0, {0}, "got 'inf'"},
    {"p()", 0, {0}, "got 'p()'"},
    {"p(100.1)", 0, {0}, "got 'p(100.1)'"},
    {"", 0, {0}, "got ''"},
    {"95,", 0, {0}, "got ''"},
    {"95,,99", 0, {0}, "got ''"},
    {" 95", 0, {0}, "got ' 95'"},
    {"9e1", 0, {0}, "got '9e1'"},
    {"95.", 0, {0}, "got '95.'"},
    {"00000000000000000000095", 0, {0}, "such as 95"},
    {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", 0, {0}, "more than 16"},
};

static void b082_b083_b085_b087_percentiles_are_written_in_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(lists); i++) {
        pp_percents got = {0};
        pp_error err = {0};
        pp_status st = pp_percents_parse(lists[i].text, "--percentiles", &got, &err);

        if (lists[i].want_count == 0) {
            assert_int_equal(st, PP_ERR_USAGE);
            assert_contains(err.text, lists[i].want_text);
            assert_int_equal(got.count, 0);
            continue;
        }
        assert_ok(st, err);
        assert_int_equal(got.count, lists[i].want_count);
        for (size_t j = 0; j < got.count; j++)
            assert_true(got.values[j] == lists[i].want[j]);
    }
}

static void failures_are_endless(void **state)
{
    const double sorted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, INFINITY};
    const double all_failed[] = {INFINITY, INFINITY};
    pp_tail tail = pp_tail_of(sorted, 10, 90);

    (void)state;
    assert_true(tail.rank == 9 && tail.value == 9 && !tail.is_endless && !tail.is_maximum);
    tail = pp_tail_of(sorted, 10, 95);
    assert_true(tail.rank == 10 && tail.is_endless && tail.is_maximum && tail.value == 0);
    tail = pp_tail_of(all_failed, 2, 50);
    assert_true(tail.is_endless && !isnan(tail.value));
    tail = pp_tail_of(sorted, 8, 95); /* p95 of 8 is the maximum */
    assert_true(tail.is_maximum && tail.value == 8);
    assert_false(pp_tail_of(sorted, 9, 50).is_maximum);
    assert_int_equal(pp_tail_of(sorted, 0, 50).rank, 0);
}

/* p50 <= p95 <= p99 <= max for lists that are not (F69, B081) */
static void b081_b096_tails_never_cross(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int run = 0; run < 300; run++) {
        double values[64];
        size_t n = 1 + (size_t)run % PP_COUNT_OF(values);
        double before = 0;

        for (size_t i = 0; i < n; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            values[i] = seed % 7 == 0 ? INFINITY : 1 + (double)(seed % 100);
        }
        pp_samples_sort(values, n);
        for (double percent = 1; percent <= 100; percent += .5) {
            pp_tail tail = pp_tail_of(values, n, percent);
            double now = tail.is_endless ? INFINITY : tail.value;

            assert_true(now >= before && now >= 1);
            before = now;
        }
        assert_true(before == values[n - 1]);
    }
}

/* 1 to 100,000 in any order: the value at rank n is n, up to the last (B080, F73). */
static void b080_the_tail_of_many_values_is_exact(void **state)
{
    enum { COUNT = 100000 };
    static const struct {
        double percent;
        double want;
    } rows[] = {{50, 50000}, {99, 99000}, {99.9, 99900}, {99.99, 99990}, {100, 100000}};
    double *values = malloc(COUNT * sizeof *values);

    (void)state;
    assert_non_null(values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)((i * 7919) % COUNT + 1); /* 7919 and 100,000 share no factor */
    pp_samples_sort(values, COUNT);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_true(pp_tail_of(values, COUNT, rows[i].percent).value == rows[i].want);
    assert_true(pp_tail_of(values, COUNT, 99.99).rank == 99990);
    free(values);
}

/* 20 -> 10.8 at 0.3 and 6.7 at 0.5 by the same formula; an alternating list is not dependent in the
 * sense that makes it worth less. */
static void neighbours_that_resemble_each_other_count_less(void **state)
{
    double blocks[40];
    double alternating[40];
    pp_serial serial;

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        blocks[i] = i < 20 ? 1 : 3; /* deviations -1 and 1: 39 products, one of them negative */
        alternating[i] = i % 2 == 0 ? 1 : 3;
    }
    serial = pp_serial_of(blocks, 40);
    assert_true(serial.lag1.known && serial.is_dependent);
    assert_near(serial.lag1.value, 37 / 40.);
    assert_near(serial.effective_count, 40 * (3 / 40.) / (77 / 40.));
    serial = pp_serial_of(alternating, 40);
    assert_near(serial.lag1.value, -39 / 40.);
    assert_true(!serial.is_dependent && serial.effective_count == 40);
    assert_false(pp_serial_of(blocks, 20).lag1.known); /* all equal */
    assert_false(pp_serial_of(alternating, 2).lag1.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b082_b083_b085_b087_percentiles_are_written_in_one_form),
        cmocka_unit_test(failures_are_endless),
        cmocka_unit_test(b080_the_tail_of_many_values_is_exact),
        cmocka_unit_test(b081_b096_tails_never_cross),
        cmocka_unit_test(neighbours_that_resemble_each_other_count_less),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
