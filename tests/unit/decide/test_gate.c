/* The rules of the gate, and the comparison with an earlier decision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decide/gate.h"
#include "shared.h"

/* One decision; figures as given. "b" wins on lat when it is the smaller. */
typedef struct figures {
    double lat, tps, mem, q; /* tps NAN: not measured */
} figures;

typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_json *recommendation, *passport;
} scene;

static const char constraints_text[] =
    "{\"max_values\":{\"mem\":5000},\"min_values\":{\"tps\":1},\"quality_metric\":\"q\","
    "\"min_quality_retention\":0.5,\"objective\":{\"metric\":\"lat\",\"direction\":\"min\"},"
    "\"frontier_metrics\":{\"lat\":\"min\"}}";

static void decide_with(scene *s, const char *constraints, const char *synthetic, figures f)
{
    const pp_json *root;
    pp_error err = {0};
    const char *tps = isnan(f.tps) ? "" : pp_arena_printf(&s->arena, ",\"tps\":%.17g", f.tps);
    const char *set = pp_arena_printf(
        &s->arena,
        "{\"schema_version\":\"1.0\",\"baseline_id\":\"a\",\"synthetic\":%s,\"candidates\":["
        "{\"id\":\"a\",\"metrics\":{\"lat\":1000,\"tps\":10,\"mem\":100,\"q\":1}},"
        "{\"id\":\"b\",\"metrics\":{\"lat\":%.17g%s,\"mem\":%.17g,\"q\":%.17g}}]}",
        synthetic, f.lat, tps, f.mem, f.q);
    const char *hex = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    assert_ok(pp_json_parse(&s->arena, "set", set, strlen(set), &root, &err), err);
    assert_ok(pp_benchmark_set_decode(&s->arena, root, &s->set, &err), err);
    assert_ok(pp_json_parse(&s->arena, "c", constraints, strlen(constraints), &root, &err), err);
    assert_ok(pp_constraints_decode(&s->arena, root, &s->constraints, &err), err);
    assert_ok(pp_decide(&s->arena, &s->set, &s->constraints, &s->decision, &err), err);
    if (!s->decision.has_winner)
        return;
    s->recommendation =
        pp_recommendation_to_json(&s->arena, &s->decision, "0", (pp_fingerprints){hex, hex, NULL});
    assert_ok(pp_passport_make(&s->arena, &s->decision, "0", (pp_fingerprints){hex, hex, NULL},
                               &s->passport, &err),
              err);
}

static const pp_gate_miss *find_miss(const pp_gate *gate, pp_gate_miss_kind kind)
{
    for (size_t i = 0; i < gate->miss_count; i++) {
        if (gate->misses[i].kind == kind)
            return &gate->misses[i];
    }
    return NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void every_missed_rule_is_listed(void **state)
{
    scene s = {0};
    pp_gate gate;
    pp_error err = {0};
    pp_gate_rules rules = {.expected_id = "a", .require_arm64_provenance = true};

    (void)state;
    decide_with(&s, constraints_text, "true", (figures){500, 10, 100, 1});
    assert_ok(pp_gate_judge(&s.arena, &s.decision, s.passport, &rules, &gate, &err), err);
    assert_int_equal(gate.miss_count, 3);
    assert_non_null(find_miss(&gate, PP_GATE_SYNTHETIC));
    assert_non_null(find_miss(&gate, PP_GATE_PROVENANCE));
    assert_string_equal(find_miss(&gate, PP_GATE_UNEXPECTED_SELECTION)->text,
                        "expected 'a' to be selected, got 'b'");
    rules = (pp_gate_rules){.allow_synthetic = true, .expected_id = "b"};
    assert_ok(pp_gate_judge(&s.arena, &s.decision, s.passport, &rules, &gate, &err), err);
    assert_int_equal(gate.miss_count, 0);
    pp_arena_done(&s.arena);
}

static void nothing_eligible_stands_alone(void **state)
{
    scene s = {0};
    pp_gate gate;
    pp_error err = {0};
    const pp_gate_rules rules = {.expected_id = "a"};

    (void)state;
    decide_with(&s,
                "{\"max_values\":{\"lat\":1},\"quality_metric\":\"q\",\"objective\":{"
                "\"metric\":\"lat\",\"direction\":\"min\"},\"frontier_metrics\":{\"lat\":"
                "\"min\"}}",
                "true", (figures){500, 10, 100, 1});
    assert_ok(pp_gate_judge(&s.arena, &s.decision, NULL, &rules, &gate, &err), err);
    assert_int_equal(gate.miss_count, 1);
    assert_int_equal(gate.misses[0].kind, PP_GATE_NOTHING_ELIGIBLE);
    pp_arena_done(&s.arena);
}

/* ---- regression ------------------------------------------------------------------------------ */

#define LIMITS_DROPPED                                                                             \
    "{\"quality_metric\":\"q\",\"min_quality_retention\":0,\"objective\":{\"metric\":\"lat\","     \
    "\"direction\":\"min\"},\"frontier_metrics\":{\"lat\":\"min\"}}"

static void what_is_worse_than_before_is_found(void **state)
{
    static const struct {
        const char *name;
        const char *constraints;
        figures now; /* before: 500, 10, 100, 1 */
        double max_percent;
        const char *missed; /* names, sorted */
    } rows[] = {
        {"the same passes with nothing allowed", constraints_text, {500, 10, 100, 1}, 0, ""},
        {"better passes", constraints_text, {400, 12, 90, 1.1}, 0, ""},
        {"3 % worse at the allowed 3 %", constraints_text, {515, 9.7, 103, 0.97}, 3, ""},
        {"a digit more than allowed", constraints_text, {515.1, 10, 100, 1}, 3, "lat "},
        {"within the tolerance of the last digits",
         constraints_text,
         {515.00000001, 10, 100, 1},
         3,
         ""},
        {"the minimum of a limit", constraints_text, {500, 9.6, 100, 1}, 3, "tps "},
        {"the maximum of a limit", constraints_text, {500, 10, 104, 1}, 3, "mem "},
        {"the quality", constraints_text, {500, 10, 100, 0.9}, 3, "q "},
        {"everything twice as bad", constraints_text, {999, 5, 200, 0.5}, 3, "lat mem q tps "},
        {"a dropped limit is still compared", LIMITS_DROPPED, {500, 1, 9000, 1}, 3, "mem tps "},
        {"not measured any more", LIMITS_DROPPED, {500, NAN, 100, 1}, 3, "tps "},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        scene before = {0}, now = {0};
        pp_earlier earlier;
        pp_regressions found;
        pp_error err = {0};
        char names[64] = "";

        decide_with(&before, constraints_text, "false", (figures){500, 10, 100, 1});
        decide_with(&now, rows[i].constraints, "false", rows[i].now);
        assert_ok(pp_earlier_decode(before.recommendation, &earlier, &err), err);
        assert_ok(pp_regressions_find(&now.arena, &now.decision, &earlier, rows[i].max_percent,
                                      &found, &err),
                  err);
        for (size_t j = 0; j < found.count; j++) {
            if (found.items[j].is_missed) {
                strcat(names, found.items[j].metric.data);
                strcat(names, " ");
            }
        }
        if (strcmp(names, rows[i].missed) != 0 || found.count != 4)
            fail_msg("%s: missed '%s' of %zu", rows[i].name, names, found.count);
        pp_arena_done(&before.arena);
        pp_arena_done(&now.arena);
    }
}

static pp_status compare_documents(scene *now, const char *from, const char *to, pp_error *err)
{
    scene before = {0};
    pp_earlier earlier;
    pp_regressions found = {0};
    const pp_json *root;
    pp_buf text;
    char *changed;
    char *at;
    pp_status st;

    decide_with(&before, constraints_text, "false", (figures){500, 10, 100, 1});
    pp_buf_init(&text, 1 << 20);
    assert_ok(pp_json_write(before.recommendation, PP_JSON_COMPACT, &text, err), *err);
    at = strstr(text.data, from);
    assert_non_null(at);
    changed = pp_arena_printf(&now->arena, "%.*s%s%s", (int)(at - text.data), text.data, to,
                              at + strlen(from));
    pp_buf_done(&text);
    st = pp_json_parse(&now->arena, "old", changed, strlen(changed), &root, err);
    if (st == PP_OK)
        st = pp_earlier_decode(root, &earlier, err);
    if (st == PP_OK)
        st = pp_regressions_find(&now->arena, &now->decision, &earlier, 3, &found, err);
    if (st == PP_OK)
        st = found.missed_count == 0 ? PP_OK : PP_ERR_NO_WINNER;
    pp_arena_done(&before.arena);
    return st;
}

static void an_earlier_decision_is_read_strictly(void **state)
{
    static const struct {
        const char *name, *from, *to;
        pp_status want;
        const char *word;
    } rows[] = {
        {"as it was", "\"lat\"", "\"lat\"", PP_OK, ""},
        {"the opposite direction", "\"frontier_metrics\":{\"lat\":\"min\"}",
         "\"frontier_metrics\":{\"lat\":\"max\"}", PP_ERR_DOMAIN, "'lat'"},
        {"no selected metrics", "\"metrics\":{\"lat\":500.0,\"mem\":100.0,\"q\":1.0,\"tps\":10.0}",
         "\"metrics\":{}", PP_ERR_SCHEMA, "$.selected.metrics"},
        {"a metric that nobody measured then", "\"metrics\":{\"lat\":500.0,\"mem\":100.0,",
         "\"metrics\":{\"lat\":500.0,", PP_OK, ""},
        {"a metric that nobody measures now",
         "\"max_values\":{\"mem\":5000.0},\"min_quality_retention\":0.5,\"min_values\":{\"tps\":1."
         "0}",
         "\"max_values\":{\"mem\":5000.0},\"min_quality_retention\":0.5,\"min_values\":{\"x\":1.0}",
         PP_OK, ""},
        {"another document", "\"selected_id\":\"b\",", "", PP_ERR_SCHEMA, "selected_id"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        scene now = {0};
        pp_error err = {0};
        pp_status st;

        decide_with(&now, constraints_text, "false", (figures){500, 10, 100, 1});
        st = compare_documents(&now, rows[i].from, rows[i].to, &err);
        if (st != rows[i].want)
            fail_msg("%s: %s: %s", rows[i].name, pp_status_name(st), err.text);
        assert_contains(err.text, rows[i].word);
        pp_arena_done(&now.arena);
    }
}

static void measured_figures_are_not_compared_with_others(void **state)
{
    scene before = {0}, now = {0};
    pp_earlier earlier;
    pp_gate gate;
    pp_error err = {0};
    pp_gate_rules rules = {.allow_synthetic = true, .earlier = &earlier};

    (void)state;
    decide_with(&before, constraints_text, "false", (figures){500, 10, 100, 1});
    decide_with(&now, constraints_text, "true", (figures){500, 10, 100, 1});
    assert_ok(pp_earlier_decode(before.recommendation, &earlier, &err), err);
    assert_int_equal(pp_gate_judge(&now.arena, &now.decision, now.passport, &rules, &gate, &err),
                     PP_ERR_DOMAIN);
    assert_contains(err.text, "measured");
    pp_arena_done(&before.arena);
    pp_arena_done(&now.arena);
}

/* The passport, the judgement and both documents of a gate that is missed. */
static pp_status judge_and_write(const void *context, pp_error *err)
{
    const scene *s = context;
    pp_earlier earlier;
    pp_gate_rules rules = {.expected_id = "a", .earlier = &earlier, .max_regression_percent = 5};
    pp_arena arena = {0};
    pp_json *passport;
    pp_gate gate;
    pp_buf out;
    pp_status st = pp_earlier_decode(s->recommendation, &earlier, err);

    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    if (st == PP_OK)
        st = pp_passport_make(&arena, &s->decision, "0", (pp_fingerprints){"b", "c", NULL},
                              &passport, err);
    if (st == PP_OK)
        st = pp_gate_judge(&arena, &s->decision, passport, &rules, &gate, err);
    if (st == PP_OK)
        st = pp_json_write(
            pp_gate_failure_to_json(&arena, &gate, "0", (pp_fingerprints){"b", "c", NULL}),
            PP_JSON_FILE, &out, err);
    if (st == PP_OK)
        st = pp_json_write(pp_gate_regression_to_json(&arena, &gate, "0", "e"), PP_JSON_FILE, &out,
                           err);
    pp_buf_done(&out);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error_everywhere(void **state)
{
    scene s = {0};

    (void)state;
    decide_with(&s, constraints_text, "true", (figures){500, 10, 100, 1});
    assert_true(check_missing_memory(judge_and_write, &s) > 0);
    pp_arena_done(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_missed_rule_is_listed),
        cmocka_unit_test(nothing_eligible_stands_alone),
        cmocka_unit_test(what_is_worse_than_before_is_found),
        cmocka_unit_test(an_earlier_decision_is_read_strictly),
        cmocka_unit_test(measured_figures_are_not_compared_with_others),
        cmocka_unit_test(missing_memory_is_an_error_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
