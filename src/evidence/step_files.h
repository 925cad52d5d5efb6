/* step_files.h - which files of a bundle belong to which step. */
#ifndef PP_EVIDENCE_STEP_FILES_H
#define PP_EVIDENCE_STEP_FILES_H

#include "digest/sha256.h"
#include "evidence/steps.h"

typedef struct pp_step_file {
    const char *path; /* relative to the bundle */
    char sha256[PP_SHA256_HEX_SIZE];
    int64_t size_bytes;
} pp_step_file;

/**
 * Files of a step that are in the bundle now, sorted by bytes; folders are looked through. Digests
 * are left empty. Fails with PP_ERR_IO.
 */
PP_MUST_CHECK pp_status pp_step_files_find(pp_arena *arena, const char *folder,
                                           const pp_study_plan *plan, const pp_study_step *step,
                                           pp_step_file **ret_files, size_t *ret_count,
                                           pp_error *err);

/** The same with their digests, each synced to disk first: what is recorded as written is there. */
PP_MUST_CHECK pp_status pp_step_files_seal(pp_arena *arena, const char *folder,
                                           const pp_study_plan *plan, const pp_study_step *step,
                                           pp_step_file **ret_files, size_t *ret_count,
                                           pp_error *err);

/** [{path, sha256, size_bytes}] as a journal records them, and back. */
pp_json *pp_step_files_encode(pp_arena *arena, const pp_step_file *files, size_t count);

/**
 * The first recorded file that is absent or has other bytes; NULL when all are as recorded.
 *
 * files   list of a checked journal line
 * Fails with PP_ERR_IO when a file that is there cannot be read.
 */
PP_MUST_CHECK pp_status pp_step_files_compare(pp_arena *arena, const char *folder,
                                              const pp_json *files, const char **ret_changed,
                                              pp_error *err);

/** Where the files of an attempt that was repeated stand: "attempts/<step>/attempt-N". */
const char *pp_step_attempt_folder(pp_arena *arena, const pp_study_step *step, int64_t attempt);

#endif
