/* load_output.h - what a `load` leaves: the report, samples, CSV, and the table on the terminal. */
#ifndef PP_CLI_LOAD_OUTPUT_H
#define PP_CLI_LOAD_OUTPUT_H

#include "cli/load_session.h"

/** Before anything is asked of a server: output paths are free and differ. Fails with
 * PP_ERR_EXISTS or PP_ERR_USAGE. */
PP_MUST_CHECK pp_status pp_load_output_check(const pp_args *args, pp_error *err);

/** Write the files that were asked for, and print the table or, with --json, the report. */
PP_MUST_CHECK pp_status pp_load_output_write(const pp_args *args, pp_load_session *session,
                                             pp_error *err);

#endif
