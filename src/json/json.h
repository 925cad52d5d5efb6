/* json.h - JSON values: read strictly, walked with $.paths, built, and written in canonical bytes.
 *
 * Reading accepts RFC 8259 objects in UTF-8 and refuses duplicate keys, NaN, trailing content,
 * integers outside int64, lone surrogates and anything nested deeper than PP_JSON_MAX_DEPTH.
 * Integer and real stay distinct kinds and print differently (4 and 4.0). Values live in an arena;
 * nobody else sees the library behind the reader.
 *
 * Building never fails visibly: a value that could not be allocated is NULL, and every function
 * here accepts NULL and passes it on; pp_json_write then reports the missing memory once. */
#ifndef PP_JSON_JSON_H
#define PP_JSON_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/maybe.h"
#include "base/text.h"

#define PP_JSON_MAX_DEPTH 512
/* Documents of decisions reach tens of MiB with thousands of candidates; beyond this ceiling a file
 * is not a document of ours. */
#define PP_JSON_MAX_BYTES ((size_t)256 << 20)

typedef enum pp_json_kind {
    PP_JSON_NULL,
    PP_JSON_BOOL,
    PP_JSON_INTEGER,
    PP_JSON_REAL,
    PP_JSON_STRING,
    PP_JSON_ARRAY,
    PP_JSON_OBJECT
} pp_json_kind;

typedef struct pp_json pp_json;

typedef struct pp_json_member {
    pp_text key;
    pp_json *value;
} pp_json_member;

struct pp_json {
    pp_json_kind kind;
    bool broken; /* memory was short below this value */
    union {
        bool boolean;
        int64_t integer;
        double real;
        pp_text text;
        struct {
            pp_json **items;
            size_t count, capacity;
        } array;
        struct {
            pp_json_member *members; /* document order; keys unique */
            size_t count, capacity;
        } object;
    };
    const pp_json *parent; /* where it was read or put first; gives the $.path */
    pp_text key;           /* its key when the parent is an object */
    size_t index;          /* its index when the parent is an array */
};

/* ---- reading ------------------------------------------------------------------------------- */

/**
 * Parse one document. `name` (a path, "<stdin>") opens every message about it.
 * Fails with PP_ERR_SYNTAX naming line and column. The value lives in `arena`.
 */
PP_MUST_CHECK pp_status pp_json_parse(pp_arena *arena, const char *name, const char *bytes,
                                      size_t size, const pp_json **ret_root, pp_error *err);

/** A byte-order mark stands in front: no JSON, and nothing else that this program reads. */
bool pp_json_has_mark(const char *bytes, size_t size);

/** Read and parse a file; the same bytes are hashed by the caller when it passes `ret_bytes`
 * (initialised by the caller, holds the file afterwards; may be NULL). */
PP_MUST_CHECK pp_status pp_json_read_file(pp_arena *arena, const char *path, pp_buf *ret_bytes,
                                          const pp_json **ret_root, pp_error *err);

/** "object", "string", ... of a value; "nothing" for NULL. */
const char *pp_json_kind_name(const pp_json *value);

/** Write "$.a[2].b" (keys that are not plain words as $["a b"]) for messages. Returns `out`. */
#define PP_JSON_PATH_MAX 512
const char *pp_json_path(const pp_json *value, char out[PP_JSON_PATH_MAX]);

/** PP_ERR_SCHEMA "$.path: <sentence>" about this value. Always returns the failure. */
pp_status pp_json_fail(const pp_json *at, pp_error *err, const char *format, ...) PP_PRINTF(3, 4);

/** Member of an object, NULL when absent or when `object` is not an object. */
static inline pp_json *pp_json_find(const pp_json *object, const char *key);
/** The same for a key that is a text. */
pp_json *pp_json_find_text(const pp_json *object, pp_text key);

static inline pp_json *pp_json_find(const pp_json *object, const char *key)
{
    return pp_json_find_text(object, pp_text_of(key));
}

/** Refuse members whose key is not in `keys`; all unknown ones are listed, sorted. */
PP_MUST_CHECK pp_status pp_json_only_keys(const pp_json *object, const char *const *keys,
                                          size_t n_keys, pp_error *err);

/** Required member; fails with "$.path: required key 'k' is missing". */
PP_MUST_CHECK pp_status pp_json_require(const pp_json *object, const char *key,
                                        const pp_json **ret_value, pp_error *err);

PP_MUST_CHECK pp_status pp_json_expect(const pp_json *value, pp_json_kind kind, pp_error *err);

/* Typed values; each fails with "$.path: expected ..., got ...". */
PP_MUST_CHECK pp_status pp_json_get_bool(const pp_json *value, bool *ret_value, pp_error *err);
PP_MUST_CHECK pp_status pp_json_get_int(const pp_json *value, int64_t min, int64_t max,
                                        int64_t *ret_value, pp_error *err);
/** Integer or real, never a boolean. */
PP_MUST_CHECK pp_status pp_json_get_number(const pp_json *value, double *ret_value, pp_error *err);
PP_MUST_CHECK pp_status pp_json_get_text(const pp_json *value, pp_text *ret_text, pp_error *err);
/** Not empty and not only white space. */
PP_MUST_CHECK pp_status pp_json_get_filled_text(const pp_json *value, pp_text *ret_text,
                                                pp_error *err);

/* The same for a required member, in one step. */
PP_MUST_CHECK pp_status pp_json_member_bool(const pp_json *object, const char *key, bool *ret_value,
                                            pp_error *err);
PP_MUST_CHECK pp_status pp_json_member_int(const pp_json *object, const char *key, int64_t min,
                                           int64_t max, int64_t *ret_value, pp_error *err);
PP_MUST_CHECK pp_status pp_json_member_number(const pp_json *object, const char *key,
                                              double *ret_value, pp_error *err);
PP_MUST_CHECK pp_status pp_json_member_filled_text(const pp_json *object, const char *key,
                                                   pp_text *ret_text, pp_error *err);
PP_MUST_CHECK pp_status pp_json_member_of(const pp_json *object, const char *key, pp_json_kind kind,
                                          const pp_json **ret_value, pp_error *err);

/* ---- building ------------------------------------------------------------------------------ */

pp_json *pp_json_new_null(pp_arena *arena);
pp_json *pp_json_new_bool(pp_arena *arena, bool value);
pp_json *pp_json_new_int(pp_arena *arena, int64_t value);
pp_json *pp_json_new_real(pp_arena *arena, double value);
pp_json *pp_json_new_finite(pp_arena *arena, double value);     /* null when it is not finite */
pp_json *pp_json_new_text(pp_arena *arena, pp_text text);       /* copied */
pp_json *pp_json_new_string(pp_arena *arena, const char *text); /* copied; NULL gives null */
pp_json *pp_json_new_array(pp_arena *arena);
pp_json *pp_json_new_object(pp_arena *arena);

/** Append to an array. A value read elsewhere may be put into a new tree and is shared, not copied.
 */
void pp_json_add(pp_arena *arena, pp_json *array, const pp_json *value);

/** Set a member; the key (copied) must not be present yet. */
void pp_json_set(pp_arena *arena, pp_json *object, const char *key, const pp_json *value);
void pp_json_set_text_key(pp_arena *arena, pp_json *object, pp_text key, const pp_json *value);
void pp_json_set_bool(pp_arena *arena, pp_json *object, const char *key, bool value);
void pp_json_set_int(pp_arena *arena, pp_json *object, const char *key, int64_t value);
void pp_json_set_real(pp_arena *arena, pp_json *object, const char *key, double value);
void pp_json_set_string(pp_arena *arena, pp_json *object, const char *key, const char *value);
void pp_json_set_text(pp_arena *arena, pp_json *object, const char *key, pp_text value);
void pp_json_set_null(pp_arena *arena, pp_json *object, const char *key);
/* What is absent becomes null. */
void pp_json_set_maybe_bool(pp_arena *arena, pp_json *object, const char *key, pp_maybe_bool value);
void pp_json_set_maybe_int(pp_arena *arena, pp_json *object, const char *key, pp_maybe_int value);
void pp_json_set_maybe_real(pp_arena *arena, pp_json *object, const char *key, pp_maybe_real value);
/* A text without a byte counts as absent. */
void pp_json_set_maybe_text(pp_arena *arena, pp_json *object, const char *key, pp_text value);

/** Equal as JSON values: member order does not matter, 4 and 4.0 differ. NULL equals only NULL. */
bool pp_json_equal(const pp_json *a, const pp_json *b);

/* ---- writing ------------------------------------------------------------------------------- */

typedef enum pp_json_form {
    PP_JSON_FILE,    /* sorted keys, two spaces, non-ASCII raw, one newline at the end */
    PP_JSON_ASCII,   /* the same layout, everything outside U+0020-007E as \uxxxx: for terminals */
    PP_JSON_COMPACT, /* sorted keys, no blanks, non-ASCII raw, no newline: for fingerprints, JSONL
                      */
    PP_JSON_COMPACT_ASCII /* the same with everything outside U+0020-007E as \uxxxx */
} pp_json_form;

/** Canonical bytes. Fails with PP_ERR_DOMAIN when a number is not finite (the $.path is named),
 * PP_ERR_MEMORY when the tree is incomplete, PP_ERR_LIMIT when `buf` is full. */
PP_MUST_CHECK pp_status pp_json_write(const pp_json *value, pp_json_form form, pp_buf *buf,
                                      pp_error *err);

/** Canonical file form as a new file, never replacing. */
PP_MUST_CHECK pp_status pp_json_save_new(const pp_json *value, const char *path, pp_error *err);

#endif
