#include "load/lengths.h"

#include <math.h>
#include <string.h>

#include "shared.h"
#include "stats/random.h"

static void forms_are_read_or_refused(void **state)
{
    static const struct {
        const char *text;
        pp_status want;
        pp_lengths lengths;
    } rows[] = {
        {"64", PP_OK, {PP_LENGTHS_FIXED, 64, 64, 0, 0}},
        {"0", PP_OK, {PP_LENGTHS_FIXED, 0, 0, 0, 0}},
        {"uniform:32..128", PP_OK, {PP_LENGTHS_UNIFORM, 32, 128, 0, 0}},
        {"uniform:5..5", PP_OK, {PP_LENGTHS_UNIFORM, 5, 5, 0, 0}},
        {"normal:100,20", PP_OK, {PP_LENGTHS_NORMAL, 0, 0, 100, 20}},
        {"normal:10.5,0", PP_OK, {PP_LENGTHS_NORMAL, 0, 0, 10.5, 0}},
        {"uniform:0..5", PP_ERR_USAGE, {0}},
        {"uniform:9..5", PP_ERR_RANGE, {0}},
        {"uniform:5", PP_ERR_USAGE, {0}},
        {"normal:0.5,1", PP_ERR_RANGE, {0}},
        {"normal:10", PP_ERR_USAGE, {0}},
        {"normal:10,-1", PP_ERR_RANGE, {0}},
        {"normal:nan,1", PP_ERR_RANGE, {0}},
        {"normal:1e3,1", PP_ERR_RANGE, {0}},
        {"poisson:3", PP_ERR_USAGE, {0}},
        {"", PP_ERR_USAGE, {0}},
        {"-1", PP_ERR_USAGE, {0}},
        {"64 ", PP_ERR_USAGE, {0}},
        {"2000000", PP_ERR_USAGE, {0}},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_lengths lengths = {0};
        pp_error err = {0};
        pp_status st = pp_lengths_parse(rows[r].text, "--output-tokens", &lengths, &err);

        if ((st == PP_OK) != (rows[r].want == PP_OK))
            fail_msg("'%s': %s '%s'", rows[r].text, pp_status_name(st), err.text);
        if (st != PP_OK) {
            assert_non_null(strstr(err.text, "--output-tokens"));
            continue;
        }
        assert_int_equal(lengths.kind, rows[r].lengths.kind);
        assert_true(lengths.low == rows[r].lengths.low && lengths.high == rows[r].lengths.high);
        assert_true(lengths.mean == rows[r].lengths.mean && lengths.sd == rows[r].lengths.sd);
    }
}

/* B098: mean 10, sd 20. A normal one cut at 1/2 has the mean mu + sd phi(a) / (1 - Phi(a)), with
 * a = (1/2 - mu) / sd: 20.4 here, to which rounding adds little. */
static void b098_a_normal_length_is_never_below_one(void **state)
{
    pp_lengths lengths = {.kind = PP_LENGTHS_NORMAL, .mean = 10, .sd = 20};
    double a = (0.5 - 10) / 20;
    double density = exp(-a * a / 2) / sqrt(2 * acos(-1.0));
    double want = 10 + 20 * density / (erfc(a / sqrt(2)) / 2);
    double sum = 0;

    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        int64_t drawn = pp_lengths_draw(&lengths, pp_random_stream(1, "test", i));

        assert_true(drawn >= 1);
        sum += (double)drawn;
    }
    assert_true(fabs(sum / 10000 - want) < 0.6); /* 4 standard errors of about 14 / 100 */
}

static void a_uniform_length_takes_each_value(void **state)
{
    pp_lengths lengths = {.kind = PP_LENGTHS_UNIFORM, .low = 3, .high = 6};
    size_t counts[8] = {0};

    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        int64_t drawn = pp_lengths_draw(&lengths, pp_random_stream(1, "test", i));

        assert_true(drawn >= 3 && drawn <= 6);
        counts[drawn]++;
    }
    for (size_t i = 3; i <= 6; i++) /* 2,500 +- 5 standard deviations of 43.3 */
        assert_true(counts[i] > 2283 && counts[i] < 2717);
    assert_true(pp_lengths_max(&lengths) == 6);
}

static void a_fixed_length_is_fixed(void **state)
{
    pp_lengths lengths = pp_lengths_fixed(7);

    (void)state;
    assert_true(pp_lengths_draw(&lengths, 1) == 7 && pp_lengths_draw(&lengths, 2) == 7);
    assert_true(pp_lengths_max(&lengths) == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_read_or_refused),
        cmocka_unit_test(b098_a_normal_length_is_never_below_one),
        cmocka_unit_test(a_uniform_length_takes_each_value),
        cmocka_unit_test(a_fixed_length_is_fixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
