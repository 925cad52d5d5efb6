/* choice.h - from the frontier to one candidate: tolerance first, preferences second.
 *
 * Works on a list of frontier members; knows neither limits nor documents. */
#ifndef PP_DECIDE_CHOICE_H
#define PP_DECIDE_CHOICE_H

#include "model/constraints.h"

/* Relative distance to the cutoff that still counts as inside. */
#define PP_CUTOFF_RELATIVE_TOLERANCE 1e-9

typedef enum pp_reason {
    PP_REASON_PREFERRED_IS_BEST, /* R1: first in the preference order, and numerically best */
    PP_REASON_PREFERRED_INSIDE,  /* R2: first in the preference order, inside the cutoff */
    PP_REASON_BEST,              /* R3: numerically best, smallest id among equals */
    PP_REASON_SMALLEST_ID_INSIDE /* R4: smallest id inside the cutoff */
} pp_reason;

typedef struct pp_option_row {
    pp_text id;
    double value; /* of the objective, in its unit */
    size_t rank;  /* place in the preference order; 0 for all where there is none */
} pp_option_row;

typedef struct pp_choice {
    size_t best;       /* row with the best value, smallest id among equals */
    double best_value; /* in the objective's unit, as are the next two */
    double margin;     /* |best| * (tolerance / 100) */
    double cutoff;     /* best + margin, or best - margin where more is better; may be infinite */
    size_t selected;   /* row */
    pp_reason reason;
} pp_choice;

/** Choose among n >= 1 rows sorted by id. ret_inside gets n flags: inside the cutoff. */
pp_choice pp_choice_make(const pp_option_row *rows, size_t n, pp_direction direction,
                         double tolerance_percent, bool has_preferences, bool *ret_inside);

/** How far a value lies outside the cutoff, in its unit; 0 or less when it is not outside. */
double pp_choice_shortfall(const pp_choice *choice, pp_direction direction, double value);

/** "R1" to "R4" */
const char *pp_reason_code(pp_reason reason);

#endif
