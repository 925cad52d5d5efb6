/* help.h - the help pages, made from the rows of the command table. */
#ifndef PP_CLI_HELP_H
#define PP_CLI_HELP_H

#include "cli/command.h"

#define PP_HELP_COLUMNS 100

void pp_help_overview(void);
void pp_help_command(const pp_command *command);

/* ---- pieces that tools/gen_cli uses as well ------------------------------------------------- */

#define PP_HELP_TEXT_MAX 1024

/**
 * Print the words of `text` in lines of PP_HELP_COLUMNS, the cursor being at column `indent`, where
 * further lines start. A line that goes on ends with `more`: " \\" lets a shell read on.
 */
void pp_help_wrapped(const char *text, size_t indent, const char *more);

/** "PLAN", "[NAME]", "FILE..." */
void pp_help_positional(const pp_positional *row, char *out, size_t size);

/** The row's help and the words that its value may be. */
void pp_help_meaning(const char *help, const pp_value *value, char *out, size_t size);

/** An exit code and when it comes; the code as text, because two share a row. */
typedef struct pp_help_exit {
    const char *code;
    const char *when;
} pp_help_exit;

extern const pp_help_exit pp_help_exits[]; /* ends with a NULL code */

#endif
