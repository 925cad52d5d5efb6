#include <string.h>

#include "decide/details.h"
#include "shared.h"

#define METRICS(q, lat, mem) "{\"quality_score\":" #q ",\"lat_ms\":" #lat ",\"rss_mib\":" #mem "}"

static const char set_text[] =
    "{\"schema_version\":\"1.0\",\"baseline_id\":\"ref\",\"synthetic\":true,"
    "\"metadata\":{\"synthetic_kind\":\"synthetic-weights\"},\"candidates\":["
    "{\"id\":\"ref\",\"metrics\":" METRICS(
        1.0, 100, 1000) "},"
                        "{\"id\":\"fast\",\"metrics\":" METRICS(
                            0.5, 80,
                            900) "},"
                                 "{\"id\":\"big\",\"metrics\":" METRICS(
                                     1.0, 90,
                                     2500) "},"
                                           "{\"id\":\"slow\",\"metrics\":" METRICS(
                                               1.0, 120,
                                               1000) "},"
                                                     "{\"id\":\"small\",\"metrics\":" METRICS(
                                                         1.0, 104, 500) "}]}";

static const char judged_text[] = "{\"max_values\":{\"rss_mib\":2000},\"objective\":{\"metric\":"
                                  "\"lat_ms\",\"direction\":\"min\"},"
                                  "\"frontier_metrics\":{\"lat_ms\":\"min\",\"rss_mib\":\"min\"},"
                                  "\"objective_tolerance_percent\":2}";

static const char not_measurable_text[] =
    "{\"schema_version\":\"2.0\",\"quality\":\"not-measurable\",\"max_values\":{\"rss_mib\":2000},"
    "\"objective\":{\"metric\":\"lat_ms\",\"direction\":\"min\"},"
    "\"frontier_metrics\":{\"lat_ms\":\"min\",\"rss_mib\":\"min\"}}";

typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
} scene;

static pp_status play(scene *s, const char *benchmarks, const char *constraints, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(&s->arena, "b", benchmarks, strlen(benchmarks), &root, err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(&s->arena, root, &s->set, err);
    if (st == PP_OK)
        st = pp_json_parse(&s->arena, "c", constraints, strlen(constraints), &root, err);
    if (st == PP_OK)
        st = pp_constraints_decode(&s->arena, root, &s->constraints, err);
    if (st == PP_OK)
        st = pp_decide(&s->arena, &s->set, &s->constraints, &s->decision, err);
    return st;
}

static const pp_verdict *verdict_of(const scene *s, const char *id)
{
    return &s->decision.verdicts[pp_benchmark_set_find(&s->set, pp_text_of(id))];
}

static void every_loser_is_told_why_and_by_how_much(void **state)
{
    scene s = {0};
    pp_error err = {0};
    const pp_violation *v;

    (void)state;
    assert_ok(play(&s, set_text, judged_text, &err), err);
    assert_true(pp_text_is(s.set.candidates[s.decision.selected].id, "ref"));
    v = verdict_of(&s, "fast")->violations.items;
    assert_int_equal(v->kind, PP_VIOLATION_QUALITY_RETENTION);
    assert_true(v->value == 0.5 && v->limit == 1.0 && v->slack == -0.5);
    assert_true(v->has_slack_percent && v->slack_percent == -50.0);
    assert_string_equal(v->text.data, "quality retention 0.5000 is below 1.0000");
    v = verdict_of(&s, "big")->violations.items;
    assert_true(v->value == 2500 && v->limit == 2000 && v->slack == -500);
    assert_true(v->slack_percent == -25.0);
    assert_string_equal(v->text.data, "rss_mib=2500 exceeds maximum 2000");
    assert_int_equal(verdict_of(&s, "slow")->standing, PP_STANDING_DOMINATED);
    assert_int_equal(verdict_of(&s, "slow")->dominated_by,
                     pp_benchmark_set_find(&s.set, pp_text_of("ref")));
    assert_true(s.decision.cutoff == 102.0);
    assert_int_equal(s.decision.near_miss, pp_benchmark_set_find(&s.set, pp_text_of("small")));
    assert_true(verdict_of(&s, "small")->shortfall == 2.0);
    assert_int_equal(s.set.origin, PP_ORIGIN_SYNTHETIC_WEIGHTS);
    pp_arena_done(&s.arena);
}

static void quality_that_cannot_be_measured_is_not_judged(void **state)
{
    scene s = {0};
    pp_error err = {0};
    const pp_json *document;
    const pp_json *echo;

    (void)state;
    assert_ok(play(&s, set_text, not_measurable_text, &err), err);
    assert_true(pp_text_is(s.set.candidates[s.decision.selected].id, "fast"));
    document =
        pp_recommendation_to_json(&s.arena, &s.decision, "1", (pp_fingerprints){"b", "c", NULL});
    echo = pp_json_find(document, "constraints");
    assert_true(pp_text_is(pp_json_find(echo, "schema_version")->text, "2.0"));
    assert_true(pp_text_is(pp_json_find(echo, "quality")->text, "not-measurable"));
    assert_int_equal(pp_json_find(echo, "min_quality_retention")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(echo, "quality_metric")->kind, PP_JSON_NULL);
    pp_arena_done(&s.arena);
}

static void nothing_eligible_is_a_result(void **state)
{
    scene s = {0};
    pp_error err = {0};
    const pp_json *details;

    (void)state;
    assert_ok(play(&s, set_text,
                   "{\"max_values\":{\"rss_mib\":1},\"objective\":{\"metric\":\"lat_ms\","
                   "\"direction\":\"min\"},\"frontier_metrics\":{\"lat_ms\":\"min\"}}",
                   &err),
              err);
    assert_false(s.decision.has_winner);
    details =
        pp_decision_details_to_json(&s.arena, &s.decision, "1", (pp_fingerprints){"b", "c", NULL});
    assert_int_equal(pp_json_find(details, "selected_id")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(details, "candidates")->array.count, 5);
    pp_arena_done(&s.arena);
}

static const struct {
    const char *name;
    const char *text;
    const char *want;
} refused[] = {
    {"unknown key in 1.0", "{\"quality\":\"judged\"}", "unknown key 'quality'"},
    {"other version", "{\"schema_version\":\"3.0\"}", "expected \"2.0\" or no such member"},
    {"other word",
     "{\"schema_version\":\"2.0\",\"quality\":\"no\",\"objective\":{\"metric\":\"a\",\"direction\":"
     "\"min\"},"
     "\"frontier_metrics\":{\"a\":\"min\"}}",
     "$.quality: expected \"judged\" or \"not-measurable\", got \"no\""},
    {"floor that means nothing",
     "{\"schema_version\":\"2.0\",\"quality\":\"not-measurable\",\"min_quality_retention\":0.9,"
     "\"objective\":{\"metric\":\"a\",\"direction\":\"min\"},\"frontier_metrics\":{\"a\":\"min\"}}",
     "$.min_quality_retention: not allowed"},
    {"retention above 1", "{\"min_quality_retention\":1.4}", "expected 0 to 1, got 1.4"},
    {"null is no default", "{\"max_values\":null}", "$.max_values: expected object, got null"},
    {"no objective", "{}", "required key 'objective' is missing"},
    {"objective outside the frontier",
     "{\"objective\":{\"metric\":\"a\",\"direction\":\"min\"},\"frontier_metrics\":{\"b\":\"min\"}"
     "}",
     "the objective 'a' must be one of them"},
    {"incomplete preferences",
     "{\"objective\":{\"metric\":\"lat_ms\",\"direction\":\"min\"},"
     "\"frontier_metrics\":{\"lat_ms\":\"min\"},\"preference_order\":[\"ref\",\"x\"]}",
     "missing: 'big', 'fast', 'slow', 'small'; unknown: 'x'"},
};

static void bad_constraints_are_refused_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        scene s = {0};
        pp_error err = {0};

        if (play(&s, set_text, refused[i].text, &err) == PP_OK)
            fail_msg("%s: accepted", refused[i].name);
        assert_contains(err.text, refused[i].want);
        pp_arena_done(&s.arena);
    }
}

static void a_built_set_reads_back_as_itself(void **state)
{
    pp_metric metrics[] = {{{"z", 1}, 2.0}, {{"a", 1}, 1.0}};
    pp_candidate candidates[] = {{.id = {"x", 1}, .metrics = metrics, .metric_count = 2}};
    pp_benchmark_set set = {
        .baseline_id = {"x", 1}, .candidates = candidates, .candidate_count = 1};
    pp_benchmark_set again;
    pp_arena arena = {0};
    pp_error err = {0};
    pp_json *document;

    (void)state;
    assert_ok(pp_benchmark_set_finish(&arena, &set, &err), err);
    document = pp_benchmark_set_to_json(&arena, &set);
    assert_ok(pp_benchmark_set_decode(&arena, document, &again, &err), err);
    assert_true(*pp_candidate_find_metric(&again.candidates[0], pp_text_of("z")) == 2.0);
    assert_true(pp_json_equal(document, pp_benchmark_set_to_json(&arena, &again)));
    metrics[0].name = metrics[1].name;
    assert_int_equal(pp_benchmark_set_finish(&arena, &set, &err), PP_ERR_SCHEMA);
    pp_arena_done(&arena);
}

/* A study's baseline may have failed; what it lacks then is everybody's loss. */
static void a_measured_baseline_without_quality_leaves_nobody_eligible(void **state)
{
    static const struct {
        const char *find, *with;
        const char *of_baseline, *of_other;
    } rows[] = {
        {"\"quality_score\":1.0,\"lat_ms\":100", "\"lat_ms\":100", "missing metric quality_score",
         "quality retention unknown: the baseline has no quality_score above 0"},
        {"\"quality_score\":1.0,\"lat_ms\":100", "\"quality_score\":0.0,\"lat_ms\":100",
         "quality retention unknown: the baseline has no quality_score above 0",
         "quality retention unknown: the baseline has no quality_score above 0"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        scene s = {0};
        pp_error err = {0};
        const char *set = changed_text(&s.arena, set_text, rows[i].find, rows[i].with);

        assert_int_equal(play(&s, set, judged_text, &err), PP_ERR_DOMAIN);
        err = (pp_error){0};
        assert_ok(pp_decide_measured(&s.arena, &s.set, &s.constraints, &s.decision, &err), err);
        assert_false(s.decision.has_winner);
        assert_int_equal(s.decision.eligible.count, 0);
        assert_int_equal(s.decision.verdicts[0].violations.count, 1);
        assert_string_equal(s.decision.verdicts[0].violations.items[0].text.data,
                            rows[i].of_baseline);
        assert_string_equal(s.decision.verdicts[1].violations.items[0].text.data, rows[i].of_other);
        pp_arena_done(&s.arena);
    }
}

static pp_status decide_and_write(const void *context, pp_error *err)
{
    scene s = {0};
    pp_buf out;
    pp_status st;

    (void)context;
    pp_buf_init(&out, 1 << 20);
    st = play(&s, set_text, judged_text, err);
    if (st == PP_OK)
        st = pp_json_write(pp_decision_details_to_json(&s.arena, &s.decision, "1",
                                                       (pp_fingerprints){"b", "c", NULL}),
                           PP_JSON_FILE, &out, err);
    pp_buf_done(&out);
    pp_arena_done(&s.arena);
    return st;
}

static void missing_memory_is_an_error_everywhere(void **state)
{
    (void)state;
    assert_true(check_missing_memory(decide_and_write, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loser_is_told_why_and_by_how_much),
        cmocka_unit_test(quality_that_cannot_be_measured_is_not_judged),
        cmocka_unit_test(nothing_eligible_is_a_result),
        cmocka_unit_test(a_measured_baseline_without_quality_leaves_nobody_eligible),
        cmocka_unit_test(bad_constraints_are_refused_with_their_place),
        cmocka_unit_test(a_built_set_reads_back_as_itself),
        cmocka_unit_test(missing_memory_is_an_error_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
