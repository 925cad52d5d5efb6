#include "model/suite_answers.h"

#include "base/pattern.h"
#include "json/float_text.h"

pp_text pp_suite_normal_form(pp_arena *arena, pp_text text)
{
    pp_text folded = pp_text_fold_case(arena, text);
    char *out = pp_arena_alloc(arena, folded.size + 1, 1);
    size_t size = 0;

    for (size_t i = 0; out != NULL && i < folded.size; i++) {
        char c = folded.data[i];

        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out[size++] = c;
    }
    return out == NULL ? (pp_text){0} : (pp_text){out, size};
}

bool pp_suite_tolerance_decimal(double tolerance, pp_decimal *ret_decimal)
{
    char text[PP_FLOAT_TEXT_MAX];
    size_t size = pp_float_text(tolerance, text);

    return pp_decimal_parse((pp_text){text, size}, ret_decimal);
}

/* ---- checks; each has its own scratch memory, because a suite may hold many answers ------------
 */

static pp_status check_normal_form(const pp_json *at, pp_error *err)
{
    pp_arena scratch = {0};
    pp_text normal = pp_suite_normal_form(&scratch, at->text);
    pp_status st = pp_arena_check(&scratch, err);

    pp_arena_done(&scratch);
    if (st == PP_OK && normal.size == 0)
        st = pp_json_fail(at, err,
                          "no letter a to z and no digit is left of it once case is folded, so "
                          "that every answer without them would match");
    return st;
}

/* The reader's own words about the text as it stands there. */
static pp_status fail_json(const pp_json *at, pp_error *err)
{
    pp_text inner = pp_text_strip(at->text);
    pp_arena scratch = {0};
    pp_error why = {0};
    const pp_json *root;
    pp_status st = pp_json_parse(&scratch, "answer", inner.data, inner.size, &root, &why);

    pp_arena_done(&scratch);
    return pp_json_fail(at, err, "%s", st == PP_OK ? "nested too deep" : why.text);
}

static pp_status check_json(const pp_json *at, pp_error *err)
{
    pp_buf form;
    bool is_json;
    pp_status st;

    pp_buf_init(&form, PP_JSON_MAX_BYTES);
    st = pp_suite_json_form(at->text, &form, &is_json, err);
    pp_buf_done(&form);
    return st == PP_OK && !is_json ? fail_json(at, err) : st;
}

static pp_status check_needle(const pp_json *at, pp_error *err)
{
    pp_text text = at->text;
    size_t step;

    for (size_t i = 0; i < text.size; i += step) {
        if (pp_code_is_word(pp_utf8_next(text.data + i, text.size - i, &step)))
            return PP_OK;
    }
    return pp_json_fail(at, err, "expected a letter or a digit in what an answer must contain");
}

static pp_status check_number(const pp_json *at, pp_error *err)
{
    pp_decimal ignored;

    if (at->text.size > PP_SUITE_MAX_NUMBER_BYTES)
        return pp_json_fail(at, err, "expected a number of at most %d bytes, got %zu",
                            PP_SUITE_MAX_NUMBER_BYTES, at->text.size);
    if (pp_decimal_parse(at->text, &ignored))
        return PP_OK;
    return pp_json_fail(at, err,
                        "expected a decimal number such as -12.5 or 6.02e23, its digits between "
                        "10^%d and 10^%d, got '%s'",
                        PP_DECIMAL_HIGHEST, PP_DECIMAL_LOWEST, at->text.data);
}

static pp_status check_expression(const pp_json *at, pp_error *err)
{
    pp_arena scratch = {0};
    pp_error why = {0};
    const pp_pattern *pattern;
    bool matches_nothing = false;
    pp_status st = pp_pattern_compile(&scratch, at->text, &pattern, &why);

    if (st == PP_OK)
        st = pp_pattern_match(&scratch, pattern, (pp_text){"", 0}, &matches_nothing, &why);
    pp_arena_done(&scratch);
    if (st == PP_ERR_MEMORY)
        return pp_fail(err, st, "%s", why.text);
    if (st != PP_OK)
        return pp_json_fail(at, err, "%s", why.text);
    return matches_nothing ? pp_json_fail(at, err, "the expression matches an empty answer")
                           : PP_OK;
}

pp_status pp_suite_check_answer_1_0(const pp_json *at, pp_match_mode mode, pp_error *err)
{
    return mode == PP_MATCH_JSON_EXACT ? check_json(at, err) : PP_OK;
}

pp_status pp_suite_check_answer(const pp_json *at, pp_match_mode mode, pp_error *err)
{
    switch (mode) {
    case PP_MATCH_TRIMMED_EXACT:
        return PP_OK; /* the table has refused what is blank */
    case PP_MATCH_NORMALIZED_TEXT:
        return check_normal_form(at, err);
    case PP_MATCH_JSON_EXACT:
        return check_json(at, err);
    case PP_MATCH_CONTAINS:
        return check_needle(at, err);
    case PP_MATCH_NUMBER:
        return check_number(at, err);
    case PP_MATCH_REGEX:
        return check_expression(at, err);
    case PP_MATCH_MODE_COUNT:
        break;
    }
    PP_ASSERT(!"a mode");
    return PP_ERR_BUG;
}
