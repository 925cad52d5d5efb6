/* site_scan.h - where the bundles below a folder are. */
#ifndef PP_CLI_SITE_SCAN_H
#define PP_CLI_SITE_SCAN_H

#include "base/text.h"

#define PP_SITE_MAX_BUNDLES 1000
#define PP_SITE_MAX_DEPTH   8

typedef struct pp_found_bundle {
    const char *path; /* to open it */
    pp_text name; /* below the folder: "2026/arm64-ladder"; its own name when it is the folder */
} pp_found_bundle;

/**
 * Folders that hold a status.json, sorted by name; not what stands below one of them, below a name
 * that begins with '.', behind a link, or deeper than PP_SITE_MAX_DEPTH.
 *
 * Fails with PP_ERR_IO when a folder cannot be read, PP_ERR_LIMIT above PP_SITE_MAX_BUNDLES.
 */
PP_MUST_CHECK pp_status pp_site_scan(pp_arena *arena, const char *folder,
                                     pp_found_bundle **ret_bundles, size_t *ret_count,
                                     pp_error *err);

/** The last part of a path, also of "." and "..". */
pp_text pp_path_own_name(pp_arena *arena, const char *path);

#endif
