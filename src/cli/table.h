/* table.h - columns that line up on a terminal, and numbers short enough to read.
 *
 * Cells are UTF-8 and must be free of control characters (pp_table_cell_text sees to it). */
#ifndef PP_CLI_TABLE_H
#define PP_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"

#define PP_TERMINAL_COLUMNS  100
#define PP_TABLE_MAX_COLUMNS 16

typedef enum pp_align { PP_ALIGN_LEFT, PP_ALIGN_RIGHT } pp_align;

typedef struct pp_table {
    pp_arena *arena;
    size_t column_count;
    pp_align aligns[PP_TABLE_MAX_COLUMNS];
    const char *headers[PP_TABLE_MAX_COLUMNS]; /* lines are divided by '\n' */
    const char **cells;                        /* row after row */
    size_t row_count, row_capacity;
} pp_table;

void pp_table_init(pp_table *table, pp_arena *arena);
/** At most PP_TABLE_MAX_COLUMNS, all before the first row. */
void pp_table_add_column(pp_table *table, const char *header, pp_align align);
/** A new row of empty cells; set them with pp_table_set. False when memory is short. */
bool pp_table_add_row(pp_table *table);
/** Set a cell of the newest row; NULL is empty. The text is borrowed. */
void pp_table_set(pp_table *table, size_t column, const char *cell);
/** Width in columns of the widest line of each column, summed, with two blanks between. */
size_t pp_table_width(const pp_table *table);
/** Header lines, then the rows; no blanks at line ends. */
void pp_table_print(const pp_table *table, FILE *out);

/** Columns a UTF-8 text takes on a terminal: combining marks none, East Asian wide ones two. */
size_t pp_text_columns(const char *text);

/** A printable copy of foreign text, cut with "..." beyond max_columns. Never NULL: empty when
 * memory is short (arena->failed set). */
const char *pp_table_cell_text(pp_arena *arena, pp_text text, size_t max_columns);

/** At most four significant digits: "0.2", "35.4", "1234567" as "1.235e+06", "3250". */
const char *pp_number_text(pp_arena *arena, double value);

/** The unit that a metric's name ends with ("ms", "MiB", "tok/s", "/s", "%"), "" when it names
 * none: e2e_latency_ms_p95 is in ms. */
const char *pp_metric_unit(pp_text metric);

/** Number and unit: "3250 ms". */
const char *pp_metric_text(pp_arena *arena, pp_text metric, double value);

/** "label     text", the text wrapped at the terminal's width; NULL reads "out of memory". */
void pp_note_print(const char *label, const char *text, FILE *out);

#endif
