/* Two JSON texts that are the same once written in one form: keys sorted, no blanks. */
#include "quality/match_parts.h"

/* The one form; `ret_is_json` false where the text is no strict JSON, or nothing this program can
 * hold: an integer outside of 64 bits, a real beyond doubles, too deep. */
static pp_status write_again(pp_arena *arena, pp_text text, pp_buf *buf, bool *ret_is_json,
                             pp_error *err)
{
    pp_text inner = pp_text_strip(text);
    pp_error why = {0};
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "answer", inner.data, inner.size, &root, &why);

    *ret_is_json = st == PP_OK;
    if (st == PP_ERR_MEMORY)
        return pp_fail(err, st, "%s", why.text);
    return st == PP_OK ? pp_json_write(root, PP_JSON_COMPACT, buf, err) : PP_OK;
}

pp_status match_json(pp_arena *arena, const match_pair *pair, bool *ret_matched, pp_error *err)
{
    pp_buf answer, accepted;
    bool both_json;
    pp_status st;

    pp_buf_init(&answer, SIZE_MAX);
    pp_buf_init(&accepted, SIZE_MAX);
    st = write_again(arena, pair->answer, &answer, &both_json, err);
    if (st == PP_OK && both_json)
        st = write_again(arena, pair->accepted, &accepted, &both_json, err);
    *ret_matched = st == PP_OK && both_json &&
                   pp_text_equal((pp_text){pp_buf_text(&answer), answer.size},
                                 (pp_text){pp_buf_text(&accepted), accepted.size});
    pp_buf_done(&answer);
    pp_buf_done(&accepted);
    return st;
}
