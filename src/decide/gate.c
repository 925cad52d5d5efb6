#include "decide/gate.h"

#include <string.h>

const char *pp_gate_miss_name(pp_gate_miss_kind kind)
{
    static const char *const names[] = {
        [PP_GATE_NOTHING_ELIGIBLE] = "nothing-eligible",
        [PP_GATE_SYNTHETIC] = "synthetic",
        [PP_GATE_PROVENANCE] = "provenance",
        [PP_GATE_UNEXPECTED_SELECTION] = "unexpected-selection",
        [PP_GATE_REGRESSION] = "regression",
    };

    return names[kind];
}

static const char *selected_id(const pp_gate *gate)
{
    return gate->decision->set->candidates[gate->decision->selected].id.data;
}

/* ---- the rules ------------------------------------------------------------------------------- */

static void miss(pp_gate *gate, pp_gate_miss_kind kind, const char *text)
{
    gate->misses[gate->miss_count++] = (pp_gate_miss){kind, text};
}

static bool is_synthetic(const pp_decision *d)
{
    return !pp_benchmark_set_is_measured(d->set);
}

static void check_origin(pp_arena *arena, pp_gate *gate)
{
    pp_origin origin = gate->decision->set->origin;

    if (is_synthetic(gate->decision) && !gate->rules->allow_synthetic)
        miss(gate, PP_GATE_SYNTHETIC,
             pp_arena_printf(arena, "the figures are not measured (%s: %s)", pp_origin_name(origin),
                             pp_origin_meaning(origin)));
}

static void check_provenance(pp_arena *arena, pp_gate *gate)
{
    pp_grade grade = pp_passport_grade(gate->passport);

    if (gate->rules->require_arm64_provenance && grade != PP_GRADE_ARM64_ATTRIBUTED)
        miss(gate, PP_GATE_PROVENANCE,
             pp_arena_printf(arena, "the evidence is %s, expected %s: %s", pp_grade_name(grade),
                             pp_grade_name(PP_GRADE_ARM64_ATTRIBUTED),
                             pp_passport_issues_text(arena, gate->passport)));
}

static void check_selection(pp_arena *arena, pp_gate *gate)
{
    const char *expected = gate->rules->expected_id;
    pp_text selected = gate->decision->set->candidates[gate->decision->selected].id;

    if (expected != NULL && !pp_text_is(selected, expected))
        miss(gate, PP_GATE_UNEXPECTED_SELECTION,
             pp_arena_printf(arena, "expected '%s' to be selected, got '%s'", expected,
                             selected.data));
}

static pp_status check_regression(pp_arena *arena, pp_gate *gate, pp_error *err)
{
    const pp_gate_rules *rules = gate->rules;
    pp_status st;

    if (rules->earlier == NULL)
        return PP_OK;
    if (!rules->earlier->synthetic && is_synthetic(gate->decision))
        return pp_fail(err, PP_ERR_DOMAIN,
                       "cannot compare with the earlier decision: its figures are measured, these "
                       "are not");
    st = pp_regressions_find(arena, gate->decision, rules->earlier, rules->max_regression_percent,
                             &gate->regressions, err);
    if (st == PP_OK && gate->regressions.missed_count > 0)
        miss(gate, PP_GATE_REGRESSION,
             pp_arena_printf(arena,
                             "'%s' is worse than '%s' was, by more than %g %%, in %zu of %zu "
                             "metrics",
                             selected_id(gate), rules->earlier->selected_id.data,
                             rules->max_regression_percent, gate->regressions.missed_count,
                             gate->regressions.count));
    return st;
}

pp_status pp_gate_judge(pp_arena *arena, const pp_decision *decision, const pp_json *passport,
                        const pp_gate_rules *rules, pp_gate *ret_gate, pp_error *err)
{
    pp_gate gate = {.decision = decision, .passport = passport, .rules = rules};
    pp_status st;

    if (!decision->has_winner) {
        miss(&gate, PP_GATE_NOTHING_ELIGIBLE,
             pp_arena_printf(arena, "no candidate is eligible: all %zu miss a limit",
                             decision->set->candidate_count));
        *ret_gate = gate;
        return pp_arena_check(arena, err);
    }
    check_origin(arena, &gate);
    check_provenance(arena, &gate);
    check_selection(arena, &gate);
    st = check_regression(arena, &gate, err);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    *ret_gate = gate;
    return st;
}

/* ---- passed ---------------------------------------------------------------------------------- */

static void put_file(pp_arena *arena, pp_json *out, const char *key, const pp_gate_file *file)
{
    pp_json_set_string(arena, out, key, file->path);
    pp_json_set_string(arena, out, pp_arena_printf(arena, "%s_sha256", key), file->sha256);
}

pp_json *pp_gate_to_json(pp_arena *arena, const pp_gate *gate,
                         const pp_gate_file files[PP_GATE_FILE_COUNT])
{
    static const char *const keys[] = {
        [PP_GATE_RECOMMENDATION] = "recommendation",
        [PP_GATE_REPORT] = "report",
        [PP_GATE_PASSPORT] = "decision_passport",
        [PP_GATE_RECEIPT] = "optimization_receipt",
    };
    const pp_decision *d = gate->decision;
    pp_json *out = pp_json_new_object(arena);

    PP_ASSERT(gate->miss_count == 0);
    pp_json_set_string(arena, out, "schema_version", "1.2");
    pp_json_set_bool(arena, out, "valid", true);
    pp_json_set_text(arena, out, "selected_id", d->set->candidates[d->selected].id);
    pp_json_set_text(arena, out, "baseline_id", d->set->baseline_id);
    pp_json_set_string(arena, out, "expected_selected_id", gate->rules->expected_id);
    pp_json_set_bool(arena, out, "expectation_matched", true);
    pp_json_set_bool(arena, out, "synthetic_source", is_synthetic(d));
    pp_json_set_int(arena, out, "candidate_count", (int64_t)d->set->candidate_count);
    pp_json_set_int(arena, out, "eligible_count", (int64_t)d->eligible.count);
    pp_json_set_int(arena, out, "frontier_count", (int64_t)d->frontier.count);
    pp_json_set_string(arena, out, "evidence_grade", pp_passport_grade_text(gate->passport));
    for (int i = 0; i < PP_GATE_FILE_COUNT; i++)
        put_file(arena, out, keys[i], &files[i]);
    return out;
}

/* ---- missed ---------------------------------------------------------------------------------- */

static pp_json *misses_to_json(pp_arena *arena, const pp_gate *gate)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < gate->miss_count; i++) {
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_string(arena, row, "kind", pp_gate_miss_name(gate->misses[i].kind));
        pp_json_set_string(arena, row, "text", gate->misses[i].text);
        pp_json_add(arena, out, row);
    }
    return out;
}

static pp_json *regressions_to_json(pp_arena *arena, const pp_gate *gate)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < gate->regressions.count; i++)
        pp_json_add(arena, out, pp_regression_to_json(arena, &gate->regressions.items[i]));
    return out;
}

static pp_json *rejected_to_json(pp_arena *arena, const pp_decision *d)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < d->set->candidate_count; i++) {
        const pp_violations *violations = &d->verdicts[i].violations;
        pp_json *texts = pp_json_new_array(arena);

        for (size_t j = 0; j < violations->count; j++)
            pp_json_add(arena, texts, pp_json_new_text(arena, violations->items[j].text));
        if (violations->count > 0)
            pp_json_set_text_key(arena, out, d->set->candidates[i].id, texts);
    }
    return out;
}

static void put_selection(pp_arena *arena, pp_json *out, const pp_gate *gate)
{
    const pp_decision *d = gate->decision;

    pp_json_set_text(arena, out, "baseline_id", d->set->baseline_id);
    if (d->has_winner) {
        pp_json_set_text(arena, out, "selected_id", d->set->candidates[d->selected].id);
        pp_json_set_string(arena, out, "evidence_grade", pp_passport_grade_text(gate->passport));
    } else {
        pp_json_set_null(arena, out, "selected_id");
        pp_json_set_null(arena, out, "evidence_grade");
    }
    pp_json_set_string(arena, out, "origin", pp_origin_name(d->set->origin));
    pp_json_set_int(arena, out, "candidate_count", (int64_t)d->set->candidate_count);
    pp_json_set_int(arena, out, "eligible_count", (int64_t)d->eligible.count);
}

pp_json *pp_gate_failure_to_json(pp_arena *arena, const pp_gate *gate, const char *tool_version,
                                 pp_fingerprints fingerprints)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "document", "gate-failure");
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_fingerprints_put(arena, out, fingerprints);
    pp_json_set_bool(arena, out, "valid", false);
    put_selection(arena, out, gate);
    pp_json_set(arena, out, "misses", misses_to_json(arena, gate));
    pp_json_set(arena, out, "rejected", rejected_to_json(arena, gate->decision));
    pp_json_set(arena, out, "regressions", regressions_to_json(arena, gate));
    return out;
}

pp_json *pp_gate_regression_to_json(pp_arena *arena, const pp_gate *gate, const char *tool_version,
                                    const char *earlier_sha256)
{
    const pp_decision *d = gate->decision;
    const pp_gate_rules *rules = gate->rules;
    pp_json *out = pp_json_new_object(arena);

    PP_ASSERT(rules->earlier != NULL && d->has_winner);
    pp_json_set_string(arena, out, "document", "regression");
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_json_set_string(arena, out, "earlier_sha256", earlier_sha256);
    pp_json_set_text(arena, out, "earlier_selected_id", rules->earlier->selected_id);
    pp_json_set_text(arena, out, "selected_id", d->set->candidates[d->selected].id);
    pp_json_set_real(arena, out, "max_regression_percent", rules->max_regression_percent);
    pp_json_set(arena, out, "metrics", regressions_to_json(arena, gate));
    return out;
}
