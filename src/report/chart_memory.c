#include "report/chart_memory.h"

#include <math.h>

#define MAX_LEFT    300.0 /* before it stand the names */
#define RIGHT       660.0 /* behind it stand the sums */
#define TOP         44.0
#define ROW_HEIGHT  24.0
#define BAR         14.0
#define LABEL_CHARS 40
#define OWNER_CHARS 25 /* of these */

/* What the resident set is made of, in the order of the bar. */
typedef enum kind { KIND_OWN, KIND_FILE, KIND_SHARED, KIND_COUNT } kind;

static const struct {
    const char *key, *class, *text;
    double width; /* in the legend */
} kinds[KIND_COUNT] = {
    [KIND_OWN] = {"anon_mib", "m-own", "own", 60.0},
    [KIND_FILE] = {"file_mib", "m-file", "file pages", 94.0},
    [KIND_SHARED] = {"shmem_mib", "m-shared", "shared", 76.0},
};

typedef struct plot {
    const pp_view *v;
    size_t candidates; /* drawn */
    size_t row_count;
    double left;
    pp_scale x;
} plot;

const pp_json *pp_memory_phases(const pp_view *v, size_t candidate)
{
    return pp_lookup_array(pp_view_parameters(v, candidate, "measurement"), "memory_by_phase");
}

const char *pp_memory_phase_title(pp_text phase)
{
    return pp_text_is(phase, "after_load")       ? "ready, before the first request"
           : pp_text_is(phase, "after_warmup")   ? "after the warm-up"
           : pp_text_is(phase, "after_requests") ? "after the last request"
                                                 : NULL;
}

static const char *short_title(pp_text phase)
{
    return pp_text_is(phase, "after_load")       ? "ready"
           : pp_text_is(phase, "after_warmup")   ? "warmed up"
           : pp_text_is(phase, "after_requests") ? "at the end"
                                                 : "other phase";
}

/* Own and file pages must be known; a kernel that does not count shared ones counts them there. */
static bool read_kinds(const pp_json *row, double ret_mib[KIND_COUNT])
{
    for (int i = 0; i < KIND_COUNT; i++) {
        if (!pp_lookup_number(row, kinds[i].key, &ret_mib[i]) || ret_mib[i] < 0.0)
            ret_mib[i] = i == KIND_SHARED ? 0.0 : -1.0;
    }
    return ret_mib[KIND_OWN] >= 0.0 && ret_mib[KIND_FILE] >= 0.0;
}

static const char *name_of(const plot *p, size_t candidate, const pp_json *row)
{
    const char *owner = pp_chart_short_name(p->v, candidate, OWNER_CHARS);
    pp_text phase = {0};

    (void)pp_lookup_text(row, "phase", &phase); /* without: another phase */
    return owner == NULL ? NULL : pp_arena_printf(p->v->arena, "%s, %s", owner, short_title(phase));
}

/* ---- drawing --------------------------------------------------------------------------------- */

typedef void row_function(plot *p, size_t candidate, const pp_json *row, const double *mib,
                          void *user);

static void each_row(plot *p, row_function *use, void *user)
{
    double mib[KIND_COUNT];

    for (size_t i = 0; i < p->candidates; i++) {
        const pp_json *phases = pp_memory_phases(p->v, p->v->shown[i]);

        for (size_t j = 0; j < pp_lookup_count(phases); j++) {
            if (read_kinds(phases->array.items[j], mib))
                use(p, p->v->shown[i], phases->array.items[j], mib, user);
        }
    }
}

static void measure_row(plot *p, size_t candidate, const pp_json *row, const double *mib,
                        void *user)
{
    const char *name = name_of(p, candidate, row);
    double *highest = user;
    double peak;

    p->row_count++;
    *highest = fmax(*highest, mib[KIND_OWN] + mib[KIND_FILE] + mib[KIND_SHARED]);
    if (pp_lookup_number(row, "peak_rss_mib", &peak))
        *highest = fmax(*highest, peak);
    if (name != NULL)
        p->left = fmax(p->left, pp_chart_name_width(pp_text_of(name), LABEL_CHARS) + 20.0);
}

static void put_part(const plot *p, kind which, double from, double to, double y)
{
    double left = pp_scale_at(&p->x, from);
    double width = pp_scale_at(&p->x, to) - left;

    if (width > 0.0)
        pp_buf_printf(p->v->out,
                      "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
                      "height=\"%.2f\"/>\n",
                      kinds[which].class, left, y - BAR / 2.0, width, BAR);
}

static void put_sum(const plot *p, double sum, double y)
{
    char number[PP_FIGURE_TEXT_MAX];
    const char *text = pp_arena_printf(p->v->arena, "%s MiB", pp_figure_fixed(sum, 1, number));

    if (text != NULL)
        pp_mark_text(p->v, "plain", "start", RIGHT + 14.0, y + 4.0, pp_text_of(text), 20);
}

static void put_row(plot *p, size_t candidate, const pp_json *row, const double *mib, void *user)
{
    double *y = user;
    const char *name = name_of(p, candidate, row);
    double at = 0.0;
    double peak;

    pp_mark_text(p->v, "plain", "end", p->left - 12.0, *y + 4.0,
                 pp_text_of(name == NULL ? "" : name), LABEL_CHARS);
    for (int i = 0; i < KIND_COUNT; i++) {
        put_part(p, (kind)i, at, at + mib[i], *y);
        at += mib[i];
    }
    if (pp_lookup_number(row, "peak_rss_mib", &peak)) {
        double x = pp_scale_at(&p->x, peak);

        pp_mark_line(p->v, "m-peak", x, *y - BAR / 2.0 - 3.0, x, *y + BAR / 2.0 + 3.0);
    }
    put_sum(p, at, *y);
    *y += ROW_HEIGHT;
}

static void put_legend(const plot *p)
{
    double x = p->left;

    for (int i = 0; i < KIND_COUNT; i++) {
        pp_buf_printf(p->v->out,
                      "<rect class=\"%s\" x=\"%.2f\" y=\"9\" width=\"14\" height=\"12\"/>\n",
                      kinds[i].class, x);
        pp_mark_text(p->v, "muted", "start", x + 20.0, 19.0, pp_text_of(kinds[i].text), 20);
        x += kinds[i].width;
    }
    pp_mark_line(p->v, "m-peak", x + 4.0, 6.0, x + 4.0, 24.0);
    pp_mark_text(p->v, "muted", "start", x + 12.0, 19.0, pp_text_of("peak so far"), 20);
    pp_mark_text(p->v, "muted", "start", RIGHT + 14.0, TOP - 8.0, pp_text_of("Resident set"), 20);
}

static void put_caption(const plot *p)
{
    pp_put(p->v, "<figcaption><strong>Resident set of each server by kind of page</strong>, in "
                 "each phase of its last pass.");
    if (p->candidates < p->v->shown_count) {
        pp_put(p->v, " Drawn are the first ");
        pp_put_count(p->v, p->candidates);
        pp_put(p->v, " of ");
        pp_put_count(p->v, p->v->shown_count);
        pp_put(p->v, " candidates.");
    }
    pp_put(p->v, "</figcaption>\n");
}

static void put_image(plot *p)
{
    static const char title[] = "Resident set by kind of page";
    static const char desc[] = "A bar for each candidate and phase: own pages, file pages and "
                               "shared pages, one behind the other, and a line at the peak. The "
                               "table below has the values.";
    const pp_chart_words words = {
        .id = "memory",
        .title = {title, sizeof title - 1},
        .desc = {desc, sizeof desc - 1},
    };
    double bottom = TOP + ROW_HEIGHT * (double)p->row_count;
    const pp_chart_box area = {p->left, TOP, RIGHT, bottom};
    double y = TOP + ROW_HEIGHT / 2.0;

    pp_chart_open(p->v, &words, bottom + 46.0);
    put_legend(p);
    pp_chart_axis_x(p->v, &area, &p->x, pp_text_of("Memory, MiB"));
    each_row(p, put_row, &y);
    pp_chart_close(p->v);
}

void pp_chart_memory(const pp_view *v)
{
    plot p = {.v = v};
    double highest = 0.0;

    p.candidates =
        v->shown_count < PP_MEMORY_MAX_CANDIDATES ? v->shown_count : PP_MEMORY_MAX_CANDIDATES;
    each_row(&p, measure_row, &highest);
    p.left = fmin(p.left, MAX_LEFT);
    if (p.row_count == 0 || !pp_scale_make(0.0, highest, p.left, RIGHT, 6, &p.x))
        return;
    pp_put(v, "<figure>\n");
    put_caption(&p);
    put_image(&p);
    pp_put(v, "</figure>\n");
}
