#include "model/constraints.h"

#include "model/document.h"
#include "model/tables.h"

const char *pp_direction_name(pp_direction direction)
{
    return direction == PP_DIRECTION_MIN ? "min" : "max";
}

static pp_direction direction_of(const pp_json *word)
{
    return pp_text_is(word->text, "min") ? PP_DIRECTION_MIN : PP_DIRECTION_MAX;
}

/* ---- schema and quality -------------------------------------------------------------------- */

static pp_status refuse_quality_keys(const pp_json *root, pp_error *err)
{
    static const char *const keys[] = {"min_quality_retention", "quality_metric"};

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        const pp_json *member = pp_json_find(root, keys[i]);

        if (member != NULL)
            return pp_json_fail(member, err,
                                "not allowed together with \"quality\": \"not-measurable\"");
    }
    return PP_OK;
}

static pp_status decode_quality(const pp_json *root, pp_constraints *constraints, pp_error *err)
{
    const pp_json *mode = pp_json_find(root, "quality");
    const pp_json *retention = pp_json_find(root, "min_quality_retention");
    const pp_json *metric = pp_json_find(root, "quality_metric");

    constraints->quality_not_measurable = mode != NULL && pp_text_is(mode->text, "not-measurable");
    constraints->min_quality_retention = retention == NULL ? 1.0 : pp_checked_real(retention);
    constraints->quality_metric = metric == NULL ? pp_text_of("quality_score") : metric->text;
    return constraints->quality_not_measurable ? refuse_quality_keys(root, err) : PP_OK;
}

/* ---- limits -------------------------------------------------------------------------------- */

static pp_status decode_limits(pp_arena *arena, const pp_json *root, const char *key,
                               pp_limit **ret_limits, size_t *ret_count, pp_error *err)
{
    const pp_json *from = pp_json_find(root, key);

    if (from == NULL)
        return PP_OK;
    *ret_count = from->object.count;
    *ret_limits = PP_ARENA_NEW(arena, pp_limit, *ret_count);
    for (size_t i = 0; *ret_limits != NULL && i < *ret_count; i++) {
        const pp_json_member *member = &from->object.members[i];

        (*ret_limits)[i] = (pp_limit){member->key, pp_checked_real(member->value)};
    }
    return pp_arena_check(arena, err);
}

static pp_status check_limits_agree(pp_arena *arena, const pp_json *root, const pp_constraints *c,
                                    pp_error *err)
{
    pp_name_index maxima;
    pp_status st = pp_name_index_init(arena, c->max_value_count, &maxima, err);

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < c->max_value_count; i++)
        maxima.entries[i] = (pp_name_entry){c->max_values[i].metric, i};
    pp_name_index_sort(&maxima);
    for (size_t i = 0; i < c->min_value_count; i++) {
        const pp_limit *min = &c->min_values[i];
        size_t found = pp_name_index_find(&maxima, min->metric);

        if (found != PP_NOT_FOUND && min->value > c->max_values[found].value)
            return pp_json_fail(pp_json_find(root, "min_values"), err,
                                "'%s' must be at least %g, but max_values allows %g",
                                min->metric.data, min->value, c->max_values[found].value);
    }
    return PP_OK;
}

/* ---- goals --------------------------------------------------------------------------------- */

pp_goal pp_goal_decode(const pp_json *from)
{
    return (pp_goal){pp_checked_text(from, "metric"),
                     direction_of(pp_json_find(from, "direction"))};
}

static pp_status decode_frontier(pp_arena *arena, const pp_json *from, pp_constraints *c,
                                 pp_error *err)
{
    c->frontier_metric_count = from->object.count;
    c->frontier_metrics = PP_ARENA_NEW(arena, pp_goal, c->frontier_metric_count);
    for (size_t i = 0; c->frontier_metrics != NULL && i < c->frontier_metric_count; i++) {
        const pp_json_member *member = &from->object.members[i];

        c->frontier_metrics[i] = (pp_goal){member->key, direction_of(member->value)};
    }
    return pp_arena_check(arena, err);
}

const pp_goal *pp_constraints_find_goal(const pp_constraints *c, pp_text metric)
{
    for (size_t i = 0; i < c->frontier_metric_count; i++) {
        if (pp_text_equal(c->frontier_metrics[i].metric, metric))
            return &c->frontier_metrics[i];
    }
    return NULL;
}

static pp_status check_goals_agree(const pp_json *root, const pp_constraints *c, pp_error *err)
{
    const pp_json *at = pp_json_find(root, "frontier_metrics");
    const pp_goal *objective = pp_constraints_find_goal(c, c->objective.metric);
    const pp_goal *quality =
        c->quality_not_measurable ? NULL : pp_constraints_find_goal(c, c->quality_metric);

    if (objective == NULL)
        return pp_json_fail(at, err, "the objective '%s' must be one of them",
                            c->objective.metric.data);
    if (objective->direction != c->objective.direction)
        return pp_json_fail(at, err, "'%s' is \"%s\", but \"%s\" in the objective",
                            c->objective.metric.data, pp_direction_name(objective->direction),
                            pp_direction_name(c->objective.direction));
    if (quality != NULL && quality->direction != PP_DIRECTION_MAX)
        return pp_json_fail(at, err, "the quality metric '%s' must be \"max\"",
                            c->quality_metric.data);
    return PP_OK;
}

/* ---- preferences --------------------------------------------------------------------------- */

static pp_status check_unique(pp_arena *arena, const pp_json *list, const pp_constraints *c,
                              pp_error *err)
{
    pp_name_index names;
    pp_status st = pp_name_index_init(arena, c->preference_count, &names, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < c->preference_count; i++)
        names.entries[i] = (pp_name_entry){c->preference_order[i], i};
    pp_name_index_sort(&names);
    twice = pp_name_index_duplicate(&names);
    if (twice != PP_NOT_FOUND)
        return pp_json_fail(list->array.items[twice], err, "'%s' is there twice",
                            c->preference_order[twice].data);
    return PP_OK;
}

static pp_status decode_preferences(pp_arena *arena, const pp_json *root, pp_constraints *c,
                                    pp_error *err)
{
    const pp_json *list = pp_json_find(root, "preference_order");
    pp_status st;

    if (list == NULL)
        return PP_OK;
    c->preference_count = list->array.count;
    c->preference_order = PP_ARENA_NEW(arena, pp_text, c->preference_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < c->preference_count; i++)
        c->preference_order[i] = list->array.items[i]->text;
    return st == PP_OK ? check_unique(arena, list, c, err) : st;
}

static pp_status decode_goals(pp_arena *arena, const pp_json *root, pp_constraints *c,
                              pp_error *err)
{
    const pp_json *tolerance = pp_json_find(root, "objective_tolerance_percent");
    pp_status st = decode_frontier(arena, pp_checked_object(root, "frontier_metrics"), c, err);

    c->objective = pp_goal_decode(pp_checked_object(root, "objective"));
    c->objective_tolerance_percent = tolerance == NULL ? 0.0 : pp_checked_real(tolerance);
    if (st == PP_OK)
        st = check_goals_agree(root, c, err);
    return st == PP_OK ? decode_preferences(arena, root, c, err) : st;
}

pp_status pp_constraints_decode(pp_arena *arena, const pp_json *root,
                                pp_constraints *ret_constraints, pp_error *err)
{
    static const pp_field_type type = {.kind = PP_FIELD_CHOICE, .choices = pp_constraints_choices};
    pp_constraints c = {0};
    pp_status st = pp_field_check(root, &type, err);

    if (st != PP_OK)
        return st;
    c.schema =
        pp_json_find(root, "schema_version") == NULL ? PP_CONSTRAINTS_1_0 : PP_CONSTRAINTS_2_0;
    st = decode_quality(root, &c, err);
    if (st == PP_OK)
        st = decode_limits(arena, root, "max_values", &c.max_values, &c.max_value_count, err);
    if (st == PP_OK)
        st = decode_limits(arena, root, "min_values", &c.min_values, &c.min_value_count, err);
    if (st == PP_OK)
        st = check_limits_agree(arena, root, &c, err);
    if (st == PP_OK)
        st = decode_goals(arena, root, &c, err);
    if (st == PP_OK)
        *ret_constraints = c;
    return st;
}

pp_status pp_constraints_load(pp_arena *arena, const char *path, pp_constraints *ret_constraints,
                              char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_constraints_decode(arena, root, ret_constraints, err);
    return pp_wrap(err, st, "reading constraints '%s'", path);
}

/* ---- writing ------------------------------------------------------------------------------- */

static pp_json *limits_to_json(pp_arena *arena, const pp_limit *limits, size_t count)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_set_text_key(arena, out, limits[i].metric,
                             pp_json_new_real(arena, limits[i].value));
    return out;
}

static pp_json *frontier_to_json(pp_arena *arena, const pp_constraints *c)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < c->frontier_metric_count; i++) {
        const pp_goal *goal = &c->frontier_metrics[i];

        pp_json_set_text_key(arena, out, goal->metric,
                             pp_json_new_string(arena, pp_direction_name(goal->direction)));
    }
    return out;
}

static void put_quality(pp_arena *arena, pp_json *out, const pp_constraints *c)
{
    if (c->schema == PP_CONSTRAINTS_2_0) {
        pp_json_set_string(arena, out, "schema_version", "2.0");
        pp_json_set_string(arena, out, "quality",
                           c->quality_not_measurable ? "not-measurable" : "judged");
    }
    if (c->quality_not_measurable) {
        pp_json_set_null(arena, out, "min_quality_retention");
        pp_json_set_null(arena, out, "quality_metric");
    } else {
        pp_json_set_real(arena, out, "min_quality_retention", c->min_quality_retention);
        pp_json_set_text(arena, out, "quality_metric", c->quality_metric);
    }
}

pp_json *pp_constraints_to_json(pp_arena *arena, const pp_constraints *constraints)
{
    const pp_constraints *c = constraints;
    pp_json *out = pp_json_new_object(arena);
    pp_json *objective = pp_json_new_object(arena);
    pp_json *preferences = pp_json_new_array(arena);

    put_quality(arena, out, c);
    pp_json_set(arena, out, "max_values", limits_to_json(arena, c->max_values, c->max_value_count));
    pp_json_set(arena, out, "min_values", limits_to_json(arena, c->min_values, c->min_value_count));
    pp_json_set_text(arena, objective, "metric", c->objective.metric);
    pp_json_set_string(arena, objective, "direction", pp_direction_name(c->objective.direction));
    pp_json_set(arena, out, "objective", objective);
    pp_json_set(arena, out, "frontier_metrics", frontier_to_json(arena, c));
    pp_json_set_real(arena, out, "objective_tolerance_percent", c->objective_tolerance_percent);
    for (size_t i = 0; i < c->preference_count; i++)
        pp_json_add(arena, preferences, pp_json_new_text(arena, c->preference_order[i]));
    pp_json_set(arena, out, "preference_order", preferences);
    return out;
}
