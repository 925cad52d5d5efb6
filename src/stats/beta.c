#include "stats/beta.h"

#include <float.h>
#include <math.h>

#include "stats/portable.h"

#define TINY       1e-300 /* stands for a denominator of 0 */
#define MAX_ROUNDS 100000 /* about 5 * sqrt(max(a, b)) are needed */

/* Coefficient number `m` (from 1) of the continued fraction: Abramowitz and Stegun 26.5.8. */
static double coefficient(double a, double b, double x, int m)
{
    double k = m / 2; /* whole */

    if (m % 2 == 0)
        return k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    return -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
}

static double not_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

static double fraction(double a, double b, double x)
{
    double c = 1.0;
    double d = 1.0 / not_zero(1.0 + coefficient(a, b, x, 1));
    double product = d;

    for (int m = 2; m < MAX_ROUNDS; m++) {
        double step = coefficient(a, b, x, m);

        d = 1.0 / not_zero(1.0 + step * d);
        c = not_zero(1.0 + step / c);
        product *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON)
            break;
    }
    return product;
}

double pp_beta_regularised(double a, double b, double x)
{
    double front;

    if (!(x > 0))
        return 0.0;
    if (x >= 1)
        return 1.0;
    front =
        pp_portable_exp(pp_portable_lgamma(a + b) - pp_portable_lgamma(a) - pp_portable_lgamma(b) +
                        a * pp_portable_log(x) + b * pp_portable_log(1 - x));
    if (x <= (a + 1) / (a + b + 2))
        return front * fraction(a, b, x) / a;
    return 1.0 - front * fraction(b, a, 1 - x) / b;
}

/* P(T > t) for t >= 0 */
static double student_tail(double freedom, double t)
{
    return pp_beta_regularised(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

double pp_student_quantile(double freedom, double p)
{
    double low = 0;
    double high = 1;

    while (student_tail(freedom, high) > 1 - p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;

        if (middle == low || middle == high)
            break;
        if (student_tail(freedom, middle) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return high;
}
