/* close.h - when two numbers count as equal. */
#ifndef PP_STATS_CLOSE_H
#define PP_STATS_CLOSE_H

#include <stdbool.h>

/**
 * Equal, or finite and |a - b| at most |rel*a|, |rel*b| or abs.
 *
 * Symmetric, but not transitive: a chain of close values may end far from its start.
 * rel, abs >= 0
 */
bool pp_close(double a, double b, double rel, double abs);

#endif
