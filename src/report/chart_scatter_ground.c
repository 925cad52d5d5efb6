/* What the points of the scatter stand on: limits, cutoff, frontier. */
#include <math.h>
#include <stdlib.h>

#include "report/chart_scatter.h"

/* ---- limits and cutoff -------------------------------------------------------------------------
 */

static const pp_limit *find_limit(const pp_limit *limits, size_t count, pp_text metric)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(limits[i].metric, metric))
            return &limits[i];
    }
    return NULL;
}

bool pp_scatter_max_limit(const pp_view *v, pp_text metric, double *ret)
{
    const pp_limit *limit =
        find_limit(v->constraints->max_values, v->constraints->max_value_count, metric);

    if (limit != NULL)
        *ret = limit->value;
    return limit != NULL;
}

bool pp_scatter_min_limit(const pp_view *v, pp_text metric, double *ret)
{
    const pp_constraints *c = v->constraints;
    const pp_limit *limit = find_limit(c->min_values, c->min_value_count, metric);
    const double *quality = pp_view_value(v, v->set->baseline_index, metric);
    bool has_floor =
        !c->quality_not_measurable && pp_text_equal(metric, c->quality_metric) && quality != NULL;

    if (limit == NULL && !has_floor)
        return false;
    *ret = limit != NULL ? limit->value : -HUGE_VAL;
    if (has_floor)
        *ret = fmax(*ret, *quality * c->min_quality_retention);
    return true;
}

static void put_hatched(const pp_scatter *s, double left, double top, double right, double bottom)
{
    if (right > left && bottom > top)
        pp_buf_printf(s->v->out,
                      "<rect fill=\"url(#hatch)\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                      "height=\"%.2f\"/>\n",
                      left, top, right - left, bottom - top);
}

/* Beyond a limit the ground is hatched; a limit outside the axis is named in the caption. */
static void put_limit_x(const pp_scatter *s, double limit, bool is_max)
{
    double x = pp_scale_at(&s->scale_x, limit);

    put_hatched(s, is_max ? x : PP_SCATTER_LEFT, PP_SCATTER_TOP, is_max ? PP_SCATTER_RIGHT : x,
                PP_SCATTER_BOTTOM);
    if (!pp_scale_holds(&s->scale_x, limit))
        return;
    pp_mark_line(s->v, "limit", x, PP_SCATTER_TOP, x, PP_SCATTER_BOTTOM);
    pp_mark_text(s->v, "limit-text",
                 x > (PP_SCATTER_LEFT + PP_SCATTER_RIGHT) / 2.0 ? "end" : "start",
                 x > (PP_SCATTER_LEFT + PP_SCATTER_RIGHT) / 2.0 ? x - 5.0 : x + 5.0,
                 PP_SCATTER_BOTTOM - 8.0, pp_text_of("limit"), 8);
}

static void put_limit_y(const pp_scatter *s, double limit, bool is_max)
{
    double y = pp_scale_at(&s->scale_y, limit);

    put_hatched(s, PP_SCATTER_LEFT, is_max ? PP_SCATTER_TOP : y, PP_SCATTER_RIGHT,
                is_max ? y : PP_SCATTER_BOTTOM);
    if (!pp_scale_holds(&s->scale_y, limit))
        return;
    pp_mark_line(s->v, "limit", PP_SCATTER_LEFT, y, PP_SCATTER_RIGHT, y);
    pp_mark_text(s->v, "limit-text", "start", PP_SCATTER_LEFT + 6.0, is_max ? y + 14.0 : y - 6.0,
                 pp_text_of("limit"), 8);
}

static void put_limits(const pp_scatter *s)
{
    double limit;

    pp_put(s->v, "<defs><pattern id=\"hatch\" width=\"9\" height=\"9\" patternUnits="
                 "\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"hatch\" "
                 "x1=\"0\" y1=\"0\" x2=\"0\" y2=\"9\"/></pattern></defs>\n");
    if (pp_scatter_max_limit(s->v, s->goal_x.metric, &limit))
        put_limit_x(s, limit, true);
    if (pp_scatter_min_limit(s->v, s->goal_x.metric, &limit))
        put_limit_x(s, limit, false);
    if (pp_scatter_max_limit(s->v, s->goal_y.metric, &limit))
        put_limit_y(s, limit, true);
    if (pp_scatter_min_limit(s->v, s->goal_y.metric, &limit))
        put_limit_y(s, limit, false);
}

static void put_cutoff(const pp_scatter *s)
{
    double y;

    if (!s->v->decision->has_winner || !pp_scale_holds(&s->scale_y, s->v->decision->cutoff))
        return;
    y = pp_scale_at(&s->scale_y, s->v->decision->cutoff);
    pp_mark_line(s->v, "cutoff", PP_SCATTER_LEFT, y, PP_SCATTER_RIGHT, y);
    pp_mark_text(s->v, "cutoff-text", "end", PP_SCATTER_RIGHT - 4.0, y - 6.0, pp_text_of("cutoff"),
                 10);
}

/* ---- the frontier of these two metrics ---------------------------------------------------------
 */

static double cost(const pp_goal *goal, double value)
{
    return goal->direction == PP_DIRECTION_MIN ? value : -value;
}

static const pp_scatter *sorting; /* qsort has no context; set for the one call below */

static int by_costs(const void *left, const void *right)
{
    const pp_scatter_point *a = *(const pp_scatter_point *const *)left;
    const pp_scatter_point *b = *(const pp_scatter_point *const *)right;
    double ax = cost(&sorting->goal_x, a->value_x), bx = cost(&sorting->goal_x, b->value_x);
    double ay = cost(&sorting->goal_y, a->value_y), by = cost(&sorting->goal_y, b->value_y);

    if (ax != bx)
        return ax < bx ? -1 : 1;
    if (ay != by)
        return ay < by ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* A staircase: between two members nothing better in both is known. */
static void put_frontier(const pp_scatter *s)
{
    const pp_scatter_point **members =
        PP_ARENA_NEW(s->v->arena, const pp_scatter_point *, s->count);
    double best = HUGE_VAL;
    size_t count = 0, drawn = 0;

    if (members == NULL)
        return; /* the arena remembers */
    for (size_t i = 0; i < s->count; i++) {
        if (s->v->decision->verdicts[s->points[i].candidate].standing >= PP_STANDING_FRONTIER)
            members[count++] = &s->points[i];
    }
    sorting = s;
    qsort(members, count, sizeof *members, by_costs);
    for (size_t i = 0; i < count; i++) {
        if (cost(&s->goal_y, members[i]->value_y) >= best)
            continue;
        best = cost(&s->goal_y, members[i]->value_y);
        if (drawn++ == 0)
            pp_buf_printf(s->v->out, "<path class=\"line\" d=\"M%.2f %.2f", members[i]->x,
                          members[i]->y);
        else
            pp_buf_printf(s->v->out, "H%.2fV%.2f", members[i]->x, members[i]->y);
    }
    pp_put(s->v, drawn > 0 ? "\"/>\n" : "");
}

void pp_scatter_put_ground(const pp_scatter *s)
{
    put_limits(s);
    put_cutoff(s);
    put_frontier(s);
}
