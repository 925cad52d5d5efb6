/* inputs.h - the two documents that a decision rests on, as commands take them, and JSON as they
 * print it. */
#ifndef PP_CLI_INPUTS_H
#define PP_CLI_INPUTS_H

#include "cli/command.h"
#include "decide/recommendation.h"
#include "report/html.h"

/* Documents are parsed from the bytes that are hashed. Must not move: the decision points into it.
 */
typedef struct pp_inputs {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    const char *set_path; /* borrowed */
    char benchmarks_sha256[PP_SHA256_HEX_SIZE];
    char constraints_sha256[PP_SHA256_HEX_SIZE];
} pp_inputs;

/** Read the first positional as a benchmark set, and --constraints. */
PP_MUST_CHECK pp_status pp_inputs_load(const pp_args *args, pp_inputs *inputs, pp_error *err);

/** The same, and decide. */
PP_MUST_CHECK pp_status pp_inputs_decide(const pp_args *args, pp_inputs *inputs, pp_error *err);
/** The same for two paths. */
PP_MUST_CHECK pp_status pp_inputs_decide_files(const char *set, const char *constraints,
                                               pp_inputs *inputs, pp_error *err);
void pp_inputs_done(pp_inputs *inputs);

/** Say on standard output why nothing is eligible: as a table, or with --json as decision details.
 * Always fails: PP_ERR_NO_WINNER when that worked. */
PP_MUST_CHECK pp_status pp_inputs_fail_no_winner(const pp_args *args, pp_inputs *inputs,
                                                 pp_error *err);

/** Only the failure, PP_ERR_NO_WINNER, nothing printed. */
pp_status pp_inputs_no_winner(const pp_inputs *inputs, pp_error *err);

pp_fingerprints pp_inputs_fingerprints(const pp_inputs *inputs);

/** Append the page of docs/cli/report.md about the decision alone. */
PP_MUST_CHECK pp_status pp_inputs_page(pp_inputs *inputs, pp_buf *out, pp_error *err);

/** What a page about the decision is made from; nothing beside it is given yet. */
pp_report_input pp_inputs_report(const pp_inputs *inputs);

/**
 * Split "NAME=VALUE" at its first '='; both sides must hold more than white space, which is taken
 * off their ends. The texts are copies.
 *
 * what  opens messages: "command: --option"
 * form  what is expected, "LABEL=PATH"
 * Fails with PP_ERR_USAGE.
 */
PP_MUST_CHECK pp_status pp_pair_split(pp_arena *arena, const char *what, const char *form,
                                      const char *given, pp_text *ret_name, pp_text *ret_value,
                                      pp_error *err);

/** PP_ERR_EXISTS when an output path is taken; NULL is no path. */
PP_MUST_CHECK pp_status pp_output_check_free(const char *path, pp_error *err);

/**
 * The files that these options name can be written: distinct, free, in folders that take them.
 * Nothing is worse than an hour of measuring and no place for it. Options that were not given are
 * passed over; `command` opens messages. Fails with PP_ERR_USAGE, PP_ERR_EXISTS.
 */
PP_MUST_CHECK pp_status pp_outputs_check(const pp_args *args, const char *command,
                                         const char *const *options, size_t n, pp_error *err);

/** Do the work of a command that writes --output: nothing when that path is taken. The arena ends
 * with the work. */
PP_MUST_CHECK pp_status pp_with_new_output(const pp_args *args,
                                           pp_status (*work)(const pp_args *args, pp_arena *arena,
                                                             pp_error *err),
                                           pp_error *err);

/** The ASCII form on standard output; main checks the stream. */
PP_MUST_CHECK pp_status pp_print_json(const pp_json *document, pp_error *err);

/** What a command does with its document: save it at --output where that is given, and print it
 * with --json. Without --json the caller prints a table. */
PP_MUST_CHECK pp_status pp_output_json(const pp_args *args, const pp_json *document, pp_error *err);

#endif
