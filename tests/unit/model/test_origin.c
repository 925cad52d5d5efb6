#include "model/name_index.h"
#include "model/origin.h"
#include "shared.h"

static void every_name_reads_back_and_the_worst_wins(void **state)
{
    pp_error err = {0};

    (void)state;
    for (int a = PP_ORIGIN_MEASURED; a <= PP_ORIGIN_UNKNOWN; a++) {
        pp_origin back;

        assert_ok(pp_origin_parse(pp_text_of(pp_origin_name((pp_origin)a)), &back, &err), err);
        assert_int_equal(back, a);
        for (int b = a; b <= PP_ORIGIN_UNKNOWN; b++) {
            assert_int_equal(pp_origin_worst((pp_origin)a, (pp_origin)b), b);
            assert_int_equal(pp_origin_worst((pp_origin)b, (pp_origin)a), b);
        }
    }
    assert_string_equal(pp_origin_name(PP_ORIGIN_SYNTHETIC_WEIGHTS), "synthetic-weights");
    assert_int_equal(pp_origin_parse(pp_text_of("Measured"), &(pp_origin){0}, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "origin 'Measured': expected measured, ");
}

static void names_are_found_and_repetitions_reported(void **state)
{
    static const char *const words[] = {"b", "a", "c", "a", "b"};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_name_index index;

    (void)state;
    assert_ok(pp_name_index_init(&arena, PP_COUNT_OF(words), &index, &err), err);
    for (size_t i = 0; i < PP_COUNT_OF(words); i++)
        index.entries[i] = (pp_name_entry){pp_text_of(words[i]), i};
    pp_name_index_sort(&index);
    assert_int_equal(pp_name_index_find(&index, pp_text_of("a")), 1);
    assert_int_equal(pp_name_index_find(&index, pp_text_of("c")), 2);
    assert_true(pp_name_index_find(&index, pp_text_of("")) == PP_NOT_FOUND);
    assert_true(pp_name_index_find(&index, pp_text_of("d")) == PP_NOT_FOUND);
    assert_int_equal(pp_name_index_duplicate(&index), 3);
    index.count = 1;
    assert_true(pp_name_index_duplicate(&index) == PP_NOT_FOUND);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_reads_back_and_the_worst_wins),
        cmocka_unit_test(names_are_found_and_repetitions_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
