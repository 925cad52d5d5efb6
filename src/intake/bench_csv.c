/* CSV: an unquoted header, then quoted values in which a quote is doubled. */
#include <string.h>

#include "intake/bench_reader.h"

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The names of a header; 0 when the line is none. */
static size_t split_header(const pp_bench_line *line, pp_text names[PP_BENCH_MAX_COLUMNS])
{
    size_t count = 0;
    size_t start = 0;

    for (size_t i = 0; i <= line->size; i++) {
        if (i < line->size && line->data[i] != ',') {
            if (!is_name_char(line->data[i]))
                return 0;
            continue;
        }
        if (i == start || count == PP_BENCH_MAX_COLUMNS)
            return 0;
        names[count++] = (pp_text){line->data + start, i - start};
        start = i + 1;
    }
    return count;
}

static bool has_name(const pp_text *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_is(names[i], name))
            return true;
    }
    return false;
}

bool pp_bench_is_csv_header(const pp_bench_line *line)
{
    pp_text names[PP_BENCH_MAX_COLUMNS];
    size_t count = split_header(line, names);

    return has_name(names, count, "n_prompt") && has_name(names, count, "n_gen");
}

/* One value at the reader's place; the place moves behind it. False when the file ends inside. */
static bool take_value(pp_bench_reader *r, pp_buf *scratch, pp_text *ret_value)
{
    pp_buf_clear(scratch);
    if (r->at < r->size && r->bytes[r->at] == '"') {
        for (r->at++; r->at < r->size; r->at++) {
            char c = r->bytes[r->at];

            if (c == '"' && (r->at + 1 >= r->size || r->bytes[r->at + 1] != '"')) {
                r->at++;
                *ret_value = pp_text_dup(r->arena, (pp_text){pp_buf_text(scratch), scratch->size});
                return true;
            }
            if (c == '"')
                r->at++;
            r->line += c == '\n';
            pp_buf_append_char(scratch, c);
        }
        return false;
    }
    while (r->at < r->size && memchr(",\r\n", r->bytes[r->at], 3) == NULL)
        pp_buf_append_char(scratch, r->bytes[r->at++]);
    *ret_value = pp_text_dup(r->arena, (pp_text){pp_buf_text(scratch), scratch->size});
    return r->at < r->size; /* what is not quoted may have been longer */
}

/* Behind a value: 1 for a further one, 0 for the end of the row, -1 for neither. */
static int take_divider(pp_bench_reader *r)
{
    if (r->at >= r->size)
        return 0;
    if (r->bytes[r->at] == ',') {
        r->at++;
        return 1;
    }
    if (r->bytes[r->at] == '\r')
        r->at++;
    if (r->at < r->size && r->bytes[r->at] != '\n')
        return -1;
    r->at++;
    return 0;
}

static pp_status read_record(pp_bench_reader *r, const pp_text *names, size_t count,
                             pp_buf *scratch, pp_error *err)
{
    pp_text values[PP_BENCH_MAX_COLUMNS];
    size_t line = r->line;
    size_t n = 0;
    int more = 1;

    while (more == 1) {
        if (n == count)
            return pp_fail(err, PP_ERR_SYNTAX, "expected %zu values, got more", count);
        if (!take_value(r, scratch, &values[n])) {
            r->at = r->size;
            return pp_bench_break_off(r, err);
        }
        n++;
        more = take_divider(r);
    }
    if (scratch->status != PP_OK)
        return pp_buf_check(scratch, "a value", err);
    if (more < 0)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "expected a comma or the end of the row behind value %zu", n);
    if (n < count && r->at >= r->size && r->bytes[r->size - 1] != '\n')
        return pp_bench_break_off(r, err);
    if (n < count)
        return pp_fail(err, PP_ERR_SYNTAX, "expected %zu values, got %zu", count, n);
    return pp_bench_add_columns(r, line, names, values, count, err);
}

/* A line that begins with a quote, and before which there was a header. */
static pp_status read_row(pp_bench_reader *r, const pp_bench_line *line, const pp_text *names,
                          size_t count, pp_error *err)
{
    pp_buf scratch;
    pp_status st;

    r->at = (size_t)(line->data - r->bytes); /* a value may hold line ends */
    pp_buf_init(&scratch, PP_BENCH_MAX_LINE_BYTES);
    st = read_record(r, names, count, &scratch, err);
    pp_buf_done(&scratch);
    return st;
}

pp_status pp_bench_read_csv(pp_bench_reader *r, pp_error *err)
{
    pp_text names[PP_BENCH_MAX_COLUMNS];
    size_t count = 0;
    pp_bench_line line;
    pp_status st = PP_OK;

    while (st == PP_OK && pp_bench_next_line(r, &line)) {
        bool is_row = line.size > 0 && (line.data[0] == '"' || (r->strict && count > 0));

        if (pp_bench_is_csv_header(&line)) {
            count = split_header(&line, names);
            st = pp_bench_check_columns(names, count, err);
        } else if (count > 0 && is_row) {
            st = read_row(r, &line, names, count, err);
        } else {
            st = pp_bench_skip_line(r, &line, err);
        }
    }
    return st;
}
