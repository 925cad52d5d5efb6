/* gen.h - what is made from the command table when the program is built: the man page, completion
 * for three shells, and the blocks of docs/cli.
 *
 * A program of the build; nothing of it is in paretopilot. Everything goes to standard output. */
#ifndef PP_TOOLS_GEN_H
#define PP_TOOLS_GEN_H

#include "cli/command.h"

void gen_man(void);
void gen_bash(void);
void gen_zsh(void);
void gen_fish(void);

/** For every command a line "%% cli/study-run usage and options", then the block of that page. */
void gen_docs(void);

/* ---- common.c ------------------------------------------------------------------------------- */

/** "paretopilot study run PLAN --output-dir DIR [--json]" */
void gen_synopsis(const pp_command *command, char *out, size_t size);

/**
 * First word of the i-th command. False when an earlier command has it, so that a loop over all
 * commands meets each first word once.
 */
bool gen_first_word(size_t i, char *out, size_t size);

/** The command is one word of two, which is then its second; else NULL. */
const char *gen_second_word(const pp_command *command);

/** Print the text with a backslash before every character that is in `special`. */
void gen_escaped(const char *text, const char *special);

/** The text in single quotes of a Bourne shell; `special` as above. */
void gen_quoted(const char *text, const char *special);

/** The words of a value, a blank between them. */
void gen_words(const pp_value *value);

#endif
