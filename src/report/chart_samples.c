#include "report/chart_samples.h"

#include <math.h>
#include <string.h>

#include "stats/percentile.h"

#define MAX_LEFT    236.0 /* before it stand the names */
#define RIGHT       640.0 /* behind it stand the quantiles */
#define TOP         44.0
#define LANES       30.0 /* room of the dots of a row */
#define ROW_HEIGHT  50.0
#define LABEL_CHARS 27

/* ---- rows ------------------------------------------------------------------------------------ */

pp_sample_noise pp_sample_noise_of(const pp_report_run *run)
{
    pp_text verdict;

    if (!pp_lookup_text(run->watch, "verdict", &verdict))
        return PP_NOISE_UNDECIDED;
    return pp_text_is(verdict, "quiet")       ? PP_NOISE_QUIET
           : pp_text_is(verdict, "disturbed") ? PP_NOISE_DISTURBED
                                              : PP_NOISE_UNDECIDED;
}

static bool is_of(const pp_view *v, const pp_report_run *run, size_t candidate)
{
    return run->counts && run->request_count > 0 &&
           pp_text_equal(run->candidate_id, v->set->candidates[candidate].id);
}

/* As the metrics are made: nearest rank over all, the median of an even number the mean of two. */
static pp_maybe_real quantile(const double *sorted, size_t count, double percent)
{
    double value;

    if (pp_percentile(sorted, count, percent, &value, NULL) == PP_OK && isfinite(value))
        return pp_known_real(value);
    return (pp_maybe_real){0};
}

static void take_run(const pp_report_run *run, bool is_ttft, pp_sample_row *row, double *all)
{
    pp_sample_noise noise = pp_sample_noise_of(run);

    for (size_t i = 0; i < run->request_count; i++) {
        const pp_report_request *request = &run->requests[i];
        double value = is_ttft ? request->ttft_ms : request->e2e_ms;

        all[row->request_count++] = isfinite(value) ? value : INFINITY;
        if (isfinite(value))
            row->dots[row->dot_count++] = (pp_sample_dot){value, row->lane_count, noise};
    }
    row->lane_count++;
    row->run_count++;
    row->disturbed_run_count += noise == PP_NOISE_DISTURBED;
}

pp_status pp_sample_row_make(const pp_view *v, size_t candidate, bool is_ttft,
                             pp_sample_row *ret_row, pp_error *err)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;
    size_t most = 0;
    double *all;

    *ret_row = (pp_sample_row){.candidate = candidate};
    for (size_t i = 0; i < bundle->run_count; i++)
        most += is_of(v, &bundle->runs[i], candidate) ? bundle->runs[i].request_count : 0;
    all = PP_ARENA_NEW(v->arena, double, most);
    ret_row->dots = PP_ARENA_NEW(v->arena, pp_sample_dot, most);
    if (all == NULL || ret_row->dots == NULL)
        return pp_arena_check(v->arena, err);
    for (size_t i = 0; i < bundle->run_count; i++) {
        if (is_of(v, &bundle->runs[i], candidate))
            take_run(&bundle->runs[i], is_ttft, ret_row, all);
    }
    ret_row->failed_count = ret_row->request_count - ret_row->dot_count;
    pp_samples_sort(all, most);
    if (ret_row->dot_count > 0) {
        ret_row->p50 = quantile(all, most, 50.0);
        ret_row->p95 = quantile(all, most, 95.0);
        ret_row->lowest = pp_known_real(all[0]);
        ret_row->highest = pp_known_real(all[ret_row->dot_count - 1]);
    }
    return PP_OK;
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef struct plot {
    const pp_view *v;
    const pp_sample_chart *chart;
    size_t drawn; /* rows */
    size_t most;  /* dots of a row */
    double left;
    pp_scale x;
    bool has_noise[PP_NOISE_UNDECIDED + 1];
} plot;

size_t pp_samples_step(size_t dot_count, size_t most)
{
    return dot_count <= most ? 1 : (dot_count + most - 1) / most;
}

static bool make_scale(plot *p)
{
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t i = 0; i < p->drawn; i++) {
        const pp_sample_row *row = &p->chart->rows[i];

        if (row->dot_count == 0)
            continue;
        low = fmin(low, row->lowest.value);
        high = fmax(high, row->highest.value);
        for (size_t j = 0; j < row->dot_count; j++)
            p->has_noise[row->dots[j].noise] = true;
    }
    return low <= high && pp_scale_make(pp_scale_origin(low, high), high, p->left, RIGHT, 6, &p->x);
}

static void put_dot(const pp_view *v, pp_sample_noise noise, double x, double y)
{
    switch (noise) {
    case PP_NOISE_QUIET:
        pp_buf_printf(v->out, "<circle class=\"d-quiet\" cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\"/>\n", x,
                      y);
        return;
    case PP_NOISE_DISTURBED:
        pp_buf_printf(v->out, "<path class=\"d-disturbed\" d=\"M%.2f %.2fl5 5m0 -5l-5 5\"/>\n",
                      x - 2.5, y - 2.5);
        return;
    case PP_NOISE_UNDECIDED:
        pp_buf_printf(v->out, "<circle class=\"d-undecided\" cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\"/>\n",
                      x, y);
        return;
    }
}

/* Long lists keep every n-th, and both ends of the range. */
static bool is_drawn(const plot *p, const pp_sample_row *row, size_t dot)
{
    double value = row->dots[dot].value_ms;

    return dot % pp_samples_step(row->dot_count, p->most) == 0 || value == row->lowest.value ||
           value == row->highest.value;
}

static void put_quantile(const plot *p, pp_maybe_real value, const char *line_class, double y)
{
    double x;

    if (!value.known)
        return;
    x = pp_scale_at(&p->x, value.value);
    pp_mark_line(p->v, line_class, x, y - LANES / 2.0 - 4.0, x, y + LANES / 2.0 + 4.0);
}

static void put_quantile_text(const plot *p, const char *name, pp_maybe_real value, double y)
{
    char number[PP_FIGURE_TEXT_MAX];
    const char *text = value.known ? pp_arena_printf(p->v->arena, "%s %s ms", name,
                                                     pp_figure_fixed(value.value, 2, number))
                                   : pp_arena_printf(p->v->arena, "%s: a failed request", name);

    if (text != NULL)
        pp_mark_text(p->v, "plain", "start", RIGHT + 14.0, y, pp_text_of(text), 24);
}

/* Dots of like values would hide each other: they keep to one of three heights in their lane. */
static double aside(size_t dot)
{
    static const double parts[] = {-0.25, 0.0, 0.25};

    return parts[dot % PP_COUNT_OF(parts)];
}

static void put_row(const plot *p, const pp_sample_row *row, double y)
{
    bool selected = pp_view_is_selected(p->v, row->candidate);
    double lane = row->lane_count > 0 ? LANES / (double)row->lane_count : LANES;

    pp_mark_text(p->v, selected ? "strong" : "plain", "end", p->left - 14.0, y + 4.0,
                 p->v->set->candidates[row->candidate].label, LABEL_CHARS);
    pp_mark_line(p->v, "grid", p->left, y, RIGHT, y);
    for (size_t i = 0; i < row->dot_count; i++) {
        const pp_sample_dot *dot = &row->dots[i];

        if (is_drawn(p, row, i))
            put_dot(p->v, dot->noise, pp_scale_at(&p->x, dot->value_ms),
                    y - LANES / 2.0 + lane * ((double)dot->lane + 0.5 + aside(i)));
    }
    if (row->request_count == 0) {
        pp_mark_text(p->v, "muted", "start", RIGHT + 14.0, y + 4.0, pp_text_of("not measured"), 24);
        return;
    }
    put_quantile(p, row->p50, "q-median", y);
    put_quantile(p, row->p95, "q-tail", y);
    put_quantile_text(p, "p50", row->p50, y - 4.0);
    put_quantile_text(p, "p95", row->p95, y + 12.0);
}

static void put_legend(const plot *p)
{
    static const char *const words[] = {"quiet run", "disturbed run", "run too short to judge"};
    static const double widths[] = {86.0, 108.0, 166.0};
    double x = p->left + 6.0;

    for (size_t i = 0; i < PP_COUNT_OF(words); i++) {
        if (!p->has_noise[i])
            continue;
        put_dot(p->v, (pp_sample_noise)i, x, 16.0);
        pp_mark_text(p->v, "muted", "start", x + 9.0, 20.0, pp_text_of(words[i]), 30);
        x += widths[i];
    }
    pp_mark_line(p->v, "q-median", x + 4.0, 8.0, x + 4.0, 24.0);
    pp_mark_text(p->v, "muted", "start", x + 11.0, 20.0, pp_text_of("p50"), 8);
    pp_mark_line(p->v, "q-tail", x + 50.0, 8.0, x + 50.0, 24.0);
    pp_mark_text(p->v, "muted", "start", x + 57.0, 20.0, pp_text_of("p95"), 8);
}

static void put_thinning(const plot *p)
{
    size_t thinned = 0;

    for (size_t i = 0; i < p->drawn; i++) {
        const pp_sample_row *row = &p->chart->rows[i];
        size_t step = pp_samples_step(row->dot_count, p->most);

        if (step == 1)
            continue;
        pp_put(p->v, thinned++ == 0 ? " Too many to draw: of " : "; of ");
        pp_put_label(p->v, row->candidate);
        pp_put(p->v, " every ");
        pp_put_count(p->v, step);
        pp_put(p->v, step == 2 ? "nd of " : step == 3 ? "rd of " : "th of ");
        pp_put_count(p->v, row->dot_count);
    }
    if (thinned > 0)
        pp_put(p->v, ", the smallest and the largest beside; quantiles are those of all.");
}

static void put_caption(const plot *p)
{
    pp_put(p->v, "<figcaption><strong>");
    pp_put_string(p->v, p->chart->title);
    pp_put(p->v, ", each request a dot</strong>. The runs of a candidate lie below each other, the "
                 "first on top.");
    if (p->x.low > 0.0)
        pp_put(p->v, " The axis does not start at zero.");
    put_thinning(p);
    if (p->drawn < p->chart->row_count) {
        pp_put(p->v, " Drawn are the first ");
        pp_put_count(p->v, p->drawn);
        pp_put(p->v, " of ");
        pp_put_count(p->v, p->chart->row_count);
        pp_put(p->v, " candidates; the table has them all.");
    }
    pp_put(p->v, "</figcaption>\n");
}

static void put_image(const plot *p)
{
    double bottom = TOP + ROW_HEIGHT * (double)p->drawn;
    const pp_chart_box area = {p->left, TOP, RIGHT, bottom};
    const char *axis = pp_arena_printf(p->v->arena, "%s, ms", p->chart->title);
    pp_chart_words words = {
        .id = p->chart->id,
        .title = pp_text_of(p->chart->title),
        .desc = pp_text_of("A row of dots for each candidate, one dot for each measured request; "
                           "a full line at the median, a dashed one at the 95th percentile. The "
                           "table below has the quantiles."),
    };

    pp_chart_open(p->v, &words, bottom + 46.0);
    put_legend(p);
    pp_chart_axis_x(p->v, &area, &p->x, pp_text_of(axis == NULL ? "" : axis));
    for (size_t i = 0; i < p->drawn; i++)
        put_row(p, &p->chart->rows[i], TOP + ROW_HEIGHT * ((double)i + 0.5));
    pp_chart_close(p->v);
}

void pp_chart_samples(const pp_view *v, const pp_sample_chart *chart)
{
    plot p = {.v = v, .chart = chart};

    p.drawn = chart->row_count < PP_SAMPLES_MAX_ROWS ? chart->row_count : PP_SAMPLES_MAX_ROWS;
    if (p.drawn == 0)
        return;
    p.most = PP_SAMPLES_MAX_DOTS / p.drawn;
    for (size_t i = 0; i < p.drawn; i++)
        p.left = fmax(p.left, pp_chart_name_width(
                                  v->set->candidates[chart->rows[i].candidate].label, LABEL_CHARS) +
                                  22.0);
    p.left = fmin(p.left, MAX_LEFT);
    if (!make_scale(&p)) {
        pp_put(v, "<p>No request gave a time that can be drawn.</p>\n");
        return;
    }
    pp_put(v, "<figure>\n");
    put_caption(&p);
    put_image(&p);
    pp_put(v, "</figure>\n");
}
