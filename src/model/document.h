/* document.h - a JSON file and the digest of the very bytes that were parsed. */
#ifndef PP_MODEL_DOCUMENT_H
#define PP_MODEL_DOCUMENT_H

#include "digest/sha256.h"
#include "json/json.h"

/** Read, hash and parse a file; the value lives in `arena`. Fails as pp_json_read_file. */
PP_MUST_CHECK pp_status pp_document_read(pp_arena *arena, const char *path,
                                         const pp_json **ret_root,
                                         char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err);

#endif
