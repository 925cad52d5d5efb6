/* Free-format digit generation with exact integers (Steele and White 1990, with the scaling of
 * Burger and Dybvig 1996). The value is R/S times a power of ten; M_low and M_high are half the
 * distances to the neighbouring doubles in the same scale. Digits come out until the remainder is
 * inside the interval that reads back to the same double. */
#include "json/float_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* 2^1074 times ten needs 1,078 bits, i.e. 34 limbs; the rest is room for the additions. */
#define LIMBS 40

typedef struct big {
    uint32_t limb[LIMBS]; /* least significant first */
    int n;                /* used limbs; 0 is zero */
} big;

static void big_trim(big *a)
{
    while (a->n > 0 && a->limb[a->n - 1] == 0)
        a->n--;
}

static void big_set(big *a, uint64_t value)
{
    a->limb[0] = (uint32_t)value;
    a->limb[1] = (uint32_t)(value >> 32);
    a->n = 2;
    big_trim(a);
}

static void big_multiply(big *a, uint32_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        PP_ASSERT(a->n < LIMBS);
        a->limb[a->n++] = (uint32_t)carry;
    }
}

static void big_shift_left(big *a, int bits)
{
    int limbs = bits / 32;
    int rest = bits % 32;

    if (a->n == 0)
        return;
    big_multiply(a, (uint32_t)1 << rest);
    PP_ASSERT(a->n + limbs <= LIMBS);
    memmove(a->limb + limbs, a->limb, (size_t)a->n * sizeof a->limb[0]);
    memset(a->limb, 0, (size_t)limbs * sizeof a->limb[0]);
    a->n += limbs;
}

static void big_multiply_power_of_ten(big *a, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        big_multiply(a, 1000000000u);
    for (; exponent > 0; exponent--)
        big_multiply(a, 10);
}

static int big_compare(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    }
    return 0;
}

static void big_add(const big *a, const big *b, big *ret_sum)
{
    uint64_t carry = 0;
    int n = a->n > b->n ? a->n : b->n;

    for (int i = 0; i < n; i++) {
        carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
        ret_sum->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    ret_sum->n = n;
    if (carry != 0) {
        PP_ASSERT(n < LIMBS);
        ret_sum->limb[ret_sum->n++] = (uint32_t)carry;
    }
}

/* a -= b, for a >= b */
static void big_subtract(big *a, const big *b)
{
    int64_t borrow = 0;

    for (int i = 0; i < a->n; i++) {
        int64_t rest = (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0) + borrow;

        a->limb[i] = (uint32_t)rest;
        borrow = rest < 0 ? -1 : 0;
    }
    big_trim(a);
}

/* a /= s with the quotient known to be a digit; a becomes the remainder */
static int big_take_digit(big *a, const big *s)
{
    int digit = 0;

    while (big_compare(a, s) >= 0) {
        big_subtract(a, s);
        digit++;
    }
    return digit;
}

typedef struct scaled {
    big r, s, m_low, m_high;
    bool inclusive; /* the interval's ends read back too: reading rounds half to even */
} scaled;

/* mantissa * 2^exponent as r/s, margins in the same scale */
static void scale_binary(uint64_t mantissa, int exponent, bool lower_is_closer, scaled *x)
{
    int shift = lower_is_closer ? 2 : 1; /* make half of the closer distance an integer */

    big_set(&x->r, mantissa);
    big_set(&x->s, 1);
    big_set(&x->m_low, 1);
    big_shift_left(&x->r, shift + (exponent > 0 ? exponent : 0));
    big_shift_left(&x->s, shift + (exponent < 0 ? -exponent : 0));
    if (exponent > 0)
        big_shift_left(&x->m_low, exponent);
    x->m_high = x->m_low;
    if (lower_is_closer)
        big_shift_left(&x->m_high, 1);
    x->inclusive = mantissa % 2 == 0;
}

static bool high_end_reached(const scaled *x)
{
    big sum;
    int order;

    big_add(&x->r, &x->m_high, &sum);
    order = big_compare(&sum, &x->s);
    return order > 0 || (order == 0 && x->inclusive);
}

/* Scale by a power of ten so that the first digit is the quotient of 10r/s; returns the exponent k
 * of 0.d1d2... times 10^k. */
static int scale_decimal(double value, scaled *x)
{
    int k = (int)ceil(log10(value) - 1e-10);

    if (k >= 0) {
        big_multiply_power_of_ten(&x->s, k);
    } else {
        big_multiply_power_of_ten(&x->r, -k);
        big_multiply_power_of_ten(&x->m_low, -k);
        big_multiply_power_of_ten(&x->m_high, -k);
    }
    if (high_end_reached(x)) { /* the estimate was one too small */
        big_multiply(&x->s, 10);
        k++;
    }
    return k;
}

/* Digits into `digits` (not terminated), count returned. */
static int generate(scaled *x, char digits[18])
{
    for (int n = 0;; n++) {
        int digit;
        int order;
        bool low;
        bool high;

        big_multiply(&x->r, 10);
        big_multiply(&x->m_low, 10);
        big_multiply(&x->m_high, 10);
        digit = big_take_digit(&x->r, &x->s);
        order = big_compare(&x->r, &x->m_low);
        low = order < 0 || (order == 0 && x->inclusive);
        high = high_end_reached(x);
        if (low && high) {
            big_shift_left(&x->r, 1);
            order = big_compare(&x->r, &x->s);
            high = order > 0 || (order == 0 && digit % 2 == 1);
            low = true;
        }
        PP_ASSERT(n < 17 && digit + (high ? 1 : 0) <= 9);
        digits[n] = (char)('0' + digit + (high ? 1 : 0));
        if (low || high)
            return n + 1;
    }
}

/* Shortest digits of a positive finite value; returns their count, ret_k as in scale_decimal. */
static int shortest_digits(double value, char digits[18], int *ret_k)
{
    uint64_t bits;
    uint64_t mantissa;
    int biased;
    scaled x;

    memcpy(&bits, &value, sizeof bits);
    mantissa = bits & (((uint64_t)1 << 52) - 1);
    biased = (int)(bits >> 52 & 0x7ff);
    if (biased == 0)
        scale_binary(mantissa, -1074, false, &x);
    else
        scale_binary(mantissa | (uint64_t)1 << 52, biased - 1075, mantissa == 0 && biased > 1, &x);
    *ret_k = scale_decimal(value, &x);
    return generate(&x, digits);
}

static size_t layout_exponent(const char *digits, int n, int k, char *out)
{
    size_t used = 0;

    out[used++] = digits[0];
    if (n > 1) {
        out[used++] = '.';
        memcpy(out + used, digits + 1, (size_t)n - 1);
        used += (size_t)n - 1;
    }
    return used +
           (size_t)sprintf(out + used, "e%c%02d", k - 1 < 0 ? '-' : '+', k - 1 < 0 ? 1 - k : k - 1);
}

static size_t layout_positional(const char *digits, int n, int k, char *out)
{
    size_t used = 0;

    if (k <= 0) {
        out[used++] = '0';
        out[used++] = '.';
        for (int i = 0; i < -k; i++)
            out[used++] = '0';
        memcpy(out + used, digits, (size_t)n);
        return used + (size_t)n;
    }
    for (int i = 0; i < k; i++)
        out[used++] = i < n ? digits[i] : '0';
    out[used++] = '.';
    if (n <= k)
        out[used++] = '0';
    for (int i = k; i < n; i++)
        out[used++] = digits[i];
    return used;
}

size_t pp_float_text(double value, char out[PP_FLOAT_TEXT_MAX])
{
    char digits[18];
    size_t used = 0;
    int k = 1;
    int n = 1;

    PP_ASSERT(isfinite(value));
    if (signbit(value)) {
        out[used++] = '-';
        value = -value;
    }
    if (value == 0.0)
        digits[0] = '0';
    else
        n = shortest_digits(value, digits, &k);
    if (value != 0.0 && (value < 1e-4 || value >= 1e16))
        used += layout_exponent(digits, n, k, out + used);
    else
        used += layout_positional(digits, n, k, out + used);
    out[used] = '\0';
    return used;
}
