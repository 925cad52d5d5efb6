/* Markdown: the table for people. The test is a word, the rate a mean and a deviation of two
 * decimals, and the build stands below the table. */
#include <string.h>

#include "intake/bench_reader.h"

/* Headers of the table and the fields that JSON has for them. "size" and "params" are rounded, so
 * they keep their names and their texts. */
static const struct {
    const char *header;
    const char *field;
} columns[] = {
    {"model", "model_type"},   {"backend", "backends"},
    {"ngl", "n_gpu_layers"},   {"threads", "n_threads"},
    {"sm", "split_mode"},      {"mg", "main_gpu"},
    {"nkvo", "no_kv_offload"}, {"fa", "flash_attn"},
    {"mmap", "use_mmap"},      {"dio", "use_direct_io"},
    {"embd", "embeddings"},    {"nopo", "no_op_offload"},
    {"noh", "no_host"},        {"dev", "devices"},
    {"ts", "tensor_split"},    {"ot", "tensor_buft_overrides"},
    {"ncmoe", "n_cpu_moe"},
};

typedef struct table {
    pp_text names[PP_BENCH_MAX_COLUMNS]; /* of fields; "test" and "t/s" as they are */
    size_t count;                        /* 0 before a header */
    size_t first_row;                    /* of this table, for the build below it */
} table;

/* Cells between the bars; 0 when the line does not begin and end with one. */
static size_t split_cells(const pp_bench_line *line, pp_text cells[PP_BENCH_MAX_COLUMNS])
{
    pp_text row = pp_bench_trim((pp_text){line->data, line->size});
    size_t count = 0;
    size_t start = 1;

    if (row.size < 2 || row.data[0] != '|' || row.data[row.size - 1] != '|')
        return 0;
    for (size_t i = 1; i < row.size; i++) {
        if (row.data[i] != '|')
            continue;
        if (count == PP_BENCH_MAX_COLUMNS)
            return 0;
        cells[count++] = pp_bench_trim((pp_text){row.data + start, i - start});
        start = i + 1;
    }
    return count;
}

static bool is_rule(const pp_text *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (cells[i].size == 0 || strspn(cells[i].data, ":-") < cells[i].size)
            return false;
    }
    return count > 0;
}

static pp_text field_of(pp_text header)
{
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++) {
        if (pp_text_is(header, columns[i].header))
            return pp_text_of(columns[i].field);
    }
    return header;
}

static bool is_header(const pp_text *cells, size_t count)
{
    bool has_test = false;
    bool has_rate = false;

    for (size_t i = 0; i < count; i++) {
        has_test = has_test || pp_text_is(cells[i], "test");
        has_rate = has_rate || pp_text_is(cells[i], "t/s");
    }
    return has_test && has_rate;
}

/* What a row gets from its test and its rate. */
static bool is_taken(pp_text name)
{
    return pp_text_is(name, "n_prompt") || pp_text_is(name, "n_gen") ||
           pp_text_is(name, "n_depth") || pp_text_is(name, "avg_ts") ||
           pp_text_is(name, "stddev_ts");
}

static pp_status begin_table(pp_bench_reader *r, table *t, const pp_text *cells, size_t count,
                             pp_error *err)
{
    t->count = count;
    t->first_row = r->text->count;
    for (size_t i = 0; i < count; i++) {
        t->names[i] = field_of(cells[i]);
        if (cells[i].size == 0 || is_taken(cells[i]) ||
            !pp_utf8_is_valid(cells[i].data, cells[i].size))
            return pp_fail(err, PP_ERR_SYNTAX, "column %zu: not a header of llama-bench", i + 1);
    }
    return pp_bench_check_columns(t->names, count, err);
}

/* ---- the test: "pp512", "tg128", "pp512+tg128", each with " @ d4096" or without ---------------
 */

static bool take_word(pp_text *rest, const char *word)
{
    size_t size = strlen(word);

    if (rest->size < size || memcmp(rest->data, word, size) != 0)
        return false;
    rest->data += size;
    rest->size -= size;
    return true;
}

static bool take_count(pp_text *rest, pp_text *ret_digits)
{
    size_t size = 0;

    while (size < rest->size && rest->data[size] >= '0' && rest->data[size] <= '9')
        size++;
    *ret_digits = (pp_text){rest->data, size};
    rest->data += size;
    rest->size -= size;
    return size > 0;
}

/* Digits of n_prompt, n_gen and n_depth. */
static bool split_test(pp_text test, pp_text ret_counts[3])
{
    bool prompt = take_word(&test, "pp");

    for (size_t i = 0; i < 3; i++)
        ret_counts[i] = pp_text_of("0");
    if (prompt && !take_count(&test, &ret_counts[0]))
        return false;
    if (prompt ? take_word(&test, "+tg") : take_word(&test, "tg")) {
        if (!take_count(&test, &ret_counts[1]))
            return false;
    } else if (!prompt) {
        return false;
    }
    if (take_word(&test, " @ d") && !take_count(&test, &ret_counts[2]))
        return false;
    return test.size == 0;
}

/* "26131.18 ± 514.07"; no deviation is an empty text */
static void split_rate(pp_text rate, pp_text *ret_mean, pp_text *ret_deviation)
{
    static const char sign[] = "\xc2\xb1";

    *ret_mean = rate;
    *ret_deviation = (pp_text){0};
    for (size_t i = 0; i + 2 <= rate.size; i++) {
        if (memcmp(rate.data + i, sign, 2) == 0) {
            *ret_mean = pp_bench_trim((pp_text){rate.data, i});
            *ret_deviation = pp_bench_trim((pp_text){rate.data + i + 2, rate.size - i - 2});
            return;
        }
    }
}

static pp_status add_row(pp_bench_reader *r, const table *t, const pp_text *cells, pp_error *err)
{
    static const char *const count_names[] = {"n_prompt", "n_gen", "n_depth"};
    pp_text names[PP_BENCH_MAX_COLUMNS + 4];
    pp_text values[PP_BENCH_MAX_COLUMNS + 4];
    pp_text counts[3] = {0};
    pp_text deviation = {0};
    size_t n = 0;

    for (size_t i = 0; i < t->count; i++) {
        if (pp_text_is(t->names[i], "test")) {
            char shown[64];

            pp_text_escape_controls(cells[i].data, cells[i].size, shown, sizeof shown);
            if (!split_test(cells[i], counts))
                return pp_fail(err, PP_ERR_SYNTAX,
                               "test '%s': expected pp512, tg128 or pp512+tg128, then @ d4096",
                               shown);
        } else if (pp_text_is(t->names[i], "t/s")) {
            names[n] = pp_text_of("avg_ts");
            split_rate(cells[i], &values[n++], &deviation);
        } else {
            names[n] = t->names[i];
            values[n++] = cells[i];
        }
    }
    for (size_t i = 0; i < 3; i++) {
        names[n] = pp_text_of(count_names[i]);
        values[n++] = counts[i];
    }
    if (deviation.size > 0) {
        names[n] = pp_text_of("stddev_ts");
        values[n++] = deviation;
    }
    return pp_bench_add_columns(r, r->line, names, values, n, err);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* "build: a1b2c3 (6123)" belongs to the rows above it. */
static bool read_build(pp_bench_reader *r, const table *t, pp_text line)
{
    pp_text commit;
    pp_text number;
    int64_t value = 0;

    if (!take_word(&line, "build: "))
        return false;
    commit = line;
    commit.size = 0;
    while (commit.size < line.size && line.data[commit.size] != ' ')
        commit.size++;
    line.data += commit.size;
    line.size -= commit.size;
    if (commit.size == 0 || !pp_utf8_is_valid(commit.data, commit.size) ||
        !take_word(&line, " (") || !take_count(&line, &number) || !take_word(&line, ")") ||
        line.size > 0 || number.size > 9)
        return false;
    for (size_t i = 0; i < number.size; i++)
        value = 10 * value + (number.data[i] - '0');
    for (size_t i = t->first_row; i < r->text->count; i++) {
        pp_json *fields = pp_json_new_object(r->arena);
        const pp_json *old = r->text->items[i].fields;

        for (size_t j = 0; j < old->object.count; j++)
            pp_json_set_text_key(r->arena, fields, old->object.members[j].key,
                                 old->object.members[j].value);
        if (pp_json_find(old, "build_commit") == NULL)
            pp_json_set_text(r->arena, fields, "build_commit", commit);
        if (pp_json_find(old, "build_number") == NULL)
            pp_json_set_int(r->arena, fields, "build_number", value);
        if (fields != NULL)
            r->text->items[i].fields = fields;
    }
    return true;
}

static pp_status read_bars(pp_bench_reader *r, table *t, const pp_bench_line *line, pp_error *err)
{
    pp_text cells[PP_BENCH_MAX_COLUMNS];
    size_t count = split_cells(line, cells);

    if (is_rule(cells, count))
        return PP_OK;
    if (is_header(cells, count))
        return begin_table(r, t, cells, count, err);
    if (t->count == 0)
        return pp_bench_skip_line(r, line, err); /* somebody else's table, or its head is missing */
    if (count != t->count && !line->ended)
        return pp_bench_break_off(r, err);
    if (count != t->count)
        return pp_fail(err, PP_ERR_SYNTAX, "expected %zu cells between bars, got %zu", t->count,
                       count);
    return add_row(r, t, cells, err);
}

pp_status pp_bench_read_markdown(pp_bench_reader *r, pp_error *err)
{
    table t = {0};
    pp_bench_line line;
    pp_status st = PP_OK;

    while (st == PP_OK && pp_bench_next_line(r, &line)) {
        pp_text text = pp_bench_trim((pp_text){line.data, line.size});

        if (text.size > 0 && text.data[0] == '|')
            st = read_bars(r, &t, &line, err);
        else if (!read_build(r, &t, text))
            st = pp_bench_skip_line(r, &line, err);
    }
    return st == PP_OK ? pp_arena_check(r->arena, err) : st;
}
