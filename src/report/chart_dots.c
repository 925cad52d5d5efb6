/* The objective of every candidate on one axis, best first, with the passes behind it. */
#include <math.h>
#include <stdlib.h>

#include "report/chart_frame.h"

#define MAX_ROWS   40
#define ROW_HEIGHT 30.0
#define LEFT       230.0
#define RIGHT      690.0
#define TOP        48.0
#define WIDTH      800.0

typedef struct row {
    size_t candidate;
    double cost; /* the value, turned so that less is better */
    bool rejected;
} row;

typedef struct dots {
    const pp_view *v;
    row *rows;
    size_t count;
    size_t total; /* candidates with a value */
    pp_scale scale;
} dots;

static int by_cost(const void *left, const void *right)
{
    const row *a = left;
    const row *b = right;

    if (a->rejected != b->rejected)
        return a->rejected ? 1 : -1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

static void gather(dots *d)
{
    const pp_goal *goal = &d->v->constraints->objective;

    for (size_t i = 0; i < d->v->set->candidate_count; i++) {
        const double *value = pp_view_value(d->v, i, goal->metric);

        if (value == NULL)
            continue;
        d->rows[d->total++] = (row){i, goal->direction == PP_DIRECTION_MIN ? *value : -*value,
                                    d->v->decision->verdicts[i].standing == PP_STANDING_REJECTED};
    }
    qsort(d->rows, d->total, sizeof *d->rows, by_cost);
    d->count = d->total;
}

/* Long lists keep the first rows, and the selected and the baseline wherever they are. */
static void shorten(dots *d)
{
    size_t kept = MAX_ROWS < d->total ? MAX_ROWS : d->total;

    for (size_t i = kept; i < d->total; i++) {
        size_t candidate = d->rows[i].candidate;

        if (pp_view_is_selected(d->v, candidate) || candidate == d->v->set->baseline_index)
            d->rows[kept++] = d->rows[i];
    }
    d->count = kept;
}

static const pp_json *passes_of(const dots *d, size_t candidate)
{
    return pp_lookup_array(pp_view_parameters(d->v, candidate, "measurement"), "passes");
}

static bool pass_value(const dots *d, const pp_json *pass, double *ret)
{
    pp_text metric = d->v->constraints->objective.metric;

    return pass->kind == PP_JSON_OBJECT && pp_lookup_number(pass, metric.data, ret);
}

static void stretch(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

static bool make_scale(dots *d)
{
    double low = HUGE_VAL, high = -HUGE_VAL, value;

    for (size_t i = 0; i < d->count; i++) {
        const pp_json *passes = passes_of(d, d->rows[i].candidate);

        stretch(*pp_view_value(d->v, d->rows[i].candidate, d->v->constraints->objective.metric),
                &low, &high);
        for (size_t j = 0; j < pp_lookup_count(passes); j++) {
            if (pass_value(d, passes->array.items[j], &value))
                stretch(value, &low, &high);
        }
    }
    if (d->v->decision->has_winner && isfinite(d->v->decision->cutoff))
        stretch(d->v->decision->cutoff, &low, &high);
    return pp_scale_make(pp_scale_origin(low, high), high, LEFT, RIGHT, 6, &d->scale);
}

static void put_passes(const dots *d, size_t candidate, double y)
{
    const pp_json *passes = passes_of(d, candidate);
    double value;

    for (size_t i = 0; i < pp_lookup_count(passes); i++) {
        if (pass_value(d, passes->array.items[i], &value))
            pp_buf_printf(d->v->out, "<circle class=\"p-pass\" cx=\"%.2f\" cy=\"%.2f\" r=\"3\"/>\n",
                          pp_scale_at(&d->scale, value), y + 9.0);
    }
}

static void put_row(const dots *d, const row *r, double y)
{
    pp_text metric = d->v->constraints->objective.metric;
    const double *value = pp_view_value(d->v, r->candidate, metric);
    bool selected = pp_view_is_selected(d->v, r->candidate);
    char text[PP_FIGURE_TEXT_MAX];

    pp_mark_text(d->v, selected ? "strong" : "plain", "end", LEFT - 16.0, y + 4.0,
                 d->v->set->candidates[r->candidate].label, selected ? 27 : 32);
    pp_mark_line(d->v, "grid", LEFT, y, RIGHT, y);
    put_passes(d, r->candidate, y);
    pp_mark_candidate(d->v, r->candidate, pp_scale_at(&d->scale, *value), y);
    pp_mark_text(d->v, selected ? "strong" : "plain", "end", WIDTH - 4.0, y + 4.0,
                 pp_text_of(pp_metric_value_text(metric, *value, text)), 18);
}

/* The tolerated range, from the best value to the cutoff. */
static void put_band(const dots *d, double bottom)
{
    double best, cutoff;

    if (!d->v->decision->has_winner || !isfinite(d->v->decision->cutoff))
        return;
    best = pp_scale_at(&d->scale, d->v->decision->numeric_best_value);
    cutoff = pp_scale_at(&d->scale, d->v->decision->cutoff);
    pp_buf_printf(d->v->out,
                  "<rect class=\"band\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                  "height=\"%.2f\"/>\n",
                  fmin(best, cutoff), TOP, fabs(cutoff - best), bottom - TOP);
}

/* The two lines may lie side by side: their words stand away from each other. */
static void put_cutoff(const dots *d, double bottom)
{
    double best, cutoff;
    bool best_is_left;

    if (!d->v->decision->has_winner)
        return;
    best = pp_scale_at(&d->scale, d->v->decision->numeric_best_value);
    best_is_left = d->v->constraints->objective.direction == PP_DIRECTION_MIN;
    pp_mark_line(d->v, "axis", best, TOP - 4.0, best, bottom);
    pp_mark_text(d->v, "muted", best_is_left ? "end" : "start", best, TOP - 9.0, pp_text_of("best"),
                 10);
    if (!isfinite(d->v->decision->cutoff))
        return;
    cutoff = pp_scale_at(&d->scale, d->v->decision->cutoff);
    pp_mark_line(d->v, "cutoff", cutoff, TOP - 4.0, cutoff, bottom);
    pp_mark_text(d->v, "cutoff-text", best_is_left ? "start" : "end", cutoff, TOP - 9.0,
                 pp_text_of("cutoff"), 10);
}

static bool has_passes(const dots *d)
{
    double value;

    for (size_t i = 0; i < d->count; i++) {
        const pp_json *passes = passes_of(d, d->rows[i].candidate);

        for (size_t j = 0; j < pp_lookup_count(passes); j++) {
            if (pass_value(d, passes->array.items[j], &value))
                return true;
        }
    }
    return false;
}

static void put_caption(const dots *d)
{
    pp_put(d->v, "<figcaption><strong>");
    pp_put_metric(d->v, d->v->constraints->objective.metric);
    pp_put(d->v, " of each candidate</strong>, best eligible first, rejected last.");
    if (has_passes(d))
        pp_put(d->v, " Small rings below the line are the single passes.");
    if (d->scale.low > 0.0)
        pp_put(d->v, " The axis does not start at zero.");
    if (d->count < d->v->set->candidate_count) {
        pp_put(d->v, " Shown are ");
        pp_put_count(d->v, d->count);
        pp_put(d->v, " of ");
        pp_put_count(d->v, d->v->set->candidate_count);
        pp_put(d->v, " candidates.");
    }
    pp_put(d->v, " The values stand in the table of all candidates.</figcaption>\n");
}

static pp_chart_words words_of(const dots *d)
{
    const char *title = pp_arena_printf(d->v->arena, "%s of each candidate, best first",
                                        pp_metric_title(d->v->constraints->objective.metric));

    return (pp_chart_words){
        .id = "track",
        .title = pp_text_of(title == NULL ? "" : title),
        .desc = pp_text_of("Every candidate on one axis, with the best value, the cutoff and the "
                           "tolerated range between them. The table below has the values."),
    };
}

static void put_chart(const dots *d)
{
    pp_text metric = d->v->constraints->objective.metric;
    double bottom = TOP + ROW_HEIGHT * (double)d->count;
    const pp_chart_box area = {LEFT, TOP, RIGHT, bottom};
    pp_chart_words words = words_of(d);

    pp_put(d->v, "<figure>\n");
    put_caption(d);
    pp_chart_open(d->v, &words, bottom + 46.0);
    pp_mark_legend(d->v, 12.0, 14.0);
    put_band(d, bottom);
    pp_chart_axis_x(d->v, &area, &d->scale, pp_mark_axis_title(d->v, metric));
    put_cutoff(d, bottom);
    for (size_t i = 0; i < d->count; i++)
        put_row(d, &d->rows[i], TOP + ROW_HEIGHT * ((double)i + 0.5));
    pp_chart_close(d->v);
    pp_put(d->v, "</figure>\n");
}

pp_status pp_chart_dots(const pp_view *v, pp_error *err)
{
    dots d = {.v = v};

    d.rows = PP_ARENA_NEW(v->arena, row, v->set->candidate_count);
    if (d.rows == NULL)
        return pp_arena_check(v->arena, err);
    gather(&d);
    shorten(&d);
    if (d.count == 0)
        pp_put(v, "<p>The objective was not measured for any candidate.</p>\n");
    else if (!make_scale(&d))
        pp_put(v, "<p>The values of the objective span too wide a range to be drawn.</p>\n");
    else
        put_chart(&d);
    return PP_OK;
}
