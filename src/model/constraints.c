#include "model/constraints.h"

#include "model/document.h"

/* Both schemas know these; 2.0 adds the last two. */
static const char *const known_keys[] = {
    "min_quality_retention",
    "quality_metric",
    "max_values",
    "min_values",
    "objective",
    "frontier_metrics",
    "objective_tolerance_percent",
    "preference_order",
    "schema_version",
    "quality",
};
#define N_KEYS_2_0 PP_COUNT_OF(known_keys)
#define N_KEYS_1_0 (N_KEYS_2_0 - 2)

const char *pp_direction_name(pp_direction direction)
{
    return direction == PP_DIRECTION_MIN ? "min" : "max";
}

static pp_status get_in_range(const pp_json *value, double max, double *ret_value, pp_error *err)
{
    pp_status st = pp_json_get_number(value, ret_value, err);

    if (st == PP_OK && !(*ret_value >= 0.0 && *ret_value <= max))
        return pp_json_fail(value, err, "expected 0 to %g, got %g", max, *ret_value);
    return st;
}

static pp_status decode_direction(const pp_json *value, pp_direction *ret_direction, pp_error *err)
{
    pp_text word;
    pp_status st = pp_json_get_text(value, &word, err);

    if (st != PP_OK)
        return st;
    if (!pp_text_is(word, "min") && !pp_text_is(word, "max"))
        return pp_json_fail(value, err, "expected \"min\" or \"max\", got \"%s\"", word.data);
    *ret_direction = pp_text_is(word, "min") ? PP_DIRECTION_MIN : PP_DIRECTION_MAX;
    return PP_OK;
}

static pp_status check_metric_name(const pp_json_member *member, pp_error *err)
{
    if (member->key.size == 0)
        return pp_json_fail(member->value, err, "expected the name of a metric, got \"\"");
    return PP_OK;
}

/* ---- schema and quality -------------------------------------------------------------------- */

static pp_status decode_schema(const pp_json *root, pp_constraints *constraints, pp_error *err)
{
    const pp_json *version = pp_json_find(root, "schema_version");
    pp_text text;
    pp_status st;

    constraints->schema = PP_CONSTRAINTS_1_0;
    if (version == NULL)
        return pp_json_only_keys(root, known_keys, N_KEYS_1_0, err);
    st = pp_json_get_text(version, &text, err);
    if (st == PP_OK && !pp_text_is(text, "2.0"))
        return pp_json_fail(version, err, "expected \"2.0\" (1.0 carries no version), got \"%s\"",
                            text.data);
    constraints->schema = PP_CONSTRAINTS_2_0;
    return st == PP_OK ? pp_json_only_keys(root, known_keys, N_KEYS_2_0, err) : st;
}

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

static pp_status decode_quality_mode(const pp_json *root, pp_constraints *constraints,
                                     pp_error *err)
{
    const pp_json *mode = pp_json_find(root, "quality");
    pp_text word;
    pp_status st;

    if (mode == NULL)
        return PP_OK;
    st = pp_json_get_text(mode, &word, err);
    if (st != PP_OK)
        return st;
    if (pp_text_is(word, "judged"))
        return PP_OK;
    if (!pp_text_is(word, "not-measurable"))
        return pp_json_fail(mode, err, "expected \"judged\" or \"not-measurable\", got \"%s\"",
                            word.data);
    constraints->quality_not_measurable = true;
    return refuse_quality_keys(root, err);
}

static pp_status decode_quality(const pp_json *root, pp_constraints *constraints, pp_error *err)
{
    const pp_json *retention = pp_json_find(root, "min_quality_retention");
    const pp_json *metric = pp_json_find(root, "quality_metric");
    pp_status st = decode_quality_mode(root, constraints, err);

    constraints->min_quality_retention = 1.0;
    constraints->quality_metric = pp_text_of("quality_score");
    if (st == PP_OK && retention != NULL)
        st = get_in_range(retention, 1.0, &constraints->min_quality_retention, err);
    if (st == PP_OK && metric != NULL)
        st = pp_json_get_filled_text(metric, &constraints->quality_metric, err);
    return st;
}

/* ---- limits -------------------------------------------------------------------------------- */

static pp_status decode_limits(pp_arena *arena, const pp_json *root, const char *key,
                               pp_limit **ret_limits, size_t *ret_count, pp_error *err)
{
    const pp_json *from = pp_json_find(root, key);
    pp_status st;

    if (from == NULL)
        return PP_OK;
    st = pp_json_expect(from, PP_JSON_OBJECT, err);
    if (st != PP_OK)
        return st;
    *ret_count = from->object.count;
    *ret_limits = PP_ARENA_NEW(arena, pp_limit, *ret_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < *ret_count; i++) {
        const pp_json_member *member = &from->object.members[i];

        st = check_metric_name(member, err);
        (*ret_limits)[i].metric = member->key;
        if (st == PP_OK)
            st = pp_json_get_number(member->value, &(*ret_limits)[i].value, err);
    }
    return st;
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

static pp_status decode_objective(const pp_json *root, pp_goal *goal, pp_error *err)
{
    static const char *const keys[] = {"metric", "direction"};
    const pp_json *from;
    const pp_json *direction;
    pp_status st = pp_json_member_of(root, "objective", PP_JSON_OBJECT, &from, err);

    if (st == PP_OK)
        st = pp_json_only_keys(from, keys, PP_COUNT_OF(keys), err);
    if (st == PP_OK)
        st = pp_json_member_filled_text(from, "metric", &goal->metric, err);
    if (st == PP_OK)
        st = pp_json_require(from, "direction", &direction, err);
    return st == PP_OK ? decode_direction(direction, &goal->direction, err) : st;
}

static pp_status decode_frontier(pp_arena *arena, const pp_json *root, pp_constraints *c,
                                 pp_error *err)
{
    const pp_json *from;
    pp_status st = pp_json_member_of(root, "frontier_metrics", PP_JSON_OBJECT, &from, err);

    if (st != PP_OK)
        return st;
    if (from->object.count == 0)
        return pp_json_fail(from, err, "expected at least one metric, got none");
    c->frontier_metric_count = from->object.count;
    c->frontier_metrics = PP_ARENA_NEW(arena, pp_goal, c->frontier_metric_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < c->frontier_metric_count; i++) {
        const pp_json_member *member = &from->object.members[i];

        st = check_metric_name(member, err);
        c->frontier_metrics[i].metric = member->key;
        if (st == PP_OK)
            st = decode_direction(member->value, &c->frontier_metrics[i].direction, err);
    }
    return st;
}

static const pp_goal *find_goal(const pp_constraints *c, pp_text metric)
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
    const pp_goal *objective = find_goal(c, c->objective.metric);
    const pp_goal *quality = c->quality_not_measurable ? NULL : find_goal(c, c->quality_metric);

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
    st = pp_json_expect(list, PP_JSON_ARRAY, err);
    if (st != PP_OK)
        return st;
    c->preference_count = list->array.count;
    c->preference_order = PP_ARENA_NEW(arena, pp_text, c->preference_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < c->preference_count; i++)
        st = pp_json_get_filled_text(list->array.items[i], &c->preference_order[i], err);
    return st == PP_OK ? check_unique(arena, list, c, err) : st;
}

static pp_status decode_goals(pp_arena *arena, const pp_json *root, pp_constraints *c,
                              pp_error *err)
{
    const pp_json *tolerance = pp_json_find(root, "objective_tolerance_percent");
    pp_status st = decode_objective(root, &c->objective, err);

    if (st == PP_OK)
        st = decode_frontier(arena, root, c, err);
    if (st == PP_OK)
        st = check_goals_agree(root, c, err);
    if (st == PP_OK && tolerance != NULL)
        st = get_in_range(tolerance, 100.0, &c->objective_tolerance_percent, err);
    return st == PP_OK ? decode_preferences(arena, root, c, err) : st;
}

pp_status pp_constraints_decode(pp_arena *arena, const pp_json *root,
                                pp_constraints *ret_constraints, pp_error *err)
{
    pp_constraints c = {0};
    pp_status st = pp_json_expect(root, PP_JSON_OBJECT, err);

    if (st == PP_OK)
        st = decode_schema(root, &c, err);
    if (st == PP_OK)
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
