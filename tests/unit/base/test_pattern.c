#include "base/pattern.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shared.h"

static const struct {
    const char *pattern;
    const char *text;
    bool matches;
} rows[] = {
    {"a", "a", true},
    {"a", "ab", false},
    {"a", "ba", false},
    {"ab|cd", "cd", true},
    {"ab|cd", "abd", false},
    {"a*", "", true},
    {"a+", "", false},
    {"a?b", "b", true},
    {"a{3}", "aaa", true},
    {"a{3}", "aa", false},
    {"a{2,}", "aaaaa", true},
    {"a{2,3}", "aaaa", false},
    {"a{0,2}", "", true},
    {"(ab){2}", "abab", true},
    {"(a|b)*c", "ababc", true},
    {"(a*)*", "aaa", true},
    {"(a*)+b", "b", true},
    {"((a|b)?c)+", "acbcc", true},
    {".", "\xe4\xb8\xad", true},
    {"..", "\xe4\xb8\xad", false},
    {".", "\n", true},
    {".", "\xff", false},
    {"[a-c]+", "abc", true},
    {"[^a-c]", "d", true},
    {"[^a-c]", "b", false},
    {"[]a]+", "a]", true},
    {"[^]a]", "]", false},
    {"[a-]+", "a-", true},
    {"[-a]+", "a-", true},
    {"[+--]+", "+,-", true},
    {"[[:digit:]x]+", "0x1", true},
    {"[[:alpha:]]", "\xc3\xa9", false},
    {"[\xc3\xa0-\xc3\xbf]", "\xc3\xa9", true},
    {"[.*+?]", "*", true},
    {"\\.\\*\\\\\\{", ".*\\{", true},
    {"^a$", "a", true},
    {"(^a|b)c", "bc", true},
    {"a^b", "ab", false},
    {"a$b", "ab", false},
    {"^$", "", true},
    {"a}", "a}", true},
    {"a]", "a]", true},
};

static bool matches(const char *pattern, const char *text)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_pattern *compiled;
    bool result = false;

    assert_ok(pp_pattern_compile(&arena, pp_text_of(pattern), &compiled, &err), err);
    assert_ok(pp_pattern_match(&arena, compiled, pp_text_of(text), &result, &err), err);
    pp_arena_done(&arena);
    return result;
}

static void a_pattern_matches_whole_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (matches(rows[i].pattern, rows[i].text) != rows[i].matches)
            fail_msg("%s with '%s': expected %d", rows[i].pattern, rows[i].text, rows[i].matches);
    }
}

static const struct {
    const char *pattern;
    pp_status status;
    const char *says;
} refused[] = {
    {"", PP_ERR_SYNTAX, "byte 1: expected something to match"},
    {"a|", PP_ERR_SYNTAX, "byte 3: expected something"},
    {"()", PP_ERR_SYNTAX, "byte 2: expected something"},
    {"(a", PP_ERR_SYNTAX, "byte 1: this ( is not closed"},
    {"a)", PP_ERR_SYNTAX, "byte 2: this ) closes nothing"},
    {"*a", PP_ERR_SYNTAX, "byte 1: nothing stands before"},
    {"(?:a)", PP_ERR_SYNTAX, "byte 2: nothing stands before"},
    {"a**", PP_ERR_SYNTAX, "byte 3: a repetition is not repeated"},
    {"a+?", PP_ERR_SYNTAX, "byte 3: a repetition is not repeated"},
    {"^*", PP_ERR_SYNTAX, "byte 2: an anchor is not repeated"},
    {"(a)\\1", PP_ERR_SYNTAX, "byte 4: back-references"},
    {"\\d", PP_ERR_SYNTAX, "byte 1: a backslash stands before punctuation"},
    {"a\\", PP_ERR_SYNTAX, "byte 2: a backslash"},
    {"[a", PP_ERR_SYNTAX, "byte 3: expected ]"},
    {"[]", PP_ERR_SYNTAX, "byte 3: expected ]"},
    {"[\\d]", PP_ERR_SYNTAX, "byte 2: a backslash between"},
    {"[z-a]", PP_ERR_SYNTAX, "byte 2: the range ends before"},
    {"[a-c-e]", PP_ERR_SYNTAX, "byte 5: a range begins"},
    {"[[:word:]]", PP_ERR_SYNTAX, "byte 4: expected the name of a class"},
    {"[[=a=]]", PP_ERR_SYNTAX, "byte 2: expected a character"},
    {"[[.a.]]", PP_ERR_SYNTAX, "byte 2: expected a character"},
    {"a{", PP_ERR_SYNTAX, "byte 3: expected a count"},
    {"a{,3}", PP_ERR_SYNTAX, "byte 3: expected a count"},
    {"a{1", PP_ERR_SYNTAX, "byte 4: expected }"},
    {"a{3,2}", PP_ERR_SYNTAX, "byte 2: the second count"},
    {"a{0}", PP_ERR_SYNTAX, "byte 2: nothing is left"},
    {"\xc3(", PP_ERR_SYNTAX, "byte 1: not valid UTF-8"},
    {"a{256}", PP_ERR_LIMIT, "byte 3: a count is at most 255"},
    {"a{1,99999999999999999999}", PP_ERR_LIMIT, "byte 5: a count is at most 255"},
    {"((a{255}){255})", PP_ERR_LIMIT, "byte 1: its repetitions multiply"},
    {"((((((a{255}){255}){255}){255}){255}){255}){255}", PP_ERR_LIMIT, "multiply to more than"},
    {"((((((a?){1,255}){1,255}){1,255}){1,255}){1,255}){1,255}", PP_ERR_LIMIT, "multiply"},
    {"((((((a{0,1}){0,255}){0,255}){0,255}){0,255}){0,255}){0,255}", PP_ERR_LIMIT, "multiply"},
    {"((((((^|^){255}){255}){255}){255}){255}){255}", PP_ERR_LIMIT, "multiply"},
    {"((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))", PP_ERR_LIMIT,
     "byte 33: groups nest at most 32"},
};

static void check_refused(const char *pattern, pp_status status, const char *says)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_pattern *compiled;
    pp_status st = pp_pattern_compile(&arena, pp_text_of(pattern), &compiled, &err);

    if (st != status)
        fail_msg("%s: %s, '%s'", pattern, pp_status_name(st), err.text);
    assert_contains(err.text, says);
    /* a tree of 256 bytes and a program, whatever the counts say */
    assert_true(arena.used_bytes < (size_t)1 << 20);
    pp_arena_done(&arena);
}

static void what_is_no_pattern_is_refused_with_its_byte(void **state)
{
    char longest[PP_PATTERN_MAX_BYTES + 2];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++)
        check_refused(refused[i].pattern, refused[i].status, refused[i].says);
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    check_refused(longest, PP_ERR_LIMIT, "byte 257: expressions are at most 256");
    longest[sizeof longest - 2] = '\0';
    assert_true(matches(longest, longest));
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* What makes matchers that take choices back, or that keep every state, run for years. */
static void evil_texts_cost_little(void **state)
{
    static const char *const patterns[] = {
        "(a*)*b",
        "(a|a)*b",
        "(a?){200}a{200}b",
        "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)b",
        "((a|b)*a(a|b){200})*c",
    };
    static char text[4097];
    double started = cpu_seconds();

    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = 'a';
    for (size_t i = 0; i < PP_COUNT_OF(patterns); i++)
        assert_false(matches(patterns[i], text));
    assert_true(cpu_seconds() - started <
                20); /* 0.1 s when this was written; years if it is wrong */
}

/* ---- against the C library ---------------------------------------------------------------------
 */

static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % n;
}

static void add(char *out, const char *text)
{
    strcat(out, text);
}

static void add_pattern(char *out, unsigned *state, int depth)
{
    static const char *const atoms[] = {"a",     "b",    "c",   ".",           "[ab]", "[^a]",
                                        "[b-c]", "[]a]", "\\.", "[[:alpha:]]", "[a-]", "a"};
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{1,}", "{0,2}", "{1,3}"};
    unsigned parts = 1 + draw(state, 3);

    for (unsigned i = 0; i < parts; i++) {
        if (depth > 0 && draw(state, 3) == 0) {
            add(out, "(");
            add_pattern(out, state, depth - 1);
            if (draw(state, 2) == 0) {
                add(out, "|");
                add_pattern(out, state, depth - 1);
            }
            add(out, ")");
        } else {
            add(out, atoms[draw(state, PP_COUNT_OF(atoms))]);
        }
        if (draw(state, 3) == 0)
            add(out, repeats[draw(state, PP_COUNT_OF(repeats))]);
    }
}

static void patterns_agree_with_the_c_library(void **state)
{
    unsigned random = 20260301;
    size_t matched = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        char pattern[2048] = "";
        char whole[2100];
        regex_t theirs;

        add_pattern(pattern, &random, 2);
        if (strlen(pattern) > PP_PATTERN_MAX_BYTES)
            continue;
        (void)snprintf(whole, sizeof whole, "^(%s)$", pattern);
        assert_int_equal(regcomp(&theirs, whole, REG_EXTENDED | REG_NOSUB), 0);
        for (int j = 0; j < 20; j++) {
            char text[12] = "";
            unsigned size = draw(&random, 9);
            bool want;

            for (unsigned k = 0; k < size; k++)
                text[k] = "aabbc.-]"[draw(&random, 8)];
            want = regexec(&theirs, text, 0, NULL, 0) == 0;
            if (matches(pattern, text) != want)
                fail_msg("%s with '%s': the C library says %d", pattern, text, want);
            matched += want;
        }
        regfree(&theirs);
    }
    assert_true(matched > 3000); /* both answers occur often */
}

static pp_status compile_and_match(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    const pp_pattern *pattern;
    bool ignored;
    pp_status st = pp_pattern_compile(&arena, pp_text_of("(^a|[b-d]{2,3}|\\.)*e?$"), &pattern, err);

    (void)context;
    if (st == PP_OK)
        st = pp_pattern_match(&arena, pattern, pp_text_of("abcde"), &ignored, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(compile_and_match, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_matches_whole_texts),
        cmocka_unit_test(what_is_no_pattern_is_refused_with_its_byte),
        cmocka_unit_test(evil_texts_cost_little),
        cmocka_unit_test(patterns_agree_with_the_c_library),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
