#include "quality/match.h"

#include "model/suite_answers.h"
#include "quality/match_parts.h"

static pp_status match_normalized(pp_arena *arena, const match_pair *pair, bool *ret_matched,
                                  pp_error *err)
{
    pp_text accepted = pp_suite_normal_form(arena, pair->accepted);
    pp_text answer = pp_suite_normal_form(arena, pair->answer);

    *ret_matched = !arena->failed && pp_text_equal(accepted, answer);
    return pp_arena_check(arena, err);
}

static pp_status match_one(pp_arena *arena, const match_pair *pair, bool *ret_matched,
                           pp_error *err)
{
    switch (pair->rule->mode) {
    case PP_MATCH_TRIMMED_EXACT:
        *ret_matched = pp_text_equal(pp_text_strip(pair->accepted), pp_text_strip(pair->answer));
        return PP_OK;
    case PP_MATCH_NORMALIZED_TEXT:
        return match_normalized(arena, pair, ret_matched, err);
    case PP_MATCH_JSON_EXACT:
        return match_json(pair, ret_matched, err);
    case PP_MATCH_CONTAINS:
        return match_contains(arena, pair, ret_matched, err);
    case PP_MATCH_NUMBER:
        *ret_matched = match_number(pair);
        return PP_OK;
    case PP_MATCH_REGEX:
        return match_regex(arena, pair, ret_matched, err);
    case PP_MATCH_MODE_COUNT:
        break;
    }
    PP_ASSERT(!"a mode");
    return PP_ERR_BUG;
}

static pp_status match_rule(pp_arena *arena, const pp_match_rule *rule, pp_text answer,
                            pp_match *ret_match, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < rule->accepted_count && !ret_match->matched; i++) {
        st = match_one(arena, &(match_pair){rule, rule->accepted[i], answer}, &ret_match->matched,
                       err);
        if (st == PP_OK && ret_match->matched)
            ret_match->matched_answer = rule->accepted[i];
    }
    return st;
}

pp_status pp_match_answer(pp_arena *arena, const pp_suite_case *c, pp_text answer,
                          pp_match *ret_match, pp_error *err)
{
    pp_match match = {0};
    pp_status st = PP_OK;
    bool is_text = pp_utf8_is_valid(answer.data, answer.size);

    if (answer.size == 0)
        answer = (pp_text){"", 0};
    for (size_t i = 0; st == PP_OK && is_text && i < c->rule_count && !match.matched; i++)
        st = match_rule(arena, &c->rules[i], answer, &match, err);
    if (st == PP_OK)
        *ret_match = match;
    return st;
}
