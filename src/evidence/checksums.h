/* checksums.h - SHA256SUMS of a bundle: one line a file, "<64 hex digits>  ./path", sorted by
 * bytes.
 *
 * `sha256sum -c SHA256SUMS` inside the folder checks it without this program. */
#ifndef PP_EVIDENCE_CHECKSUMS_H
#define PP_EVIDENCE_CHECKSUMS_H

#include "base/arena.h"

#define PP_CHECKSUMS_NAME   "SHA256SUMS"
/* A study of 64 candidates and 20 passes writes about 20 files a pass. */
#define PP_BUNDLE_MAX_FILES 100000

/**
 * Hash every file below `folder` (SHA256SUMS itself excepted) and write the list, replacing an
 * older one. Fails with PP_ERR_IO on anything that is neither a folder nor a regular file, and on
 * names with a line break or a backslash, which the format cannot hold.
 */
PP_MUST_CHECK pp_status pp_checksums_write(const char *folder, pp_error *err);

/** Relative paths ("a/b") of all regular files below `folder`, sorted by bytes; NULL at the end. */
PP_MUST_CHECK pp_status pp_bundle_list(pp_arena *arena, const char *folder,
                                       const char *const **ret_paths, size_t *ret_count,
                                       pp_error *err);

#endif
