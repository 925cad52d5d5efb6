/* plain.h - inside json/ only: the JSON that nearly every document is, read in one go.
 *
 * A stream of tokens is thousands of small documents, and Jansson takes some hundred instructions
 * for each of their characters. This reads what is plain: no \u escapes, no exponents, integers of
 * up to 18 digits, objects of few members, little depth. It refuses nothing: what it does not know,
 * and what is wrong, it leaves to Jansson, whose judgement and words are the only ones. For what it
 * does read, both give the same tree (tests/fuzz/fuzz_json.c). */
#ifndef PP_JSON_PLAIN_H
#define PP_JSON_PLAIN_H

#include "json/json.h"

/* Larger documents are few, and reading one twice would be noticed. */
#define PP_JSON_PLAIN_MAX_BYTES ((size_t)64 << 10)

/** The value, in `arena`; NULL where it is not plain or memory is short. */
pp_json *pp_json_read_plain(pp_arena *arena, const char *bytes, size_t size);

#endif
