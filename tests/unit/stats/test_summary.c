#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"
#include "stats/close.h"
#include "stats/percentile.h"
#include "stats/summary.h"
#include "json/json.h"

static void assert_same(const char *name, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) != 0)
        fail_msg("%s: expected %.17g, got %.17g", name, want, got);
}

static const struct {
    const char *name;
    double sorted_ms[4];
    size_t n;
    double pct;
    pp_status want_status;
    double want_ms;
} percentiles[] = {
    {"p50 averages an even middle", {1, 2, 4, 9}, 4, 50, PP_OK, 3},
    {"p51 does not average", {1, 2, 4, 9}, 4, 51, PP_OK, 4},
    {"p95 of four is the maximum", {1, 2, 4, 9}, 4, 95, PP_OK, 9},
    {"p100 is the maximum", {1, 2, 4, 9}, 4, 100, PP_OK, 9},
    {"a tiny percentile is the minimum", {1, 2, 4, 9}, 4, 1e-300, PP_OK, 1},
    {"no samples is refused", {0}, 0, 95, PP_ERR_RANGE, 0},
    {"p0 is refused", {1}, 1, 0, PP_ERR_RANGE, 0},
    {"above 100 is refused", {1}, 1, 100.5, PP_ERR_RANGE, 0},
    {"NaN is refused", {1}, 1, NAN, PP_ERR_RANGE, 0},
};

static void percentile_follows_nearest_rank(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(percentiles); i++) {
        pp_error err = {0};
        double got = -1;
        pp_status st = pp_percentile(percentiles[i].sorted_ms, percentiles[i].n, percentiles[i].pct,
                                     &got, &err);

        if (st != percentiles[i].want_status)
            fail_msg("%s: status %s", percentiles[i].name, pp_status_name(st));
        if (st == PP_OK)
            assert_same(percentiles[i].name, got, percentiles[i].want_ms);
    }
}

/* Exact values: the first three are published; the others follow from algebra: [a, b] has the
 * deviation |a-b|/sqrt(2), and a shift by a constant changes nothing. */
static const struct {
    const char *name;
    double values[3];
    size_t n;
    double want;
} deviations[] = {
    {"large offset", {100000001, 100000002, 100000004}, 3, 1.5275252316519468},
    {"plain", {35.2227, 33.8116, 34.5}, 3, 0.705619474882416},
    {"subnormal", {1e-320, 2e-320}, 2, 7.07e-321},
    {"one sample", {5}, 1, 0.0},
    {"all equal", {0.1, 0.1, 0.1}, 3, 0.0},
    {"whole root", {-1, 0, 1}, 3, 1.0},
    {"huge", {0x1p1023, 0, -0x1p1023}, 3, 0x1p1023},
    {"smallest steps", {-0x1p-1074, 0, 0x1p-1074}, 3, 0x1p-1074},
};

static void deviation_is_correctly_rounded(void **state)
{
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(deviations); i++) {
        double got;

        assert_ok(pp_sample_stdev(deviations[i].values, deviations[i].n, &got, &err), err);
        assert_same(deviations[i].name, got, deviations[i].want);
    }
}

static void sums_are_exact(void **state)
{
    const double tenths[10] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
    const double cancel[] = {1e308, 1.0, 1e308, -1e308, -1e308, 0x1p-1074};
    const double tie[] = {0x1p53, 1.0};
    const double above_tie[] = {0x1p53, 1.0, 0x1p-1074};
    const double two_max[] = {DBL_MAX, DBL_MAX};
    const double infinite[] = {INFINITY};
    pp_error err = {0};
    double sum;

    (void)state;
    assert_ok(pp_exact_sum(tenths, 10, &sum, &err), err);
    assert_same("ten tenths", sum, 1.0);
    assert_ok(pp_exact_sum(cancel, 6, &sum, &err), err);
    assert_same("what is left after cancelling", sum, 1.0);
    assert_ok(pp_exact_sum(tie, 2, &sum, &err), err);
    assert_same("a tie goes to even", sum, 0x1p53);
    assert_ok(pp_exact_sum(above_tie, 3, &sum, &err), err);
    assert_same("a trace above a tie goes up", sum, 0x1p53 + 2);
    assert_int_equal(pp_exact_sum(two_max, 2, &sum, &err), PP_ERR_RANGE);
    assert_int_equal(pp_exact_sum(infinite, 1, &sum, &err), PP_ERR_RANGE);
}

static void closeness_is_relative_to_either_side(void **state)
{
    (void)state;
    assert_true(pp_close(1.0, 1.0 + 0.9e-9, 1e-9, 0));
    assert_false(pp_close(1.0, 1.0 + 1.1e-9, 1e-9, 0));
    assert_false(pp_close(0.0, 1e-15, 1e-9, 0));
    assert_true(pp_close(0.0, 1e-12, 1e-9, 1e-12));
    assert_false(pp_close(INFINITY, 1.0, 1e-9, 1e-12));
    assert_true(pp_close(-0.0, 0.0, 0, 0));
}

static void check_list(const pp_json *row, size_t number)
{
    static const struct {
        const char *key;
        double pct;
    } keys[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}};
    const pp_json *list = pp_json_find(row, "values");
    size_t n = list->array.count;
    double *values = malloc(n * sizeof *values);
    pp_summary s;
    pp_error err = {0};
    double want, got;

    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        assert_ok(pp_json_get_number(list->array.items[i], &values[i], &err), err);
    assert_ok(pp_summary_of(values, n, &s, &err), err);
    pp_samples_sort(values, n);
    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        assert_ok(pp_percentile(values, n, keys[i].pct, &got, &err), err);
        assert_ok(pp_json_member_number(row, keys[i].key, &want, &err), err);
        if (got != want)
            fail_msg("list %zu, %s: expected %.17g, got %.17g", number, keys[i].key, want, got);
    }
    assert_ok(pp_json_member_number(row, "mean", &want, &err), err);
    if (s.mean != want)
        fail_msg("list %zu, mean: expected %.17g, got %.17g", number, want, s.mean);
    assert_ok(pp_json_member_number(row, "sample_stdev", &want, &err), err);
    if (s.sample_stdev != want)
        fail_msg("list %zu, deviation: expected %.17g, got %.17g", number, want, s.sample_stdev);
    assert_ok(pp_json_member_number(row, "min", &want, &err), err);
    assert_true(s.min == want);
    assert_ok(pp_json_member_number(row, "max", &want, &err), err);
    assert_true(s.max == want);
    assert_true(s.sample_count == n);
    free(values);
}

static void figures_equal_the_recorded_ones(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *path = shared_path_or_skip(&arena, "original/cases/percentiles.json");
    const pp_json *root, *lists, *ranks;

    (void)state;
    assert_ok(pp_json_read_file(&arena, path, NULL, &root, &err), err);
    lists = pp_json_find(root, "samples");
    for (size_t i = 0; i < lists->array.count; i++)
        check_list(lists->array.items[i], i);
    assert_int_equal(lists->array.count, 350);
    ranks = pp_json_find(root, "ranks_for_n_1_to_300");
    for (size_t i = 0; i < ranks->object.count; i++) {
        double pct = strtod(ranks->object.members[i].key.data, NULL);
        const pp_json *list = ranks->object.members[i].value;

        for (size_t n = 1; n <= list->array.count; n++)
            assert_int_equal(pp_percentile_rank(n, pct), list->array.items[n - 1]->integer);
    }
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentile_follows_nearest_rank),
        cmocka_unit_test(deviation_is_correctly_rounded),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(closeness_is_relative_to_either_side),
        cmocka_unit_test(figures_equal_the_recorded_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
