#include "shared.h"
#include "sim/random.h"
#include "sim/service.h"

#include <math.h>

#define MS ((int64_t)1000000)

static void prefill_is_a_product(void **state)
{
    const pp_sim_service s = {.prefill_ns = 200000};

    (void)state;
    assert_int_equal(pp_sim_prefill_ns(&s, 0), 0);
    assert_int_equal(pp_sim_prefill_ns(&s, 1), 200000);
    assert_int_equal(pp_sim_prefill_ns(&s, 512), 512 * 200000);
}

static void without_jitter_each_step_takes_the_declared_time(void **state)
{
    const pp_sim_service s = {.token_ns = 20 * MS};

    (void)state;
    for (int64_t step = 2; step < 100; step++)
        assert_int_equal(pp_sim_step_ns(&s, 7, step), 20 * MS);
}

/* Mean 1, and deviation as each distribution has it: p / sqrt(3), p, 1, sqrt(exp(s^2) - 1). */
static const struct {
    const char *text;
    double want_deviation;
} jitters[] = {
    {"uniform:0.5", 0.5 / 1.7320508075688772},
    {"normal:0.2", 0.2},
    {"exponential", 1.0},
    {"lognormal:0.5", 0.53294}, /* sqrt(exp(0.25) - 1) */
};

static void jitter_has_mean_one_and_the_deviation_of_its_kind(void **state)
{
    const int n = 40000;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(jitters); i++) {
        pp_sim_service s = {.token_ns = 20 * MS, .seed = 3};
        pp_error err = {0};
        double sum = 0, squares = 0, mean, deviation;

        assert_ok(pp_sim_jitter_parse(jitters[i].text, &s, &err), err);
        for (int k = 0; k < n; k++) {
            double x = (double)pp_sim_step_ns(&s, (uint64_t)(k / 100), k % 100 + 2) / (20.0 * MS);

            assert_true(x >= 0);
            sum += x;
            squares += x * x;
        }
        mean = sum / n;
        deviation = sqrt(squares / n - mean * mean);
        /* 4 standard errors of the mean; 5 % of the deviation */
        if (fabs(mean - 1) > 4 * jitters[i].want_deviation / sqrt(n) ||
            fabs(deviation - jitters[i].want_deviation) > 0.05 * jitters[i].want_deviation)
            fail_msg("%s: mean %g, deviation %g", jitters[i].text, mean, deviation);
    }
}

static void the_seed_and_the_request_choose_the_jitter(void **state)
{
    pp_sim_service a = {.token_ns = 20 * MS, .jitter = PP_SIM_JITTER_EXPONENTIAL, .seed = 1};
    pp_sim_service b = a;

    (void)state;
    assert_int_equal(pp_sim_step_ns(&a, 5, 9), pp_sim_step_ns(&b, 5, 9));
    assert_int_not_equal(pp_sim_step_ns(&a, 5, 9), pp_sim_step_ns(&a, 6, 9));
    assert_int_not_equal(pp_sim_step_ns(&a, 5, 9), pp_sim_step_ns(&a, 5, 10));
    b.seed = 2;
    assert_int_not_equal(pp_sim_step_ns(&a, 5, 9), pp_sim_step_ns(&b, 5, 9));
}

/* With chance p and k drafts the mean is p + p^2 + ... + p^k. */
static void accepted_drafts_are_a_run_of_successes(void **state)
{
    const pp_sim_service s = {.seed = 1, .draft_tokens = 4};
    const double p = 0.7, want = p + p * p + p * p * p + p * p * p * p;
    const int n = 20000;
    double sum = 0;

    (void)state;
    for (int i = 0; i < n; i++) {
        int64_t accepted = pp_sim_accepted(&s, p, (uint64_t)(i / 50), i % 50 + 2);

        assert_in_range(accepted, 0, 4);
        sum += (double)accepted;
    }
    if (fabs(sum / n - want) > 0.05)
        fail_msg("mean %g, expected %g", sum / n, want);
    assert_int_equal(pp_sim_accepted(&s, 0, 1, 2), 0);
    assert_int_equal(pp_sim_accepted(&s, 1, 1, 2), 4);
}

static const struct {
    const char *name;
    int64_t from_ms, work_ms, want_ms; /* stalls: 100 to 150, 200 to 300 */
} stalls[] = {
    {"before all", 0, 50, 50},
    {"ends where the stall begins, and waits for its end", 0, 100, 150},
    {"through one", 50, 100, 200 + 100},
    {"just short of the second", 50, 99, 199},
    {"through both", 50, 200, 400},
    {"begins inside one", 120, 10, 160},
    {"no work inside one", 120, 0, 150},
    {"after all", 300, 7, 307},
};

static void work_stands_still_in_a_stall(void **state)
{
    pp_sim_service s = {0};
    pp_error err = {0};
    const int64_t zero_ns = 1000 * MS;

    (void)state;
    assert_ok(pp_sim_stall_parse("100ms:50ms", &s, &err), err);
    assert_ok(pp_sim_stall_parse("200ms:100ms", &s, &err), err);
    for (size_t i = 0; i < PP_COUNT_OF(stalls); i++) {
        int64_t got = pp_sim_done_at_ns(&s, zero_ns, zero_ns + stalls[i].from_ms * MS,
                                        stalls[i].work_ms * MS);

        if (got != zero_ns + stalls[i].want_ms * MS)
            fail_msg("%s: got %g ms", stalls[i].name, (double)(got - zero_ns) / (double)MS);
    }
}

static void what_is_no_value_is_refused(void **state)
{
    static const char *const bad_jitters[] = {
        "", "none:1", "uniform", "uniform:", "uniform:2", "normal:-1", "exponential:1", "gauss:1"};
    static const char *const bad_speculations[] = {"", "1.1", "0.5/", "0.5/0", "0.5/65", "x"};
    static const char *const bad_stalls[] = {"", "1s", "1s:", ":1s", "1:1", "0s:1s"};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(bad_jitters); i++) {
        pp_sim_service s = {0};
        pp_error err = {0};

        assert_int_equal(pp_sim_jitter_parse(bad_jitters[i], &s, &err), PP_ERR_USAGE);
        assert_contains(err.text, "--jitter");
    }
    for (size_t i = 0; i < PP_COUNT_OF(bad_speculations); i++) {
        pp_sim_service s = {0};
        pp_error err = {0};

        assert_int_equal(pp_sim_speculation_parse(bad_speculations[i], &s, &err), PP_ERR_USAGE);
        assert_contains(err.text, "--speculation");
    }
    for (size_t i = 0; i < PP_COUNT_OF(bad_stalls); i++) {
        pp_sim_service s = {0};
        pp_error err = {0};

        assert_ok(pp_sim_stall_parse("0s:2s", &s, &err), err);
        assert_int_equal(pp_sim_stall_parse(bad_stalls[i], &s, &err), PP_ERR_USAGE);
        assert_contains(err.text, "--stall");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefill_is_a_product),
        cmocka_unit_test(without_jitter_each_step_takes_the_declared_time),
        cmocka_unit_test(jitter_has_mean_one_and_the_deviation_of_its_kind),
        cmocka_unit_test(the_seed_and_the_request_choose_the_jitter),
        cmocka_unit_test(accepted_drafts_are_a_run_of_successes),
        cmocka_unit_test(work_stands_still_in_a_stall),
        cmocka_unit_test(what_is_no_value_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
