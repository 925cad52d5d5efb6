#include "decide/edge.h"

#include <stdint.h>
#include <string.h>

/* Doubles in their order as integers; both zeros are 0. */
static int64_t rank_of(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double of_rank(int64_t rank)
{
    int64_t bits = rank >= 0 ? rank : INT64_MIN - rank;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Without overflow, which two numbers of opposite sign would cause. */
static int64_t middle_of(int64_t a, int64_t b)
{
    return (a & b) + ((a ^ b) >> 1);
}

double pp_edge_find(pp_edge_rule holds, const void *context, double no, double yes)
{
    int64_t out = rank_of(no);
    int64_t in = rank_of(yes);

    for (;;) {
        int64_t low = out < in ? out : in;
        int64_t high = out < in ? in : out;
        int64_t middle = middle_of(low, high); /* rounded down */

        if (high - 1 <= low)
            return of_rank(in);
        if (holds(context, of_rank(middle)))
            in = middle;
        else
            out = middle;
    }
}
