#include "report/chart_lines.h"

#include <math.h>
#include <stdlib.h>

#include "report/chart_labels.h"

#define LEFT        84.0
#define RIGHT       560.0 /* behind it stand the names */
#define TOP         18.0
#define BOTTOM      290.0
#define NAME_CHARS  32
#define NAME_HEIGHT 16.0

typedef struct plot {
    const pp_view *v;
    const pp_lines *lines;
    size_t drawn; /* lines */
    pp_scale x, y;
    double *levels; /* every x that occurs, ascending */
    size_t level_count;
} plot;

/* ---- axes ------------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool gather_levels(plot *p)
{
    size_t most = 0;
    size_t kept = 0;

    for (size_t i = 0; i < p->lines->line_count; i++)
        most += p->lines->lines[i].point_count;
    p->levels = PP_ARENA_NEW(p->v->arena, double, most + 1);
    if (p->levels == NULL)
        return false;
    for (size_t i = 0; i < p->lines->line_count; i++) {
        for (size_t j = 0; j < p->lines->lines[i].point_count; j++)
            p->levels[p->level_count++] = p->lines->lines[i].points[j].x;
    }
    qsort(p->levels, p->level_count, sizeof *p->levels, compare_numbers);
    for (size_t i = 0; i < p->level_count; i++) {
        if (kept == 0 || p->levels[i] > p->levels[kept - 1])
            p->levels[kept++] = p->levels[i];
    }
    p->level_count = kept;
    return true;
}

/* Half a client does not exist: few clients get few ticks. */
static int ticks_of(const plot *p)
{
    double highest = p->levels[p->level_count - 1];

    return highest < 1.0 ? 1 : highest < 6.0 ? (int)highest : 6;
}

/* From zero on both axes, so that heights may be compared. */
static bool make_scales(plot *p)
{
    double highest = p->lines->limit.known ? p->lines->limit.value : 0.0;
    bool some = false;

    for (size_t i = 0; i < p->drawn; i++) {
        const pp_line *line = &p->lines->lines[i];

        for (size_t j = 0; j < line->point_count; j++) {
            some = some || line->points[j].y.known;
            if (line->points[j].y.known)
                highest = fmax(highest, line->points[j].y.value);
        }
    }
    return some && p->level_count > 0 &&
           pp_scale_make(0.0, p->levels[p->level_count - 1], LEFT, RIGHT, ticks_of(p), &p->x) &&
           pp_scale_make(0.0, highest, BOTTOM, TOP, 6, &p->y);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A gap ends the path, and the next known value begins it again. */
static void put_path(const plot *p, size_t n)
{
    const pp_line *line = &p->lines->lines[n];
    const char *step = "M";

    pp_buf_printf(p->v->out, "<path class=\"s%zu\" d=\"", pp_mark_series_class(n));
    for (size_t i = 0; i < line->point_count; i++) {
        const pp_line_point *point = &line->points[i];

        if (point->y.known)
            pp_buf_printf(p->v->out, "%s%.2f %.2f", step, pp_scale_at(&p->x, point->x),
                          pp_scale_at(&p->y, point->y.value));
        step = point->y.known ? "L" : "M";
    }
    pp_put(p->v, "\"/>\n");
}

static void put_marks(const plot *p, size_t n)
{
    const pp_line *line = &p->lines->lines[n];

    for (size_t i = 0; i < line->point_count; i++) {
        if (line->points[i].y.known)
            pp_mark_series(p->v, n, pp_scale_at(&p->x, line->points[i].x),
                           pp_scale_at(&p->y, line->points[i].y.value));
    }
}

static const pp_line_point *last_known(const pp_line *line)
{
    for (size_t i = line->point_count; i-- > 0;) {
        if (line->points[i].y.known)
            return &line->points[i];
    }
    return NULL;
}

/* Behind the last value of each line, pushed apart; a thin line leads from one to the other. */
static void put_names(const plot *p)
{
    double heights[PP_LINES_MAX_DRAWN];
    size_t lines[PP_LINES_MAX_DRAWN];
    size_t count = 0;

    for (size_t i = 0; i < p->drawn; i++) {
        const pp_line_point *last = last_known(&p->lines->lines[i]);

        if (last == NULL)
            continue;
        heights[count] = pp_scale_at(&p->y, last->y.value);
        lines[count++] = i;
    }
    pp_labels_spread(heights, count, NAME_HEIGHT, TOP, BOTTOM);
    for (size_t i = 0; i < count; i++) {
        const pp_line *line = &p->lines->lines[lines[i]];
        const pp_line_point *last = last_known(line);

        pp_mark_line(p->v, "grid", pp_scale_at(&p->x, last->x) + 7.0,
                     pp_scale_at(&p->y, last->y.value), RIGHT + 10.0, heights[i]);
        pp_mark_series(p->v, lines[i], RIGHT + 18.0, heights[i]);
        pp_mark_text(p->v, "plain", "start", RIGHT + 28.0, heights[i] + 4.0, line->name,
                     NAME_CHARS);
    }
}

static void put_limit(const plot *p)
{
    double y;

    if (!p->lines->limit.known)
        return;
    y = pp_scale_at(&p->y, p->lines->limit.value);
    pp_mark_line(p->v, "limit", LEFT, y, RIGHT, y);
    pp_mark_text(p->v, "limit-text", "start", LEFT + 6.0, y - 6.0, pp_text_of("limit"), 8);
}

/* ---- figure and table ------------------------------------------------------------------------ */

static pp_chart_words words_of(const plot *p)
{
    return (pp_chart_words){
        .id = p->lines->id,
        .title = pp_text_of(p->lines->title),
        .desc = pp_text_of("A line with its own marks for each candidate, by number of clients; "
                           "the name stands at its end. The table below has every value."),
    };
}

static void put_caption(const plot *p)
{
    pp_put(p->v, "<figcaption><strong>");
    pp_put_string(p->v, p->lines->title);
    pp_put(p->v, "</strong>, by number of clients.");
    if (p->drawn < p->lines->line_count) {
        pp_put(p->v, " Drawn are the first ");
        pp_put_count(p->v, p->drawn);
        pp_put(p->v, " lines; the table has all ");
        pp_put_count(p->v, p->lines->line_count);
        pp_put(p->v, ".");
    }
    pp_put(p->v, "</figcaption>\n");
}

static void put_image(const plot *p)
{
    const pp_chart_box area = {LEFT, TOP, RIGHT, BOTTOM};
    pp_chart_words words = words_of(p);

    pp_chart_open(p->v, &words, BOTTOM + 46.0);
    pp_chart_axis_x(p->v, &area, &p->x, pp_text_of(p->lines->x_title));
    pp_chart_axis_y(p->v, &area, &p->y, words.title);
    pp_chart_corner(p->v, &area);
    put_limit(p);
    for (size_t i = 0; i < p->drawn; i++)
        put_path(p, i);
    for (size_t i = 0; i < p->drawn; i++)
        put_marks(p, i);
    put_names(p);
    pp_chart_close(p->v);
}

static pp_maybe_real value_at(const pp_line *line, double x)
{
    for (size_t i = 0; i < line->point_count; i++) {
        if (line->points[i].x == x)
            return line->points[i].y;
    }
    return (pp_maybe_real){0};
}

static void put_table(const plot *p)
{
    pp_put(p->v, "<details><summary>The values as a table</summary>\n");
    pp_put_table_open(p->v, p->lines->title, "values");
    pp_put(p->v, "<thead><tr><th scope=\"col\">Candidate</th>");
    for (size_t i = 0; i < p->level_count; i++) {
        pp_put(p->v, "<th scope=\"col\" class=\"num\">");
        pp_put_number(p->v, p->levels[i]);
        pp_put(p->v, p->levels[i] == 1.0 ? " client</th>" : " clients</th>");
    }
    pp_put(p->v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < p->lines->line_count; i++) {
        pp_put(p->v, "<tr><th scope=\"row\"><bdi>");
        pp_put_text(p->v, p->lines->lines[i].name);
        pp_put(p->v, "</bdi></th>");
        for (size_t j = 0; j < p->level_count; j++)
            pp_put_real_cell(p->v, value_at(&p->lines->lines[i], p->levels[j]), p->lines->unit);
        pp_put(p->v, "</tr>\n");
    }
    pp_put(p->v, "</tbody>\n");
    pp_put_table_close(p->v);
    pp_put(p->v, "</details>\n");
}

pp_status pp_chart_lines(const pp_view *v, const pp_lines *lines, pp_error *err)
{
    plot p = {.v = v, .lines = lines};

    p.drawn = lines->line_count < PP_LINES_MAX_DRAWN ? lines->line_count : PP_LINES_MAX_DRAWN;
    if (!gather_levels(&p))
        return pp_arena_check(v->arena, err);
    pp_put(v, "<figure>\n");
    put_caption(&p);
    if (make_scales(&p))
        put_image(&p);
    else
        pp_put(v, "<p>No value of it was measured, or the values span too wide a range to be "
                  "drawn.</p>\n");
    put_table(&p);
    pp_put(v, "</figure>\n");
    return PP_OK;
}
