/* stability_table.h - what passes agree on, for people. */
#ifndef PP_CLI_STABILITY_TABLE_H
#define PP_CLI_STABILITY_TABLE_H

#include <stdio.h>

#include "decide/stability.h"

/** Fails with PP_ERR_MEMORY only; main checks the stream. */
PP_MUST_CHECK pp_status pp_stability_table_print(pp_arena *arena, const pp_stability *stability,
                                                 FILE *out, pp_error *err);

#endif
