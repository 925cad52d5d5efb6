#include "gateway/rate_limit.h"

#include <string.h>

#include "base/clock.h"
#include "shared.h"

#define S PP_NS_PER_S

static pp_rate_limit *limit_of(double per_second, int64_t burst, size_t capacity)
{
    pp_rate_limit *limit = NULL;
    pp_error err = {0};
    pp_token_rate rate;

    assert_true(pp_token_rate_of(per_second, burst, &rate));
    assert_ok(pp_rate_limit_new(&rate, capacity, &limit, &err), err);
    return limit;
}

static int64_t take(pp_rate_limit *limit, size_t who, int64_t now_ns)
{
    const pp_rate_key key = pp_rate_key_of_index(who);

    return pp_rate_limit_take(limit, &key, now_ns);
}

static void each_client_has_a_bucket_of_its_own(void **state)
{
    pp_rate_limit *limit = limit_of(1, 2, 8);

    (void)state;
    for (size_t who = 0; who < 3; who++) {
        assert_int_equal(take(limit, who, 0), 0);
        assert_int_equal(take(limit, who, 0), 0);
        assert_int_equal(take(limit, who, 0), S);
    }
    assert_int_equal(take(limit, 1, S), 0);
    assert_int_equal(take(limit, 1, S), S);
    assert_int_equal(pp_rate_limit_count(limit), 3);
    pp_rate_limit_free(limit);
}

static void a_full_table_lets_nobody_in_for_free(void **state)
{
    pp_rate_limit *limit = limit_of(1, 2, 3);

    (void)state;
    take(limit, 0, 0); /* 1 left */
    take(limit, 1, 0);
    take(limit, 1, 0); /* none left */
    take(limit, 2, 0);
    take(limit, 2, 0); /* none left */
    /* the newcomer takes over client 0's one token, not a full bucket */
    assert_int_equal(take(limit, 3, 0), 0);
    assert_int_equal(take(limit, 3, 0), S);
    /* those whose buckets were empty still have them */
    assert_int_equal(take(limit, 1, 0), S);
    assert_int_equal(take(limit, 2, 0), S);
    /* and client 0 finds none either */
    assert_int_equal(take(limit, 0, 0), S);
    assert_int_equal(pp_rate_limit_count(limit), 3);
    pp_rate_limit_free(limit);
}

static void a_bucket_that_has_filled_up_makes_room(void **state)
{
    pp_rate_limit *limit = limit_of(1, 2, 2);

    (void)state;
    take(limit, 0, 0); /* full again after 1 s */
    take(limit, 1, S);
    take(limit, 1, S);
    assert_int_equal(take(limit, 2, S), 0);
    assert_int_equal(take(limit, 2, S), 0);
    assert_int_equal(take(limit, 2, S), S);
    assert_int_equal(take(limit, 1, S), S);
    pp_rate_limit_free(limit);
}

/* However many names somebody has, a full table gives out no more than its clients' bursts and what
 * flows into their buckets. */
static void many_names_get_no_more_than_the_table_holds(void **state)
{
    const size_t capacity = 50;
    pp_rate_limit *limit = limit_of(1, 4, capacity);
    int64_t taken = 0;

    (void)state;
    for (size_t i = 0; i < 20000; i++) {
        const int64_t now_ns = (int64_t)i * PP_NS_PER_MS; /* 20 s in all */

        taken += take(limit, i * 7919 % 5000, now_ns) == 0;
    }
    assert_true(taken <= 50 * 4 + 50 * 20);
    assert_true(taken > 50 * 4);
    assert_int_equal(pp_rate_limit_count(limit), capacity);
    pp_rate_limit_free(limit);
}

static void an_ipv6_client_is_its_network(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"192.0.2.1", "::ffff:192.0.2.1", true},
        {"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true},
        {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
        {"fe80::1%eth0", "fe80::2%eth1", true},
        {"::1", "0.0.0.0", false},
    };
    pp_rate_key a, b;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        assert_true(pp_rate_key_of_address(pp_text_of(rows[i].a), &a));
        assert_true(pp_rate_key_of_address(pp_text_of(rows[i].b), &b));
        if ((memcmp(&a, &b, sizeof a) == 0) != rows[i].same)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
    assert_false(pp_rate_key_of_address(pp_text_of("localhost"), &a));
    assert_false(pp_rate_key_of_address((pp_text){0}, &a));
}

static pp_status make(const void *context, pp_error *err)
{
    const pp_token_rate rate = {1000, 1};
    pp_rate_limit *limit = NULL;
    pp_status st = pp_rate_limit_new(&rate, *(const size_t *)context, &limit, err);

    pp_rate_limit_free(limit);
    return st;
}

static void sizes_have_a_range_and_missing_memory_is_said(void **state)
{
    const size_t none = 0, most = 65536, more = 65537;

    (void)state;
    assert_int_equal(make(&none, NULL), PP_ERR_RANGE);
    assert_int_equal(make(&more, NULL), PP_ERR_RANGE);
    assert_int_equal(check_missing_memory(make, &most), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_client_has_a_bucket_of_its_own),
        cmocka_unit_test(a_full_table_lets_nobody_in_for_free),
        cmocka_unit_test(a_bucket_that_has_filled_up_makes_room),
        cmocka_unit_test(many_names_get_no_more_than_the_table_holds),
        cmocka_unit_test(an_ipv6_client_is_its_network),
        cmocka_unit_test(sizes_have_a_range_and_missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
