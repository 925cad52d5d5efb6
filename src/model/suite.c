#include "model/suite.h"

#include <string.h>

#include "model/document.h"
#include "model/name_index.h"
#include "model/suite_answers.h"
#include "model/tables.h"

#define ANY_OF "any-of"

typedef struct decoder {
    pp_arena *arena;
    pp_suite suite;
    size_t expression_count;
    pp_error *err;
} decoder;

const char *pp_match_mode_name(pp_match_mode mode)
{
    return pp_words_match_mode[mode];
}

static pp_match_mode mode_of(pp_text word)
{
    int mode = 0;

    while (!pp_text_is(word, pp_words_match_mode[mode])) /* the table knows no other */
        mode++;
    return (pp_match_mode)mode;
}

/* ---- rules ------------------------------------------------------------------------------------
 */

static pp_status decode_answers(decoder *d, const pp_json *list, pp_match_rule *rule)
{
    pp_status st;

    rule->accepted_count = list->array.count;
    rule->accepted = PP_ARENA_NEW(d->arena, pp_text, rule->accepted_count);
    st = pp_arena_check(d->arena, d->err);
    for (size_t i = 0; st == PP_OK && i < rule->accepted_count; i++) {
        const pp_json *answer = list->array.items[i];

        rule->accepted[i] = answer->text;
        if (rule->mode == PP_MATCH_REGEX && ++d->expression_count > PP_SUITE_MAX_EXPRESSIONS)
            return pp_json_fail(answer, d->err, "expected at most %d expressions in a suite",
                                PP_SUITE_MAX_EXPRESSIONS);
        st = d->suite.original ? pp_suite_check_answer_1_0(answer, rule->mode, d->err)
                               : pp_suite_check_answer(answer, rule->mode, d->err);
    }
    return st;
}

static pp_status decode_share(decoder *d, const pp_json *from, const char *key, double *ret_value)
{
    const pp_json *value = pp_json_find(from, key);
    pp_decimal ignored;

    if (value == NULL)
        return PP_OK;
    *ret_value = pp_checked_real(value);
    if (!pp_suite_tolerance_decimal(*ret_value, &ignored))
        return pp_json_fail(value, d->err, "expected digits between 10^%d and 10^%d, got %g",
                            PP_DECIMAL_HIGHEST, PP_DECIMAL_LOWEST, *ret_value);
    return PP_OK;
}

static pp_status decode_tolerance(decoder *d, const pp_json *from, pp_match_rule *rule)
{
    pp_status st;

    if (rule->mode != PP_MATCH_NUMBER)
        return pp_json_fail(from, d->err, "only the mode number has a tolerance, this is %s",
                            pp_match_mode_name(rule->mode));
    if (from->object.count == 0)
        return pp_json_fail(from, d->err, "expected absolute or relative");
    st = decode_share(d, from, "absolute", &rule->absolute_tolerance);
    return st == PP_OK ? decode_share(d, from, "relative", &rule->relative_tolerance) : st;
}

static pp_status decode_rule(decoder *d, const pp_json *from, pp_match_rule *rule)
{
    const pp_json *tolerance = pp_json_find(from, "tolerance");
    const pp_json *ignore_case = pp_json_find(from, "ignore_case");
    pp_status st = PP_OK;

    if (tolerance != NULL)
        st = decode_tolerance(d, tolerance, rule);
    if (st == PP_OK && ignore_case != NULL && rule->mode != PP_MATCH_CONTAINS)
        st = pp_json_fail(ignore_case, d->err, "only the mode contains can ignore case, this is %s",
                          pp_match_mode_name(rule->mode));
    rule->ignore_case = ignore_case != NULL && ignore_case->boolean;
    return st == PP_OK ? decode_answers(d, pp_checked_list(from, "accepted_answers"), rule) : st;
}

/* ---- cases ------------------------------------------------------------------------------------
 */

static pp_status new_rules(decoder *d, size_t count, pp_suite_case *c)
{
    c->rule_count = count;
    c->rules = PP_ARENA_NEW(d->arena, pp_match_rule, count);
    return pp_arena_check(d->arena, d->err);
}

static pp_status decode_any_of(decoder *d, const pp_json *from, pp_suite_case *c)
{
    static const char *const others[] = {"accepted_answers", "tolerance", "ignore_case"};
    const pp_json *list = pp_json_find(from, "any_of");
    pp_status st;

    for (size_t i = 0; i < PP_COUNT_OF(others); i++) {
        const pp_json *other = pp_json_find(from, others[i]);

        if (other != NULL)
            return pp_json_fail(other, d->err, "with any-of, this stands in the rules of any_of");
    }
    if (list == NULL)
        return pp_json_fail(from, d->err, "required key 'any_of' is missing: match_mode is any-of");
    st = new_rules(d, list->array.count, c);
    for (size_t i = 0; st == PP_OK && i < c->rule_count; i++) {
        const pp_json *rule = list->array.items[i];

        c->rules[i].mode = mode_of(pp_checked_text(rule, "match_mode"));
        st = decode_rule(d, rule, &c->rules[i]);
    }
    return st;
}

static pp_status decode_one_rule(decoder *d, const pp_json *from, pp_match_mode mode,
                                 pp_suite_case *c)
{
    const pp_json *any_of = pp_json_find(from, "any_of");
    pp_status st;

    if (any_of != NULL)
        return pp_json_fail(any_of, d->err, "only the mode any-of has it, this is %s",
                            pp_match_mode_name(mode));
    if (pp_json_find(from, "accepted_answers") == NULL)
        return pp_json_fail(from, d->err, "required key 'accepted_answers' is missing");
    st = new_rules(d, 1, c);
    if (st != PP_OK)
        return st;
    c->rules[0].mode = mode;
    return decode_rule(d, from, &c->rules[0]);
}

static pp_status decode_case(decoder *d, const pp_json *from, pp_suite_case *c)
{
    const pp_json *mode = pp_json_find(from, "match_mode");
    const pp_json *max_tokens = pp_json_find(from, "max_tokens");

    c->id = pp_checked_text(from, "id");
    c->prompt = pp_checked_text(from, "prompt");
    c->group = d->suite.original ? (pp_text){"", 0} : pp_checked_text(from, "group");
    c->max_tokens = max_tokens == NULL ? d->suite.max_tokens : max_tokens->integer;
    if (mode == NULL) /* in 1.0 only */
        return decode_one_rule(d, from, PP_MATCH_NORMALIZED_TEXT, c);
    if (pp_text_is(mode->text, ANY_OF))
        return decode_any_of(d, from, c);
    return decode_one_rule(d, from, mode_of(mode->text), c);
}

static pp_status check_ids(decoder *d, const pp_json *list)
{
    pp_name_index ids;
    pp_status st = pp_name_index_init(d->arena, list->array.count, &ids, d->err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < list->array.count; i++)
        ids.entries[i] = (pp_name_entry){pp_checked_text(list->array.items[i], "id"), i};
    pp_name_index_sort(&ids);
    twice = pp_name_index_duplicate(&ids);
    if (twice == PP_NOT_FOUND)
        return PP_OK;
    list = pp_json_find(list->array.items[twice], "id");
    return pp_json_fail(list, d->err, "'%s' is taken already", list->text.data);
}

static pp_status decode_cases(decoder *d, const pp_json *list)
{
    pp_status st = check_ids(d, list);

    d->suite.case_count = list->array.count;
    d->suite.cases = PP_ARENA_NEW(d->arena, pp_suite_case, d->suite.case_count);
    if (st == PP_OK)
        st = pp_arena_check(d->arena, d->err);
    for (size_t i = 0; st == PP_OK && i < d->suite.case_count; i++)
        st = decode_case(d, list->array.items[i], &d->suite.cases[i]);
    return st;
}

/* ---- suites -----------------------------------------------------------------------------------
 */

static pp_status decode_contexts(decoder *d, const pp_json *fidelity)
{
    const pp_json *list = pp_json_find(fidelity, "contexts");
    pp_status st;

    if (list == NULL)
        return PP_OK;
    st = check_ids(d, list);
    d->suite.context_count = list->array.count;
    d->suite.contexts = PP_ARENA_NEW(d->arena, pp_suite_context, d->suite.context_count);
    if (st == PP_OK)
        st = pp_arena_check(d->arena, d->err);
    for (size_t i = 0; st == PP_OK && i < d->suite.context_count; i++)
        d->suite.contexts[i] =
            (pp_suite_context){.id = pp_checked_text(list->array.items[i], "id"),
                               .prompt = pp_checked_text(list->array.items[i], "prompt")};
    return st;
}

static pp_status decode_original(decoder *d, const pp_json *root)
{
    const pp_json *performance = pp_checked_object(root, "performance");
    pp_suite *suite = &d->suite;

    suite->title = (pp_text){"", 0};
    suite->max_tokens = PP_SUITE_1_0_MAX_TOKENS;
    suite->seed = PP_SUITE_1_0_SEED;
    suite->has_performance = true;
    suite->performance_prompt = pp_checked_text(performance, "prompt");
    suite->generation_tokens = pp_checked_int(performance, "generation_tokens");
    suite->repetitions = pp_checked_int(performance, "repetitions");
    suite->warmups = pp_checked_int(performance, "warmups");
    return decode_cases(d, pp_checked_list(root, "quality_cases"));
}

static pp_status decode_ours(decoder *d, const pp_json *root)
{
    const pp_json *sampling = pp_checked_object(root, "sampling");
    const pp_json *system_prompt = pp_json_find(root, "system_prompt");
    pp_suite *suite = &d->suite;
    pp_status st;

    suite->title = pp_checked_text(root, "title");
    suite->has_system_prompt = system_prompt->kind == PP_JSON_STRING;
    if (suite->has_system_prompt)
        suite->system_prompt = system_prompt->text;
    suite->max_tokens = pp_checked_int(sampling, "max_tokens");
    suite->seed = pp_checked_int(sampling, "seed");
    suite->temperature = pp_checked_number(sampling, "temperature");
    st = decode_cases(d, pp_checked_list(root, "cases"));
    return st == PP_OK ? decode_contexts(d, pp_json_find(root, "fidelity")) : st;
}

pp_status pp_suite_decode(pp_arena *arena, const pp_json *root, pp_suite *ret_suite, pp_error *err)
{
    static const pp_field_type type = {.kind = PP_FIELD_CHOICE, .choices = pp_suite_choices};
    decoder d = {.arena = arena, .err = err};
    pp_status st = pp_field_check(root, &type, err);

    if (st != PP_OK)
        return st;
    d.suite.original = pp_text_is(pp_checked_text(root, "schema_version"), "1.0");
    d.suite.id = pp_checked_text(root, "id");
    d.suite.license = pp_checked_text(root, "license");
    st = d.suite.original ? decode_original(&d, root) : decode_ours(&d, root);
    if (st == PP_OK)
        *ret_suite = d.suite;
    return st;
}

static pp_status hash_content(const pp_json *root, char ret_sha256[PP_SHA256_HEX_SIZE],
                              pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    st = pp_json_write(root, PP_JSON_COMPACT, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(pp_buf_text(&bytes), bytes.size, ret_sha256, err);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_suite_load(pp_arena *arena, const char *path, pp_suite *ret_suite,
                        char ret_sha256[PP_SHA256_HEX_SIZE],
                        char ret_content_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_suite_decode(arena, root, ret_suite, err);
    if (st == PP_OK)
        st = hash_content(root, ret_content_sha256, err);
    return pp_wrap(err, st, "reading suite '%s'", path);
}
