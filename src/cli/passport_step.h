/* passport_step.h - what `passport` and `optimization-receipt` have in common: from the command
 * line to a passport, and from a written file to what is printed. */
#ifndef PP_CLI_PASSPORT_STEP_H
#define PP_CLI_PASSPORT_STEP_H

#include "cli/inputs.h"

/* A passport, or the answer that there is none to be had. Must not move. */
typedef struct pp_passport_step {
    pp_inputs inputs;
    pp_json *passport; /* NULL when the command has answered "no" already */
} pp_passport_step;

/* What was written, as `--json` names it. */
typedef struct pp_passport_file {
    const char *path_key;   /* "passport" */
    const char *sha256_key; /* "passport_sha256" */
    const char *what;       /* "passport", for people */
} pp_passport_file;

/**
 * Check the output, read, decide and make the passport. Where the evidence is required and not
 * there, say so on standard output, set ret_exit and leave the passport NULL.
 */
PP_MUST_CHECK pp_status pp_passport_step_make(const pp_args *args, const pp_passport_file *file,
                                              pp_passport_step *step, pp_exit *ret_exit,
                                              pp_error *err);

/** Write the bytes as a new file at --output and print the summary or, with --json, the document.
 */
PP_MUST_CHECK pp_status pp_passport_step_write(const pp_args *args, const pp_passport_file *file,
                                               pp_passport_step *step, const pp_buf *bytes,
                                               pp_error *err);

void pp_passport_step_done(pp_passport_step *step);

#endif
