#include <string.h>

#include "base/text.h"
#include "shared.h"

static const struct {
    const char *name;
    const char *bytes;
    bool valid;
} utf8_rows[] = {
    {"ascii", "plain", true},
    {"two, three and four bytes", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", true},
    {"overlong slash", "\xc0\xaf", false},
    {"surrogate", "\xed\xa0\x80", false},
    {"above U+10FFFF", "\xf4\x90\x80\x80", false},
    {"cut sequence", "\xe2\x82", false},
    {"lone continuation", "\x80", false},
};

static void utf8_is_judged_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(utf8_rows); i++) {
        if (pp_utf8_is_valid(utf8_rows[i].bytes, strlen(utf8_rows[i].bytes)) != utf8_rows[i].valid)
            fail_msg("%s", utf8_rows[i].name);
    }
}

static const struct {
    const char *text;
    bool blank;
} blank_rows[] = {
    {"", true},
    {" \t\r\n", true},
    {"\xc2\xa0", true},          /* U+00A0 */
    {"\xe3\x80\x80 \x1f", true}, /* U+3000, U+001F */
    {"\xe2\x80\x8b", false},     /* U+200B is no white space here */
    {" a ", false},
    {"\xff", false},
};

static void blank_means_only_unicode_white_space(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(blank_rows); i++)
        assert_int_equal(pp_text_is_blank(pp_text_of(blank_rows[i].text)), blank_rows[i].blank);
}

static void texts_compare_by_code_point_and_length(void **state)
{
    const pp_text with_nul = {"a\0b", 3};

    (void)state;
    assert_true(pp_text_compare(pp_text_of("a"), pp_text_of("ab")) < 0);
    assert_true(pp_text_compare(pp_text_of("\xef\xbf\xbd"), pp_text_of("\xf0\x9f\x98\x80")) < 0);
    assert_true(pp_text_equal(with_nul, with_nul));
    assert_false(pp_text_equal(with_nul, pp_text_of("a")));
    assert_true(pp_text_compare(pp_text_of(""), pp_text_of("")) == 0);
}

static void escaping_keeps_ordinary_text_and_cuts_at_the_end(void **state)
{
    char out[12];

    (void)state;
    pp_text_escape_controls("\xc3\xa9t\xc3\xa9", 5, out, sizeof out);
    assert_string_equal(out, "\xc3\xa9t\xc3\xa9");
    pp_text_escape_controls("12345678901", 11, out, sizeof out);
    assert_string_equal(out, "12345678901");
    pp_text_escape_controls("123456789012", 12, out, sizeof out);
    assert_string_equal(out, "12345678...");
    pp_text_escape_controls("\xff\n", 2, out, sizeof out);
    assert_string_equal(out, "\\xff\\u000a");
}

static const struct {
    const char *text;
    const char *stripped;
    const char *collapsed;
} space_rows[] = {
    {"a", "a", "a"},
    {"", "", ""},
    {" \t\n", "", ""},
    {"\xc2\xa0 a \xe3\x80\x80", "a", "a"},
    {" a \n b ", "a \n b", "a b"},
    {"a\xe2\x80\xa8\xe2\x80\xa9"
     "b",
     "a\xe2\x80\xa8\xe2\x80\xa9"
     "b",
     "a b"},
    {" \xe2\x80\x8b ", "\xe2\x80\x8b", "\xe2\x80\x8b"}, /* U+200B is no white space here */
};

static void white_space_is_stripped_outside_and_collapsed_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(space_rows); i++) {
        pp_arena arena = {0};
        pp_text text = pp_text_of(space_rows[i].text);

        assert_true(pp_text_is(pp_text_strip(text), space_rows[i].stripped));
        assert_true(pp_text_is(pp_text_collapse(&arena, text), space_rows[i].collapsed));
        pp_arena_done(&arena);
    }
}

/* CaseFolding.txt of the Unicode character database: C and F. */
static const struct {
    const char *text;
    const char *folded;
} fold_rows[] = {
    {"AArch64", "aarch64"},
    {"", ""},
    {"stra\xc3\x9f"
     "e",
     "strasse"},
    {"\xef\xac\x80", "ff"},                   /* U+FB00 */
    {"\xce\xa3\xcf\x82", "\xcf\x83\xcf\x83"}, /* both sigmas */
    {"\xe2\x84\xaa", "k"},                    /* the Kelvin sign */
};

static void case_is_folded_as_unicode_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(fold_rows); i++) {
        pp_arena arena = {0};
        pp_text folded = pp_text_fold_case(&arena, pp_text_of(fold_rows[i].text));

        if (!pp_text_is(folded, fold_rows[i].folded))
            fail_msg("'%s' became '%s'", fold_rows[i].text, folded.data);
        pp_arena_done(&arena);
    }
}

static void characters_are_counted_not_bytes(void **state)
{
    pp_text text = pp_text_of("a\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80z");

    (void)state;
    assert_int_equal(text.size, 11);
    assert_int_equal(pp_text_character_count(text), 5);
    assert_int_equal(pp_text_character_count((pp_text){0}), 0);
    assert_int_equal(pp_text_head(text, 0).size, 0);
    assert_int_equal(pp_text_head(text, 2).size, 3);
    assert_int_equal(pp_text_head(text, 4).size, 10);
    assert_int_equal(pp_text_head(text, 5).size, 11);
    assert_int_equal(pp_text_head(text, 99).size, 11);
}

static void case_of_ascii_letters_may_be_ignored_and_of_no_others(void **state)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } rows[] = {
        {"", "", true},
        {"Content-TYPE", "content-type", true},
        {"AZ", "az", true},
        {"a", "ab", false},
        {"@[`{", "`{@[", false}, /* a bit apart, like letters */
        {"\xc3\x84", "\xc3\xa4", false},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_int_equal(pp_text_equal_ascii_case(pp_text_of(rows[i].a), pp_text_of(rows[i].b)),
                         rows[i].equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_judged_strictly),
        cmocka_unit_test(blank_means_only_unicode_white_space),
        cmocka_unit_test(texts_compare_by_code_point_and_length),
        cmocka_unit_test(escaping_keeps_ordinary_text_and_cuts_at_the_end),
        cmocka_unit_test(white_space_is_stripped_outside_and_collapsed_inside),
        cmocka_unit_test(case_is_folded_as_unicode_says),
        cmocka_unit_test(characters_are_counted_not_bytes),
        cmocka_unit_test(case_of_ascii_letters_may_be_ignored_and_of_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
