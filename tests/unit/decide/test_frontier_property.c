/* The frontier against its definition, pair by pair, on seeded random sets that are full of ties,
 * near ties, copies, zeros and huge values. The definition stands here a second time, written from
 * docs/method/decision.md and sharing nothing with the code under test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decide/dominators.h"
#include "decide/frontier_parts.h"
#include "shared.h"

enum {
    SMALL_SETS = 20000,
    SETS = 4000,
    LARGE_SETS = 150,
    MAX_ROWS = 200,
    LARGE_ROWS = 1000,
    MAX_COSTS = 6
};

typedef struct random_set {
    double costs[LARGE_ROWS * MAX_COSTS];
    size_t n_rows, n_costs;
    unsigned family;
} random_set;

/* ---- the definition ------------------------------------------------------------------------ */

static bool nearly_equal(double a, double b)
{
    double distance = fabs(a - b);

    return a == b || (isfinite(distance) && (distance <= 1e-9 * fabs(a) ||
                                             distance <= 1e-9 * fabs(b) || distance <= 1e-12));
}

static bool beats(const random_set *set, size_t a, size_t b, bool is_exact)
{
    bool better = false;

    for (size_t i = 0; i < set->n_costs; i++) {
        double x = set->costs[a * set->n_costs + i];
        double y = set->costs[b * set->n_costs + i];

        if (is_exact ? x == y : nearly_equal(x, y))
            continue;
        if (x > y)
            return false;
        better = true;
    }
    return better;
}

static bool mark_by_definition(const random_set *set, bool is_exact, bool *ret_member)
{
    bool is_empty = true;

    for (size_t i = 0; i < set->n_rows; i++) {
        ret_member[i] = true;
        for (size_t j = 0; j < set->n_rows && ret_member[i]; j++)
            ret_member[i] = !beats(set, j, i, is_exact);
        is_empty = is_empty && !ret_member[i];
    }
    return !is_empty;
}

static size_t first_that_beats(const random_set *set, const bool *member, bool is_member,
                               size_t row, bool is_exact)
{
    for (size_t i = 0; i < set->n_rows; i++) {
        if (member[i] == is_member && beats(set, i, row, is_exact))
            return i;
    }
    return PP_DOMINATOR_NONE;
}

/* ---- random sets --------------------------------------------------------------------------- */

static unsigned seed;

static unsigned below(unsigned end)
{
    return (unsigned)rand_r(&seed) % end;
}

static double unit(void)
{
    return rand_r(&seed) / (RAND_MAX + 1.0);
}

/* a few steps of half a tolerance up or down */
static double nudged(double value)
{
    static const double steps[] = {0, 0.5e-9, 1e-9, 1.5e-9, -0.5e-9, -1e-9, -1.5e-9, 1e-12};

    return value * (1 + steps[below(8)]);
}

static double special(void)
{
    static const double values[] = {0.0,    -0.0,     1e-12,  -1e-12, 5e-13,    1.5e-12,  2e-12,
                                    5e-324, -5e-324,  1e308,  -1e308, 1.7e308,  -1.7e308, 1.0,
                                    -1.0,   1 + 1e-9, 1e-300, 1e300,  -1 - 1e-9};

    return values[below(PP_COUNT_OF(values))];
}

static double cost_of_family(unsigned family)
{
    switch (family) {
    case 0: /* whole numbers: ties and duplicates */
        return (double)below(5) - 2;
    case 1: /* chains of near ties around a few values */
        return (double)below(4) - 1 + below(7) * 0.5e-9;
    case 2: /* long chains around one value */
        return 1 + below(40) * 0.3e-9;
    case 3:
        return nudged(special());
    case 4: /* many sizes */
        return ldexp(unit() - 0.5, (int)below(60) - 30);
    case 5: /* around 0, where the absolute tolerance rules */
        return ((double)below(9) - 4) * 0.6e-12;
    default:
        return nudged(100 * unit());
    }
}

/* costs of one row sum to 1: nothing dominates but by near ties */
static void spread_over_simplex(double *row, size_t n_costs)
{
    double sum = 0;

    for (size_t i = 0; i < n_costs; i++)
        sum += row[i] = -log(1 - unit());
    for (size_t i = 0; i < n_costs; i++)
        row[i] /= sum;
}

static void copy_with_nudges(random_set *set, size_t to)
{
    size_t from = below((unsigned)to);

    for (size_t i = 0; i < set->n_costs; i++) {
        double cost = set->costs[from * set->n_costs + i];

        set->costs[to * set->n_costs + i] = below(3) == 0 ? nudged(cost) : cost;
    }
}

/* each row beats one of the others by 1.5e-9 in one column and loses by 0.75e-9 in two, in turn */
static void place_on_circle(double *row, size_t n_costs)
{
    static const double steps[] = {1.5e-9, 0, 0.75e-9};
    unsigned turn = below(3);

    for (size_t i = 0; i < n_costs; i++)
        row[i] = 1 + steps[(i + turn) % 3];
}

enum { SIMPLEX = 7, MIXED = 8, CIRCLE = 9, FAMILIES = 10 };

static void make_set(random_set *set, size_t max_rows)
{
    unsigned copies_percent = below(3) * 30;

    set->n_rows = 1 + below((unsigned)max_rows);
    set->n_costs = 1 + below(MAX_COSTS);
    set->family = below(FAMILIES);
    for (size_t i = 0; i < set->n_rows; i++) {
        double *row = set->costs + i * set->n_costs;

        if (i > 0 && below(100) < copies_percent)
            copy_with_nudges(set, i);
        else if (set->family == SIMPLEX)
            spread_over_simplex(row, set->n_costs);
        else if (set->family == CIRCLE)
            place_on_circle(row, set->n_costs);
        else
            for (size_t j = 0; j < set->n_costs; j++)
                row[j] = cost_of_family(set->family == MIXED ? (unsigned)j % 6 : set->family);
    }
}

/* ---- the comparison ------------------------------------------------------------------------ */

typedef struct tally {
    size_t circles, members, dominated, by_no_member;
} tally;

static void check_marks(const random_set *set, const char *what, size_t number, const bool *want,
                        const bool *got)
{
    for (size_t i = 0; i < set->n_rows; i++) {
        if (want[i] != got[i])
            fail_msg("set %zu (family %u, %zu x %zu), %s: row %zu is%s a member", number,
                     set->family, set->n_rows, set->n_costs, what, i, want[i] ? "" : " not");
    }
}

/* Each step by itself, whatever the size at which it would be taken. */
static void check_parts(const random_set *set, size_t number, bool is_exact, const bool *want)
{
    static bool got[LARGE_ROWS];
    pp_cost_table table = {set->costs, set->n_rows, set->n_costs,
                           is_exact ? PP_DOMINANCE_EXACT : PP_DOMINANCE_TOLERANT};
    pp_arena room = {0};
    pp_error err = {0};

    if (set->n_costs <= 2) {
        assert_ok(pp_frontier_sweep_two(&room, &table, got, &err), err);
        check_marks(set, "sweep of two", number, want, got);
    }
    if (set->n_costs == 3) {
        assert_ok(pp_frontier_sweep_three(&room, &table, got, &err), err);
        check_marks(set, "sweep of three", number, want, got);
    }
    if (set->n_costs >= 2) {
        assert_ok(pp_frontier_divide(&room, &table, got, &err), err);
        check_marks(set, "divide", number, want, got);
    }
    pp_arena_done(&room);
}

static void check_dominators(const random_set *set, size_t number, bool is_exact,
                             const bool *member, tally *t)
{
    static size_t got[LARGE_ROWS];
    pp_error err = {0};

    assert_ok(pp_frontier_find_dominators(set->costs, set->n_rows, set->n_costs, member,
                                          is_exact ? PP_DOMINANCE_EXACT : PP_DOMINANCE_TOLERANT,
                                          got, &err),
              err);
    for (size_t i = 0; i < set->n_rows; i++) {
        size_t want = PP_DOMINATOR_NONE;

        if (!member[i])
            want = first_that_beats(set, member, true, i, is_exact);
        if (!member[i] && want == PP_DOMINATOR_NONE) {
            want = first_that_beats(set, member, false, i, is_exact);
            t->by_no_member++;
        }
        if (got[i] != want)
            fail_msg("set %zu (family %u, %zu x %zu): row %zu is dominated by %zd, not %zd", number,
                     set->family, set->n_rows, set->n_costs, i, (ssize_t)want, (ssize_t)got[i]);
    }
}

static void check_set(const random_set *set, size_t number, tally *t)
{
    static bool want[LARGE_ROWS];
    static bool got[LARGE_ROWS];
    bool is_exact = false;
    pp_dominance dominance;
    pp_error err = {0};

    if (!mark_by_definition(set, false, want)) {
        check_parts(set, number, false, want);
        is_exact = true;
        t->circles++;
        assert_true(mark_by_definition(set, true, want));
    }
    assert_ok(pp_frontier_find(set->costs, set->n_rows, set->n_costs, got, &dominance, &err), err);
    check_marks(set, "frontier", number, want, got);
    assert_int_equal(dominance, is_exact ? PP_DOMINANCE_EXACT : PP_DOMINANCE_TOLERANT);
    check_parts(set, number, is_exact, want);
    check_dominators(set, number, is_exact, want, t);
    for (size_t i = 0; i < set->n_rows; i++)
        t->members += want[i];
    t->dominated += set->n_rows;
}

static void check_sets(size_t n_sets, size_t max_rows)
{
    static random_set set;
    tally t = {0};

    for (size_t i = 0; i < n_sets; i++) {
        make_set(&set, max_rows);
        check_set(&set, i, &t);
    }
    print_message("# %zu sets: %zu of %zu rows are members, %zu sets run in a circle, %zu rows are "
                  "dominated by no member\n",
                  n_sets, t.members, t.dominated, t.circles, t.by_no_member);
    assert_true(t.members > t.dominated / 20 && t.members < t.dominated * 19 / 20);
    assert_true(t.by_no_member > 0);                   /* or the sets would not try */
    assert_true(t.circles > 0 || max_rows > MAX_ROWS); /* what is hard */
}

static void small_sets_have_the_frontier_of_the_definition(void **state)
{
    (void)state;
    seed = 20240611;
    check_sets(SMALL_SETS, 60);
    check_sets(SETS, MAX_ROWS);
}

static void large_sets_have_the_frontier_of_the_definition(void **state)
{
    (void)state;
    seed = 5;
    check_sets(LARGE_SETS, LARGE_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets_have_the_frontier_of_the_definition),
        cmocka_unit_test(large_sets_have_the_frontier_of_the_definition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
