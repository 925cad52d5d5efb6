/* splice.h - change a few values of a JSON text and leave every other byte as it is.
 *
 * For texts that only pass through: numbers, the order of members, white space and members that
 * nobody here knows survive. Spans are found in bytes that pp_json_parse has accepted; other bytes
 * give some span within them or none, and never anything outside. Knows no domain words. */
#ifndef PP_JSON_SPLICE_H
#define PP_JSON_SPLICE_H

#include "base/buffer.h"
#include "base/text.h"

/* Bytes begin to end - 1 of a text: those of a value, without blanks around it. Equal: none. */
typedef struct pp_json_span {
    size_t begin;
    size_t end;
} pp_json_span;

/** The whole value of the text. */
pp_json_span pp_json_span_root(pp_bytes text);

/** The value of a member of the object at `object`; none when that is no object or has no such
 * member. Keys count by what they mean: "m\u006fdel" is "model". */
pp_json_span pp_json_span_member(pp_bytes text, pp_json_span object, const char *key);

/* One change. Zeroed `with` removes. */
typedef struct pp_json_edit {
    pp_json_span at; /* replaced; of size 0: `with` is put in front of its byte */
    pp_text with;
    pp_text after; /* behind it */
} pp_json_edit;

/** Replace a value by another one, given as JSON. */
pp_json_edit pp_json_edit_replace(pp_json_span value, pp_text json);

/** Put members, given as JSON ("\"a\":1,\"b\":2"), in front of those of the object at `object`. */
pp_json_edit pp_json_edit_insert(pp_bytes text, pp_json_span object, pp_text members);

/** Append the text with its changes; they must not overlap, and are sorted here. Whether there was
 * room stands in `out`. */
void pp_json_splice(pp_bytes text, pp_json_edit *edits, size_t n_edits, pp_buf *out);

#endif
