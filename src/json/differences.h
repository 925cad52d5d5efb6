/* differences.h - every place where a value is not what was made again. Pure. */
#ifndef PP_JSON_DIFFERENCES_H
#define PP_JSON_DIFFERENCES_H

#include "json/json.h"

typedef struct pp_json_differences {
    pp_text *texts; /* "$.path: expected ..., which follows from SOURCE, got ..." */
    size_t count, capacity;
} pp_json_differences;

/** Add one text about the value at `at`. Memory that is short is noted in the arena. */
void pp_json_differs(pp_arena *arena, pp_json_differences *differences, const pp_json *at,
                     const char *format, ...) PP_PRINTF(4, 5);

/**
 * Add a text for each difference, in the order of `want`; a number may be written as an integer or
 * not, 1 or 1.0.
 *
 * got      as it was read, so that it knows its place
 * want     made again
 * source   what it was made of, "the results"; stands in the texts
 *
 * Memory that is short is noted in the arena.
 */
void pp_json_compare(pp_arena *arena, const pp_json *got, const pp_json *want, const char *source,
                     pp_json_differences *differences);

#endif
