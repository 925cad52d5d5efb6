/* Every recorded quality check and fingerprint of outcomes of the original. */
#include <string.h>

#include "original_cases.h"
#include "quality/quality_gate.h"
#include "shared.h"

typedef struct tally {
    size_t cases, rows, failures[PP_QUALITY_FAILURE_COUNT], unknown_retentions, fingerprints;
} tally;

#define NO_DIGEST "0000000000000000000000000000000000000000000000000000000000000000"

static pp_case_outcome *read_outcomes(pp_arena *arena, const pp_json *list)
{
    pp_case_outcome *out = PP_ARENA_NEW(arena, pp_case_outcome, list->array.count);

    for (size_t i = 0; i < list->array.count; i++) {
        pp_json *const *from = list->array.items[i]->array.items;

        out[i] = (pp_case_outcome){.case_id = from[0]->text, .matched = from[1]->boolean};
        if (from[2]->kind == PP_JSON_STRING)
            out[i].matched_answer = from[2]->text;
    }
    return out;
}

static pp_quality_source read_source(pp_arena *arena, const pp_json *from)
{
    const pp_json *outcomes = pp_json_find(from, "outcomes");

    return (pp_quality_source){
        .candidate_id = pp_json_find(from, "candidate_id")->text,
        .server_parallel = pp_json_find(from, "server_parallel")->integer,
        .suite_id = pp_text_of("s"),
        .suite_sha256 = NO_DIGEST,
        .outcomes = read_outcomes(arena, outcomes),
        .outcome_count = outcomes->array.count,
        .input_sha256 = NO_DIGEST,
        .source_content_sha256 = NO_DIGEST,
        .evaluation_sha256 = NO_DIGEST,
    };
}

/* Every member that the case holds: source and digests it does not. */
static void check_row(tally *t, pp_arena *arena, const char *id, const pp_json *want,
                      const pp_quality_check *check)
{
    const pp_json *got = pp_quality_check_to_json(arena, check);

    assert_int_equal(want->object.count, 10);
    for (size_t i = 0; i < want->object.count; i++) {
        const pp_json_member *member = &want->object.members[i];

        if (!pp_json_equal(member->value, pp_json_find_text(got, member->key)))
            fail_msg("%s: %s/p%lld: %s differs", id, check->source->candidate_id.data,
                     (long long)check->source->server_parallel, member->key.data);
    }
    for (size_t i = 0; i < check->failure_count; i++)
        t->failures[check->failures[i]]++;
    t->unknown_retentions += !check->retention_vs_reference.known;
    t->rows++;
}

static void replay_checks(tally *t, pp_arena *arena, const char *id, const pp_json *row)
{
    const pp_json *gate = pp_json_find(row, "gate");
    const pp_json *inputs = pp_json_find(row, "inputs");
    const pp_json *want = pp_json_find(row, "checks");
    pp_quality_source sources[8];
    pp_quality_check *checks;
    pp_error err = {0};

    assert_true(inputs->array.count <= PP_COUNT_OF(sources));
    assert_int_equal(inputs->array.count, want->array.count);
    for (size_t i = 0; i < inputs->array.count; i++)
        sources[i] = read_source(arena, inputs->array.items[i]);
    assert_ok(pp_quality_checks(arena,
                                &(pp_quality_gate){
                                    pp_json_find(gate, "minimum_score")->real,
                                    pp_json_find(gate, "minimum_retention_vs_reference")->real,
                                    pp_json_find(gate, "reference_candidate_id")->text,
                                },
                                sources, inputs->array.count, &checks, &err),
              err);
    for (size_t i = 0; i < want->array.count; i++)
        check_row(t, arena, id, want->array.items[i], &checks[i]);
    t->cases++;
}

static void replay_fingerprint(tally *t, pp_arena *arena, const pp_json *row)
{
    const pp_json *list = pp_json_find(row, "outcomes");
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_outcomes_sha256(read_outcomes(arena, list), list->array.count, hex, &err), err);
    assert_string_equal(hex, pp_json_find(row, "sha256")->text.data);
    t->fingerprints++;
}

static void replay_case(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    pp_text kind = pp_json_find(row, "kind")->text;

    if (pp_text_is(kind, "quality"))
        replay_checks(context, arena, id, row);
    else if (pp_text_is(kind, "outcomes-hash"))
        replay_fingerprint(context, arena, row);
}

static void every_recorded_check_has_its_row(void **state)
{
    tally t = {0};

    (void)state;
    assert_int_equal(original_cases_each("capacity.jsonl", replay_case, &t), 279);
    print_message("# %zu cases, %zu rows: score %zu, retention %zu, changed %zu, unknown %zu\n",
                  t.cases, t.rows, t.failures[0], t.failures[1], t.failures[2],
                  t.unknown_retentions);
    assert_int_equal(t.cases, 30);
    assert_int_equal(t.rows, 180);
    assert_int_equal(t.fingerprints, 1);
    for (size_t i = 0; i < PP_QUALITY_FAILURE_COUNT; i++)
        assert_true(t.failures[i] > 10); /* so every rule was seen to fail */
    assert_true(t.unknown_retentions > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_check_has_its_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
