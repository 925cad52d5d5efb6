#include "stats/exact.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

void pp_wide_add_shifted(pp_wide *sum, uint64_t mantissa, unsigned shift)
{
    size_t at = shift / 32;
    unsigned bits = shift % 32;
    uint32_t parts[3];
    uint64_t carry = 0;

    parts[0] = (uint32_t)(mantissa << bits);
    parts[1] = (uint32_t)(mantissa >> (32 - bits)); /* bits < 32 */
    parts[2] = bits == 0 ? 0 : (uint32_t)(mantissa >> (64 - bits));
    for (size_t i = 0; i < 3 || carry != 0; i++) {
        if (at + i == PP_WIDE_LIMBS) {
            PP_ASSERT(carry == 0 && (i > 2 || parts[i] == 0));
            return;
        }
        carry += sum->limbs[at + i];
        carry += i < 3 ? parts[i] : 0;
        sum->limbs[at + i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void pp_wide_add(pp_wide *sum, const pp_wide *other)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < PP_WIDE_LIMBS; i++) {
        carry += (uint64_t)sum->limbs[i] + other->limbs[i];
        sum->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    PP_ASSERT(carry == 0);
}

void pp_wide_subtract(pp_wide *a, const pp_wide *b)
{
    int64_t borrow = 0;

    for (size_t i = 0; i < PP_WIDE_LIMBS; i++) {
        int64_t difference = (int64_t)a->limbs[i] - b->limbs[i] - borrow;

        borrow = difference < 0;
        a->limbs[i] = (uint32_t)(difference + (borrow << 32));
    }
    PP_ASSERT(borrow == 0);
}

int pp_wide_compare(const pp_wide *a, const pp_wide *b)
{
    for (size_t i = PP_WIDE_LIMBS; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

void pp_wide_multiply_small(pp_wide *a, uint32_t factor)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < PP_WIDE_LIMBS; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    PP_ASSERT(carry == 0);
}

static size_t used_limbs(const pp_wide *a)
{
    size_t used = PP_WIDE_LIMBS;

    while (used > 0 && a->limbs[used - 1] == 0)
        used--;
    return used;
}

void pp_wide_square(const pp_wide *a, pp_wide *ret_square)
{
    size_t used = used_limbs(a);

    memset(ret_square, 0, sizeof *ret_square);
    for (size_t i = 0; i < used; i++) {
        uint64_t carry = 0;

        for (size_t j = 0; j < used || carry != 0; j++) {
            if (i + j == PP_WIDE_LIMBS) {
                PP_ASSERT(carry == 0);
                break;
            }
            carry += ret_square->limbs[i + j];
            carry += j < used ? (uint64_t)a->limbs[i] * a->limbs[j] : 0;
            ret_square->limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

bool pp_wide_divide_small(pp_wide *a, uint32_t divisor)
{
    uint64_t rest = 0;

    for (size_t i = PP_WIDE_LIMBS; i-- > 0;) {
        rest = rest << 32 | a->limbs[i];
        a->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return rest != 0;
}

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;

    while (value != 0) {
        value >>= 1;
        bits++;
    }
    return bits;
}

unsigned pp_wide_bits(const pp_wide *a)
{
    size_t used = used_limbs(a);

    return used == 0 ? 0 : (unsigned)(used - 1) * 32 + bits_of(a->limbs[used - 1]);
}

static uint32_t limb_at(const pp_wide *a, size_t i)
{
    return i < PP_WIDE_LIMBS ? a->limbs[i] : 0;
}

uint64_t pp_wide_window(const pp_wide *a, unsigned low, bool *ret_rest)
{
    size_t at = low / 32;
    unsigned bits = low % 32;
    uint64_t window = (uint64_t)limb_at(a, at + 1) << 32 | limb_at(a, at);

    *ret_rest = (limb_at(a, at) & ((UINT64_C(1) << bits) - 1)) != 0;
    for (size_t i = 0; i < at && !*ret_rest; i++)
        *ret_rest = limb_at(a, i) != 0;
    if (bits == 0)
        return window;
    return window >> bits | (uint64_t)limb_at(a, at + 2) << (64 - bits);
}

void pp_wide_shift_left(pp_wide *a, unsigned shift)
{
    pp_wide moved = {0};

    for (size_t i = 0; i < PP_WIDE_LIMBS; i++) {
        if (a->limbs[i] != 0)
            pp_wide_add_shifted(&moved, a->limbs[i], (unsigned)i * 32 + shift);
    }
    *a = moved;
}

double pp_round_to_double(uint64_t top, bool rest, int exponent)
{
    int bits = (int)bits_of(top);
    int drop = bits - 53;
    uint64_t kept, lost, half;

    if (exponent + drop < -1074)
        drop = -1074 - exponent; /* subnormal: fewer bits are kept */
    if (drop <= 0) /* nothing to round; callers give 64 bits when there is a rest below */
        return ldexp((double)top, exponent);
    if (drop > 64)
        return 0.0;
    kept = drop == 64 ? 0 : top >> drop;
    lost = drop == 64 ? top : top & ((UINT64_C(1) << drop) - 1);
    half = UINT64_C(1) << (drop - 1);
    if (lost > half || (lost == half && (rest || (kept & 1) != 0)))
        kept++;
    return ldexp((double)kept, exponent + drop);
}

void pp_double_split(double x, bool *ret_negative, uint64_t *ret_mantissa, unsigned *ret_shift)
{
    uint64_t raw;
    unsigned exponent;

    memcpy(&raw, &x, sizeof raw);
    exponent = (unsigned)(raw >> 52) & 0x7ff;
    *ret_negative = raw >> 63 != 0;
    *ret_mantissa = raw & ((UINT64_C(1) << 52) - 1);
    if (exponent != 0)
        *ret_mantissa |= UINT64_C(1) << 52;
    *ret_shift = exponent == 0 ? 0 : exponent - 1;
}
