/* mask.h - decision documents without the prose that every program words in its own way. */
#ifndef PP_TESTS_MASK_H
#define PP_TESTS_MASK_H

#include "json/json.h"

/** A copy of a recommendation in which tool version, reason and violation texts are "" (their
 * number stays). Without input_fingerprints unless `keep_fingerprints`. */
pp_json *mask_recommendation(pp_arena *arena, const pp_json *document, bool keep_fingerprints);

/** The same for profiles: the notices too, and the recommendation of each. */
pp_json *mask_profiles(pp_arena *arena, const pp_json *document, bool keep_fingerprints);

/** SHA-256 of the canonical file form; fails the test when it cannot be written. */
const char *canonical_sha256(pp_arena *arena, const pp_json *document);

/** Bytes of a case's input file: {"text": ...} or {"base64": ...}; false for absent and folder. */
bool case_input(pp_arena *arena, const pp_json *input, pp_text *ret_bytes);

#endif
