/* mask.h - decision documents without the prose that every program words in its own way. */
#ifndef PP_TESTS_MASK_H
#define PP_TESTS_MASK_H

#include "json/json.h"

/** A copy of a recommendation in which tool version, reason and violation texts are "" (their
 * number stays). Without input_fingerprints unless `keep_fingerprints`. */
pp_json *mask_recommendation(pp_arena *arena, const pp_json *document, bool keep_fingerprints);

/** The same for profiles: the notices too, and the recommendation of each. */
pp_json *mask_profiles(pp_arena *arena, const pp_json *document, bool keep_fingerprints);

/** The same for a passport: tool version, reason, violation texts, verification scope, issues and
 * the four texts of `method`. */
pp_json *mask_passport(pp_arena *arena, const pp_json *document, bool keep_fingerprints);

/** Bytes of the canonical file form. */
size_t canonical_size(const pp_json *document);

/** SHA-256 of the canonical file form; fails the test when it cannot be written. */
const char *canonical_sha256(pp_arena *arena, const pp_json *document);

/** Bytes of a case's input file: {"text": ...} or {"base64": ...}; false for absent and folder. */
bool case_input(pp_arena *arena, const pp_json *input, pp_text *ret_bytes);

#endif
