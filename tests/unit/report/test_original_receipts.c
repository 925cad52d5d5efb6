/* Every recorded receipt of the original against ours: each number is read back from the Markdown
 * and must be printed alike. */
#include <stdio.h>
#include <string.h>

#include "decide/passport.h"
#include "decision_case.h"
#include "receipt_reader.h"
#include "report/receipt.h"
#include "shared.h"

#define ABSENT "not measured"

/* The original passes control characters through; ours shows them as \u001b, behind `prefix` more
 * backslashes where the text is escaped. */
static const char *with_controls_shown(pp_arena *arena, const char *text, const char *prefix)
{
    const char *out = "";
    size_t size = strlen(text);
    size_t step;

    for (size_t at = 0; at < size; at += step) {
        long code = pp_utf8_next(text + at, size - at, &step);
        bool hidden = code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x200e ||
                      code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                      (code >= 0x2066 && code <= 0x2069);

        out = hidden ? pp_arena_printf(arena, "%s%s\\u%04lx", out, prefix, (unsigned long)code)
                     : pp_arena_printf(arena, "%s%.*s", out, (int)step, text + at);
    }
    return out;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void check_text(const decision_case *c, const char *what, const char *got, const char *want)
{
    if (got == NULL || strcmp(got, want) != 0)
        fail_msg("%s: %s: got '%s', want '%s'", c->id, what, got == NULL ? "nothing" : got, want);
}

/* A number as printed, or null. */
static void check_number(const decision_case *c, const char *what, const char *got,
                         const pp_json *want)
{
    check_text(c, what, got, want->kind == PP_JSON_NULL ? ABSENT : want->text.data);
}

/* "Label (id)"; null where it holds a NUL, which a case cannot. */
static void check_candidate(const decision_case *c, const char *got, const pp_json *want)
{
    if (want->kind == PP_JSON_STRING)
        check_text(c, "candidate", got, with_controls_shown(c->arena, want->text.data, "\\"));
}

static void check_cutoff(const decision_case *c, const receipt_page *page, const pp_json *want)
{
    static const struct {
        const char *key, *name;
    } rows[] = {
        {"best", "best value"},
        {"tolerance", "tolerance"},
        {"margin", "margin"},
        {"boundary", "boundary"},
        {"selected", "selected value"},
        {"runway", "room to the boundary"},
        {"runway_percent", "room, share of the boundary"},
    };
    static const char *const closest[] = {"its value", "its shortfall",
                                          "its shortfall, share of the boundary"};
    size_t at = receipt_find(page, 0, "## Cutoff");
    const pp_json *list = pp_json_find(want, "closest");

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        check_number(c, rows[i].name, receipt_item(page, at, rows[i].name),
                     pp_json_find(want, rows[i].key));
    for (size_t i = 0; i < PP_COUNT_OF(closest); i++) {
        if (list->kind == PP_JSON_ARRAY)
            check_number(c, closest[i], receipt_item(page, at, closest[i]), list->array.items[i]);
        else
            assert_null(receipt_item(page, at, closest[i]));
    }
}

static void check_changes(const decision_case *c, const receipt_page *page, size_t at,
                          const pp_json *want)
{
    size_t count = want->kind == PP_JSON_ARRAY ? want->array.count : 0;

    assert_int_equal(receipt_change(page, at, count), page->count);
    for (size_t i = 0; i < count; i++) {
        size_t line = receipt_change(page, at, i);
        pp_json *const *cells = want->array.items[i]->array.items;

        if (line == page->count)
            fail_msg("%s: change %zu is missing", c->id, i);
        check_text(c, "metric", receipt_plain(c->arena, page->lines[line].cells[0]),
                   with_controls_shown(c->arena, cells[0]->text.data, ""));
        check_text(c, "direction", page->lines[line].cells[1],
                   cells[1]->kind == PP_JSON_NULL ? "not recorded" : cells[1]->text.data);
        for (size_t j = 2; j < 7; j++)
            check_number(c, "change", page->lines[line].cells[j], cells[j]);
    }
}

static void check_not_comparable(const decision_case *c, const receipt_page *page, size_t at,
                                 const pp_json *want)
{
    static const char intro[] = "Only one of the two has: ";
    const char *names = "";
    const char *got = "";

    for (size_t i = 0; want->kind == PP_JSON_ARRAY && i < want->array.count; i++)
        names =
            pp_arena_printf(c->arena, "%s%s%s", names, i == 0 ? "" : ", ",
                            with_controls_shown(c->arena, want->array.items[i]->text.data, "\\"));
    for (at++; at < page->count && page->lines[at].text[0] != '#'; at++) {
        if (strncmp(page->lines[at].text, intro, strlen(intro)) == 0)
            got = page->lines[at].text + strlen(intro);
    }
    check_text(c, "not comparable", got, names);
}

static void check_status(const decision_case *c, const char *got, const pp_json *want)
{
    const char *text = "";

    for (size_t i = 0; i < want->array.count; i++)
        text = pp_arena_printf(c->arena, "%s%s%s", text, i == 0 ? "" : ", ",
                               want->array.items[i]->text.data);
    check_text(c, "status", got, text);
}

static void check_stages(const decision_case *c, const receipt_page *page, const pp_json *stages)
{
    size_t at = 0;

    for (size_t i = 0; i < stages->array.count; i++) {
        const pp_json *want = stages->array.items[i];
        const pp_json *tag = pp_json_find(want, "tag");

        at = receipt_find(page, at, pp_arena_printf(c->arena, "### Stage %zu", i + 1));
        check_candidate(c, receipt_item(page, at, "candidate"), pp_json_find(want, "candidate"));
        check_text(c, "stage tag", receipt_item(page, at, "stage tag"),
                   tag->kind == PP_JSON_NULL ? "not recorded" : tag->text.data);
        check_number(c, "objective", receipt_item(page, at, "objective"),
                     pp_json_find(want, "objective"));
        check_status(c, receipt_item(page, at, "status"), pp_json_find(want, "status"));
        check_changes(c, page, at, pp_json_find(want, "changes"));
        check_not_comparable(c, page, at, pp_json_find(want, "not_comparable"));
    }
}

static void check_alternative(const decision_case *c, const receipt_page *page, const pp_json *want)
{
    size_t at = receipt_find(page, 0, "## Alternative with fewer resources");

    if (want->kind == PP_JSON_NULL) {
        assert_null(receipt_item(page, at, "candidate"));
        return;
    }
    check_candidate(c, receipt_item(page, at, "candidate"), pp_json_find(want, "candidate"));
    check_changes(c, page, at, pp_json_find(want, "changes"));
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Through bytes, as a receipt of a file would be made. */
static const pp_json *reread(decision_case *c, const pp_json *passport)
{
    const pp_json *again;
    pp_buf text;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(passport, PP_JSON_FILE, &text, &c->err), c->err);
    assert_ok(pp_json_parse(c->arena, "passport", text.data, text.size, &again, &c->err), c->err);
    pp_buf_done(&text);
    return again;
}

static receipt_page make(decision_case *c)
{
    const char *benchmarks, *constraints;
    receipt_page page;
    pp_json *passport;
    pp_buf first, second;

    case_fingerprints(c, &benchmarks, &constraints);
    assert_ok(pp_passport_make(c->arena, &c->decision, "0",
                               (pp_fingerprints){benchmarks, constraints, NULL}, &passport,
                               &c->err),
              c->err);
    pp_buf_init(&first, PP_RECEIPT_MAX_BYTES);
    pp_buf_init(&second, PP_RECEIPT_MAX_BYTES);
    if (pp_receipt_write(passport, &first, &c->err) != PP_OK)
        fail_msg("%s: %s", c->id, c->err.text);
    assert_ok(pp_receipt_write(reread(c, passport), &second, &c->err), c->err);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    page = receipt_read(c->arena, first.data, first.size);
    pp_buf_done(&first);
    pp_buf_done(&second);
    return page;
}

static void check_receipt(decision_case *c)
{
    const pp_json *numbers = pp_json_find(c->expected, "numbers");
    receipt_page page = make(c);

    check_cutoff(c, &page, pp_json_find(numbers, "cutoff"));
    check_stages(c, &page, pp_json_find(numbers, "stages"));
    check_alternative(c, &page, pp_json_find(numbers, "alternative"));
}

static void check_improved(decision_case *c)
{
    (void)make(c);
}

static void receipts_show_the_recorded_numbers(void **state)
{
    (void)state;
    replay_decision_cases(&(case_replay){"receipt", check_receipt, check_improved});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receipts_show_the_recorded_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
