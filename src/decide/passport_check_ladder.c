/* The ladder of a passport: numbers, flags, and what each stage says about the one before. */
#include <math.h>

#include "decide/passport_check_parts.h"

/* ---- changes --------------------------------------------------------------------------------- */

static pp_change change_of(const pp_json *row)
{
    const pp_json *direction = pp_json_find(row, "direction");
    bool has_direction = direction->kind == PP_JSON_STRING;

    return (pp_change){
        .metric = pp_checked_text(row, "metric"),
        .has_direction = has_direction,
        .direction = has_direction && pp_text_is(direction->text, "max") ? PP_DIRECTION_MAX
                                                                         : PP_DIRECTION_MIN,
        .previous = pp_checked_number(row, "previous"),
        .current = pp_checked_number(row, "current"),
    };
}

pp_status pp_passport_check_change(const pp_json *row, pp_error *err)
{
    pp_change change = change_of(row);
    const char *effect = pp_effect_name(pp_change_effect(&change));
    pp_status st = pp_passport_check_number(row, "absolute", pp_change_absolute(&change), err);

    if (change.metric.size == 0)
        return pp_json_fail(pp_json_find(row, "metric"), err, "expected a name, got \"\"");
    if (st == PP_OK)
        st = pp_passport_check_number(row, "percent", pp_change_percent(&change), err);
    if (st == PP_OK && !pp_text_is(pp_checked_text(row, "effect"), effect))
        st = pp_json_fail(pp_json_find(row, "effect"), err, "expected \"%s\"", effect);
    return st;
}

static pp_text metric_at(const pp_json *rows, size_t i)
{
    return pp_checked_text(rows->array.items[i], "metric");
}

static pp_status check_changes(const pp_json *rows, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < rows->array.count; i++) {
        st = pp_passport_check_change(rows->array.items[i], err);
        if (st == PP_OK && i > 0 &&
            pp_text_compare(metric_at(rows, i - 1), metric_at(rows, i)) >= 0)
            st = pp_json_fail(rows->array.items[i], err,
                              "expected metrics by code point, each once");
    }
    return st;
}

/* Sorted, and none of them among the compared ones, which are sorted, too. */
static pp_status check_not_comparable(const pp_json *names, const pp_json *rows, pp_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < names->array.count; i++) {
        const pp_json *name = names->array.items[i];

        if (i > 0 && pp_text_compare(names->array.items[i - 1]->text, name->text) >= 0)
            return pp_json_fail(name, err, "expected metrics by code point, each once");
        while (at < rows->array.count && pp_text_compare(metric_at(rows, at), name->text) < 0)
            at++;
        if (at < rows->array.count && pp_text_equal(metric_at(rows, at), name->text))
            return pp_json_fail(name, err, "the metric is compared above");
    }
    return PP_OK;
}

/* A metric that is compared twice in a row has one value at the stage between. */
static pp_status check_continuity(const pp_json *before, const pp_json *after, pp_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < after->array.count; i++) {
        pp_text name = metric_at(after, i);

        while (at < before->array.count && pp_text_compare(metric_at(before, at), name) < 0)
            at++;
        if (at == before->array.count || !pp_text_equal(metric_at(before, at), name))
            continue;
        if (pp_checked_number(before->array.items[at], "current") !=
            pp_checked_number(after->array.items[i], "previous"))
            return pp_json_fail(pp_json_find(after->array.items[i], "previous"), err,
                                "differs from the value at the stage before");
    }
    return PP_OK;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static pp_text tag_of(const pp_json *stage)
{
    const pp_json *tag = pp_json_find(stage, "attribution_stage");

    return tag->kind == PP_JSON_STRING ? tag->text : (pp_text){0};
}

static pp_status check_delta(const pp_passport_view *view, size_t position, pp_error *err)
{
    const pp_json *delta = pp_json_find(pp_view_stage(view, position), "delta_from_previous");
    const pp_json *before;
    const pp_json *rows;
    pp_status st;

    if ((delta->kind == PP_JSON_NULL) != (position == 0))
        return pp_json_fail(delta, err,
                            position == 0 ? "expected null for the first stage"
                                          : "expected an object, got null");
    if (position == 0)
        return PP_OK;
    before = pp_view_stage(view, position - 1);
    rows = pp_checked_list(delta, "metrics");
    if (!pp_text_equal(pp_checked_text(delta, "previous_candidate_id"),
                       pp_checked_text(before, "candidate_id")))
        return pp_json_fail(pp_json_find(delta, "previous_candidate_id"), err,
                            "expected the candidate of the stage before");
    st = check_changes(rows, err);
    if (st == PP_OK)
        st = check_not_comparable(pp_checked_list(delta, "not_comparable_metrics"), rows, err);
    if (st == PP_OK && position > 1)
        st = check_continuity(
            pp_checked_list(pp_checked_object(before, "delta_from_previous"), "metrics"), rows,
            err);
    return st;
}

static pp_status check_flags(const pp_json *stage, pp_error *err)
{
    bool inside = pp_checked_list(stage, "constraint_violations")->array.count == 0;
    pp_status st = pp_passport_check_flag(stage, "eligible", inside,
                                          "constraint_violations says otherwise", err);

    if (st == PP_OK && pp_checked_bool(stage, "frontier"))
        st = pp_passport_check_flag(stage, "eligible", true, "it is on the frontier", err);
    if (st == PP_OK && pp_checked_bool(stage, "shortlisted"))
        st = pp_passport_check_flag(stage, "frontier", true, "it is on the shortlist", err);
    if (st == PP_OK && pp_checked_bool(stage, "selected"))
        st = pp_passport_check_flag(stage, "shortlisted", true, "it is the chosen one", err);
    return st;
}

static pp_status check_stage(const pp_passport_view *view, size_t position, pp_error *err)
{
    const pp_json *stage = pp_view_stage(view, position);
    size_t rank = pp_stage_rank(tag_of(stage));
    pp_status st;

    if (pp_json_find(stage, "stage")->integer != (int64_t)position + 1)
        return pp_json_fail(pp_json_find(stage, "stage"), err, "expected %zu", position + 1);
    if (position > 0 && rank < pp_stage_rank(tag_of(pp_view_stage(view, position - 1))))
        return pp_json_fail(stage, err, "the stage belongs before the one above it");
    st = pp_passport_check_flag(stage, "recognized_attribution_stage", rank < PP_STAGE_COUNT,
                                "attribution_stage says otherwise", err);
    if (st == PP_OK)
        st = check_flags(stage, err);
    return st == PP_OK ? check_delta(view, position, err) : st;
}

/* ---- all ------------------------------------------------------------------------------------- */

static pp_status index_stages(pp_arena *arena, pp_passport_view *view, pp_error *err)
{
    pp_status st = pp_name_index_init(arena, view->ladder->array.count, &view->by_id, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < view->ladder->array.count; i++)
        view->by_id.entries[i] =
            (pp_name_entry){pp_checked_text(pp_view_stage(view, i), "candidate_id"), i};
    pp_name_index_sort(&view->by_id);
    twice = pp_name_index_duplicate(&view->by_id);
    if (twice != PP_NOT_FOUND)
        return pp_json_fail(pp_json_find(pp_view_stage(view, twice), "candidate_id"), err,
                            "the id is taken already");
    return PP_OK;
}

/* Position of the one stage with this flag. */
static pp_status find_only(const pp_passport_view *view, const char *flag, size_t *ret_position,
                           pp_error *err)
{
    size_t found = PP_NOT_FOUND;

    for (size_t i = 0; i < view->ladder->array.count; i++) {
        if (!pp_checked_bool(pp_view_stage(view, i), flag))
            continue;
        if (found != PP_NOT_FOUND)
            return pp_json_fail(pp_json_find(pp_view_stage(view, i), flag), err,
                                "expected one such stage, got another");
        found = i;
    }
    if (found == PP_NOT_FOUND)
        return pp_json_fail(view->ladder, err, "expected one stage that is '%s', got none", flag);
    *ret_position = found;
    return PP_OK;
}

pp_status pp_passport_check_ladder(pp_arena *arena, pp_passport_view *view, pp_error *err)
{
    pp_status st = index_stages(arena, view, err);

    for (size_t i = 0; st == PP_OK && i < view->ladder->array.count; i++)
        st = check_stage(view, i, err);
    if (st == PP_OK)
        st = find_only(view, "selected", &view->selected, err);
    if (st == PP_OK)
        st = find_only(view, "baseline", &view->baseline, err);
    return st;
}
