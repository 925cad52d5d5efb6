/* number_text.h - numbers as people read them: commas, few decimals, no locale. */
#ifndef PP_REPORT_NUMBER_TEXT_H
#define PP_REPORT_NUMBER_TEXT_H

#include <stddef.h>

/* 309 digits of the largest double, 102 commas, sign, decimals, a unit */
#define PP_FIGURE_TEXT_MAX 448

/**
 * A finite value: whole numbers in full with commas; 1e6 and above, or below 1e-4, with four
 * significant digits; else four decimals, trailing zeros removed. Within 1e-9 of a whole number is
 * whole, but a value that is not zero never reads "0". Returns `out`.
 */
const char *pp_figure_text(double value, char out[PP_FIGURE_TEXT_MAX]);

/**
 * A finite value with a fixed number of decimals, trailing zeros removed, commas; below
 * 10^-decimals four significant digits instead. decimals 0 to 9. Returns `out`.
 */
const char *pp_figure_fixed(double value, int decimals, char out[PP_FIGURE_TEXT_MAX]);

/** As pp_figure_fixed, with "+" before positive values. */
const char *pp_figure_signed(double value, int decimals, char out[PP_FIGURE_TEXT_MAX]);

#endif
