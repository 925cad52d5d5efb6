#include "quality/pairing.h"

#include "stats/paired.h"

static pp_status check_same_cases(const pp_suite *a, const pp_suite *b, pp_error *err)
{
    if (a->case_count != b->case_count)
        return pp_fail(err, PP_ERR_DOMAIN, "results of %zu cases against results of %zu",
                       a->case_count, b->case_count);
    for (size_t i = 0; i < a->case_count; i++) {
        if (!pp_text_equal(a->cases[i].id, b->cases[i].id))
            return pp_fail(err, PP_ERR_DOMAIN, "case %zu: '%.80s' against '%.80s'", i + 1,
                           a->cases[i].id.data, b->cases[i].id.data);
    }
    return PP_OK;
}

static void pair_case(pp_pairing *p, size_t number, pp_case_state candidate,
                      pp_case_state reference)
{
    bool candidate_passed = candidate == PP_CASE_PASSED;
    bool reference_passed = reference == PP_CASE_PASSED;

    if (candidate == PP_CASE_OPEN || reference == PP_CASE_OPEN)
        p->open_count++;
    else if (candidate_passed && reference_passed)
        p->both++;
    else if (reference_passed)
        p->lost[p->lost_count++] = number;
    else if (candidate_passed)
        p->gained[p->gained_count++] = number;
    else
        p->neither++;
}

/* What of the two scores is missing; a score of weights that mean nothing says more. */
static pp_score_gap gap_of(const pp_score_part *candidate, const pp_score_part *reference)
{
    return candidate->gap > reference->gap ? candidate->gap : reference->gap;
}

static void compare_scores(pp_pairing *p, const pp_score_part *candidate,
                           const pp_score_part *reference)
{
    p->gap = gap_of(candidate, reference);
    if (p->gap != PP_SCORE_THERE)
        return;
    p->mcnemar_p =
        pp_known_real(pp_mcnemar_exact((int64_t)p->lost_count, (int64_t)p->gained_count));
    p->difference = pp_known_real(((double)candidate->passed - (double)reference->passed) /
                                  (double)candidate->total);
    if (reference->score.value > 0)
        p->retention = pp_known_real(candidate->score.value / reference->score.value);
}

pp_status pp_pairing_of(pp_arena *arena, const pp_suite_results *candidate,
                        pp_origin candidate_origin, const pp_suite_results *reference,
                        pp_origin reference_origin, pp_pairing *ret_pairing, pp_error *err)
{
    size_t n = candidate->suite->case_count;
    pp_pairing p = {.lost = PP_ARENA_NEW(arena, size_t, n),
                    .gained = PP_ARENA_NEW(arena, size_t, n)};
    pp_score of_candidate, of_reference;
    pp_status st = check_same_cases(candidate->suite, reference->suite, err);

    if (st == PP_OK)
        st = pp_score_of(arena, candidate, candidate_origin, &of_candidate, err);
    if (st == PP_OK)
        st = pp_score_of(arena, reference, reference_origin, &of_reference, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        pair_case(&p, i, pp_case_state_of(candidate, i), pp_case_state_of(reference, i));
    compare_scores(&p, &of_candidate.whole, &of_reference.whole);
    *ret_pairing = p;
    return PP_OK;
}
