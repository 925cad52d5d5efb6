/* command.h - the rows that commands and options are made of.
 *
 * Help, usage errors and the check of the documentation read the same rows. A command parses, calls
 * the library and prints: results on standard output, everything else on standard error. */
#ifndef PP_CLI_COMMAND_H
#define PP_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum pp_exit {
    PP_EXIT_YES = 0,
    PP_EXIT_NO = 1,             /* gate missed, nothing eligible, a digest differs */
    PP_EXIT_INVALID = 2,        /* usage or invalid input; nothing was written */
    PP_EXIT_COULD_NOT_TELL = 3, /* needs missing, host unsuitable, evidence insufficient */
    PP_EXIT_BUG = 4,
    PP_EXIT_INTERRUPTED = 130,
    PP_EXIT_TERMINATED = 143
} pp_exit;

typedef struct pp_option {
    const char *name;     /* without the dashes */
    char letter;          /* 0 when it has none */
    const char *unit;     /* what stands behind it, "FILE"; NULL for a switch */
    const char *standard; /* the default as the help shows it; NULL when there is none */
    const char *help;     /* one line */
    bool required;
    bool repeats; /* may be given several times */
} pp_option;

#define PP_ARGS_MAX_OPTIONS     128
#define PP_ARGS_MAX_POSITIONALS 256

/* A parsed command line. Texts are borrowed from argv. */
typedef struct pp_args {
    const pp_option *given_rows[PP_ARGS_MAX_OPTIONS];
    const char *given_values[PP_ARGS_MAX_OPTIONS]; /* "" for a switch */
    size_t given_count;
    const char *positionals[PP_ARGS_MAX_POSITIONALS];
    size_t positional_count;
} pp_args;

/** Value of an option (the last one when it was repeated), NULL when it was not given. */
const char *pp_args_value(const pp_args *args, const char *name);
bool pp_args_has(const pp_args *args, const char *name);
/** The n-th (from 0) value of a repeated option, NULL behind the last. */
const char *pp_args_value_at(const pp_args *args, const char *name, size_t n);

typedef struct pp_command {
    const char *group;       /* "Measure", "Decide", "Prove", "Serve", "Help" */
    const char *name;        /* one word or two: "doctor", "model synth" */
    const char *positionals; /* as the usage line shows them, "PLAN"; "" for none */
    size_t min_positionals;
    size_t max_positionals;
    const pp_option *options;
    size_t n_options;
    const char *summary; /* one line, no capital, no full stop */
    const char *detail;  /* paragraphs of the help page */
    const char *example; /* one command line that works in the project's folder */
    /** Fails with a status that the exit code follows from; ret_exit starts as PP_EXIT_YES. */
    pp_status (*run)(const pp_args *args, pp_exit *ret_exit, pp_error *err);
} pp_command;

/** Parse argv (without program and command name) by the rows of `command`. --help is the caller's.
 */
PP_MUST_CHECK pp_status pp_args_parse(const pp_command *command, int argc, char **argv,
                                      pp_args *ret_args, pp_error *err);

/** Exit code that a failure of this status gives. */
pp_exit pp_exit_of(pp_status st);

/* The commands, one file each: cmd_<name>.c */
#define PP_COMMAND_LIST(X)                                                                         \
    X(doctor)                                                                                      \
    X(model_info)                                                                                  \
    X(model_synth)                                                                                 \
    X(study_plan)                                                                                  \
    X(study_run)                                                                                   \
    X(recommend)                                                                                   \
    X(report)                                                                                      \
    X(schema)                                                                                      \
    /* end */

#define PP_DECLARE_COMMAND(id) extern const pp_command pp_command_##id;
PP_COMMAND_LIST(PP_DECLARE_COMMAND)
#undef PP_DECLARE_COMMAND

#endif
