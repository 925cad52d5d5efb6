/* float_text.h - the shortest decimal text of a double.
 *
 * Shortest digits that read back to the same double, the nearest to the true value among the
 * shortest; positional for 1e-4 <= |x| < 1e16 with ".0" when integral, else d[.ddd]e+XX with at
 * least two exponent digits; "-0.0" for negative zero. Exact for all doubles, powers of two
 * included, where a search by "%.{p}g" is wrong. */
#ifndef PP_JSON_FLOAT_TEXT_H
#define PP_JSON_FLOAT_TEXT_H

#include <stddef.h>

#define PP_FLOAT_TEXT_MAX 32

/** Text of a finite double into `out`, NUL-terminated; returns its length. */
size_t pp_float_text(double value, char out[PP_FLOAT_TEXT_MAX]);

#endif
