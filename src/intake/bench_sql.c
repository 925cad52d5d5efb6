/* SQL: one INSERT a row, its names and values on one line. llama-bench escapes nothing, so a value
 * ends where a quote is followed by what stands between values; a quote elsewhere belongs to it. */
#include <string.h>

#include "intake/bench_reader.h"

typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

static bool take(cursor *c, const char *word)
{
    size_t size = strlen(word);

    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0)
        return false;
    c->at += size;
    return true;
}

static bool take_name(cursor *c, pp_text *ret_name)
{
    const char *start = c->at;

    while (c->at < c->end && (*c->at == '_' || (*c->at >= 'a' && *c->at <= 'z') ||
                              (*c->at >= 'A' && *c->at <= 'Z') || (*c->at >= '0' && *c->at <= '9')))
        c->at++;
    *ret_name = (pp_text){start, (size_t)(c->at - start)};
    return ret_name->size > 0;
}

/* "(a, b, c)" */
static size_t take_names(cursor *c, pp_text names[PP_BENCH_MAX_COLUMNS])
{
    size_t count = 0;

    if (!take(c, "("))
        return 0;
    do {
        if (count == PP_BENCH_MAX_COLUMNS || !take_name(c, &names[count++]))
            return 0;
    } while (take(c, ", ") || take(c, ","));
    return take(c, ")") ? count : 0;
}

static bool ends_value(const cursor *c)
{
    cursor rest = {c->at + 1, c->end};

    if (take(&rest, ", '") || take(&rest, ",'"))
        return true;
    return take(&rest, ");") && rest.at == rest.end;
}

static bool take_value(cursor *c, pp_text *ret_value)
{
    const char *start;

    if (!take(c, "'"))
        return false;
    for (start = c->at; c->at < c->end; c->at++) {
        if (*c->at == '\'' && ends_value(c)) {
            *ret_value = (pp_text){start, (size_t)(c->at - start)};
            c->at++;
            return true;
        }
    }
    return false;
}

static size_t take_values(cursor *c, pp_text values[PP_BENCH_MAX_COLUMNS])
{
    size_t count = 0;

    do {
        if (count == PP_BENCH_MAX_COLUMNS || !take_value(c, &values[count++]))
            return 0;
    } while (take(c, ", ") || take(c, ","));
    return count;
}

static pp_status read_insert(pp_bench_reader *r, const pp_bench_line *line, pp_error *err)
{
    pp_text names[PP_BENCH_MAX_COLUMNS];
    pp_text values[PP_BENCH_MAX_COLUMNS];
    cursor c = {line->data, line->data + line->size};
    pp_text table;
    size_t count = 0;
    size_t value_count = 0;
    bool whole = take(&c, "INSERT INTO ") && take_name(&c, &table) && take(&c, " ") &&
                 (count = take_names(&c, names)) > 0 && take(&c, " VALUES (") &&
                 (value_count = take_values(&c, values)) > 0 && take(&c, ");") && c.at == c.end;
    pp_status st;

    if (!whole && !line->ended)
        return pp_bench_break_off(r, err);
    if (!whole)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "expected INSERT INTO table (names) VALUES ('value', ...); at byte %zu",
                       (size_t)(c.at - line->data) + 1);
    if (count != value_count)
        return pp_fail(err, PP_ERR_SYNTAX, "%zu names, but %zu values (a quote inside a value?)",
                       count, value_count);
    st = pp_bench_check_columns(names, count, err);
    return st == PP_OK ? pp_bench_add_columns(r, r->line, names, values, count, err) : st;
}

/* CREATE TABLE up to the line that closes it; the names stand in every INSERT again. */
static pp_status skip_create(pp_bench_reader *r, pp_bench_line line, pp_error *err)
{
    do {
        pp_text text = pp_bench_trim((pp_text){line.data, line.size});

        if (pp_bench_line_starts(&line, "INSERT INTO "))
            return pp_fail(err, PP_ERR_SYNTAX, "CREATE TABLE does not end before INSERT");
        if (text.size >= 2 && memcmp(text.data + text.size - 2, ");", 2) == 0)
            return PP_OK;
    } while (pp_bench_next_line(r, &line));
    return pp_bench_break_off(r, err);
}

pp_status pp_bench_read_sql(pp_bench_reader *r, pp_error *err)
{
    pp_bench_line line;
    pp_status st = PP_OK;

    while (st == PP_OK && pp_bench_next_line(r, &line)) {
        if (pp_bench_line_starts(&line, "CREATE TABLE "))
            st = skip_create(r, line, err);
        else if (pp_bench_line_starts(&line, "INSERT INTO "))
            st = read_insert(r, &line, err);
        else
            st = pp_bench_skip_line(r, &line, err);
    }
    return st;
}
