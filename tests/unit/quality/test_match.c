#include "quality/match.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

/* ---- tables: a rule of one mode, an answer, whether it counts ---------------------------------
 */

typedef struct match_row {
    const char *name;
    const char *accepted;
    const char *answer;
    bool matches;
} match_row;

static bool matches(const pp_match_rule *like, const char *accepted, pp_text answer)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_text wanted = pp_text_of(accepted);
    pp_match_rule rule = *like;
    pp_suite_case c = {.rules = &rule, .rule_count = 1};
    pp_match match;

    rule.accepted = &wanted;
    rule.accepted_count = 1;
    assert_ok(pp_match_answer(&arena, &c, answer, &match, &err), err);
    if (match.matched)
        assert_ptr_equal(match.matched_answer.data, accepted);
    pp_arena_done(&arena);
    return match.matched;
}

static void check_rows(const pp_match_rule *like, const match_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (matches(like, rows[i].accepted, pp_text_of(rows[i].answer)) != rows[i].matches)
            fail_msg("%s: '%s' with '%s': expected %d", rows[i].name, rows[i].answer,
                     rows[i].accepted, rows[i].matches);
    }
}

static void trimmed_exact_compares_all_but_outer_white_space(void **state)
{
    static const match_row rows[] = {
        {"outer white space", "PARETOPILOT", " PARETOPILOT\n", true},
        {"of Unicode", "x", "\xe3\x80\x80x\xc2\xa0", true},
        {"on both sides", " x ", "x", true},
        {"case", "BLUE", "blue", false},
        {"punctuation", "PARETOPILOT", "PARETOPILOT.", false},
        {"inner white space", "a  b", "a b", false},
        {"composed and decomposed", "\xc3\xa9", "e\xcc\x81", false},
        {"a zero-width space is none", "x", "\xe2\x80\x8bx", false},
        {"empty", "x", "", false},
    };

    (void)state;
    check_rows(&(pp_match_rule){.mode = PP_MATCH_TRIMMED_EXACT}, rows, PP_COUNT_OF(rows));
}

static void normalized_text_compares_letters_and_digits(void **state)
{
    static const match_row rows[] = {
        {"case, blanks, punctuation", "Paris", " p-a r.is", true},
        {"full case folding", "strasse",
         "Stra\xc3\x9f"
         "e",
         true},
        {"the sign of kelvin folds to k", "k", "\xe2\x84\xaa", true},
        {"other letters are dropped", "Sao Paulo", "S\xc3\xa3o Paulo", false},
        {"another word", "Paris", "Lyon", false},
        {"more words", "Paris", "It is Paris", false},
        {"nothing left on either side", "\xe4\xb8\xad", "\xe4\xb8\xad\xe6\x96\x87", true},
        {"empty", "x", "", false},
    };

    (void)state;
    check_rows(&(pp_match_rule){.mode = PP_MATCH_NORMALIZED_TEXT}, rows, PP_COUNT_OF(rows));
}

static void json_exact_compares_values(void **state)
{
    static const match_row rows[] = {
        {"order of members", "{\"arm64\":true,\"workers\":4}", "{\"workers\":4,\"arm64\":true}",
         true},
        {"white space", "{\"result\":42,\"unit\":\"ms\"}", "{ \"result\" : 42 , \"unit\":\"ms\"}\n",
         true},
        {"a member twice", "{\"a\":1}", "{\"a\":1,\"a\":1}", false},
        {"order of items", "[1,2]", "[2,1]", false},
        {"code fence", "{\"a\":1}", "```json\n{\"a\":1}\n```", false},
        {"text behind it", "{\"a\":1}", "{\"a\":1} done", false},
        {"two values", "1", "1 1", false},
        {"byte-order mark", "{\"a\":1}", "\xef\xbb\xbf{\"a\":1}", false},
        {"integer and real", "42", "42.0", false},
        {"minus zero", "0.0", "-0.0", false},
        {"beyond doubles", "1E400", "1E400", false},
        {"spelling of a real", "100.0", "1e2", true},
        {"digits of a real", "1.1", "1.10", true},
        {"minus zero as an integer", "0", "-0", true},
        {"escapes", "\"a\"", "\"\\u0061\"", true},
        {"beyond 64 bits", "[-92233720368547758080]", "[ -92233720368547758080 ]", true},
        {"beyond 64 bits, another", "92233720368547758080", "92233720368547758081", false},
        {"beyond 64 bits, as text", "92233720368547758080", "\"92233720368547758080\"", false},
        {"beyond 64 bits, as a list", "92233720368547758080", "[\"i\",\"92233720368547758080\"]",
         false},
        {"beyond 64 bits, as a key", "1", "{92233720368547758080:1}", false},
        {"beyond 64 bits, zeros in front", "92233720368547758080", "092233720368547758080", false},
        {"beyond 64 bits in a string", "\"\\\"92233720368547758080\"",
         "\"\\u002292233720368547758080\"", true},
        {"an unpaired surrogate", "\"\\ud800\"", "\"\\uD800\"", true},
        {"another unpaired surrogate", "\"\\ud800\"", "\"\\udc00\"", false},
        {"an unpaired surrogate is not its spelling", "\"\\ud800\"", "\"~ud800\"", false},
        {"a pair of surrogates", "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", true},
        {"an unpaired one before a pair", "\"\\ud83d\\ud83d\\ude00\"",
         "\"\\ud83d\xf0\x9f\x98\x80\"", true},
        {"a tilde", "\"~\"", "\"\\u007e\"", true},
        {"a tilde and a digit", "\"~\"", "\"~0\"", false},
        {"a key with a NUL", "{\"\\u0000\":1}", "{ \"\\u0000\":1 }", true},
        {"a cut escape", "\"a\"", "\"\\u00\"", false},
        {"an unfinished string", "\"a\"", "\"a\\\"", false},
        {"NaN", "null", "NaN", false},
        {"single quotes", "{\"a\":1}", "{'a':1}", false},
        {"empty", "\"\"", "", false},
    };

    (void)state;
    check_rows(&(pp_match_rule){.mode = PP_MATCH_JSON_EXACT}, rows, PP_COUNT_OF(rows));
}

static void contains_wants_words_of_their_own(void **state)
{
    static const match_row rows[] = {
        {"a sentence", "Paris", "I think it is Paris.", true},
        {"the whole answer", "Paris", "Paris", true},
        {"white space around the needle", " Paris ", "(Paris)", true},
        {"several words", "New York", "in New York, of course", true},
        {"several words over a line end", "New York", "New\nYork", false},
        {"case", "paris", "Paris", false},
        {"a longer word", "cat", "concatenate", false},
        {"a longer word behind", "cat", "cats", false},
        {"a longer word before a right one", "cat", "cats and a cat", true},
        {"letters of other scripts", "cat",
         "\xc3\xa9"
         "cat",
         false},
        {"a combining mark behind", "e", "e\xcc\x81", false},
        {"an underscore", "cat", "cat_5", false},
        {"a hyphen", "cat", "cat-like", true},
        {"part of a number", "5", "15", false},
        {"a decimal place behind", "5", "5.5", false},
        {"a decimal place before", "5", "3.5", false},
        {"a thousand", "5", "5,000", false},
        {"a negative number", "5", "it is -5", false},
        {"a negative number with a minus sign", "5",
         "\xe2\x88\x92"
         "5",
         false},
        {"a number at the end of a sentence", "5", "It is 5.", true},
        {"a number in a list", "5", "4, 5, 6", true},
        {"a needle in punctuation", "(a)", "x(a)y", true},
        {"letters without case", "\xe6\x9d\xb1\xe4\xba\xac", "\xe6\x9d\xb1\xe4\xba\xac", true},
        {"no spaces between words", "\xe6\x9d\xb1\xe4\xba\xac",
         "\xe7\xad\x94\xe6\x9d\xb1\xe4\xba\xac", false},
        {"empty", "x", "", false},
    };
    static const match_row ignoring[] = {
        {"case", "PARIS", "It is paris.", true},
        {"full case folding", "STRASSE",
         "die Stra\xc3\x9f"
         "e",
         true},
        {"final sigma", "\xce\xa3\xce\x9f\xce\xa3", "\xcf\x83\xce\xbf\xcf\x82", true},
        {"words still end", "cat", "CATS", false},
    };

    (void)state;
    check_rows(&(pp_match_rule){.mode = PP_MATCH_CONTAINS}, rows, PP_COUNT_OF(rows));
    check_rows(&(pp_match_rule){.mode = PP_MATCH_CONTAINS, .ignore_case = true}, ignoring,
               PP_COUNT_OF(ignoring));
}

static void number_wants_one_number_and_nothing_else(void **state)
{
    static const match_row rows[] = {
        {"the same", "42", "42", true},
        {"white space", "42", " 42\n", true},
        {"a full stop", "42", "42.", true},
        {"two full stops", "42", "42..", false},
        {"decimal places", "42", "42.00", true},
        {"a plus", "42", "+42", true},
        {"a minus", "-42", "-42", true},
        {"a minus sign", "-42",
         "\xe2\x88\x92"
         "42",
         true},
        {"another sign", "42", "-42", false},
        {"two signs", "42", "+-42", false},
        {"a minus sign and a minus", "42", "\xe2\x88\x92-42", false},
        {"minus zero", "0", "-0", true},
        {"an exponent", "1500", "1.5e3", true},
        {"zeros in front", "7", "007", true},
        {"thousands", "1234567", "1,234,567", true},
        {"thousands and decimals", "1234.5", "1,234.5", true},
        {"one thousand of two", "1234567", "1,234567", false},
        {"thousands of two digits", "1234", "12,34", false},
        {"a comma in front", "123", ",123", false},
        {"a comma at the end", "123", "123,", false},
        {"a decimal comma", "1.5", "1,5", false},
        {"a comma in the decimals", "0.123456", "0.123,456", false},
        {"blanks as separators", "1234", "1 234", false},
        {"a unit", "42", "42 km", false},
        {"per cent", "42", "42%", false},
        {"a word in front", "42", "It is 42", false},
        {"two numbers", "42", "6 * 7 = 42", false},
        {"no number", "42", "forty-two", false},
        {"no digit before the point", "0.5", ".5", false},
        {"hexadecimal", "42", "0x2a", false},
        {"infinity", "1e99", "inf", false},
        {"beyond the range", "1e99", "1e400", false},
        {"digits that a double loses", "9007199254740993", "9007199254740992", false},
        {"a third", "0.3333333333333333333333", "0.3333333333333333333334", false},
        {"a full stop alone", "0", ".", false},
        {"a sign alone", "0", "-", false},
        {"empty", "0", "", false},
    };
    static const match_row near[] = {
        {"at the edge", "0.7", "0.8", true},        {"below", "0.7", "0.6", true},
        {"just above", "0.7", "0.80001", false},    {"across zero", "-0.05", "0.05", true},
        {"too far across", "-0.05", "0.06", false},
    };
    static const match_row shares[] = {
        {"at the edge", "200", "201", true},
        {"just above", "200", "201.0001", false},
        {"of a negative number", "-200", "-199", true},
        {"of nothing", "0", "0.0001", false},
        {"of a large one", "6.02e23", "6.05e23", true},
    };

    (void)state;
    check_rows(&(pp_match_rule){.mode = PP_MATCH_NUMBER}, rows, PP_COUNT_OF(rows));
    check_rows(&(pp_match_rule){.mode = PP_MATCH_NUMBER, .absolute_tolerance = 0.1}, near,
               PP_COUNT_OF(near));
    check_rows(&(pp_match_rule){.mode = PP_MATCH_NUMBER, .relative_tolerance = 0.005}, shares,
               PP_COUNT_OF(shares));
}

static void regex_wants_the_whole_answer(void **state)
{
    static const match_row rows[] = {
        {"whole", "20[0-9]{2}-0?3", " 2031-03\n", true},
        {"more behind", "20[0-9]{2}-0?3", "2031-03-01", false},
        {"more before", "[a-z]+", "a b", false},
        {"one of several", "[Yy]es[.!]?|1", "Yes!", true},
        {"a code point is a character", "caf.", "caf\xc3\xa9", true},
        {"several lines", "a.b", "a\nb", true},
        {"empty", "a+", "", false},
    };
    static char answer[PP_MATCH_REGEX_MAX_BYTES + 1];
    const pp_match_rule rule = {.mode = PP_MATCH_REGEX};

    (void)state;
    check_rows(&rule, rows, PP_COUNT_OF(rows));
    memset(answer, 'a', sizeof answer);
    assert_true(matches(&rule, "a+", (pp_text){answer, PP_MATCH_REGEX_MAX_BYTES}));
    assert_false(matches(&rule, "a+", (pp_text){answer, PP_MATCH_REGEX_MAX_BYTES + 1}));
    assert_true(matches(&rule, "a.b", (pp_text){"axb", 3}));
    assert_false(matches(&rule, "a.b", (pp_text){"a\0b", 3}));
}

/* ---- what every mode has in common ------------------------------------------------------------
 */

static void foreign_bytes_match_nothing(void **state)
{
    static const char *const accepted[] = {"x", "x", "\"x\"", "x", "1", "x+"};

    (void)state;
    for (int mode = 0; mode < PP_MATCH_MODE_COUNT; mode++) {
        const pp_match_rule rule = {.mode = (pp_match_mode)mode};

        assert_false(matches(&rule, accepted[mode], (pp_text){"x \xff x", 5}));
        assert_false(matches(&rule, accepted[mode], (pp_text){"\0", 1}));
        assert_false(matches(&rule, accepted[mode], (pp_text){0}));
    }
}

static void a_tower_of_brackets_is_no_match(void **state)
{
    enum { HEIGHT = 1 << 20 };
    char *tower = malloc(HEIGHT);

    (void)state;
    assert_non_null(tower);
    memset(tower, '[', HEIGHT);
    assert_false(
        matches(&(pp_match_rule){.mode = PP_MATCH_JSON_EXACT}, "[]", (pp_text){tower, HEIGHT}));
    memset(tower, '9', HEIGHT);
    assert_false(
        matches(&(pp_match_rule){.mode = PP_MATCH_JSON_EXACT}, "9", (pp_text){tower, HEIGHT}));
    assert_false(matches(&(pp_match_rule){.mode = PP_MATCH_NUMBER}, "9", (pp_text){tower, HEIGHT}));
    free(tower);
}

static void the_first_rule_and_answer_that_match_are_named(void **state)
{
    pp_text words[] = {{"no", 2}, {"YES", 3}, {"Yes", 3}};
    pp_text number[] = {{"1", 1}};
    pp_match_rule rules[] = {
        {.mode = PP_MATCH_NUMBER, .accepted = number, .accepted_count = 1},
        {.mode = PP_MATCH_NORMALIZED_TEXT, .accepted = words, .accepted_count = 3}};
    pp_suite_case c = {.rules = rules, .rule_count = 2};
    pp_arena arena = {0};
    pp_match match;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_match_answer(&arena, &c, pp_text_of("yes"), &match, &err), err);
    assert_true(match.matched);
    assert_ptr_equal(match.matched_answer.data, words[1].data);
    assert_ok(pp_match_answer(&arena, &c, pp_text_of("1.0"), &match, &err), err);
    assert_true(match.matched);
    assert_ptr_equal(match.matched_answer.data, number[0].data);
    assert_ok(pp_match_answer(&arena, &c, pp_text_of("2"), &match, &err), err);
    assert_false(match.matched);
    assert_null(match.matched_answer.data);
    pp_arena_done(&arena);
}

/* Of each mode: what it needs memory for differs. */
static pp_status match_all_modes(const void *context, pp_error *err)
{
    static const char *const accepted[] = {"x", "x", "[1]", "X", "1", "x+"};
    static const char *const answers[] = {"x", "X", "[ 1 ]", "x", "1.0", "xx"};
    pp_status st = PP_OK;

    (void)context;
    for (int mode = 0; st == PP_OK && mode < PP_MATCH_MODE_COUNT; mode++) {
        pp_arena arena = {0};
        pp_text wanted = pp_text_of(accepted[mode]);
        pp_match_rule rule = {.mode = (pp_match_mode)mode,
                              .accepted = &wanted,
                              .accepted_count = 1,
                              .ignore_case = true};
        pp_suite_case c = {.rules = &rule, .rule_count = 1};
        pp_match match = {0};

        st = pp_match_answer(&arena, &c, pp_text_of(answers[mode]), &match, err);
        if (st == PP_OK && !match.matched)
            fail_msg("mode %d does not match", mode);
        pp_arena_done(&arena);
    }
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(match_all_modes, NULL) > 0);
}

/* ---- our own suites ----------------------------------------------------------------------------
 */

static void check_suite(pp_arena *arena, const char *path)
{
    char sha256[PP_SHA256_HEX_SIZE], content_sha256[PP_SHA256_HEX_SIZE];
    pp_suite suite;
    pp_match match;
    pp_error err = {0};

    assert_ok(pp_suite_load(arena, path, &suite, sha256, content_sha256, &err), err);
    for (size_t i = 0; i < suite.case_count; i++) {
        const pp_suite_case *c = &suite.cases[i];

        assert_ok(pp_match_answer(arena, c, (pp_text){"", 0}, &match, &err), err);
        if (match.matched)
            fail_msg("%s: %s: an empty answer counts", path, c->id.data);
        assert_ok(pp_match_answer(arena, c, c->prompt, &match, &err), err);
        if (match.matched)
            fail_msg("%s: %s: a copy of the prompt counts", path, c->id.data);
    }
}

static void silence_and_echo_count_in_no_example(void **state)
{
    pp_arena arena = {0};
    const char *source = getenv("PARETOPILOT_SOURCE");
    glob_t found = {0};

    (void)state;
    assert_non_null(source);
    assert_int_equal(
        glob(pp_arena_printf(&arena, "%s/examples/suites/*.json", source), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_suite(&arena, found.gl_pathv[i]);
    globfree(&found);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trimmed_exact_compares_all_but_outer_white_space),
        cmocka_unit_test(normalized_text_compares_letters_and_digits),
        cmocka_unit_test(json_exact_compares_values),
        cmocka_unit_test(contains_wants_words_of_their_own),
        cmocka_unit_test(number_wants_one_number_and_nothing_else),
        cmocka_unit_test(regex_wants_the_whole_answer),
        cmocka_unit_test(foreign_bytes_match_nothing),
        cmocka_unit_test(a_tower_of_brackets_is_no_match),
        cmocka_unit_test(the_first_rule_and_answer_that_match_are_named),
        cmocka_unit_test(missing_memory_is_said),
        cmocka_unit_test(silence_and_echo_count_in_no_example),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
