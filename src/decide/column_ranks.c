/* Least significant digit first on the 33 leading bits that differ at all, then each run of rows
 * that agree in them by comparison: three passes over memory instead of twenty levels of a merge.
 */
#include "decide/column_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "stats/close.h"

enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS, DIGITS = 3, SHORT_RUN = 24 };

static uint64_t key_of(double cost)
{
    uint64_t bits;

    cost += 0.0; /* -0.0 becomes 0.0 */
    memcpy(&bits, &cost, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

double pp_key_cost(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double cost;

    memcpy(&cost, &bits, sizeof cost);
    return cost;
}

bool pp_cost_is_better(double a, double b, pp_dominance dominance)
{
    return a < b &&
           (dominance == PP_DOMINANCE_EXACT ||
            !pp_close(a, b, PP_DOMINANCE_RELATIVE_TOLERANCE, PP_DOMINANCE_ABSOLUTE_TOLERANCE));
}

/* ---- sorting ------------------------------------------------------------------------------- */

static int compare_keyed(const void *a, const void *b)
{
    const pp_keyed_row *x = a;
    const pp_keyed_row *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The keys of a short run differ in few places or none; the order of rows is already there. */
static void sort_short_run(pp_keyed_row *run, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        pp_keyed_row moved = run[i];
        size_t at = i;

        for (; at > 0 && run[at - 1].key > moved.key; at--)
            run[at] = run[at - 1];
        run[at] = moved;
    }
}

static bool is_sorted(const pp_keyed_row *run, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (run[i - 1].key > run[i].key)
            return false;
    }
    return true;
}

static void sort_runs(pp_keyed_row *order, size_t n, uint64_t base, unsigned shift)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint64_t leading = (order[begin].key - base) >> shift;

        for (end = begin + 1; end < n && (order[end].key - base) >> shift == leading;)
            end++;
        if (end - begin <= SHORT_RUN)
            sort_short_run(order + begin, end - begin);
        else if (!is_sorted(order + begin, end - begin))
            qsort(order + begin, end - begin, sizeof *order, compare_keyed);
    }
}

static unsigned digit_of(uint64_t key, uint64_t base, unsigned shift)
{
    return (unsigned)((key - base) >> shift) & (DIGIT_COUNT - 1);
}

static void sort_by_digit(const pp_keyed_row *from, pp_keyed_row *to, size_t n, uint64_t base,
                          unsigned shift)
{
    size_t starts[DIGIT_COUNT] = {0};
    size_t next = 0;

    for (size_t i = 0; i < n; i++)
        starts[digit_of(from[i].key, base, shift)]++;
    for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
        size_t count = starts[digit];

        starts[digit] = next;
        next += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[digit_of(from[i].key, base, shift)]++] = from[i];
}

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;

    for (; value > 0; value >>= 1)
        bits++;
    return bits;
}

void pp_column_sort(const double *costs, size_t n_rows, size_t stride, pp_keyed_row *order,
                    pp_keyed_row *scratch)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
    unsigned bits, shift;

    /* an odd number of passes: begin in the scratch, end in the order */
    for (size_t i = 0; i < n_rows; i++) {
        uint64_t key = key_of(costs[i * stride]);

        scratch[i] = (pp_keyed_row){key, (uint32_t)i};
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    bits = n_rows == 0 ? 0 : bits_of(high - low);
    shift = bits > DIGITS * DIGIT_BITS ? bits - DIGITS * DIGIT_BITS : 0;
    sort_by_digit(scratch, order, n_rows, low, shift);
    sort_by_digit(order, scratch, n_rows, low, shift + DIGIT_BITS);
    sort_by_digit(scratch, order, n_rows, low, shift + 2 * DIGIT_BITS);
    if (shift > 0)
        sort_runs(order, n_rows, low, shift);
}

/* ---- ranks --------------------------------------------------------------------------------- */

/* Both edges only ever move up, because near equality holds on an interval whose ends rise with
 * its middle: docs/method/decision.md. */
size_t pp_column_rank(const pp_keyed_row *order, size_t n_rows, size_t stride,
                      pp_dominance dominance, pp_place *places, double *values)
{
    size_t count = 0;
    size_t better = 0;
    size_t not_worse = 0;

    for (size_t i = 0; i < n_rows; i++) {
        if (i == 0 || order[i].key != order[i - 1].key)
            values[count++] = pp_key_cost(order[i].key);
    }
    for (size_t i = 0, rank = 0; i < n_rows; i++) {
        if (i > 0 && order[i].key != order[i - 1].key)
            rank++;
        while (pp_cost_is_better(values[better], values[rank], dominance))
            better++;
        if (not_worse < rank)
            not_worse = rank;
        while (not_worse + 1 < count &&
               !pp_cost_is_better(values[rank], values[not_worse + 1], dominance))
            not_worse++;
        places[order[i].row * stride] =
            (pp_place){(uint32_t)rank, (uint32_t)better, (uint32_t)not_worse};
    }
    return count;
}
