#include "suite_maker.h"

#include <string.h>

#include "shared.h"

static pp_text numbered(pp_arena *arena, const char *word, size_t number)
{
    return pp_text_of(pp_arena_printf(arena, "%s%zu", word, number));
}

static pp_suite_case make_case(pp_arena *arena, size_t number, char group)
{
    pp_suite_case c = {
        .id = numbered(arena, "c", number),
        .group = {"", 0},
        .prompt = numbered(arena, "prompt ", number),
        .rules = PP_ARENA_NEW(arena, pp_match_rule, 1),
        .rule_count = 1,
        .max_tokens = 32,
    };

    assert_non_null(c.rules);
    c.rules->mode = PP_MATCH_TRIMMED_EXACT;
    c.rules->accepted = PP_ARENA_NEW(arena, pp_text, 1);
    assert_non_null(c.rules->accepted);
    c.rules->accepted[0] = numbered(arena, "yes ", number);
    c.rules->accepted_count = 1;
    if (group != '.')
        c.group = pp_text_of(pp_arena_printf(arena, "%c", group));
    return c;
}

pp_suite make_suite(pp_arena *arena, const char *groups)
{
    pp_suite suite = {
        .id = pp_text_of("made"),
        .title = pp_text_of("Made"),
        .license = pp_text_of("MIT"),
        .max_tokens = 32,
        .seed = 4242,
        .case_count = strlen(groups),
    };

    suite.cases = PP_ARENA_NEW(arena, pp_suite_case, suite.case_count);
    assert_non_null(suite.cases);
    for (size_t i = 0; i < suite.case_count; i++)
        suite.cases[i] = make_case(arena, i + 1, groups[i]);
    return suite;
}

static pp_case_result make_result(pp_arena *arena, size_t pass, size_t number, char mark)
{
    pp_case_result r = {
        .outcome = mark == '+'   ? PP_OUTCOME_MATCHED
                   : mark == '-' ? PP_OUTCOME_MISSED
                                 : PP_OUTCOME_FAILED,
        .answer = {"", 0},
        .matched_answer = {"", 0},
        .failure = {"", 0},
        .finish_reason = {"", 0},
        .latency_ns = pp_known_int((int64_t)(100 * pass + number) * 1000000),
    };

    if (mark == '?') {
        r.failure = pp_text_of("connect: refused");
        return r;
    }
    r.answer = numbered(arena, mark == '+' ? "yes " : "no ", number);
    if (mark == '+')
        r.matched_answer = r.answer;
    r.finish_reason = pp_text_of("stop");
    r.prompt_tokens = pp_known_int(10);
    r.output_tokens = pp_known_int(2);
    return r;
}

pp_suite_results make_results(pp_arena *arena, const pp_suite *suite, const char *const *passes)
{
    pp_suite_results out = {.suite = suite};
    size_t n = suite->case_count;

    while (passes[out.pass_count] != NULL)
        out.pass_count++;
    out.results = PP_ARENA_NEW(arena, pp_case_result, out.pass_count * n);
    assert_non_null(out.results);
    for (size_t pass = 0; pass < out.pass_count; pass++) {
        assert_int_equal(strlen(passes[pass]), n);
        for (size_t i = 0; i < n; i++)
            out.results[pass * n + i] = make_result(arena, pass + 1, i + 1, passes[pass][i]);
    }
    return out;
}
