#include <errno.h>
#include <string.h>

#include "shared.h"

static void error_reads_from_the_outside_in(void **state)
{
    pp_error err = {0};
    pp_status st = pp_fail(&err, PP_ERR_SCHEMA, "$.a: expected %d, got %d", 1, 2);

    (void)state;
    st = pp_wrap(&err, st, "loading '%s'", "f.json");
    assert_int_equal(st, PP_ERR_SCHEMA);
    assert_string_equal(err.text, "loading 'f.json': $.a: expected 1, got 2");
    assert_int_equal(pp_wrap(&err, PP_OK, "never"), PP_OK);
    assert_string_equal(err.text, "loading 'f.json': $.a: expected 1, got 2");
    assert_int_equal(pp_fail(NULL, PP_ERR_IO, "x"), PP_ERR_IO);
}

static void error_texts_cannot_drive_a_terminal_or_a_ci_log(void **state)
{
    pp_error err = {0};

    (void)state;
    (void)pp_fail(&err, PP_ERR_SCHEMA, "unknown key '%s'", "a\n::error ::x\x1b[31m\xe2\x80\xae");
    assert_string_equal(err.text, "unknown key 'a\\u000a::error ::x\\u001b[31m\\u202e'");
}

static void error_cuts_long_texts_with_an_ellipsis(void **state)
{
    char longer[PP_ERROR_TEXT_MAX + 100];
    pp_error err = {0};

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)pp_fail(&err, PP_ERR_IO, "\n%s", longer);
    assert_int_equal(strlen(err.text), PP_ERROR_TEXT_MAX - 1);
    assert_string_equal(err.text + PP_ERROR_TEXT_MAX - 4, "...");
    (void)pp_wrap(&err, PP_ERR_IO, "outer");
    assert_memory_equal(err.text, "outer: ", 7);
}

static void error_appends_the_system_reason(void **state)
{
    pp_error err = {0};

    (void)state;
    (void)pp_fail_errno(&err, PP_ERR_IO, ENOENT, "cannot open '%s'", "x");
    assert_string_equal(err.text, "cannot open 'x': No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_reads_from_the_outside_in),
        cmocka_unit_test(error_texts_cannot_drive_a_terminal_or_a_ci_log),
        cmocka_unit_test(error_cuts_long_texts_with_an_ellipsis),
        cmocka_unit_test(error_appends_the_system_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
