/* case_result.h - what a reply to a case of a suite means: decoded, matched, counted.
 *
 * Pure, so that an archived reply gives the same result again. */
#ifndef PP_EVIDENCE_CASE_RESULT_H
#define PP_EVIDENCE_CASE_RESULT_H

#include "model/exchange.h"
#include "quality/results.h"

/**
 * The result of one request.
 *
 * c          from a suite that pp_suite_decode accepted; the matched answer is its text
 * exchange   NULL: the case was never asked, which is a failed result without a latency
 *
 * Texts live in `arena`. Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_case_result_of(pp_arena *arena, const pp_suite_case *c,
                                          const pp_exchange *exchange, pp_case_result *ret_result,
                                          pp_error *err);

#endif
