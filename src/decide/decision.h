/* decision.h - limits first, frontier second, tolerance third, preferences last.
 *
 * The same set and the same constraints give the same decision, bit for bit: no clock, no file, no
 * randomness, no dependence on the order of candidates except where the format asks for it. */
#ifndef PP_DECIDE_DECISION_H
#define PP_DECIDE_DECISION_H

#include "decide/choice.h"
#include "decide/frontier.h"
#include "decide/limits.h"

typedef enum pp_standing {
    PP_STANDING_REJECTED,  /* violates a limit */
    PP_STANDING_DOMINATED, /* another eligible candidate is at least as good everywhere */
    PP_STANDING_FRONTIER,  /* nobody dominates it, but it lies outside the cutoff */
    PP_STANDING_SHORTLIST, /* inside the cutoff */
    PP_STANDING_SELECTED
} pp_standing;

typedef struct pp_verdict {
    pp_standing standing;
    pp_violations violations; /* none unless rejected */
    /* dominated only: the frontier candidate with the smallest id that dominates it, or, where
     * none of the frontier does, any with the smallest id; else PP_NOT_FOUND */
    size_t dominated_by;
    bool outside_cutoff; /* eligible, and the objective lies outside the cutoff */
    double shortfall;    /* then: by how much, in the objective's unit, > 0 */
    bool has_shortfall_percent;
    double shortfall_percent; /* of the cutoff's size; absent when that is 0 or it overflows */
} pp_verdict;

/* Lists hold candidate indices sorted by id. */
typedef struct pp_index_list {
    size_t *items;
    size_t count;
} pp_index_list;

typedef struct pp_decision {
    const pp_benchmark_set *set;
    const pp_constraints *constraints;
    pp_verdict *verdicts; /* one for each candidate, document order */
    pp_index_list eligible;
    pp_index_list frontier;
    pp_index_list shortlist;
    pp_dominance dominance; /* PP_DOMINANCE_EXACT: near ties ran in a circle, see frontier.h */
    bool has_winner;        /* false: nothing is eligible, and the rest below is not set */
    size_t selected;        /* candidate index, as the others */
    size_t numeric_best;
    double numeric_best_value;
    double cutoff; /* may be infinite */
    pp_reason reason;
    size_t near_miss; /* frontier candidate closest outside the cutoff, or PP_NOT_FOUND */
} pp_decision;

/** "rejected", "dominated", "frontier", "shortlist", "selected" */
const char *pp_standing_name(pp_standing standing);

/**
 * Decide. Nothing eligible is a result (has_winner is false), not a failure.
 *
 * The decision borrows set and constraints; its lists live in the arena.
 * Fails with PP_ERR_DOMAIN when the preference order does not name exactly the candidates, or the
 * baseline has no quality to compare with.
 * Source: docs/method/decision.md.
 */
PP_MUST_CHECK pp_status pp_decide(pp_arena *arena, const pp_benchmark_set *set,
                                  const pp_constraints *constraints, pp_decision *ret_decision,
                                  pp_error *err);

/** The same, but a baseline without quality leaves nothing eligible, which is a result too. */
PP_MUST_CHECK pp_status pp_decide_measured(pp_arena *arena, const pp_benchmark_set *set,
                                           const pp_constraints *constraints,
                                           pp_decision *ret_decision, pp_error *err);

/**
 * The frontier metrics of an eligible candidate, in their order, so that less is better: a metric
 * of which more is better is negated. ret_costs has room for all of them.
 */
void pp_decision_costs(const pp_decision *decision, size_t candidate, double *ret_costs);

#endif
