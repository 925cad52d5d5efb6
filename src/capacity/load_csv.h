/* load_csv.h - a load run as tables for spreadsheets: one row per level, one per request.
 *
 * RFC 4180: CRLF, fields with quotes, commas or line ends in quotes. One header, columns always in
 * this order, as many fields in every row; absent is an empty cell, never 0. Texts of others that a
 * spreadsheet would take for a formula begin with an apostrophe (F92). */
#ifndef PP_CAPACITY_LOAD_CSV_H
#define PP_CAPACITY_LOAD_CSV_H

#include "capacity/load_report.h"

/** Append header and one row per level. Fails as pp_buf_check. */
PP_MUST_CHECK pp_status pp_load_levels_csv(const pp_load_report *report, pp_buf *csv,
                                           pp_error *err);

/** Append header and one row per sample, in their order. */
PP_MUST_CHECK pp_status pp_load_requests_csv(const pp_sample *samples, size_t n, pp_buf *csv,
                                             pp_error *err);

#endif
