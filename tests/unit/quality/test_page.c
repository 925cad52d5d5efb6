/* The tables of docs/method/quality-matching.md, row by row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "quality/match.h"
#include "shared.h"
#include "json/json.h"

typedef struct page_row {
    char rule[64], accepted[160], answer[160], counts[8];
} page_row;

/* `| rule | `"accepted"` | `"answer"` | yes |`, where code stands between backticks. */
static bool read_row(const char *line, page_row *ret_row)
{
    char *cells[] = {ret_row->rule, ret_row->accepted, ret_row->answer, ret_row->counts};
    const size_t rooms[] = {sizeof ret_row->rule, sizeof ret_row->accepted, sizeof ret_row->answer,
                            sizeof ret_row->counts};

    if (strncmp(line, "| ", 2) != 0)
        return false;
    line += 2;
    for (size_t i = 0; i < PP_COUNT_OF(cells); i++) {
        const char *end = strstr(line, " |");
        size_t size = end == NULL ? SIZE_MAX : (size_t)(end - line);

        if (size >= rooms[i])
            return false;
        memcpy(cells[i], line, size);
        cells[i][size] = '\0';
        line = end + (end[2] == ' ' ? 3 : 2);
    }
    return strcmp(ret_row->counts, "yes") == 0 || strcmp(ret_row->counts, "no") == 0;
}

static pp_text text_of(pp_arena *arena, const char *cell)
{
    size_t size = strlen(cell);
    const pp_json *value;
    pp_error err = {0};

    if (size < 4 || cell[0] != '`' || cell[size - 1] != '`')
        fail_msg("expected a string in backticks, got %s", cell);
    assert_ok(pp_json_parse(arena, cell, cell + 1, size - 2, &value, &err), err);
    assert_int_equal(value->kind, PP_JSON_STRING);
    return value->text;
}

static pp_match_rule rule_of(const char *cell)
{
    pp_match_rule rule = {0};
    const char *comma = strchr(cell, ',');
    size_t size = comma == NULL ? strlen(cell) : (size_t)(comma - cell);
    int mode = 0;

    while (mode < PP_MATCH_MODE_COUNT &&
           !pp_text_is((pp_text){cell, size}, pp_match_mode_name((pp_match_mode)mode)))
        mode++;
    if (mode == PP_MATCH_MODE_COUNT)
        fail_msg("no mode '%s'", cell);
    rule.mode = (pp_match_mode)mode;
    if (comma != NULL && strcmp(comma, ", ignore_case") == 0)
        rule.ignore_case = true;
    else if (comma != NULL && strncmp(comma, ", absolute ", 11) == 0)
        rule.absolute_tolerance = strtod(comma + 11, NULL);
    else if (comma != NULL && strncmp(comma, ", relative ", 11) == 0)
        rule.relative_tolerance = strtod(comma + 11, NULL);
    else if (comma != NULL)
        fail_msg("no option '%s'", cell);
    return rule;
}

static void check_row(const page_row *row, size_t modes[PP_MATCH_MODE_COUNT])
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_match_rule rule = rule_of(row->rule);
    pp_suite_case c = {.rules = &rule, .rule_count = 1};
    pp_text accepted = text_of(&arena, row->accepted);
    pp_match match;

    rule.accepted = &accepted;
    rule.accepted_count = 1;
    assert_ok(pp_match_answer(&arena, &c, text_of(&arena, row->answer), &match, &err), err);
    if (match.matched != (strcmp(row->counts, "yes") == 0))
        fail_msg("%s, %s, %s: the page says %s", row->rule, row->accepted, row->answer,
                 row->counts);
    modes[rule.mode]++;
    pp_arena_done(&arena);
}

static void the_page_says_what_the_code_does(void **state)
{
    const char *source = getenv("PARETOPILOT_SOURCE");
    size_t modes[PP_MATCH_MODE_COUNT] = {0};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_buf page;

    (void)state;
    assert_non_null(source);
    pp_buf_init(&page, (size_t)1 << 20);
    assert_ok(pp_file_read(pp_arena_printf(&arena, "%s/docs/method/quality-matching.md", source),
                           &page, &err),
              err);
    for (char *line = strtok(page.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        page_row row;

        if (read_row(line, &row))
            check_row(&row, modes);
        else if (strncmp(line, "| ", 2) == 0 && strncmp(line, "| rule |", 8) != 0 &&
                 strncmp(line, "| --- |", 7) != 0)
            fail_msg("not a row: %s", line);
    }
    for (int mode = 0; mode < PP_MATCH_MODE_COUNT; mode++)
        assert_true(modes[mode] >= 5);
    pp_buf_done(&page);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_says_what_the_code_does)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
