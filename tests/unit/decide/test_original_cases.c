/* Every recorded decision of the original, replayed: masked documents byte for byte, violation
 * texts by their numbers, refusals as refusals. */
#include "decide/recommendation.h"
#include "decision_case.h"
#include "mask.h"
#include "shared.h"

static void check_violations(const decision_case *r)
{
    const pp_json *codes = pp_json_find(pp_json_find(r->row, "codes"), "violations");

    for (size_t i = 0; codes != NULL && i < codes->object.count; i++) {
        const pp_json_member *member = &codes->object.members[i];
        size_t candidate = pp_benchmark_set_find(&r->set, member->key);
        const pp_violations *got = &r->decision.verdicts[candidate].violations;

        if (got->count != member->value->array.count)
            fail_msg("%s: %zu violations", r->id, got->count);
        for (size_t j = 0; j < got->count; j++) {
            pp_json *const *want = member->value->array.items[j]->array.items;
            const pp_violation *v = &got->items[j];

            if (want[0]->text.data[1] - '1' != (int)v->kind ||
                !pp_text_equal(want[1]->text, v->metric))
                fail_msg("%s: violation %zu is '%s'", r->id, j, v->text.data);
            if (v->kind != PP_VIOLATION_MISSING_METRIC) {
                assert_contains(v->text.data, want[2]->text.data);
                assert_contains(v->text.data, want[3]->text.data);
            }
        }
    }
}

static void check_document(decision_case *r)
{
    const char *benchmarks_hex, *constraints_hex;
    const pp_json *reason = pp_json_find(pp_json_find(r->row, "codes"), "reason");
    const pp_json *document;
    const char *got;

    case_fingerprints(r, &benchmarks_hex, &constraints_hex);
    document = pp_recommendation_to_json(r->arena, &r->decision, "0",
                                         (pp_fingerprints){benchmarks_hex, constraints_hex, NULL});
    got = canonical_sha256(r->arena, mask_recommendation(r->arena, document, true));
    if (!pp_text_is(pp_json_find(r->expected, "masked_sha256")->text, got))
        fail_msg("%s: the masked recommendation differs", r->id);
    got = canonical_sha256(r->arena, mask_recommendation(r->arena, document, false));
    if (!pp_text_is(pp_json_find(r->expected, "masked_sha256_without_fingerprints")->text, got))
        fail_msg("%s: differs without fingerprints", r->id);
    if (reason != NULL && !pp_text_is(reason->text, pp_reason_code(r->decision.reason)))
        fail_msg("%s: reason %s", r->id, pp_reason_code(r->decision.reason));
    check_violations(r);
}

/* The original ends without an answer where near ties go in a circle; then ours is exact. */
static void check_improved(decision_case *r)
{
    pp_text class = pp_json_find(pp_json_find(r->expected, "error"), "class")->text;

    if (pp_text_is(class, "CRASH"))
        assert_int_equal(r->decision.dominance, PP_DOMINANCE_EXACT);
    (void)canonical_sha256(
        r->arena, pp_recommendation_to_json(r->arena, &r->decision, "0", (pp_fingerprints){0}));
}

static void decisions_equal_the_recorded_ones(void **state)
{
    (void)state;
    replay_decision_cases(&(case_replay){"recommend", check_document, check_improved});
}

static pp_json *masked_from_files(pp_arena *arena, const char *benchmarks, const char *constraints)
{
    pp_benchmark_set set;
    pp_constraints c;
    pp_decision decision;
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_benchmark_set_load(arena, benchmarks, &set, hex, &err), err);
    assert_ok(pp_constraints_load(arena, constraints, &c, hex, &err), err);
    assert_ok(pp_decide(arena, &set, &c, &decision, &err), err);
    return mask_recommendation(
        arena, pp_recommendation_to_json(arena, &decision, "0", (pp_fingerprints){0}), false);
}

static void the_worked_example_has_its_published_digest(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_string_equal(
        canonical_sha256(
            &arena, masked_from_files(&arena, fixture_path(&arena, "decision/e1-benchmarks.json"),
                                      fixture_path(&arena, "decision/e1-constraints.json"))),
        "addeae17396a8297bb6ad8f9e164de9819ec02af0c79e45c2da5748b77a34398");
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
    assert_string_equal(
        canonical_sha256(&arena, masked_from_files(&arena, benchmarks, constraints)),
        "49f1ce5d1c42285ce7948ed23e14d620d1b78b337660690dde3aa068a8b7038e");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_equal_the_recorded_ones),
        cmocka_unit_test(the_worked_example_has_its_published_digest),
        cmocka_unit_test(the_public_example_has_its_published_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
