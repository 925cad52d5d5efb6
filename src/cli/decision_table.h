/* decision_table.h - a decision as people read it on a terminal: the table of candidates, and below
 * it what was chosen, why, and what each of the others missed. Fits 100 columns. */
#ifndef PP_CLI_DECISION_TABLE_H
#define PP_CLI_DECISION_TABLE_H

#include <stdio.h>

#include "decide/decision.h"

/** Print any decision, one without a winner included. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_decision_table_print(pp_arena *arena, const pp_decision *decision,
                                                FILE *out, pp_error *err);

/** The line "selected", for a decision with a winner. */
void pp_decision_print_selected(pp_arena *arena, const pp_decision *decision, FILE *out);

#endif
