/* portable.h - logarithm, exponential and the logarithm of gamma, to the same bit on every machine.
 *
 * The C library's differ in their last bit between processors, and with them a figure of a report
 * that is made again elsewhere. Only additions, products, divisions and exact scaling are used,
 * which IEEE 754 fixes; the build forbids contraction. */
#ifndef PP_STATS_PORTABLE_H
#define PP_STATS_PORTABLE_H

/** Within 2^-51 of the true value, relative; x > 0 and finite. */
double pp_portable_log(double x);

/** Within 2^-50, relative, from -700 to 700; 0 below -745, infinity above 710. */
double pp_portable_exp(double x);

/** log(gamma(x)) for x > 0; within some 2^-50 of x log(x). */
double pp_portable_lgamma(double x);

#endif
