#include <stdlib.h>
#include <string.h>

#include "decide/choice.h"
#include "decide/frontier.h"
#include "shared.h"

/* a flag string: '1' for members */
static const struct {
    const char *name;
    size_t n_rows, n_costs;
    double costs[12];
    const char *want;
    pp_dominance want_dominance;
} rows[] = {
    {"one row stays", 1, 2, {1, 2}, "1", PP_DOMINANCE_TOLERANT},
    {"worse everywhere goes", 2, 2, {1, 1, 2, 2}, "10", PP_DOMINANCE_TOLERANT},
    {"a trade-off keeps both", 2, 2, {1, 2, 2, 1}, "11", PP_DOMINANCE_TOLERANT},
    {"equal rows all stay", 3, 2, {1, 1, 1, 1, 1, 1}, "111", PP_DOMINANCE_TOLERANT},
    {"nearly equal rows stay", 2, 1, {5, 5 + 1e-12}, "11", PP_DOMINANCE_TOLERANT},
    {"better beyond the tolerance wins", 2, 1, {5, 5 + 1e-7}, "10", PP_DOMINANCE_TOLERANT},
    {"nearly equal in one, better in the other",
     2,
     2,
     {1 + 1e-12, 1, 1, 2},
     "10",
     PP_DOMINANCE_TOLERANT},
    /* each is better than the next by 1.5e-9 in one column and within 1e-9 in the others; exactly
     * compared, nobody dominates */
    {"a circle of near ties falls back to exact comparison",
     3,
     3,
     {1 + 1.5e-9, 1, 1 + 0.75e-9, 1 + 0.75e-9, 1 + 1.5e-9, 1, 1, 1 + 0.75e-9, 1 + 1.5e-9},
     "111",
     PP_DOMINANCE_EXACT},
    {"negative costs", 2, 2, {-2, -2, -1, -2}, "10", PP_DOMINANCE_TOLERANT},
};

static void members_are_not_dominated(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        bool member[4];
        pp_dominance dominance;
        pp_error err = {0};

        assert_ok(pp_frontier_find(rows[i].costs, rows[i].n_rows, rows[i].n_costs, member,
                                   &dominance, &err),
                  err);
        for (size_t j = 0; j < rows[i].n_rows; j++) {
            if (member[j] != (rows[i].want[j] == '1'))
                fail_msg("%s: row %zu", rows[i].name, j);
        }
        if (dominance != rows[i].want_dominance)
            fail_msg("%s: dominance %d", rows[i].name, dominance);
    }
}

/* The definition itself, pair by pair, on random rows with many near ties. */
static void marks_equal_the_definition_on_random_rows(void **state)
{
    enum { N = 120, M = 3 };
    double costs[N * M];
    bool member[N];
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 50; round++) {
        pp_dominance dominance;
        pp_error err = {0};

        for (size_t i = 0; i < N * M; i++)
            costs[i] = (rand_r(&seed) % 6 - 2) + (rand_r(&seed) % 5) * 0.4e-9;
        assert_ok(pp_frontier_find(costs, N, M, member, &dominance, &err), err);
        for (size_t i = 0; i < N; i++) {
            bool dominated = false;

            for (size_t j = 0; j < N; j++)
                dominated = dominated ||
                            (j != i && pp_dominates(costs + j * M, costs + i * M, M, dominance));
            if (member[i] == dominated)
                fail_msg("round %d, row %zu", round, i);
        }
    }
}

static const struct {
    const char *name;
    pp_direction direction;
    double tolerance_percent;
    pp_option_row options[3]; /* sorted by id */
    size_t n;
    bool has_preferences;
    const char *want_inside;
    const char *want_selected;
    const char *want_reason;
} choices[] = {
    {"within 10 % of the maximum",
     PP_DIRECTION_MAX,
     10,
     {{{"a", 1}, 100, 0}, {{"b", 1}, 90, 0}, {{"c", 1}, 89.9, 0}},
     3,
     false,
     "110",
     "a",
     "R4"},
    {"within 10 % of the minimum",
     PP_DIRECTION_MIN,
     10,
     {{{"a", 1}, 100, 0}, {{"b", 1}, 110, 0}, {{"c", 1}, 110.1, 0}},
     3,
     false,
     "110",
     "a",
     "R4"},
    {"no tolerance compares exactly",
     PP_DIRECTION_MIN,
     0,
     {{{"aa", 2}, 5 + 1e-12, 0}, {{"zz", 2}, 5, 0}},
     2,
     false,
     "01",
     "zz",
     "R3"},
    {"a vanishing tolerance admits near ties",
     PP_DIRECTION_MIN,
     1e-300,
     {{{"aa", 2}, 5 + 1e-12, 0}, {{"zz", 2}, 5, 0}},
     2,
     false,
     "11",
     "aa",
     "R4"},
    {"close to the cutoff is inside",
     PP_DIRECTION_MIN,
     1,
     {{{"a", 1}, 1010.0000005, 0}, {{"b", 1}, 1000, 1}},
     2,
     true,
     "11",
     "a",
     "R2"},
    {"the preferred one may be the best",
     PP_DIRECTION_MIN,
     1,
     {{{"a", 1}, 1009, 1}, {{"b", 1}, 1000, 0}},
     2,
     true,
     "11",
     "b",
     "R1"},
    {"minus zero equals zero",
     PP_DIRECTION_MIN,
     0,
     {{{"a", 1}, 0.0, 0}, {{"b", 1}, -0.0, 0}},
     2,
     false,
     "11",
     "a",
     "R3"},
    {"a best of zero has a band of no width",
     PP_DIRECTION_MIN,
     50,
     {{{"a", 1}, 0.0, 0}, {{"b", 1}, 1e-300, 0}},
     2,
     false,
     "10",
     "a",
     "R4"},
};

static void tolerance_comes_first_and_preference_second(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(choices); i++) {
        bool inside[3];
        pp_choice choice =
            pp_choice_make(choices[i].options, choices[i].n, choices[i].direction,
                           choices[i].tolerance_percent, choices[i].has_preferences, inside);

        for (size_t j = 0; j < choices[i].n; j++) {
            if (inside[j] != (choices[i].want_inside[j] == '1'))
                fail_msg("%s: option %zu", choices[i].name, j);
        }
        if (!pp_text_is(choices[i].options[choice.selected].id, choices[i].want_selected))
            fail_msg("%s: selected option %zu", choices[i].name, choice.selected);
        if (strcmp(pp_reason_code(choice.reason), choices[i].want_reason) != 0)
            fail_msg("%s: reason %s", choices[i].name, pp_reason_code(choice.reason));
    }
}

static void the_margin_is_a_fraction_of_the_best_value(void **state)
{
    const pp_option_row only = {{"a", 1}, 566.9166173010686, 0};
    bool inside;
    pp_choice choice = pp_choice_make(&only, 1, PP_DIRECTION_MIN, 10, false, &inside);

    (void)state;
    assert_true(choice.margin == 56.691661730106865); /* the last bit tells the order of steps */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_not_dominated),
        cmocka_unit_test(marks_equal_the_definition_on_random_rows),
        cmocka_unit_test(tolerance_comes_first_and_preference_second),
        cmocka_unit_test(the_margin_is_a_fraction_of_the_best_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
