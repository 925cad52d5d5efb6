/* Marks and labels of the scatter. */
#include "report/chart_labels.h"
#include "report/chart_scatter.h"

#define LABEL_CHARS 30

bool pp_scatter_is_notable(const pp_scatter *s, size_t candidate)
{
    const pp_decision *d = s->v->decision;

    return candidate == s->v->set->baseline_index ||
           (d->has_winner && (candidate == d->selected || candidate == d->numeric_best ||
                              candidate == d->near_miss));
}

/* Where there is no room the label is left out; the table has it. */
static void put_label(const pp_scatter *s, pp_labels *labels, size_t i)
{
    size_t candidate = s->points[i].candidate;
    pp_text label = s->v->set->candidates[candidate].label;
    size_t chars = pp_html_shown_chars(label);
    pp_label_place place;

    if (pp_labels_place(labels, i, chars < LABEL_CHARS ? chars : LABEL_CHARS, &place))
        pp_mark_text(s->v, pp_view_is_selected(s->v, candidate) ? "strong" : "plain", place.anchor,
                     place.x, place.y, label, LABEL_CHARS);
}

/* All of few points, and of many only the notable ones. */
static void put_labels(const pp_scatter *s)
{
    pp_spot *spots = PP_ARENA_NEW(s->v->arena, pp_spot, s->count);
    pp_labels labels = {.area = {PP_SCATTER_LEFT + 2.0, PP_SCATTER_TOP - 14.0,
                                 PP_SCATTER_RIGHT + 20.0, PP_SCATTER_BOTTOM - 1.0},
                        .spots = spots,
                        .spot_count = s->count};

    for (size_t i = 0; spots != NULL && i < s->count; i++)
        spots[i] = (pp_spot){s->points[i].x, s->points[i].y};
    for (int pass = 0; spots != NULL && pass < (s->count <= PP_LABELS_MAX ? 2 : 1); pass++) {
        for (size_t i = 0; i < s->count; i++) {
            if (pp_scatter_is_notable(s, s->points[i].candidate) == (pass == 0))
                put_label(s, &labels, i);
        }
    }
}

/* The selected one is drawn last, on top. */
static void put_marks(const pp_scatter *s)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->count; i++) {
            const pp_scatter_point *p = &s->points[i];

            if (pp_scatter_is_notable(s, p->candidate) == (pass == 1))
                pp_mark_candidate(s->v, p->candidate, p->x, p->y);
        }
    }
}

void pp_scatter_put_points(const pp_scatter *s)
{
    put_marks(s);
    put_labels(s);
}
