/* What constraints judge must be measured: rows of a plan of two passes with other constraints,
 * with and without a suite. */
#include <string.h>

#include "model/study_plan.h"
#include "shared.h"

#define GOALS                                                                                      \
    "\"objective\": {\"metric\": \"ttft_ms_p50\", \"direction\": \"min\"}, "                       \
    "\"frontier_metrics\": {\"ttft_ms_p50\": \"min\"}"
#define NOT_MEASURABLE "{\"schema_version\": \"2.0\", \"quality\": \"not-measurable\", " GOALS
#define SUITE                                                                                      \
    "\"suite\": {\"path\": \"suite.json\", \"sha256\": "                                           \
    "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}"

/* The fixture with these constraints (closed by us), this suite (or NULL) and so many passes. */
static pp_status decode(pp_arena *arena, const char *constraints, const char *suite, int passes,
                        pp_study_plan *ret_plan, pp_error *err)
{
    const char *text = fixture_text(arena, "study/plan.json");
    const char *from = strstr(text, "\"constraints\":");
    const pp_json *root;
    const char *whole;
    pp_status st;

    assert_non_null(from);
    whole = pp_arena_printf(arena, "%.*s\"constraints\": %s}%s%s}", (int)(from - text), text,
                            constraints, suite == NULL ? "" : ", ", suite == NULL ? "" : suite);
    if (passes == 1)
        whole = changed_text(arena, whole, "\"passes\": 2", "\"passes\": 1");
    st = pp_json_parse(arena, "plan.json", whole, strlen(whole), &root, err);
    return st == PP_OK ? pp_study_plan_decode(arena, root, ret_plan, err) : st;
}

static const struct {
    const char *name, *constraints, *suite;
    int passes;
    const char *refusal; /* NULL: accepted */
} rows[] = {
    {"nothing is judged, nothing asked", NOT_MEASURABLE, NULL, 2, NULL},
    {"nothing is judged, no suite by name", NOT_MEASURABLE, "\"suite\": null", 2, NULL},
    {"a suite that is not judged", NOT_MEASURABLE, SUITE, 2, NULL},
    {"judged by a suite", "{" GOALS, SUITE, 2, NULL},
    {"judged, and no suite", "{" GOALS, NULL, 2,
     "$.constraints: nothing measures quality_score: the plan has no suite"},
    {"judged by a metric of its own, and no suite", "{\"quality_metric\": \"wit\", " GOALS, NULL, 2,
     "$.constraints.quality_metric: nothing measures wit: the plan has no suite"},
    {"a limit that only a suite gives",
     NOT_MEASURABLE ", \"min_values\": {\"reference_top1_agreement\": 0.9}", NULL, 2,
     "$.constraints.min_values: nothing measures reference_top1_agreement"},
    {"a largest divergence, and no suite",
     NOT_MEASURABLE ", \"max_values\": {\"reference_kl_nats_mean\": 0.1}", NULL, 2,
     "$.constraints.max_values: nothing measures reference_kl_nats_mean"},
    {"a metric that no study measures", "{\"quality_metric\": \"wit\", " GOALS, SUITE, 2,
     "$.constraints.quality_metric: expected quality_score or reference_top1_agreement, the "
     "qualities that a study measures, got 'wit'"},
    {"agreement is a quality", "{\"quality_metric\": \"reference_top1_agreement\", " GOALS, SUITE,
     2, NULL},
    {"agreement in one pass", "{\"quality_metric\": \"reference_top1_agreement\", " GOALS, SUITE, 1,
     "$.constraints.quality_metric: reference_top1_agreement of the baseline is that of its later "
     "passes with its first one: expected at least 2 passes, got 1"},
    {"a least agreement in one pass",
     "{" GOALS ", \"min_values\": {\"reference_top1_agreement\": 0.9}", SUITE, 1,
     "$.constraints.min_values: reference_top1_agreement of the baseline"},
    {"a score in one pass", "{" GOALS ", \"min_values\": {\"quality_score\": 0.9}", SUITE, 1, NULL},
};

static void what_is_judged_must_be_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_study_plan plan;
        pp_error err = {0};
        pp_status st =
            decode(&arena, rows[i].constraints, rows[i].suite, rows[i].passes, &plan, &err);

        if (rows[i].refusal == NULL && st != PP_OK)
            fail_msg("%s: %s", rows[i].name, err.text);
        if (rows[i].refusal != NULL) {
            if (st != PP_ERR_SCHEMA)
                fail_msg("%s: expected a refusal", rows[i].name);
            assert_contains(err.text, rows[i].refusal);
        }
        pp_arena_done(&arena);
    }
}

static void a_plan_of_1_0_may_name_a_suite(void **state)
{
    pp_arena arena = {0};
    pp_study_plan plan;
    pp_error err = {0};

    (void)state;
    assert_ok(decode(&arena, NOT_MEASURABLE, SUITE, 2, &plan, &err), err);
    assert_true(plan.suite.present);
    assert_string_equal(plan.suite.path.data, "suite.json");
    assert_false(pp_study_plan_names_agreement(&plan));
    assert_ok(decode(&arena, NOT_MEASURABLE ", \"min_values\": {\"reference_top1_agreement\": 0.5}",
                     SUITE, 2, &plan, &err),
              err);
    assert_true(pp_study_plan_names_agreement(&plan));
    assert_ok(decode(&arena, NOT_MEASURABLE, NULL, 2, &plan, &err), err);
    assert_false(plan.suite.present);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_judged_must_be_measured),
        cmocka_unit_test(a_plan_of_1_0_may_name_a_suite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
