/* One value of a sound passport is changed at a time; the check must name the place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/passport.h"
#include "decide/passport_check.h"
#include "shared.h"

/* The passport of the worked example: stages ref, q4, bad, tuned, extra; ref chosen and baseline;
 * extra closest outside, tuned the alternative. */
static const char *sound_text(pp_arena *arena)
{
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    char hex[PP_SHA256_HEX_SIZE];
    pp_json *passport;
    pp_error err = {0};
    pp_buf text;
    const char *copy;

    assert_ok(pp_benchmark_set_load(arena, fixture_path(arena, "decision/e1-benchmarks.json"), &set,
                                    hex, &err),
              err);
    assert_ok(pp_constraints_load(arena, fixture_path(arena, "decision/e1-constraints.json"),
                                  &constraints, hex, &err),
              err);
    assert_ok(pp_decide(arena, &set, &constraints, &decision, &err), err);
    assert_ok(pp_passport_make(arena, &decision, "1.2.3", (pp_fingerprints){hex, hex, NULL},
                               &passport, &err),
              err);
    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(passport, PP_JSON_COMPACT, &text, &err), err);
    copy = pp_arena_dup(arena, text.data, text.size);
    pp_buf_done(&text);
    return copy;
}

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "passport", text, strlen(text), &root, &err), err);
    return root;
}

/* Where the value at "a.0.b" is kept. */
static pp_json **place_of(const pp_json *root, const char *path)
{
    pp_json *value = (pp_json *)(uintptr_t)root; /* ours: it was parsed for this change */
    pp_json **place = NULL;

    while (*path != '\0') {
        size_t size = strcspn(path, ".");

        if (value->kind == PP_JSON_ARRAY) {
            place = &value->array.items[atoi(path)];
        } else {
            place = NULL;
            for (size_t i = 0; i < value->object.count; i++) {
                pp_json_member *member = &value->object.members[i];

                if (member->key.size == size && memcmp(member->key.data, path, size) == 0)
                    place = &member->value;
            }
        }
        assert_non_null(place);
        value = *place;
        path += size + (path[size] == '.');
    }
    return place;
}

/* The passport with other values, read anew so that every value knows its place. */
static const pp_json *changed(pp_arena *arena, const char *sound, const char *const edits[][2])
{
    const pp_json *root = parse(arena, sound);
    const pp_json *again;
    pp_error err = {0};
    pp_buf text;

    for (size_t i = 0; i < 3 && edits[i][0] != NULL; i++) {
        const char *wrapped = pp_arena_printf(arena, "{\"v\": %s}", edits[i][1]);

        *place_of(root, edits[i][0]) = *place_of(parse(arena, wrapped), "v");
    }
    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(root, PP_JSON_COMPACT, &text, &err), err);
    again = parse(arena, pp_buf_text(&text));
    pp_buf_done(&text);
    return again;
}

static const struct {
    const char *name;
    const char *edits[3][2]; /* path, JSON text */
    const char *want;        /* in the refusal */
} rows[] = {
    {"another version", {{"schema_version", "\"1.1\""}}, "$.schema_version"},
    {"an unknown grade", {{"evidence_grade", "\"gold\""}}, "$.evidence_grade"},
    {"a digest in capitals",
     {{"input_fingerprints.benchmarks_sha256",
       "\"ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB\""}},
     "$.input_fingerprints.benchmarks_sha256"},
    {"a number as text", {{"objective.selected_value", "\"100\""}}, "$.objective.selected_value"},
    {"a stage that is a real number", {{"ladder.0.stage", "1.0"}}, "$.ladder[0].stage"},

    /* provenance */
    {"a worse grade than the attribution",
     {{"evidence_grade", "\"measured-unattributed\""}},
     "$.provenance.attribution_complete"},
    {"attributed in spite of an issue",
     {{"provenance.issues", "[\"something\"]"}},
     "$.provenance.issues"},
    {"unattributed without an issue",
     {{"evidence_grade", "\"measured-unattributed\""},
      {"provenance.attribution_complete", "false"}},
     "$.provenance.issues"},
    {"attributed without a CPU", {{"provenance.runner.cpu", "null"}}, "$.provenance.runner.cpu"},
    {"attributed without a suite",
     {{"provenance.evaluation_suite.sha256", "null"}},
     "$.provenance.evaluation_suite.sha256"},
    {"attributed to another architecture",
     {{"provenance.runner.architecture", "\"x86_64\""}},
     "$.provenance.runner.architecture"},

    /* decision */
    {"another candidate is chosen",
     {{"selected_decision.candidate_id", "\"q4\""}},
     "$.selected_decision.candidate_id"},
    {"another label", {{"selected_decision.label", "\"x\""}}, "$.selected_decision.label"},
    {"another baseline",
     {{"selected_decision.baseline_id", "\"q4\""}},
     "$.selected_decision.baseline_id"},
    {"the baseline is said to be gone",
     {{"selected_decision.baseline_retained", "false"}},
     "$.selected_decision.baseline_retained"},
    {"not the best after all",
     {{"selected_decision.numeric_best", "false"}},
     "$.selected_decision.numeric_best"},

    /* objective */
    {"a wider margin", {{"objective.tolerance_margin", "2.1"}}, "$.objective.tolerance_margin"},
    {"a negative margin", {{"objective.tolerance_margin", "-2"}}, "$.objective.tolerance_margin"},
    {"a boundary on the other side",
     {{"objective.shortlist_boundary", "98.0"}},
     "$.objective.shortlist_boundary"},
    {"no boundary", {{"objective.shortlist_boundary", "null"}}, "$.objective.shortlist_boundary"},
    {"the rule of the other direction",
     {{"objective.boundary_rule", "\"at-or-above\""}},
     "$.objective.boundary_rule"},
    {"the other direction", {{"objective.direction", "\"max\""}}, "better than"},
    {"more room", {{"objective.selected_runway.absolute", "2.1"}}, "runway.absolute"},
    {"more room in percent",
     {{"objective.selected_runway.percent_of_boundary", "2.0"}},
     "percent_of_boundary"},
    {"a value that the ladder does not have",
     {{"objective.selected_value", "100.5"}},
     "$.objective.selected_value"},
    {"a best value that the ladder does not have",
     {{"objective.numeric_best_value", "100.5"}},
     "$.objective.numeric_best_value"},
    {"the best is unknown",
     {{"objective.numeric_best_id", "\"nobody\""}, {"selected_decision.numeric_best", "false"}},
     "$.objective.numeric_best_value"},
    {"somebody is better than the best",
     {{"ladder.1.objective_value", "99.0"}},
     "$.ladder[1].objective_value"},
    {"a frontier candidate without a value",
     {{"ladder.1.objective_value", "null"}},
     "$.ladder[1].objective_value"},
    {"a shortlist without one of its stages",
     {{"objective.shortlist_ids", "[\"ref\"]"}},
     "$.objective.shortlist_ids"},
    {"a shortlist in another order",
     {{"objective.shortlist_ids", "[\"ref\", \"q4\"]"}},
     "$.objective.shortlist_ids[1]"},
    {"a shortlist that names one twice",
     {{"objective.shortlist_ids", "[\"ref\", \"ref\"]"}},
     "$.objective.shortlist_ids[1]"},
    {"a shortlist with a rejected candidate",
     {{"objective.shortlist_ids", "[\"bad\", \"q4\", \"ref\"]"}},
     "$.objective.shortlist_ids[0]"},
    {"a shortlisted value behind the boundary",
     {{"ladder.4.shortlisted", "true"},
      {"objective.shortlist_ids", "[\"extra\", \"q4\", \"ref\"]"}},
     "$.objective.shortlist_ids[0]"},

    /* ladder */
    {"a stage that is skipped", {{"ladder.1.stage", "3"}}, "$.ladder[1].stage"},
    {"an id that is taken", {{"ladder.1.candidate_id", "\"ref\""}}, "$.ladder[1].candidate_id"},
    {"a known tag that is called unknown",
     {{"ladder.1.recognized_attribution_stage", "false"}},
     "$.ladder[1].recognized_attribution_stage"},
    {"stages in the wrong order",
     {{"ladder.1.attribution_stage", "\"runtime-tuning\""}},
     "$.ladder[2]"},
    {"a violation, but eligible",
     {{"ladder.1.constraint_violations", "[\"x\"]"}},
     "$.ladder[1].eligible"},
    {"rejected without a violation", {{"ladder.1.eligible", "false"}}, "$.ladder[1].eligible"},
    {"rejected, but on the frontier", {{"ladder.2.frontier", "true"}}, "$.ladder[2].eligible"},
    {"on the shortlist, but not on the frontier",
     {{"ladder.1.frontier", "false"}},
     "$.ladder[1].frontier"},
    {"chosen, but not on the shortlist",
     {{"ladder.0.shortlisted", "false"}},
     "$.ladder[0].shortlisted"},
    {"two are chosen", {{"ladder.1.selected", "true"}}, "$.ladder[1].selected"},
    {"none is chosen", {{"ladder.0.selected", "false"}}, "$.ladder"},
    {"two baselines", {{"ladder.4.baseline", "true"}}, "$.ladder[4].baseline"},
    {"no baseline", {{"ladder.0.baseline", "false"}}, "$.ladder"},
    {"a first stage with a stage before",
     {{"ladder.0.delta_from_previous",
       "{\"metrics\": [], \"not_comparable_metrics\": [], \"previous_candidate_id\": \"q4\"}"}},
     "$.ladder[0].delta_from_previous"},
    {"a stage without the one before",
     {{"ladder.1.delta_from_previous", "null"}},
     "$.ladder[1].delta_from_previous"},
    {"a stage after another one",
     {{"ladder.2.delta_from_previous.previous_candidate_id", "\"ref\""}},
     "previous_candidate_id"},

    /* changes */
    {"a difference that is none",
     {{"ladder.1.delta_from_previous.metrics.0.absolute", "1.6"}},
     "$.ladder[1].delta_from_previous.metrics[0].absolute"},
    {"a difference left out",
     {{"ladder.1.delta_from_previous.metrics.0.absolute", "null"}},
     "metrics[0].absolute"},
    {"a percentage that is none",
     {{"ladder.1.delta_from_previous.metrics.0.percent", "-1.5"}},
     "metrics[0].percent"},
    {"a regression called an improvement",
     {{"ladder.1.delta_from_previous.metrics.0.effect", "\"improved\""}},
     "metrics[0].effect"},
    {"a metric without a name",
     {{"ladder.1.delta_from_previous.metrics.0.metric", "\"\""}},
     "metrics[0].metric"},
    {"a metric twice",
     {{"ladder.1.delta_from_previous.metrics.1.metric", "\"lat\""}},
     "metrics[1]"},
    {"a compared metric that is not comparable",
     {{"ladder.3.delta_from_previous.not_comparable_metrics", "[\"lat\", \"odd\"]"}},
     "not_comparable_metrics[0]"},
    {"metrics that are not comparable, unsorted",
     {{"ladder.3.delta_from_previous.not_comparable_metrics", "[\"odd\", \"none\"]"}},
     "not_comparable_metrics[1]"},
    {"a value that changes between two comparisons",
     {{"ladder.2.delta_from_previous.metrics.0.previous", "101.0"},
      {"ladder.2.delta_from_previous.metrics.0.absolute", "-2.0"},
      {"ladder.2.delta_from_previous.metrics.0.percent", "-1.9801980198019802"}},
     "$.ladder[2].delta_from_previous.metrics[0].previous"},

    /* closest outside */
    {"nobody outside, but the ladder has some",
     {{"closest_outside_shortlist", "null"}},
     "$.closest_outside_shortlist"},
    {"the closest is on the shortlist",
     {{"closest_outside_shortlist.candidate_id", "\"q4\""}},
     "$.closest_outside_shortlist"},
    {"the closest is another one",
     {{"closest_outside_shortlist",
       "{\"candidate_id\": \"tuned\", \"label\": \"Tuned\", \"objective_value\": 104.0, \"stage\": "
       "4, \"shortfall_to_shortlist\": {\"absolute\": 2.0, \"percent_of_boundary\": "
       "1.9607843137254901}}"}},
     "$.closest_outside_shortlist"},
    {"a shorter way in",
     {{"closest_outside_shortlist.shortfall_to_shortlist.absolute", "0.4"}},
     "shortfall_to_shortlist.absolute"},
    {"another stage",
     {{"closest_outside_shortlist.stage", "4"}},
     "$.closest_outside_shortlist.stage"},

    /* alternative */
    {"an alternative that is unknown",
     {{"resource_alternative.candidate_id", "\"nobody\""}},
     "$.resource_alternative"},
    {"an alternative with another stage",
     {{"resource_alternative.stage", "2"}},
     "$.resource_alternative.stage"},
    {"an alternative that is recommended",
     {{"resource_alternative.is_secondary_not_recommendation", "false"}},
     "is_secondary_not_recommendation"},
    {"an alternative that improves by getting worse",
     {{"resource_alternative.improvements.0.effect", "\"tradeoff\""}},
     "$.resource_alternative.improvements[0].effect"},
    {"a change in the wrong list",
     {{"resource_alternative.other_changes",
       "[{\"absolute\": 1.0, \"current\": 2.0, \"direction\": \"max\", \"effect\": \"improved\", "
       "\"metric\": \"x\", \"percent\": 100.0, \"previous\": 1.0}]"}},
     "$.resource_alternative.other_changes[0]"},
    {"a metric in two lists", {{"resource_alternative.tradeoffs.0.metric", "\"tps\""}}, "twice"},

    /* method */
    {"a passport that changed something",
     {{"method.canonical_outputs_modified", "true"}},
     "$.method.canonical_outputs_modified"},
};

static void a_passport_that_contradicts_itself_is_refused(void **state)
{
    pp_arena arena = {0};
    const char *sound = sound_text(&arena);

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_error err = {0};
        pp_status st = pp_passport_check(changed(&arena, sound, rows[i].edits), &err);

        if (st != PP_ERR_SCHEMA || strstr(err.text, rows[i].want) == NULL)
            fail_msg("%s: %s '%s', want '%s'", rows[i].name, pp_status_name(st), err.text,
                     rows[i].want);
    }
    pp_arena_done(&arena);
}

/* Last digits may differ from one program to the next, and a passport without digests is one. */
static void a_passport_with_other_last_digits_is_sound(void **state)
{
    static const char *const edits[][2] = {
        {"objective.selected_runway.percent_of_boundary", "1.9607843137"},
        {"ladder.1.delta_from_previous.metrics.2.absolute", "-499.40000000000003"},
        {"objective.tolerance_margin", "2.0000000000000004"},
    };
    pp_arena arena = {0};
    const char *sound = sound_text(&arena);
    pp_error err = {0};

    (void)state;
    assert_ok(pp_passport_check(parse(&arena, sound), &err), err);
    assert_ok(pp_passport_check(changed(&arena, sound, edits), &err), err);
    pp_arena_done(&arena);
}

static void an_alternative_to_synthetic_figures_is_refused(void **state)
{
    static const char *const edits[][2] = {
        {"evidence_grade", "\"synthetic\""},
        {"provenance.attribution_complete", "false"},
        {"provenance.issues", "[\"synthetic\"]"},
    };
    pp_arena arena = {0};
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_passport_check(changed(&arena, sound_text(&arena), edits), &err),
                     PP_ERR_SCHEMA);
    assert_contains(err.text, "$.resource_alternative: expected null");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passport_that_contradicts_itself_is_refused),
        cmocka_unit_test(a_passport_with_other_last_digits_is_sound),
        cmocka_unit_test(an_alternative_to_synthetic_figures_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
