/* Every recorded passport of the original, made by us: masked documents byte for byte, grade and
 * issues by their paths, refusals as refusals. */
#include <string.h>

#include "decide/passport.h"
#include "decision_case.h"
#include "mask.h"
#include "shared.h"

static pp_json *make(decision_case *c)
{
    const char *benchmarks, *constraints;
    pp_json *passport;

    case_fingerprints(c, &benchmarks, &constraints);
    assert_ok(pp_passport_make(c->arena, &c->decision, "0",
                               (pp_fingerprints){benchmarks, constraints, NULL}, &passport,
                               &c->err),
              c->err);
    return passport;
}

static void check_issues(const decision_case *c, const pp_json *passport)
{
    const pp_json *want = pp_json_find(pp_json_find(c->row, "codes"), "issues");
    const pp_json *got = pp_passport_issues(passport);

    if (got->array.count != want->array.count)
        fail_msg("%s: %zu issues, want %zu", c->id, got->array.count, want->array.count);
    for (size_t i = 0; i < got->array.count; i++) {
        pp_json *const *code = want->array.items[i]->array.items;
        const char *text = got->array.items[i]->text.data;
        const char *state = pp_text_is(code[1]->text, "missing-or-invalid") ? "missing or invalid"
                            : pp_text_is(code[1]->text, "not-recognized")   ? "not a recognized"
                                                                            : "synthetic";

        if (strstr(text, state) == NULL ||
            (code[0]->kind == PP_JSON_STRING && strstr(text, code[0]->text.data) == NULL))
            fail_msg("%s: issue %zu is '%s'", c->id, i, text);
    }
}

static void check_document(decision_case *c)
{
    const pp_json *passport = make(c);
    const pp_json *grade = pp_json_find(pp_json_find(c->row, "codes"), "grade");
    const char *got = canonical_sha256(c->arena, mask_passport(c->arena, passport, true));

    if (!pp_text_is(pp_json_find(c->expected, "masked_sha256")->text, got))
        fail_msg("%s: the masked passport differs", c->id);
    got = canonical_sha256(c->arena, mask_passport(c->arena, passport, false));
    if (!pp_text_is(pp_json_find(c->expected, "masked_sha256_without_fingerprints")->text, got))
        fail_msg("%s: differs without fingerprints", c->id);
    if (!pp_text_is(grade->text, pp_passport_grade_text(passport)))
        fail_msg("%s: grade %s", c->id, pp_passport_grade_text(passport));
    check_issues(c, passport);
}

static void check_improved(decision_case *c)
{
    (void)canonical_sha256(c->arena, make(c));
}

static void passports_equal_the_recorded_ones(void **state)
{
    (void)state;
    replay_decision_cases(&(case_replay){"passport", check_document, check_improved});
}

/* ---- published digests ----------------------------------------------------------------------- */

static void check_files(pp_arena *arena, const char *benchmarks, const char *constraints,
                        size_t want_size, const char *want_sha256)
{
    pp_benchmark_set set;
    pp_constraints c;
    pp_decision decision;
    char hex[PP_SHA256_HEX_SIZE];
    pp_json *passport;
    pp_error err = {0};

    assert_ok(pp_benchmark_set_load(arena, benchmarks, &set, hex, &err), err);
    assert_ok(pp_constraints_load(arena, constraints, &c, hex, &err), err);
    assert_ok(pp_decide(arena, &set, &c, &decision, &err), err);
    assert_ok(pp_passport_make(arena, &decision, "0", (pp_fingerprints){0}, &passport, &err), err);
    passport = mask_passport(arena, passport, false);
    assert_int_equal(canonical_size(passport), want_size);
    assert_string_equal(canonical_sha256(arena, passport), want_sha256);
}

static void the_worked_example_has_its_published_digest(void **state)
{
    pp_arena arena = {0};

    (void)state;
    check_files(&arena, fixture_path(&arena, "decision/e1-benchmarks.json"),
                fixture_path(&arena, "decision/e1-constraints.json"), 12166,
                "ba92847a7ad8f0d279f4742a942d399c0227c124d739f3d8ff052f7afc4c7711");
    pp_arena_done(&arena);
}

static void the_public_example_has_its_published_digest(void **state)
{
    pp_arena arena = {0};
    const char *benchmarks =
        shared_path_or_skip(&arena, "original/examples/synthetic-results.json");
    const char *constraints =
        shared_path_or_skip(&arena, "original/configs/constraints.example.json");

    (void)state;
    check_files(&arena, benchmarks, constraints, 9724,
                "61d73dde4c52fc04160d4302ff365b59be662b3a2d5721ecfd191914f14e63dd");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passports_equal_the_recorded_ones),
        cmocka_unit_test(the_worked_example_has_its_published_digest),
        cmocka_unit_test(the_public_example_has_its_published_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
