/* pairing.h - two endpoints asked the same cases: which of them only one gets right.
 *
 * A case passes as score.h says. Both directions are always told: an equal score may hide that
 * many cases changed sides. Pure. docs/method/quality-score.md. */
#ifndef PP_QUALITY_PAIRING_H
#define PP_QUALITY_PAIRING_H

#include "quality/score.h"

typedef struct pp_pairing {
    size_t both, neither;
    size_t *lost; /* case numbers that only the reference passes, ascending */
    size_t lost_count;
    size_t *gained; /* case numbers that only the candidate passes, ascending */
    size_t gained_count;
    size_t open_count;        /* cases that are open on either side; in none of the others */
    pp_score_gap gap;         /* why the rest is absent */
    pp_maybe_real mcnemar_p;  /* exact, two-sided, of lost against gained */
    pp_maybe_real difference; /* score - reference score; -1 to 1 */
    pp_maybe_real retention;  /* score / reference score; absent also when that is 0 */
} pp_pairing;

/**
 * Both must be results of suites with the same cases in the same order; arrays are in the arena.
 * Fails with PP_ERR_DOMAIN when a case differs, PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_pairing_of(pp_arena *arena, const pp_suite_results *candidate,
                                      pp_origin candidate_origin, const pp_suite_results *reference,
                                      pp_origin reference_origin, pp_pairing *ret_pairing,
                                      pp_error *err);

#endif
