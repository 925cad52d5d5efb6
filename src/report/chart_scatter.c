/* The objective against the frontier metric that says most beside it (latency against throughput
 * where the constraints have both), with the frontier, the
 * cutoff and the limits. */
#include "report/chart_scatter.h"

#include <math.h>

/* ---- which metric ------------------------------------------------------------------------------
 */

/* Of the frontier metrics that some candidate has, the one whose values spread most. */
static double spread_of(const pp_view *v, pp_text metric)
{
    double low = HUGE_VAL, high = -HUGE_VAL, size;

    for (size_t i = 0; i < v->set->candidate_count; i++) {
        const double *value = pp_view_value(v, i, metric);

        if (value == NULL || pp_view_value(v, i, v->constraints->objective.metric) == NULL)
            continue;
        low = fmin(low, *value);
        high = fmax(high, *value);
    }
    size = fmax(fabs(low), fabs(high));
    return low > high ? -1.0 : size == 0.0 ? 0.0 : (high / size - low / size);
}

static bool is_measured_beside(const pp_view *v, const pp_goal *goal)
{
    return !pp_text_equal(goal->metric, v->constraints->objective.metric) &&
           spread_of(v, goal->metric) >= 0.0;
}

/* Latency and throughput are what people compare first: where the objective is one of them, the
 * other stands beside it. */
static bool choose_counterpart(const pp_view *v, pp_goal *ret)
{
    static const char *const speeds[] = {"generation_tps", "generation_tokens_per_second"};
    static const char *const times[] = {"e2e_latency_ms_p95"};
    const char *unit = pp_report_unit(v->constraints->objective.metric);
    bool is_time = pp_text_equal(pp_text_of(unit), pp_text_of(" ms"));
    const char *const *wanted = is_time ? speeds : times;
    size_t count = is_time ? PP_COUNT_OF(speeds) : PP_COUNT_OF(times);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < v->constraints->frontier_metric_count; j++) {
            const pp_goal *goal = &v->constraints->frontier_metrics[j];

            if (!pp_text_is(goal->metric, wanted[i]) || !is_measured_beside(v, goal))
                continue;
            *ret = *goal;
            return true;
        }
    }
    return false;
}

static bool choose_second(const pp_view *v, pp_goal *ret)
{
    double widest = -1.0;

    if (choose_counterpart(v, ret))
        return true;
    for (size_t i = 0; i < v->constraints->frontier_metric_count; i++) {
        const pp_goal *goal = &v->constraints->frontier_metrics[i];
        double spread = is_measured_beside(v, goal) ? spread_of(v, goal->metric) : -1.0;

        if (spread > widest) {
            widest = spread;
            *ret = *goal;
        }
    }
    return widest >= 0.0;
}

/* ---- points and axes ---------------------------------------------------------------------------
 */

static void gather(pp_scatter *s)
{
    for (size_t i = 0; i < s->v->set->candidate_count; i++) {
        const double *x = pp_view_value(s->v, i, s->goal_x.metric);
        const double *y = pp_view_value(s->v, i, s->goal_y.metric);

        if (x != NULL && y != NULL)
            s->points[s->count++] =
                (pp_scatter_point){.candidate = i, .value_x = *x, .value_y = *y};
    }
}

/* A limit is drawn when it lies within one width of the points; farther away it would squeeze
 * them. */
static void stretch_to(double limit, double low, double high, double *ret_low, double *ret_high)
{
    double room = fmax(high - low, fmax(fabs(low), fabs(high)) * 0.05);

    if (limit < low && limit >= low - room)
        *ret_low = fmin(*ret_low, limit - room * 0.08);
    if (limit > high && limit <= high + room)
        *ret_high = fmax(*ret_high, limit + room * 0.08);
}

static bool make_scale(const pp_scatter *s, bool is_x, pp_scale *ret)
{
    pp_text metric = is_x ? s->goal_x.metric : s->goal_y.metric;
    double low = HUGE_VAL, high = -HUGE_VAL, drawn_low, drawn_high, limit;

    for (size_t i = 0; i < s->count; i++) {
        double value = is_x ? s->points[i].value_x : s->points[i].value_y;

        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (!isfinite(high - low))
        return false;
    drawn_low = low - (high - low) * 0.04;
    drawn_high = high + (high - low) * 0.04;
    if (low >= 0.0 && drawn_low < 0.0)
        drawn_low = 0.0;
    if (pp_scatter_max_limit(s->v, metric, &limit))
        stretch_to(limit, low, high, &drawn_low, &drawn_high);
    if (pp_scatter_min_limit(s->v, metric, &limit))
        stretch_to(limit, low, high, &drawn_low, &drawn_high);
    if (!is_x && s->v->decision->has_winner && isfinite(s->v->decision->cutoff))
        stretch_to(s->v->decision->cutoff, low, high, &drawn_low, &drawn_high);
    return is_x ? pp_scale_make(drawn_low, drawn_high, PP_SCATTER_LEFT, PP_SCATTER_RIGHT, 7, ret)
                : pp_scale_make(drawn_low, drawn_high, PP_SCATTER_BOTTOM, PP_SCATTER_TOP, 6, ret);
}

static bool place(pp_scatter *s)
{
    if (!make_scale(s, true, &s->scale_x) || !make_scale(s, false, &s->scale_y))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        s->points[i].x = pp_scale_at(&s->scale_x, s->points[i].value_x);
        s->points[i].y = pp_scale_at(&s->scale_y, s->points[i].value_y);
    }
    return true;
}

/* ---- the figure --------------------------------------------------------------------------------
 */

static void put_outlying_limit(const pp_scatter *s, const pp_scale *scale, pp_text metric)
{
    double limit;

    if (pp_scatter_max_limit(s->v, metric, &limit) && !pp_scale_holds(scale, limit)) {
        pp_put(s->v, " The limit of at most ");
        pp_put_value(s->v, metric, &limit);
        pp_put(s->v, " lies outside the drawn range.");
    }
    if (pp_scatter_min_limit(s->v, metric, &limit) && !pp_scale_holds(scale, limit)) {
        pp_put(s->v, " The limit of at least ");
        pp_put_value(s->v, metric, &limit);
        pp_put(s->v, " lies outside the drawn range.");
    }
}

static void put_caption(const pp_scatter *s)
{
    size_t missing = s->v->set->candidate_count - s->count;

    pp_put(s->v, "<figcaption><strong>");
    pp_put_metric(s->v, s->goal_y.metric);
    pp_put(s->v, " against ");
    pp_put_metric(s->v, s->goal_x.metric);
    pp_put(s->v, "</strong>. Better is ");
    pp_put(s->v, s->goal_y.direction == PP_DIRECTION_MAX ? "up" : "down");
    pp_put(s->v, " and to the ");
    pp_put(s->v, s->goal_x.direction == PP_DIRECTION_MAX ? "right" : "left");
    pp_put(s->v, ". The line is the frontier of these two metrics; frontier candidates off the "
                 "line stand on the frontier through another metric. Hatched ground is beyond a "
                 "limit, the dashed line is the cutoff.");
    put_outlying_limit(s, &s->scale_x, s->goal_x.metric);
    put_outlying_limit(s, &s->scale_y, s->goal_y.metric);
    if (missing > 0) {
        pp_put(s->v, " Not drawn, because a value is missing: ");
        pp_put_count(s->v, missing);
        pp_put(s->v, missing == 1 ? " candidate." : " candidates.");
    }
    pp_put(s->v, "</figcaption>\n");
}

static void put_values(const pp_scatter *s)
{
    pp_put(s->v, "<details><summary>The points as a table</summary>\n");
    pp_put_shown_note(s->v);
    pp_put_table_open(s->v, "Points of the chart", "values");
    pp_put(s->v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Status</th>"
                 "<th scope=\"col\" class=\"num\">");
    pp_put_metric(s->v, s->goal_y.metric);
    pp_put(s->v, "</th><th scope=\"col\" class=\"num\">");
    pp_put_metric(s->v, s->goal_x.metric);
    pp_put(s->v, "</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < s->count; i++) {
        const pp_scatter_point *p = &s->points[i];

        if (!pp_view_is_shown(s->v, p->candidate))
            continue;
        pp_put(s->v, "<tr><th scope=\"row\">");
        pp_put_label(s->v, p->candidate);
        pp_put(s->v, "</th><td>");
        pp_put(s->v, pp_view_standing(s->v, p->candidate));
        pp_put(s->v, "</td><td class=\"num\">");
        pp_put_value(s->v, s->goal_y.metric, &p->value_y);
        pp_put(s->v, "</td><td class=\"num\">");
        pp_put_value(s->v, s->goal_x.metric, &p->value_x);
        pp_put(s->v, "</td></tr>\n");
    }
    pp_put(s->v, "</tbody>\n");
    pp_put_table_close(s->v);
    pp_put(s->v, "</details>\n");
}

static pp_chart_words words_of(const pp_scatter *s)
{
    const char *title =
        pp_arena_printf(s->v->arena, "%s against %s", pp_metric_title(s->goal_y.metric),
                        pp_metric_title(s->goal_x.metric));

    return (pp_chart_words){
        .id = "scatter",
        .title = pp_text_of(title == NULL ? "" : title),
        .desc = pp_text_of("A point for each candidate, the frontier as a line, limits as hatched "
                           "ground, the cutoff dashed. The table below has every point."),
    };
}

static void put_chart(const pp_scatter *s)
{
    const pp_chart_box area = {PP_SCATTER_LEFT, PP_SCATTER_TOP, PP_SCATTER_RIGHT,
                               PP_SCATTER_BOTTOM};
    pp_chart_words words = words_of(s);

    pp_put(s->v, "<figure>\n");
    put_caption(s);
    pp_chart_open(s->v, &words, 450.0);
    pp_mark_legend(s->v, PP_SCATTER_LEFT + 6.0, 16.0);
    pp_chart_axis_x(s->v, &area, &s->scale_x, pp_mark_axis_title(s->v, s->goal_x.metric));
    pp_chart_axis_y(s->v, &area, &s->scale_y, pp_mark_axis_title(s->v, s->goal_y.metric));
    pp_chart_corner(s->v, &area);
    pp_scatter_put_ground(s);
    pp_scatter_put_points(s);
    pp_chart_close(s->v);
    put_values(s);
    pp_put(s->v, "</figure>\n");
}

pp_status pp_chart_scatter(const pp_view *v, pp_error *err)
{
    pp_scatter s = {.v = v, .goal_y = v->constraints->objective};

    if (!choose_second(v, &s.goal_x)) {
        pp_put(v, "<p>No second frontier metric was measured together with the objective, so there "
                  "is no scatter.</p>\n");
        return PP_OK;
    }
    s.points = PP_ARENA_NEW(v->arena, pp_scatter_point, v->set->candidate_count);
    if (s.points == NULL)
        return pp_arena_check(v->arena, err);
    gather(&s);
    if (!place(&s))
        pp_put(v, "<p>The values span too wide a range to be drawn.</p>\n");
    else
        put_chart(&s);
    return PP_OK;
}
