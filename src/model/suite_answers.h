/* suite_answers.h - what an accepted answer must be so that a mode can use it.
 *
 * Whether a received answer matches is quality/match.h's to say; both read answers with this. */
#ifndef PP_MODEL_SUITE_ANSWERS_H
#define PP_MODEL_SUITE_ANSWERS_H

#include "base/decimal.h"
#include "model/suite.h"

/** What normalized-text compares: case folded, then of that only a-z and 0-9. A zeroed text when
 * memory is short (arena->failed set); `text` must be valid UTF-8. */
pp_text pp_suite_normal_form(pp_arena *arena, pp_text text);

/**
 * What json-exact compares: the value in one form, for comparing with another such form only.
 *
 * ret_is_json   false where the text, without outer white space, is no strict JSON, or holds a real
 *               beyond doubles, an integer of more than 4300 digits, or too many levels (json.h)
 * Fails with PP_ERR_MEMORY only.
 */
PP_MUST_CHECK pp_status pp_suite_json_form(pp_text text, pp_buf *out, bool *ret_is_json,
                                           pp_error *err);

/** A tolerance as its shortest decimal text says; false when its digits are outside of decimal.h's.
 */
bool pp_suite_tolerance_decimal(double tolerance, pp_decimal *ret_decimal);

/** Refuse an accepted answer of a 1.0 suite: only JSON has to parse. `at` names the place. */
PP_MUST_CHECK pp_status pp_suite_check_answer_1_0(const pp_json *at, pp_match_mode mode,
                                                  pp_error *err);

/** Refuse one of a 2.0 suite that could match nothing, or nearly everything. */
PP_MUST_CHECK pp_status pp_suite_check_answer(const pp_json *at, pp_match_mode mode, pp_error *err);

#endif
