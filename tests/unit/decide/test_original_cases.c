/* Every recorded decision of the original, replayed: masked documents byte for byte, violation
 * texts by their numbers, refusals as refusals. */
#include <string.h>

#include "decide/recommendation.h"
#include "mask.h"
#include "original_cases.h"
#include "shared.h"

typedef struct tally {
    size_t equal, refused, improved, declared, unreadable;
} tally;

typedef struct replay {
    pp_arena *arena;
    const char *id;
    const pp_json *row;
    const pp_json *expected; /* of `recommend` */
    pp_decision decision;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_error err;
} replay;

static pp_status decide_case(replay *r, pp_text benchmarks, pp_text constraints)
{
    const pp_json *root;
    pp_status st =
        pp_json_parse(r->arena, "benchmarks", benchmarks.data, benchmarks.size, &root, &r->err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(r->arena, root, &r->set, &r->err);
    if (st == PP_OK)
        st = pp_json_parse(r->arena, "constraints", constraints.data, constraints.size, &root,
                           &r->err);
    if (st == PP_OK)
        st = pp_constraints_decode(r->arena, root, &r->constraints, &r->err);
    if (st == PP_OK)
        st = pp_decide(r->arena, &r->set, &r->constraints, &r->decision, &r->err);
    if (st == PP_OK && !r->decision.has_winner)
        st = pp_fail(&r->err, PP_ERR_NO_WINNER, "nothing eligible");
    return st;
}

static void check_violations(const replay *r)
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

static void check_document(replay *r, pp_text benchmarks, pp_text constraints)
{
    char benchmarks_hex[PP_SHA256_HEX_SIZE];
    char constraints_hex[PP_SHA256_HEX_SIZE];
    const pp_json *reason = pp_json_find(pp_json_find(r->row, "codes"), "reason");
    const pp_json *document;
    const char *got;

    assert_ok(pp_sha256_of(benchmarks.data, benchmarks.size, benchmarks_hex, &r->err), r->err);
    assert_ok(pp_sha256_of(constraints.data, constraints.size, constraints_hex, &r->err), r->err);
    document = pp_recommendation_to_json(r->arena, &r->decision, "0",
                                         (pp_fingerprints){benchmarks_hex, constraints_hex});
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

/* What the original refuses and ours decides, as docs/method/decision.md declares. */
static bool may_decide(const replay *r)
{
    const pp_json *error = pp_json_find(r->expected, "error");
    pp_text class = pp_json_find(error, "class")->text;
    pp_text reason = pp_json_find(error, "reason")->text;

    if (pp_text_is(class, "CRASH"))
        return r->decision.dominance == PP_DOMINANCE_EXACT;
    return pp_text_is(class, "OUTPUT") && pp_text_is(reason, "non-finite");
}

static pp_status status_of_class(pp_text class, pp_text reason)
{
    if (pp_text_is(class, "JSON"))
        return PP_ERR_SYNTAX;
    if (pp_text_is(class, "DOMAIN"))
        return pp_text_is(reason, "nothing-eligible") ? PP_ERR_NO_WINNER : PP_ERR_DOMAIN;
    return PP_ERR_SCHEMA;
}

static void check_refusal(const replay *r, pp_status st)
{
    const pp_json *error = pp_json_find(r->expected, "error");
    pp_text class = pp_json_find(error, "class")->text;
    pp_text reason = pp_json_find(error, "reason")->text;
    pp_status want = status_of_class(class, reason);

    if (r->err.text[0] == '\0')
        fail_msg("%s: refused without a word", r->id);
    if (st == want)
        return;
    /* read more strictly: docs/formats/json.md; a list on top is a wrong document, not wrong JSON
     */
    if (pp_text_is(reason, "integer-out-of-range") || pp_text_is(reason, "lone-surrogate") ||
        pp_text_is(reason, "too-deep") || pp_text_is(reason, "top-level"))
        return;
    fail_msg("%s: %s/%s refused as %s: %s", r->id, class.data, reason.data, pp_status_name(st),
             r->err.text);
}

static bool is_declared_refusal(const replay *r)
{
    return strstr(r->err.text, "integer") != NULL ||
           strstr(r->err.text, "invalid Unicode") != NULL ||
           strstr(r->err.text, "nested deeper") != NULL ||
           strstr(r->err.text, "maximum parsing depth") != NULL ||
           strstr(r->err.text, "NUL byte in object key") != NULL;
}

static void replay_case(replay *r, tally *t)
{
    const pp_json *inputs = pp_json_find(r->row, "inputs");
    bool accepted = pp_json_find(r->row, "accepted")->boolean;
    pp_text benchmarks, constraints;
    pp_status st;

    if (!case_input(r->arena, pp_json_find(inputs, "benchmarks"), &benchmarks) ||
        !case_input(r->arena, pp_json_find(inputs, "constraints"), &constraints)) {
        assert_false(accepted); /* absent or a folder: test_files covers that */
        t->unreadable++;
        return;
    }
    st = decide_case(r, benchmarks, constraints);
    if (st == PP_OK && accepted) {
        check_document(r, benchmarks, constraints);
        t->equal++;
    } else if (st == PP_OK) {
        if (!may_decide(r))
            fail_msg("%s: decided, the original refuses", r->id);
        (void)canonical_sha256(r->arena, pp_recommendation_to_json(r->arena, &r->decision, "0",
                                                                   (pp_fingerprints){NULL, NULL}));
        t->improved++;
    } else if (accepted) {
        if (!is_declared_refusal(r))
            fail_msg("%s: refused: %s", r->id, r->err.text);
        t->declared++;
    } else {
        check_refusal(r, st);
        t->refused++;
    }
}

static void replay_row(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    replay r = {.arena = arena, .id = id, .row = row};

    r.expected = pp_json_find(pp_json_find(row, "expected"), "recommend");
    replay_case(&r, context);
}

static void decisions_equal_the_recorded_ones(void **state)
{
    tally t = {0};

    (void)state;
    assert_int_equal(original_cases_each("decision.jsonl.gz", replay_row, &t), 883);
    print_message("# equal %zu, refused alike %zu, decided where the original fails %zu, "
                  "refused as declared %zu, no file %zu\n",
                  t.equal, t.refused, t.improved, t.declared, t.unreadable);
    assert_int_equal(t.equal + t.refused + t.improved + t.declared + t.unreadable, 883);
    assert_true(t.equal >= 660);
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
        arena, pp_recommendation_to_json(arena, &decision, "0", (pp_fingerprints){NULL, NULL}),
        false);
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
