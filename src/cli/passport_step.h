/* passport_step.h - what `passport` and `optimization-receipt` have in common: from the command
 * line to a written file and what is printed about it. They differ in the bytes of the file. */
#ifndef PP_CLI_PASSPORT_STEP_H
#define PP_CLI_PASSPORT_STEP_H

#include "cli/inputs.h"

typedef struct pp_passport_file {
    const char *path_key;   /* "passport", as `--json` names it */
    const char *sha256_key; /* "passport_sha256" */
    const char *what;       /* "passport", for people */
    size_t max_bytes;
    pp_status (*write)(const pp_json *passport, pp_buf *out, pp_error *err);
} pp_passport_file;

/**
 * Check the output, read, decide, make the passport, write the file at --output and print the
 * summary or, with --json, the document. Where the evidence is required and not there, say so on
 * standard output instead and set ret_exit.
 */
PP_MUST_CHECK pp_status pp_passport_step_run(const pp_args *args, const pp_passport_file *file,
                                             pp_exit *ret_exit, pp_error *err);

#endif
