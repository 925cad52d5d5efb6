/* help.h - the help pages, made from the rows of the command table. */
#ifndef PP_CLI_HELP_H
#define PP_CLI_HELP_H

#include "cli/command.h"

/** `commands` ends with NULL. */
void pp_help_overview(const pp_command *const *commands);
void pp_help_command(const pp_command *command);

#endif
