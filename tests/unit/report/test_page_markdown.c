#include "shared.h"

#include <string.h>

#include "report/html.h"
#include "report/markdown.h"

static void only_what_would_mean_something_is_escaped(void **state)
{
    static const char *const rows[][2] = {
        {"2,231.9329 ms", "2,231.9329 ms"},
        {"1. not a list", "1\\. not a list"},
        {"12) nor this", "12\\) nor this"},
        {"1.5 is a number", "1.5 is a number"},
        {"# no heading", "\\# no heading"},
        {"- no item", "\\- no item"},
        {"+3.55 %", "\\+3.55 %"},
        {"a-b", "a-b"},
        {"p50 (median).", "p50 (median)."},
        {"a_b*c`d|e~f[g]<h>&", "a\\_b\\*c\\`d\\|e\\~f\\[g\\]&lt;h&gt;&amp;"},
        {"see https://host.example/x", "see https\\://host\\.example/x"},
        {"www.host.example", "www\\.host\\.example"},
        {"me@host.example", "me\\@host\\.example"},
        {"  two\n lines ", "two lines"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_buf out;

        pp_buf_init(&out, 4096);
        pp_markdown_prose(&arena, &out, pp_text_of(rows[i][0]));
        if (strcmp(pp_buf_text(&out), rows[i][1]) != 0)
            fail_msg("'%s' became '%s', want '%s'", rows[i][0], pp_buf_text(&out), rows[i][1]);
        pp_buf_done(&out);
        pp_arena_done(&arena);
    }
}

typedef pp_status write_function(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                 pp_error *err);

static void make(pp_arena *arena, const char *name, write_function *write, pp_buf *out)
{
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};
    pp_report_input input = {
        .set = &set, .constraints = &constraints, .decision = &decision, .tool_version = "9.9.9"};

    assert_ok(pp_benchmark_set_load(
                  arena, fixture_path(arena, pp_arena_printf(arena, "report/%s-set.json", name)),
                  &set, hex, &err),
              err);
    assert_ok(pp_constraints_load(
                  arena,
                  fixture_path(arena, pp_arena_printf(arena, "report/%s-constraints.json", name)),
                  &constraints, hex, &err),
              err);
    assert_ok(pp_decide(arena, &set, &constraints, &decision, &err), err);
    pp_buf_init(out, PP_REPORT_MAX_BYTES);
    assert_ok(write(arena, &input, out, &err), err);
}

/* Columns of a line of a table: bars that no backslash stands before. */
static size_t bars_of(const char *line, size_t size)
{
    size_t bars = 0;

    for (size_t i = 0; i < size; i++) {
        if (line[i] == '\\')
            i++;
        else
            bars += line[i] == '|';
    }
    return bars;
}

/* Whatever a document holds: lines of a table have the columns of its head, nothing is a tag, and
 * no byte is a control character. */
static void pages_are_plain_whatever_the_documents_hold(void **state)
{
    static const char *const names[] = {"full", "one", "hostile"};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        pp_arena arena = {0};
        pp_buf out;
        size_t columns = 0;
        size_t tables = 0;

        make(&arena, names[i], pp_report_markdown, &out);
        for (const char *at = pp_buf_text(&out); *at != '\0';) {
            size_t size = strcspn(at, "\n");

            if (*at == '|') {
                size_t bars = bars_of(at, size);

                tables += columns == 0;
                if (columns != 0 && bars != columns)
                    fail_msg("%s: %zu bars instead of %zu: %.*s", names[i], bars, columns,
                             (int)size, at);
                columns = bars;
            } else {
                columns = 0;
            }
            for (size_t j = 0; j < size; j++) {
                bool is_code = strncmp(at, "    ", 4) == 0;

                assert_true((unsigned char)at[j] >= 0x20 && at[j] != 0x7f);
                assert_true(is_code || (at[j] != '<' && at[j] != '>'));
            }
            at += size + (at[size] == '\n');
        }
        assert_true(tables >= 8);
        pp_buf_done(&out);
        pp_arena_done(&arena);
    }
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    for (const char *at = strstr(text, needle); at != NULL; at = strstr(at + 1, needle))
        count++;
    return count;
}

static void both_forms_have_the_same_sections_and_rows(void **state)
{
    pp_arena arena = {0};
    pp_buf markdown, page;

    (void)state;
    make(&arena, "full", pp_report_markdown, &markdown);
    make(&arena, "full", pp_report_html, &page);
    assert_contains(pp_buf_text(&markdown), "# Half a billion parameters on four Arm cores");
    assert_int_equal(count_of(pp_buf_text(&markdown), "\n## "),
                     count_of(pp_buf_text(&page), "<h2 "));
    /* a table has its head and a rule; a table of facts has an empty head besides its rows */
    assert_int_equal(count_of(pp_buf_text(&markdown), "\n| "),
                     count_of(pp_buf_text(&page), "<tr") + count_of(pp_buf_text(&page), "<table") +
                         count_of(pp_buf_text(&page), "facts-table\""));
    pp_buf_done(&markdown);
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_would_mean_something_is_escaped),
        cmocka_unit_test(pages_are_plain_whatever_the_documents_hold),
        cmocka_unit_test(both_forms_have_the_same_sections_and_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
