/* receipt_reader.h - reads the numbers of a receipt back from its Markdown, for tests.
 *
 * Knows tables and headings, nothing of the program that wrote them. Texts live in the arena. */
#ifndef PP_TESTS_RECEIPT_READER_H
#define PP_TESTS_RECEIPT_READER_H

#include "base/arena.h"

#define RECEIPT_MAX_CELLS 8

typedef struct receipt_line {
    const char *text;                     /* as it stands, without the line end */
    const char *cells[RECEIPT_MAX_CELLS]; /* of a table row, outer blanks off; else none */
    size_t cell_count;
} receipt_line;

typedef struct receipt_page {
    receipt_line *lines;
    size_t count;
} receipt_page;

/** Fails the test when a line is not one of a receipt: a control character, a row with too many
 * cells. */
receipt_page receipt_read(pp_arena *arena, const char *markdown, size_t size);

/** First line from `at` on with exactly this text; fails the test when there is none. */
size_t receipt_find(const receipt_page *page, size_t at, const char *text);

/** Second cell of the row named `name` in the section that begins at line `at`: up to the next
 * heading. NULL when there is none. */
const char *receipt_item(const receipt_page *page, size_t at, const char *name);

/** Line of the n-th change (from 0) of the section, or the page's count when there are fewer. */
size_t receipt_change(const receipt_page *page, size_t at, size_t n);

/** What a cell stands for: without backslashes and entities. */
const char *receipt_plain(pp_arena *arena, const char *markdown);

#endif
