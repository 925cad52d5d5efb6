#include "quality/match.h"

static bool match_trimmed(pp_text accepted, pp_text answer)
{
    return pp_text_equal(pp_text_strip(accepted), pp_text_strip(answer));
}

pp_status pp_match_answer(pp_arena *arena, const pp_suite_case *c, pp_text answer,
                          pp_match *ret_match, pp_error *err)
{
    *ret_match = (pp_match){0};
    for (size_t r = 0; r < c->rule_count && !ret_match->matched; r++) {
        const pp_match_rule *rule = &c->rules[r];

        for (size_t i = 0; i < rule->accepted_count && !ret_match->matched; i++) {
            if (rule->mode == PP_MATCH_TRIMMED_EXACT && match_trimmed(rule->accepted[i], answer))
                *ret_match = (pp_match){true, rule->accepted[i]};
        }
    }
    return pp_arena_check(arena, err);
}
