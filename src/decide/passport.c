#include "decide/passport.h"

#include "decide/passport_parts.h"

const char *pp_grade_name(pp_grade grade)
{
    static const char *const names[] = {
        [PP_GRADE_SYNTHETIC] = "synthetic",
        [PP_GRADE_MEASURED_UNATTRIBUTED] = "measured-unattributed",
        [PP_GRADE_ARM64_ATTRIBUTED] = "arm64-attributed",
    };

    return names[grade];
}

static pp_json *selected_decision(pp_arena *arena, const pp_decision *d)
{
    const pp_candidate *winner = &d->set->candidates[d->selected];
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "candidate_id", winner->id);
    pp_json_set_text(arena, out, "label", winner->label);
    pp_json_set_text(arena, out, "baseline_id", d->set->baseline_id);
    pp_json_set_bool(arena, out, "baseline_retained", d->selected == d->set->baseline_index);
    pp_json_set_bool(arena, out, "numeric_best", d->selected == d->numeric_best);
    pp_json_set_string(arena, out, "reason", pp_decision_reason(arena, d));
    return out;
}

static pp_json *method(pp_arena *arena, bool synthetic)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "selection",
                       "Limits first, then the frontier of the eligible, then the tolerance "
                       "around the best objective, then the preference order. This document "
                       "repeats that decision and does not take part in it.");
    pp_json_set_string(arena, out, "ladder_order",
                       "Candidates with the stages reference, quantization, arm-kernel and "
                       "runtime-tuning in this order, then all others, each group in the order of "
                       "the set. A stage is what the set calls it; whether a step changes one "
                       "setting only was not checked.");
    pp_json_set_string(
        arena, out, "resource_alternative",
        synthetic ? "None is named: the figures are not measured."
                  : "An eligible candidate other than the chosen one and the baseline that needs "
                    "less memory or a smaller file than the baseline: the least of both, and "
                    "among those within 0.1 % of it the fastest at reading prompts. It is a second "
                    "look at the same figures, not a recommendation.");
    pp_json_set_string(
        arena, out, "current_boundary_caveat",
        synthetic ? "Boundary and distances are arithmetic on figures that are not measured."
                  : "Boundary and distances hold for these figures. They say nothing about how "
                    "far the figures would move when measured again.");
    pp_json_set_bool(arena, out, "canonical_outputs_modified", false);
    return out;
}

static pp_json *document(pp_arena *arena, const pp_ladder *ladder, const char *tool_version,
                         pp_fingerprints fingerprints)
{
    const pp_decision *d = ladder->decision;
    pp_json *out = pp_json_new_object(arena);
    pp_grade grade;
    pp_json *provenance = pp_passport_provenance(arena, d->set, &grade);
    bool synthetic = grade == PP_GRADE_SYNTHETIC;

    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_json_set_string(arena, out, "evidence_grade", pp_grade_name(grade));
    pp_json_set(arena, out, "provenance", provenance);
    pp_json_set(arena, out, "selected_decision", selected_decision(arena, d));
    pp_json_set(arena, out, "objective", pp_passport_objective(arena, d));
    pp_json_set(arena, out, "ladder", pp_passport_ladder(arena, ladder));
    pp_json_set(arena, out, "closest_outside_shortlist",
                pp_passport_closest_outside(arena, ladder));
    pp_json_set(arena, out, "resource_alternative",
                synthetic ? pp_json_new_null(arena) : pp_passport_alternative(arena, ladder));
    pp_json_set(arena, out, "method", method(arena, synthetic));
    pp_fingerprints_put(arena, out, fingerprints);
    return out;
}

pp_status pp_passport_make(pp_arena *arena, const pp_decision *decision, const char *tool_version,
                           pp_fingerprints fingerprints, pp_json **ret_passport, pp_error *err)
{
    pp_ladder ladder;
    pp_json *passport;
    pp_status st;

    if (!decision->has_winner)
        return pp_fail(err, PP_ERR_NO_WINNER,
                       "no candidate is eligible, so there is nothing to write a passport for");
    st = pp_ladder_init(arena, decision, &ladder, err);
    if (st != PP_OK)
        return st;
    passport = document(arena, &ladder, tool_version, fingerprints);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_passport = passport;
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */

pp_grade pp_passport_grade(const pp_json *passport)
{
    const pp_json *word = pp_json_find(passport, "evidence_grade");
    pp_grade grade = PP_GRADE_ARM64_ATTRIBUTED;

    PP_ASSERT(word != NULL && word->kind == PP_JSON_STRING);
    while (grade > PP_GRADE_SYNTHETIC && !pp_text_is(word->text, pp_grade_name(grade)))
        grade--;
    return grade;
}

const char *pp_passport_grade_text(const pp_json *passport)
{
    return pp_grade_name(pp_passport_grade(passport));
}

const pp_json *pp_passport_issues(const pp_json *passport)
{
    const pp_json *issues = pp_json_find(pp_json_find(passport, "provenance"), "issues");

    PP_ASSERT(issues != NULL && issues->kind == PP_JSON_ARRAY);
    return issues;
}

const char *pp_passport_issues_text(pp_arena *arena, const pp_json *passport)
{
    const pp_json *issues = pp_passport_issues(passport);
    pp_buf line;
    const char *text;

    pp_buf_init(&line, PP_JSON_MAX_BYTES);
    for (size_t i = 0; i < issues->array.count; i++) {
        if (i > 0)
            pp_buf_append_text(&line, "; ");
        pp_buf_append(&line, issues->array.items[i]->text.data, issues->array.items[i]->text.size);
    }
    text = line.status == PP_OK ? pp_arena_dup(arena, pp_buf_text(&line), line.size) : NULL;
    pp_buf_done(&line);
    return text;
}
