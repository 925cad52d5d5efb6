/* Our own suite, examples/suites/behaviour.json: right answers pass it, and neither nothing, nor
 * its own prompts said back, nor one answer given to everything does. tests/quality/behaviour.py
 * says the same with another matcher. */
#include <ctype.h>
#include <string.h>

#include "quality/match.h"
#include "shared.h"

#define MOST_CASES_OF_ONE_ANSWER 4

static pp_arena arena;
static pp_suite suite;
static const pp_json *table; /* lazy answers; right and wrong ones of each case */

static int load_all(void **state)
{
    char sha256[PP_SHA256_HEX_SIZE], content_sha256[PP_SHA256_HEX_SIZE];
    const char *path = fixture_path(&arena, "../../examples/suites/behaviour.json");
    pp_error err = {0};
    pp_status st;

    (void)state;
    st = pp_suite_load(&arena, path, &suite, sha256, content_sha256, &err);
    if (st == PP_OK)
        st = pp_json_read_file(&arena, fixture_path(&arena, "quality/behaviour-answers.json"), NULL,
                               &table, &err);
    assert_ok(st, err);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    pp_arena_done(&arena);
    return 0;
}

/* ---- matching ------------------------------------------------------------------------------ */

static bool passes(const pp_suite_case *c, pp_text answer)
{
    pp_arena scratch = {0};
    pp_error err = {0};
    pp_match match;

    assert_ok(pp_match_answer(&scratch, c, answer, &match, &err), err);
    pp_arena_done(&scratch);
    return match.matched;
}

static void check_refused(const pp_suite_case *c, pp_text answer)
{
    if (passes(c, answer))
        fail_msg("%s is passed by '%.*s'", c->id.data, (int)answer.size, answer.data);
}

static void check_not_for_all(pp_text answer)
{
    size_t count = 0;

    for (size_t i = 0; i < suite.case_count; i++)
        count += passes(&suite.cases[i], answer);
    if (count > MOST_CASES_OF_ONE_ANSWER)
        fail_msg("'%.*s' passes %zu cases", (int)answer.size, answer.data, count);
}

static void for_each_accepted(const pp_suite_case *c, void (*visit)(void *context, pp_text text),
                              void *context)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        for (size_t j = 0; j < c->rules[i].accepted_count; j++)
            visit(context, c->rules[i].accepted[j]);
    }
}

static void for_each_text(const pp_json *list, void (*visit)(void *context, pp_text text),
                          void *context)
{
    assert_non_null(list);
    assert_true(list->array.count > 0);
    for (size_t i = 0; i < list->array.count; i++)
        visit(context, list->array.items[i]->text);
}

/* What the table says about a case. */
static const pp_json *row_of(size_t i)
{
    const pp_json *rows = pp_json_find(table, "answers");

    assert_true(i < rows->array.count);
    assert_true(pp_text_equal(pp_json_find(rows->array.items[i], "id")->text, suite.cases[i].id));
    return rows->array.items[i];
}

/* ---- shape --------------------------------------------------------------------------------- */

static void groups_are_of_one_size(void **state)
{
    static const char *const groups[] = {"instruction", "extraction", "classification",
                                         "arithmetic",  "json",       "facts",
                                         "code",        "refusal"};
    size_t each = suite.case_count / PP_COUNT_OF(groups);

    (void)state;
    assert_true(suite.case_count >= 96);
    assert_int_equal(suite.case_count, each * PP_COUNT_OF(groups));
    for (size_t i = 0; i < suite.case_count; i++) {
        const pp_suite_case *c = &suite.cases[i];

        assert_true(pp_text_is(c->group, groups[i / each]));
        assert_true(c->id.size > c->group.size + 1);
        assert_memory_equal(c->id.data, c->group.data, c->group.size);
        assert_int_equal(c->id.data[c->group.size], '-');
    }
}

static void every_mode_is_used(void **state)
{
    size_t used[PP_MATCH_MODE_COUNT] = {0};
    size_t any_of = 0;

    (void)state;
    for (size_t i = 0; i < suite.case_count; i++) {
        any_of += suite.cases[i].rule_count > 1;
        for (size_t j = 0; j < suite.cases[i].rule_count; j++)
            used[suite.cases[i].rules[j].mode]++;
    }
    assert_true(any_of >= 5);
    for (size_t mode = 0; mode < PP_MATCH_MODE_COUNT; mode++) {
        if (used[mode] < 5)
            fail_msg("%s is used %zu times", pp_match_mode_name((pp_match_mode)mode), used[mode]);
    }
}

/* ---- what must pass ------------------------------------------------------------------------ */

static void check_passes(void *context, pp_text answer)
{
    const pp_suite_case *c = context;

    if (!passes(c, answer))
        fail_msg("%s is not passed by '%s'", c->id.data, answer.data);
}

static void right_answers_pass(void **state)
{
    (void)state;
    assert_int_equal(pp_json_find(table, "answers")->array.count, suite.case_count);
    for (size_t i = 0; i < suite.case_count; i++)
        for_each_text(pp_json_find(row_of(i), "right"), check_passes, &suite.cases[i]);
}

static void accepted_answers_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < suite.case_count; i++) {
        pp_suite_case *c = &suite.cases[i];

        if (c->rules[0].mode != PP_MATCH_REGEX)
            for_each_accepted(c, check_passes, c);
    }
}

/* ---- what must not ------------------------------------------------------------------------- */

static void visit_refused(void *context, pp_text answer)
{
    check_refused(context, answer);
}

static void near_misses_do_not_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < suite.case_count; i++)
        for_each_text(pp_json_find(row_of(i), "wrong"), visit_refused, &suite.cases[i]);
}

static void nothing_passes_no_case(void **state)
{
    static const char *const blanks[] = {"", " ", "\n", "\t \r\n", "\u00a0", "\u3000", "."};

    (void)state;
    for (size_t i = 0; i < suite.case_count; i++) {
        for (size_t j = 0; j < PP_COUNT_OF(blanks); j++)
            check_refused(&suite.cases[i], pp_text_of(blanks[j]));
    }
}

/* The part behind the last character that `ends` accepts. */
static pp_text last_part(pp_text text, int (*ends)(int c))
{
    size_t start = text.size;

    while (start > 0 && !ends((unsigned char)text.data[start - 1]))
        start--;
    return (pp_text){text.data + start, text.size - start};
}

static pp_text without_punctuation(pp_text text)
{
    while (text.size > 0 && ispunct((unsigned char)text.data[text.size - 1]))
        text.size--;
    while (text.size > 0 && ispunct((unsigned char)text.data[0]))
        text = (pp_text){text.data + 1, text.size - 1};
    return text;
}

static int is_line_end(int c)
{
    return c == '\n';
}

static int is_colon(int c)
{
    return c == ':';
}

/* With and without the punctuation around it. */
static void check_echo(const pp_suite_case *c, pp_text text)
{
    check_refused(c, text);
    check_refused(c, without_punctuation(text));
}

/* Each sentence, and whatever stands from one mark of punctuation to the next of its kind. */
static void check_quoted(const pp_suite_case *c)
{
    static const char marks[] = "\"\"''``()[]{}..";

    for (size_t k = 0; marks[k] != '\0'; k += 2) {
        const char *end = c->prompt.data + c->prompt.size;
        const char *from = memchr(c->prompt.data, marks[k], c->prompt.size);

        while (from != NULL) {
            const char *to = memchr(from + 1, marks[k + 1], (size_t)(end - from - 1));

            if (to == NULL)
                break;
            check_echo(c, (pp_text){from, (size_t)(to - from) + 1});
            from = memchr(from + 1, marks[k], (size_t)(end - from - 1));
        }
    }
}

static void echoes_pass_no_case(void **state)
{
    (void)state;
    for (size_t i = 0; i < suite.case_count; i++) {
        const pp_suite_case *c = &suite.cases[i];

        check_echo(c, c->prompt);
        check_echo(c, last_part(c->prompt, is_line_end));
        check_echo(c, last_part(c->prompt, isspace));
        check_echo(c, last_part(c->prompt, is_colon));
        check_quoted(c);
    }
}

static void visit_not_for_all(void *context, pp_text answer)
{
    (void)context;
    check_not_for_all(answer);
}

static void one_answer_passes_few_cases(void **state)
{
    (void)state;
    for_each_text(pp_json_find(table, "lazy"), visit_not_for_all, NULL);
    for (size_t i = 0; i < suite.case_count; i++) {
        for_each_accepted(&suite.cases[i], visit_not_for_all, NULL);
        for_each_text(pp_json_find(row_of(i), "right"), visit_not_for_all, NULL);
        check_not_for_all(suite.cases[i].prompt);
    }
}

typedef struct joined {
    pp_buf buf;
    const char *mark;
} joined;

static void append(void *context, pp_text text)
{
    joined *all = context;

    pp_buf_append(&all->buf, text.data, text.size);
    pp_buf_append_text(&all->buf, all->mark);
}

static void all_answers_at_once_pass_few_cases(void **state)
{
    static const char *const marks[] = {" ", "\n", ", "};

    (void)state;
    for (size_t k = 0; k < PP_COUNT_OF(marks); k++) {
        joined all = {.mark = marks[k]};

        pp_buf_init(&all.buf, PP_JSON_MAX_BYTES);
        for (size_t i = 0; i < suite.case_count; i++)
            for_each_accepted(&suite.cases[i], append, &all);
        check_not_for_all((pp_text){pp_buf_text(&all.buf), all.buf.size});
        for (size_t i = 0; i < suite.case_count; i++)
            for_each_text(pp_json_find(row_of(i), "right"), append, &all);
        check_not_for_all((pp_text){pp_buf_text(&all.buf), all.buf.size});
        pp_buf_done(&all.buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_of_one_size),
        cmocka_unit_test(every_mode_is_used),
        cmocka_unit_test(right_answers_pass),
        cmocka_unit_test(accepted_answers_pass),
        cmocka_unit_test(near_misses_do_not_pass),
        cmocka_unit_test(nothing_passes_no_case),
        cmocka_unit_test(echoes_pass_no_case),
        cmocka_unit_test(one_answer_passes_few_cases),
        cmocka_unit_test(all_answers_at_once_pass_few_cases),
    };

    return cmocka_run_group_tests(tests, load_all, forget_all);
}
