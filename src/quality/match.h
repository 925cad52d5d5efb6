/* match.h - does an answer count?
 *
 * docs/method/quality-matching.md has the rules of each mode. Pure: no clock, file, process or
 * locale. An answer is foreign text and may be anything; what cannot be read is no match. */
#ifndef PP_QUALITY_MATCH_H
#define PP_QUALITY_MATCH_H

#include "model/suite.h"

/* An answer longer than this matches no regular expression. */
#define PP_MATCH_REGEX_MAX_BYTES ((size_t)64 << 10)

typedef struct pp_match {
    bool matched;
    pp_text matched_answer; /* the first accepted answer that matches, as the suite writes it */
} pp_match;

/**
 * Match an answer with the rules of a case, in their order.
 *
 * arena    scratch; nothing of the result lives in it
 * c        from a suite that pp_suite_decode accepted
 * answer   as received; one that is not valid UTF-8 matches nothing
 *
 * Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_match_answer(pp_arena *arena, const pp_suite_case *c, pp_text answer,
                                        pp_match *ret_match, pp_error *err);

#endif
