/* fields.h - what a JSON document holds, as rows of a table.
 *
 * One table serves three readers: the check of a value before it is decoded, the JSON Schema that
 * `schema` prints, and the tables in docs/formats. A table says what holds for each value alone;
 * what relates two values (an id that must exist, times that must add up) stays with the decoder.
 * docs/howto/add-a-document.md shows how to write one. */
#ifndef PP_MODEL_FIELDS_H
#define PP_MODEL_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

typedef enum pp_field_kind {
    PP_FIELD_ANY, /* free content, null too */
    PP_FIELD_TEXT,
    PP_FIELD_WORD,    /* one of `words`; a single word is a constant */
    PP_FIELD_INTEGER, /* written without point and exponent */
    PP_FIELD_NUMBER,  /* integer or real, never a boolean */
    PP_FIELD_BOOL,
    PP_FIELD_OBJECT, /* the members of `fields`; any object where `fields` is NULL */
    PP_FIELD_CHOICE, /* an object that a member assigns to one of several tables */
    PP_FIELD_LIST,   /* of `item` */
    PP_FIELD_MAP     /* names that are not empty, each to an `item` */
} pp_field_kind;

typedef enum pp_text_form {
    PP_TEXT_ANY,
    PP_TEXT_FILLED,     /* not only white space */
    PP_TEXT_PATH,       /* filled, without a NUL */
    PP_TEXT_SHA256,     /* 64 lower-case hexadecimal digits */
    PP_TEXT_FILE_ID,    /* names a file: 1 to 64 of a-z 0-9 . _ -, the first none of . and - */
    PP_TEXT_PROFILE_ID, /* 1 to 64 of a-z 0-9 -, the first no - */
    PP_TEXT_FORM_COUNT
} pp_text_form;

typedef struct pp_fields pp_fields;
typedef struct pp_field_choice pp_field_choice;
typedef struct pp_field_type pp_field_type;

/* A zeroed type accepts anything. */
struct pp_field_type {
    pp_field_kind kind;
    bool nullable;    /* null stands for "not known" */
    const char *unit; /* NULL: the suffix of the key says it, or there is none */
    pp_text_form form;
    size_t max_characters;    /* TEXT: code points; 0 is none */
    const char *const *words; /* NULL at the end */
    int64_t min_int, max_int; /* INTEGER: both count */
    double min, max;          /* NUMBER: -INFINITY and INFINITY for none */
    bool above_min;           /* NUMBER: `min` itself is refused */
    const pp_fields *fields;
    bool all_optional;              /* OBJECT: no member is required, whatever its row says */
    const pp_field_choice *choices; /* fields NULL at the end */
    const pp_field_type *item;
    size_t min_count, max_count; /* LIST, MAP; a maximum of 0 is none */
};

typedef struct pp_field {
    const char *key;
    const char *help; /* one line: what it means; no full stop */
    pp_field_type type;
    bool optional;
    const char *standard; /* what an absent one counts as, as JSON text; NULL when nothing does */
} pp_field;

/* An object. */
struct pp_fields {
    const char *name; /* "run-exit": unique; names it in schemas and pages */
    const char *help; /* one line: what it is; no full stop */
    const pp_field *rows;
    size_t row_count;
    bool open;        /* members without a row are accepted: documents of others */
    const char *page; /* docs/formats/<page>.md where its table is printed; other pages link to it.
                         NULL: every page prints it */
};

/* The first choice whose member has this text, or is absent where the word is NULL, is the table of
 * the object; where none fits, the last one. All choices of a list look at the same member. */
struct pp_field_choice {
    const char *key;
    const char *word;
    const pp_fields *fields;
};

/**
 * Check a value against its type, in the order of the table. A wrong "document" comes first, then
 * what is unknown, because a misspelt key is both unknown and missing.
 * Fails with PP_ERR_SCHEMA "$.path: expected ..., got ...".
 */
PP_MUST_CHECK pp_status pp_field_check(const pp_json *value, const pp_field_type *type,
                                       pp_error *err);

/** The same for an object with this table. */
PP_MUST_CHECK pp_status pp_fields_check(const pp_json *value, const pp_fields *fields,
                                        pp_error *err);

/** The table that a choice gives this object. */
const pp_fields *pp_field_choice_of(const pp_field_choice *choices, const pp_json *object);

/** Unit of a value: of its type, else what the suffix of the key says ("size_bytes": "bytes"); NULL
 * when neither does. */
const char *pp_field_unit(const pp_field *row);

/** Regular expression (ECMA 262, as JSON Schema uses them) that a text of this form matches; NULL
 * for any text. */
const char *pp_text_form_pattern(pp_text_form form);

/** What a text of this form is, for people: "text", "SHA-256", ... */
const char *pp_text_form_name(pp_text_form form);

/* ---- reading what was checked ----------------------------------------------------------------
 * Members that pp_fields_check has found to be there and of this kind; another kind is our bug. */

pp_text pp_checked_text(const pp_json *object, const char *key);
int64_t pp_checked_int(const pp_json *object, const char *key);
double pp_checked_number(const pp_json *object, const char *key);
bool pp_checked_bool(const pp_json *object, const char *key);
const pp_json *pp_checked_object(const pp_json *object, const char *key);
const pp_json *pp_checked_list(const pp_json *object, const char *key);

/** The double that an integer or a real stands for. */
double pp_checked_real(const pp_json *value);

#endif
