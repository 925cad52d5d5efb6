/* same.h - whether a document is what was made again, and where it first is not. Pure. */
#ifndef PP_CAPACITY_SAME_H
#define PP_CAPACITY_SAME_H

#include "json/json.h"

/**
 * Whether two values are equal; a number may be written as an integer or not, 1 or 1.0.
 *
 * got      as it was read, so that it knows its place
 * want     made again
 * source   what it was made of, "the rest"; stands in the message
 *
 * Fails with PP_ERR_SCHEMA "$.path: expected ..., which follows from SOURCE, got ..." for the first
 * member that differs.
 */
PP_MUST_CHECK pp_status pp_json_same(const pp_json *got, const pp_json *want, const char *source,
                                     pp_error *err);

#endif
