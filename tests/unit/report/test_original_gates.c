/* Every recorded ci-gate run of the original: gate.json byte for byte after its mask, refusals as
 * refusals, and the runs with other rules. Links report because the gate needs a receipt. */
#include "decide/gate.h"
#include "decision_case.h"
#include "mask.h"
#include "report/receipt.h"
#include "shared.h"

static const pp_gate_file masked_files[PP_GATE_FILE_COUNT] = {
    [PP_GATE_RECOMMENDATION] = {"gate/recommendation.json", ""},
    [PP_GATE_REPORT] = {"gate/report.html", ""},
    [PP_GATE_PASSPORT] = {"gate/decision-passport.json", ""},
    [PP_GATE_RECEIPT] = {"gate/optimization-receipt.md", ""},
};

static pp_gate judge(decision_case *c, const pp_gate_rules *rules)
{
    pp_gate gate = {0};
    pp_json *passport;
    pp_buf receipt;

    pp_buf_init(&receipt, PP_RECEIPT_MAX_BYTES);
    assert_ok(
        pp_passport_make(c->arena, &c->decision, "0", (pp_fingerprints){0}, &passport, &c->err),
        c->err);
    assert_ok(pp_receipt_write(passport, &receipt, &c->err), c->err);
    assert_ok(pp_gate_judge(c->arena, &c->decision, passport, rules, &gate, &c->err), c->err);
    pp_buf_done(&receipt);
    return gate;
}

/* The digest of a gate that nothing misses. */
static const char *digest_of_gate(decision_case *c)
{
    const pp_gate_rules rules = {.allow_synthetic = true};
    pp_gate gate = judge(c, &rules);

    assert_int_equal(gate.miss_count, 0);
    return canonical_sha256(c->arena, pp_gate_to_json(c->arena, &gate, masked_files));
}

static void check_gate(decision_case *c)
{
    if (!pp_text_is(pp_json_find(c->expected, "masked_sha256")->text, digest_of_gate(c)))
        fail_msg("%s: the masked gate differs", c->id);
}

static void check_improved(decision_case *c)
{
    (void)digest_of_gate(c);
}

static void gates_equal_the_recorded_ones(void **state)
{
    (void)state;
    replay_decision_cases(&(case_replay){"gate", check_gate, check_improved});
}

/* ---- runs with other rules ------------------------------------------------------------------- */

static bool has_word(const pp_json *argv, const char *word)
{
    for (size_t i = 0; i < argv->array.count; i++) {
        if (pp_text_is(argv->array.items[i]->text, word))
            return true;
    }
    return false;
}

/* The last value of an option, as the original takes it. */
static const char *word_behind(const pp_json *argv, const char *word)
{
    for (size_t i = 0; i + 1 < argv->array.count; i++) {
        if (pp_text_is(argv->array.items[i]->text, word))
            return argv->array.items[i + 1]->text.data;
    }
    return NULL;
}

/* What the original refuses with this code is a miss of this kind. */
static const struct {
    const char *reason;
    pp_gate_miss_kind kind;
} misses[] = {
    {"synthetic", PP_GATE_SYNTHETIC},
    {"provenance", PP_GATE_PROVENANCE},
    {"expectation", PP_GATE_UNEXPECTED_SELECTION},
};

static void check_miss(const decision_case *c, const pp_gate *gate, pp_text reason)
{
    for (size_t i = 0; i < PP_COUNT_OF(misses); i++) {
        if (!pp_text_is(reason, misses[i].reason))
            continue;
        assert_true(gate->miss_count >= 1);
        for (size_t j = 0; j < gate->miss_count; j++) {
            if (gate->misses[j].kind == misses[i].kind)
                return;
        }
        fail_msg("%s: no miss of kind %s", c->id, misses[i].reason);
    }
    assert_false(true); /* a reason that is none of the gate's rules */
}

/* About folders and usage, which golden cases try with the program. */
static bool is_about_rules(const pp_json *run)
{
    const pp_json *argv = pp_json_find(run, "argv");
    const pp_json *reason = pp_json_find(pp_json_find(run, "error"), "reason");

    if (argv->array.count == 0 || !pp_text_is(argv->array.items[0]->text, "ci-gate"))
        return false;
    return reason == NULL || pp_text_is(reason->text, "synthetic") ||
           pp_text_is(reason->text, "provenance") || pp_text_is(reason->text, "expectation");
}

static void check_runs(decision_case *c, void *context)
{
    const pp_json *runs = pp_json_find(c->row, "runs");
    size_t *count = context;

    for (size_t i = 0; runs != NULL && i < runs->array.count; i++) {
        const pp_json *run = runs->array.items[i];
        const pp_json *argv = pp_json_find(run, "argv");
        pp_gate_rules rules = {0};
        pp_gate gate;

        if (!is_about_rules(run))
            continue;
        rules.allow_synthetic = has_word(argv, "--allow-synthetic");
        rules.require_arm64_provenance = has_word(argv, "--require-arm64-provenance");
        rules.expected_id = word_behind(argv, "--expect-selected-id");
        gate = judge(c, &rules);
        if (pp_json_find(run, "error") == NULL)
            assert_int_equal(gate.miss_count, 0);
        else
            check_miss(c, &gate, pp_json_find(pp_json_find(run, "error"), "reason")->text);
        ++*count;
    }
}

static void other_rules_are_missed_where_the_original_refuses(void **state)
{
    size_t count = 0;

    (void)state;
    (void)each_decision_case("gate", check_runs, &count);
    assert_int_equal(count, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_equal_the_recorded_ones),
        cmocka_unit_test(other_rules_are_missed_where_the_original_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
