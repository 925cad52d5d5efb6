/* loose_json.h - inside intake/ only: JSON events whose strings may hold halves of characters.
 *
 * A server may cut a character between two events, as raw bytes or as half a surrogate pair (F28).
 * Strict JSON refuses both. Such bytes and halves are lifted into code points of plane 16 that no
 * text uses, read, and put back into the text as the bytes they were: raw bytes as they came, a
 * lone surrogate in the three bytes that UTF-8 would give it. */
#ifndef PP_INTAKE_LOOSE_JSON_H
#define PP_INTAKE_LOOSE_JSON_H

#include "json/json.h"

/** Read one value; ret_lifted tells whether texts must be put back with pp_loose_append. */
PP_MUST_CHECK pp_status pp_loose_json_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                            const pp_json **ret_root, bool *ret_lifted,
                                            pp_error *err);

/** Append a text of a lifted value with its original bytes. */
void pp_loose_append(pp_buf *out, pp_text text);

/** Join halves of surrogate pairs that now stand side by side; returns the new size. */
size_t pp_loose_join_surrogates(char *bytes, size_t size);

#endif
