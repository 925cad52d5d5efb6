/* The document of stability.h, written and read. Reading trusts no figure: values of passes are
 * taken, everything else is computed from them and compared. */
#include <string.h>

#include "decide/stability.h"
#include "model/document_kinds.h"
#include "stats/close.h"

#define METHOD           "observed pass direction and relative spread; no significance claim"
#define FIGURE_TOLERANCE 1e-12 /* relative and absolute */

/* ---- writing ------------------------------------------------------------------------------- */

static pp_json *number_or_null(pp_arena *arena, bool known, double value)
{
    return known ? pp_json_new_real(arena, value) : pp_json_new_null(arena);
}

static pp_json *value_to_json(pp_arena *arena, pp_text label, const pp_stability_value *value)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "pass_label", label);
    pp_json_set_real(arena, out, "candidate_value", value->candidate);
    pp_json_set_real(arena, out, "baseline_value", value->baseline);
    pp_json_set(arena, out, "relative_delta_percent",
                number_or_null(arena, value->has_delta, value->delta_percent));
    pp_json_set_string(arena, out, "comparison", pp_trend_name(value->comparison));
    return out;
}

static pp_json *row_to_json(pp_arena *arena, const pp_stability *s, size_t index)
{
    const pp_stability_row *row = &s->rows[index];
    const pp_goal *goal = &s->goals[index % s->goal_count];
    pp_json *out = pp_json_new_object(arena);
    pp_json *values = pp_json_new_array(arena);

    for (size_t i = 0; i < s->pass_count; i++)
        pp_json_add(arena, values, value_to_json(arena, s->pass_labels[i], &row->values[i]));
    pp_json_set_text(arena, out, "candidate_id", s->candidates[index / s->goal_count].id);
    pp_json_set_text(arena, out, "metric", goal->metric);
    pp_json_set_string(arena, out, "direction", pp_direction_name(goal->direction));
    pp_json_set(arena, out, "pass_values", values);
    pp_json_set(arena, out, "relative_spread_percent",
                number_or_null(arena, row->has_spread, row->spread_percent));
    pp_json_set_string(arena, out, "consistency", pp_trend_consistency(row->overall));
    pp_json_set_string(arena, out, "overall_direction", pp_trend_name(row->overall));
    return out;
}

static void put_passes(pp_arena *arena, const pp_stability *s, pp_json *out)
{
    pp_json *labels = pp_json_new_array(arena);
    pp_json *fingerprints = pp_json_new_object(arena);

    for (size_t i = 0; i < s->pass_count; i++) {
        pp_json_add(arena, labels, pp_json_new_text(arena, s->pass_labels[i]));
        if (s->pass_sha256 != NULL)
            pp_json_set_text_key(arena, fingerprints, s->pass_labels[i],
                                 pp_json_new_text(arena, s->pass_sha256[i]));
    }
    pp_json_set(arena, out, "pass_labels", labels);
    pp_json_set(arena, out, "input_fingerprints", fingerprints);
}

pp_json *pp_stability_to_json(pp_arena *arena, const pp_stability *s)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *directions = pp_json_new_object(arena);
    pp_json *candidates = pp_json_new_object(arena);
    pp_json *rows = pp_json_new_array(arena);

    for (size_t i = 0; i < s->goal_count; i++)
        pp_json_set_text_key(arena, directions, s->goals[i].metric,
                             pp_json_new_string(arena, pp_direction_name(s->goals[i].direction)));
    for (size_t i = 0; i < s->candidate_count; i++)
        pp_json_set_text_key(arena, candidates, s->candidates[i].id,
                             pp_json_new_text(arena, s->candidates[i].sha256));
    for (size_t i = 0; i < s->candidate_count * s->goal_count; i++)
        pp_json_add(arena, rows, row_to_json(arena, s, i));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "method", METHOD);
    pp_json_set_text(arena, out, "baseline_id", s->baseline_id);
    pp_json_set_bool(arena, out, "synthetic", s->synthetic);
    put_passes(arena, s, out);
    pp_json_set(arena, out, "metric_directions", directions);
    pp_json_set(arena, out, "candidate_configuration_fingerprints", candidates);
    pp_json_set(arena, out, "rows", rows);
    return out;
}

/* ---- reading: passes, metrics, candidates -------------------------------------------------- */

static pp_status check_name(const pp_json *at, const char *what, pp_text name, pp_error *err)
{
    pp_error why = {0};

    if (pp_stability_check_name(what, name, &why) != PP_OK)
        return pp_json_fail(at, err, "%s", why.text);
    return PP_OK;
}

static pp_status decode_labels(pp_arena *arena, const pp_json *root, pp_stability *s, pp_error *err)
{
    const pp_json *labels = pp_checked_list(root, "pass_labels");
    pp_status st;

    s->pass_count = labels->array.count;
    s->pass_labels = PP_ARENA_NEW(arena, pp_text, s->pass_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < s->pass_count; i++) {
        const pp_json *label = labels->array.items[i];

        s->pass_labels[i] = label->text;
        st = check_name(label, "label", label->text, err);
        for (size_t j = 0; st == PP_OK && j < i; j++) {
            if (pp_text_equal(s->pass_labels[j], label->text))
                st = pp_json_fail(label, err, "the label '%s' is given twice", label->text.data);
        }
    }
    return st;
}

/* None, or one for each label, in any order. */
static pp_status decode_inputs(pp_arena *arena, const pp_json *root, pp_stability *s, pp_error *err)
{
    const pp_json *inputs = pp_checked_object(root, "input_fingerprints");
    pp_status st;

    if (inputs->object.count == 0)
        return PP_OK;
    if (inputs->object.count != s->pass_count)
        return pp_json_fail(inputs, err, "expected none or one for each of %zu passes, got %zu",
                            s->pass_count, inputs->object.count);
    s->pass_sha256 = PP_ARENA_NEW(arena, pp_text, s->pass_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < s->pass_count; i++) {
        const pp_json *sha256 = pp_json_find_text(inputs, s->pass_labels[i]);

        if (sha256 == NULL)
            st =
                pp_json_fail(inputs, err, "expected a digest of pass '%s'", s->pass_labels[i].data);
        else
            s->pass_sha256[i] = sha256->text;
    }
    return st;
}

/* Members of an object by name. */
static pp_status sort_members(pp_arena *arena, const pp_json *object, const char *what,
                              pp_name_index *ret_names, pp_error *err)
{
    pp_status st = pp_name_index_init(arena, object->object.count, ret_names, err);

    for (size_t i = 0; st == PP_OK && i < object->object.count; i++) {
        pp_text key = object->object.members[i].key;

        ret_names->entries[i] = (pp_name_entry){key, i};
        st = check_name(object, what, key, err);
    }
    if (st == PP_OK)
        pp_name_index_sort(ret_names);
    return st;
}

static pp_status decode_goals(pp_arena *arena, const pp_json *root, pp_stability *s, pp_error *err)
{
    const pp_json *directions = pp_checked_object(root, "metric_directions");
    pp_name_index names;
    pp_status st = sort_members(arena, directions, "metric", &names, err);

    if (st != PP_OK)
        return st;
    s->goal_count = names.count;
    s->goals = PP_ARENA_NEW(arena, pp_goal, names.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < names.count; i++) {
        const pp_json *word = directions->object.members[names.entries[i].number].value;

        s->goals[i] =
            (pp_goal){names.entries[i].name,
                      pp_text_is(word->text, "min") ? PP_DIRECTION_MIN : PP_DIRECTION_MAX};
    }
    return st;
}

static pp_status decode_candidates(pp_arena *arena, const pp_json *root, pp_stability *s,
                                   pp_error *err)
{
    const pp_json *map = pp_checked_object(root, "candidate_configuration_fingerprints");
    pp_name_index names;
    pp_status st = sort_members(arena, map, "candidate", &names, err);

    if (st != PP_OK)
        return st;
    if (pp_name_index_find(&names, s->baseline_id) == PP_NOT_FOUND)
        return pp_json_fail(map, err, "expected the baseline '%s' among the candidates",
                            s->baseline_id.data);
    s->candidate_count = names.count;
    s->candidates = PP_ARENA_NEW(arena, pp_stability_candidate, names.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < names.count; i++)
        s->candidates[i] = (pp_stability_candidate){
            names.entries[i].name, map->object.members[names.entries[i].number].value->text};
    return st;
}

/* ---- reading: rows ------------------------------------------------------------------------- */

static pp_status expect_text(const pp_json *object, const char *key, pp_text want, pp_error *err)
{
    pp_text got = pp_checked_text(object, key);

    if (pp_text_equal(got, want))
        return PP_OK;
    return pp_json_fail(pp_json_find(object, key), err, "expected '%s', got '%s'", want.data,
                        got.data);
}

static pp_status expect_figure(const pp_json *object, const char *key, bool known, double want,
                               pp_error *err)
{
    const pp_json *got = pp_json_find(object, key);

    if (!known && got->kind == PP_JSON_NULL)
        return PP_OK;
    if (!known)
        return pp_json_fail(got, err, "expected null, got %g", pp_checked_real(got));
    if (got->kind == PP_JSON_NULL)
        return pp_json_fail(got, err, "expected %.17g, got null", want);
    if (!pp_close(pp_checked_real(got), want, FIGURE_TOLERANCE, FIGURE_TOLERANCE))
        return pp_json_fail(got, err, "expected %.17g, got %.17g", want, pp_checked_real(got));
    return PP_OK;
}

static pp_status decode_value(const pp_stability *s, const pp_json *object, size_t pass,
                              pp_direction direction, pp_stability_value *value, pp_error *err)
{
    pp_status st = expect_text(object, "pass_label", s->pass_labels[pass], err);

    if (st != PP_OK)
        return st;
    value->candidate = pp_checked_number(object, "candidate_value");
    value->baseline = pp_checked_number(object, "baseline_value");
    pp_stability_compare(value, direction);
    st = expect_figure(object, "relative_delta_percent", value->has_delta, value->delta_percent,
                       err);
    if (st != PP_OK)
        return st;
    return expect_text(object, "comparison", pp_text_of(pp_trend_name(value->comparison)), err);
}

static pp_status decode_values(pp_arena *arena, const pp_stability *s, const pp_json *object,
                               pp_direction direction, pp_stability_row *row, pp_error *err)
{
    const pp_json *values = pp_checked_list(object, "pass_values");
    pp_status st;

    if (values->array.count != s->pass_count)
        return pp_json_fail(values, err, "expected one for each of %zu passes, got %zu",
                            s->pass_count, values->array.count);
    row->values = PP_ARENA_NEW(arena, pp_stability_value, s->pass_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < s->pass_count; i++)
        st = decode_value(s, values->array.items[i], i, direction, &row->values[i], err);
    return st;
}

static pp_status decode_row(pp_arena *arena, const pp_stability *s, const pp_json *object,
                            size_t index, pp_error *err)
{
    const pp_goal *goal = &s->goals[index % s->goal_count];
    pp_stability_row *row = &s->rows[index];
    pp_status st =
        expect_text(object, "candidate_id", s->candidates[index / s->goal_count].id, err);

    if (st == PP_OK)
        st = expect_text(object, "metric", goal->metric, err);
    if (st == PP_OK)
        st = expect_text(object, "direction", pp_text_of(pp_direction_name(goal->direction)), err);
    if (st == PP_OK)
        st = decode_values(arena, s, object, goal->direction, row, err);
    if (st != PP_OK)
        return st;
    pp_stability_sum_up(row, s->pass_count);
    st =
        expect_figure(object, "relative_spread_percent", row->has_spread, row->spread_percent, err);
    if (st == PP_OK)
        st =
            expect_text(object, "consistency", pp_text_of(pp_trend_consistency(row->overall)), err);
    if (st == PP_OK)
        st = expect_text(object, "overall_direction", pp_text_of(pp_trend_name(row->overall)), err);
    return st;
}

static const pp_stability_row *baseline_row(const pp_stability *s, size_t goal)
{
    size_t at = 0;

    while (!pp_text_equal(s->candidates[at].id, s->baseline_id))
        at++;
    return &s->rows[at * s->goal_count + goal];
}

/* One baseline, whoever is compared with it: what its own row says is what the others say. */
static pp_status check_baselines(const pp_stability *s, const pp_json *rows, pp_error *err)
{
    for (size_t goal = 0; goal < s->goal_count; goal++) {
        const pp_stability_row *baseline = baseline_row(s, goal);

        for (size_t i = goal; i < s->candidate_count * s->goal_count; i += s->goal_count) {
            const pp_json *values = pp_checked_list(rows->array.items[i], "pass_values");

            for (size_t pass = 0; pass < s->pass_count; pass++) {
                double want = baseline->values[pass].candidate;

                if (s->rows[i].values[pass].baseline != want)
                    return pp_json_fail(pp_json_find(values->array.items[pass], "baseline_value"),
                                        err, "expected %.17g, the baseline's own value, got %.17g",
                                        want, s->rows[i].values[pass].baseline);
            }
        }
    }
    return PP_OK;
}

static pp_status decode_rows(pp_arena *arena, const pp_json *root, pp_stability *s, pp_error *err)
{
    const pp_json *rows = pp_checked_list(root, "rows");
    size_t count = s->candidate_count * s->goal_count;
    pp_status st;

    if (rows->array.count != count)
        return pp_json_fail(rows, err,
                            "expected %zu, one for each of %zu candidates and %zu "
                            "metrics, got %zu",
                            count, s->candidate_count, s->goal_count, rows->array.count);
    s->rows = PP_ARENA_NEW(arena, pp_stability_row, count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = decode_row(arena, s, rows->array.items[i], i, err);
    return st == PP_OK ? check_baselines(s, rows, err) : st;
}

pp_status pp_stability_decode(pp_arena *arena, const pp_json *root, pp_stability *ret_stability,
                              pp_error *err)
{
    pp_stability s = {0};
    pp_status st = pp_document_check(pp_document_kind_find("stability"), root, err);

    if (st != PP_OK)
        return st;
    s.baseline_id = pp_checked_text(root, "baseline_id");
    s.synthetic = pp_checked_bool(root, "synthetic");
    st = decode_labels(arena, root, &s, err);
    if (st == PP_OK)
        st = decode_inputs(arena, root, &s, err);
    if (st == PP_OK)
        st = decode_goals(arena, root, &s, err);
    if (st == PP_OK)
        st = decode_candidates(arena, root, &s, err);
    if (st == PP_OK)
        st = decode_rows(arena, root, &s, err);
    if (st == PP_OK)
        *ret_stability = s;
    return st;
}
