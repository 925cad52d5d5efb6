#include "base/ip_address.h"

#include <arpa/inet.h>
#include <string.h>

#include "shared.h"

/* The system's own reader is the judge: it knows the same forms, but no zones either. */
static void check_against_system(const char *text)
{
    unsigned char v4[4];
    unsigned char v6[16];
    bool is_v4 = inet_pton(AF_INET, text, v4) == 1;
    bool is_v6 = inet_pton(AF_INET6, text, v6) == 1;
    pp_ip_address got = {0};
    bool ours = pp_ip_address_parse(pp_text_of(text), &got);

    if (ours != (is_v4 || is_v6))
        fail_msg("'%s': %s", text, ours ? "accepted" : "refused");
    if (!ours)
        return;
    assert_int_equal(got.is_v4, is_v4);
    assert_memory_equal(got.bytes, is_v4 ? v4 : v6, is_v4 ? 4 : 16);
}

static void known_forms_are_read_as_the_system_reads_them(void **state)
{
    static const char *const texts[] = {
        "127.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "256.0.0.1",
        "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4",
        "1..2.3",
        "1.2.3.4 ",
        "",
        "::",
        "::1",
        "1::",
        "2001:db8::1",
        "2001:DB8:0:0:0:0:0:1",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1::2::3",
        ":::",
        ":1",
        "1:",
        "::ffff:127.0.0.1",
        "::ffff:127.0.0.256",
        "1:2:3:4:5:6:1.2.3.4",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::1.2.3.4:5",
        "12345::",
        "g::",
        "fe80::1%lo",
        "[::1]",
        "::1/64",
        "localhost",
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++)
        check_against_system(texts[i]);
}

/* Texts of the letters that addresses are made of, in every order a small generator hits on. */
static void any_text_is_judged_as_the_system_judges_it(void **state)
{
    static const char letters[] = "01f2:.::255a";
    uint32_t seed = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[24] = {0};
        size_t size;

        seed = seed * 1664525u + 1013904223u;
        size = 1 + (seed >> 16) % 20;
        for (size_t at = 0; at < size; at++) {
            seed = seed * 1664525u + 1013904223u;
            text[at] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        check_against_system(text);
    }
}

static void loopback_is_told_from_the_rest(void **state)
{
    static const struct {
        const char *text;
        bool is_loopback;
    } rows[] = {
        {"127.0.0.1", true},
        {"127.255.0.9", true},
        {"128.0.0.1", false},
        {"0.0.0.0", false},
        {"::1", true},
        {"::", false},
        {"::2", false},
        {"::ffff:127.0.0.1", true},
        {"::ffff:10.0.0.1", false},
        {"10.0.0.1", false},
        {"::127.0.0.1", false},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_ip_address address;

        assert_true(pp_ip_address_parse(pp_text_of(rows[i].text), &address));
        if (pp_ip_address_is_loopback(&address) != rows[i].is_loopback)
            fail_msg("%s", rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_forms_are_read_as_the_system_reads_them),
        cmocka_unit_test(any_text_is_judged_as_the_system_judges_it),
        cmocka_unit_test(loopback_is_told_from_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
