/* Who a request counts for. Addresses are those that RFC 5737 and RFC 3849 set aside. */
#include "gateway/client_address.h"

#include "shared.h"

static const pp_text trusted[] = {{"127.0.0.1", 9}, {"192.0.2.1", 9}, {"2001:DB8:0::1", 13}};

static const struct {
    const char *name, *peer, *first, *second; /* two X-Forwarded-For headers; NULL: none */
    const char *want;
} rows[] = {
    {"nobody forwards", "198.51.100.9", NULL, NULL, "198.51.100.9"},
    {"a stranger's claim is no address", "198.51.100.9", "203.0.113.1", NULL, "198.51.100.9"},
    {"a proxy that says nothing is the client", "127.0.0.1", NULL, NULL, "127.0.0.1"},
    {"one proxy", "127.0.0.1", "203.0.113.1", NULL, "203.0.113.1"},
    {"the last one counts, the others are claims", "127.0.0.1", "10.0.0.1, 203.0.113.1", NULL,
     "203.0.113.1"},
    {"two proxies", "127.0.0.1", "10.0.0.1,203.0.113.1\t, 192.0.2.1", NULL, "203.0.113.1"},
    {"several headers are one list", "127.0.0.1", "10.0.0.1, 203.0.113.1", "192.0.2.1",
     "203.0.113.1"},
    {"all of them trusted", "127.0.0.1", "192.0.2.1", NULL, "192.0.2.1"},
    {"with a port", "127.0.0.1", "203.0.113.1:4711", NULL, "203.0.113.1"},
    {"IPv6", "127.0.0.1", "2001:db8::7", NULL, "2001:db8::7"},
    {"IPv6 in brackets with a port and quotes", "127.0.0.1", "\"[2001:db8::7]:80\"", NULL,
     "2001:db8::7"},
    {"a trusted IPv6 in another spelling", "2001:db8::1", "203.0.113.1", NULL, "203.0.113.1"},
    {"a mapped address is the IPv4 one", "::ffff:127.0.0.1", "203.0.113.1", NULL, "203.0.113.1"},
    {"a zone does not matter", "2001:db8::1%eth0", "203.0.113.1", NULL, "203.0.113.1"},
    {"unknown", "127.0.0.1", "203.0.113.1, unknown", NULL, "127.0.0.1"},
    {"nonsense in front is not read", "127.0.0.1", "<script>, 203.0.113.1", NULL, "203.0.113.1"},
    {"an empty element vouches for nothing", "127.0.0.1", "203.0.113.1,", NULL, "127.0.0.1"},
    {"an open bracket", "127.0.0.1", "[2001:db8::7", NULL, "127.0.0.1"},
    {"a chain without end", "127.0.0.1",
     "203.0.113.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,"
     "127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1,127.0.0.1",
     NULL, "127.0.0.1"},
};

static void only_known_proxies_are_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_http_header headers[] = {
            {pp_text_of("Host"), pp_text_of("a")},
            {pp_text_of("x-forwarded-for"), pp_text_of(rows[i].first == NULL ? "" : rows[i].first)},
            {pp_text_of("X-Forwarded-For"),
             pp_text_of(rows[i].second == NULL ? "" : rows[i].second)},
        };
        const size_t n = rows[i].first == NULL ? 1 : rows[i].second == NULL ? 2 : 3;
        const pp_text got =
            pp_client_address(headers, n, pp_text_of(rows[i].peer), trusted, PP_COUNT_OF(trusted));

        if (!pp_text_is(got, rows[i].want))
            fail_msg("%s: expected %s, got %.*s", rows[i].name, rows[i].want, (int)got.size,
                     got.data);
    }
}

static void without_proxies_nobody_is_trusted(void **state)
{
    const pp_http_header one = {pp_text_of("X-Forwarded-For"), pp_text_of("203.0.113.1")};

    (void)state;
    assert_true(
        pp_text_is(pp_client_address(&one, 1, pp_text_of("127.0.0.1"), NULL, 0), "127.0.0.1"));
    assert_false(pp_is_trusted_proxy(pp_text_of(""), trusted, PP_COUNT_OF(trusted)));
    assert_false(pp_is_trusted_proxy((pp_text){0}, trusted, PP_COUNT_OF(trusted)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_known_proxies_are_believed),
        cmocka_unit_test(without_proxies_nobody_is_trusted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
