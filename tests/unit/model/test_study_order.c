#include <string.h>

#include "model/study_order.h"
#include "model/study_plan.h"
#include "shared.h"

#define MOST 9

static void mirrored_passes_cancel_a_drift_by_running_backwards(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pp_order_mirrored(4, 1, i), i);
        assert_int_equal(pp_order_mirrored(4, 2, i), 3 - i);
        assert_int_equal(pp_order_mirrored(4, 3, i), i);
    }
}

static bool is_permutation(const size_t *order, size_t count)
{
    unsigned seen = 0;

    for (size_t i = 0; i < count; i++) {
        if (order[i] >= count || (seen >> order[i] & 1) != 0)
            return false;
        seen |= 1U << order[i];
    }
    return true;
}

static void each_shuffled_pass_holds_every_candidate_once(void **state)
{
    size_t order[MOST];

    (void)state;
    for (size_t count = 1; count <= MOST; count++) {
        for (int64_t pass = 1; pass <= 50; pass++) {
            for (size_t i = 0; i < count; i++)
                order[i] = pp_order_shuffled(count, 7, pass, i);
            assert_true(is_permutation(order, count));
        }
    }
}

/* 6,000 passes over 3 candidates: each of the 6 orders is expected 1,000 times with a standard
 * deviation of sqrt(6000 * 1/6 * 5/6) = 28.9; five of those are allowed. */
static void all_shuffled_orders_are_equally_likely(void **state)
{
    int counts[27] = {0};
    int orders = 0;

    (void)state;
    for (int64_t pass = 1; pass <= 6000; pass++)
        counts[pp_order_shuffled(3, 20260101, pass, 0) * 9 +
               pp_order_shuffled(3, 20260101, pass, 1) * 3 +
               pp_order_shuffled(3, 20260101, pass, 2)]++;
    for (size_t i = 0; i < 27; i++) {
        if (counts[i] == 0)
            continue;
        orders++;
        assert_in_range(counts[i], 1000 - 145, 1000 + 145);
    }
    assert_int_equal(orders, 6);
}

/* The definition: in a square every candidate stands in each place equally often, and each ordered
 * pair of neighbours occurs equally often. */
static void a_williams_square_balances_places_and_neighbours(void **state)
{
    (void)state;
    for (size_t count = 2; count <= MOST; count++) {
        int64_t rows = (int64_t)pp_order_williams_rows(count);
        int each = count % 2 == 0 ? 1 : 2;

        assert_int_equal(rows, (int64_t)count * each);
        for (int64_t square = 0; square < 3; square++) {
            int places[MOST][MOST] = {{0}};
            int pairs[MOST][MOST] = {{0}};

            for (int64_t row = 1; row <= rows; row++) {
                size_t order[MOST];

                for (size_t i = 0; i < count; i++)
                    order[i] = pp_order_williams(count, 3, square * rows + row, i);
                assert_true(is_permutation(order, count));
                for (size_t i = 0; i < count; i++)
                    places[order[i]][i]++;
                for (size_t i = 0; i + 1 < count; i++)
                    pairs[order[i]][order[i + 1]]++;
            }
            for (size_t a = 0; a < count; a++) {
                for (size_t b = 0; b < count; b++) {
                    assert_int_equal(places[a][b], each);
                    assert_int_equal(pairs[a][b], a == b ? 0 : each);
                }
            }
        }
    }
}

static void one_candidate_has_one_order(void **state)
{
    (void)state;
    assert_int_equal(pp_order_williams_rows(1), 1);
    assert_int_equal(pp_order_williams(1, 5, 4, 0), 0);
    assert_int_equal(pp_order_shuffled(1, 5, 4, 0), 0);
}

static void another_seed_gives_another_order_and_the_same_seed_the_same(void **state)
{
    int differing = 0;

    (void)state;
    for (int64_t pass = 1; pass <= 20; pass++) {
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(pp_order_shuffled(8, 1, pass, i), pp_order_shuffled(8, 1, pass, i));
            differing += pp_order_shuffled(8, 1, pass, i) != pp_order_shuffled(8, 2, pass, i);
        }
    }
    assert_true(differing > 100); /* 140 of 160 expected */
}

/* The order is part of a study's identity: a plan of today must run in this order tomorrow, and on
 * every machine. Worked out from splitmix64 by tests/support/study_order.py. */
static void the_order_of_a_seed_never_changes(void **state)
{
    static const size_t blocks[2][4] = {{0, 3, 1, 2}, {0, 1, 3, 2}};
    static const size_t williams[4][4] = {{2, 1, 3, 0}, {0, 3, 1, 2}, {1, 0, 2, 3}, {3, 2, 0, 1}};

    static const int64_t odd_passes[3] = {1, 6, 11};
    static const size_t odd[3][5] = {{2, 4, 0, 3, 1}, {0, 1, 2, 3, 4}, {2, 0, 3, 4, 1}};

    (void)state;
    for (size_t row = 0; row < 3; row++) {
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(pp_order_williams(5, 9, odd_passes[row], i), odd[row][i]);
    }
    for (int64_t pass = 1; pass <= 4; pass++) {
        for (size_t i = 0; i < 4; i++) {
            if (pass <= 2)
                assert_int_equal(pp_order_shuffled(4, 42, pass, i), blocks[pass - 1][i]);
            assert_int_equal(pp_order_williams(4, 42, pass, i), williams[pass - 1][i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_passes_cancel_a_drift_by_running_backwards),
        cmocka_unit_test(each_shuffled_pass_holds_every_candidate_once),
        cmocka_unit_test(all_shuffled_orders_are_equally_likely),
        cmocka_unit_test(a_williams_square_balances_places_and_neighbours),
        cmocka_unit_test(one_candidate_has_one_order),
        cmocka_unit_test(another_seed_gives_another_order_and_the_same_seed_the_same),
        cmocka_unit_test(the_order_of_a_seed_never_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
