/* starter.h - the files that `init` writes: a decision that works, to be made one's own. */
#ifndef PP_CLI_STARTER_H
#define PP_CLI_STARTER_H

#include "base/arena.h"

#define PP_STARTER_FILE_COUNT  5
#define PP_STARTER_BENCHMARKS  "benchmarks/benchmark-set.json"
#define PP_STARTER_CONSTRAINTS "constraints/deployment.json"
#define PP_STARTER_SELECTED    "q4"
/* What to type in the new folder; in the README as well. */
#define PP_STARTER_COMMAND                                                                         \
    "paretopilot ci-gate " PP_STARTER_BENCHMARKS " --constraints " PP_STARTER_CONSTRAINTS          \
    " --output-dir paretopilot-output --allow-synthetic --expect-selected-id " PP_STARTER_SELECTED

typedef struct pp_starter_file {
    const char *name; /* with folders */
    const char *text; /* UTF-8, LF, newline at the end */
} pp_starter_file;

/** Fails with PP_ERR_USAGE unless it is "OWNER/REPO@" and the 40 digits of a commit: a tag or a
 * branch may be moved by others. */
PP_MUST_CHECK pp_status pp_starter_check_action(const char *ref, pp_error *err);

/** The files, by name. action_ref: checked, or NULL for a workflow that calls the installed
 * program. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_starter_make(pp_arena *arena, const char *action_ref,
                                        pp_starter_file ret_files[PP_STARTER_FILE_COUNT],
                                        pp_error *err);

#endif
