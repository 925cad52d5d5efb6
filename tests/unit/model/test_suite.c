#include "model/suite.h"

#include <string.h>
#include <time.h>

#include "model/suite_answers.h"
#include "shared.h"

#define HEAD                                                                                       \
    "{\"schema_version\":\"2.0\",\"document\":\"quality-suite\",\"id\":\"s\",\"title\":\"S\","     \
    "\"license\":\"CC0-1.0\",\"system_prompt\":null,"                                              \
    "\"sampling\":{\"max_tokens\":8,\"seed\":1,\"temperature\":0.5},\"cases\":["
#define CASE_OF(id, rest)  "{\"id\":\"" id "\",\"group\":\"g\",\"prompt\":\"p\"," rest "}"
#define SUITE(rest)        HEAD CASE_OF("a", rest) "]}"
#define ANSWER(mode, text) "\"match_mode\":\"" mode "\",\"accepted_answers\":[\"" text "\"]"
#define EXACT              ANSWER("trimmed-exact", "x")
#define ANY(rules)         SUITE("\"match_mode\":\"any-of\",\"any_of\":[" rules "]")
#define RULE               "{" EXACT "}"

#define ZEROS_16  "0000000000000000"
#define ZEROS_64  ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16
#define ZEROS_256 ZEROS_64 ZEROS_64 ZEROS_64 ZEROS_64

static const struct {
    const char *name;
    const char *text;
    const char *says; /* NULL: accepted */
} rows[] = {
    {"the least", SUITE(EXACT), NULL},
    {"a case twice", HEAD CASE_OF("a", EXACT) "," CASE_OF("b", EXACT) "," CASE_OF("a", EXACT) "]}",
     "$.cases[2].id: 'a' is taken already"},
    {"no case", HEAD "]}", "$.cases: expected 1 to 2000 items, got 0"},
    {"an unknown member", SUITE(EXACT ",\"weight\":1"), "unknown key 'weight'"},
    {"an unknown mode", SUITE(ANSWER("fuzzy", "x")), "$.cases[0].match_mode: expected one of"},
    {"no mode", SUITE("\"accepted_answers\":[\"x\"]"), "required key 'match_mode' is missing"},
    {"no answer", SUITE("\"match_mode\":\"regex\""), "required key 'accepted_answers' is missing"},
    {"an empty list of answers", SUITE("\"match_mode\":\"regex\",\"accepted_answers\":[]"),
     "$.cases[0].accepted_answers: expected 1 to 20 items"},
    {"an empty answer", SUITE(ANSWER("trimmed-exact", "")), "accepted_answers[0]: expected text"},
    {"a blank answer", SUITE(ANSWER("regex", " \\u3000")), "accepted_answers[0]: expected text"},
    {"an empty normal form", SUITE(ANSWER("normalized-text", "\xe4\xb8\xad")),
     "$.cases[0].accepted_answers[0]: no letter a to z and no digit is left"},
    {"a normal form by folding", SUITE(ANSWER("normalized-text", "\xc3\x9f")), NULL},
    {"a needle of punctuation", SUITE(ANSWER("contains", "?!")),
     "$.cases[0].accepted_answers[0]: expected a letter or a digit"},
    {"a needle in another script", SUITE(ANSWER("contains", "\xe4\xb8\xad")), NULL},
    {"a word as a number", SUITE(ANSWER("number", "five")), "expected a decimal number"},
    {"infinity", SUITE(ANSWER("number", "inf")), "expected a decimal number"},
    {"a number of 257 bytes", SUITE(ANSWER("number", ZEROS_256 "1")),
     "expected a number of at most 256 bytes"},
    {"too large a number", SUITE(ANSWER("number", "1e100")), "expected a decimal number"},
    {"a number with thousands", SUITE(ANSWER("number", "1,000")), "expected a decimal number"},
    {"a number of digits", SUITE(ANSWER("number", "-1.5e3")), NULL},
    {"a negative tolerance", SUITE(ANSWER("number", "1") ",\"tolerance\":{\"absolute\":-0.1}"),
     "$.cases[0].tolerance.absolute: expected"},
    {"a tolerance beyond doubles",
     SUITE(ANSWER("number", "1") ",\"tolerance\":{\"absolute\":1e999}"), "real number overflow"},
    {"a tolerance beyond decimals",
     SUITE(ANSWER("number", "1") ",\"tolerance\":{\"relative\":1e-300}"),
     "$.cases[0].tolerance.relative: expected digits between"},
    {"no tolerance in it", SUITE(ANSWER("number", "1") ",\"tolerance\":{}"),
     "$.cases[0].tolerance: expected absolute or relative"},
    {"a tolerance of text", SUITE(EXACT ",\"tolerance\":{\"absolute\":1}"),
     "$.cases[0].tolerance: only the mode number has a tolerance, this is trimmed-exact"},
    {"case of a number", SUITE(ANSWER("number", "1") ",\"ignore_case\":true"),
     "$.cases[0].ignore_case: only the mode contains can ignore case, this is number"},
    {"cut JSON", SUITE(ANSWER("json-exact", "{\\\"a\\\":")), "$.cases[0].accepted_answers[0]: "},
    {"a member twice", SUITE(ANSWER("json-exact", "{\\\"a\\\":1,\\\"a\\\":1}")),
     "duplicate object key"},
    {"a long integer", SUITE(ANSWER("json-exact", "123456789012345678901234567890")), NULL},
    {"a back-reference", SUITE(ANSWER("regex", "(a)\\\\1")),
     "$.cases[0].accepted_answers[0]: byte 4: back-references"},
    {"no expression", SUITE(ANSWER("regex", "(a")), "byte 1: this ( is not closed"},
    {"256 times", SUITE(ANSWER("regex", "a{256}")), "byte 3: a count is at most 255"},
    {"255 times 255 times", SUITE(ANSWER("regex", "((a{255}){255})")), "multiply"},
    {"the empty text", SUITE(ANSWER("regex", "a*")),
     "$.cases[0].accepted_answers[0]: the expression matches an empty answer"},
    {"the empty text with anchors", SUITE(ANSWER("regex", "^(a|b)?$")), "matches an empty answer"},
    {"any of two", ANY(RULE ",{" ANSWER("number", "5") ",\"tolerance\":{\"relative\":0.1}}"), NULL},
    {"any of one", ANY(RULE), "$.cases[0].any_of: expected 2 to 8 items"},
    {"any of none", SUITE("\"match_mode\":\"any-of\""), "required key 'any_of' is missing"},
    {"any-of in any-of", ANY(RULE ",{\"match_mode\":\"any-of\",\"any_of\":[" RULE "," RULE "]}"),
     "$.cases[0].any_of[1]: unknown key 'any_of'"},
    {"a bad rule in any-of", ANY(RULE ",{" ANSWER("regex", "a*") "}"),
     "$.cases[0].any_of[1].accepted_answers[0]: the expression matches an empty"},
    {"any-of with answers",
     SUITE("\"match_mode\":\"any-of\",\"accepted_answers\":[\"x\"],"
           "\"any_of\":[" RULE "," RULE "]"),
     "$.cases[0].accepted_answers: with any-of, this stands in the rules"},
    {"any_of with another mode", SUITE(EXACT ",\"any_of\":[" RULE "," RULE "]"),
     "$.cases[0].any_of: only the mode any-of has it"},
    {"no token", SUITE(EXACT ",\"max_tokens\":0"), "$.cases[0].max_tokens"},
    {"a context twice",
     HEAD CASE_OF("a", EXACT) "],\"fidelity\":{\"contexts\":[{\"id\":\"c\",\"prompt\":\"p\"},"
                              "{\"id\":\"c\",\"prompt\":\"q\"}]}}",
     "$.fidelity.contexts[1].id: 'c' is taken already"},
    {"version 3.0", "{\"schema_version\":\"3.0\",\"document\":\"quality-suite\"}",
     "schema_version"},
};

static pp_status decode(pp_arena *arena, const char *text, pp_suite *ret, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "s", text, strlen(text), &root, err);

    return st == PP_OK ? pp_suite_decode(arena, root, ret, err) : st;
}

static void each_rule_of_2_0_has_a_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_suite suite;
        pp_status st = decode(&arena, rows[i].text, &suite, &err);

        if ((st == PP_OK) != (rows[i].says == NULL))
            fail_msg("%s: %s '%s'", rows[i].name, pp_status_name(st), err.text);
        if (st != PP_OK)
            assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

static void a_suite_of_2_0_is_read(void **state)
{
    static const char text[] =
        "{\"schema_version\":\"2.0\",\"document\":\"quality-suite\",\"id\":\"s\",\"title\":\"S\","
        "\"license\":\"CC0-1.0\",\"system_prompt\":\"Be brief.\","
        "\"sampling\":{\"max_tokens\":8,\"seed\":4294967294,\"temperature\":0.5},\"cases\":["
        "{\"id\":\"a\",\"group\":\"g1\",\"prompt\":\"p1\",\"match_mode\":\"number\","
        "\"accepted_answers\":[\"1\",\"2\"],\"tolerance\":{\"absolute\":0.5,\"relative\":1},"
        "\"max_tokens\":3},"
        "{\"id\":\"b\",\"group\":\"g2\",\"prompt\":\"p2\",\"match_mode\":\"any-of\",\"any_of\":["
        "{\"match_mode\":\"contains\",\"accepted_answers\":[\"x\"],\"ignore_case\":true},"
        "{\"match_mode\":\"regex\",\"accepted_answers\":[\"y+\"]}]}],"
        "\"fidelity\":{\"contexts\":[{\"id\":\"c\",\"prompt\":\"once\"}]}}";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_suite s;

    (void)state;
    assert_ok(decode(&arena, text, &s, &err), err);
    assert_false(s.original || s.has_performance);
    assert_true(s.has_system_prompt && pp_text_is(s.system_prompt, "Be brief."));
    assert_int_equal(s.max_tokens, 8);
    assert_int_equal(s.seed, 4294967294);
    assert_true(s.temperature == 0.5);
    assert_int_equal(s.case_count, 2);
    assert_true(pp_text_is(s.cases[0].group, "g1") && pp_text_is(s.cases[1].prompt, "p2"));
    assert_int_equal(s.cases[0].max_tokens, 3);
    assert_int_equal(s.cases[1].max_tokens, 8);
    assert_int_equal(s.cases[0].rule_count, 1);
    assert_int_equal(s.cases[0].rules[0].mode, PP_MATCH_NUMBER);
    assert_int_equal(s.cases[0].rules[0].accepted_count, 2);
    assert_true(pp_text_is(s.cases[0].rules[0].accepted[1], "2"));
    assert_true(s.cases[0].rules[0].absolute_tolerance == 0.5);
    assert_true(s.cases[0].rules[0].relative_tolerance == 1);
    assert_int_equal(s.cases[1].rule_count, 2);
    assert_int_equal(s.cases[1].rules[0].mode, PP_MATCH_CONTAINS);
    assert_true(s.cases[1].rules[0].ignore_case);
    assert_int_equal(s.cases[1].rules[1].mode, PP_MATCH_REGEX);
    assert_false(s.cases[1].rules[1].ignore_case);
    assert_int_equal(s.context_count, 1);
    assert_true(pp_text_is(s.contexts[0].prompt, "once"));
    pp_arena_done(&arena);
}

/* ---- 1.0 --------------------------------------------------------------------------------------
 */

#define ORIGINAL(cases, more)                                                                      \
    "{\"schema_version\":\"1.0\",\"id\":\"s\",\"license\":\"l\",\"quality_cases\":[" cases "],"    \
    "\"performance\":{\"prompt\":\"p\",\"generation_tokens\":64,\"repetitions\":10,"               \
    "\"warmups\":1}" more "}"
#define ORIGINAL_CASE(answer, more)                                                                \
    "{\"id\":\"a\",\"prompt\":\"p\",\"accepted_answers\":[\"" answer "\"]" more "}"

static const struct {
    const char *name;
    const char *text;
    const char *says;
} original_rows[] = {
    {"a mode by default", ORIGINAL(ORIGINAL_CASE("x", ""), ""), NULL},
    {"an empty normal form is a defect of 1.0", ORIGINAL(ORIGINAL_CASE("\xe4\xb8\xad", ""), ""),
     NULL},
    {"a member of 2.0", ORIGINAL(ORIGINAL_CASE("x", ""), ",\"title\":\"t\""),
     "unknown key 'title'"},
    {"a mode of 2.0", ORIGINAL(ORIGINAL_CASE("x", ",\"match_mode\":\"number\""), ""),
     "match_mode: expected one of"},
    {"cut JSON", ORIGINAL(ORIGINAL_CASE("[", ",\"match_mode\":\"json-exact\""), ""),
     "$.quality_cases[0].accepted_answers[0]"},
    {"a case twice", ORIGINAL(ORIGINAL_CASE("x", "") "," ORIGINAL_CASE("y", ""), ""),
     "$.quality_cases[1].id: 'a' is taken already"},
    {"no case", ORIGINAL("", ""), "$.quality_cases: expected 1 to 100 items, got 0"},
};

static void each_rule_of_1_0_has_a_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(original_rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_suite suite;
        pp_status st = decode(&arena, original_rows[i].text, &suite, &err);

        if ((st == PP_OK) != (original_rows[i].says == NULL))
            fail_msg("%s: %s '%s'", original_rows[i].name, pp_status_name(st), err.text);
        if (st != PP_OK)
            assert_contains(err.text, original_rows[i].says);
        pp_arena_done(&arena);
    }
}

/* Counts and digest as the specification of the original's documents states them. */
static void the_suites_of_the_original_are_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    char sha256[PP_SHA256_HEX_SIZE], content_sha256[PP_SHA256_HEX_SIZE];
    size_t modes[PP_MATCH_MODE_COUNT] = {0};
    pp_suite s;

    (void)state;
    assert_ok(pp_suite_load(&arena,
                            shared_path_or_skip(&arena, "original/evals/qwen-behavior-v2.json"), &s,
                            sha256, content_sha256, &err),
              err);
    assert_string_equal(sha256, "e49c16fba32fd65c947264aef4141026ab68b1fd415ef09eeea6e8ade9a545c7");
    assert_string_not_equal(sha256, content_sha256);
    assert_true(pp_text_is(s.id, "paretopilot-qwen-behavior-v2"));
    for (size_t i = 0; i < s.case_count; i++)
        modes[s.cases[i].rules[0].mode]++;
    assert_int_equal(s.case_count, 24);
    assert_int_equal(modes[PP_MATCH_TRIMMED_EXACT], 20);
    assert_int_equal(modes[PP_MATCH_JSON_EXACT], 4);
    assert_true(s.original && s.has_performance && !s.has_system_prompt);
    assert_int_equal(s.max_tokens, 32);
    assert_int_equal(s.seed, 4242);
    assert_true(s.temperature == 0);
    assert_int_equal(s.generation_tokens, 64);
    assert_int_equal(s.repetitions, 10);
    assert_int_equal(s.warmups, 1);
    assert_ok(pp_suite_load(&arena,
                            shared_path_or_skip(&arena, "original/evals/qwen-smoke-v1.json"), &s,
                            sha256, content_sha256, &err),
              err);
    assert_int_equal(s.case_count, 5);
    assert_int_equal(s.cases[0].rules[0].mode, PP_MATCH_NORMALIZED_TEXT);
    pp_arena_done(&arena);
}

/* ---- bounds ------------------------------------------------------------------------------------
 */

static void a_suite_full_of_hostile_expressions_is_refused_at_once(void **state)
{
    static const char *const tail = "\"match_mode\":\"regex\",\"accepted_answers\":[";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_buf text;
    pp_suite suite;
    clock_t started = clock();

    (void)state;
    pp_buf_init(&text, (size_t)16 << 20);
    pp_buf_append_text(&text, HEAD);
    for (int i = 0; i < 201; i++) {
        pp_buf_printf(&text, "%s{\"id\":\"c%d\",\"group\":\"g\",\"prompt\":\"p\",%s",
                      i == 0 ? "" : ",", i, tail);
        for (int j = 0; j < 20; j++) /* as many places as one may have, all of them in use */
            pp_buf_printf(&text, "%s\"((a?){62}){15}b\"", j == 0 ? "" : ",");
        pp_buf_append_text(&text, "]}");
    }
    pp_buf_append_text(&text, "]}");
    assert_ok(pp_buf_check(&text, "suite", &err), err);
    assert_int_equal(decode(&arena, pp_buf_text(&text), &suite, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "$.cases[200].accepted_answers[0]: expected at most 4000");
    assert_true((double)(clock() - started) / CLOCKS_PER_SEC < 30); /* 1 s when this was written */
    assert_true(arena.used_bytes < (size_t)32 << 20); /* nothing is kept of an expression */
    pp_buf_done(&text);
    pp_arena_done(&arena);
}

static pp_status decode_all(const void *context, pp_error *err)
{
    static const char text[] = HEAD CASE_OF("a", ANSWER("normalized-text", "x")) "," CASE_OF(
        "b", ANSWER("json-exact",
                    "[1]")) "," CASE_OF("c", ANSWER("regex", "a|b")) "," CASE_OF("d",
                                                                                 ANSWER("number",
                                                                                        "1")) "]}";
    pp_arena arena = {0};
    pp_suite suite;
    pp_status st = decode(&arena, text, &suite, err);

    (void)context;
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(decode_all, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_of_2_0_has_a_refusal),
        cmocka_unit_test(a_suite_of_2_0_is_read),
        cmocka_unit_test(each_rule_of_1_0_has_a_refusal),
        cmocka_unit_test(the_suites_of_the_original_are_read),
        cmocka_unit_test(a_suite_full_of_hostile_expressions_is_refused_at_once),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
