/* Curves whose knee is known by algebra. */
#include <math.h>

#include "capacity/saturation.h"
#include "shared.h"

static double law(double n, double lambda, double sigma, double kappa)
{
    return n * lambda / (1 + sigma * (n - 1) + kappa * n * (n - 1));
}

static void assert_near(const char *name, double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s: expected %.12g, got %.12g", name, want, got);
}

/* (1 - sigma) / kappa = 81: the knee is 9, lambda 3, for any levels. */
static void the_curve_is_found_again(void **state)
{
    const double clients[] = {1, 2, 4, 8, 16, 32};
    pp_saturation_point points[6];
    pp_saturation s;
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        points[i] = (pp_saturation_point){clients[i], law(clients[i], 3, .19, .01)};
    assert_ok(pp_saturation_of(points, 6, &s, &err), err);
    assert_true(s.curve.fitted && s.curve.state == PP_KNEE_KNOWN);
    assert_near("lambda", s.curve.lambda, 3, 1e-9);
    assert_near("sigma", s.curve.sigma, .19, 1e-9);
    assert_near("kappa", s.curve.kappa, .01, 1e-9);
    assert_near("knee", s.curve.knee_clients, 9, 1e-9);
    assert_near("low", s.curve.knee_low, 9, 1e-6); /* without noise nothing is uncertain */
    assert_near("high", s.curve.knee_high, 9, 1e-6);
    assert_true(s.curve.error_percent_max < 1e-9);
    assert_int_equal(s.peak_level, 3);
}

/* Deviations of 2 % in turn: the interval must hold the true knee and be no point. */
static void noise_widens_the_interval(void **state)
{
    const double clients[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    pp_saturation_point points[10];
    pp_saturation s;
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < 10; i++)
        points[i] = (pp_saturation_point){clients[i],
                                          law(clients[i], 3, .19, .01) * (i % 2 == 0 ? 1.02 : .98)};
    assert_ok(pp_saturation_of(points, 10, &s, &err), err);
    assert_int_equal(s.curve.state, PP_KNEE_KNOWN);
    assert_true(s.curve.knee_low < 9 && s.curve.knee_high > 9);
    assert_true(s.curve.knee_high / s.curve.knee_low > 1.01);
    assert_true(s.curve.knee_low < s.curve.knee_clients &&
                s.curve.knee_clients < s.curve.knee_high);
    assert_true(s.curve.error_percent_max > .5 && s.curve.error_percent_max < 5);
}

static const struct {
    const char *name;
    pp_saturation_point points[6];
    size_t n;
    int64_t gain, near; /* -1: none */
    size_t peak;
    pp_knee_state state;
} rows[] = {
    /* 0.84 -> 0.92 is +9.5 %, yet it goes on rising; N/X grows by .98, .91, .89, .87 for each
     * client more, so no curve through it turns down */
    {"two honest definitions give 2 and 8",
     {{1, .84}, {2, .92}, {4, 1.0}, {8, 1.06}, {16, 1.1}},
     5,
     1,
     3,
     4,
     PP_KNEE_NO_MAXIMUM},
    {"linear", {{1, 1}, {2, 2}, {4, 4}, {8, 8}}, 4, -1, 3, 3, PP_KNEE_NO_MAXIMUM},
    {"exactly 10 % more is enough",
     {{1, 10}, {2, 11}, {3, 12.1}},
     3,
     -1,
     2,
     2,
     PP_KNEE_TOO_FEW_LEVELS},
    {"exactly 5 % below is near", {{1, 50}, {2, 95}, {3, 100}}, 3, 2, 1, 2, PP_KNEE_TOO_FEW_LEVELS},
    {"one level", {{1, 5}}, 1, -1, 0, 0, PP_KNEE_TOO_FEW_LEVELS},
    {"falls from the start", {{1, 8}, {2, 6}, {4, 4}, {8, 2}}, 4, 1, 0, 0, PP_KNEE_OUTSIDE},
    {"equal peaks", {{1, 3}, {2, 7}, {4, 7}, {8, 6}}, 4, 2, 1, 1, PP_KNEE_KNOWN},
    /* 1, 2, 4 alone rise all the way */
    {"hangs on one level", {{1, 1}, {2, 2}, {4, 4}, {8, 5}}, 4, -1, 3, 3, PP_KNEE_NOT_STABLE},
};

static void the_rules_stand_side_by_side(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_saturation s;
        pp_error err = {0};

        assert_ok(pp_saturation_of(rows[i].points, rows[i].n, &s, &err), err);
        if ((s.gain_level.known ? s.gain_level.value : -1) != rows[i].gain ||
            (s.near_level.known ? s.near_level.value : -1) != rows[i].near ||
            s.peak_level != rows[i].peak || s.curve.state != rows[i].state)
            fail_msg("%s: gain %lld, near %lld, peak %zu, knee %s", rows[i].name,
                     (long long)(s.gain_level.known ? s.gain_level.value : -1),
                     (long long)(s.near_level.known ? s.near_level.value : -1), s.peak_level,
                     pp_knee_state_name(s.curve.state));
        if (s.curve.state != PP_KNEE_KNOWN)
            assert_true(s.curve.knee_clients == 0 && s.curve.knee_high == 0);
    }
}

/* Computed with exact fractions and Cramer's rule instead of rotations. */
static void the_interval_equals_an_independent_one(void **state)
{
    const pp_saturation_point points[] = {{1, 3}, {2, 7}, {4, 7}, {8, 6}};
    pp_saturation s;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_saturation_of(points, 4, &s, &err), err);
    assert_near("lambda", s.curve.lambda, 3.2857142857142856, 1e-9);
    assert_near("knee", s.curve.knee_clients, 3.8138503569823694, 1e-9);
    assert_near("low", s.curve.knee_low, 1.3020755538170437, 1e-9);
    assert_near("high", s.curve.knee_high, 11.170975833786636, 1e-9);
}

static void what_is_no_sweep_is_refused(void **state)
{
    const pp_saturation_point twice[] = {{1, 1}, {1, 2}};
    const pp_saturation_point nothing[] = {{1, 0}};
    const pp_saturation_point half[] = {{.5, 1}};
    pp_saturation s;
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_saturation_of(twice, 2, &s, &err), PP_ERR_RANGE);
    assert_contains(err.text, "level 2 of 1 clients");
    assert_int_equal(pp_saturation_of(nothing, 1, &s, &err), PP_ERR_RANGE);
    assert_int_equal(pp_saturation_of(half, 1, &s, &err), PP_ERR_RANGE);
    assert_int_equal(pp_saturation_of(half, 0, &s, &err), PP_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curve_is_found_again),
        cmocka_unit_test(noise_widens_the_interval),
        cmocka_unit_test(the_rules_stand_side_by_side),
        cmocka_unit_test(the_interval_equals_an_independent_one),
        cmocka_unit_test(what_is_no_sweep_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
