/* The objective of a passport: boundary, distances, shortlist, and who stands closest behind it. */
#include <math.h>

#include "decide/passport_check_parts.h"
#include "stats/close.h"

/* The boundary as the passport has it; infinite where it is null. */
static double boundary_of(const pp_passport_view *view)
{
    pp_maybe_real boundary = pp_checked_maybe(view->objective, "shortlist_boundary");

    if (boundary.known)
        return boundary.value;
    return view->direction == PP_DIRECTION_MIN ? INFINITY : -INFINITY;
}

/* The value of the stage that `id_key` names must be the one under `value_key`. */
static pp_status check_value(const pp_passport_view *view, pp_text id, const char *value_key,
                             pp_error *err)
{
    const pp_json *stage = pp_view_stage_of(view, id);
    const pp_json *at = pp_json_find(view->objective, value_key);
    pp_maybe_real value;

    if (stage == NULL)
        return pp_json_fail(at, err, "the candidate is not in the ladder");
    value = pp_checked_maybe(stage, "objective_value");
    if (!value.known || value.value != pp_checked_real(at))
        return pp_json_fail(at, err, "differs from the candidate's value in the ladder");
    return PP_OK;
}

/* A value is behind the boundary when it is more than a last digit behind. */
static bool is_behind(const pp_passport_view *view, double value)
{
    double boundary = boundary_of(view);

    return pp_boundary_shortfall(view->direction, boundary, value) > 0.0 &&
           !pp_close(value, boundary, PP_PASSPORT_RELATIVE_TOLERANCE,
                     PP_PASSPORT_ABSOLUTE_TOLERANCE);
}

/* ---- boundary -------------------------------------------------------------------------------- */

static pp_status check_boundary(const pp_passport_view *view, pp_error *err)
{
    const pp_json *objective = view->objective;
    const char *rule = view->direction == PP_DIRECTION_MIN ? "at-or-below" : "at-or-above";
    pp_boundary want =
        pp_boundary_of(view->direction, pp_checked_number(objective, "numeric_best_value"),
                       pp_checked_number(objective, "tolerance_percent"));
    pp_status st = pp_passport_check_number(objective, "tolerance_margin", want.margin, err);

    if (st == PP_OK)
        st = pp_passport_check_number(objective, "shortlist_boundary", want.value, err);
    if (st == PP_OK && !pp_text_is(pp_checked_text(objective, "boundary_rule"), rule))
        st = pp_json_fail(pp_json_find(objective, "boundary_rule"), err, "expected \"%s\"", rule);
    return st;
}

static pp_status check_runway(const pp_passport_view *view, pp_error *err)
{
    double boundary = boundary_of(view);
    double selected = pp_checked_number(view->objective, "selected_value");
    double runway = -pp_boundary_shortfall(view->direction, boundary, selected);

    if (is_behind(view, selected))
        return pp_json_fail(pp_json_find(view->objective, "selected_value"), err,
                            "behind the boundary %.17g", boundary);
    if (!(runway > 0.0))
        runway = 0.0; /* as the format has it */
    return pp_passport_check_distance(pp_checked_object(view->objective, "selected_runway"), runway,
                                      boundary, err);
}

/* ---- shortlist ------------------------------------------------------------------------------- */

static pp_status check_shortlisted(const pp_passport_view *view, const pp_json *id, pp_error *err)
{
    const pp_json *stage = pp_view_stage_of(view, id->text);
    pp_maybe_real value;

    if (stage == NULL || !pp_checked_bool(stage, "shortlisted"))
        return pp_json_fail(id, err, "no stage of the ladder with this id is on the shortlist");
    value = pp_checked_maybe(stage, "objective_value");
    if (!value.known || is_behind(view, value.value))
        return pp_json_fail(id, err, "the candidate's value is not inside the boundary");
    return PP_OK;
}

static size_t count_shortlisted(const pp_passport_view *view)
{
    size_t count = 0;

    for (size_t i = 0; i < view->ladder->array.count; i++)
        count += pp_checked_bool(pp_view_stage(view, i), "shortlisted");
    return count;
}

/* Each once and by code point, so that counting them shows that none is missing. */
static pp_status check_shortlist(const pp_passport_view *view, pp_error *err)
{
    const pp_json *ids = pp_checked_list(view->objective, "shortlist_ids");
    const pp_json *best = pp_json_find(view->objective, "numeric_best_id");
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < ids->array.count; i++) {
        st = check_shortlisted(view, ids->array.items[i], err);
        if (st == PP_OK && i > 0 &&
            pp_text_compare(ids->array.items[i - 1]->text, ids->array.items[i]->text) >= 0)
            st = pp_json_fail(ids->array.items[i], err, "expected ids by code point, each once");
    }
    if (st == PP_OK && ids->array.count != count_shortlisted(view))
        return pp_json_fail(ids, err,
                            "expected every stage of the ladder that is on the shortlist");
    return st == PP_OK ? check_shortlisted(view, best, err) : st;
}

/* Nobody on the frontier is better than the numeric best. */
static pp_status check_best(const pp_passport_view *view, pp_error *err)
{
    double best = pp_checked_number(view->objective, "numeric_best_value");

    for (size_t i = 0; i < view->ladder->array.count; i++) {
        const pp_json *stage = pp_view_stage(view, i);
        pp_maybe_real value = pp_checked_maybe(stage, "objective_value");

        if (!pp_checked_bool(stage, "frontier"))
            continue;
        if (!value.known)
            return pp_json_fail(pp_json_find(stage, "objective_value"), err,
                                "expected a number on the frontier, got null");
        if (pp_boundary_shortfall(view->direction, best, value.value) < 0.0)
            return pp_json_fail(pp_json_find(stage, "objective_value"), err,
                                "better than $.objective.numeric_best_value");
    }
    return PP_OK;
}

pp_status pp_passport_check_objective(const pp_passport_view *view, pp_error *err)
{
    const pp_json *winner = pp_view_stage(view, view->selected);
    pp_status st = check_value(view, pp_checked_text(view->objective, "numeric_best_id"),
                               "numeric_best_value", err);

    if (st == PP_OK)
        st = check_value(view, pp_checked_text(winner, "candidate_id"), "selected_value", err);
    if (st == PP_OK)
        st = check_best(view, err);
    if (st == PP_OK)
        st = check_boundary(view, err);
    if (st == PP_OK)
        st = check_runway(view, err);
    return st == PP_OK ? check_shortlist(view, err) : st;
}

/* ---- closest outside ------------------------------------------------------------------------- */

/* The least shortfall of the frontier outside the shortlist; infinite when nobody is there. */
static double least_shortfall(const pp_passport_view *view)
{
    double least = INFINITY;

    for (size_t i = 0; i < view->ladder->array.count; i++) {
        const pp_json *stage = pp_view_stage(view, i);

        if (pp_checked_bool(stage, "frontier") && !pp_checked_bool(stage, "shortlisted"))
            least = fmin(least,
                         pp_boundary_shortfall(view->direction, boundary_of(view),
                                               pp_checked_maybe(stage, "objective_value").value));
    }
    return least;
}

static bool has_outside(const pp_passport_view *view)
{
    for (size_t i = 0; i < view->ladder->array.count; i++) {
        const pp_json *stage = pp_view_stage(view, i);

        if (pp_checked_bool(stage, "frontier") && !pp_checked_bool(stage, "shortlisted"))
            return true;
    }
    return false;
}

static pp_status check_same(const pp_json *outside, const pp_json *stage, pp_error *err)
{
    static const char *const keys[] = {"label", "stage", "objective_value"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (!pp_json_equal(pp_json_find(outside, keys[i]), pp_json_find(stage, keys[i])))
            return pp_json_fail(pp_json_find(outside, keys[i]), err,
                                "differs from the candidate's stage in the ladder");
    }
    return PP_OK;
}

pp_status pp_passport_check_closest_outside(const pp_passport_view *view, pp_error *err)
{
    const pp_json *outside = pp_json_find(view->passport, "closest_outside_shortlist");
    const pp_json *stage;
    double boundary = boundary_of(view);
    double shortfall;
    pp_status st;

    if ((outside->kind == PP_JSON_NULL) == has_outside(view))
        return pp_json_fail(outside, err,
                            has_outside(view) ? "expected an object: the ladder has such stages"
                                              : "expected null: the ladder has no such stage");
    if (outside->kind == PP_JSON_NULL)
        return PP_OK;
    stage = pp_view_stage_of(view, pp_checked_text(outside, "candidate_id"));
    if (stage == NULL || !pp_checked_bool(stage, "frontier") ||
        pp_checked_bool(stage, "shortlisted"))
        return pp_json_fail(outside, err, "expected a frontier candidate outside the shortlist");
    st = check_same(outside, stage, err);
    if (st != PP_OK)
        return st;
    shortfall = pp_boundary_shortfall(view->direction, boundary,
                                      pp_checked_number(outside, "objective_value"));
    if (shortfall > least_shortfall(view))
        return pp_json_fail(outside, err, "another stage of the ladder is closer");
    return pp_passport_check_distance(pp_checked_object(outside, "shortfall_to_shortlist"),
                                      shortfall, boundary, err);
}
