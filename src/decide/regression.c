#include "decide/regression.h"

#include <math.h>

#include "model/document_kinds.h"
#include "stats/close.h"

pp_status pp_earlier_decode(const pp_json *root, pp_earlier *ret_earlier, pp_error *err)
{
    pp_status st = pp_document_check(pp_document_kind_find("recommendation"), root, err);
    const pp_json *selected;

    if (st != PP_OK)
        return st;
    selected = pp_checked_object(root, "selected");
    *ret_earlier = (pp_earlier){
        .selected_id = pp_checked_text(root, "selected_id"),
        .synthetic = pp_checked_bool(root, "synthetic_source"),
        .metrics = pp_checked_object(selected, "metrics"),
        .constraints = pp_checked_object(root, "constraints"),
    };
    return PP_OK;
}

/* ---- what is compared ------------------------------------------------------------------------ */

/* Who names a metric: what comes first says its direction. */
typedef enum rank { RANK_NOW, RANK_EARLIER, RANK_LIMIT } rank;

/* The number of an entry is 2 * rank + direction. */
static void add_goal(pp_name_index *index, pp_text metric, rank from, pp_direction direction)
{
    index->entries[index->count++] = (pp_name_entry){metric, 2 * (size_t)from + direction};
}

static rank rank_of(const pp_name_entry *goal)
{
    return (rank)(goal->number / 2);
}

static pp_direction direction_of(const pp_name_entry *goal)
{
    return goal->number % 2 == 0 ? PP_DIRECTION_MIN : PP_DIRECTION_MAX;
}

/* The objective is a frontier metric. */
static void add_now(pp_name_index *index, const pp_constraints *c)
{
    if (!c->quality_not_measurable)
        add_goal(index, c->quality_metric, RANK_NOW, PP_DIRECTION_MAX);
    for (size_t i = 0; i < c->frontier_metric_count; i++)
        add_goal(index, c->frontier_metrics[i].metric, RANK_NOW, c->frontier_metrics[i].direction);
    for (size_t i = 0; i < c->max_value_count; i++)
        add_goal(index, c->max_values[i].metric, RANK_LIMIT, PP_DIRECTION_MIN);
    for (size_t i = 0; i < c->min_value_count; i++)
        add_goal(index, c->min_values[i].metric, RANK_LIMIT, PP_DIRECTION_MAX);
}

static void add_keys(pp_name_index *index, const pp_json *map, pp_direction direction)
{
    for (size_t i = 0; i < map->object.count; i++)
        add_goal(index, map->object.members[i].key, RANK_LIMIT, direction);
}

static void add_earlier(pp_name_index *index, const pp_json *c)
{
    const pp_json *quality = pp_json_find(c, "quality_metric");
    const pp_json *frontier = pp_checked_object(c, "frontier_metrics");

    if (quality->kind == PP_JSON_STRING) /* null where quality was not judged */
        add_goal(index, quality->text, RANK_EARLIER, PP_DIRECTION_MAX);
    for (size_t i = 0; i < frontier->object.count; i++) {
        const pp_json_member *goal = &frontier->object.members[i];
        bool is_min = pp_text_is(goal->value->text, pp_direction_name(PP_DIRECTION_MIN));

        add_goal(index, goal->key, RANK_EARLIER, is_min ? PP_DIRECTION_MIN : PP_DIRECTION_MAX);
    }
    add_keys(index, pp_checked_object(c, "max_values"), PP_DIRECTION_MIN);
    add_keys(index, pp_checked_object(c, "min_values"), PP_DIRECTION_MAX);
}

static size_t most_goals(const pp_constraints *c, const pp_json *earlier)
{
    return 2 + c->frontier_metric_count + c->max_value_count + c->min_value_count +
           pp_checked_object(earlier, "frontier_metrics")->object.count +
           pp_checked_object(earlier, "max_values")->object.count +
           pp_checked_object(earlier, "min_values")->object.count;
}

static pp_status list_goals(pp_arena *arena, const pp_constraints *c, const pp_json *earlier,
                            pp_name_index *ret_index, pp_error *err)
{
    pp_status st = pp_name_index_init(arena, most_goals(c, earlier), ret_index, err);

    if (st != PP_OK)
        return st;
    ret_index->count = 0;
    add_now(ret_index, c);
    add_earlier(ret_index, earlier);
    pp_name_index_sort(ret_index);
    return PP_OK;
}

/* A limit against the direction is a corridor; two directions are two decisions. */
static pp_status check_repetition(const pp_name_entry *goal, pp_error *err)
{
    if (rank_of(goal) == RANK_LIMIT || direction_of(goal) == direction_of(goal - 1))
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN,
                   "cannot compare '%s' with the earlier decision: one wants less of it, the other "
                   "more",
                   goal->name.data);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void compare(pp_regression *r, double max_percent)
{
    double allowed = fabs(r->earlier) * (max_percent / 100.0);

    r->worse_by = r->direction == PP_DIRECTION_MIN ? r->now - r->earlier : r->earlier - r->now;
    r->worse_percent = r->worse_by / fabs(r->earlier) * 100.0;
    r->has_percent = r->earlier != 0.0 && isfinite(r->worse_percent);
    r->is_missed =
        r->worse_by > allowed &&
        !pp_close(r->now,
                  r->direction == PP_DIRECTION_MIN ? r->earlier + allowed : r->earlier - allowed,
                  PP_REGRESSION_RELATIVE_TOLERANCE, 0.0);
}

static pp_regression regression_of(const pp_decision *d, const pp_earlier *earlier,
                                   const pp_name_entry *goal, double max_percent)
{
    const double *now = pp_candidate_find_metric(&d->set->candidates[d->selected], goal->name);
    pp_regression r = {.metric = goal->name, .direction = direction_of(goal)};

    for (size_t i = 0; i < earlier->metrics->object.count; i++) {
        const pp_json_member *member = &earlier->metrics->object.members[i];

        if (pp_text_equal(member->key, goal->name)) {
            r.has_earlier = true;
            r.earlier = pp_checked_real(member->value);
        }
    }
    r.has_now = now != NULL;
    if (r.has_now)
        r.now = *now;
    if (r.has_now && r.has_earlier)
        compare(&r, max_percent);
    else
        r.is_missed = r.has_earlier;
    return r;
}

pp_status pp_regressions_find(pp_arena *arena, const pp_decision *decision,
                              const pp_earlier *earlier, double max_percent,
                              pp_regressions *ret_regressions, pp_error *err)
{
    pp_regressions out = {0};
    pp_name_index index = {0};
    pp_status st = list_goals(arena, decision->constraints, earlier->constraints, &index, err);

    PP_ASSERT(decision->has_winner);
    if (st == PP_OK)
        out.items = PP_ARENA_NEW(arena, pp_regression, index.count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < index.count; i++) {
        const pp_name_entry *goal = &index.entries[i];
        pp_regression r;

        if (i > 0 && pp_text_equal(goal->name, goal[-1].name)) {
            st = check_repetition(goal, err);
            continue;
        }
        r = regression_of(decision, earlier, goal, max_percent);
        if (!r.has_now && !r.has_earlier)
            continue;
        out.items[out.count++] = r;
        out.missed_count += r.is_missed;
    }
    if (st == PP_OK)
        *ret_regressions = out;
    return st;
}

static pp_json *number_or_null(pp_arena *arena, bool known, double value)
{
    return known ? pp_json_new_finite(arena, value) : pp_json_new_null(arena);
}

pp_json *pp_regression_to_json(pp_arena *arena, const pp_regression *r)
{
    bool both = r->has_earlier && r->has_now;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "metric", r->metric);
    pp_json_set_string(arena, out, "direction", pp_direction_name(r->direction));
    pp_json_set(arena, out, "earlier", number_or_null(arena, r->has_earlier, r->earlier));
    pp_json_set(arena, out, "now", number_or_null(arena, r->has_now, r->now));
    pp_json_set(arena, out, "worse_by", number_or_null(arena, both, r->worse_by));
    pp_json_set(arena, out, "worse_percent",
                number_or_null(arena, both && r->has_percent, r->worse_percent));
    pp_json_set_bool(arena, out, "missed", r->is_missed);
    return out;
}
