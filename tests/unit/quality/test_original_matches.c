/* Every recorded match of the original, replayed. */
#include "model/suite.h"
#include "original_cases.h"
#include "quality/match.h"
#include "shared.h"

#define CASE_COUNT 393 /* of match.jsonl, as its README says */

static pp_match_mode mode_named(pp_text name)
{
    for (int mode = 0; mode < PP_MATCH_MODE_COUNT; mode++) {
        if (pp_text_is(name, pp_match_mode_name((pp_match_mode)mode)))
            return (pp_match_mode)mode;
    }
    fail_msg("no mode %s", name.data);
    return PP_MATCH_MODE_COUNT;
}

static void check(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    const pp_json *accepted = pp_json_find(row, "accepted");
    const pp_json *want = pp_json_find(row, "matched_answer");
    pp_match_rule rule = {.mode = mode_named(pp_json_find(row, "mode")->text),
                          .accepted_count = accepted->array.count};
    pp_suite_case c = {.rules = &rule, .rule_count = 1};
    pp_match match;
    pp_error err = {0};

    (void)context;
    rule.accepted = PP_ARENA_NEW(arena, pp_text, rule.accepted_count);
    for (size_t i = 0; i < rule.accepted_count; i++)
        rule.accepted[i] = accepted->array.items[i]->text;
    assert_ok(pp_match_answer(arena, &c, pp_json_find(row, "response")->text, &match, &err), err);
    if (match.matched != (want->kind == PP_JSON_STRING))
        fail_msg("%s: matched is %d", id, match.matched);
    if (match.matched && !pp_text_equal(match.matched_answer, want->text))
        fail_msg("%s: matched '%s', expected '%s'", id, match.matched_answer.data, want->text.data);
}

static void matches_equal_the_recorded_ones(void **state)
{
    (void)state;
    assert_int_equal(original_cases_each("match.jsonl", check, NULL), CASE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matches_equal_the_recorded_ones)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
