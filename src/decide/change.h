/* change.h - one metric of two candidates: by how much, and for better or worse.
 *
 * Arithmetic only; whoever reads a passport repeats it with the same code. */
#ifndef PP_DECIDE_CHANGE_H
#define PP_DECIDE_CHANGE_H

#include "model/constraints.h"

typedef enum pp_effect {
    PP_EFFECT_HELD, /* close enough that the frontier counts the two as equal */
    PP_EFFECT_IMPROVED,
    PP_EFFECT_TRADEOFF, /* worse */
    PP_EFFECT_CHANGED   /* nobody says which way is better */
} pp_effect;

typedef struct pp_change {
    pp_text metric;
    bool has_direction;
    pp_direction direction;
    double previous, current; /* in the metric's unit */
} pp_change;

/** "held", "improved", "tradeoff", "changed" */
const char *pp_effect_name(pp_effect effect);

pp_effect pp_change_effect(const pp_change *change);

/** current - previous; infinite when no number can hold it. */
double pp_change_absolute(const pp_change *change);

/** 100 * (current - previous) / previous, previous with its sign; not finite when previous is 0 or
 * no number can hold it. */
double pp_change_percent(const pp_change *change);

#endif
