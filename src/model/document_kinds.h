/* document_kinds.h - every JSON document of this program: its name, its table, how to recognise it.
 *
 * `schema` prints them, docs/formats describes them, and whoever meets a file of unknown kind asks
 * here. */
#ifndef PP_MODEL_DOCUMENT_KINDS_H
#define PP_MODEL_DOCUMENT_KINDS_H

#include "model/fields.h"

typedef struct pp_document_kind {
    const char *name;     /* "study-plan": its "document" member where it has one */
    const char *versions; /* "1.0", "1.0 and 2.0" */
    const char *title;    /* one line, no full stop */
    const char *origin;   /* who writes or reads it; one line, no full stop */
    const char *page;     /* docs/formats/<page>.md */
    bool is_lines;        /* JSON Lines: the table is that of a line */
    pp_field_type root;
    const char *signature[4]; /* NULL at the end; a document without "document" member that has all
                                 of these keys is one of this kind, or of the one that has more of
                                 them; none: only by name */
} pp_document_kind;

/** All kinds, by name. */
const pp_document_kind *pp_document_kinds(size_t *ret_count);

/** NULL when there is none of this name. */
const pp_document_kind *pp_document_kind_find(const char *name);

/**
 * Kind of a value (of one line, for JSON Lines): by its "document" member, else by the keys that
 * only this kind has. NULL when it is none of ours. Says nothing about whether the value is valid;
 * a version that we do not know is found by the check.
 */
const pp_document_kind *pp_document_kind_of(const pp_json *value);

/** Check a value as pp_field_check does. */
PP_MUST_CHECK pp_status pp_document_check(const pp_document_kind *kind, const pp_json *value,
                                          pp_error *err);

/** JSON Schema (draft 2020-12) of a document, of a line for JSON Lines. NULL when memory is short
 * (the writer reports it). What it cannot say: that 4.0 is no integer, and rules between values. */
pp_json *pp_document_schema(pp_arena *arena, const pp_document_kind *kind);

#endif
