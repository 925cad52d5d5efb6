/* command.h - the rows that commands and options are made of.
 *
 * Parsing, help, usage errors, the man page, shell completion and the tables of docs/cli read the
 * same rows (tools/gen_cli makes the last three). A command parses, calls the library and prints:
 * results on standard output, everything else on standard error. */
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

/* What a value is. Words are checked when the command line is parsed; the rest is for completion,
 * and the command reads it (base/units.h). */
typedef enum pp_value_kind {
    PP_VALUE_FILE,
    PP_VALUE_FOLDER,
    PP_VALUE_WORD, /* one of a list */
    PP_VALUE_NUMBER,
    PP_VALUE_DURATION, /* "30s" */
    PP_VALUE_SIZE,     /* "64KiB" */
    PP_VALUE_TEXT
} pp_value_kind;

typedef struct pp_value {
    pp_value_kind kind;
    const char *unit;              /* as the help shows it, "FILE" */
    const char *(*word)(size_t n); /* PP_VALUE_WORD: the n-th (from 0), NULL behind the last */
} pp_value;

/** The words of a PP_VALUE_WORD, "a, b, c"; cut when they do not fit. */
void pp_value_words(const pp_value *value, char *out, size_t size);

/* For rows: PP_FILE("SET"), PP_WORD("TYPE", type_word). */
#define PP_FILE(unit)       (&(const pp_value){PP_VALUE_FILE, unit, NULL})
#define PP_FOLDER(unit)     (&(const pp_value){PP_VALUE_FOLDER, unit, NULL})
#define PP_WORD(unit, word) (&(const pp_value){PP_VALUE_WORD, unit, word})
#define PP_NUMBER(unit)     (&(const pp_value){PP_VALUE_NUMBER, unit, NULL})
#define PP_DURATION(unit)   (&(const pp_value){PP_VALUE_DURATION, unit, NULL})
#define PP_SIZE(unit)       (&(const pp_value){PP_VALUE_SIZE, unit, NULL})
#define PP_TEXT(unit)       (&(const pp_value){PP_VALUE_TEXT, unit, NULL})

typedef struct pp_option {
    const char *name;      /* without the dashes */
    char letter;           /* 0 when it has none */
    const pp_value *value; /* what stands behind it; NULL for a switch */
    const char *standard;  /* the default as the help shows it; NULL when there is none */
    const char *help;      /* one sentence; docs/formats/<name>.md becomes a link in docs/cli */
    bool required;
    bool repeats; /* may be given several times */
} pp_option;

typedef struct pp_positional {
    const pp_value *value; /* its unit is the name: "PLAN" */
    const char *help;      /* as of an option */
    bool optional;         /* then those behind it are, too */
    bool repeats;          /* the last one only: one or more */
} pp_positional;

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

/** Value of an option (the first one when it was repeated), NULL when it was not given. */
const char *pp_args_value(const pp_args *args, const char *name);
bool pp_args_has(const pp_args *args, const char *name);
/** The n-th (from 0) value of a repeated option, NULL behind the last. */
const char *pp_args_value_at(const pp_args *args, const char *name, size_t n);

typedef struct pp_command {
    const char *group; /* one of pp_command_groups */
    const char *name;  /* one word or two: "doctor", "model synth" */
    const pp_positional *positionals;
    size_t n_positionals;
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
    X(load)                                                                                        \
    X(combine_load)                                                                                \
    X(suite)                                                                                       \
    X(model_synth)                                                                                 \
    X(study_plan)                                                                                  \
    X(study_run)                                                                                   \
    X(study_resume)                                                                                \
    X(study_status)                                                                                \
    X(sim)                                                                                         \
    X(recommend)                                                                                   \
    X(profiles)                                                                                    \
    X(passport)                                                                                    \
    X(optimization_receipt)                                                                        \
    X(summarize_stability)                                                                         \
    X(report)                                                                                      \
    X(report_compare)                                                                              \
    X(ci_gate)                                                                                     \
    X(serve)                                                                                       \
    X(init)                                                                                        \
    X(verify)                                                                                      \
    X(import_llama_bench)                                                                          \
    X(summarize_llama_bench)                                                                       \
    X(compare_llama_bench)                                                                         \
    X(validate)                                                                                    \
    X(schema)                                                                                      \
    /* end */

#define PP_DECLARE_COMMAND(id) extern const pp_command pp_command_##id;
PP_COMMAND_LIST(PP_DECLARE_COMMAND)
#undef PP_DECLARE_COMMAND

/* ---- all of them: commands.c ----------------------------------------------------------------- */

extern const pp_command *const pp_commands[]; /* ends with NULL */
extern const char *const pp_command_groups[]; /* in the order of the help; ends with NULL */

/** The row whose one or two words stand at the front of argv, NULL when there is none. */
const pp_command *pp_command_find(int argc, char **argv, int *ret_words);

/** The command belongs below `word`: "study run" below "study". */
bool pp_command_is_below(const pp_command *command, const char *word);

/**
 * What somebody who typed argv may have meant: the name of a command or the first word of some, few
 * edits away (nearest.h). False when nothing is near.
 */
bool pp_command_nearest(int argc, char **argv, char *ret_meant, size_t size);

#endif
