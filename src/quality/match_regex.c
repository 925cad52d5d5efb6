/* An answer that an expression matches from its first to its last character. */
#include <string.h>

#include "base/pattern.h"
#include "quality/match_parts.h"

pp_status match_regex(pp_arena *arena, const match_pair *pair, bool *ret_matched, pp_error *err)
{
    pp_text answer = pp_text_strip(pair->answer);
    pp_error why = {0};
    const pp_pattern *pattern;
    pp_status st;

    *ret_matched = false;
    if (answer.size > PP_MATCH_REGEX_MAX_BYTES || memchr(answer.data, '\0', answer.size) != NULL)
        return PP_OK;
    st = pp_pattern_compile(arena, pair->accepted, &pattern, &why);
    if (st == PP_ERR_MEMORY)
        return pp_fail(err, st, "%s", why.text);
    return st == PP_OK ? pp_pattern_match(arena, pattern, answer, ret_matched, err) : PP_OK;
}
