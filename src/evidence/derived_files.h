/* derived_files.h - every file of a bundle that follows from the others, as bytes.
 *
 * A study writes them when it ends; who checks the bundle makes them again and compares. Adding a
 * derived document means adding it here, and nowhere else. */
#ifndef PP_EVIDENCE_DERIVED_FILES_H
#define PP_EVIDENCE_DERIVED_FILES_H

#include "evidence/derive.h"

typedef struct pp_derived_file {
    const char *path;  /* in the bundle, as layout.h says */
    const char *bytes; /* in the arena */
    size_t size;
    bool was_written; /* by the step that measured, so that it is there already */
} pp_derived_file;

typedef struct pp_derived_files {
    pp_derived_file *items;
    size_t count, capacity;
} pp_derived_files;

/** Everything lives in `arena`. Fails with PP_ERR_MEMORY, PP_ERR_LIMIT when one becomes too large.
 */
PP_MUST_CHECK pp_status pp_derived_files_make(pp_arena *arena, const pp_derived *derived,
                                              const char *tool_version, pp_derived_files *ret_files,
                                              pp_error *err);

#endif
