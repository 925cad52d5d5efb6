/* beta.h - the regularised incomplete beta function, which gives the tails of the binomial and of
 * Student's distribution. Arithmetic only. */
#ifndef PP_STATS_BETA_H
#define PP_STATS_BETA_H

/**
 * I_x(a, b): the share of a Beta(a, b) distribution below x. a, b > 0; x from 0 to 1.
 *
 * Continued fraction, evaluated by Lentz's method as Thompson and Barnett (1986) changed it; x and
 * 1 - x change places where it would converge slowly. Relative error below 1e-9 for a + b up to
 * 1e6.
 */
double pp_beta_regularised(double a, double b, double x);

/** What Student's t of `freedom` degrees does not exceed with probability `p`. freedom >= 1;
 * p above 0.5, below 1. */
double pp_student_quantile(double freedom, double p);

#endif
