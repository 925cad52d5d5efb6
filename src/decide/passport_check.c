#include "decide/passport_check.h"

#include <math.h>

#include "decide/passport_check_parts.h"
#include "model/document_kinds.h"
#include "stats/close.h"

/* ---- shared ---------------------------------------------------------------------------------- */

const pp_json *pp_view_stage(const pp_passport_view *view, size_t position)
{
    return view->ladder->array.items[position];
}

const pp_json *pp_view_stage_of(const pp_passport_view *view, pp_text id)
{
    size_t position = pp_name_index_find(&view->by_id, id);

    return position == PP_NOT_FOUND ? NULL : pp_view_stage(view, position);
}

pp_maybe_real pp_checked_maybe(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    PP_ASSERT(value != NULL);
    return value->kind == PP_JSON_NULL ? (pp_maybe_real){0} : pp_known_real(pp_checked_real(value));
}

pp_status pp_passport_check_number(const pp_json *object, const char *key, double want,
                                   pp_error *err)
{
    const pp_json *at = pp_json_find(object, key);
    pp_maybe_real got = pp_checked_maybe(object, key);

    if (!isfinite(want))
        return got.known ? pp_json_fail(at, err, "expected null, got %.17g", got.value) : PP_OK;
    if (!got.known)
        return pp_json_fail(at, err, "expected %.17g, got null", want);
    if (!pp_close(got.value, want, PP_PASSPORT_RELATIVE_TOLERANCE, PP_PASSPORT_ABSOLUTE_TOLERANCE))
        return pp_json_fail(at, err, "expected %.17g, got %.17g", want, got.value);
    return PP_OK;
}

pp_status pp_passport_check_distance(const pp_json *distance, double absolute, double boundary,
                                     pp_error *err)
{
    pp_status st = pp_passport_check_number(distance, "absolute", absolute, err);

    if (st == PP_OK)
        st = pp_passport_check_number(distance, "percent_of_boundary",
                                      pp_percent_of(absolute, boundary), err);
    return st;
}

pp_status pp_passport_check_flag(const pp_json *object, const char *key, bool want,
                                 const char *because, pp_error *err)
{
    if (pp_checked_bool(object, key) == want)
        return PP_OK;
    return pp_json_fail(pp_json_find(object, key), err, "expected %s: %s", want ? "true" : "false",
                        because);
}

/* ---- provenance ------------------------------------------------------------------------------ */

/* Every member but those that may be absent in complete evidence, too. */
static pp_status check_present(const pp_json *section, pp_error *err)
{
    for (size_t i = 0; i < section->object.count; i++) {
        const pp_json *value = section->object.members[i].value;

        if (value->kind == PP_JSON_NULL)
            return pp_json_fail(value, err, "null, but the evidence is called attributed");
    }
    return PP_OK;
}

static pp_status check_complete(const pp_json *provenance, pp_error *err)
{
    static const char *const sections[] = {"runner",  "run",   "source",
                                           "runtime", "model", "evaluation_suite"};
    const pp_json *architecture =
        pp_json_find(pp_checked_object(provenance, "runner"), "architecture");
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(sections); i++)
        st = check_present(pp_checked_object(provenance, sections[i]), err);
    if (st == PP_OK && !pp_text_is(architecture->text, "arm64"))
        return pp_json_fail(architecture, err,
                            "expected \"arm64\" where the evidence is called attributed");
    return st;
}

static pp_status check_provenance(const pp_json *passport, pp_error *err)
{
    const pp_json *provenance = pp_checked_object(passport, "provenance");
    bool complete = pp_passport_grade(passport) == PP_GRADE_ARM64_ATTRIBUTED;
    pp_status st = pp_passport_check_flag(provenance, "attribution_complete", complete,
                                          "evidence_grade says otherwise", err);

    if (st == PP_OK && complete != (pp_passport_issues(passport)->array.count == 0))
        return pp_json_fail(pp_passport_issues(passport), err,
                            complete ? "issues, but the evidence is called attributed"
                                     : "no issue, but the evidence is not called attributed");
    return st == PP_OK && complete ? check_complete(provenance, err) : st;
}

/* ---- decision -------------------------------------------------------------------------------- */

static pp_status check_same_text(const pp_json *object, const char *key, const pp_json *other,
                                 const char *other_key, pp_error *err)
{
    pp_text want = pp_checked_text(other, other_key);
    char shown[160];

    if (pp_text_equal(pp_checked_text(object, key), want))
        return PP_OK;
    pp_text_escape_controls(want.data, want.size, shown, sizeof shown);
    return pp_json_fail(pp_json_find(object, key), err, "expected '%s', as the ladder has it",
                        shown);
}

static pp_status check_decision(const pp_passport_view *view, pp_error *err)
{
    const pp_json *decision = pp_checked_object(view->passport, "selected_decision");
    const pp_json *winner = pp_view_stage(view, view->selected);
    const pp_json *baseline = pp_view_stage(view, view->baseline);
    pp_status st = check_same_text(decision, "candidate_id", winner, "candidate_id", err);

    if (st == PP_OK)
        st = check_same_text(decision, "label", winner, "label", err);
    if (st == PP_OK)
        st = check_same_text(decision, "baseline_id", baseline, "candidate_id", err);
    if (st == PP_OK)
        st = pp_passport_check_flag(decision, "baseline_retained", winner == baseline,
                                    "the ladder says which stages are chosen and baseline", err);
    if (st == PP_OK)
        st = pp_passport_check_flag(
            decision, "numeric_best",
            pp_text_equal(pp_checked_text(view->objective, "numeric_best_id"),
                          pp_checked_text(winner, "candidate_id")),
            "$.objective.numeric_best_id says otherwise", err);
    return st;
}

/* ---- alternative ----------------------------------------------------------------------------- */

static pp_status check_list(const pp_json *alternative, const char *key, bool improved,
                            bool tradeoff, pp_name_index *names, pp_error *err)
{
    const pp_json *list = pp_checked_list(alternative, key);
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < list->array.count; i++) {
        const pp_json *change = list->array.items[i];
        pp_text effect = pp_checked_text(change, "effect");

        names->entries[names->count] =
            (pp_name_entry){pp_checked_text(change, "metric"), names->count};
        names->count++;
        st = pp_passport_check_change(change, err);
        if (st == PP_OK && (pp_text_is(effect, "improved") != improved ||
                            pp_text_is(effect, "tradeoff") != tradeoff))
            st = pp_json_fail(change, err, "an effect that does not belong into '%s'", key);
    }
    return st;
}

static pp_status check_lists(pp_arena *arena, const pp_json *alternative, pp_error *err)
{
    pp_name_index names;
    size_t most = pp_checked_list(alternative, "improvements")->array.count +
                  pp_checked_list(alternative, "tradeoffs")->array.count +
                  pp_checked_list(alternative, "other_changes")->array.count;
    pp_status st = pp_name_index_init(arena, most, &names, err);

    names.count = 0;
    if (st == PP_OK)
        st = check_list(alternative, "improvements", true, false, &names, err);
    if (st == PP_OK)
        st = check_list(alternative, "tradeoffs", false, true, &names, err);
    if (st == PP_OK)
        st = check_list(alternative, "other_changes", false, false, &names, err);
    if (st != PP_OK)
        return st;
    pp_name_index_sort(&names);
    if (pp_name_index_duplicate(&names) != PP_NOT_FOUND)
        return pp_json_fail(alternative, err, "a metric stands twice among the changes");
    return PP_OK;
}

/* What the alternative repeats of its stage. */
static pp_status check_repeated(const pp_json *alternative, const pp_json *stage, pp_error *err)
{
    static const char *const keys[] = {
        "label",       "stage",    "eligible", "frontier",
        "shortlisted", "selected", "baseline", "constraint_violations"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (!pp_json_equal(pp_json_find(alternative, keys[i]), pp_json_find(stage, keys[i])))
            return pp_json_fail(pp_json_find(alternative, keys[i]), err,
                                "differs from the candidate's stage in the ladder");
    }
    return PP_OK;
}

pp_status pp_passport_check_alternative(pp_arena *arena, const pp_passport_view *view,
                                        pp_error *err)
{
    const pp_json *alternative = pp_json_find(view->passport, "resource_alternative");
    const pp_json *stage;
    pp_status st;

    if (alternative->kind == PP_JSON_NULL)
        return PP_OK;
    if (pp_passport_grade(view->passport) == PP_GRADE_SYNTHETIC)
        return pp_json_fail(alternative, err, "expected null: the figures are not measured");
    stage = pp_view_stage_of(view, pp_checked_text(alternative, "candidate_id"));
    if (stage == NULL)
        return pp_json_fail(alternative, err, "the candidate is not in the ladder");
    st = check_repeated(alternative, stage, err);
    if (st == PP_OK && (!pp_checked_bool(stage, "eligible") || pp_checked_bool(stage, "selected") ||
                        pp_checked_bool(stage, "baseline")))
        st = pp_json_fail(alternative, err,
                          "expected an eligible candidate other than the chosen and the baseline");
    if (st == PP_OK)
        st = pp_passport_check_flag(alternative, "is_secondary_not_recommendation", true,
                                    "an alternative is no recommendation", err);
    return st == PP_OK ? check_lists(arena, alternative, err) : st;
}

/* ---- all ------------------------------------------------------------------------------------- */

static pp_status check_all(pp_arena *arena, const pp_json *passport, pp_error *err)
{
    pp_passport_view view = {
        .passport = passport,
        .objective = pp_checked_object(passport, "objective"),
        .ladder = pp_checked_list(passport, "ladder"),
    };
    pp_status st = check_provenance(passport, err);

    view.direction = pp_text_is(pp_checked_text(view.objective, "direction"), "min")
                         ? PP_DIRECTION_MIN
                         : PP_DIRECTION_MAX;
    if (st == PP_OK)
        st = pp_passport_check_ladder(arena, &view, err);
    if (st == PP_OK)
        st = check_decision(&view, err);
    if (st == PP_OK)
        st = pp_passport_check_objective(&view, err);
    if (st == PP_OK)
        st = pp_passport_check_closest_outside(&view, err);
    if (st == PP_OK)
        st = pp_passport_check_alternative(arena, &view, err);
    if (st == PP_OK)
        st = pp_passport_check_flag(pp_checked_object(passport, "method"),
                                    "canonical_outputs_modified", false,
                                    "a passport changes no decision", err);
    return st;
}

pp_status pp_passport_check(const pp_json *passport, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = pp_document_check(pp_document_kind_find("passport"), passport, err);

    if (st == PP_OK)
        st = check_all(&arena, passport, err);
    pp_arena_done(&arena);
    return st;
}
