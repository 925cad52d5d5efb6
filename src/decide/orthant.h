/* orthant.h - inside decide/ only: for each query, is there a point below it in every coordinate?
 *
 * Works on whole numbers and knows neither costs nor tolerance: what counts as below was put into
 * the coordinates by the caller. */
#ifndef PP_DECIDE_ORTHANT_H
#define PP_DECIDE_ORTHANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PP_ORTHANT_NONE UINT32_MAX

/* A point, or the corner of a query: an entry is 2 + width numbers in a row. */
enum { PP_ORTHANT_NUMBER, PP_ORTHANT_VALUE, PP_ORTHANT_FIRST };

typedef struct pp_orthant {
    size_t width;     /* coordinates of an entry, >= 1 */
    uint32_t *points; /* entries, ascending in the first coordinate */
    size_t n_points;
    uint32_t *queries; /* likewise; the value is filled in from `limits` */
    size_t n_queries;
    /* By number of the query. Points with a value below the limit count; PP_ORTHANT_NONE is no
     * limit for values below it. Lowered to the value that was found, or to 0. */
    uint32_t *limits;
    uint32_t *found;    /* by number of the query: a point's number; the caller fills in the rest */
    bool is_any_enough; /* the first point found ends a query; else the one of least value */
    /* Numbers are of rows that are points and queries at once, and what is below a found row is
     * below its finder, too: a row that was found need not be a point any more. */
    bool may_drop_found;
} pp_orthant;

/**
 * For each query a point with no coordinate above the query's and a value below its limit: any, or
 * the one of least value. Queries without one keep `found` and `limits`.
 *
 * Time O(n log^(width - 1) n) for n points and queries, memory O(n) unless the coordinates are
 * very uneven. Fails with PP_ERR_MEMORY only.
 * Source: Kung, Luccio & Preparata 1975; Bentley 1980; docs/method/decision.md.
 */
PP_MUST_CHECK pp_status pp_orthant_search(pp_orthant *search, pp_error *err);

#endif
