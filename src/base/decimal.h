/* decimal.h - decimal numbers as they are written, compared without rounding.
 *
 * A double cannot say whether 0.8 is within 0.1 of 0.7. Here every digit counts, and neither a
 * locale nor an exponent of a thousand digits changes the answer. */
#ifndef PP_BASE_DECIMAL_H
#define PP_BASE_DECIMAL_H

#include "base/text.h"

/* Digits that are not 0 must stand at 10^99 to 10^-100: constants of physics fit, and a sum or
 * difference keeps all of its digits. */
#define PP_DECIMAL_HIGHEST 99
#define PP_DECIMAL_LOWEST  (-100)
#define PP_DECIMAL_DIGITS  (PP_DECIMAL_HIGHEST + 2 - PP_DECIMAL_LOWEST) /* one for a sum */

/* Zeroed is 0. */
typedef struct pp_decimal {
    bool negative;
    unsigned char digits[PP_DECIMAL_DIGITS]; /* 0 to 9; the first counts 10^100, the last 10^-100 */
} pp_decimal;

/** The number that the whole text writes: digits, with a sign in front, a point between digits and
 * an exponent (e or E) where wanted. False when it writes none, or one outside the digits above. */
bool pp_decimal_parse(pp_text text, pp_decimal *ret_decimal);

/** |value - target| is at most `absolute`, or at most `relative` times |target|. */
bool pp_decimal_within(const pp_decimal *value, const pp_decimal *target,
                       const pp_decimal *absolute, const pp_decimal *relative);

#endif
