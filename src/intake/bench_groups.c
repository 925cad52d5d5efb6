#include "intake/bench_groups.h"

#include <stdlib.h>

static bool is_test(pp_text key)
{
    return pp_text_is(key, "n_prompt") || pp_text_is(key, "n_gen") || pp_text_is(key, "n_depth");
}

bool pp_bench_is_set_up(pp_text key)
{
    return !is_test(key) && !pp_bench_is_measure(key);
}

typedef struct sorted_pool {
    pp_text identity;
    const pp_bench_pool *pool;
} sorted_pool;

static int compare_sorted(const void *a, const void *b)
{
    const sorted_pool *x = a;
    const sorted_pool *y = b;
    int order = pp_text_compare(x->identity, y->identity);

    return order != 0 ? order : (x->pool > y->pool) - (x->pool < y->pool);
}

static int compare_groups(const void *a, const void *b)
{
    const pp_bench_pool *x = ((const pp_bench_group *)a)->pools[0];
    const pp_bench_pool *y = ((const pp_bench_group *)b)->pools[0];

    return (x > y) - (x < y); /* pools stand in the order of the rows */
}

pp_status pp_bench_group_pools(pp_arena *arena, const pp_bench_pool *pools, size_t n,
                               pp_bench_group **ret_groups, size_t *ret_count, pp_error *err)
{
    sorted_pool *sorted = PP_ARENA_NEW(arena, sorted_pool, n);
    const pp_bench_pool **members = PP_ARENA_NEW(arena, const pp_bench_pool *, n);
    pp_bench_group *groups = PP_ARENA_NEW(arena, pp_bench_group, n);
    size_t count = 0;
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < n; i++) {
        sorted[i].pool = &pools[i];
        st = pp_bench_identity(arena, pools[i].first, pp_bench_is_set_up, &sorted[i].identity, err);
    }
    if (st != PP_OK)
        return st;
    qsort(sorted, n, sizeof *sorted, compare_sorted);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !pp_text_equal(sorted[i].identity, sorted[i - 1].identity))
            groups[count++] = (pp_bench_group){sorted[i].identity, members + i, 0};
        groups[count - 1].pool_count++;
        members[i] = sorted[i].pool;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    *ret_groups = groups;
    *ret_count = count;
    return PP_OK;
}

/* ---- in what they differ -------------------------------------------------------------------- */

static pp_text field_text(pp_arena *arena, const pp_bench_row *row, pp_text key)
{
    const pp_json *value = pp_json_find_text(row->fields, key);

    return value == NULL ? pp_text_of("absent") : pp_bench_field_text(arena, row, key, value);
}

/* Some configuration has another value, or has it while others do not. */
static bool varies(pp_arena *arena, const pp_bench_group *groups, size_t n, pp_text key)
{
    pp_text first = field_text(arena, groups[0].pools[0]->first, key);

    for (size_t i = 1; i < n; i++) {
        if (!pp_text_equal(first, field_text(arena, groups[i].pools[0]->first, key)))
            return true;
    }
    return false;
}

static bool was_seen(const pp_text *keys, size_t count, pp_text key)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(keys[i], key))
            return true;
    }
    return false;
}

pp_text *pp_bench_list_varying(pp_arena *arena, const pp_bench_group *groups, size_t n,
                               size_t *ret_count)
{
    size_t room = 0;
    pp_text *keys;
    pp_text *seen;
    size_t seen_count = 0;

    *ret_count = 0;
    for (size_t i = 0; i < n; i++)
        room += groups[i].pools[0]->first->fields->object.count;
    keys = PP_ARENA_NEW(arena, pp_text, room);
    seen = PP_ARENA_NEW(arena, pp_text, room);
    for (size_t i = 0; keys != NULL && seen != NULL && i < n; i++) {
        const pp_json *fields = groups[i].pools[0]->first->fields;

        for (size_t j = 0; j < fields->object.count; j++) {
            pp_text key = fields->object.members[j].key;

            if (!pp_bench_is_set_up(key) || was_seen(seen, seen_count, key))
                continue;
            seen[seen_count++] = key;
            if (varies(arena, groups, n, key))
                keys[(*ret_count)++] = key;
        }
    }
    return keys;
}

pp_text pp_bench_group_id(pp_arena *arena, const pp_bench_group *group, const pp_text *keys,
                          size_t n_keys)
{
    const pp_bench_row *row = group->pools[0]->first;
    pp_buf out;
    pp_text id;

    if (n_keys == 0)
        return pp_text_of("llama-bench");
    pp_buf_init(&out, PP_BENCH_MAX_LINE_BYTES);
    for (size_t i = 0; i < n_keys; i++) {
        pp_text value = field_text(arena, row, keys[i]);

        pp_buf_append_text(&out, i == 0 ? "" : " ");
        pp_buf_append(&out, keys[i].data, keys[i].size);
        pp_buf_append_char(&out, '=');
        pp_buf_append(&out, value.data, value.size);
    }
    if (pp_buf_check(&out, "id", NULL) != PP_OK)
        arena->failed = true;
    id = pp_text_dup(arena, (pp_text){pp_buf_text(&out), out.size});
    pp_buf_done(&out);
    return id;
}
