/* passport_parts.h - inside decide/ only: the subjects of a passport, one file each. */
#ifndef PP_DECIDE_PASSPORT_PARTS_H
#define PP_DECIDE_PASSPORT_PARTS_H

#include "decide/change.h"
#include "decide/passport.h"

/* Directions of metrics, from the constraints and, for well-known names, built in. */
typedef struct pp_directions {
    pp_name_index names;    /* the lowest number of a name counts */
    pp_direction *of_entry; /* by number */
} pp_directions;

/* The candidates in the order in which the passport walks through them. */
typedef struct pp_ladder {
    const pp_decision *decision;
    size_t *order;  /* candidate index of each position */
    size_t *stages; /* of each candidate its position, from 1 */
    pp_text *tags;  /* of each candidate its attribution stage; data NULL when it has none */
    pp_directions directions;
} pp_ladder;

typedef struct pp_boundary { /* in the objective's unit; the boundary may be infinite */
    double margin;
    double value;
} pp_boundary;

/** Left to right, as the format has it. The choice itself multiplies in another order, which can
 * differ in the last digit; that order is taken where this one leaves the range of numbers. */
pp_boundary pp_boundary_of(pp_direction direction, double best, double tolerance_percent);

/** How far a value lies behind the boundary; 0 or less when it does not. */
double pp_boundary_shortfall(pp_direction direction, double boundary, double value);

/** 100 * value / |base|; not finite when base is 0 or not finite, or no number can hold it. */
double pp_percent_of(double value, double base);

/** Place of a tag among the four known stages, from 0; PP_STAGE_COUNT for any other and for none.
 */
#define PP_STAGE_COUNT 4
size_t pp_stage_rank(pp_text tag);

pp_json *pp_passport_provenance(pp_arena *arena, const pp_benchmark_set *set, pp_grade *ret_grade);

PP_MUST_CHECK pp_status pp_ladder_init(pp_arena *arena, const pp_decision *decision,
                                       pp_ladder *ret_ladder, pp_error *err);
pp_json *pp_passport_ladder(pp_arena *arena, const pp_ladder *ladder);

/** The six members that say what the decision made of a candidate. */
void pp_passport_put_status(pp_arena *arena, const pp_decision *d, size_t candidate, pp_json *out);

/** Changes of every metric that both candidates have, by name. */
pp_change *pp_ladder_changes(pp_arena *arena, const pp_ladder *ladder, size_t previous,
                             size_t current, size_t *ret_count);
pp_json *pp_change_to_json(pp_arena *arena, const pp_change *change);

pp_json *pp_passport_objective(pp_arena *arena, const pp_decision *d);
pp_json *pp_passport_closest_outside(pp_arena *arena, const pp_ladder *ladder);
pp_json *pp_passport_alternative(pp_arena *arena, const pp_ladder *ladder);

#endif
