/* gate_files.h - the files of a passed gate, made in memory and then written all together. */
#ifndef PP_CLI_GATE_FILES_H
#define PP_CLI_GATE_FILES_H

#include "cli/inputs.h"
#include "decide/gate.h"

typedef struct pp_gate_files {
    pp_buf texts[PP_GATE_FILE_COUNT];
    pp_gate_file files[PP_GATE_FILE_COUNT];
    pp_buf gate;       /* gate.json */
    pp_buf regression; /* regression.json; empty without an earlier decision */
    const pp_json *document;
    const char *gate_path;
    char gate_sha256[PP_SHA256_HEX_SIZE];
} pp_gate_files;

/**
 * Make them. `folder` is where they will stand, as the documents name it: repeated slashes, "."
 * and slashes at the end are dropped.
 * earlier_sha256   of the earlier decision; NULL when the gate has none
 * Fails with PP_ERR_SCHEMA when the receipt refuses the passport, PP_ERR_USAGE when the path is no
 * UTF-8. End it with done in any case; a zeroed one is valid.
 */
PP_MUST_CHECK pp_status pp_gate_files_make(pp_inputs *inputs, const pp_gate *gate,
                                           const char *folder, const char *earlier_sha256,
                                           pp_gate_files *ret_files, pp_error *err);
void pp_gate_files_done(pp_gate_files *files);

/** Write them as a new folder: all or none. */
PP_MUST_CHECK pp_status pp_gate_files_write(pp_arena *arena, const pp_gate_files *files,
                                            const char *folder, pp_error *err);

#endif
