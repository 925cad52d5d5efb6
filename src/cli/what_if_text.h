/* what_if_text.h - which one change of the constraints would change the choice, as lines for
 * people.
 */
#ifndef PP_CLI_WHAT_IF_TEXT_H
#define PP_CLI_WHAT_IF_TEXT_H

#include <stdio.h>

#include "decide/what_if.h"

/** Print the answers below a decision table. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_what_if_print(pp_arena *arena, const pp_decision *decision,
                                         const pp_what_if *what_if, FILE *out, pp_error *err);

#endif
