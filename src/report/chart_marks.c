#include "report/chart_marks.h"

#include <stdlib.h>

void pp_mark_line(const pp_view *v, const char *line_class, double x1, double y1, double x2,
                  double y2)
{
    pp_buf_printf(v->out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n",
                  line_class, x1, y1, x2, y2);
}

void pp_mark_text(const pp_view *v, const char *text_class, const char *anchor, double x, double y,
                  pp_text text, size_t max_chars)
{
    pp_buf_printf(v->out, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.2f\" y=\"%.2f\">",
                  text_class, anchor, x, y);
    pp_html_cut(v->out, text, max_chars);
    pp_put(v, "</text>\n");
}

static void put_standing(const pp_view *v, pp_standing standing, double x, double y)
{
    switch (standing) {
    case PP_STANDING_SELECTED:
        pp_buf_printf(v->out, "<path class=\"p-selected\" d=\"M%.2f %.2fl9 9l-9 9l-9 -9z\"/>\n", x,
                      y - 9.0);
        return;
    case PP_STANDING_SHORTLIST:
    case PP_STANDING_FRONTIER:
        pp_buf_printf(v->out, "<circle class=\"p-frontier\" cx=\"%.2f\" cy=\"%.2f\" r=\"6\"/>\n", x,
                      y);
        return;
    case PP_STANDING_DOMINATED:
        pp_buf_printf(v->out, "<circle class=\"p-dominated\" cx=\"%.2f\" cy=\"%.2f\" r=\"5\"/>\n",
                      x, y);
        return;
    case PP_STANDING_REJECTED:
        pp_buf_printf(v->out, "<path class=\"p-rejected\" d=\"M%.2f %.2fl10 10m0 -10l-10 10\"/>\n",
                      x - 5.0, y - 5.0);
        return;
    }
}

#define SHAPE_COUNT 6

size_t pp_mark_series_class(size_t n)
{
    return (n + n / SHAPE_COUNT) % SHAPE_COUNT;
}

void pp_mark_series(const pp_view *v, size_t n, double x, double y)
{
    static const char *const shapes[SHAPE_COUNT] = {
        "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z", /* circle */
        "m-5 -5h10v10h-10z",                     /* square */
        "m0 -6l6 11h-12z",                       /* triangle */
        "m0 -6.5l6.5 6.5l-6.5 6.5l-6.5 -6.5z",   /* diamond */
        "m0 6l6 -11h-12z",                       /* triangle, upside down */
        "m-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",    /* cross */
    };

    pp_buf_printf(v->out, "<path class=\"f%zu\" d=\"M%.2f %.2f%s\"/>\n", pp_mark_series_class(n), x,
                  y, shapes[n % SHAPE_COUNT]);
}

static void put_baseline_frame(const pp_view *v, double x, double y)
{
    pp_buf_printf(v->out,
                  "<rect class=\"p-baseline\" x=\"%.2f\" y=\"%.2f\" width=\"22\" height=\"22\" "
                  "rx=\"3\"/>\n",
                  x - 11.0, y - 11.0);
}

void pp_mark_candidate(const pp_view *v, size_t candidate, double x, double y)
{
    put_standing(v, v->decision->verdicts[candidate].standing, x, y);
    if (candidate == v->set->baseline_index)
        put_baseline_frame(v, x, y);
}

void pp_mark_legend(const pp_view *v, double x, double y)
{
    static const struct {
        pp_standing standing;
        const char *text;
        double width;
    } rows[] = {
        {PP_STANDING_SELECTED, "selected", 90.0},
        {PP_STANDING_FRONTIER, "frontier", 88.0},
        {PP_STANDING_DOMINATED, "dominated", 102.0},
        {PP_STANDING_REJECTED, "rejected", 92.0},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        put_standing(v, rows[i].standing, x, y);
        pp_mark_text(v, "muted", "start", x + 15.0, y + 4.0, pp_text_of(rows[i].text), 20);
        x += rows[i].width;
    }
    put_baseline_frame(v, x + 3.0, y);
    pp_mark_text(v, "muted", "start", x + 21.0, y + 4.0, pp_text_of("baseline"), 20);
}

pp_text pp_mark_axis_title(const pp_view *v, pp_text metric)
{
    const pp_metric_info *info = pp_metric_info_find(metric);
    const char *unit = pp_report_unit(metric);
    char *text;

    if (info == NULL && unit[0] == '\0')
        return metric;
    text = pp_arena_printf(v->arena, "%s%s%s", info != NULL ? info->title : metric.data,
                           unit[0] != '\0' ? "," : "", unit);
    return text == NULL ? metric : pp_text_of(text);
}
