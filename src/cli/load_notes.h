/* load_notes.h - what stands below the table of a load run: demands and verdicts, what went wrong,
 * saturation, the search, and where the figures come from; in sentences for people. */
#ifndef PP_CLI_LOAD_NOTES_H
#define PP_CLI_LOAD_NOTES_H

#include <stdio.h>

#include "capacity/load_report.h"

/**
 * Each thing is said once, with the levels it is true of.
 *
 * failure  one failed request in words, free of control characters; NULL where there is none
 * Fails with PP_ERR_MEMORY, and as pp_load_report_find; main checks the stream. */
PP_MUST_CHECK pp_status pp_load_notes_print(pp_arena *arena, const pp_load_report *report,
                                            const char *failure, FILE *out, pp_error *err);

/** A line for each level with the note `draft-acceptance-fell`, with both figures: for standard
 * error, since a run that only writes a document shows no table. */
void pp_load_warnings_print(pp_arena *arena, const pp_load_report *report, FILE *out);

/** "4 clients", "1 client", "2.5/s", "trace". */
const char *pp_load_level_text(pp_arena *arena, const pp_load_level *level);

#endif
