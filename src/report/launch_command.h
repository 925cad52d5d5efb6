/* launch_command.h - the command line that started a candidate, quoted for a POSIX shell. */
#ifndef PP_REPORT_LAUNCH_COMMAND_H
#define PP_REPORT_LAUNCH_COMMAND_H

#include "json/json.h"

/* What a shell and a reader can be expected to take. */
#define PP_LAUNCH_MAX_WORDS      128
#define PP_LAUNCH_MAX_WORD_CHARS 4096
#define PP_LAUNCH_MAX_CHARS      32768

/**
 * Append the command of candidate.parameters.deployment_argv: words of [A-Za-z0-9_@%+=:,./-] bare,
 * all others in single quotes; continued on a new line before each option.
 *
 * Returns NULL, or a sentence that says why there is none; `out` is then unchanged.
 */
const char *pp_launch_command(const pp_json *parameters, pp_buf *out);

/** Append one word, quoted where it must be. */
void pp_launch_quote(pp_text word, pp_buf *out);

#endif
