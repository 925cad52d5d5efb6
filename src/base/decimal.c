#include "base/decimal.h"

#include <stdint.h>
#include <string.h>

/* An exponent beyond this puts every digit of every text outside the range. */
#define EXPONENT_CEILING ((int64_t)1 << 50)

/* ---- reading ----------------------------------------------------------------------------------
 */

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool take(cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static pp_text take_digits(cursor *c)
{
    const char *first = c->at;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return (pp_text){first, (size_t)(c->at - first)};
}

/* True for a minus. */
static bool take_sign(cursor *c)
{
    bool negative = take(c, '-');

    if (!negative)
        (void)take(c, '+'); /* says nothing */
    return negative;
}

static bool take_exponent(cursor *c, int64_t *ret_exponent)
{
    bool negative = take_sign(c);
    pp_text digits = take_digits(c);
    int64_t value = 0;

    for (size_t i = 0; i < digits.size && value < EXPONENT_CEILING; i++)
        value = 10 * value + (digits.data[i] - '0');
    *ret_exponent = negative ? -value : value;
    return digits.size > 0;
}

/* The first of the digits counts 10^highest. */
static bool put_digits(pp_decimal *d, pp_text digits, int64_t highest)
{
    for (size_t i = 0; i < digits.size; i++) {
        int64_t power = highest - (int64_t)i;

        if (digits.data[i] == '0')
            continue;
        if (power > PP_DECIMAL_HIGHEST || power < PP_DECIMAL_LOWEST)
            return false;
        d->digits[PP_DECIMAL_HIGHEST + 1 - power] = (unsigned char)(digits.data[i] - '0');
    }
    return true;
}

bool pp_decimal_parse(pp_text text, pp_decimal *ret_decimal)
{
    cursor c = {text.data, text.data + text.size};
    pp_decimal d = {.negative = take_sign(&c)};
    pp_text whole = take_digits(&c);
    pp_text fraction = {0};
    int64_t exponent = 0;

    if (whole.size == 0)
        return false;
    if (take(&c, '.')) {
        fraction = take_digits(&c);
        if (fraction.size == 0)
            return false;
    }
    if ((take(&c, 'e') || take(&c, 'E')) && !take_exponent(&c, &exponent))
        return false;
    if (c.at != c.end || !put_digits(&d, whole, (int64_t)whole.size - 1 + exponent) ||
        !put_digits(&d, fraction, exponent - 1))
        return false;
    *ret_decimal = d;
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------
 */

static void add(const unsigned char *a, const unsigned char *b, unsigned char *ret_sum)
{
    unsigned carry = 0;

    for (size_t i = PP_DECIMAL_DIGITS; i-- > 0;) {
        unsigned sum = a[i] + b[i] + carry;

        ret_sum[i] = (unsigned char)(sum % 10);
        carry = sum / 10;
    }
}

/* a >= b */
static void subtract(const unsigned char *a, const unsigned char *b, unsigned char *ret_difference)
{
    unsigned borrow = 0;

    for (size_t i = PP_DECIMAL_DIGITS; i-- > 0;) {
        unsigned less = b[i] + borrow;

        borrow = a[i] < less;
        ret_difference[i] = (unsigned char)(a[i] + 10 * borrow - less);
    }
}

/* |a - b| */
static void distance(const pp_decimal *a, const pp_decimal *b, unsigned char *ret_distance)
{
    if (a->negative != b->negative)
        add(a->digits, b->digits, ret_distance);
    else if (memcmp(a->digits, b->digits, PP_DECIMAL_DIGITS) >= 0)
        subtract(a->digits, b->digits, ret_distance);
    else
        subtract(b->digits, a->digits, ret_distance);
}

/* The first digit counts 10^201, the last 10^-200. */
#define PRODUCT_DIGITS ((size_t)2 * PP_DECIMAL_DIGITS)
#define PRODUCT_OFFSET ((size_t)PP_DECIMAL_HIGHEST + 2) /* of a factor's first digit in it */

static void multiply(const unsigned char *a, const unsigned char *b, unsigned char *ret_product)
{
    unsigned sums[PRODUCT_DIGITS] = {0};
    unsigned carry = 0;

    for (size_t i = 0; i < PP_DECIMAL_DIGITS; i++) {
        for (size_t j = 0; a[i] != 0 && j < PP_DECIMAL_DIGITS; j++)
            sums[i + j + 1] += (unsigned)a[i] * b[j];
    }
    for (size_t i = PRODUCT_DIGITS; i-- > 0;) {
        sums[i] += carry;
        ret_product[i] = (unsigned char)(sums[i] % 10);
        carry = sums[i] / 10;
    }
}

bool pp_decimal_within(const pp_decimal *value, const pp_decimal *target,
                       const pp_decimal *absolute, const pp_decimal *relative)
{
    unsigned char apart[PRODUCT_DIGITS] = {0};
    unsigned char allowed[PRODUCT_DIGITS];

    distance(value, target, apart + PRODUCT_OFFSET);
    if (memcmp(apart + PRODUCT_OFFSET, absolute->digits, PP_DECIMAL_DIGITS) <= 0)
        return true;
    multiply(relative->digits, target->digits, allowed);
    return memcmp(apart, allowed, PRODUCT_DIGITS) <= 0;
}
