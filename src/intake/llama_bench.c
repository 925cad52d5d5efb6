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

/* What a row without samples has to say; nan and inf came as null. */
static pp_status decode_averages(const pp_json *fields, pp_bench_row *row, pp_error *err)
{
    const pp_json *mean = pp_json_find(fields, "avg_ts");
    const pp_json *stdev = pp_json_find(fields, "stddev_ts");
    pp_status st;

    if (mean == NULL)
        return pp_json_fail(fields, err, "neither samples nor a rate");
    st = pp_json_get_number(mean, &row->tokens_per_second_mean.value, err);
    if (st == PP_OK && !(row->tokens_per_second_mean.value > 0))
        return pp_json_fail(mean, err, "expected a rate above 0, got %g",
                            row->tokens_per_second_mean.value);
    row->tokens_per_second_mean.known = st == PP_OK;
    if (st == PP_OK && stdev != NULL && stdev->kind != PP_JSON_NULL) {
        st = pp_json_get_number(stdev, &row->tokens_per_second_stdev.value, err);
        row->tokens_per_second_stdev.known = st == PP_OK;
    }
    return st;
}

static bool has_samples(pp_bench_format format)
{
    return format == PP_BENCH_FORMAT_JSONL || format == PP_BENCH_FORMAT_JSON;
}

static pp_status decode_row(pp_arena *arena, pp_bench_format format, const pp_json *fields,
                            pp_bench_row *row, pp_error *err)
{
    pp_status st = pp_json_expect(fields, PP_JSON_OBJECT, err);

    row->fields = fields;
    if (st == PP_OK)
        st = decode_kind(fields, row, err);
    if (st == PP_OK)
        st = has_samples(format) ? decode_samples(arena, fields, row, err)
                                 : decode_averages(fields, row, err);
    if (st == PP_OK)
        st = decode_settings(fields, row, err);
    return st == PP_OK ? decode_identity(fields, row, err) : st;
}

/* ---- files --------------------------------------------------------------------------------- */

pp_status pp_bench_read(pp_arena *arena, const char *source, const char *bytes, size_t size,
                        pp_bench_format format, pp_bench_mode mode, pp_bench_rows *ret_rows,
                        pp_error *err)
{
    pp_bench_text text;
    pp_bench_rows rows = {0};
    pp_status st = pp_bench_text_read(arena, source, bytes, size, format, mode, &text, err);

    if (st != PP_OK)
        return st;
    rows.format = text.format;
    rows.other_line_count = text.other_line_count;
    rows.truncated = text.truncated;
    rows.items = PP_ARENA_NEW(arena, pp_bench_row, text.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < text.count; i++) {
        rows.items[i].line = text.items[i].line;
        st = pp_wrap(err, decode_row(arena, text.format, text.items[i].fields, &rows.items[i], err),
                     "%s:%zu", source, text.items[i].line);
        rows.count = i + 1;
    }
    if (st == PP_OK)
        *ret_rows = rows;
    return st;
}

pp_status pp_bench_parse(pp_arena *arena, const char *source, const char *bytes, size_t size,
                         pp_bench_rows *ret_rows, pp_error *err)
{
    return pp_bench_read(arena, source, bytes, size, PP_BENCH_FORMAT_JSONL, PP_BENCH_TOLERANT,
                         ret_rows, err);
}

/* ---- identity ------------------------------------------------------------------------------ */

static bool starts_with(pp_text text, const char *start)
{
    size_t size = strlen(start);

    return text.size >= size && memcmp(text.data, start, size) == 0;
}

/* Measures are a closed list. */
bool pp_bench_is_measure(pp_text key)
{
    return starts_with(key, "avg_") || starts_with(key, "stddev_") ||
           starts_with(key, "samples_") || pp_text_is(key, "test_time");
}

pp_text pp_bench_value_text(pp_arena *arena, const pp_json *value)
{
    pp_error ignored = {0};
    pp_text text = {0};
    pp_buf out;

    if (value->kind == PP_JSON_STRING)
        return value->text;
    if (value->kind == PP_JSON_BOOL)
        return pp_text_of(value->boolean ? "1" : "0");
    pp_buf_init(&out, PP_BENCH_MAX_LINE_BYTES);
    if (pp_json_write(value, PP_JSON_COMPACT, &out, &ignored) == PP_OK)
        text = pp_text_dup(arena, (pp_text){pp_buf_text(&out), out.size});
    else
        arena->failed = true;
    pp_buf_done(&out);
    return text;
}

pp_text pp_bench_field_text(pp_arena *arena, const pp_bench_row *row, pp_text key,
                            const pp_json *value)
{
    if (row->model_filename.data != NULL && pp_text_is(key, "model_filename"))
        return row->model_filename;
    return pp_bench_value_text(arena, value);
}

pp_status pp_bench_identity(pp_arena *arena, const pp_bench_row *row, bool (*is_part)(pp_text key),
                            pp_text *ret_identity, pp_error *err)
{
    pp_json *set_up = pp_json_new_object(arena);
    pp_buf text;
    pp_status st;

    for (size_t i = 0; i < row->fields->object.count; i++) {
        const pp_json_member *member = &row->fields->object.members[i];
        pp_text value;

        if (!is_part(member->key))
            continue;
        value = pp_bench_field_text(arena, row, member->key, member->value);
        pp_json_set_text_key(arena, set_up, member->key, pp_json_new_text(arena, value));
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

/* ---- pooling ------------------------------------------------------------------------------- */

static bool is_no_measure(pp_text key)
{
    return !pp_bench_is_measure(key);
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

static pp_status medians(pp_bench_pool *pool, pp_error *err)
{
    double *durations = calloc(pool->sample_count, sizeof *durations);
    double *rates = calloc(pool->sample_count, sizeof *rates);
    size_t at = 0;
    pp_status st = PP_OK;

    if (durations == NULL || rates == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu samples", pool->sample_count);
    for (size_t i = 0; st == PP_OK && i < pool->row_count; i++) {
        const pp_bench_row *row = pool->rows[i];

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

static pp_status group(pp_arena *arena, const member_row *members, size_t n, pp_bench_pool *pools,
                       size_t *ret_count, pp_error *err)
{
    const pp_bench_row **sorted = PP_ARENA_NEW(arena, const pp_bench_row *, n);
    size_t at = 0;
    pp_status st = pp_arena_check(arena, err);

    while (st == PP_OK && at < n) {
        pp_bench_pool *pool = &pools[(*ret_count)++];
        size_t start = at;

        pool->first = members[start].row;
        pool->rows = sorted + start;
        for (; at < n && pp_text_equal(members[at].identity, members[start].identity); at++) {
            sorted[at] = members[at].row;
            pool->row_count++;
            pool->sample_count += members[at].row->sample_count;
        }
        if (st == PP_OK && pool->sample_count > 0)
            st = medians(pool, err);
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
        st = pp_bench_identity(arena, &rows[i], is_no_measure, &members[i].identity, err);
    }
    if (st != PP_OK)
        return st;
    if (n > 1)
        qsort(members, n, sizeof *members, compare_members);
    st = group(arena, members, n, pools, &count, err);
    if (st != PP_OK)
        return st;
    if (count > 1)
        qsort(pools, count, sizeof *pools, compare_pools);
    *ret_pools = pools;
    *ret_count = count;
    return PP_OK;
}
