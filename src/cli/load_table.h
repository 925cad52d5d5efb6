/* load_table.h - what a load run measured and shows, for people. */
#ifndef PP_CLI_LOAD_TABLE_H
#define PP_CLI_LOAD_TABLE_H

#include <stdio.h>

#include "capacity/load_report.h"

/**
 * A row for each level, in at most PP_TERMINAL_COLUMNS columns, then verdicts, doubts, saturation
 * and the search. Percentiles count failures as endless; one that so few requests do not support is
 * marked. Times have their unit in the cell.
 *
 * failure  one failed request in words, free of control characters; NULL where there is none
 * Fails with PP_ERR_MEMORY, and as pp_load_report_find; main checks the stream.
 */
PP_MUST_CHECK pp_status pp_load_table_print(pp_arena *arena, const pp_load_report *report,
                                            const char *failure, FILE *out, pp_error *err);

/** "812.4ms", "1.235s", "120us": four significant digits, for times from 0. */
const char *pp_load_time_text(pp_arena *arena, double ms);

#endif
