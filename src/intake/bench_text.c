#include "intake/bench_text.h"

#include <string.h>

#include "intake/bench_reader.h"

static const char *const format_names[] = {
    [PP_BENCH_FORMAT_UNKNOWN] = "unknown", [PP_BENCH_FORMAT_JSONL] = "jsonl",
    [PP_BENCH_FORMAT_JSON] = "json",       [PP_BENCH_FORMAT_CSV] = "csv",
    [PP_BENCH_FORMAT_SQL] = "sql",         [PP_BENCH_FORMAT_MARKDOWN] = "markdown",
};

const char *pp_bench_format_name(pp_bench_format format)
{
    return format_names[format];
}

const char *pp_bench_format_word(size_t n)
{
    return n + 1 < PP_COUNT_OF(format_names) ? format_names[n + 1] : NULL;
}

pp_bench_format pp_bench_format_find(const char *name)
{
    for (size_t i = 1; i < PP_COUNT_OF(format_names); i++) {
        if (strcmp(format_names[i], name) == 0)
            return (pp_bench_format)i;
    }
    return PP_BENCH_FORMAT_UNKNOWN;
}

/* ---- lines --------------------------------------------------------------------------------- */

bool pp_bench_next_line(pp_bench_reader *r, pp_bench_line *ret_line)
{
    const char *end;
    size_t size;

    if (r->at >= r->size)
        return false;
    end = memchr(r->bytes + r->at, '\n', r->size - r->at);
    size = end == NULL ? r->size - r->at : (size_t)(end - r->bytes) - r->at;
    *ret_line = (pp_bench_line){r->bytes + r->at, size, end != NULL};
    if (size > 0 && ret_line->data[size - 1] == '\r')
        ret_line->size--;
    r->at += size + 1;
    r->line++;
    return true;
}

bool pp_bench_line_starts(const pp_bench_line *line, const char *start)
{
    size_t size = strlen(start);

    return line->size >= size && memcmp(line->data, start, size) == 0;
}

bool pp_bench_line_is_blank(const pp_bench_line *line)
{
    return pp_text_is_blank((pp_text){line->data, line->size});
}

static bool is_blank_char(char c)
{
    return c == ' ' || c == '\t';
}

pp_text pp_bench_trim(pp_text text)
{
    while (text.size > 0 && is_blank_char(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank_char(text.data[text.size - 1]))
        text.size--;
    return text;
}

pp_status pp_bench_skip_line(pp_bench_reader *r, const pp_bench_line *line, pp_error *err)
{
    if (pp_bench_line_is_blank(line))
        return PP_OK;
    if (r->strict)
        return pp_fail(err, PP_ERR_SYNTAX, "expected a row of llama-bench, got other text");
    r->text->other_line_count++;
    return PP_OK;
}

pp_status pp_bench_break_off(pp_bench_reader *r, pp_error *err)
{
    if (r->strict)
        return pp_fail(err, PP_ERR_SYNTAX, "the file breaks off inside a row");
    r->text->truncated = true;
    return PP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

pp_status pp_bench_add_row(pp_bench_reader *r, size_t line, const pp_json *fields, pp_error *err)
{
    pp_bench_text *text = r->text;

    if (text->count == PP_BENCH_MAX_ROWS)
        return pp_fail(err, PP_ERR_LIMIT, "more than %d rows", PP_BENCH_MAX_ROWS);
    if (text->count == r->capacity) {
        size_t capacity = r->capacity == 0 ? 32 : 2 * r->capacity;
        pp_bench_text_row *items = PP_ARENA_NEW(r->arena, pp_bench_text_row, capacity);

        if (items == NULL)
            return pp_arena_check(r->arena, err);
        if (text->count > 0)
            memcpy(items, text->items, text->count * sizeof *items);
        text->items = items;
        r->capacity = capacity;
    }
    text->items[text->count++] = (pp_bench_text_row){line, fields};
    return PP_OK;
}

/* Columns that llama-bench prints as numbers in JSON, and that CSV and SQL quote. Its booleans are
 * 0 and 1 there. */
static bool is_number_column(pp_text name)
{
    static const char *const names[] = {
        "build_number", "model_size",    "model_n_params", "n_batch",      "n_ubatch",
        "n_threads",    "cpu_strict",    "poll",           "n_gpu_layers", "n_cpu_moe",
        "main_gpu",     "no_kv_offload", "flash_attn",     "use_mmap",     "use_direct_io",
        "embeddings",   "no_op_offload", "no_host",        "repack",       "fit_target",
        "fit_min_ctx",  "n_prompt",      "n_gen",          "n_depth",      "avg_ns",
        "stddev_ns",    "avg_ts",        "stddev_ts",      "f16_kv",       "mul_mat_q",
        "low_vram",
    };

    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        if (pp_text_is(name, names[i]))
            return true;
    }
    return false;
}

static bool is_not_finite(pp_text text)
{
    return pp_text_is(text, "nan") || pp_text_is(text, "-nan") || pp_text_is(text, "inf") ||
           pp_text_is(text, "-inf");
}

static pp_status number_value(pp_bench_reader *r, pp_text name, pp_text text,
                              const pp_json **ret_value, pp_error *err)
{
    pp_error ignored = {0};
    const char *column = pp_text_dup(r->arena, name).data;
    char shown[64];

    if (is_not_finite(text) && !r->strict) {
        *ret_value = pp_json_new_null(r->arena);
        return PP_OK;
    }
    /* a JSON document is a value, so one in a list reads any number, whatever the locale */
    if (text.size > 0 && text.size < 64 && strspn(text.data, "-+.0123456789eE") >= text.size) {
        const pp_json *list;
        const char *wrapped = pp_arena_printf(r->arena, "[%.*s]", (int)text.size, text.data);

        if (wrapped == NULL || column == NULL)
            return pp_arena_check(r->arena, err);
        if (pp_json_parse(r->arena, "value", wrapped, strlen(wrapped), &list, &ignored) == PP_OK &&
            list->array.count == 1) {
            const pp_json *item = list->array.items[0];

            *ret_value = item->kind == PP_JSON_INTEGER ? pp_json_new_int(r->arena, item->integer)
                                                       : pp_json_new_real(r->arena, item->real);
            return PP_OK;
        }
    }
    pp_text_escape_controls(text.data, text.size, shown, sizeof shown);
    return pp_fail(err, PP_ERR_SCHEMA, "column %s: expected a number, got '%s'", column, shown);
}

pp_status pp_bench_check_columns(const pp_text *names, size_t count, pp_error *err)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(names[i], names[j]))
                return pp_fail(err, PP_ERR_SYNTAX, "column %zu has the name of column %zu", i + 1,
                               j + 1);
        }
    }
    return PP_OK;
}

pp_status pp_bench_add_columns(pp_bench_reader *r, size_t line, const pp_text *names,
                               const pp_text *values, size_t count, pp_error *err)
{
    pp_json *fields = pp_json_new_object(r->arena);
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < count; i++) {
        const pp_json *value = NULL;

        if (!pp_utf8_is_valid(values[i].data, values[i].size))
            return pp_fail(err, PP_ERR_SYNTAX, "column %zu is not valid UTF-8", i + 1);
        if (is_number_column(names[i]))
            st = number_value(r, names[i], values[i], &value, err);
        else
            value = pp_json_new_text(r->arena, values[i]);
        if (st == PP_OK)
            pp_json_set_text_key(r->arena, fields, names[i], value);
    }
    if (st == PP_OK)
        st = pp_arena_check(r->arena, err);
    return st == PP_OK ? pp_bench_add_row(r, line, fields, err) : st;
}

/* ---- formats ------------------------------------------------------------------------------- */

/* A line that opens a JSON array. A log line may begin with '[' as well: "[info] ...". */
static bool opens_array(pp_text line)
{
    pp_text rest;

    if (line.size == 0 || line.data[0] != '[')
        return false;
    rest = pp_bench_trim((pp_text){line.data + 1, line.size - 1});
    return rest.size == 0 || rest.data[0] == '{' || rest.data[0] == ']';
}

pp_bench_format pp_bench_format_of(const char *bytes, size_t size)
{
    pp_bench_reader r = {.bytes = bytes, .size = size};
    pp_bench_line line;

    while (pp_bench_next_line(&r, &line)) {
        pp_text text = pp_bench_trim((pp_text){line.data, line.size});

        if (opens_array(text))
            return PP_BENCH_FORMAT_JSON;
        if (text.size > 0 && text.data[0] == '{')
            return PP_BENCH_FORMAT_JSONL;
        if (text.size > 0 && text.data[0] == '|')
            return PP_BENCH_FORMAT_MARKDOWN;
        if (pp_bench_line_starts(&line, "CREATE TABLE ") ||
            pp_bench_line_starts(&line, "INSERT INTO "))
            return PP_BENCH_FORMAT_SQL;
        if (pp_bench_is_csv_header(&line))
            return PP_BENCH_FORMAT_CSV;
    }
    return PP_BENCH_FORMAT_UNKNOWN;
}

static pp_status read_format(pp_bench_reader *r, pp_bench_format format, pp_error *err)
{
    switch (format) {
    case PP_BENCH_FORMAT_JSONL:
        return pp_bench_read_jsonl(r, err);
    case PP_BENCH_FORMAT_JSON:
        return pp_bench_read_json(r, err);
    case PP_BENCH_FORMAT_CSV:
        return pp_bench_read_csv(r, err);
    case PP_BENCH_FORMAT_SQL:
        return pp_bench_read_sql(r, err);
    case PP_BENCH_FORMAT_MARKDOWN:
        return pp_bench_read_markdown(r, err);
    case PP_BENCH_FORMAT_UNKNOWN:
        break;
    }
    return PP_OK;
}

pp_status pp_bench_text_read(pp_arena *arena, const char *source, const char *bytes, size_t size,
                             pp_bench_format format, pp_bench_mode mode, pp_bench_text *ret_text,
                             pp_error *err)
{
    pp_bench_text text = {0};
    pp_bench_reader r = {.arena = arena,
                         .strict = mode == PP_BENCH_STRICT,
                         .bytes = bytes,
                         .size = size,
                         .text = &text};
    pp_status st;

    if (size > PP_BENCH_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "%s: %zu bytes, expected at most %zu", source, size,
                       PP_BENCH_MAX_BYTES);
    text.format = format == PP_BENCH_FORMAT_UNKNOWN ? pp_bench_format_of(bytes, size) : format;
    if (text.format == PP_BENCH_FORMAT_UNKNOWN)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "%s: nothing that llama-bench prints (jsonl, json, csv, sql, markdown)",
                       source);
    st = read_format(&r, text.format, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "%s:%zu", source, r.line);
    *ret_text = text;
    return PP_OK;
}
