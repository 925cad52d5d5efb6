/* B145: keys in what a server said. */
#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "shared.h"

static const struct {
    const char *text, *secret, *want;
} rows[] = {
    {"bad key sk-12345678.", "sk-12345678", "bad key [key]."},
    {"sk-12345678 is not sk-12345678", "sk-12345678", "[key] is not [key]"},
    {"sk-12345678sk-12345678", "sk-12345678", "[key][key]"},
    {"nothing of it", "sk-12345678", "nothing of it"},
    {"", "sk-12345678", ""},
    {"no key was given", "", "no key was given"},
    {"cut: sk-1234", "sk-12345678", "cut: [key]"},
    {"cut: sk-1234...", "sk-12345678", "cut: [key]..."},
    {"cut: sk-...", "sk-12345678", "cut: sk-..."}, /* three bytes give nothing away */
    {"sk-12345678 and sk-12345...", "sk-12345678", "[key] and [key]..."},
    {"abab abababab", "ababab", "abab [key]ab"},
    {"xabx", "ab", "x[key]x"},
    {"ssk-12345678", "sk-12345678", "s[key]"},
};

static void b145_a_key_is_taken_out_wherever_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_text got =
            pp_secret_remove(&arena, pp_text_of(rows[i].text), pp_text_of(rows[i].secret));

        if (!pp_text_is(got, rows[i].want))
            fail_msg("'%s': expected '%s', got '%.*s'", rows[i].text, rows[i].want, (int)got.size,
                     got.data);
        pp_arena_done(&arena);
    }
}

static void b145_a_key_is_taken_out_of_an_error(void **state)
{
    pp_error err = {0};
    char ones[PP_ERROR_TEXT_MAX];

    (void)state;
    (void)pp_fail(&err, PP_ERR_PEER, "the server said: no, sk-12345678");
    pp_secret_remove_from_error(&err, pp_text_of("sk-12345678"));
    assert_string_equal(err.text, "the server said: no, [key]");
    assert_int_equal(err.status, PP_ERR_PEER);
    memset(ones, '1', sizeof ones); /* marks need five times the room */
    ones[sizeof ones - 1] = '\0';
    (void)pp_fail(&err, PP_ERR_PEER, "%s", ones);
    pp_secret_remove_from_error(&err, pp_text_of("1"));
    assert_null(strchr(err.text, '1'));
    assert_true(strlen(err.text) < sizeof err.text);
    pp_secret_remove_from_error(NULL, pp_text_of("1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b145_a_key_is_taken_out_wherever_it_stands),
        cmocka_unit_test(b145_a_key_is_taken_out_of_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
