#include "engine/synth_half.h"

#include <string.h>

/* float: 1 sign, 8 exponent (bias 127), 23 fraction bits; half: 1, 5 (bias 15), 10 */
#define FLOAT_INFINITY      0x7f800000u
#define FLOAT_HALF_OVERFLOW 0x477ff000u /* 65520: halfway from 65504 to the next, rounds up */
#define FLOAT_HALF_NORMAL   0x38800000u /* 2^-14, smallest normal half */
#define FLOAT_HALF_TINY     0x33000000u /* 2^-25: half of the smallest half, rounds to zero */

/* `value` without its `shift` low bits, rounded to nearest, ties to even; 1 <= shift <= 31. */
static uint32_t round_off(uint32_t value, unsigned shift)
{
    uint32_t odd = (value >> shift) & 1u;

    return (value + (1u << (shift - 1)) - 1u + odd) >> shift;
}

uint16_t pp_half_of_float(float value)
{
    uint32_t bits;
    uint32_t sign;

    memcpy(&bits, &value, sizeof bits);
    sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > FLOAT_INFINITY)
        return (uint16_t)(sign | 0x7e00u);
    if (bits >= FLOAT_HALF_OVERFLOW)
        return (uint16_t)(sign | 0x7c00u);
    if (bits <= FLOAT_HALF_TINY)
        return (uint16_t)sign;
    if (bits >= FLOAT_HALF_NORMAL) /* a carry out of the fraction raises the exponent, rightly */
        return (uint16_t)(sign | round_off(bits - ((127u - 15u) << 23), 13));
    return (uint16_t)(sign | round_off((bits & 0x7fffffu) | 0x800000u, 126u - (bits >> 23)));
}

float pp_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu;
    uint32_t fraction = half & 0x3ffu;
    uint32_t bits;
    float value;

    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24, exact in a float */
        value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    if (exponent == 31)
        bits = sign | FLOAT_INFINITY | fraction << 13;
    else
        bits = sign | (exponent + 127u - 15u) << 23 | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}
