#include "net/retry_after.h"

#include "shared.h"

/* RFC 9110 section 5.6.7 writes one instant in three forms; 784111777 is what `date -u -d` says of
 * it. */
#define INSTANT 784111777

static void b057_both_legal_forms_are_read_and_nothing_else(void **state)
{
    static const struct {
        const char *value;
        int64_t want; /* -1: absent */
    } rows[] = {
        {"3", 3},
        {" 120\t", 120},
        {"0", 0},
        {"9223372036854775807", INT64_MAX},
        {"Sun, 06 Nov 1994 08:49:37 GMT", 100},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 100},
        {"Sun Nov  6 08:49:37 1994", 100},
        {"Sun, 06 Nov 1994 08:47:57 GMT", 0}, /* now */
        {"Sat, 05 Nov 1994 08:49:37 GMT", 0}, /* past */
        {"Mon, 06 Nov 1995 08:49:37 GMT", 100 + 365 * 86400},
        {"Saturday, 06-Nov-93 08:49:37 GMT", 0},
        {"", -1},
        {" ", -1},
        {"0.5", -1},
        {"-1", -1},
        {"+1", -1},
        {"3s", -1},
        {"3, 4", -1},
        {"1234567890123456789012345678901234567890", -1},
        {"9223372036854775808", -1},
        {"soon", -1},
        {"Sun, 06 Nov 1994 08:49:37", -1},
        {"Sun, 06 Nov 1994 08:49:37 GMT+1", -1},
        {"Sun, 06 Nov 1994 24:00:00 GMT", -1},
        {"Sun, 32 Nov 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nob 1994 08:49:37 GMT", -1},
        {"Sun, -6 Nov 1994 08:49:37 GMT", -1},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_maybe_int got = pp_http_retry_after_s(pp_text_of(rows[i].value), INSTANT - 100);

        print_message("# '%s'\n", rows[i].value);
        assert_int_equal(got.known, rows[i].want >= 0);
        if (got.known)
            assert_int_equal(got.value, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b057_both_legal_forms_are_read_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
