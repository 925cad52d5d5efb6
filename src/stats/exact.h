/* exact.h - inside stats/ only: whole numbers wide enough for sums of doubles and their squares.
 *
 * Every finite double is a whole multiple of 2^-1074, below 2^1024; its square is a multiple of
 * 2^-2148, below 2^2048. Sums of up to 2^31 of them, multiplied by their number, need fewer than
 * PP_WIDE_LIMBS * 32 bits, so nothing here can overflow or round. */
#ifndef PP_STATS_EXACT_H
#define PP_STATS_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2048 + 2148 bits of a square, 62 for two factors of n, one for good measure: 4,259 */
#define PP_WIDE_LIMBS 136

/* least significant limb first; never negative */
typedef struct pp_wide {
    uint32_t limbs[PP_WIDE_LIMBS];
} pp_wide;

/** sum += mantissa * 2^shift */
void pp_wide_add_shifted(pp_wide *sum, uint64_t mantissa, unsigned shift);
void pp_wide_add(pp_wide *sum, const pp_wide *other);
/** a -= b, for a >= b */
void pp_wide_subtract(pp_wide *a, const pp_wide *b);
int pp_wide_compare(const pp_wide *a, const pp_wide *b);
void pp_wide_multiply_small(pp_wide *a, uint32_t factor);
/** The product, which must fit. */
void pp_wide_square(const pp_wide *a, pp_wide *ret_square);
/** a /= divisor; true when something was left over. */
bool pp_wide_divide_small(pp_wide *a, uint32_t divisor);
/** Number of bits up to the highest one set; 0 for zero. */
unsigned pp_wide_bits(const pp_wide *a);
/** The 64 bits from bit `low` upwards; ret_rest tells whether a bit below `low` is set. */
uint64_t pp_wide_window(const pp_wide *a, unsigned low, bool *ret_rest);
/** a *= 2^shift, which must fit */
void pp_wide_shift_left(pp_wide *a, unsigned shift);

/**
 * The double nearest to (top + a bit more if `rest`) * 2^exponent, ties to even; infinity beyond
 * the range. Correct for subnormal results as well.
 */
double pp_round_to_double(uint64_t top, bool rest, int exponent);

/** x = sign * mantissa * 2^(shift - 1074) of a finite double. */
void pp_double_split(double x, bool *ret_negative, uint64_t *ret_mantissa, unsigned *ret_shift);

#endif
