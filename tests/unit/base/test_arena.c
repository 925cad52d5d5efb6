#include <string.h>

#include "base/fail_nth.h"
#include "shared.h"

static void arena_gives_zeroed_memory_of_any_size(void **state)
{
    pp_arena arena = {0};

    (void)state;
    for (size_t size = 0; size < 3000000; size = size * 3 + 1) {
        unsigned char *bytes = pp_arena_alloc(&arena, size, 1);

        assert_non_null(bytes);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    pp_arena_done(&arena);
    pp_arena_done(&arena);
    pp_arena_done(NULL);
}

static void arena_refuses_a_product_that_overflows(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};

    (void)state;
    assert_null(pp_arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_int_equal(pp_arena_check(&arena, &err), PP_ERR_MEMORY);
    pp_arena_done(&arena);
}

static void arena_remembers_a_refused_allocation(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};

    (void)state;
    pp_fail_nth_arm(1);
    assert_null(pp_arena_printf(&arena, "%d", 7));
    pp_fail_nth_arm(0);
    assert_int_equal(pp_arena_check(&arena, &err), PP_ERR_MEMORY);
    pp_arena_done(&arena);
}

static void a_cleared_arena_gives_zeroed_memory_again(void **state)
{
    pp_arena arena = {0};
    unsigned char *first;

    (void)state;
    pp_arena_clear(&arena);
    memset(pp_arena_alloc(&arena, 100, 1), 0xff, 100);
    memset(pp_arena_alloc(&arena, 100000, 1), 0xff, 100000);
    pp_arena_clear(&arena);
    assert_int_equal(arena.used_bytes, 0);
    first = pp_arena_alloc(&arena, 100000, 1);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(first[i], 0);
    pp_arena_clear(&arena);
    assert_ptr_equal(pp_arena_alloc(&arena, 100000, 1), first); /* the block stayed */
    arena.failed = true;
    pp_arena_clear(&arena);
    assert_false(arena.failed);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_memory_of_any_size),
        cmocka_unit_test(arena_refuses_a_product_that_overflows),
        cmocka_unit_test(arena_remembers_a_refused_allocation),
        cmocka_unit_test(a_cleared_arena_gives_zeroed_memory_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
