#include "stats/portable.h"

#include <math.h>
#include <stddef.h>

#define LN_2_HIGH 0x1.62e42fefa3800p-1 /* its last bits are zero: exact times an exponent */
#define LN_2_LOW  0x1.ef35793c76730p-45

#define HALF_LOG_2_PI 0.91893853320467274178

/* log(m 2^e) = e log 2 + 2 atanh((m - 1) / (m + 1)), with m in [sqrt 1/2, sqrt 2): the argument of
 * the series is below 0.172, so 12 terms reach beyond the last bit. */
double pp_portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    double s, square, sum;

    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        exponent--;
    }
    s = (m - 1) / (m + 1);
    square = s * s;
    sum = 1.0 / 25;
    for (int k = 23; k >= 3; k -= 2)
        sum = 1.0 / k + square * sum;
    return exponent * LN_2_HIGH + (2 * s + (2 * s * (square * sum) + exponent * LN_2_LOW));
}

/* exp(n log 2 + r) = 2^n exp(r), |r| <= 0.35; 18 terms of the series. */
double pp_portable_exp(double x)
{
    double n, r, sum = 1;

    if (x < -745)
        return 0;
    if (x > 710)
        return INFINITY;
    n = floor(x / (LN_2_HIGH + LN_2_LOW) + 0.5);
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    for (int k = 18; k >= 1; k--)
        sum = 1 + r * sum / k;
    return ldexp(sum, (int)n);
}

/* Stirling's series (Abramowitz and Stegun 6.1.41), whose terms beyond x^-11 vanish from 15 on;
 * below, gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)). */
double pp_portable_lgamma(double x)
{
    static const double terms[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                   -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
    double below = 1;
    double series = 0;
    double power;

    for (; x < 15; x += 1)
        below *= x;
    power = 1 / x;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        series += terms[i] * power;
        power /= x * x;
    }
    return (x - 0.5) * pp_portable_log(x) - x + HALF_LOG_2_PI + series - pp_portable_log(below);
}
