/* checksum_list.h - reading SHA256SUMS strictly: what does the bundle say it holds?
 *
 * Only the form that checksums.h writes is read: LF at the end of every line, lower-case digits,
 * two blanks, "./" and a path without empty, "." and ".." parts, sorted by bytes, none twice. A
 * list in another form may mean the same, but not surely, and nobody who has the bundle needs
 * another one.
 */
#ifndef PP_EVIDENCE_CHECKSUM_LIST_H
#define PP_EVIDENCE_CHECKSUM_LIST_H

#include "base/arena.h"
#include "base/error.h"
#include "digest/sha256.h"

typedef struct pp_checksum {
    const char *path; /* "a/b" */
    char sha256[PP_SHA256_HEX_SIZE];
} pp_checksum;

typedef struct pp_checksum_list {
    pp_checksum *items; /* sorted by path */
    size_t count;
} pp_checksum_list;

/** Everything lives in `arena`. Fails with PP_ERR_SYNTAX "line N: expected ..., got ...",
 * PP_ERR_LIMIT for more than PP_BUNDLE_MAX_FILES lines. */
PP_MUST_CHECK pp_status pp_checksum_list_parse(pp_arena *arena, const char *bytes, size_t size,
                                               pp_checksum_list *ret_list, pp_error *err);

#endif
