#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP_COLUMNS 2

void pp_table_init(pp_table *table, pp_arena *arena)
{
    memset(table, 0, sizeof *table);
    table->arena = arena;
}

void pp_table_add_column(pp_table *table, const char *header, pp_align align)
{
    PP_ASSERT(table->column_count < PP_TABLE_MAX_COLUMNS && table->row_count == 0);
    table->headers[table->column_count] = header == NULL ? "" : header;
    table->aligns[table->column_count++] = align;
}

bool pp_table_add_row(pp_table *table)
{
    if (table->row_count == table->row_capacity) {
        size_t capacity = table->row_capacity == 0 ? 16 : 2 * table->row_capacity;
        const char **cells =
            PP_ARENA_NEW(table->arena, const char *, capacity * table->column_count);

        if (cells == NULL)
            return false;
        if (table->row_count > 0)
            memcpy(cells, table->cells, table->row_count * table->column_count * sizeof *cells);
        table->cells = cells;
        table->row_capacity = capacity;
    }
    for (size_t i = 0; i < table->column_count; i++)
        table->cells[table->row_count * table->column_count + i] = "";
    table->row_count++;
    return true;
}

void pp_table_set(pp_table *table, size_t column, const char *cell)
{
    PP_ASSERT(table->row_count > 0 && column < table->column_count);
    table->cells[(table->row_count - 1) * table->column_count + column] = cell == NULL ? "" : cell;
}

static size_t columns_of(long code)
{
    static const struct {
        long first, last;
        size_t columns;
    } ranges[] = {
        {0x300, 0x36f, 0},   {0x200b, 0x200d, 0}, {0xfe00, 0xfe0f, 0},   {0x1100, 0x115f, 2},
        {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
        {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
    };

    for (size_t i = 0; i < PP_COUNT_OF(ranges); i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].columns;
    }
    return 1;
}

static size_t span_columns(const char *text, size_t size)
{
    size_t columns = 0;
    size_t step;

    for (size_t at = 0; at < size; at += step)
        columns += columns_of(pp_utf8_next(text + at, size - at, &step));
    return columns;
}

size_t pp_text_columns(const char *text)
{
    return span_columns(text, strlen(text));
}

/* Line number `line` of a header; ret_size gets its bytes. NULL behind the last. */
static const char *header_line(const char *header, size_t line, size_t *ret_size)
{
    for (; line > 0; line--) {
        header = strchr(header, '\n');
        if (header == NULL)
            return NULL;
        header++;
    }
    *ret_size = strcspn(header, "\n");
    return header;
}

static size_t header_lines(const pp_table *table)
{
    size_t most = 0;
    size_t size;

    for (size_t i = 0; i < table->column_count; i++) {
        while (header_line(table->headers[i], most, &size) != NULL)
            most++;
    }
    return most;
}

static size_t column_width(const pp_table *table, size_t column)
{
    size_t widest = 0;
    size_t size;
    const char *line;

    for (size_t i = 0; (line = header_line(table->headers[column], i, &size)) != NULL; i++) {
        size_t columns = span_columns(line, size);

        widest = columns > widest ? columns : widest;
    }
    for (size_t i = 0; i < table->row_count; i++) {
        size_t columns = pp_text_columns(table->cells[i * table->column_count + column]);

        widest = columns > widest ? columns : widest;
    }
    return widest;
}

size_t pp_table_width(const pp_table *table)
{
    size_t width = 0;

    for (size_t i = 0; i < table->column_count; i++)
        width += column_width(table, i) + (i > 0 ? GAP_COLUMNS : 0);
    return width;
}

/* One cell into a line buffer that may end in blanks. */
static void put_cell(pp_buf *line, const char *text, size_t size, size_t width, pp_align align,
                     bool first)
{
    size_t columns = span_columns(text, size);
    size_t pad = width > columns ? width - columns : 0;

    for (size_t i = 0; !first && i < GAP_COLUMNS; i++)
        pp_buf_append_char(line, ' ');
    for (size_t i = 0; align == PP_ALIGN_RIGHT && i < pad; i++)
        pp_buf_append_char(line, ' ');
    pp_buf_append(line, text, size);
    for (size_t i = 0; align == PP_ALIGN_LEFT && i < pad; i++)
        pp_buf_append_char(line, ' ');
}

static void end_line(pp_buf *line, FILE *out)
{
    while (line->size > 0 && line->data[line->size - 1] == ' ')
        line->size--;
    (void)fwrite(line->size == 0 ? "" : line->data, 1, line->size, out); /* main checks stdout */
    (void)fputc('\n', out);
    pp_buf_clear(line);
}

void pp_table_print(const pp_table *table, FILE *out)
{
    size_t widths[PP_TABLE_MAX_COLUMNS];
    pp_buf line;

    pp_buf_init(&line, 1 << 16);
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = column_width(table, i);
    for (size_t i = 0; i < header_lines(table); i++) {
        for (size_t j = 0; j < table->column_count; j++) {
            size_t size = 0;
            const char *text = header_line(table->headers[j], i, &size);

            put_cell(&line, text == NULL ? "" : text, size, widths[j], table->aligns[j], j == 0);
        }
        end_line(&line, out);
    }
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t j = 0; j < table->column_count; j++) {
            const char *text = table->cells[i * table->column_count + j];

            put_cell(&line, text, strlen(text), widths[j], table->aligns[j], j == 0);
        }
        end_line(&line, out);
    }
    pp_buf_done(&line);
}

const char *pp_table_cell_text(pp_arena *arena, pp_text text, size_t max_columns)
{
    char escaped[1024];
    size_t at = 0;
    size_t keep = 0; /* bytes that leave room for the dots */
    size_t columns = 0;
    const char *cell;
    size_t size, step;

    pp_text_escape_controls(text.data == NULL ? "" : text.data, text.size, escaped, sizeof escaped);
    size = strlen(escaped);
    for (; at < size && columns <= max_columns; at += step) {
        columns += columns_of(pp_utf8_next(escaped + at, size - at, &step));
        if (columns + 3 <= max_columns)
            keep = at + step;
    }
    cell = columns > max_columns ? pp_arena_printf(arena, "%.*s...", (int)keep, escaped)
                                 : pp_arena_printf(arena, "%s", escaped);
    return cell == NULL ? "" : cell;
}

const char *pp_number_text(pp_arena *arena, double value)
{
    double size = fabs(value);
    char text[64];

    (void)snprintf(text, sizeof text, "%.4g", value);
    if (size >= 1e4 && size < 1e6 && strchr(text, 'e') != NULL)
        (void)snprintf(text, sizeof text, "%.0f", strtod(text, NULL)); /* 12346 reads 12350 */
    return pp_arena_printf(arena, "%s", text);
}

static bool has_word(pp_text name, const char *word)
{
    size_t size = strlen(word);

    for (size_t at = 0; at + size <= name.size; at++) {
        bool starts = at == 0 || name.data[at - 1] == '_';
        bool ends = at + size == name.size || name.data[at + size] == '_';

        if (starts && ends && memcmp(name.data + at, word, size) == 0)
            return true;
    }
    return false;
}

const char *pp_metric_unit(pp_text metric)
{
    static const struct {
        const char *word;
        const char *unit;
    } rows[] = {
        {"tokens_per_second", "tok/s"},
        {"tps", "tok/s"},
        {"per_second", "/s"},
        {"ms", "ms"},
        {"us", "us"},
        {"ns", "ns"},
        {"mib", "MiB"},
        {"kib", "KiB"},
        {"gib", "GiB"},
        {"mb", "MB"},
        {"bytes", "B"},
        {"percent", "%"},
        {"watts", "W"},
        {"joules", "J"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (has_word(metric, rows[i].word))
            return rows[i].unit;
    }
    return "";
}

const char *pp_metric_text(pp_arena *arena, pp_text metric, double value)
{
    const char *unit = pp_metric_unit(metric);
    const char *number = pp_number_text(arena, value);

    if (number == NULL)
        return NULL;
    return pp_arena_printf(arena, "%s%s%s", number, unit[0] == '\0' ? "" : " ", unit);
}

void pp_note_print(const char *label, const char *text, FILE *out)
{
    size_t column = (size_t)fprintf(out, "%-10s", label);
    const char *word = text == NULL ? "out of memory" : text;

    while (*word != '\0') {
        size_t size = strcspn(word, " ");
        char cut[1024];

        (void)snprintf(cut, sizeof cut, "%.*s", (int)size, word);
        if (column > 10 && column + 1 + pp_text_columns(cut) > PP_TERMINAL_COLUMNS)
            column = (size_t)fprintf(out, "\n%-10s", "") - 1;
        column += (size_t)fprintf(out, "%s%s", column > 10 ? " " : "", cut);
        word += size + strspn(word + size, " ");
    }
    (void)fputc('\n', out);
}
