#include <string.h>

#include "evidence/checksum_list.h"
#include "shared.h"

/* FIPS 180-4: the empty message. */
#define DIGEST "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void a_list_is_read(void **state)
{
    static const char text[] = DIGEST "  ./a b\n" DIGEST "  ./a/z\n" DIGEST "  ./b\n";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_checksum_list list;

    (void)state;
    assert_ok(pp_checksum_list_parse(&arena, text, strlen(text), &list, &err), err);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[1].path, "a/z");
    assert_string_equal(list.items[1].sha256, DIGEST);
    assert_ok(pp_checksum_list_parse(&arena, "", 0, &list, &err), err);
    assert_int_equal(list.count, 0);
    pp_arena_done(&arena);
}

#define FORM "expected 64 hexadecimal digits, two blanks and ./path"

static const struct {
    const char *name;
    const char *text;
    const char *want;
} refused[] = {
    {"digits in capitals",
     "E"
     "3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ./a\n",
     "line 1: " FORM},
    {"a digit less", "3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ./a\n",
     "line 1: " FORM},
    {"one blank", DIGEST " ./a\n", "line 1: " FORM},
    {"binary mark", DIGEST " *./a\n", "line 1: " FORM},
    {"no ./", DIGEST "  a\n", "line 1: " FORM},
    {"absolute", DIGEST "  .//a\n", "line 1: " FORM},
    {"leaves the folder", DIGEST "  ./../a\n", "line 1: " FORM},
    {"leaves a folder", DIGEST "  ./a/../b\n", "line 1: " FORM},
    {"ends in a folder", DIGEST "  ./a/\n", "line 1: " FORM},
    {"a dot", DIGEST "  ./a/./b\n", "line 1: " FORM},
    {"no path", DIGEST "  ./\n", "line 1: " FORM},
    {"carriage return", DIGEST "  ./a\r\n", "line 1: " FORM},
    {"backslash", DIGEST "  ./a\\nb\n", "line 1: " FORM},
    {"empty line", DIGEST "  ./a\n\n", "line 2: " FORM},
    {"not in order", DIGEST "  ./b\n" DIGEST "  ./a\n",
     "line 2: expected paths in increasing order of their bytes, none twice; got 'a' behind 'b'"},
    {"twice", DIGEST "  ./a\n" DIGEST "  ./a\n", "line 2: expected paths in increasing order"},
    {"itself", DIGEST "  ./SHA256SUMS\n", "line 1: the list cannot hold its own digest"},
    {"cut", DIGEST "  ./a\n" DIGEST "  ./b", "line 2 does not end: the file breaks off"},
};

static void a_list_in_another_form_is_refused_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_checksum_list list;

        if (pp_checksum_list_parse(&arena, refused[i].text, strlen(refused[i].text), &list, &err) !=
            PP_ERR_SYNTAX)
            fail_msg("%s: accepted", refused[i].name);
        if (strstr(err.text, refused[i].want) == NULL)
            fail_msg("%s: expected '%s', got '%s'", refused[i].name, refused[i].want, err.text);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(a_list_in_another_form_is_refused_by_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
