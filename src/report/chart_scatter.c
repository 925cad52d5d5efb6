/* The objective against the frontier metric that says most beside it, with the frontier, the
 * cutoff and the limits. */
#include <math.h>
#include <stdlib.h>

#include "report/chart_marks.h"

#define LEFT       84.0
#define RIGHT      776.0
#define TOP        52.0
#define BOTTOM     400.0
#define MAX_LABELS 24
#define CHAR_WIDTH 6.6 /* of 12 px system fonts, on the safe side */

typedef struct point {
    size_t candidate;
    double value_x, value_y; /* in the metrics' units */
    double x, y;             /* in the chart */
} point;

typedef struct box {
    double left, top, right, bottom;
} box;

typedef struct scatter {
    const pp_view *v;
    pp_goal goal_x, goal_y;
    point *points;
    size_t count;
    pp_scale scale_x, scale_y;
    box taken[MAX_LABELS]; /* by labels */
    size_t taken_count;
} scatter;

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

static bool choose_second(const pp_view *v, pp_goal *ret)
{
    double widest = -1.0;

    for (size_t i = 0; i < v->constraints->frontier_metric_count; i++) {
        const pp_goal *goal = &v->constraints->frontier_metrics[i];
        double spread = pp_text_equal(goal->metric, v->constraints->objective.metric)
                            ? -1.0
                            : spread_of(v, goal->metric);

        if (spread > widest) {
            widest = spread;
            *ret = *goal;
        }
    }
    return widest >= 0.0;
}

/* ---- points and axes ---------------------------------------------------------------------------
 */

static void gather(scatter *s)
{
    for (size_t i = 0; i < s->v->set->candidate_count; i++) {
        const double *x = pp_view_value(s->v, i, s->goal_x.metric);
        const double *y = pp_view_value(s->v, i, s->goal_y.metric);

        if (x != NULL && y != NULL)
            s->points[s->count++] = (point){.candidate = i, .value_x = *x, .value_y = *y};
    }
}

static const pp_limit *find_limit(const pp_limit *limits, size_t count, pp_text metric)
{
    for (size_t i = 0; i < count; i++) {
        if (pp_text_equal(limits[i].metric, metric))
            return &limits[i];
    }
    return NULL;
}

static bool max_limit(const pp_view *v, pp_text metric, double *ret)
{
    const pp_limit *limit =
        find_limit(v->constraints->max_values, v->constraints->max_value_count, metric);

    if (limit != NULL)
        *ret = limit->value;
    return limit != NULL;
}

/* Quality has a floor; other metrics may have a minimum. The higher of two counts. */
static bool min_limit(const pp_view *v, pp_text metric, double *ret)
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

static bool make_scale(const scatter *s, bool is_x, pp_scale *ret)
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
    if (max_limit(s->v, metric, &limit))
        stretch_to(limit, low, high, &drawn_low, &drawn_high);
    if (min_limit(s->v, metric, &limit))
        stretch_to(limit, low, high, &drawn_low, &drawn_high);
    if (!is_x && s->v->decision->has_winner && isfinite(s->v->decision->cutoff))
        stretch_to(s->v->decision->cutoff, low, high, &drawn_low, &drawn_high);
    return is_x ? pp_scale_make(drawn_low, drawn_high, LEFT, RIGHT, 7, ret)
                : pp_scale_make(drawn_low, drawn_high, BOTTOM, TOP, 6, ret);
}

static bool place(scatter *s)
{
    if (!make_scale(s, true, &s->scale_x) || !make_scale(s, false, &s->scale_y))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        s->points[i].x = pp_scale_at(&s->scale_x, s->points[i].value_x);
        s->points[i].y = pp_scale_at(&s->scale_y, s->points[i].value_y);
    }
    return true;
}

/* ---- ground: grid, limits, cutoff --------------------------------------------------------------
 */

static void put_grid(const scatter *s)
{
    char text[PP_FIGURE_TEXT_MAX];

    for (size_t i = 0; i < s->scale_x.tick_count; i++) {
        double x = pp_scale_at(&s->scale_x, pp_scale_tick(&s->scale_x, i));

        pp_mark_line(s->v, "grid", x, TOP, x, BOTTOM);
        pp_mark_text(s->v, "muted", "middle", x, BOTTOM + 18.0,
                     pp_text_of(pp_scale_tick_text(&s->scale_x, i, text)), 24);
    }
    for (size_t i = 0; i < s->scale_y.tick_count; i++) {
        double y = pp_scale_at(&s->scale_y, pp_scale_tick(&s->scale_y, i));

        pp_mark_line(s->v, "grid", LEFT, y, RIGHT, y);
        pp_mark_text(s->v, "muted", "end", LEFT - 8.0, y + 4.0,
                     pp_text_of(pp_scale_tick_text(&s->scale_y, i, text)), 12);
    }
    pp_mark_line(s->v, "axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    pp_mark_line(s->v, "axis", LEFT, TOP, LEFT, BOTTOM);
    pp_mark_text(s->v, "muted", "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 40.0,
                 pp_mark_axis_title(s->v, s->goal_x.metric), 60);
    pp_buf_printf(s->v->out,
                  "<text class=\"muted\" text-anchor=\"middle\" transform=\"translate(16 %.2f) "
                  "rotate(-90)\">",
                  (TOP + BOTTOM) / 2.0);
    pp_html_cut(s->v->out, pp_mark_axis_title(s->v, s->goal_y.metric), 48);
    pp_put(s->v, "</text>\n");
}

static void put_hatched(const scatter *s, double left, double top, double right, double bottom)
{
    if (right > left && bottom > top)
        pp_buf_printf(s->v->out,
                      "<rect fill=\"url(#hatch)\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                      "height=\"%.2f\"/>\n",
                      left, top, right - left, bottom - top);
}

static bool is_inside(const pp_scale *scale, double value)
{
    return value >= scale->low && value <= scale->high;
}

/* Beyond a limit the ground is hatched; a limit outside the axis is named in the caption. */
static void put_limit_x(const scatter *s, double limit, bool is_max)
{
    double x = pp_scale_at(&s->scale_x, limit);

    put_hatched(s, is_max ? x : LEFT, TOP, is_max ? RIGHT : x, BOTTOM);
    if (!is_inside(&s->scale_x, limit))
        return;
    pp_mark_line(s->v, "limit", x, TOP, x, BOTTOM);
    pp_mark_text(s->v, "limit-text", x > (LEFT + RIGHT) / 2.0 ? "end" : "start",
                 x > (LEFT + RIGHT) / 2.0 ? x - 5.0 : x + 5.0, BOTTOM - 8.0, pp_text_of("limit"),
                 8);
}

static void put_limit_y(const scatter *s, double limit, bool is_max)
{
    double y = pp_scale_at(&s->scale_y, limit);

    put_hatched(s, LEFT, is_max ? TOP : y, RIGHT, is_max ? y : BOTTOM);
    if (!is_inside(&s->scale_y, limit))
        return;
    pp_mark_line(s->v, "limit", LEFT, y, RIGHT, y);
    pp_mark_text(s->v, "limit-text", "start", LEFT + 6.0, is_max ? y + 14.0 : y - 6.0,
                 pp_text_of("limit"), 8);
}

static void put_limits(const scatter *s)
{
    double limit;

    pp_put(s->v, "<defs><pattern id=\"hatch\" width=\"9\" height=\"9\" patternUnits="
                 "\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><line class=\"hatch\" "
                 "x1=\"0\" y1=\"0\" x2=\"0\" y2=\"9\"/></pattern></defs>\n");
    if (max_limit(s->v, s->goal_x.metric, &limit))
        put_limit_x(s, limit, true);
    if (min_limit(s->v, s->goal_x.metric, &limit))
        put_limit_x(s, limit, false);
    if (max_limit(s->v, s->goal_y.metric, &limit))
        put_limit_y(s, limit, true);
    if (min_limit(s->v, s->goal_y.metric, &limit))
        put_limit_y(s, limit, false);
}

static void put_cutoff(const scatter *s)
{
    double y;

    if (!s->v->decision->has_winner || !is_inside(&s->scale_y, s->v->decision->cutoff))
        return;
    y = pp_scale_at(&s->scale_y, s->v->decision->cutoff);
    pp_mark_line(s->v, "cutoff", LEFT, y, RIGHT, y);
    pp_mark_text(s->v, "cutoff-text", "end", RIGHT - 4.0, y - 6.0, pp_text_of("cutoff"), 10);
}

/* ---- the frontier of these two metrics ---------------------------------------------------------
 */

static double cost(const pp_goal *goal, double value)
{
    return goal->direction == PP_DIRECTION_MIN ? value : -value;
}

static const scatter *sorting; /* qsort has no context; set for the one call below */

static int by_costs(const void *left, const void *right)
{
    const point *a = *(const point *const *)left;
    const point *b = *(const point *const *)right;
    double ax = cost(&sorting->goal_x, a->value_x), bx = cost(&sorting->goal_x, b->value_x);
    double ay = cost(&sorting->goal_y, a->value_y), by = cost(&sorting->goal_y, b->value_y);

    if (ax != bx)
        return ax < bx ? -1 : 1;
    if (ay != by)
        return ay < by ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* A staircase: between two members nothing better in both is known. */
static void put_frontier(const scatter *s)
{
    const point **members = PP_ARENA_NEW(s->v->arena, const point *, s->count);
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

/* ---- labels ------------------------------------------------------------------------------------
 */

static bool overlap(const box *a, const box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static bool is_free(const scatter *s, const box *wanted, const point *own)
{
    if (wanted->left < LEFT + 2.0 || wanted->right > RIGHT + 20.0 || wanted->top < TOP - 14.0 ||
        wanted->bottom > BOTTOM - 1.0)
        return false;
    for (size_t i = 0; i < s->taken_count; i++) {
        if (overlap(wanted, &s->taken[i]))
            return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        const point *p = &s->points[i];
        box mark = {p->x - 7.0, p->y - 7.0, p->x + 7.0, p->y + 7.0};

        if (p != own && overlap(wanted, &mark))
            return false;
    }
    return true;
}

/* Beside, above or below the point, the first place that is free; else the label is left out, the
 * table has it. */
static void put_label(scatter *s, const point *p)
{
    static const struct {
        double dx, dy;
        const char *anchor;
    } places[] = {
        {15, 4, "start"},   {-15, 4, "end"},   {0, -16, "middle"}, {0, 25, "middle"},
        {13, -12, "start"}, {-13, -12, "end"}, {13, 20, "start"},  {-13, 20, "end"},
        {13, -26, "start"}, {-13, -26, "end"}, {13, 34, "start"},  {-13, 34, "end"},
    };
    pp_text label = s->v->set->candidates[p->candidate].label;
    size_t chars = pp_html_shown_chars(label);
    double width = CHAR_WIDTH * (double)(chars < 30 ? chars : 30);
    bool selected = pp_view_is_selected(s->v, p->candidate);

    for (size_t i = 0; i < PP_COUNT_OF(places) && s->taken_count < MAX_LABELS; i++) {
        double x = p->x + places[i].dx;
        double y = p->y + places[i].dy;
        double left = places[i].anchor[0] == 's'   ? x
                      : places[i].anchor[0] == 'e' ? x - width
                                                   : x - width / 2.0;
        box wanted = {left, y - 11.0, left + width, y + 3.0};

        if (!is_free(s, &wanted, p))
            continue;
        s->taken[s->taken_count++] = wanted;
        pp_mark_text(s->v, selected ? "strong" : "plain", places[i].anchor, x, y, label, 30);
        return;
    }
}

static bool is_notable(const scatter *s, size_t candidate)
{
    const pp_decision *d = s->v->decision;

    return candidate == s->v->set->baseline_index ||
           (d->has_winner && (candidate == d->selected || candidate == d->numeric_best ||
                              candidate == d->near_miss));
}

static void put_labels(scatter *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (is_notable(s, s->points[i].candidate))
            put_label(s, &s->points[i]);
    }
    for (size_t i = 0; i < s->count && s->count <= MAX_LABELS; i++) {
        if (!is_notable(s, s->points[i].candidate))
            put_label(s, &s->points[i]);
    }
}

/* ---- the figure --------------------------------------------------------------------------------
 */

static void put_outlying_limit(const scatter *s, const pp_scale *scale, pp_text metric)
{
    double limit;

    if (max_limit(s->v, metric, &limit) && !is_inside(scale, limit)) {
        pp_put(s->v, " The limit of at most ");
        pp_put_value(s->v, metric, &limit);
        pp_put(s->v, " lies outside the drawn range.");
    }
    if (min_limit(s->v, metric, &limit) && !is_inside(scale, limit)) {
        pp_put(s->v, " The limit of at least ");
        pp_put_value(s->v, metric, &limit);
        pp_put(s->v, " lies outside the drawn range.");
    }
}

static void put_caption(const scatter *s)
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

static void put_values(const scatter *s)
{
    pp_put(s->v, "<details><summary>The points as a table</summary>\n");
    pp_put_table_open(s->v, "Points of the chart", "values");
    pp_put(s->v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Status</th>"
                 "<th scope=\"col\" class=\"num\">");
    pp_put_metric(s->v, s->goal_y.metric);
    pp_put(s->v, "</th><th scope=\"col\" class=\"num\">");
    pp_put_metric(s->v, s->goal_x.metric);
    pp_put(s->v, "</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < s->count; i++) {
        const point *p = &s->points[i];

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

/* The selected one is drawn last, on top. */
static void put_points(const scatter *s)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->count; i++) {
            const point *p = &s->points[i];

            if (is_notable(s, p->candidate) == (pass == 1))
                pp_mark_candidate(s->v, p->candidate, p->x, p->y);
        }
    }
}

static void put_chart(scatter *s)
{
    pp_put(s->v, "<figure>\n");
    put_caption(s);
    pp_put(s->v, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Chart of the "
                 "frontier\">\n<svg viewBox=\"0 0 800 450\" role=\"img\" aria-label=\"Scatter of "
                 "the candidates; the table below has the points\">\n");
    pp_mark_legend(s->v, LEFT + 6.0, 16.0);
    put_grid(s);
    put_limits(s);
    put_cutoff(s);
    put_frontier(s);
    put_points(s);
    put_labels(s);
    pp_put(s->v, "</svg>\n</div>\n");
    put_values(s);
    pp_put(s->v, "</figure>\n");
}

pp_status pp_chart_scatter(const pp_view *v, pp_error *err)
{
    scatter s = {.v = v, .goal_y = v->constraints->objective};

    if (!choose_second(v, &s.goal_x)) {
        pp_put(v, "<p>No second frontier metric was measured together with the objective, so there "
                  "is no scatter.</p>\n");
        return PP_OK;
    }
    s.points = PP_ARENA_NEW(v->arena, point, v->set->candidate_count);
    if (s.points == NULL)
        return pp_arena_check(v->arena, err);
    gather(&s);
    if (!place(&s))
        pp_put(v, "<p>The values span too wide a range to be drawn.</p>\n");
    else
        put_chart(&s);
    return PP_OK;
}
