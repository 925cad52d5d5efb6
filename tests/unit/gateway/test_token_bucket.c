/* Rates in whole numbers, against independent counting: in t seconds at most burst + floor(rate *
 * t) requests go, and exactly so many when somebody asks all the time. */
#include "gateway/token_bucket.h"

#include "base/clock.h"
#include "shared.h"

static void a_burst_goes_at_once_and_then_one_for_each_interval(void **state)
{
    pp_token_rate rate;
    pp_token_bucket b;

    (void)state;
    assert_true(pp_token_rate_of(5, 3, &rate));
    pp_token_bucket_init(&b, &rate, 1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pp_token_bucket_take(&b, &rate, 1000), 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 1000), 200 * PP_NS_PER_MS);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 1000 + 150 * PP_NS_PER_MS), 50 * PP_NS_PER_MS);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 999 + 200 * PP_NS_PER_MS), 1);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 1000 + 200 * PP_NS_PER_MS), 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 1000 + 200 * PP_NS_PER_MS),
                     200 * PP_NS_PER_MS);
}

/* Asking exactly at the instants that the bucket names, for rates that divide no second. */
static void nothing_drifts_over_many_tokens(void **state)
{
    static const struct {
        const char *name;
        double per_second;
        int64_t milli, burst;
    } rows[] = {
        {"3 per second, burst 2", 3, 3000, 2},
        {"7.7 per second, burst 10", 7.7, 7700, 10},
        {"one in 16 minutes", 0.001, 1, 2},
        {"999,983 per second", 999983, 999983000, 5},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const int64_t n = 100000;
        int64_t now_ns = 123456789, start_ns = now_ns, taken = 0;
        pp_token_rate rate;
        pp_token_bucket b;

        print_message("# %s\n", rows[i].name);
        assert_true(pp_token_rate_of(rows[i].per_second, rows[i].burst, &rate));
        assert_int_equal(rate.milli_per_second, rows[i].milli);
        pp_token_bucket_init(&b, &rate, now_ns);
        while (taken < n) {
            const int64_t wait_ns = pp_token_bucket_take(&b, &rate, now_ns);

            taken += wait_ns == 0;
            now_ns += wait_ns;
        }
        /* the n-th token came at the first whole nanosecond at which it was due */
        {
            const long double due_ns =
                (long double)(n - rows[i].burst) * 1e12L / (long double)rows[i].milli;
            const int64_t took_ns = now_ns - start_ns;

            assert_true((long double)took_ns >= due_ns);
            assert_true((long double)took_ns < due_ns + 1);
        }
    }
}

static void a_long_rest_fills_it_and_no_more(void **state)
{
    pp_token_rate rate;
    pp_token_bucket b;

    (void)state;
    assert_true(pp_token_rate_of(PP_TOKEN_RATE_MAX, PP_TOKEN_BURST_MAX, &rate));
    pp_token_bucket_init(&b, &rate, 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, 0), 0);
    assert_int_equal(pp_token_bucket_level(&b, &rate, INT64_MAX),
                     (int64_t)PP_TOKEN_BURST_MAX * 1000000000000);
    assert_true(pp_token_rate_of(1, 2, &rate));
    pp_token_bucket_init(&b, &rate, 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, INT64_MAX / 2), 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, INT64_MAX / 2), 0);
    assert_int_equal(pp_token_bucket_take(&b, &rate, INT64_MAX / 2), PP_NS_PER_S);
    /* a clock that goes back gives nothing and takes nothing */
    assert_int_equal(pp_token_bucket_take(&b, &rate, 5), PP_NS_PER_S);
    assert_int_equal(pp_token_bucket_take(&b, &rate, INT64_MAX / 2 + PP_NS_PER_S), 0);
}

static void rates_and_bursts_have_ranges(void **state)
{
    static const struct {
        double per_second;
        int64_t burst;
        bool want;
    } rows[] = {
        {1, 1, true},        {0.001, 1, true}, {1e6, 1000000, true},  {0, 1, false},
        {1e-9, 1, true},     {-1, 1, false},   {1e6 + 1, 1, false},   {1, 0, false},
        {1, 1000001, false}, {1, -5, false},   {0.0 / 0.0, 1, false}, {1.0 / 0.0, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_token_rate rate;

        if (pp_token_rate_of(rows[i].per_second, rows[i].burst, &rate) != rows[i].want)
            fail_msg("%g with %lld", rows[i].per_second, (long long)rows[i].burst);
    }
    {
        pp_token_rate rate;

        assert_true(pp_token_rate_of(1e-9, 1, &rate) && rate.milli_per_second == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_goes_at_once_and_then_one_for_each_interval),
        cmocka_unit_test(nothing_drifts_over_many_tokens),
        cmocka_unit_test(a_long_rest_fills_it_and_no_more),
        cmocka_unit_test(rates_and_bursts_have_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
