#include "decide/profiles.h"

#include <string.h>

#include "decide/recommendation.h"
#include "shared.h"

/* ref is preferred; a is the fastest, b the smallest; w, which nothing else looks at, decides
 * between them the other way round. */
#define SET(synthetic, metadata, metrics_of_b)                                                     \
    "{\"schema_version\":\"1.0\",\"baseline_id\":\"ref\",\"synthetic\":" synthetic                 \
    ",\"metadata\":" metadata ",\"candidates\":["                                                  \
    "{\"id\":\"ref\",\"metrics\":{\"q\":1,\"lat\":101,\"mem\":80,\"w\":5}},"                       \
    "{\"id\":\"a\",\"metrics\":{\"q\":0.9,\"lat\":100,\"mem\":90,\"w\":7}},"                       \
    "{\"id\":\"b\",\"metrics\":{" metrics_of_b "}}]}"
#define B         "\"q\":0.95,\"lat\":110,\"mem\":50,\"w\":6"
#define CANONICAL "{\"classification\":\"canonical\"}"
#define MEASURED  SET("false", CANONICAL, B)

#define CONSTRAINTS(limits)                                                                        \
    "{\"min_quality_retention\":0.9,\"quality_metric\":\"q\",\"max_values\":" limits               \
    ",\"objective\":{\"metric\":\"lat\",\"direction\":\"min\"},"                                   \
    "\"objective_tolerance_percent\":2,\"preference_order\":[\"ref\",\"a\",\"b\"],"                \
    "\"frontier_metrics\":{\"lat\":\"min\",\"mem\":\"min\"}}"

#define PROFILE(id, class, policy, metric, direction, tolerance)                                   \
    "{\"id\":\"" id "\",\"label\":\"L\",\"description\":\"D\",\"classification\":\"" class         \
        "\",\"preference_policy\":\"" policy "\",\"objective\":{\"metric\":\"" metric              \
        "\",\"direction\":\"" direction "\"},\"objective_tolerance_percent\":" tolerance "}"
#define MAIN PROFILE("main", "canonical", "canonical", "lat", "min", "2")
#define DERIVED(id, metric, direction)                                                             \
    PROFILE(id, "derived-non-canonical", "none", metric, direction, "0")
#define POLICIES(profiles)                                                                         \
    "{\"schema_version\":\"1.0\",\"canonical_profile_id\":\"main\",\"profiles\":[" profiles "]}"

typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_policy_set policies;
    pp_profiles profiles;
} scene;

static pp_status play(scene *s, const char *set, const char *constraints, const char *policies,
                      pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(&s->arena, "b", set, strlen(set), &root, err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(&s->arena, root, &s->set, err);
    if (st == PP_OK)
        st = pp_json_parse(&s->arena, "c", constraints, strlen(constraints), &root, err);
    if (st == PP_OK)
        st = pp_constraints_decode(&s->arena, root, &s->constraints, err);
    if (st == PP_OK)
        st = pp_json_parse(&s->arena, "p", policies, strlen(policies), &root, err);
    if (st == PP_OK)
        st = pp_policy_set_decode(&s->arena, root, &s->policies, err);
    if (st == PP_OK)
        st = pp_profiles_decide(&s->arena, &s->set, &s->constraints, &s->policies, &s->profiles,
                                err);
    return st;
}

static const char *selected(const scene *s, size_t profile)
{
    return s->set.candidates[s->profiles.items[profile].decision.selected].id.data;
}

static void each_profile_decides_by_its_own_objective(void **state)
{
    scene s = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(play(&s, MEASURED, CONSTRAINTS("{}"),
                   POLICIES(DERIVED("mem", "mem", "min") "," MAIN "," DERIVED(
                       "w", "w", "max") "," DERIVED("fast", "lat", "min")),
                   &err),
              err);
    assert_null(pp_profiles_without_winner(&s.profiles));
    assert_string_equal(selected(&s, 0), "b");
    assert_string_equal(selected(&s, 1), "ref"); /* inside 2 %, and preferred */
    assert_string_equal(selected(&s, 2), "a");
    assert_string_equal(selected(&s, 3), "a"); /* the same objective without preferences */
    pp_arena_done(&s.arena);
}

static void a_derived_profile_has_constraints_of_its_own(void **state)
{
    scene s = {0};
    pp_error err = {0};
    const pp_constraints *c;

    (void)state;
    assert_ok(play(&s, MEASURED, CONSTRAINTS("{\"lat\":200}"),
                   POLICIES(MAIN "," DERIVED("w", "w", "max") "," DERIVED("mem", "mem", "min")),
                   &err),
              err);
    assert_ptr_equal(s.profiles.items[0].constraints, &s.constraints);
    c = s.profiles.items[1].constraints;
    assert_int_equal(c->frontier_metric_count, 3);
    assert_string_equal(c->frontier_metrics[2].metric.data, "w");
    assert_int_equal(c->frontier_metrics[2].direction, PP_DIRECTION_MAX);
    assert_int_equal(c->preference_count, 0);
    assert_true(c->objective_tolerance_percent == 0.0);
    assert_int_equal(c->max_value_count, 1);
    assert_int_equal(s.profiles.items[2].constraints->frontier_metric_count, 2);
    assert_int_equal(s.constraints.frontier_metric_count, 2); /* the original is untouched */
    assert_int_equal(s.constraints.preference_count, 3);
    pp_arena_done(&s.arena);
}

/* By the rules of the constraints quality may only be a frontier metric as max; a profile that
 * brings it in is not held to that, as in the original tool. */
static void a_derived_profile_may_minimise_quality(void **state)
{
    scene s = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(play(&s, MEASURED, CONSTRAINTS("{}"), POLICIES(MAIN "," DERIVED("worst", "q", "min")),
                   &err),
              err);
    assert_string_equal(selected(&s, 1), "a");
    pp_arena_done(&s.arena);
}

static const struct {
    const char *name;
    const char *set;
    const char *policies;
    const char *says;
} refused[] = {
    {"a profile turns a frontier metric around", MEASURED,
     POLICIES(MAIN "," DERIVED("more", "mem", "max")),
     "profile 'more': its objective 'mem' is \"max\", but \"min\" in frontier_metrics"},
    {"an objective that nobody measured", MEASURED, POLICIES(MAIN "," DERIVED("x", "nope", "max")),
     "profile 'x': its objective 'nope' must be measured for every candidate, but is missing from "
     "'ref', 'a', 'b'"},
    {"an objective that a rejected candidate lacks",
     SET("false", CANONICAL, "\"q\":0.1,\"lat\":110,\"mem\":50"),
     POLICIES(MAIN "," DERIVED("w", "w", "max")), "missing from 'b'"},
    {"another canonical objective", MEASURED,
     POLICIES(PROFILE("main", "canonical", "canonical", "mem", "min", "2")),
     "expected the objective of the constraints, min lat, got min mem"},
    {"another canonical direction", MEASURED,
     POLICIES(PROFILE("main", "canonical", "canonical", "lat", "max", "2")),
     "expected the objective of the constraints, min lat, got max lat"},
    {"another canonical tolerance", MEASURED,
     POLICIES(PROFILE("main", "canonical", "canonical", "lat", "min", "2.00000000001")),
     "expected the tolerance of the constraints, 2 %, got 2.00000000001 %"},
};

static void profiles_that_do_not_fit_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        scene s = {0};
        pp_error err = {0};
        pp_status st = play(&s, refused[i].set, CONSTRAINTS("{}"), refused[i].policies, &err);

        if (st != PP_ERR_DOMAIN)
            fail_msg("%s: %s: %s", refused[i].name, pp_status_name(st), err.text);
        assert_contains(err.text, refused[i].says);
        pp_arena_done(&s.arena);
    }
}

static void a_tolerance_within_the_last_digits_is_the_same(void **state)
{
    scene s = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(
        play(&s, MEASURED, CONSTRAINTS("{}"),
             POLICIES(PROFILE("main", "canonical", "canonical", "lat", "min", "2.0000000000005")),
             &err),
        err);
    /* and the one of the constraints counts */
    assert_true(s.profiles.items[0].decision.constraints->objective_tolerance_percent == 2.0);
    pp_arena_done(&s.arena);
}

static void nothing_eligible_is_a_result(void **state)
{
    scene s = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(play(&s, MEASURED, CONSTRAINTS("{\"mem\":1}"),
                   POLICIES(MAIN "," DERIVED("w", "w", "max")), &err),
              err);
    assert_ptr_equal(pp_profiles_without_winner(&s.profiles), &s.profiles.items[0]);
    assert_int_equal(s.profiles.items[1].decision.verdicts[2].violations.count, 1);
    pp_arena_done(&s.arena);
}

/* ---- the document -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *set;
    bool canonical_source;
} sources[] = {
    {"measured and canonical", MEASURED, true},
    {"synthetic", SET("true", CANONICAL, B), false},
    {"emulated, whatever it says",
     SET("false", "{\"classification\":\"canonical\",\"host\":{\"platform\":{\"emulated\":true}}}",
         B),
     false},
    {"exploratory", SET("false", "{\"classification\":\"exploratory\"}", B), false},
    {"no classification", SET("false", "{}", B), false},
    {"a classification that is no text", SET("false", "{\"classification\":true}", B), false},
};

static void the_notice_follows_profile_and_source(void **state)
{
    const char *first[4] = {0}; /* by (derived, canonical source) */

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(sources); i++) {
        scene s = {0};
        pp_error err = {0};

        assert_ok(play(&s, sources[i].set, CONSTRAINTS("{}"),
                       POLICIES(MAIN "," DERIVED("w", "w", "max")), &err),
                  err);
        for (size_t p = 0; p < 2; p++) {
            const char *notice = pp_profile_notice(&s.profiles, &s.policies.profiles[p]);
            size_t kind = 2 * p + (sources[i].canonical_source ? 1 : 0);

            if (first[kind] == NULL)
                first[kind] = notice;
            if (strcmp(first[kind], notice) != 0)
                fail_msg("%s, profile %zu: %s", sources[i].name, p, notice);
        }
        pp_arena_done(&s.arena);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(first[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(first[i], first[j]);
    }
}

static void the_document_names_inputs_once_and_never_inside(void **state)
{
    scene s = {0};
    pp_error err = {0};
    const pp_json *document;
    const pp_json *inputs;
    const pp_json *items;

    (void)state;
    assert_ok(
        play(&s, MEASURED, CONSTRAINTS("{}"), POLICIES(DERIVED("w", "w", "max") "," MAIN), &err),
        err);
    document =
        pp_profiles_to_json(&s.arena, &s.profiles, "1.2.3", (pp_fingerprints){"aa", "bb", "cc"});
    inputs = pp_json_find(document, "input_fingerprints");
    assert_string_equal(pp_json_find(inputs, "benchmarks_sha256")->text.data, "aa");
    assert_string_equal(pp_json_find(inputs, "constraints_sha256")->text.data, "bb");
    assert_string_equal(pp_json_find(inputs, "policies_sha256")->text.data, "cc");
    assert_string_equal(pp_json_find(document, "canonical_profile_id")->text.data, "main");
    assert_string_equal(pp_json_find(document, "canonical_selected_id")->text.data, "ref");
    items = pp_json_find(document, "profiles");
    for (size_t i = 0; i < 2; i++)
        assert_null(pp_json_find(pp_json_find(items->array.items[i], "recommendation"),
                                 "input_fingerprints"));
    pp_arena_done(&s.arena);
}

static pp_status decide_and_write(const void *context, pp_error *err)
{
    scene s = {0};
    pp_buf out;
    pp_status st;

    (void)context;
    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    st = play(&s, MEASURED, CONSTRAINTS("{}"), POLICIES(MAIN "," DERIVED("w", "w", "max")), err);
    if (st == PP_OK)
        st = pp_json_write(
            pp_profiles_to_json(&s.arena, &s.profiles, "1", (pp_fingerprints){"b", "c", "p"}),
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
        cmocka_unit_test(each_profile_decides_by_its_own_objective),
        cmocka_unit_test(a_derived_profile_has_constraints_of_its_own),
        cmocka_unit_test(a_derived_profile_may_minimise_quality),
        cmocka_unit_test(profiles_that_do_not_fit_are_refused_by_name),
        cmocka_unit_test(a_tolerance_within_the_last_digits_is_the_same),
        cmocka_unit_test(nothing_eligible_is_a_result),
        cmocka_unit_test(the_notice_follows_profile_and_source),
        cmocka_unit_test(the_document_names_inputs_once_and_never_inside),
        cmocka_unit_test(missing_memory_is_an_error_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
