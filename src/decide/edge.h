/* edge.h - the exact number at which a yes/no question about a limit turns over.
 *
 * Limits are compared with a tolerance, so the turning point is no value of a candidate but a
 * number near it. A search over all doubles finds it in at most 64 questions, for any rule that
 * turns over once, and needs no second copy of the rule. */
#ifndef PP_DECIDE_EDGE_H
#define PP_DECIDE_EDGE_H

#include <stdbool.h>

typedef bool (*pp_edge_rule)(const void *context, double x);

/**
 * The number nearest to `no` for which `holds` says yes.
 *
 * no, yes   finite; holds(no) is false, holds(yes) is true, and between them the answer changes
 *           once; either may be the greater one
 */
double pp_edge_find(pp_edge_rule holds, const void *context, double no, double yes);

#endif
