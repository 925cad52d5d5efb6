/* frontier [ROUNDS] - how long the frontier takes in memory, beside qsort of one column.
 *
 * In each round every case is timed once and the peer right before it, so that a neighbour who
 * takes the CPU for a while takes it from both; medians over the rounds. Also timed, without a
 * limit of its own: who dominates each row, which a decision needs on top. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "decide/dominators.h"
#include "loads.h"

enum { MAX_ROUNDS = 31 };

typedef enum kind {
    KIND_RANDOM,   /* independent uniform costs */
    KIND_FRONT,    /* costs of a row sum to 1, evenly spread over the simplex: nothing dominated */
    KIND_NEAR_TIES /* as the last, but every 100th row is another one with nudged costs */
} kind;

static const char *const kind_names[] = {"random", "none dominated", "1 % near ties"};

typedef struct bench_case {
    size_t n_rows, n_costs;
    double limit_s, limit_ratio; /* 0: no limit */
} bench_case;

static const bench_case cases[] = {
    {1000000, 2, 0.3, 2},
    {1000000, 3, 0.5, 4},
    {100000, 6, 1, 0},
    {1000000, 6, 15, 0},
};

static uint64_t state;

/* xorshift64*, Vigna 2016 */
static double unit(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(state * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

static void fill_row(double *row, size_t n_costs, kind k)
{
    double sum = 0;

    for (size_t i = 0; i < n_costs; i++)
        sum += row[i] = k == KIND_RANDOM ? unit() : -log(1 - unit());
    for (size_t i = 0; k != KIND_RANDOM && i < n_costs; i++)
        row[i] /= sum;
}

static void nudge_row(double *row, const double *from, size_t n_costs)
{
    static const double steps[] = {0, 0.5e-9, -0.5e-9, 1e-9, -1e-9, 1.5e-9, -1.5e-9};

    for (size_t i = 0; i < n_costs; i++)
        row[i] = from[i] * (1 + steps[(size_t)(unit() * 7)]);
}

static double *make_costs(const bench_case *c, kind k)
{
    double *costs = malloc(c->n_rows * c->n_costs * sizeof *costs);

    if (costs == NULL)
        return NULL;
    state = 88172645463325252u;
    for (size_t i = 0; i < c->n_rows; i++) {
        double *row = costs + i * c->n_costs;

        if (k == KIND_NEAR_TIES && i % 100 == 99)
            nudge_row(row, costs + (size_t)(unit() * (double)i) * c->n_costs, c->n_costs);
        else
            fill_row(row, c->n_costs, k);
    }
    return costs;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return values[n / 2];
}

typedef struct timing {
    double peer_s[MAX_ROUNDS], frontier_s[MAX_ROUNDS], dominators_s[MAX_ROUNDS];
    size_t members;
} timing;

typedef struct room {
    double *costs, *column;
    bool *member;
    size_t *dominators;
} room;

static double since_s(int64_t begin_ns)
{
    return (double)(pp_clock_now_ns() - begin_ns) / 1e9;
}

static pp_status run_round(const bench_case *c, const room *r, size_t round, timing *t,
                           pp_error *err)
{
    pp_dominance dominance;
    int64_t begin_ns;
    pp_status st;

    for (size_t i = 0; i < c->n_rows; i++)
        r->column[i] = r->costs[i * c->n_costs];
    begin_ns = pp_clock_now_ns();
    qsort(r->column, c->n_rows, sizeof *r->column, compare_doubles);
    t->peer_s[round] = since_s(begin_ns);
    begin_ns = pp_clock_now_ns();
    st = pp_frontier_find(r->costs, c->n_rows, c->n_costs, r->member, &dominance, err);
    t->frontier_s[round] = since_s(begin_ns);
    if (st != PP_OK)
        return st;
    begin_ns = pp_clock_now_ns();
    st = pp_frontier_find_dominators(r->costs, c->n_rows, c->n_costs, r->member, dominance,
                                     r->dominators, err);
    t->dominators_s[round] = since_s(begin_ns);
    t->members = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        t->members += r->member[i];
    return st;
}

static bool report(const bench_case *c, kind k, size_t rounds, timing *t)
{
    double peer_s = median(t->peer_s, rounds);
    double frontier_s = median(t->frontier_s, rounds);
    double ratio = frontier_s / peer_s;
    bool is_kept = frontier_s <= c->limit_s && (c->limit_ratio == 0 || ratio <= c->limit_ratio);

    printf("frontier: %7zu x %zu %-14s %7zu members  %7.3f s (limit %4.1f)  %6.2f x qsort of one "
           "column, %.3f s",
           c->n_rows, c->n_costs, kind_names[k], t->members, frontier_s, c->limit_s, ratio, peer_s);
    if (c->limit_ratio > 0)
        printf(" (limit %.0f)", c->limit_ratio);
    printf("  dominators %.3f s: %s\n", median(t->dominators_s, rounds),
           is_kept ? "kept" : "exceeded");
    return is_kept;
}

static int run_case(const bench_case *c, kind k, size_t rounds)
{
    room r = {make_costs(c, k), malloc(c->n_rows * sizeof(double)), calloc(c->n_rows, sizeof(bool)),
              malloc(c->n_rows * sizeof(size_t))};
    timing t;
    pp_error err = {0};
    int code = 0;

    if (r.costs == NULL || r.column == NULL || r.member == NULL || r.dominators == NULL)
        code = 3;
    for (size_t i = 0; code == 0 && i < rounds; i++) {
        if (run_round(c, &r, i, &t, &err) != PP_OK) {
            fprintf(stderr, "frontier: %s\n", err.text);
            code = 3;
        }
    }
    if (code == 0 && !report(c, k, rounds, &t))
        code = 1;
    free(r.dominators);
    free(r.member);
    free(r.column);
    free(r.costs);
    return code;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? load_number("ROUNDS", argv[1], 1, MAX_ROUNDS) : 5;
    int code = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (kind k = KIND_RANDOM; k <= KIND_NEAR_TIES; k++) {
            int got = run_case(&cases[i], k, (size_t)rounds);

            code = got > code ? got : code;
        }
    }
    return code;
}
