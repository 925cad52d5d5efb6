#include "machine/cache.h"

#include <string.h>

#include "shared.h"

#define MIB ((int64_t)1 << 20)

static void cache_sizes_have_units(void **state)
{
    static const struct {
        const char *text;
        int64_t want; /* 0: refused */
    } rows[] = {{"32768K", 32 * MIB},
                {"1M", MIB},
                {"512", 512},
                {"2147483648B", 2147483648},
                {"", 0},
                {"K", 0},
                {"0K", 0},
                {"-1K", 0},
                {" 1K", 0},
                {"99999999999999999K", 0}};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_maybe_int got = pp_cache_size_parse(pp_scan_of(rows[i].text, strlen(rows[i].text)));

        if (got.known != (rows[i].want != 0) || (got.known && got.value != rows[i].want))
            fail_msg("'%s': got %lld", rows[i].text, (long long)got.value);
    }
}

static void the_last_level_cache_is_the_highest_that_holds_data(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_int_equal(pp_last_level_cache_bytes(fixture_path(&arena, "machine/arm-server")).value,
                     32 * MIB);
    assert_int_equal(pp_last_level_cache_bytes(fixture_path(&arena, "machine/container")).value,
                     1024 << 10); /* no third level */
    assert_false(pp_last_level_cache_bytes(fixture_path(&arena, "machine/nothing")).known);
    assert_false(pp_last_level_cache_bytes(fixture_path(&arena, "machine/hostile")).known);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_sizes_have_units),
        cmocka_unit_test(the_last_level_cache_is_the_highest_that_holds_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
