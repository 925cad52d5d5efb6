/* Vectors: the table of the decision specification (powers of two where a search by precision
 * fails), and the 10,000 doubles with the original's text. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "shared.h"
#include "json/float_text.h"
#include "json/json.h"

static const struct {
    double value;
    const char *text;
} rows[] = {
    {1e15, "1000000000000000.0"},
    {1e16, "1e+16"},
    {1e-4, "0.0001"},
    {1e-5, "1e-05"},
    {100, "100.0"},
    {0.1 + 0.2, "0.30000000000000004"},
    {0x1p-24, "5.960464477539063e-08"},
    {0x1p-44, "5.684341886080802e-14"},
    {0x1p89, "6.189700196426902e+26"},
    {0x1p-1074, "5e-324"},
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {-2.5, "-2.5"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
};

static void float_text_is_the_shortest_that_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        char text[PP_FLOAT_TEXT_MAX];

        (void)pp_float_text(rows[i].value, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void float_text_equals_the_originals_on_10000_doubles(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *list;
    const char *path = shared_path_or_skip(&arena, "original/cases/floats.json");

    (void)state;
    assert_ok(pp_json_read_file(&arena, path, NULL, &list, &err), err);
    if (list->kind == PP_JSON_OBJECT)
        list = pp_json_find(list, "values");
    assert_non_null(list);
    assert_true(list->array.count >= 10000);
    for (size_t i = 0; i < list->array.count; i++) {
        const pp_json *row = list->array.items[i];
        unsigned long long bits;
        double value;
        char text[PP_FLOAT_TEXT_MAX];

        assert_int_equal(sscanf(row->array.items[0]->text.data, "%llx", &bits), 1);
        memcpy(&value, &bits, sizeof value);
        (void)pp_float_text(value, text);
        assert_string_equal(text, row->array.items[1]->text.data);
    }
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_text_is_the_shortest_that_reads_back),
        cmocka_unit_test(float_text_equals_the_originals_on_10000_doubles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
