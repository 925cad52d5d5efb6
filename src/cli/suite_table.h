/* suite_table.h - what a suite brought to light, for people: scores, groups, misses, flips. */
#ifndef PP_CLI_SUITE_TABLE_H
#define PP_CLI_SUITE_TABLE_H

#include <stdio.h>

#include "quality/suite_report.h"

/**
 * Tables and notes in at most PP_TERMINAL_COLUMNS columns. What servers said is escaped and cut.
 *
 * scores   one for each endpoint
 * pairs    beside them; those of the reference, and all without one, are not looked at
 *
 * Fails with PP_ERR_MEMORY; main checks the stream.
 */
PP_MUST_CHECK pp_status pp_suite_table_print(pp_arena *arena, const pp_suite_report *report,
                                             const pp_score *scores, const pp_pairing *pairs,
                                             FILE *out, pp_error *err);

#endif
