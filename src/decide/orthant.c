/* Divide and conquer over one coordinate after the other. Split points and queries at a value of
 * the last coordinate into low and high: low points meet low queries and high points high queries
 * in as many coordinates as before; low points meet high queries in one coordinate less; high
 * points meet low queries never. With one coordinate left both lists are still sorted by it, since
 * every split keeps the order, and one walk along both ends it.
 *
 * Before each split, what cannot matter is left out: points above every query in some coordinate,
 * queries below every point. On sets without dominance, the slowest ones, that is most of them. */
#include "decide/orthant.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL_PRODUCT = 2048, /* pairs that are compared at once rather than split */
    FEW = 6,              /* points or queries: likewise */
    SAMPLE = 15,          /* of each list, for the place of a split */
    /* Splits within splits at a sampled median; below that at the middle of the range, which at
     * most 32 halvings end whatever the coordinates are. */
    SAMPLED_LEVELS = 64
};

typedef struct part {
    const uint32_t *points, *queries;
    size_t n_points, n_queries;
} part;

/* What a part spans, coordinate by coordinate. */
typedef struct span {
    uint32_t lowest_value; /* of a point */
    uint32_t highest_limit;
    uint32_t *lowest;                     /* of the points */
    uint32_t *highest;                    /* of the queries */
    uint32_t highest_point, lowest_query; /* in the last coordinate */
} span;

typedef struct walk {
    pp_orthant *search;
    size_t stride;
    uint32_t *spans; /* room for the lists of a span */
    unsigned level;  /* of splits within splits */
    bool is_out_of_memory;
} walk;

static void record(const walk *w, const uint32_t *query, const uint32_t *point)
{
    uint32_t number = query[PP_ORTHANT_NUMBER];

    w->search->found[number] = point[PP_ORTHANT_NUMBER];
    w->search->limits[number] = w->search->is_any_enough ? 0 : point[PP_ORTHANT_VALUE];
}

static uint32_t limit_of(const walk *w, const uint32_t *query)
{
    return w->search->limits[query[PP_ORTHANT_NUMBER]];
}

/* ---- parts that need no split -------------------------------------------------------------- */

static bool is_below(const uint32_t *point, const uint32_t *query, size_t depth)
{
    for (size_t i = PP_ORTHANT_FIRST; i < PP_ORTHANT_FIRST + depth; i++) {
        if (point[i] > query[i])
            return false;
    }
    return true;
}

static void compare_all(const walk *w, const part *p, size_t depth)
{
    for (size_t i = 0; i < p->n_queries; i++) {
        const uint32_t *query = p->queries + i * w->stride;
        uint32_t limit = limit_of(w, query);

        for (size_t j = 0; j < p->n_points && limit > 0; j++) {
            const uint32_t *point = p->points + j * w->stride;

            if (point[PP_ORTHANT_VALUE] < limit && is_below(point, query, depth)) {
                record(w, query, point);
                limit = limit_of(w, query);
            }
        }
    }
}

/* One coordinate left (or none: then every point counts for every query). */
static void walk_along(const walk *w, const part *p, size_t depth)
{
    const uint32_t *least = NULL;
    size_t next = 0;

    for (size_t i = 0; i < p->n_queries; i++) {
        const uint32_t *query = p->queries + i * w->stride;

        for (; next < p->n_points; next++) {
            const uint32_t *point = p->points + next * w->stride;

            if (!is_below(point, query, depth))
                break;
            if (least == NULL || point[PP_ORTHANT_VALUE] < least[PP_ORTHANT_VALUE])
                least = point;
        }
        if (least != NULL && least[PP_ORTHANT_VALUE] < limit_of(w, query))
            record(w, query, least);
    }
}

/* ---- splitting ----------------------------------------------------------------------------- */

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void measure_points(const walk *w, const part *p, size_t depth, span *s)
{
    size_t last = PP_ORTHANT_FIRST + depth - 1;

    s->lowest_value = UINT32_MAX;
    s->highest_point = 0;
    memset(s->lowest, 0xff, depth * sizeof *s->lowest);
    for (size_t i = 0; i < p->n_points; i++) {
        const uint32_t *point = p->points + i * w->stride;

        s->lowest_value = lower(s->lowest_value, point[PP_ORTHANT_VALUE]);
        s->highest_point = higher(s->highest_point, point[last]);
        for (size_t j = 0; j < depth; j++)
            s->lowest[j] = lower(s->lowest[j], point[PP_ORTHANT_FIRST + j]);
    }
}

static void measure_queries(const walk *w, const part *p, size_t depth, span *s)
{
    size_t last = PP_ORTHANT_FIRST + depth - 1;

    s->highest_limit = 0;
    s->lowest_query = UINT32_MAX;
    memset(s->highest, 0, depth * sizeof *s->highest);
    for (size_t i = 0; i < p->n_queries; i++) {
        const uint32_t *query = p->queries + i * w->stride;

        s->highest_limit = higher(s->highest_limit, query[PP_ORTHANT_VALUE]);
        s->lowest_query = lower(s->lowest_query, query[last]);
        for (size_t j = 0; j < depth; j++)
            s->highest[j] = higher(s->highest[j], query[PP_ORTHANT_FIRST + j]);
    }
}

static bool is_hopeless(const span *s, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        if (s->lowest[i] > s->highest[i])
            return true;
    }
    return s->lowest_value >= s->highest_limit;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static size_t sample(const uint32_t *entries, size_t n, size_t stride, size_t at, uint32_t *out)
{
    size_t count = n < SAMPLE ? n : SAMPLE;

    for (size_t i = 0; i < count; i++)
        out[i] = entries[(2 * i + 1) * n / (2 * count) * stride + at];
    return count;
}

/* The highest coordinate of the low half: near the median, and such that neither half is empty.
 * There are two different values at least, or the coordinate would have been done with. */
static uint32_t find_split(const walk *w, const part *p, size_t depth, const span *s)
{
    size_t last = PP_ORTHANT_FIRST + depth - 1;
    uint32_t seen[2 * SAMPLE];
    uint32_t highest = higher(s->highest_point, s->highest[depth - 1]);
    uint32_t lowest = lower(s->lowest_query, s->lowest[depth - 1]);
    size_t count = sample(p->points, p->n_points, w->stride, last, seen);

    if (w->level > SAMPLED_LEVELS)
        return lowest + (highest - lowest - 1) / 2;
    count += sample(p->queries, p->n_queries, w->stride, last, seen + count);
    qsort(seen, count, sizeof *seen, compare_numbers);
    return lower(seen[count / 2], highest - 1);
}

static bool is_point_needed(const walk *w, const uint32_t *point, size_t depth, const span *s)
{
    if (point[PP_ORTHANT_VALUE] >= s->highest_limit)
        return false;
    for (size_t i = 0; i < depth; i++) {
        if (point[PP_ORTHANT_FIRST + i] > s->highest[i])
            return false;
    }
    return !w->search->may_drop_found ||
           w->search->found[point[PP_ORTHANT_NUMBER]] == PP_ORTHANT_NONE;
}

static bool is_query_open(const walk *w, const uint32_t *query, size_t depth, const span *s)
{
    for (size_t i = 0; i < depth; i++) {
        if (query[PP_ORTHANT_FIRST + i] < s->lowest[i])
            return false;
    }
    return limit_of(w, query) > s->lowest_value;
}

typedef struct halves {
    uint32_t *low, *high; /* entries */
    size_t n_low, n_high;
} halves;

/* Entries have one length in a search, and a loop over it is far quicker than a call of memcpy. */
static void append(uint32_t *to, size_t *n, const uint32_t *entry, size_t stride)
{
    uint32_t *out = to + (*n)++ * stride;

    for (size_t i = 0; i < stride; i++)
        out[i] = entry[i];
}

static void split_points(const walk *w, const part *p, size_t depth, const span *s, uint32_t split,
                         halves *ret)
{
    for (size_t i = 0; i < p->n_points; i++) {
        const uint32_t *point = p->points + i * w->stride;

        if (!is_point_needed(w, point, depth, s))
            continue;
        if (point[PP_ORTHANT_FIRST + depth - 1] <= split)
            append(ret->low, &ret->n_low, point, w->stride);
        else
            append(ret->high, &ret->n_high, point, w->stride);
    }
}

static void split_queries(const walk *w, const part *p, size_t depth, const span *s, uint32_t split,
                          halves *ret)
{
    for (size_t i = 0; i < p->n_queries; i++) {
        const uint32_t *query = p->queries + i * w->stride;
        bool is_low = query[PP_ORTHANT_FIRST + depth - 1] <= split;
        uint32_t *to = is_low ? ret->low : ret->high;
        size_t *n = is_low ? &ret->n_low : &ret->n_high;

        if (!is_query_open(w, query, depth, s))
            continue;
        append(to, n, query, w->stride);
        to[(*n - 1) * w->stride + PP_ORTHANT_VALUE] = limit_of(w, query);
    }
}

static void search_part(walk *w, part p, size_t depth);

static void search_halves(walk *w, const part *p, size_t depth, const span *s)
{
    size_t points = p->n_points * w->stride;
    size_t queries = p->n_queries * w->stride;
    uint32_t *room = malloc(2 * (points + queries) * sizeof *room);
    uint32_t split = find_split(w, p, depth, s);
    halves of_points = {.low = room, .high = room + points};
    halves of_queries = {.low = room + 2 * points, .high = room + 2 * points + queries};

    if (room == NULL) {
        w->is_out_of_memory = true;
        return;
    }
    split_points(w, p, depth, s, split, &of_points);
    split_queries(w, p, depth, s, split, &of_queries);
    w->level++;
    search_part(w, (part){of_points.low, of_queries.low, of_points.n_low, of_queries.n_low}, depth);
    search_part(w, (part){of_points.low, of_queries.high, of_points.n_low, of_queries.n_high},
                depth - 1);
    search_part(w, (part){of_points.high, of_queries.high, of_points.n_high, of_queries.n_high},
                depth);
    w->level--;
    free(room);
}

static void search_part(walk *w, part p, size_t depth)
{
    span s = {.lowest = w->spans, .highest = w->spans + w->search->width};

    if (p.n_points == 0 || p.n_queries == 0 || w->is_out_of_memory)
        return;
    if (depth <= 1) {
        walk_along(w, &p, depth);
        return;
    }
    if (p.n_points <= FEW || p.n_queries <= FEW || p.n_points * p.n_queries <= SMALL_PRODUCT) {
        compare_all(w, &p, depth);
        return;
    }
    measure_points(w, &p, depth, &s);
    measure_queries(w, &p, depth, &s);
    if (is_hopeless(&s, depth))
        return;
    if (s.highest_point <= s.lowest_query)
        search_part(w, p, depth - 1);
    else
        search_halves(w, &p, depth, &s);
}

pp_status pp_orthant_search(pp_orthant *search, pp_error *err)
{
    walk w = {.search = search, .stride = PP_ORTHANT_FIRST + search->width};
    part all = {search->points, search->queries, search->n_points, search->n_queries};

    w.spans = calloc(search->width, 2 * sizeof *w.spans);
    if (w.spans == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a search of %zu coordinates",
                       search->width);
    for (size_t i = 0; i < search->n_queries; i++) {
        uint32_t *query = search->queries + i * w.stride;

        query[PP_ORTHANT_VALUE] = limit_of(&w, query);
    }
    search_part(&w, all, search->width);
    free(w.spans);
    if (w.is_out_of_memory)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a search of %zu points",
                       search->n_points);
    return PP_OK;
}
