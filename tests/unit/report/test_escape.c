#include "shared.h"

#include <string.h>

#include "report/escape.h"

static void escape_makes_every_text_harmless(void **state)
{
    static const struct {
        const char *name;
        const char *raw;
        size_t size;
        const char *want;
    } rows[] = {
        {"plain", "Q4_0, 4 threads", 15, "Q4_0, 4 threads"},
        {"tag", "<script>", 8, "&lt;script&gt;"},
        {"quotes", "\"'&", 3, "&quot;&#39;&amp;"},
        {"control", "a\x1b[31m\n", 7, "a\\u001b[31m\\u000a"},
        {"NUL", "a\0b", 3, "a\\u0000b"},
        {"bidi",
         "\xe2\x80\xae"
         "x\xe2\x81\xa6",
         7, "\\u202ex\\u2066"},
        {"zero width space",
         "a\xe2\x80\x8b"
         "b",
         5, "a\\u200bb"},
        {"invalid byte", "a\xff<", 3, "a\\xff&lt;"},
        {"cut sequence", "\xe2\x80", 2, "\\xe2\\x80"},
        {"overlong", "\xc0\xbc", 2, "\\xc0\\xbc"},
        {"other scripts stay", "\xc3\xa4\xe4\xb8\xad", 5, "\xc3\xa4\xe4\xb8\xad"},
        {"address", "http://a/b", 10, "http:&#47;/a/b"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_buf out;

        pp_buf_init(&out, 1000);
        pp_html_text(&out, (pp_text){rows[i].raw, rows[i].size});
        if (strcmp(pp_buf_text(&out), rows[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", rows[i].name, pp_buf_text(&out), rows[i].want);
        pp_buf_done(&out);
    }
}

static void cut_counts_what_a_reader_sees(void **state)
{
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1000);
    pp_html_cut(&out, pp_text_of("<<<<"), 3);
    pp_html_cut(&out, pp_text_of("<<<"), 3);
    assert_string_equal(pp_buf_text(&out), "&lt;&lt;\xe2\x80\xa6&lt;&lt;&lt;");
    assert_int_equal(pp_html_shown_chars(pp_text_of("<\x01")), 7);
    pp_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_makes_every_text_harmless),
        cmocka_unit_test(cut_counts_what_a_reader_sees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
