#include "report/chart_timeline.h"

#include <math.h>

#include "report/chart_samples.h"

#define MAX_LEFT    280.0 /* before it stand the names */
#define RIGHT       652.0 /* behind it stand the shares */
#define TOP         48.0
#define ROW_HEIGHT  22.0
#define BAR         12.0
#define LABEL_CHARS 40
#define OWNER_CHARS 18  /* of these */
#define NARROWEST   1.5 /* of a bar or a span */

typedef struct plot {
    const pp_view *v;
    const pp_report_bundle *bundle;
    const pp_time_place *places;
    bool *drawn; /* of each run */
    size_t drawn_count;
    double left;
    pp_scale x;
    bool has_cut;
} plot;

/* ---- places ---------------------------------------------------------------------------------- */

void pp_timeline_places(const pp_report_run *runs, size_t count, pp_time_place *ret_places)
{
    double latest = 0.0; /* end of all runs so far, on the wall clock from the first start */
    double cut = 0.0;

    for (size_t i = 0; i < count; i++) {
        double begin = (double)(runs[i].started_unix_ms - runs[0].started_unix_ms) / 1e3;
        double pause = begin - latest;
        double taken = pause > PP_TIMELINE_MAX_PAUSE_S ? pause - PP_TIMELINE_MAX_PAUSE_S : 0.0;

        cut += taken;
        ret_places[i] = (pp_time_place){
            .begin_s = begin - cut,
            .end_s = begin - cut + (double)runs[i].duration_ns / 1e9,
            .cut_s = taken,
        };
        latest = fmax(latest, begin + (double)runs[i].duration_ns / 1e9);
    }
}

static bool is_notable(const pp_report_run *run)
{
    return run->failed || pp_sample_noise_of(run) == PP_NOISE_DISTURBED;
}

static void choose_drawn(plot *p)
{
    for (int notable = 1; notable >= 0; notable--) {
        for (size_t i = 0; i < p->bundle->run_count && p->drawn_count < PP_TIMELINE_MAX_ROWS; i++) {
            if (p->drawn[i] || is_notable(&p->bundle->runs[i]) != (notable == 1))
                continue;
            p->drawn[i] = true;
            p->drawn_count++;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* "Q4_0, requests, pass 2, attempt 1"; NULL when memory is short. */
static const char *name_of(const plot *p, const pp_report_run *run)
{
    size_t candidate = pp_benchmark_set_find(p->v->set, run->candidate_id);
    const char *owner = candidate == PP_NOT_FOUND
                            ? run->candidate_id.data
                            : pp_chart_short_name(p->v, candidate, OWNER_CHARS);
    const char *name =
        owner == NULL ? NULL : pp_arena_printf(p->v->arena, "%s, %s", owner, run->phase.data);

    if (name != NULL && run->pass > 0)
        name = pp_arena_printf(p->v->arena, "%s, pass %lld", name, (long long)run->pass);
    if (name != NULL && !run->counts)
        name = pp_arena_printf(p->v->arena, "%s, attempt %lld", name, (long long)run->attempt);
    return name;
}

static void put_bar(const plot *p, const char *bar_class, double from_s, double to_s, double y,
                    double height)
{
    double from = pp_scale_at(&p->x, from_s);
    double width = fmax(pp_scale_at(&p->x, to_s) - from, NARROWEST);

    pp_buf_printf(p->v->out,
                  "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                  bar_class, from, y - height / 2.0, width, height);
}

/* A window of the watch that began at_ns into the run, held inside it. */
static void put_span(const plot *p, const pp_time_place *place, double at_ns, double window_ns,
                     double y)
{
    double from = fmin(place->begin_s + at_ns / 1e9, place->end_s);

    put_bar(p, "t-span", from, fmin(from + window_ns / 1e9, place->end_s), y, BAR - 5.0);
}

/* The first window beyond the limit and the worst one: what the watch keeps. */
static void put_spans(const plot *p, const pp_report_run *run, const pp_time_place *place, double y)
{
    const pp_json *reasons = pp_lookup_array(run->watch, "reasons");
    double window, at, limit, peak;

    if (!pp_lookup_number(run->watch, "window_ns", &window))
        return;
    for (size_t i = 0; i < pp_lookup_count(reasons); i++) {
        if (pp_lookup_number(reasons->array.items[i], "at_ns", &at))
            put_span(p, place, at, window, y);
    }
    if (pp_lookup_number(run->watch, "foreign_percent_peak", &peak) &&
        pp_lookup_number(run->watch, "foreign_limit_percent", &limit) && peak > limit &&
        pp_lookup_number(run->watch, "foreign_peak_at_ns", &at))
        put_span(p, place, at, window, y);
}

static void put_share(const plot *p, const pp_report_run *run, double y)
{
    bool disturbed = pp_sample_noise_of(run) == PP_NOISE_DISTURBED;
    char number[PP_FIGURE_TEXT_MAX];
    const char *text = "not recorded";
    double peak;

    if (run->failed)
        text = "failed";
    else if (pp_lookup_number(run->watch, "foreign_percent_peak", &peak))
        text = pp_arena_printf(p->v->arena, "%s %%", pp_figure_fixed(peak, 1, number));
    if (text != NULL)
        pp_mark_text(p->v, disturbed || run->failed ? "warn-text" : "muted", "start", RIGHT + 14.0,
                     y + 4.0, pp_text_of(text), 20);
}

static void put_row(const plot *p, size_t i, double y)
{
    static const char *const classes[] = {"t-quiet", "t-disturbed", "t-undecided"};
    const pp_report_run *run = &p->bundle->runs[i];
    const char *name = name_of(p, run);

    pp_mark_text(p->v, run->counts ? "plain" : "muted", "end", p->left - 12.0, y + 4.0,
                 pp_text_of(name == NULL ? "" : name), LABEL_CHARS);
    put_bar(p, classes[pp_sample_noise_of(run)], p->places[i].begin_s, p->places[i].end_s, y, BAR);
    put_spans(p, run, &p->places[i], y);
    put_share(p, run, y);
}

/* ---- frame ----------------------------------------------------------------------------------- */

static void put_legend(const plot *p)
{
    static const struct {
        const char *class, *text;
        double height, width;
    } rows[] = {
        {"t-quiet", "quiet run", BAR, 96.0},
        {"t-disturbed", "disturbed run", BAR, 120.0},
        {"t-undecided", "undecided", BAR, 100.0},
        {"t-span", "window beyond the limit", BAR - 5.0, 0.0},
    };
    double x = p->left;

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_buf_printf(p->v->out,
                      "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"14\" height=\"%.2f\"/>\n",
                      rows[i].class, x, 14.0 - rows[i].height / 2.0, rows[i].height);
        pp_mark_text(p->v, "muted", "start", x + 20.0, 18.0, pp_text_of(rows[i].text), 30);
        x += rows[i].width;
    }
    pp_mark_text(p->v, "muted", "start", RIGHT + 14.0, TOP - 8.0, pp_text_of("Foreign CPU, peak"),
                 20);
}

static void put_cuts(const plot *p, double bottom)
{
    for (size_t i = 0; i < p->bundle->run_count; i++) {
        double x;

        if (p->places[i].cut_s <= 0.0)
            continue;
        x = pp_scale_at(&p->x, p->places[i].begin_s - PP_TIMELINE_MAX_PAUSE_S / 2.0);
        pp_mark_line(p->v, "t-cut", x, TOP, x, bottom);
    }
}

static void put_caption(const plot *p)
{
    pp_put(p->v, "<figcaption><strong>Every run in the order of time</strong>, as long as it took. "
                 "Of a disturbed run the noise watch keeps the first window in which others used "
                 "more than the limit, and the worst one; steal and throttling are totals and have "
                 "no place.");
    if (p->has_cut)
        pp_put(p->v, " A dotted line stands for a pause that is drawn as one minute; the table has "
                     "the true start.");
    if (p->drawn_count < p->bundle->run_count) {
        pp_put(p->v, " Drawn are ");
        pp_put_count(p->v, p->drawn_count);
        pp_put(p->v, " of ");
        pp_put_count(p->v, p->bundle->run_count);
        pp_put(p->v, " runs: the disturbed and failed ones first, then the earliest.");
    }
    pp_put(p->v, "</figcaption>\n");
}

static void put_image(const plot *p)
{
    static const pp_chart_words words = {
        .id = "timeline",
        .title = {"Runs in the order of time", sizeof "Runs in the order of time" - 1},
        .desc = {"A bar for each run, dashed where it was disturbed, with the windows in which "
                 "other processes used more than the limit. The table below has the figures.",
                 sizeof "A bar for each run, dashed where it was disturbed, with the windows in "
                        "which other processes used more than the limit. The table below has the "
                        "figures." -
                     1},
    };
    double bottom = TOP + ROW_HEIGHT * (double)p->drawn_count;
    const pp_chart_box area = {p->left, TOP, RIGHT, bottom};
    size_t row = 0;

    pp_chart_open(p->v, &words, bottom + 46.0);
    put_legend(p);
    pp_chart_axis_x(p->v, &area, &p->x,
                    pp_text_of(p->has_cut ? "Seconds from the first run, long pauses cut"
                                          : "Seconds from the start of the first run"));
    put_cuts(p, bottom);
    for (size_t i = 0; i < p->bundle->run_count; i++) {
        if (p->drawn[i])
            put_row(p, i, TOP + ROW_HEIGHT * ((double)row++ + 0.5));
    }
    pp_chart_close(p->v);
}

static bool make_scale(plot *p)
{
    double last = 0.0;

    for (size_t i = 0; i < p->bundle->run_count; i++) {
        const char *name = p->drawn[i] ? name_of(p, &p->bundle->runs[i]) : NULL;

        last = fmax(last, p->places[i].end_s);
        p->has_cut = p->has_cut || p->places[i].cut_s > 0.0;
        if (name != NULL)
            p->left = fmax(p->left, pp_chart_name_width(pp_text_of(name), LABEL_CHARS) + 20.0);
    }
    p->left = fmin(p->left, MAX_LEFT);
    return pp_scale_make(0.0, last, p->left, RIGHT, 6, &p->x);
}

pp_status pp_chart_timeline(const pp_view *v, pp_error *err)
{
    plot p = {.v = v, .bundle = v->input->extras.bundle};
    pp_time_place *places = PP_ARENA_NEW(v->arena, pp_time_place, p.bundle->run_count);

    p.drawn = PP_ARENA_NEW(v->arena, bool, p.bundle->run_count);
    if (places == NULL || p.drawn == NULL)
        return pp_arena_check(v->arena, err);
    pp_timeline_places(p.bundle->runs, p.bundle->run_count, places);
    p.places = places;
    choose_drawn(&p);
    if (!make_scale(&p)) {
        pp_put(v, "<p>The times of the runs span too wide a range to be drawn.</p>\n");
        return PP_OK;
    }
    pp_put(v, "<figure>\n");
    put_caption(&p);
    put_image(&p);
    pp_put(v, "</figure>\n");
    return PP_OK;
}
