/* Counts by hand; shares and intervals of the published study: 21, 20 and 19 of 24. */
#include <math.h>
#include <string.h>

#include "quality/score.h"
#include "shared.h"
#include "suite_maker.h"

#define ALL_24 "........................"

static void assert_near(const char *name, double got, double want, double distance)
{
    if (!(fabs(got - want) <= distance))
        fail_msg("%s: expected %.15g, got %.15g", name, want, got);
}

/* 24 cases of which the first `passed` match, in one pass. */
static pp_score score_of_24(pp_arena *arena, const pp_suite *suite, size_t passed)
{
    char marks[25] = {0};
    const char *const passes[] = {marks, NULL};
    pp_suite_results results;
    pp_score score;
    pp_error err = {0};

    memset(marks, '-', 24);
    memset(marks, '+', passed);
    results = make_results(arena, suite, passes);
    assert_ok(pp_score_of(arena, &results, PP_ORIGIN_MEASURED, &score, &err), err);
    return score;
}

static void published_scores_have_the_published_intervals(void **state)
{
    static const struct {
        size_t passed;
        double lower, upper;
    } rows[] = {{21, .676, .973}, {20, .626, .953}, {19, .578, .929}, {0, 0, .142}, {24, .858, 1}};
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, ALL_24);

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_score s = score_of_24(&arena, &suite, rows[i].passed);

        assert_true(s.whole.score.known);
        assert_true(s.whole.score.value == (double)rows[i].passed / 24);
        assert_near("lower", s.whole.lower.value, rows[i].lower, 0.0006);
        assert_near("upper", s.whole.upper.value, rows[i].upper, 0.0006);
        assert_int_equal(s.group_count, 0);
    }
    pp_arena_done(&arena);
}

/* c1 passes, c2 flips, c3 misses, c4 fails once and else matches, c5 fails once and else misses,
 * c6 passes. */
static const char *const two_passes[] = {"++-?-+", "+--+?+", NULL};

static void a_case_passes_when_it_matched_in_every_pass(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, "AABB.A");
    pp_suite_results results = make_results(&arena, &suite, two_passes);
    pp_score s;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_score_of(&arena, &results, PP_ORIGIN_MEASURED, &s, &err), err);
    assert_int_equal(s.whole.total, 6);
    assert_int_equal(s.whole.passed, 2);
    assert_int_equal(s.whole.missed, 3);
    assert_int_equal(s.whole.open, 1);
    assert_int_equal(s.whole.failed_request_count, 2);
    assert_int_equal(s.whole.flipped, 1);
    assert_int_equal(s.flipped[0], 1);
    assert_int_equal(s.changed_count, 1);
    assert_int_equal(s.pass_count, 2);
    assert_int_equal(s.passed_by_pass[0], 3);
    assert_int_equal(s.passed_by_pass[1], 3);
    pp_arena_done(&arena);
}

static void failed_requests_leave_bounds_in_place_of_a_score(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, "AABB.A");
    pp_suite_results results = make_results(&arena, &suite, two_passes);
    pp_score s;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_score_of(&arena, &results, PP_ORIGIN_MEASURED, &s, &err), err);
    assert_int_equal(s.whole.gap, PP_SCORE_REQUEST_FAILED);
    assert_false(s.whole.score.known || s.whole.lower.known || s.whole.upper.known);
    assert_true(s.whole.score_min.value == 2.0 / 6 && s.whole.score_max.value == 3.0 / 6);
    assert_int_equal(s.group_count, 2); /* c5 is in none */
    assert_true(pp_text_is(s.groups[0].group, "A") && pp_text_is(s.groups[1].group, "B"));
    assert_int_equal(s.groups[0].gap, PP_SCORE_THERE);
    assert_true(s.groups[0].score.value == 2.0 / 3 && s.groups[0].flipped == 1);
    assert_int_equal(s.groups[1].gap, PP_SCORE_REQUEST_FAILED);
    assert_true(s.groups[1].score_min.value == 0 && s.groups[1].score_max.value == 0.5);
    pp_arena_done(&arena);
}

static void random_weights_have_no_score(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, "AABB.A");
    pp_suite_results results = make_results(&arena, &suite, two_passes);
    pp_score s;
    pp_error err = {0};
    pp_floor_statement f;

    (void)state;
    assert_ok(pp_score_of(&arena, &results, PP_ORIGIN_SYNTHETIC_WEIGHTS, &s, &err), err);
    assert_int_equal(s.whole.gap, PP_SCORE_SYNTHETIC_WEIGHTS);
    assert_int_equal(s.groups[0].gap, PP_SCORE_SYNTHETIC_WEIGHTS);
    assert_false(s.whole.score.known || s.whole.lower.known || s.whole.score_min.known ||
                 s.whole.score_max.known);
    f = pp_floor_of(&s.whole, 0.5);
    assert_false(f.met.known || f.certified.known || f.chance.known || f.cases_needed.known);
    assert_ok(pp_score_of(&arena, &results, PP_ORIGIN_CONSTRUCTED_WEIGHTS, &s, &err), err);
    assert_true(s.groups[0].score.known);
    pp_arena_done(&arena);
}

static const struct {
    size_t passed;
    bool met, certified;
    int64_t cases_needed; /* 0: absent */
} floors[] = {
    {24, true, true, 0},   {23, true, true, 0},    {22, true, false, 44},
    {21, true, false, 88}, {20, true, false, 414}, {19, false, false, 0},
};

static void a_floor_can_be_met_and_yet_not_be_certified(void **state)
{
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, ALL_24);

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(floors); i++) {
        pp_score s = score_of_24(&arena, &suite, floors[i].passed);
        pp_floor_statement f = pp_floor_of(&s.whole, 0.8);

        if (f.met.value != floors[i].met || f.certified.value != floors[i].certified ||
            f.cases_needed.value != floors[i].cases_needed || f.passes_needed.value != 23)
            fail_msg("%zu of 24: met %d, certified %d, cases %lld, passes %lld", floors[i].passed,
                     f.met.value, f.certified.value, (long long)f.cases_needed.value,
                     (long long)f.passes_needed.value);
        assert_true(f.chance.known && (f.chance.value <= 0.05) == floors[i].certified);
    }
    pp_arena_done(&arena);
}

/* 0.8^13 is above 0.05. */
static void few_cases_certify_nothing(void **state)
{
    pp_score_part part = {.total = 13, .passed = 13, .score = {true, 1}};
    pp_floor_statement f = pp_floor_of(&part, 0.8);

    (void)state;
    assert_true(f.met.value && f.certified.known && !f.certified.value);
    assert_false(f.passes_needed.known);
    assert_int_equal(f.cases_needed.value, 14);
}

/* Nearest rank of 101, 102, 103, 202, 203 ms: the third and the fifth. */
static void latency_is_of_answers_alone(void **state)
{
    const char *const passes[] = {"++-", "?+-", NULL};
    pp_arena arena = {0};
    pp_suite suite = make_suite(&arena, "...");
    pp_suite_results results = make_results(&arena, &suite, passes);
    pp_answer_latency latency;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_answer_latency_of(&arena, &results, &latency, &err), err);
    assert_int_equal(latency.count, 5);
    assert_true(latency.ms_p50.value == 103 && latency.ms_p95.value == 203);
    assert_true(latency.p95_is_maximum);
    results = make_results(&arena, &suite, (const char *const[]){"???", NULL});
    assert_ok(pp_answer_latency_of(&arena, &results, &latency, &err), err);
    assert_true(latency.count == 0 && !latency.ms_p50.known && !latency.p95_is_maximum);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_scores_have_the_published_intervals),
        cmocka_unit_test(a_case_passes_when_it_matched_in_every_pass),
        cmocka_unit_test(failed_requests_leave_bounds_in_place_of_a_score),
        cmocka_unit_test(random_weights_have_no_score),
        cmocka_unit_test(a_floor_can_be_met_and_yet_not_be_certified),
        cmocka_unit_test(few_cases_certify_nothing),
        cmocka_unit_test(latency_is_of_answers_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
