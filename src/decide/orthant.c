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
    SMALL_PRODUCT = 32768, /* pairs that are compared at once rather than split */
    FEW = 8,               /* points or queries: likewise */
    SAMPLE = 15,           /* of each list, for the place of a split */
    /* Splits within splits at a sampled median; below that at the middle of the range, which at
     * most 32 halvings end whatever the coordinates are. */
    SAMPLED_LEVELS = 64
};

typedef struct part {
    const uint32_t *points, *queries;
    size_t n_points, n_queries;
    size_t hits_seen; /* of the walk, when the entries were copied */
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
    int32_t *block;  /* room for some points, side by side, and for */
    int32_t *corner; /* a query that they are compared with */
    unsigned level;  /* of splits within splits */
    size_t hits;     /* answers so far; as long as they stay, so do limits and found rows */
    bool is_out_of_memory;
} walk;

static void record(walk *w, const uint32_t *query, const uint32_t *point)
{
    uint32_t number = query[PP_ORTHANT_NUMBER];

    w->hits++;
    w->search->found[number] = point[PP_ORTHANT_NUMBER];
    w->search->limits[number] = w->search->is_any_enough ? 0 : point[PP_ORTHANT_VALUE];
}

/* Then what was copied still holds, and a far away read for each entry is spared. */
static bool is_fresh(const walk *w, const part *p)
{
    return p->hits_seen == w->hits;
}

static uint32_t limit_of(const walk *w, const part *p, const uint32_t *query)
{
    return is_fresh(w, p) ? query[PP_ORTHANT_VALUE] : w->search->limits[query[PP_ORTHANT_NUMBER]];
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

/* Sixteen points side by side, column by column: the value and each coordinate. Numbers are moved
 * down by 2^31, because processors compare signed ones several at a time. */
enum { BLOCK = 16 };

static int32_t moved(uint32_t number)
{
    return (int32_t)(number ^ UINT32_C(0x80000000));
}

static void fill_block(const walk *w, const uint32_t *points, size_t n_points, size_t depth)
{
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t *point = points + i * w->stride;

        w->block[i] = i < n_points ? moved(point[PP_ORTHANT_VALUE]) : INT32_MAX;
        for (size_t j = 1; j <= depth; j++)
            w->block[j * BLOCK + i] = i < n_points ? moved(point[PP_ORTHANT_VALUE + j]) : 0;
    }
}

/* Which points of the block are below the corner: -1 or 0 for each. */
static bool find_below(const int32_t *block, const int32_t *corner, size_t n_columns,
                       int32_t *ret_below)
{
    int32_t any = 0;

    for (size_t i = 0; i < BLOCK; i++)
        ret_below[i] = -1;
    for (size_t j = 0; j < n_columns; j++) {
        int32_t most = corner[j];

        for (size_t i = 0; i < BLOCK; i++)
            ret_below[i] &= -(int32_t)(block[j * BLOCK + i] <= most);
    }
    for (size_t i = 0; i < BLOCK; i++)
        any |= ret_below[i];
    return any != 0;
}

static void compare_with_block(walk *w, const part *p, const uint32_t *points, size_t n_points,
                               const uint32_t *query, size_t depth)
{
    uint32_t limit = limit_of(w, p, query);
    int32_t below[BLOCK];

    if (limit == 0)
        return;
    w->corner[0] = moved(limit - 1);
    for (size_t j = 1; j <= depth; j++)
        w->corner[j] = moved(query[PP_ORTHANT_VALUE + j]);
    if (!find_below(w->block, w->corner, depth + 1, below))
        return;
    for (size_t i = 0; i < n_points; i++) {
        const uint32_t *point = points + i * w->stride;

        if (below[i] != 0 && point[PP_ORTHANT_VALUE] < limit_of(w, p, query))
            record(w, query, point);
    }
}

/* Queries ascend in the first coordinate: for later blocks the first ones are behind. */
static void compare_all(walk *w, const part *p, size_t depth)
{
    size_t first_query = 0;

    for (size_t i = 0; i < p->n_points; i += BLOCK) {
        const uint32_t *points = p->points + i * w->stride;
        size_t n_points = p->n_points - i < BLOCK ? p->n_points - i : BLOCK;

        fill_block(w, points, n_points, depth);
        while (first_query < p->n_queries &&
               p->queries[first_query * w->stride + PP_ORTHANT_FIRST] < points[PP_ORTHANT_FIRST])
            first_query++;
        for (size_t j = first_query; j < p->n_queries; j++)
            compare_with_block(w, p, points, n_points, p->queries + j * w->stride, depth);
    }
}

/* One coordinate left (or none: then every point counts for every query). */
static void walk_along(walk *w, const part *p, size_t depth)
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
        if (least != NULL && least[PP_ORTHANT_VALUE] < limit_of(w, p, query))
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

static uint32_t lowest_of(const uint32_t *entries, size_t n, size_t stride, size_t at)
{
    uint32_t lowest = UINT32_MAX;

    for (size_t i = 0; i < n; i++)
        lowest = lower(lowest, entries[i * stride + at]);
    return lowest;
}

static uint32_t highest_of(const uint32_t *entries, size_t n, size_t stride, size_t at)
{
    uint32_t highest = 0;

    for (size_t i = 0; i < n; i++)
        highest = higher(highest, entries[i * stride + at]);
    return highest;
}

static void measure(const walk *w, const part *p, size_t depth, span *s)
{
    size_t last = PP_ORTHANT_FIRST + depth - 1;

    for (size_t j = 0; j < depth; j++) {
        s->lowest[j] = lowest_of(p->points, p->n_points, w->stride, PP_ORTHANT_FIRST + j);
        s->highest[j] = highest_of(p->queries, p->n_queries, w->stride, PP_ORTHANT_FIRST + j);
    }
    s->lowest_value = lowest_of(p->points, p->n_points, w->stride, PP_ORTHANT_VALUE);
    s->highest_limit = highest_of(p->queries, p->n_queries, w->stride, PP_ORTHANT_VALUE);
    s->highest_point = highest_of(p->points, p->n_points, w->stride, last);
    s->lowest_query = lowest_of(p->queries, p->n_queries, w->stride, last);
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

/* No jump that depends on the entries, here and below: half of them would be guessed wrongly. */
static bool is_above(const uint32_t *a, const uint32_t *b, size_t n)
{
    unsigned count = 0;

    for (size_t i = 0; i < n; i++)
        count += a[i] > b[i];
    return count > 0;
}

static bool is_point_needed(const walk *w, const part *p, const uint32_t *point, size_t depth,
                            const span *s)
{
    bool is_needed = (point[PP_ORTHANT_VALUE] < s->highest_limit) &
                     !is_above(point + PP_ORTHANT_FIRST, s->highest, depth);

    if (!w->search->may_drop_found || is_fresh(w, p))
        return is_needed;
    return is_needed & (w->search->found[point[PP_ORTHANT_NUMBER]] == PP_ORTHANT_NONE);
}

/* Entries that are put one behind the other, with room for all of them. */
typedef struct heap {
    uint32_t *entries;
    size_t count;
} heap;

typedef struct halves {
    heap low, high;
} halves;

/* Where the entry belongs; what is not kept is overwritten by the next one. */
static uint32_t *put(halves *h, const uint32_t *entry, size_t stride, bool is_low, bool is_kept)
{
    uint32_t *out =
        is_low ? h->low.entries + h->low.count * stride : h->high.entries + h->high.count * stride;

    for (size_t i = 0; i < stride; i++) /* few; far quicker than a call of memcpy */
        out[i] = entry[i];
    h->low.count += is_low & is_kept;
    h->high.count += !is_low & is_kept;
    return out;
}

static void split_points(const walk *w, const part *p, size_t depth, const span *s, uint32_t split,
                         halves *ret)
{
    for (size_t i = 0; i < p->n_points; i++) {
        const uint32_t *point = p->points + i * w->stride;

        (void)put(ret, point, w->stride, point[PP_ORTHANT_FIRST + depth - 1] <= split,
                  is_point_needed(w, p, point, depth, s));
    }
}

static void split_queries(const walk *w, const part *p, size_t depth, const span *s, uint32_t split,
                          halves *ret)
{
    for (size_t i = 0; i < p->n_queries; i++) {
        const uint32_t *query = p->queries + i * w->stride;
        uint32_t limit = limit_of(w, p, query);
        bool is_open =
            (limit > s->lowest_value) & !is_above(s->lowest, query + PP_ORTHANT_FIRST, depth);

        put(ret, query, w->stride, query[PP_ORTHANT_FIRST + depth - 1] <= split,
            is_open)[PP_ORTHANT_VALUE] = limit;
    }
}

static void search_part(walk *w, part p, size_t depth);

static part meet(const heap *points, const heap *queries, size_t hits)
{
    return (part){points->entries, queries->entries, points->count, queries->count, hits};
}

static void search_halves(walk *w, const part *p, size_t depth, const span *s)
{
    size_t n_points = p->n_points * w->stride;
    size_t n_queries = p->n_queries * w->stride;
    uint32_t *room = malloc(2 * (n_points + n_queries) * sizeof *room);
    uint32_t split = find_split(w, p, depth, s);
    halves points = {{room, 0}, {room + n_points, 0}};
    halves queries = {{room + 2 * n_points, 0}, {room + 2 * n_points + n_queries, 0}};
    size_t hits = w->hits;

    if (room == NULL) {
        w->is_out_of_memory = true;
        return;
    }
    split_points(w, p, depth, s, split, &points);
    split_queries(w, p, depth, s, split, &queries);
    w->level++;
    search_part(w, meet(&points.low, &queries.low, hits), depth);
    search_part(w, meet(&points.low, &queries.high, hits), depth - 1);
    search_part(w, meet(&points.high, &queries.high, hits), depth);
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
    measure(w, &p, depth, &s);
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
    part all = {search->points, search->queries, search->n_points, search->n_queries, 0};

    w.spans = calloc(search->width, 2 * sizeof *w.spans);
    w.block = calloc(search->width + 1, (BLOCK + 1) * sizeof *w.block);
    if (w.spans == NULL || w.block == NULL) {
        w.is_out_of_memory = true;
        goto done;
    }
    w.corner = w.block + (search->width + 1) * BLOCK;
    for (size_t i = 0; i < search->n_queries; i++) {
        uint32_t *query = search->queries + i * w.stride;

        query[PP_ORTHANT_VALUE] = search->limits[query[PP_ORTHANT_NUMBER]];
    }
    search_part(&w, all, search->width);
done:
    free(w.block);
    free(w.spans);
    if (w.is_out_of_memory)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a search of %zu points",
                       search->n_points);
    return PP_OK;
}
