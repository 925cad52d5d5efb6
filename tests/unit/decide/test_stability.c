/* Arithmetic of rows by published numbers, and a reader that trusts no figure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decide/stability.h"
#include "shared.h"

/* ---- one pass ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    double candidate, baseline;
    pp_direction direction;
    pp_trend want;
    bool want_delta;
    double want_percent;
} comparisons[] = {
    {"less is better", 81, 102, PP_DIRECTION_MIN, PP_TREND_IMPROVED, true, 20.588235294117645},
    {"more is worse", 110, 102, PP_DIRECTION_MIN, PP_TREND_REGRESSED, true, -7.8431372549019605},
    {"percent of the size", -12, -10, PP_DIRECTION_MIN, PP_TREND_IMPROVED, true, 20.0},
    {"more is better", 3, 2, PP_DIRECTION_MAX, PP_TREND_IMPROVED, true, 50.0},
    {"equal", 5, 5, PP_DIRECTION_MAX, PP_TREND_NONE, true, 0.0},
    {"nearly equal", 1 + 0.5e-12, 1, PP_DIRECTION_MAX, PP_TREND_NONE, true, 0.0},
    {"not nearly enough", 4, 4 + 1e-11, PP_DIRECTION_MIN, PP_TREND_IMPROVED, true, 2.5e-10},
    {"nothing to compare with", 80, 0, PP_DIRECTION_MIN, PP_TREND_REGRESSED, false, 0},
    {"almost nothing", 80, 1e-12, PP_DIRECTION_MAX, PP_TREND_IMPROVED, false, 0},
    {"a difference beyond the range", -1e308, 1e308, PP_DIRECTION_MAX, PP_TREND_REGRESSED, true,
     -200.0},
    {"a percentage beyond the range", 1e308, 1e-10, PP_DIRECTION_MAX, PP_TREND_IMPROVED, false, 0},
};

static void a_pass_points_somewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(comparisons); i++) {
        pp_stability_value value = {.candidate = comparisons[i].candidate,
                                    .baseline = comparisons[i].baseline};

        pp_stability_compare(&value, comparisons[i].direction);
        if (value.comparison != comparisons[i].want)
            fail_msg("%s: %s", comparisons[i].name, pp_trend_name(value.comparison));
        if (value.has_delta != comparisons[i].want_delta)
            fail_msg("%s: delta %g", comparisons[i].name, value.delta_percent);
        if (value.has_delta && fabs(value.delta_percent - comparisons[i].want_percent) > 1e-14)
            fail_msg("%s: %.17g", comparisons[i].name, value.delta_percent);
    }
}

/* ---- all passes ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double candidates[3];
    double baseline;
    pp_trend want;
    bool want_spread;
    double want_percent;
} sums[] = {
    {"both better", {80, 81, 80.5}, 102, PP_TREND_IMPROVED, true, 1.2422360248447204},
    {"better and unchanged",
     {80, 102, 102},
     102,
     PP_TREND_IMPROVED,
     true,
     /* (102 - 80) / (284 / 3) */ 22 * 300.0 / 284},
    {"unchanged", {7, 7, 7}, 7, PP_TREND_NONE, true, 0},
    {"worse and unchanged", {4, 3, 4}, 3, PP_TREND_REGRESSED, true, /* 1 / (11 / 3) */ 300.0 / 11},
    {"better, worse, better", {1, 3, 1}, 2, PP_TREND_MIXED, true, /* 2 / (5 / 3) */ 120.0},
    {"a mean of nothing", {-80, 80, 0}, 0, PP_TREND_MIXED, false, 0},
    {"nothing at all", {0, 0, 0}, 0, PP_TREND_NONE, true, 0},
    {"a sum beyond the range",
     {1e308, 1.5e308, 1.25e308},
     1e307,
     PP_TREND_REGRESSED,
     true,
     /* 0.5 / 1.25 */ 40.0},
};

static void passes_agree_or_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(sums); i++) {
        pp_stability_value values[3];
        pp_stability_row row = {.values = values};

        for (size_t j = 0; j < 3; j++) {
            values[j] = (pp_stability_value){.candidate = sums[i].candidates[j],
                                             .baseline = sums[i].baseline};
            pp_stability_compare(&values[j], PP_DIRECTION_MIN);
        }
        pp_stability_sum_up(&row, 3);
        if (row.overall != sums[i].want)
            fail_msg("%s: %s", sums[i].name, pp_trend_name(row.overall));
        if (row.has_spread != sums[i].want_spread)
            fail_msg("%s: spread %g", sums[i].name, row.spread_percent);
        if (row.has_spread &&
            fabs(row.spread_percent - sums[i].want_percent) > 1e-13 * sums[i].want_percent)
            fail_msg("%s: %.17g", sums[i].name, row.spread_percent);
    }
}

/* ---- reading ------------------------------------------------------------------------------- */

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define VALUE(label, candidate, baseline, delta, comparison)                                       \
    "{\"pass_label\":\"" label "\",\"candidate_value\":" candidate ",\"baseline_value\":" baseline \
    ",\"relative_delta_percent\":" delta ",\"comparison\":\"" comparison "\"}"

#define ROW(id, passes, spread, consistency, overall)                                              \
    "{\"candidate_id\":\"" id                                                                      \
    "\",\"metric\":\"ms\",\"direction\":\"min\",\"pass_values\":[" passes                          \
    "],\"relative_spread_percent\":" spread ",\"consistency\":\"" consistency                      \
    "\",\"overall_direction\":\"" overall "\"}"

/* Two passes B and A of a baseline z and a candidate c; the labels do not stand in sorted order,
 * and the digests not in the order of labels. By hand: 8 is 20 % below 10; the spread of c is
 * (11 - 8) / 9.5, that of z 1 / 10.5. */
#define PASSES_OF_C                                                                                \
    VALUE("B", "8", "10", "20.0", "improved") "," VALUE("A", "11.0", "11", "0", "no change")
#define PASSES_OF_Z                                                                                \
    VALUE("B", "10", "10", "0.0", "no change") "," VALUE("A", "11", "11", "0.0", "no change")
#define ROWS                                                                                       \
    ROW("c", PASSES_OF_C, "31.57894736842105", "consistent", "improved")                           \
    "," ROW("z", PASSES_OF_Z, "9.523809523809524", "no change", "no change")

static const char whole[] =
    "{\"schema_version\":\"1.0\",\"baseline_id\":\"z\",\"synthetic\":false,"
    "\"method\":\"observed pass direction and relative spread; no significance claim\","
    "\"pass_labels\":[\"B\",\"A\"],\"metric_directions\":{\"ms\":\"min\"},"
    "\"input_fingerprints\":{\"A\":\"" SHA "\",\"B\":\"" SHA "\"},"
    "\"candidate_configuration_fingerprints\":{\"z\":\"" SHA "\",\"c\":\"" SHA "\"},"
    "\"rows\":[" ROWS "]}";

/* The first `from` in the whole document becomes `to`. */
static const struct {
    const char *name, *from, *to;
    const char *want; /* NULL: still accepted */
} changes[] = {
    {"as it is", "{", "{", NULL},
    {"no digests at all", "{\"A\":\"" SHA "\",\"B\":\"" SHA "\"}", "{}", NULL},
    {"digests in the order of labels",
     "\"A\":\"" SHA "\",\"B\":", "\"B\":\"" SHA "\",\"A\":", NULL},
    {"a figure off by rounding", ":20.0", ":20.000000000000004", NULL},
    {"one digest", "\"A\":\"" SHA "\",\"B\":", "\"B\":",
     "$.input_fingerprints: expected none or one for each of 2 passes, got 1"},
    {"a digest of another pass", "{\"A\":\"0", "{\"C\":\"0",
     "$.input_fingerprints: expected a digest of pass 'A'"},
    {"another method", "observed pass", "proven pass", "$.method"},
    {"a label twice", "[\"B\",\"A\"]", "[\"B\",\"B\"]", "$.pass_labels[1]: the label 'B' is given"},
    {"a blank metric", "{\"ms\":\"min\"}", "{\" \":\"min\"}", "$.metric_directions: metric ' '"},
    {"a baseline that is no candidate", "\"baseline_id\":\"z\"", "\"baseline_id\":\"y\"",
     "expected the baseline 'y' among the candidates"},
    {"another direction", "{\"ms\":\"min\"}", "{\"ms\":\"max\"}",
     "$.rows[0].direction: expected 'max', got 'min'"},
    {"a metric without rows", "{\"ms\":\"min\"}", "{\"ms\":\"min\",\"x\":\"max\"}",
     "$.rows: expected 4, one for each of 2 candidates and 2 metrics, got 2"},
    {"a candidate without rows", "{\"z\":\"0", "{\"d\":\"" SHA "\",\"z\":\"0",
     "$.rows: expected 3"},
    {"rows out of order", "\"candidate_id\":\"c\"", "\"candidate_id\":\"z\"",
     "$.rows[0].candidate_id: expected 'c', got 'z'"},
    {"passes out of order", "\"pass_label\":\"B\"", "\"pass_label\":\"A\"",
     "$.rows[0].pass_values[0].pass_label: expected 'B', got 'A'"},
    {"another delta", ":20.0", ":20.1", "relative_delta_percent: expected 20, got 20.1"},
    {"no delta", ":20.0", ":null", "relative_delta_percent: expected 20, got null"},
    {"another word", "\"comparison\":\"improved\"", "\"comparison\":\"regressed\"",
     "$.rows[0].pass_values[0].comparison: expected 'improved', got 'regressed'"},
    {"another spread", ":31.57894736842105", ":31.5", "$.rows[0].relative_spread_percent"},
    {"another consistency", "\"consistent\"", "\"mixed\"", "expected 'consistent', got 'mixed'"},
    {"another overall direction", "\"overall_direction\":\"improved\"",
     "\"overall_direction\":\"regressed\"", "$.rows[0].overall_direction"},
    {"another baseline in one row", "\"baseline_value\":11,", "\"baseline_value\":11.000000000001,",
     "$.rows[0].pass_values[1].baseline_value: expected 11, the baseline's own value"},
    {"a pass too few", "[\"B\",\"A\"]", "[\"B\"]", "$.pass_labels"},
    {"an unknown key", "\"synthetic\":false", "\"synthetic\":false,\"x\":1", "'x'"},
};

static const char *replaced(pp_arena *arena, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    assert_non_null(at);
    return pp_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void every_figure_is_computed_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(changes); i++) {
        pp_arena arena = {0};
        const char *text = replaced(&arena, whole, changes[i].from, changes[i].to);
        const pp_json *root;
        pp_stability read;
        pp_error err = {0};
        pp_status st;

        assert_ok(pp_json_parse(&arena, "test", text, strlen(text), &root, &err), err);
        st = pp_stability_decode(&arena, root, &read, &err);
        if ((st == PP_OK) != (changes[i].want == NULL))
            fail_msg("%s: %s", changes[i].name, st == PP_OK ? "accepted" : err.text);
        if (st != PP_OK && strstr(err.text, changes[i].want) == NULL)
            fail_msg("%s: %s", changes[i].name, err.text);
        pp_arena_done(&arena);
    }
}

static void what_was_read_has_its_names_in_order(void **state)
{
    pp_arena arena = {0};
    const pp_json *root;
    pp_stability read;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_json_parse(&arena, "test", whole, sizeof whole - 1, &root, &err), err);
    assert_ok(pp_stability_decode(&arena, root, &read, &err), err);
    assert_int_equal(read.pass_count, 2);
    assert_true(pp_text_is(read.pass_labels[0], "B"));
    assert_int_equal(read.candidate_count, 2);
    assert_true(pp_text_is(read.candidates[0].id, "c"));
    assert_true(read.rows[0].values[0].candidate == 8);
    assert_true(read.rows[1].values[1].baseline == 11);
    assert_int_equal(read.rows[0].overall, PP_TREND_IMPROVED);
    pp_arena_done(&arena);
}

/* ---- what is measured somehow, is not measured --------------------------------------------- */

static void a_pass_on_other_weights_makes_it_synthetic(void **state)
{
    static const char set_format[] =
        "{\"schema_version\":\"1.0\",\"baseline_id\":\"b\",\"synthetic\":false,\"metadata\":%s,"
        "\"candidates\":[{\"id\":\"b\",\"metrics\":{\"x\":1}}]}";
    const pp_goal goal = {pp_text_of("x"), PP_DIRECTION_MIN};
    pp_arena arena = {0};
    pp_benchmark_set sets[2];
    pp_stability_pass passes[2];
    pp_stability s;
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *text = pp_arena_printf(
            &arena, set_format, i == 0 ? "{}" : "{\"host\":{\"platform\":{\"emulated\":true}}}");
        const pp_json *root;

        assert_ok(pp_json_parse(&arena, "set", text, strlen(text), &root, &err), err);
        assert_ok(pp_benchmark_set_decode(&arena, root, &sets[i], &err), err);
        passes[i] = (pp_stability_pass){pp_text_of(i == 0 ? "a" : "b"), &sets[0], NULL};
    }
    assert_ok(pp_stability_make(&arena, passes, 2, &goal, 1, &s, &err), err);
    assert_false(s.synthetic);
    passes[1].set = &sets[1];
    assert_ok(pp_stability_make(&arena, passes, 2, &goal, 1, &s, &err), err);
    assert_true(s.synthetic);
    pp_arena_done(&arena);
}

/* ---- short memory -------------------------------------------------------------------------- */

static pp_status make_and_write(const void *context, pp_error *err)
{
    const pp_benchmark_set *set = context;
    const pp_stability_pass passes[] = {{pp_text_of("one"), set, SHA},
                                        {pp_text_of("two"), set, SHA}};
    const pp_goal goals[] = {{pp_text_of("lat_ms"), PP_DIRECTION_MIN}};
    pp_arena arena = {0};
    pp_stability stability;
    pp_buf out;
    pp_status st = pp_stability_make(&arena, passes, 2, goals, 1, &stability, err);

    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    if (st == PP_OK)
        st = pp_json_write(pp_stability_to_json(&arena, &stability), PP_JSON_FILE, &out, err);
    pp_buf_done(&out);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error_everywhere(void **state)
{
    static const char text[] =
        "{\"schema_version\":\"1.0\",\"baseline_id\":\"a\",\"synthetic\":false,\"candidates\":["
        "{\"id\":\"a\",\"metrics\":{\"lat_ms\":2}},{\"id\":\"b\",\"metrics\":{\"lat_ms\":1}}]}";
    pp_arena arena = {0};
    pp_benchmark_set set;
    const pp_json *root;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_json_parse(&arena, "set", text, strlen(text), &root, &err), err);
    assert_ok(pp_benchmark_set_decode(&arena, root, &set, &err), err);
    assert_true(check_missing_memory(make_and_write, &set) > 0);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_points_somewhere),
        cmocka_unit_test(passes_agree_or_not),
        cmocka_unit_test(every_figure_is_computed_again),
        cmocka_unit_test(what_was_read_has_its_names_in_order),
        cmocka_unit_test(a_pass_on_other_weights_makes_it_synthetic),
        cmocka_unit_test(missing_memory_is_an_error_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
