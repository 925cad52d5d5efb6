/* Two JSON texts that are the same once written in one form. */
#include "model/suite_answers.h"
#include "quality/match_parts.h"

pp_status match_json(const match_pair *pair, bool *ret_matched, pp_error *err)
{
    pp_buf answer, accepted;
    bool both_json;
    pp_status st;

    pp_buf_init(&answer, PP_JSON_MAX_BYTES);
    pp_buf_init(&accepted, PP_JSON_MAX_BYTES);
    st = pp_suite_json_form(pair->answer, &answer, &both_json, err);
    if (st == PP_OK && both_json)
        st = pp_suite_json_form(pair->accepted, &accepted, &both_json, err);
    *ret_matched = st == PP_OK && both_json &&
                   pp_text_equal((pp_text){pp_buf_text(&answer), answer.size},
                                 (pp_text){pp_buf_text(&accepted), accepted.size});
    pp_buf_done(&answer);
    pp_buf_done(&accepted);
    return st;
}
