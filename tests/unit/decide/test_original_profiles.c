/* Every recorded `profiles` run of the original, replayed: masked documents byte for byte, refusals
 * as refusals of the same kind and of the same input. */
#include <string.h>

#include "decide/profiles.h"
#include "mask.h"
#include "original_cases.h"
#include "shared.h"

typedef struct tally {
    size_t equal, refused, declared;
} tally;

typedef struct replay {
    pp_arena *arena;
    const char *id;
    const pp_json *row;
    const pp_json *expected; /* of `profiles` */
    const char *reading;     /* the input at hand; "" while deciding */
    pp_text benchmarks, constraints, policies;
    pp_benchmark_set set;
    pp_constraints limits;
    pp_policy_set policy_set;
    pp_profiles profiles;
    pp_error err;
} replay;

/* What we do otherwise, and why. `want` is our outcome. */
static const struct {
    const char *class, *reason;
    pp_status want;
    const char *why;
} declared[] = {
    {"OUTPUT", "non-finite", PP_OK,
     "a difference or percent that no number can hold is null instead of a failed output"},
    {"JSON", "top-level", PP_ERR_SCHEMA,
     "a list on top is good JSON and the wrong document, and both exit 2"},
};

/* ---- one run ------------------------------------------------------------------------------- */

static pp_status read_inputs(replay *r)
{
    const pp_json *root;
    pp_status st;

    r->reading = "benchmarks";
    st = original_case_parse(r->arena, r->row, r->reading, &r->benchmarks, &root, &r->err);
    if (st == PP_OK)
        st = pp_benchmark_set_decode(r->arena, root, &r->set, &r->err);
    if (st != PP_OK)
        return st;
    r->reading = "constraints";
    st = original_case_parse(r->arena, r->row, r->reading, &r->constraints, &root, &r->err);
    if (st == PP_OK)
        st = pp_constraints_decode(r->arena, root, &r->limits, &r->err);
    if (st != PP_OK)
        return st;
    r->reading = "policies";
    st = original_case_parse(r->arena, r->row, r->reading, &r->policies, &root, &r->err);
    if (st == PP_OK)
        st = pp_policy_set_decode(r->arena, root, &r->policy_set, &r->err);
    return st;
}

static pp_status run(replay *r)
{
    pp_status st = read_inputs(r);

    if (st != PP_OK)
        return st;
    r->reading = "";
    st = pp_profiles_decide(r->arena, &r->set, &r->limits, &r->policy_set, &r->profiles, &r->err);
    if (st == PP_OK && pp_profiles_without_winner(&r->profiles) != NULL)
        st = pp_fail(&r->err, PP_ERR_NO_WINNER, "nothing eligible");
    return st;
}

/* ---- accepted ------------------------------------------------------------------------------ */

static const char *digest(replay *r, pp_text bytes)
{
    char hex[PP_SHA256_HEX_SIZE];

    assert_ok(pp_sha256_of(bytes.data, bytes.size, hex, &r->err), r->err);
    return pp_arena_dup(r->arena, hex, strlen(hex));
}

static pp_json *document_of(replay *r)
{
    return pp_profiles_to_json(r->arena, &r->profiles, "0",
                               (pp_fingerprints){digest(r, r->benchmarks),
                                                 digest(r, r->constraints),
                                                 digest(r, r->policies)});
}

static void check_masked(replay *r, const pp_json *masked, const char *key)
{
    const char *got = canonical_sha256(r->arena, masked);

    if (!pp_text_is(pp_json_find(r->expected, key)->text, got))
        fail_msg("%s: %s differs", r->id, key);
}

static void check_document(replay *r)
{
    const pp_json *document = document_of(r);
    const pp_json *text = pp_json_find(r->expected, "masked");
    const pp_json *masked = mask_profiles(r->arena, document, true);
    pp_buf bytes;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(masked, PP_JSON_FILE, &bytes, &r->err), r->err);
    if (!pp_text_equal(text->text, (pp_text){bytes.data, bytes.size}))
        fail_msg("%s: the masked profiles differ", r->id);
    pp_buf_done(&bytes);
    check_masked(r, masked, "masked_sha256");
    check_masked(r, mask_profiles(r->arena, document, false), "masked_sha256_without_fingerprints");
}

/* ---- refused ------------------------------------------------------------------------------- */

static pp_status status_of(pp_text class, pp_text reason)
{
    if (pp_text_is(class, "JSON"))
        return PP_ERR_SYNTAX;
    if (pp_text_is(class, "SCHEMA"))
        return PP_ERR_SCHEMA;
    return pp_text_is(reason, "nothing-eligible") ? PP_ERR_NO_WINNER : PP_ERR_DOMAIN;
}

static const pp_status *declared_outcome(pp_text class, pp_text reason)
{
    for (size_t i = 0; i < PP_COUNT_OF(declared); i++) {
        if (pp_text_is(class, declared[i].class) && pp_text_is(reason, declared[i].reason))
            return &declared[i].want;
    }
    return NULL;
}

static void check_refusal(replay *r, pp_status st, tally *t)
{
    const pp_json *error = pp_json_find(r->expected, "error");
    const pp_json *input = pp_json_find(error, "document");
    pp_text class = pp_json_find(error, "class")->text;
    pp_text reason = pp_json_find(error, "reason")->text;
    const pp_status *other = declared_outcome(class, reason);
    pp_status want = other != NULL ? *other : status_of(class, reason);

    if (st != want)
        fail_msg("%s: %s/%s ended as %s: %s", r->id, class.data, reason.data, pp_status_name(st),
                 r->err.text);
    if (st != PP_OK && r->err.text[0] == '\0')
        fail_msg("%s: refused without a word", r->id);
    if (!pp_text_is(input != NULL ? input->text : (pp_text){"", 0}, r->reading))
        fail_msg("%s: %s/%s refused while reading '%s'", r->id, class.data, reason.data,
                 r->reading);
    if (st == PP_OK)
        (void)canonical_sha256(r->arena, document_of(r)); /* it can be written */
    if (other != NULL)
        t->declared++;
    else
        t->refused++;
}

static void replay_row(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    tally *t = context;
    replay r = {.arena = arena, .id = id, .row = row, .reading = ""};
    pp_status st;

    r.expected = pp_json_find(pp_json_find(row, "expected"), "profiles");
    if (r.expected == NULL)
        return;
    st = run(&r);
    if (pp_json_find(r.expected, "error") != NULL) {
        check_refusal(&r, st, t);
        return;
    }
    if (st != PP_OK)
        fail_msg("%s: refused: %s", id, r.err.text);
    check_document(&r);
    t->equal++;
}

static void profiles_equal_the_recorded_ones(void **state)
{
    tally t = {0};

    (void)state;
    (void)original_cases_each("decision.jsonl.gz", replay_row, &t);
    for (size_t i = 0; i < PP_COUNT_OF(declared); i++)
        print_message("# declared: %s/%s: %s\n", declared[i].class, declared[i].reason,
                      declared[i].why);
    print_message("# equal %zu, refused alike %zu, otherwise as declared %zu\n", t.equal, t.refused,
                  t.declared);
    assert_int_equal(t.equal, 152);
    assert_int_equal(t.refused, 144);
    assert_int_equal(t.declared, 4);
}

/* ---- the worked example -------------------------------------------------------------------- */

static void the_worked_example_has_its_published_digest(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    char hex[PP_SHA256_HEX_SIZE];
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_policy_set policies;
    pp_profiles profiles;
    const char *folder = fixture_path(&arena, "decision");

    (void)state;
    assert_ok(pp_benchmark_set_load(&arena,
                                    pp_arena_printf(&arena, "%s/e1-benchmarks.json", folder), &set,
                                    hex, &err),
              err);
    assert_ok(pp_constraints_load(&arena, pp_arena_printf(&arena, "%s/e1-constraints.json", folder),
                                  &constraints, hex, &err),
              err);
    assert_ok(pp_policy_set_load(&arena, pp_arena_printf(&arena, "%s/e1-policies.json", folder),
                                 &policies, hex, &err),
              err);
    assert_ok(pp_profiles_decide(&arena, &set, &constraints, &policies, &profiles, &err), err);
    assert_string_equal(
        canonical_sha256(
            &arena,
            mask_profiles(&arena, pp_profiles_to_json(&arena, &profiles, "0", (pp_fingerprints){0}),
                          false)),
        "c99f115f114d2d73c57974622edac56a1edb67308dd4a5e6f8b2ed892e9f1e92");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_equal_the_recorded_ones),
        cmocka_unit_test(the_worked_example_has_its_published_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
