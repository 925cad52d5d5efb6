#include "intake/llama_bench.h"

#include <stdlib.h>
#include <string.h>

#include "stats/percentile.h"

const char *pp_bench_kind_name(pp_bench_kind kind)
{
    static const char *const names[] = {
        [PP_BENCH_PP] = "pp", [PP_BENCH_TG] = "tg", [PP_BENCH_PG] = "pg"};

    return names[kind];
}

int64_t pp_bench_tokens(const pp_bench_row *row)
{
    return row->n_prompt + row->n_gen;
}

double pp_bench_rate(const pp_bench_row *row, size_t sample)
{
    return (double)pp_bench_tokens(row) * 1e9 / (double)row->samples_ns[sample];
}

/* ---- one row ------------------------------------------------------------------------------- */

#define MAX_TOKENS INT32_MAX /* llama-bench keeps them in an int */

static pp_status decode_kind(const pp_json *fields, pp_bench_row *row, pp_error *err)
{
    pp_status st = pp_json_member_int(fields, "n_prompt", 0, MAX_TOKENS, &row->n_prompt, err);

    if (st == PP_OK)
        st = pp_json_member_int(fields, "n_gen", 0, MAX_TOKENS, &row->n_gen, err);
    if (st == PP_OK && row->n_prompt == 0 && row->n_gen == 0)
        return pp_json_fail(fields, err, "n_prompt and n_gen are both 0, expected tokens");
    row->kind = row->n_gen == 0 ? PP_BENCH_PP : row->n_prompt == 0 ? PP_BENCH_TG : PP_BENCH_PG;
    return st;
}

static pp_status decode_samples(pp_arena *arena, const pp_json *fields, pp_bench_row *row,
                                pp_error *err)
{
    const pp_json *list;
    pp_status st = pp_json_member_of(fields, "samples_ns", PP_JSON_ARRAY, &list, err);

    if (st != PP_OK)
        return st;
    if (list->array.count == 0 || list->array.count > PP_BENCH_MAX_SAMPLES)
        return pp_json_fail(list, err, "expected 1 to %d samples, got %zu", PP_BENCH_MAX_SAMPLES,
                            list->array.count);
    row->sample_count = list->array.count;
    row->samples_ns = PP_ARENA_NEW(arena, int64_t, row->sample_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < row->sample_count; i++)
        st = pp_json_get_int(list->array.items[i], 1, INT64_MAX, &row->samples_ns[i], err);
    return st;
}

static pp_status decode_settings(const pp_json *fields, pp_bench_row *row, pp_error *err)
{
    const struct {
        const char *key;
        int64_t *ret_value;
    } numbers[] = {
        {"n_depth", &row->n_depth},           {"n_threads", &row->n_threads},
        {"n_batch", &row->n_batch},           {"n_ubatch", &row->n_ubatch},
        {"build_number", &row->build_number},
    };

    for (size_t i = 0; i < PP_COUNT_OF(numbers); i++) {
        const pp_json *value = pp_json_find(fields, numbers[i].key);
        pp_status st = PP_OK;

        *numbers[i].ret_value = PP_BENCH_UNKNOWN;
        if (value != NULL && value->kind != PP_JSON_NULL)
            st = pp_json_get_int(value, 0, INT64_MAX, numbers[i].ret_value, err);
        if (st != PP_OK)
            return st;
    }
    return PP_OK;
}

static pp_status decode_identity(const pp_json *fields, pp_bench_row *row, pp_error *err)
{
    const struct {
        const char *key;
        pp_text *ret_text;
    } texts[] = {
        {"type_k", &row->type_k},
        {"type_v", &row->type_v},
        {"model_filename", &row->model_filename},
        {"build_commit", &row->build_commit},
        {"backends", &row->backends},
        {"cpu_info", &row->cpu_info},
    };

    for (size_t i = 0; i < PP_COUNT_OF(texts); i++) {
        const pp_json *value = pp_json_find(fields, texts[i].key);
        pp_status st = PP_OK;

        if (value != NULL && value->kind != PP_JSON_NULL)
            st = pp_json_get_text(value, texts[i].ret_text, err);
        if (st != PP_OK)
            return st;
    }
    return PP_OK;
}

static pp_status decode_row(pp_arena *arena, const pp_json *fields, pp_bench_row *row,
                            pp_error *err)
{
    pp_status st = pp_json_expect(fields, PP_JSON_OBJECT, err);

    row->fields = fields;
    if (st == PP_OK)
        st = decode_kind(fields, row, err);
    if (st == PP_OK)
        st = decode_samples(arena, fields, row, err);
    if (st == PP_OK)
        st = decode_settings(fields, row, err);
    return st == PP_OK ? decode_identity(fields, row, err) : st;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Length of a bare nan or inf, with or without a sign, at the start of `at`; 0 when there is none.
 */
static size_t bare_word_size(const char *at, size_t size)
{
    static const char *const words[] = {"nan", "inf",      "-nan",     "-inf",
                                        "NaN", "Infinity", "-Infinity"};
    size_t longest = 0;

    for (size_t i = 0; i < PP_COUNT_OF(words); i++) {
        size_t length = strlen(words[i]);

        if (length <= size && memcmp(at, words[i], length) == 0 && length > longest)
            longest = length;
    }
    return longest;
}

/* A copy of the line with null in place of every bare nan and inf outside strings. */
static bool replace_bare_words(const char *line, size_t size, pp_buf *out)
{
    bool in_string = false;
    bool replaced = false;

    for (size_t i = 0; i < size; i++) {
        size_t word = in_string ? 0 : bare_word_size(line + i, size - i);

        if (word > 0) {
            pp_buf_append_text(out, "null");
            replaced = true;
            i += word - 1;
            continue;
        }
        if (line[i] == '"')
            in_string = !in_string;
        else if (line[i] == '\\' && in_string && i + 1 < size)
            pp_buf_append_char(out, line[i++]);
        pp_buf_append_char(out, line[i]);
    }
    return replaced;
}

static pp_status parse_line(pp_arena *arena, const char *name, const char *line, size_t size,
                            const pp_json **ret_fields, pp_error *err)
{
    pp_status st = pp_json_parse(arena, name, line, size, ret_fields, err);
    pp_error ignored = {0};
    pp_buf repaired;

    if (st != PP_ERR_SYNTAX)
        return st;
    pp_buf_init(&repaired, 2 * PP_BENCH_MAX_BYTES);
    if (replace_bare_words(line, size, &repaired) && repaired.status == PP_OK &&
        pp_json_parse(arena, name, pp_buf_text(&repaired), repaired.size, ret_fields, &ignored) ==
            PP_OK)
        st = PP_OK;
    pp_buf_done(&repaired);
    return st;
}

typedef struct reader {
    pp_arena *arena;
    const char *source;
    pp_bench_rows *rows;
    size_t capacity;
    size_t line;
} reader;

static pp_status add_row(reader *r, const pp_json *fields, pp_error *err)
{
    pp_bench_rows *rows = r->rows;

    if (rows->count == PP_BENCH_MAX_ROWS)
        return pp_fail(err, PP_ERR_LIMIT, "more than %d rows", PP_BENCH_MAX_ROWS);
    if (rows->count == r->capacity) {
        size_t capacity = r->capacity == 0 ? 32 : 2 * r->capacity;
        pp_bench_row *items = PP_ARENA_NEW(r->arena, pp_bench_row, capacity);

        if (items == NULL)
            return pp_arena_check(r->arena, err);
        if (rows->count > 0)
            memcpy(items, rows->items, rows->count * sizeof *items);
        rows->items = items;
        r->capacity = capacity;
    }
    rows->items[rows->count] = (pp_bench_row){.line = r->line};
    return decode_row(r->arena, fields, &rows->items[rows->count++], err);
}

static pp_status read_line(reader *r, const char *line, size_t size, bool ended, pp_error *err)
{
    const pp_json *fields;
    pp_status st;

    while (size > 0 && strchr(" \t\r", line[0]) != NULL && line[0] != '\0') {
        line++;
        size--;
    }
    if (size == 0)
        return PP_OK;
    if (line[0] != '{') {
        r->rows->other_line_count++;
        return PP_OK;
    }
    st = parse_line(r->arena, "row", line, size, &fields, err);
    if (st == PP_ERR_SYNTAX && !ended) {
        r->rows->truncated = true; /* the writer was stopped in the middle of it */
        return PP_OK;
    }
    return st == PP_OK ? add_row(r, fields, err) : st;
}

pp_status pp_bench_parse(pp_arena *arena, const char *source, const char *bytes, size_t size,
                         pp_bench_rows *ret_rows, pp_error *err)
{
    pp_bench_rows rows = {0};
    reader r = {.arena = arena, .source = source, .rows = &rows};
    size_t at = 0;

    if (size > PP_BENCH_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "%s: %zu bytes, expected at most %zu", source, size,
                       PP_BENCH_MAX_BYTES);
    while (at < size) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t length = end == NULL ? size - at : (size_t)(end - bytes) - at;
        pp_status st;

        r.line++;
        st = read_line(&r, bytes + at, length, end != NULL, err);
        if (st != PP_OK)
            return pp_wrap(err, st, "%s:%zu", source, r.line);
        at += length + 1;
    }
    *ret_rows = rows;
    return PP_OK;
}

/* ---- pooling ------------------------------------------------------------------------------- */

static bool starts_with(pp_text text, const char *start)
{
    size_t size = strlen(start);

    return text.size >= size && memcmp(text.data, start, size) == 0;
}

/* Measures are a closed list; whatever else a version writes is set-up. */
static bool is_measure(pp_text key)
{
    return starts_with(key, "avg_") || starts_with(key, "stddev_") ||
           starts_with(key, "samples_") || pp_text_is(key, "test_time");
}

/* The set-up of a row as canonical text: equal texts, equal set-up. */
static pp_status write_identity(pp_arena *arena, const pp_bench_row *row, pp_text *ret_identity,
                                pp_error *err)
{
    pp_json *set_up = pp_json_new_object(arena);
    pp_buf text;
    pp_status st;

    for (size_t i = 0; i < row->fields->object.count; i++) {
        const pp_json_member *member = &row->fields->object.members[i];

        if (!is_measure(member->key))
            pp_json_set_text_key(arena, set_up, member->key, member->value);
    }
    pp_buf_init(&text, PP_BENCH_MAX_BYTES);
    st = pp_json_write(set_up, PP_JSON_COMPACT, &text, err);
    if (st == PP_OK) {
        *ret_identity = pp_text_dup(arena, (pp_text){pp_buf_text(&text), text.size});
        st = pp_arena_check(arena, err);
    }
    pp_buf_done(&text);
    return st;
}

typedef struct member_row {
    pp_text identity;
    const pp_bench_row *row;
    size_t number;
} member_row;

static int compare_members(const void *a, const void *b)
{
    const member_row *x = a;
    const member_row *y = b;
    int order = pp_text_compare(x->identity, y->identity);

    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_pools(const void *a, const void *b)
{
    const pp_bench_row *x = ((const pp_bench_pool *)a)->first;
    const pp_bench_row *y = ((const pp_bench_pool *)b)->first;

    return (x > y) - (x < y); /* both point into the caller's list */
}

static pp_status medians(pp_bench_pool *pool, const member_row *members, pp_error *err)
{
    double *durations = calloc(pool->sample_count, sizeof *durations);
    double *rates = calloc(pool->sample_count, sizeof *rates);
    size_t at = 0;
    pp_status st = PP_OK;

    if (durations == NULL || rates == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", pool->sample_count);
    for (size_t i = 0; st == PP_OK && i < pool->row_count; i++) {
        const pp_bench_row *row = members[i].row;

        for (size_t j = 0; j < row->sample_count; j++, at++) {
            durations[at] = (double)row->samples_ns[j];
            rates[at] = pp_bench_rate(row, j);
        }
    }
    if (st == PP_OK) {
        pp_samples_sort(durations, at);
        pp_samples_sort(rates, at);
        st = pp_percentile(durations, at, 50.0, &pool->duration_ns_median, err);
    }
    if (st == PP_OK)
        st = pp_percentile(rates, at, 50.0, &pool->tokens_per_second_median, err);
    free(rates);
    free(durations);
    return st;
}

static pp_status group(const member_row *members, size_t n, pp_bench_pool *pools, size_t *ret_count,
                       pp_error *err)
{
    size_t at = 0;
    pp_status st = PP_OK;

    while (st == PP_OK && at < n) {
        pp_bench_pool *pool = &pools[(*ret_count)++];
        size_t start = at;

        pool->first = members[start].row;
        for (; at < n && pp_text_equal(members[at].identity, members[start].identity); at++) {
            pool->row_count++;
            pool->sample_count += members[at].row->sample_count;
        }
        st = medians(pool, members + start, err);
    }
    return st;
}

pp_status pp_bench_pool_rows(pp_arena *arena, const pp_bench_row *rows, size_t n,
                             pp_bench_pool **ret_pools, size_t *ret_count, pp_error *err)
{
    member_row *members = PP_ARENA_NEW(arena, member_row, n);
    pp_bench_pool *pools = PP_ARENA_NEW(arena, pp_bench_pool, n);
    size_t count = 0;
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < n; i++) {
        members[i] = (member_row){.row = &rows[i], .number = i};
        st = write_identity(arena, &rows[i], &members[i].identity, err);
    }
    if (st != PP_OK)
        return st;
    if (n > 1)
        qsort(members, n, sizeof *members, compare_members);
    st = group(members, n, pools, &count, err);
    if (st != PP_OK)
        return st;
    if (count > 1)
        qsort(pools, count, sizeof *pools, compare_pools);
    *ret_pools = pools;
    *ret_count = count;
    return PP_OK;
}
