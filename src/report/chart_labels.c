#include "report/chart_labels.h"

#define MARK_SIZE 7.0 /* half of a mark's width */

static bool overlap(const pp_chart_box *a, const pp_chart_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static bool is_free(const pp_labels *labels, const pp_chart_box *wanted, size_t own)
{
    const pp_chart_box *area = &labels->area;

    if (wanted->left < area->left || wanted->right > area->right || wanted->top < area->top ||
        wanted->bottom > area->bottom)
        return false;
    for (size_t i = 0; i < labels->taken_count; i++) {
        if (overlap(wanted, &labels->taken[i]))
            return false;
    }
    for (size_t i = 0; i < labels->spot_count; i++) {
        const pp_spot *s = &labels->spots[i];
        pp_chart_box mark = {s->x - MARK_SIZE, s->y - MARK_SIZE, s->x + MARK_SIZE,
                             s->y + MARK_SIZE};

        if (i != own && overlap(wanted, &mark))
            return false;
    }
    return true;
}

bool pp_labels_place(pp_labels *labels, size_t spot, size_t chars, pp_label_place *ret_place)
{
    static const pp_label_place places[] = {
        {15, 4, "start"},   {-15, 4, "end"},   {0, -16, "middle"}, {0, 25, "middle"},
        {13, -12, "start"}, {-13, -12, "end"}, {13, 20, "start"},  {-13, 20, "end"},
        {13, -26, "start"}, {-13, -26, "end"}, {13, 34, "start"},  {-13, 34, "end"},
    };
    double width = PP_LABEL_CHAR_WIDTH * (double)chars;

    for (size_t i = 0; i < PP_COUNT_OF(places) && labels->taken_count < PP_LABELS_MAX; i++) {
        double x = labels->spots[spot].x + places[i].x;
        double y = labels->spots[spot].y + places[i].y;
        double left = places[i].anchor[0] == 's'   ? x
                      : places[i].anchor[0] == 'e' ? x - width
                                                   : x - width / 2.0;
        pp_chart_box wanted = {left, y - 11.0, left + width, y + 3.0};

        if (!is_free(labels, &wanted, spot))
            continue;
        labels->taken[labels->taken_count++] = wanted;
        *ret_place = (pp_label_place){x, y, places[i].anchor};
        return true;
    }
    return false;
}

/* Indices by height, then by index: an insertion sort, because there are few. */
static void sort_heights(const double *heights, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;

        for (; at > 0 && heights[order[at - 1]] > heights[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

void pp_labels_spread(double *heights, size_t count, double gap, double low, double high)
{
    size_t order[PP_LABELS_MAX];
    double edge = low;

    PP_ASSERT(count <= PP_LABELS_MAX);
    if (count > 1 && gap * (double)(count - 1) > high - low)
        gap = (high - low) / (double)(count - 1);
    sort_heights(heights, count, order);
    for (size_t i = 0; i < count; i++) { /* down, away from the one above */
        double *height = &heights[order[i]];

        *height = *height < edge ? edge : *height;
        edge = *height + gap;
    }
    edge = high;
    for (size_t i = count; i-- > 0;) { /* and up, away from the end */
        double *height = &heights[order[i]];

        *height = *height > edge ? edge : *height;
        edge = *height - gap;
    }
}
