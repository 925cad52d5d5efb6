/* match_parts.h - inside quality/match*.c only: one mode each. Answers are valid UTF-8. */
#ifndef PP_QUALITY_MATCH_PARTS_H
#define PP_QUALITY_MATCH_PARTS_H

#include "quality/match.h"

/* An answer and the accepted one it is compared with. */
typedef struct match_pair {
    const pp_match_rule *rule;
    pp_text accepted, answer;
} match_pair;

/* Each fails with PP_ERR_MEMORY only. */
PP_MUST_CHECK pp_status match_json(const match_pair *pair, bool *ret_matched, pp_error *err);
PP_MUST_CHECK pp_status match_contains(pp_arena *arena, const match_pair *pair, bool *ret_matched,
                                       pp_error *err);
PP_MUST_CHECK pp_status match_regex(pp_arena *arena, const match_pair *pair, bool *ret_matched,
                                    pp_error *err);
bool match_number(const match_pair *pair);

#endif
