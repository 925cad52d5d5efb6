#include <string.h>

#include "quality/pairing.h"
#include "shared.h"
#include "suite_maker.h"

static pp_pairing pair(pp_arena *arena, const char *candidate, const char *reference,
                       pp_origin origin)
{
    const char *const first[] = {candidate, NULL};
    const char *const second[] = {reference, NULL};
    char groups[100] = {0};
    pp_suite *suite = PP_ARENA_NEW(arena, pp_suite, 1);
    pp_suite_results a, b;
    pp_pairing p;
    pp_error err = {0};

    memset(groups, '.', strlen(candidate));
    *suite = make_suite(arena, groups);
    a = make_results(arena, suite, first);
    b = make_results(arena, suite, second);
    assert_ok(pp_pairing_of(arena, &a, origin, &b, PP_ORIGIN_MEASURED, &p, &err), err);
    return p;
}

/* 20 of 24 keeps 0.9523809523809524 of 21 of 24, 19 of 24 only 0.9047619047619048. */
static void retention_is_that_of_the_published_study(void **state)
{
    const char *reference = "+++++++++++++++++++++---";
    pp_arena arena = {0};
    pp_pairing p = pair(&arena, "++++++++++++++++++++----", reference, PP_ORIGIN_MEASURED);

    (void)state;
    assert_true(p.retention.value == 0.9523809523809524);
    assert_true(p.difference.value == -1.0 / 24);
    assert_int_equal(p.both, 20);
    assert_int_equal(p.lost_count, 1);
    assert_int_equal(p.lost[0], 20);
    assert_int_equal(p.gained_count, 0);
    assert_int_equal(p.neither, 3);
    assert_true(p.mcnemar_p.value == 1);
    p = pair(&arena, "+++++++++++++++++++-----", reference, PP_ORIGIN_MEASURED);
    assert_true(p.retention.value == 0.9047619047619048);
    pp_arena_done(&arena);
}

/* Nine cases changed sides, eight to one. */
static void both_directions_are_told(void **state)
{
    pp_arena arena = {0};
    pp_pairing p = pair(&arena, "+--------++", "-++++++++++", PP_ORIGIN_MEASURED);

    (void)state;
    assert_int_equal(p.gained_count, 1);
    assert_int_equal(p.gained[0], 0);
    assert_int_equal(p.lost_count, 8);
    assert_int_equal(p.lost[7], 8);
    assert_int_equal(p.both, 2);
    assert_true(p.mcnemar_p.value == 0.0390625);
    pp_arena_done(&arena);
}

static void what_is_missing_is_named(void **state)
{
    pp_arena arena = {0};
    pp_pairing p = pair(&arena, "?+-+", "++-?", PP_ORIGIN_MEASURED);

    (void)state;
    assert_int_equal(p.open_count, 2);
    assert_int_equal(p.both, 1);
    assert_int_equal(p.neither, 1);
    assert_int_equal(p.gap, PP_SCORE_REQUEST_FAILED);
    assert_false(p.mcnemar_p.known || p.retention.known || p.difference.known);
    p = pair(&arena, "?+-+", "++-+", PP_ORIGIN_SYNTHETIC_WEIGHTS);
    assert_int_equal(p.gap, PP_SCORE_SYNTHETIC_WEIGHTS);
    p = pair(&arena, "+-", "--", PP_ORIGIN_MEASURED); /* nothing to keep */
    assert_int_equal(p.gap, PP_SCORE_THERE);
    assert_true(!p.retention.known && p.difference.value == 0.5 && p.mcnemar_p.value == 1);
    pp_arena_done(&arena);
}

static void other_cases_are_refused(void **state)
{
    pp_arena arena = {0};
    pp_suite two = make_suite(&arena, "..");
    pp_suite three = make_suite(&arena, "...");
    pp_suite other = make_suite(&arena, "..");
    const char *const passes[] = {"++", NULL};
    const char *const longer[] = {"+++", NULL};
    pp_suite_results a = make_results(&arena, &two, passes);
    pp_suite_results b = make_results(&arena, &three, longer);
    pp_suite_results c = make_results(&arena, &other, passes);
    pp_pairing p;
    pp_error err = {0};

    (void)state;
    other.cases[1].id = pp_text_of("another");
    assert_int_equal(
        pp_pairing_of(&arena, &a, PP_ORIGIN_MEASURED, &b, PP_ORIGIN_MEASURED, &p, &err),
        PP_ERR_DOMAIN);
    assert_string_equal(err.text, "results of 2 cases against results of 3");
    memset(&err, 0, sizeof err);
    assert_int_equal(
        pp_pairing_of(&arena, &a, PP_ORIGIN_MEASURED, &c, PP_ORIGIN_MEASURED, &p, &err),
        PP_ERR_DOMAIN);
    assert_string_equal(err.text, "case 2: 'c2' against 'another'");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retention_is_that_of_the_published_study),
        cmocka_unit_test(both_directions_are_told),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(other_cases_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
