#include "capacity/slo_sequential.h"

#include <stdlib.h>

#include "base/clock.h"
#include "shared.h"
#include "stats/random.h"

#define MAX 2000

static pp_sample samples[MAX];
static const pp_sample *order[MAX];

static pp_slo p95 = {PP_SLO_PERCENTILE,   PP_METRIC_TTFT, 95, 2 * PP_NS_PER_S, 0,
                     {"ttft.p95<=2s", 12}};
static pp_slo p99 = {PP_SLO_PERCENTILE,   PP_METRIC_TTFT, 99, 2 * PP_NS_PER_S, 0,
                     {"ttft.p99<=2s", 12}};

static void set(size_t i, bool over)
{
    samples[i] = (pp_sample){
        .id = {.phase = PP_PHASE_MEASURED, .index = (int64_t)i + 1},
        .ttft_ns = pp_known_int(over ? 3 * PP_NS_PER_S : PP_NS_PER_S),
        .e2e_ns = pp_known_int(4 * PP_NS_PER_S),
        .stream_end_ns = 4 * PP_NS_PER_S,
    };
    order[i] = &samples[i];
}

/* One letter for each request: . met, x over the limit, f failed, c cut in time, - no measure. */
static size_t set_all(const char *letters, size_t clean_behind)
{
    size_t n = 0;

    for (; letters[n] != '\0'; n++) {
        set(n, letters[n] == 'x');
        if (letters[n] == 'f')
            samples[n].failure = PP_FAILURE_RESET;
        if (letters[n] == 'c') {
            samples[n].failure = PP_FAILURE_CUT;
            samples[n].ttft_ns = (pp_maybe_int){0};
            samples[n].stream_end_ns = PP_NS_PER_S;
        }
        if (letters[n] == '-')
            samples[n].ttft_ns = (pp_maybe_int){0};
    }
    while (clean_behind-- > 0)
        set(n++, false);
    return n;
}

static pp_slo_result judge(const pp_slo *slo, size_t n)
{
    pp_slo_result result;
    pp_error err = {0};

    assert_ok(pp_slo_judge_sequential(slo, order, n, 0, false, &result, &err), err);
    return result;
}

/* Steps of Wald: a met demand adds ln((1-good)/(1-bad)), a violation ln(good/bad) = ln(0.2) =
 * -1.6094; accepted at ln(19) = 2.9444, rejected at -2.9444. For p95 a met one adds 0.04124, so 72
 * are accepted; for p99 ln(0.998/0.99) = 0.008048, so 366. Each violation costs 1.6094 / 0.04124 =
 * 39.03 more. */
static const struct {
    const char *name;
    const pp_slo *slo;
    const char *letters;
    size_t clean_behind;
    pp_slo_verdict want;
    pp_slo_reason reason;
    int64_t counted, over;
} rows[] = {
    {"72 met are accepted", &p95, "", 200, PP_SLO_PASS, PP_SLO_REASON_NONE, 72, 0},
    {"71 are not", &p95, "", 71, PP_SLO_UNDECIDED, PP_SLO_REASON_TOO_FEW, 71, 0},
    {"one violation: (2.9444 + 1.6094) / 0.04124 = 110.4 met ones", &p95, "x", 200, PP_SLO_PASS,
     PP_SLO_REASON_NONE, 112, 1},
    {"two violations at once are rejected", &p95, "xx", 200, PP_SLO_FAIL, PP_SLO_REASON_NONE, 2, 2},
    {"one is not", &p95, "x", 0, PP_SLO_UNDECIDED, PP_SLO_REASON_TOO_FEW, 1, 1},
    {"a failure is a violation", &p95, "ff", 10, PP_SLO_FAIL, PP_SLO_REASON_NONE, 2, 2},
    {"what has no measure is no request", &p95, "-----", 72, PP_SLO_PASS, PP_SLO_REASON_NONE, 72,
     0},
    {"behind a cut one nothing is known", &p95, "c", 200, PP_SLO_UNDECIDED,
     PP_SLO_REASON_NO_REQUESTS, 0, 0},
    {"what comes behind the decision does not count", &p95, "xxxxxxxx", 0, PP_SLO_FAIL,
     PP_SLO_REASON_NONE, 2, 2},
    {"p99 wants 366", &p99, "", 400, PP_SLO_PASS, PP_SLO_REASON_NONE, 366, 0},
    {"p99, 365", &p99, "", 365, PP_SLO_UNDECIDED, PP_SLO_REASON_TOO_FEW, 365, 0},
    {"no requests", &p95, "", 0, PP_SLO_UNDECIDED, PP_SLO_REASON_NO_REQUESTS, 0, 0},
};

static void a_sequence_ends_with_its_decision(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_slo_result r = judge(rows[i].slo, set_all(rows[i].letters, rows[i].clean_behind));

        print_message("# %s\n", rows[i].name);
        assert_int_equal(r.verdict, rows[i].want);
        assert_int_equal(r.reason, rows[i].reason);
        assert_int_equal(r.counted, rows[i].counted);
        assert_int_equal(r.violation_count, rows[i].over);
        assert_true(r.pass_error.known && r.pass_error.value == 0.05);
    }
}

/* Values that rise and fall slowly: each resembles the one before it. */
static void neighbours_that_resemble_each_other_decide_nothing(void **state)
{
    pp_slo_result r;

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        set(i, false);
        samples[i].ttft_ns = pp_known_int(1000000 * (int64_t)(i % 50));
    }
    r = judge(&p95, 100);
    assert_int_equal(r.verdict, PP_SLO_UNDECIDED);
    assert_int_equal(r.reason, PP_SLO_REASON_DEPENDENT);
    assert_true(r.is_dependent);
}

/* ---- while they end -------------------------------------------------------------------------- */

static void nothing_is_decided_over_the_head_of_a_slow_request(void **state)
{
    pp_arena arena = {0};
    pp_slo_watch watch;
    pp_error err = {0};

    (void)state;
    (void)set_all("x", 300); /* the first is slow, so it ends last */
    assert_ok(pp_slo_watch_init(&arena, &p95, 1, false, 301, &watch, &err), err);
    for (size_t i = 300; i >= 1; i--)
        assert_false(pp_slo_watch_add(&watch, &samples[i]));
    assert_true(pp_slo_watch_add(&watch, &samples[0]));
    assert_int_equal(watch.stand[0].counted, judge(&p95, 301).counted);
    pp_arena_done(&arena);
}

static void a_level_ends_when_one_is_rejected_or_all_are_accepted(void **state)
{
    const pp_slo both[] = {p95, {.kind = PP_SLO_ERROR_RATE}, p99};
    pp_arena arena = {0};
    pp_slo_watch watch;
    pp_error err = {0};
    int64_t ended = 0;

    (void)state;
    (void)set_all("", 400);
    assert_ok(pp_slo_watch_init(&arena, both, 3, false, 400, &watch, &err), err);
    while (!pp_slo_watch_add(&watch, &samples[ended]))
        ended++;
    assert_int_equal(ended + 1, 366); /* p95 was accepted after 72, and waited for p99 */
    assert_int_equal(watch.stand[0].counted, 72);
    (void)set_all("xx", 100);
    assert_ok(pp_slo_watch_init(&arena, both, 3, false, 400, &watch, &err), err);
    assert_false(pp_slo_watch_add(&watch, &samples[0]));
    assert_true(pp_slo_watch_add(&watch, &samples[1]));
    pp_arena_done(&arena);
}

static void a_request_beyond_the_declared_number_is_none(void **state)
{
    pp_arena arena = {0};
    pp_slo_watch watch;
    pp_error err = {0};

    (void)state;
    (void)set_all("xxxx", 0);
    assert_ok(pp_slo_watch_init(&arena, &p95, 1, false, 1, &watch, &err), err);
    assert_false(pp_slo_watch_add(&watch, &samples[0]));
    for (size_t i = 1; i < 4; i++)
        assert_false(pp_slo_watch_add(&watch, &samples[i]));
    pp_arena_done(&arena);
}

/* ---- servers of a known share ---------------------------------------------------------------- */

/* With L the chance of acceptance and overshoots below one step, Wald's identity gives the mean
 * number of requests: E[N] E[step] = L (2.944 + o) - (1 - L) (2.944 + u), 0 <= o <= 0.041, 0 <= u
 * <= 1.609. Chances: at most 0.05 / 0.95 = 0.0526 wrong ones on either side. Bounds have a margin
 * of some 4 standard errors of 2,000 runs. */
static const struct {
    const char *name;
    double share;
    double accepted_min, accepted_max;
    double mean_min, mean_max;
} servers[] = {
    {"no violation", 0, 1, 1, 72, 72},
    {"the good share: step 0.02473, L >= 0.947", 0.01, 0.93, 1, 95, 130},
    {"the bad share: step -0.04129, L <= 0.0526", 0.05, 0, 0.075, 55, 110},
    {"a fifth: step -0.2889, L about 0", 0.20, 0, 0.005, 10.1, 16.5},
};

static void a_server_of_a_known_share_is_judged_as_stated(void **state)
{
    const int runs = 2000;

    (void)state;
    (void)set_all("", MAX);
    for (size_t i = 0; i < PP_COUNT_OF(servers); i++) {
        uint64_t random = 20 + i;
        double accepted = 0, counted = 0;

        for (int run = 0; run < runs; run++) {
            pp_slo_result r;

            for (size_t k = 0; k < MAX; k++)
                samples[k].ttft_ns.value =
                    (pp_random_uniform(&random) < servers[i].share ? 3 : 1) * PP_NS_PER_S;
            r = judge(&p95, MAX);
            assert_true(r.is_dependent || r.verdict != PP_SLO_UNDECIDED);
            accepted += pp_sprt_ask(&(pp_sprt){0.01, 0.05, 0.05, 0.05}, r.counted,
                                    r.violation_count) == PP_SPRT_ACCEPT;
            counted += (double)r.counted;
        }
        print_message("# %s: accepted %.4f, mean %.1f\n", servers[i].name, accepted / runs,
                      counted / runs);
        assert_true(accepted / runs >= servers[i].accepted_min);
        assert_true(accepted / runs <= servers[i].accepted_max);
        assert_true(counted / runs >= servers[i].mean_min);
        assert_true(counted / runs <= servers[i].mean_max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_ends_with_its_decision),
        cmocka_unit_test(neighbours_that_resemble_each_other_decide_nothing),
        cmocka_unit_test(nothing_is_decided_over_the_head_of_a_slow_request),
        cmocka_unit_test(a_level_ends_when_one_is_rejected_or_all_are_accepted),
        cmocka_unit_test(a_request_beyond_the_declared_number_is_none),
        cmocka_unit_test(a_server_of_a_known_share_is_judged_as_stated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
