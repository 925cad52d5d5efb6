#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "shared.h"

static const struct {
    double value;
    const char *want;
} numbers[] = {
    {0.2, "0.2"},       {35.4, "35.4"},         {3250, "3250"},
    {2300.5, "2300"},   {12346, "12350"},       {999999, "1000000"},
    {123456, "123500"}, {1234567, "1.235e+06"}, {-0.00012345, "-0.0001234"},
    {0, "0"},
};

static void numbers_have_four_significant_digits(void **state)
{
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(numbers); i++)
        assert_string_equal(pp_number_text(&arena, numbers[i].value), numbers[i].want);
    pp_arena_done(&arena);
}

static void units_come_from_names(void **state)
{
    static const char *const rows[][2] = {
        {"e2e_latency_ms_p95", "ms"},
        {"tokens_per_second", "tok/s"},
        {"generation_tps", "tok/s"},
        {"requests_per_second", "/s"},
        {"peak_rss_mib", "MiB"},
        {"spread_percent", "%"},
        {"terms", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_string_equal(pp_metric_unit(pp_text_of(rows[i][0])), rows[i][1]);
}

static void foreign_text_is_printable_and_cut_by_columns(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_string_equal(pp_table_cell_text(&arena, pp_text_of("abcdef"), 6), "abcdef");
    assert_string_equal(pp_table_cell_text(&arena, pp_text_of("abcdefg"), 6), "abc...");
    assert_string_equal(
        pp_table_cell_text(&arena, pp_text_of("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"), 5),
        "\xe6\x97\xa5...");
    assert_null(strchr(pp_table_cell_text(&arena, pp_text_of("a\x1b[31m"), 40), '\x1b'));
    assert_int_equal(pp_text_columns("\xc3\xa9\xe6\x97\xa5"), 3);
    assert_int_equal(pp_text_columns("e\xcc\x81"), 1);
    pp_arena_done(&arena);
}

static void columns_line_up(void **state)
{
    pp_arena arena = {0};
    pp_table table;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_non_null(out);
    pp_table_init(&table, &arena);
    pp_table_add_column(&table, "name", PP_ALIGN_LEFT);
    pp_table_add_column(&table, "x\n(ms)", PP_ALIGN_RIGHT);
    assert_true(pp_table_add_row(&table));
    pp_table_set(&table, 0, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    pp_table_set(&table, 1, "1");
    assert_true(pp_table_add_row(&table));
    pp_table_set(&table, 0, "a");
    assert_int_equal(pp_table_width(&table), 11);
    pp_table_print(&table, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "name      x\n       (ms)\n"
                              "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9     1\na\n");
    free(text);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_four_significant_digits),
        cmocka_unit_test(units_come_from_names),
        cmocka_unit_test(foreign_text_is_printable_and_cut_by_columns),
        cmocka_unit_test(columns_line_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
