/* Receipts: what they refuse, how they write foreign texts and numbers, and what they do not say.
 */
#include <string.h>

#include "decide/passport.h"
#include "receipt_reader.h"
#include "report/markdown.h"
#include "report/receipt.h"
#include "shared.h"

static pp_json *passport_of_files(pp_arena *arena, const char *benchmarks, const char *constraints)
{
    pp_benchmark_set *set = PP_ARENA_NEW(arena, pp_benchmark_set, 1);
    pp_constraints *c = PP_ARENA_NEW(arena, pp_constraints, 1);
    pp_decision *decision = PP_ARENA_NEW(arena, pp_decision, 1);
    char hex[PP_SHA256_HEX_SIZE];
    pp_json *passport;
    pp_error err = {0};

    assert_ok(pp_benchmark_set_load(arena, benchmarks, set, hex, &err), err);
    assert_ok(pp_constraints_load(arena, constraints, c, hex, &err), err);
    assert_ok(pp_decide(arena, set, c, decision, &err), err);
    assert_ok(pp_passport_make(arena, decision, "1.2.3", (pp_fingerprints){0}, &passport, &err),
              err);
    return passport;
}

static pp_json *worked_example(pp_arena *arena)
{
    return passport_of_files(arena, fixture_path(arena, "decision/e1-benchmarks.json"),
                             fixture_path(arena, "decision/e1-constraints.json"));
}

static const char *receipt_of(pp_arena *arena, const pp_json *passport)
{
    const char *copy;
    pp_error err = {0};
    pp_buf out;

    pp_buf_init(&out, PP_RECEIPT_MAX_BYTES);
    assert_ok(pp_receipt_write(passport, &out, &err), err);
    copy = pp_arena_dup(arena, out.data, out.size);
    pp_buf_done(&out);
    return copy;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void a_passport_that_contradicts_itself_gets_no_receipt(void **state)
{
    pp_arena arena = {0};
    pp_json *passport = worked_example(&arena);
    pp_error err = {0};
    pp_buf out;

    (void)state;
    pp_json_find(pp_json_find(passport, "objective"), "tolerance_margin")->real = 3.0;
    pp_buf_init(&out, PP_RECEIPT_MAX_BYTES);
    pp_buf_append_text(&out, "before");
    assert_int_equal(pp_receipt_write(passport, &out, &err), PP_ERR_SCHEMA);
    assert_contains(err.text, "checking the passport: $.objective.tolerance_margin");
    assert_string_equal(pp_buf_text(&out), "before");
    pp_buf_done(&out);
    pp_arena_done(&arena);
}

static void another_document_gets_no_receipt(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_buf out;

    (void)state;
    pp_buf_init(&out, PP_RECEIPT_MAX_BYTES);
    assert_int_equal(pp_receipt_write(pp_json_new_object(&arena), &out, &err), PP_ERR_SCHEMA);
    assert_int_equal(pp_receipt_write(pp_json_new_array(&arena), &out, &err), PP_ERR_SCHEMA);
    assert_int_equal(out.size, 0);
    pp_buf_done(&out);
    pp_arena_done(&arena);
}

static void a_full_buffer_is_a_failure(void **state)
{
    pp_arena arena = {0};
    pp_json *passport = worked_example(&arena);
    pp_error err = {0};
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 1000);
    assert_int_equal(pp_receipt_write(passport, &out, &err), PP_ERR_LIMIT);
    pp_buf_done(&out);
    pp_arena_done(&arena);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void the_baseline_that_is_rejected_is_called_so(void **state)
{
    pp_arena arena = {0};
    const char *benchmarks =
        shared_path_or_skip(&arena, "original/examples/synthetic-results.json");
    const char *constraints =
        shared_path_or_skip(&arena, "original/configs/constraints.example.json");
    const char *text = receipt_of(&arena, passport_of_files(&arena, benchmarks, constraints));
    receipt_page page = receipt_read(&arena, text, strlen(text));
    size_t at = receipt_find(&page, 0, "## Decision");

    (void)state;
    assert_string_equal(receipt_item(&page, at, "baseline inside every limit"), "no");
    assert_string_equal(receipt_item(&page, at, "baseline retained"), "no");
    assert_string_equal(receipt_item(&page, at, "best objective result"), "yes");
    at = receipt_find(&page, 0, "## Cutoff");
    assert_string_equal(receipt_item(&page, at, "selected value"), "35.4");
    assert_string_equal(receipt_item(&page, at, "its shortfall"), "0.2");
    assert_string_equal(receipt_item(&page, at, "its shortfall, share of the boundary"), "0.56%");
    assert_contains(text, "it is no evidence for one");
    assert_contains(text, "Not applicable: the figures are not measured.");
    pp_arena_done(&arena);
}

/* The example has a fifth stage; without it and its distance, the four known ones are left. */
static void four_known_stages_have_a_heading_of_their_own(void **state)
{
    pp_arena arena = {0};
    pp_json *passport = worked_example(&arena);
    pp_json *ladder = pp_json_find(passport, "ladder");
    pp_json *outside = pp_json_find(passport, "closest_outside_shortlist");
    pp_json *tuned = ladder->array.items[3];
    pp_json *shortfall = pp_json_find(outside, "shortfall_to_shortlist");

    (void)state;
    assert_contains(receipt_of(&arena, passport), "## Configurations in comparison\n");
    ladder->array.count = 4;
    pp_json_find(outside, "candidate_id")->text = pp_json_find(tuned, "candidate_id")->text;
    pp_json_find(outside, "label")->text = pp_json_find(tuned, "label")->text;
    pp_json_find(outside, "stage")->integer = 4;
    pp_json_find(outside, "objective_value")->real = 104.0;
    pp_json_find(shortfall, "absolute")->real = 2.0;
    pp_json_find(shortfall, "percent_of_boundary")->real = 200.0 / 102.0;
    assert_contains(receipt_of(&arena, passport), "## From the reference to runtime tuning\n");
    pp_arena_done(&arena);
}

static void variants_of_one_stage_are_not_called_a_step(void **state)
{
    pp_arena arena = {0};
    pp_json *passport = worked_example(&arena);
    pp_json *ladder = pp_json_find(passport, "ladder");

    (void)state;
    assert_null(strstr(receipt_of(&arena, passport), "two variants of one stage"));
    pp_json_find(ladder->array.items[2], "attribution_stage")->text = pp_text_of("quantization");
    assert_contains(receipt_of(&arena, passport), "two variants of one stage");
    pp_arena_done(&arena);
}

static void a_passport_without_digests_says_that_they_are_not_recorded(void **state)
{
    pp_arena arena = {0};
    const char *text = receipt_of(&arena, worked_example(&arena));
    receipt_page page = receipt_read(&arena, text, strlen(text));
    size_t at = receipt_find(&page, 0, "## Source and verification");

    (void)state;
    assert_string_equal(receipt_item(&page, at, "benchmark set SHA-256"), "not recorded");
    assert_string_equal(receipt_item(&page, at, "written by version"), "1\\.2\\.3");
    pp_arena_done(&arena);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *want;
} texts[] = {
    {"plain", "plain"},
    {" two \n\t lines\xc2\xa0", "two lines"},
    {"\\`*_[]{}()#+-.!|~", "\\\\\\`\\*\\_\\[\\]\\{\\}\\(\\)\\#\\+\\-\\.\\!\\|\\~"},
    {"<a href=\"x\">&amp;</a>", "&lt;a href=\"x\"&gt;&amp;amp;&lt;/a&gt;"},
    {"\x1b[31m\x7f", "\\\\u001b\\[31m\\\\u007f"},
    {"a\xe2\x80\xae"
     "b",
     "a\\\\u202eb"},
    {" ", "(blank)"},
    {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
};

static void foreign_texts_stay_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++) {
        pp_arena arena = {0};
        pp_buf out;

        pp_buf_init(&out, 1000);
        pp_markdown_text(&arena, &out, pp_text_of(texts[i].text));
        assert_string_equal(pp_buf_text(&out), texts[i].want);
        pp_buf_done(&out);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passport_that_contradicts_itself_gets_no_receipt),
        cmocka_unit_test(another_document_gets_no_receipt),
        cmocka_unit_test(a_full_buffer_is_a_failure),
        cmocka_unit_test(the_baseline_that_is_rejected_is_called_so),
        cmocka_unit_test(four_known_stages_have_a_heading_of_their_own),
        cmocka_unit_test(variants_of_one_stage_are_not_called_a_step),
        cmocka_unit_test(a_passport_without_digests_says_that_they_are_not_recorded),
        cmocka_unit_test(foreign_texts_stay_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
