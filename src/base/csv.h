/* csv.h - cells of tables for spreadsheets, RFC 4180: CRLF, fields with quotes, commas or line ends
 * in quotes.
 *
 * Absent is an empty cell, never 0. Texts of others that a spreadsheet would take for a formula
 * begin with an apostrophe (F92). The caller sees to it that every row has as many cells, and
 * checks the buffer in the end. */
#ifndef PP_BASE_CSV_H
#define PP_BASE_CSV_H

#include "base/buffer.h"
#include "base/maybe.h"
#include "base/text.h"

void pp_csv_text(pp_buf *csv, pp_text text);
/** NULL is an empty cell. */
void pp_csv_word(pp_buf *csv, const char *word);
void pp_csv_int(pp_buf *csv, int64_t value);
void pp_csv_maybe_int(pp_buf *csv, pp_maybe_int value);
/** 15 digits: what a spreadsheet keeps. Empty also when it is not finite. */
void pp_csv_maybe_real(pp_buf *csv, pp_maybe_real value);
void pp_csv_empty(pp_buf *csv);
void pp_csv_end_row(pp_buf *csv);

#endif
