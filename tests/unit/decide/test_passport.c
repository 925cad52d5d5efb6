/* Passports of small sets whose figures can be worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/passport.h"
#include "decide/passport_check.h"
#include "model/fields.h"
#include "shared.h"

/* ---- making one ------------------------------------------------------------------------------ */

static pp_status make(pp_arena *arena, const char *set_text, const char *constraints_text,
                      pp_json **ret_passport, pp_error *err)
{
    pp_benchmark_set *set = PP_ARENA_NEW(arena, pp_benchmark_set, 1);
    pp_constraints *constraints = PP_ARENA_NEW(arena, pp_constraints, 1);
    pp_decision *decision = PP_ARENA_NEW(arena, pp_decision, 1);
    const pp_json *root;

    assert_ok(pp_json_parse(arena, "set", set_text, strlen(set_text), &root, err), *err);
    assert_ok(pp_benchmark_set_decode(arena, root, set, err), *err);
    assert_ok(pp_json_parse(arena, "c", constraints_text, strlen(constraints_text), &root, err),
              *err);
    assert_ok(pp_constraints_decode(arena, root, constraints, err), *err);
    assert_ok(pp_decide(arena, set, constraints, decision, err), *err);
    return pp_passport_make(arena, decision, "1.2.3", (pp_fingerprints){0}, ret_passport, err);
}

static const pp_json *passport_of(pp_arena *arena, const char *set, const char *constraints)
{
    pp_json *passport;
    pp_error err = {0};

    assert_ok(make(arena, set, constraints, &passport, &err), err);
    assert_ok(pp_passport_check(passport, &err), err); /* what is made passes its own check */
    return passport;
}

/* A set of measured candidates, baseline "a". */
static const char *set_of(pp_arena *arena, const char *metadata, const char *candidates)
{
    return pp_arena_printf(arena,
                           "{\"schema_version\": \"1.0\", \"baseline_id\": \"a\", \"synthetic\": "
                           "false, \"metadata\": %s, \"candidates\": [%s]}",
                           metadata, candidates);
}

/* Least lat; q is quality, of which any is enough. */
static const char *least_lat(pp_arena *arena, double tolerance, const char *more)
{
    return pp_arena_printf(
        arena,
        "{\"min_quality_retention\": 0, \"quality_metric\": \"q\", \"objective\": {\"metric\": "
        "\"lat\", \"direction\": \"min\"}, \"objective_tolerance_percent\": %.17g%s}",
        tolerance, more);
}

#define LAT_ALONE ", \"frontier_metrics\": {\"lat\": \"min\"}"
#define LAT_TPS   ", \"frontier_metrics\": {\"lat\": \"min\", \"tps\": \"max\"}"

static const pp_json *at(const pp_json *value, const char *path)
{
    while (*path != '\0') {
        char key[64];
        size_t size = strcspn(path, ".");

        snprintf(key, sizeof key, "%.*s", (int)size, path);
        if (value->kind == PP_JSON_ARRAY)
            value = value->array.items[atoi(key)];
        else
            value = pp_json_find(value, key);
        assert_non_null(value);
        path += size + (path[size] == '.');
    }
    return value;
}

static void assert_text(const pp_json *passport, const char *path, const char *want)
{
    const pp_json *value = at(passport, path);

    assert_int_equal(value->kind, PP_JSON_STRING);
    assert_string_equal(value->text.data, want);
}

static void assert_number(const pp_json *passport, const char *path, double want)
{
    const pp_json *value = at(passport, path);

    if (value->kind == PP_JSON_NULL || pp_checked_real(value) != want)
        fail_msg("%s: want %.17g", path, want);
}

static void assert_null_at(const pp_json *passport, const char *path)
{
    assert_int_equal(at(passport, path)->kind, PP_JSON_NULL);
}

/* ---- objective ------------------------------------------------------------------------------- */

static void a_value_a_last_digit_behind_the_boundary_has_no_room_and_is_inside(void **state)
{
    pp_arena arena = {0};
    const pp_json *passport = passport_of(
        &arena,
        set_of(&arena, "{}",
               "{\"id\": \"a\", \"metrics\": {\"lat\": 1000, \"q\": 1, \"tps\": 1}},"
               "{\"id\": \"b\", \"metrics\": {\"lat\": 1010.0000005, \"q\": 1, \"tps\": 2}}"),
        least_lat(&arena, 1, LAT_TPS ", \"preference_order\": [\"b\", \"a\"]"));

    (void)state;
    assert_text(passport, "selected_decision.candidate_id", "b");
    assert_number(passport, "objective.shortlist_boundary", 1010);
    assert_number(passport, "objective.selected_runway.absolute", 0);
    assert_number(passport, "objective.selected_runway.percent_of_boundary", 0);
    pp_arena_done(&arena);
}

/* |best| * tolerance / 100 from left to right; the choice multiplies in another order. */
static void the_margin_is_computed_left_to_right(void **state)
{
    pp_arena arena = {0};
    const pp_json *passport =
        passport_of(&arena,
                    set_of(&arena, "{}",
                           "{\"id\": \"a\", \"metrics\": {\"lat\": 566.9166173010686, \"q\": 1}}"),
                    least_lat(&arena, 10, LAT_ALONE));

    (void)state;
    assert_number(passport, "objective.tolerance_margin", 56.69166173010686);
    pp_arena_done(&arena);
}

static void figures_that_no_number_can_hold_are_null(void **state)
{
    pp_arena arena = {0};
    const pp_json *passport = passport_of(
        &arena,
        set_of(&arena, "{}",
               "{\"id\": \"a\", \"metrics\": {\"lat\": 1.7e308, \"q\": 1, \"x\": -1e308, \"y\": "
               "1e-300, \"z\": 0}},"
               "{\"id\": \"b\", \"metrics\": {\"lat\": 1.7e308, \"q\": 1, \"x\": 1e308, \"y\": "
               "1e300, \"z\": 1}}"),
        least_lat(&arena, 50, LAT_ALONE));

    (void)state;
    assert_number(passport, "objective.tolerance_margin", 0.85e308);
    assert_null_at(passport, "objective.shortlist_boundary");
    assert_null_at(passport, "objective.selected_runway.absolute");
    assert_null_at(passport, "closest_outside_shortlist");
    assert_text(passport, "ladder.1.delta_from_previous.metrics.2.metric", "x");
    assert_null_at(passport, "ladder.1.delta_from_previous.metrics.2.absolute");
    assert_null_at(passport, "ladder.1.delta_from_previous.metrics.2.percent");
    assert_number(passport, "ladder.1.delta_from_previous.metrics.3.absolute", 1e300);
    assert_null_at(passport, "ladder.1.delta_from_previous.metrics.3.percent");
    assert_null_at(passport, "ladder.1.delta_from_previous.metrics.4.percent"); /* of zero */
    pp_arena_done(&arena);
}

/* b and c are equally far outside; c comes first in the ladder. */
static void the_closest_outside_is_chosen_by_distance_then_by_stage(void **state)
{
    pp_arena arena = {0};
    const pp_json *passport = passport_of(
        &arena,
        set_of(&arena, "{}",
               "{\"id\": \"a\", \"metrics\": {\"lat\": 100, \"q\": 1, \"tps\": 1}},"
               "{\"id\": \"b\", \"metrics\": {\"lat\": 125, \"q\": 1, \"tps\": 2}},"
               "{\"id\": \"c\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\" quantization \"}}, \"metrics\": {\"lat\": 125, \"q\": 1, \"tps\": 2}}"),
        least_lat(&arena, 0, LAT_TPS));

    (void)state;
    assert_text(passport, "closest_outside_shortlist.candidate_id", "c");
    assert_number(passport, "closest_outside_shortlist.stage", 1);
    assert_number(passport, "closest_outside_shortlist.shortfall_to_shortlist.absolute", 25);
    assert_number(passport, "closest_outside_shortlist.shortfall_to_shortlist.percent_of_boundary",
                  25);
    assert_text(passport, "ladder.0.attribution_stage", "quantization");
    pp_arena_done(&arena);
}

/* ---- ladder ---------------------------------------------------------------------------------- */

static void stages_come_in_their_order_and_others_behind_in_the_order_of_the_set(void **state)
{
    static const char *const want[] = {"d", "f", "c", "b", "a", "e"};
    pp_arena arena = {0};
    const pp_json *passport = passport_of(
        &arena,
        set_of(&arena, "{}",
               "{\"id\": \"a\", \"metrics\": {\"lat\": 1, \"q\": 1}},"
               "{\"id\": \"b\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\"runtime-tuning\"}}, \"metrics\": {\"lat\": 1, \"q\": 1}},"
               "{\"id\": \"c\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\"arm-kernel\"}}, \"metrics\": {\"lat\": 1, \"q\": 1}},"
               "{\"id\": \"d\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\"reference\"}}, \"metrics\": {\"lat\": 1, \"q\": 1}},"
               "{\"id\": \"e\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\"Reference\"}}, \"metrics\": {\"lat\": 1, \"q\": 1}},"
               "{\"id\": \"f\", \"parameters\": {\"configuration\": {\"attribution_stage\": "
               "\"quantization\"}}, \"metrics\": {\"lat\": 1, \"q\": 1}}"),
        least_lat(&arena, 0, LAT_ALONE));

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(want); i++) {
        assert_text(passport, pp_arena_printf(&arena, "ladder.%zu.candidate_id", i), want[i]);
        assert_number(passport, pp_arena_printf(&arena, "ladder.%zu.stage", i), (double)i + 1);
    }
    assert_null_at(passport, "ladder.4.attribution_stage");
    assert_false(at(passport, "ladder.5.recognized_attribution_stage")->boolean);
    pp_arena_done(&arena);
}

static void directions_come_from_the_constraints_before_what_is_built_in(void **state)
{
    static const struct {
        const char *metric;
        const char *direction; /* NULL: none */
        const char *effect;
    } rows[] = {
        {"lat", "min", "tradeoff"},          /* the objective */
        {"peak_rss_mib", "max", "improved"}, /* built in as min, the frontier says max */
        {"q", "max", "improved"},            /* quality */
        {"ttft_ms_p50", "min", "tradeoff"},  /* built in */
        {"u", NULL, "changed"},
        {"v", NULL, "held"}, /* 1e-10 apart */
    };
    pp_arena arena = {0};
    const pp_json *passport = passport_of(
        &arena,
        set_of(&arena, "{}",
               "{\"id\": \"a\", \"metrics\": {\"lat\": 1, \"q\": 1, \"peak_rss_mib\": 1, "
               "\"ttft_ms_p50\": 1, \"u\": 1, \"v\": 1, \"only-a\": 1}},"
               "{\"id\": \"b\", \"metrics\": {\"lat\": 2, \"q\": 2, \"peak_rss_mib\": 2, "
               "\"ttft_ms_p50\": 2, \"u\": 2, \"v\": 1.0000000001, \"and-b\": 1}}"),
        least_lat(&arena, 0,
                  ", \"frontier_metrics\": {\"lat\": \"min\", \"peak_rss_mib\": \"max\"}"));

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_json *row =
            at(passport, pp_arena_printf(&arena, "ladder.1.delta_from_previous.metrics.%zu", i));

        assert_text(row, "metric", rows[i].metric);
        assert_text(row, "effect", rows[i].effect);
        if (rows[i].direction == NULL)
            assert_null_at(row, "direction");
        else
            assert_text(row, "direction", rows[i].direction);
    }
    assert_text(passport, "ladder.1.delta_from_previous.not_comparable_metrics.0", "and-b");
    assert_text(passport, "ladder.1.delta_from_previous.not_comparable_metrics.1", "only-a");
    pp_arena_done(&arena);
}

/* ---- alternative ----------------------------------------------------------------------------- */

#define CANDIDATE(id, lat, rss, more)                                                              \
    "{\"id\": \"" id "\", \"metrics\": {\"q\": 1, \"lat\": " lat ", \"peak_rss_mib\": " rss more   \
    "}}"

static const struct {
    const char *name;
    const char *candidates; /* "a" is the baseline and has the least lat */
    const char *want;       /* NULL: none */
} alternatives[] = {
    {"nobody needs less", CANDIDATE("a", "1", "10", "") "," CANDIDATE("b", "2", "10", ""), NULL},
    {"equal within 1e-9 is not less",
     CANDIDATE("a", "1", "10", "") "," CANDIDATE("b", "2", "9.999999999", ""), NULL},
    {"the least",
     CANDIDATE("a", "1", "10", "") "," CANDIDATE("b", "2", "5", "") "," CANDIDATE("c", "2", "4",
                                                                                  ""),
     "c"},
    {"within 0.1 % of the least the faster prompt",
     CANDIDATE("a", "1", "10", "") "," CANDIDATE(
         "b", "2", "4.004", ", \"prompt_tps\": 2") "," CANDIDATE("c", "2", "4",
                                                                 ", \"prompt_tps\": 1"),
     "b"},
    {"beyond 0.1 % prompt speed does not matter",
     CANDIDATE("a", "1", "10", "") "," CANDIDATE(
         "b", "2", "4.0041", ", \"prompt_tps\": 2") "," CANDIDATE("c", "2", "4",
                                                                  ", \"prompt_tps\": 1"),
     "c"},
    {"a figure that nobody else has rules the others out",
     CANDIDATE("a", "1", "10", ", \"model_size_mib\": 9") "," CANDIDATE(
         "b", "2", "4", "") "," CANDIDATE("c", "2", "5", ", \"model_size_mib\": 8"),
     /* b lacks the size, c is not least in memory: means are 4/4 = 1 and (5/4 + 8/8)/2 = 1.125 */
     "b"},
    {"nobody least in both: the smaller mean",
     CANDIDATE("a", "1", "10", ", \"model_size_mib\": 10") "," CANDIDATE(
         "b", "2", "4", ", \"model_size_mib\": 8") "," CANDIDATE("c", "2", "6",
                                                                 ", \"model_size_mib\": 5"),
     /* b: (1 + 8/5)/2 = 1.3; c: (6/4 + 1)/2 = 1.25 */
     "c"},
    {"equal in everything: the place in the ladder",
     CANDIDATE("a", "1", "10", "") "," CANDIDATE("c", "2", "4", "") "," CANDIDATE("b", "2", "4",
                                                                                  ""),
     "c"},
};

static void the_alternative_needs_least_and_is_fast(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(alternatives); i++) {
        pp_arena arena = {0};
        const pp_json *passport =
            passport_of(&arena, set_of(&arena, "{}", alternatives[i].candidates),
                        least_lat(&arena, 0, LAT_ALONE));
        const pp_json *got = at(passport, "resource_alternative");

        if ((got->kind == PP_JSON_NULL) != (alternatives[i].want == NULL))
            fail_msg("%s: %s", alternatives[i].name, got->kind == PP_JSON_NULL ? "none" : "one");
        if (got->kind != PP_JSON_NULL &&
            !pp_text_is(pp_checked_text(got, "candidate_id"), alternatives[i].want))
            fail_msg("%s: %s", alternatives[i].name, pp_checked_text(got, "candidate_id").data);
        pp_arena_done(&arena);
    }
}

/* ---- provenance ------------------------------------------------------------------------------ */

#define SUITE_SHA256 "AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01AB01"
#define METADATA(architecture, run_id, more)                                                       \
    "{\"source\": {\"repository\": \"r\", \"revision\": \"r\", \"workflow\": \"w\", \"run_id\": "  \
    "" run_id ", \"run_attempt\": 2, \"runner\": {\"architecture\": \"" architecture               \
    "\", \"cpu\": \"c\", \"os\": \"o\", \"cpu_count\": 4}}, \"runtime\": {\"name\": \"n\", "       \
    "\"repository\": \"r\", \"revision\": \"r\"}, \"model_family\": {\"name\": \"n\", "            \
    "\"repository\": \"r\", \"revision\": \"r\"}, \"evaluation_suite\": {\"id\": \"s\", "          \
    "\"sha256\": \" " SUITE_SHA256 "\\n\"}" more "}"

static const struct {
    const char *name;
    const char *metadata;
    const char *grade;
    const char *issues; /* joined */
} grades[] = {
    {"complete", METADATA(" AArch64\\t", "7", ""), "arm64-attributed", ""},
    {"another architecture", METADATA("X86_64", "7", ""), "measured-unattributed",
     "metadata.source.runner.architecture is not a recognized Arm64 name"},
    {"run 0 is a run", METADATA("arm64", "0", ""), "arm64-attributed", ""},
    {"a run that is no whole number", METADATA("arm64", "7.0", ""), "measured-unattributed",
     "metadata.source.run_id is missing or invalid"},
    {"a run that is blank", METADATA("arm64", "\" \"", ""), "measured-unattributed",
     "metadata.source.run_id is missing or invalid"},
    {"the machine that was found is the same",
     METADATA("arm64", "7", ", \"host\": {\"architecture\": \"aarch64\"}"), "arm64-attributed", ""},
    {"the machine that was found is another",
     METADATA("arm64", "7", ", \"host\": {\"architecture\": \"x86_64\"}"), "measured-unattributed",
     "metadata.source.runner.architecture contradicts metadata.host.architecture"},
    {"an emulated machine",
     METADATA("arm64", "7", ", \"host\": {\"platform\": {\"emulated\": true}}"), "synthetic",
     "the figures are not measured: their origin is emulated"},
    {"a kind that is worse than measured",
     METADATA("arm64", "7", ", \"synthetic_kind\": \"synthetic-weights\""), "synthetic",
     "the figures are not measured: their origin is synthetic-weights"},
};

static void the_grade_follows_from_what_is_stated(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(grades); i++) {
        pp_arena arena = {0};
        const pp_json *passport =
            passport_of(&arena,
                        set_of(&arena, grades[i].metadata,
                               "{\"id\": \"a\", \"metrics\": {\"lat\": 1, \"q\": 1}}"),
                        least_lat(&arena, 0, LAT_ALONE));
        const char *issues = pp_passport_issues_text(&arena, passport);

        if (strcmp(pp_passport_grade_text(passport), grades[i].grade) != 0)
            fail_msg("%s: %s", grades[i].name, pp_passport_grade_text(passport));
        if (strcmp(issues, grades[i].issues) != 0)
            fail_msg("%s: %s", grades[i].name, issues);
        pp_arena_done(&arena);
    }
}

static void provenance_is_stripped_folded_and_lowered(void **state)
{
    pp_arena arena = {0};
    const pp_json *passport =
        passport_of(&arena,
                    set_of(&arena, METADATA("STRA\\u00dfe", "77", ", \"classification\": \" x \""),
                           "{\"id\": \"a\", \"metrics\": {\"lat\": 1, \"q\": 1}}"),
                    least_lat(&arena, 0, LAT_ALONE));

    (void)state;
    assert_text(passport, "provenance.runner.architecture", "strasse");
    assert_text(passport, "provenance.runner.reported_architecture",
                "STRA\xc3\x9f"
                "e");
    assert_text(passport, "provenance.run.id", "77");
    assert_text(passport, "provenance.classification", "x");
    assert_text(passport, "provenance.evaluation_suite.sha256",
                "ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01ab01");
    pp_arena_done(&arena);
}

static void nothing_eligible_gets_no_passport(void **state)
{
    pp_arena arena = {0};
    pp_json *passport;
    pp_error err = {0};

    (void)state;
    assert_int_equal(
        make(&arena, set_of(&arena, "{}", "{\"id\": \"a\", \"metrics\": {\"lat\": 1, \"q\": 1}}"),
             least_lat(&arena, 0, LAT_ALONE ", \"max_values\": {\"lat\": 0.5}"), &passport, &err),
        PP_ERR_NO_WINNER);
    assert_contains(err.text, "no candidate is eligible");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_a_last_digit_behind_the_boundary_has_no_room_and_is_inside),
        cmocka_unit_test(the_margin_is_computed_left_to_right),
        cmocka_unit_test(figures_that_no_number_can_hold_are_null),
        cmocka_unit_test(the_closest_outside_is_chosen_by_distance_then_by_stage),
        cmocka_unit_test(stages_come_in_their_order_and_others_behind_in_the_order_of_the_set),
        cmocka_unit_test(directions_come_from_the_constraints_before_what_is_built_in),
        cmocka_unit_test(the_alternative_needs_least_and_is_fast),
        cmocka_unit_test(the_grade_follows_from_what_is_stated),
        cmocka_unit_test(provenance_is_stripped_folded_and_lowered),
        cmocka_unit_test(nothing_eligible_gets_no_passport),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
