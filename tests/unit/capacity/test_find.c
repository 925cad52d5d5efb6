/* Searches against servers whose limit is known. */
#include <math.h>

#include "capacity/find.h"
#include "shared.h"

typedef struct server {
    double passes_to, fails_from; /* between them nothing is decided */
} server;

static pp_slo_verdict ask(const server *s, double load)
{
    if (load <= s->passes_to)
        return PP_SLO_PASS;
    return load >= s->fails_from ? PP_SLO_FAIL : PP_SLO_UNDECIDED;
}

static pp_find_answer search(const pp_find_options *options, const server *s, size_t *ret_probes)
{
    pp_find_probe probes[PP_FIND_PROBES_MAX] = {{0}};
    pp_find_answer answer = pp_find_next(options, probes, 0);
    size_t n = 0;

    while (answer.end == PP_FIND_GOES_ON) {
        assert_true(answer.next >= options->min && answer.next <= options->max);
        for (size_t i = 0; i < n; i++)
            assert_true(probes[i].load != answer.next); /* nothing is asked twice */
        if (options->whole)
            assert_true(answer.next == floor(answer.next));
        probes[n] = (pp_find_probe){answer.next, ask(s, answer.next)};
        n++;
        answer = pp_find_next(options, probes, n);
    }
    *ret_probes = n;
    return answer;
}

static void rates_are_enclosed(void **state)
{
    (void)state;
    for (double limit = .01; limit < 1000; limit *= 1.37) {
        const server s = {limit, limit * (1 + 1e-12)};
        pp_find_options o = pp_find_options_default(false);
        size_t n;
        pp_find_answer a;

        o.probe_count_max = 40;
        a = search(&o, &s, &n);
        assert_int_equal(a.end, PP_FIND_RESOLVED);
        assert_true(a.highest_pass.value <= limit && a.lowest_fail.value > limit);
        assert_true(a.lowest_fail.value <= a.highest_pass.value * 1.1);
        assert_false(a.is_contradictory);
        assert_int_equal(a.undecided_count, 0);
        assert_true(n <= 10 + 2 + 4); /* to 1,024 or 1/1,024 by twos, then 2 to 1.1 by halves */
    }
}

static void clients_are_whole(void **state)
{
    (void)state;
    for (double limit = 1; limit < 200; limit++) {
        const server s = {limit, limit + 1};
        pp_find_options o = pp_find_options_default(true);
        size_t n;
        pp_find_answer a;

        o.resolution_ratio = 1.0001;
        o.probe_count_max = 40;
        a = search(&o, &s, &n);
        assert_int_equal(a.end, PP_FIND_RESOLVED);
        assert_true(a.highest_pass.value == limit && a.lowest_fail.value == limit + 1);
    }
}

static const struct {
    const char *name;
    server server;
    bool whole;
    int64_t probes;
    double max;
    pp_find_end want;
    bool has_pass, has_fail, has_undecided;
} ends[] = {
    {"undecided in the middle", {10, 14}, false, 40, 1e6, PP_FIND_UNDECIDED, true, true, true},
    {"undecided clients", {10, 14}, true, 40, 65536, PP_FIND_UNDECIDED, true, true, true},
    {"never fails", {1e9, 1e9}, false, 40, 100, PP_FIND_NEVER_FAILED, true, false, false},
    {"never passes", {0, 1e-9}, false, 40, 100, PP_FIND_NEVER_PASSED, false, true, false},
    {"never passes clients", {0, 1}, true, 40, 100, PP_FIND_NEVER_PASSED, false, true, false},
    {"never decides", {0, 1e9}, false, 40, 64, PP_FIND_UNDECIDED, false, false, true},
    {"probes spent", {777, 778}, false, 5, 1e6, PP_FIND_PROBES_SPENT, true, false, false},
    {"the first is undecided", {.5, 3}, false, 40, 1e6, PP_FIND_UNDECIDED, true, true, true},
};

static void every_search_ends_and_says_how(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(ends); i++) {
        pp_find_options o = pp_find_options_default(ends[i].whole);
        size_t n;
        pp_find_answer a;

        o.probe_count_max = ends[i].probes;
        o.max = ends[i].max;
        a = search(&o, &ends[i].server, &n);
        if (a.end != ends[i].want || a.highest_pass.known != ends[i].has_pass ||
            a.lowest_fail.known != ends[i].has_fail ||
            (a.undecided_count > 0) != ends[i].has_undecided)
            fail_msg("%s: %s after %zu, pass %g, fail %g, %zu undecided", ends[i].name,
                     pp_find_end_name(a.end), n, a.highest_pass.value, a.lowest_fail.value,
                     a.undecided_count);
        for (size_t j = 1; j < a.undecided_count; j++)
            assert_true(a.undecided[j] > a.undecided[j - 1]);
        assert_true((int64_t)n <= ends[i].probes);
    }
}

/* The undecided zone from 10 to 14 is closed in to within the resolution from both sides. */
static void the_undecided_zone_is_closed_in(void **state)
{
    const server s = {10, 14};
    pp_find_options o = pp_find_options_default(false);
    size_t n;
    pp_find_answer a = search(&o, &s, &n);

    (void)state;
    assert_true(a.undecided[0] <= a.highest_pass.value * 1.1);
    assert_true(a.lowest_fail.value <= a.undecided[a.undecided_count - 1] * 1.1);
    assert_true(a.highest_pass.value <= 10 && a.lowest_fail.value >= 14);
}

static void a_pass_above_a_fail_is_said(void **state)
{
    const pp_find_probe probes[] = {
        {4, PP_SLO_PASS},      {8, PP_SLO_FAIL}, {16, PP_SLO_PASS},
        {5, PP_SLO_UNDECIDED}, {5, PP_SLO_PASS}, /* asked again */
    };
    pp_find_options o = pp_find_options_default(false);
    pp_find_answer a = pp_find_next(&o, probes, PP_COUNT_OF(probes));

    (void)state;
    assert_true(a.is_contradictory);
    assert_true(a.highest_pass.value == 5 && a.lowest_fail.value == 8);
    assert_int_equal(a.undecided_count, 0);
    assert_true(a.end == PP_FIND_GOES_ON && a.next > 5 && a.next < 8);
}

static void options_are_checked(void **state)
{
    const pp_find_options good = pp_find_options_default(true);
    pp_find_options o = good;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_find_options_check(&o, &err), err);
    o.first = 2.5;
    assert_int_equal(pp_find_options_check(&o, &err), PP_ERR_USAGE);
    assert_contains(err.text, "whole");
    o = good;
    o.min = 0;
    assert_int_equal(pp_find_options_check(&o, &err), PP_ERR_USAGE);
    o = good;
    o.factor = 1;
    assert_int_equal(pp_find_options_check(&o, &err), PP_ERR_USAGE);
    o = good;
    o.resolution_ratio = NAN;
    assert_int_equal(pp_find_options_check(&o, &err), PP_ERR_USAGE);
    o = good;
    o.probe_count_max = PP_FIND_PROBES_MAX + 1;
    assert_int_equal(pp_find_options_check(&o, &err), PP_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_enclosed),
        cmocka_unit_test(clients_are_whole),
        cmocka_unit_test(every_search_ends_and_says_how),
        cmocka_unit_test(the_undecided_zone_is_closed_in),
        cmocka_unit_test(a_pass_above_a_fail_is_said),
        cmocka_unit_test(options_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
