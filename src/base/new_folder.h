/* new_folder.h - several files that appear together or not at all.
 *
 * They are written into a staging folder beside the final one, which then takes its name in one
 * step. The final folder may exist already when it is empty and no link. */
#ifndef PP_BASE_NEW_FOLDER_H
#define PP_BASE_NEW_FOLDER_H

#include "base/arena.h"

typedef struct pp_new_folder {
    const char *path;    /* final, in the arena */
    const char *staging; /* write here; NULL once ended */
} pp_new_folder;

/** Fails with PP_ERR_EXISTS unless the path is free or names an empty folder that is no link; with
 * PP_ERR_USAGE for a path whose last part is "." or "..". Changes nothing. */
PP_MUST_CHECK pp_status pp_new_folder_check(const char *path, pp_error *err);

/** Check, and create the staging folder (parents too). The caller ends it by commit or abandon. */
PP_MUST_CHECK pp_status pp_new_folder_open(pp_arena *arena, const char *path,
                                           pp_new_folder *ret_folder, pp_error *err);

/** Write one file; folders in `name` are created. */
PP_MUST_CHECK pp_status pp_new_folder_write(pp_arena *arena, const pp_new_folder *folder,
                                            const char *name, const void *bytes, size_t size,
                                            pp_error *err);

/** Give it its name, unless something stands there by now. Ended in any case. */
PP_MUST_CHECK pp_status pp_new_folder_commit(pp_new_folder *folder, pp_error *err);

/** Remove it with all that was written; for ended or zeroed ones nothing happens. */
void pp_new_folder_abandon(pp_new_folder *folder);

#endif
