#include "report/chart_frame.h"

void pp_chart_open(const pp_view *v, const pp_chart_words *words, double height)
{
    pp_put(v, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Chart: ");
    pp_put_text(v, words->title);
    pp_buf_printf(v->out,
                  "\">\n<svg viewBox=\"0 0 800 %.0f\" role=\"img\" aria-labelledby=\"%s-title "
                  "%s-desc\">\n<title id=\"%s-title\">",
                  height, words->id, words->id, words->id);
    pp_put_text(v, words->title);
    pp_buf_printf(v->out, "</title>\n<desc id=\"%s-desc\">", words->id);
    pp_put_text(v, words->desc);
    pp_put(v, "</desc>\n");
}

void pp_chart_close(const pp_view *v)
{
    pp_put(v, "</svg>\n</div>\n");
}

void pp_chart_axis_x(const pp_view *v, const pp_chart_box *area, const pp_scale *scale,
                     pp_text title)
{
    char text[PP_FIGURE_TEXT_MAX];

    for (size_t i = 0; i < scale->tick_count; i++) {
        double x = pp_scale_at(scale, pp_scale_tick(scale, i));

        pp_mark_line(v, "grid", x, area->top, x, area->bottom);
        pp_mark_text(v, "muted", "middle", x, area->bottom + 18.0,
                     pp_text_of(pp_scale_tick_text(scale, i, text)), 24);
    }
    pp_mark_text(v, "muted", "middle", (area->left + area->right) / 2.0, area->bottom + 38.0, title,
                 60);
}

void pp_chart_axis_y(const pp_view *v, const pp_chart_box *area, const pp_scale *scale,
                     pp_text title)
{
    char text[PP_FIGURE_TEXT_MAX];

    for (size_t i = 0; i < scale->tick_count; i++) {
        double y = pp_scale_at(scale, pp_scale_tick(scale, i));

        pp_mark_line(v, "grid", area->left, y, area->right, y);
        pp_mark_text(v, "muted", "end", area->left - 8.0, y + 4.0,
                     pp_text_of(pp_scale_tick_text(scale, i, text)), 12);
    }
    pp_buf_printf(v->out,
                  "<text class=\"muted\" text-anchor=\"middle\" transform=\"translate(16 %.2f) "
                  "rotate(-90)\">",
                  (area->top + area->bottom) / 2.0);
    pp_html_cut(v->out, title, 48);
    pp_put(v, "</text>\n");
}

void pp_chart_corner(const pp_view *v, const pp_chart_box *area)
{
    pp_mark_line(v, "axis", area->left, area->bottom, area->right, area->bottom);
    pp_mark_line(v, "axis", area->left, area->top, area->left, area->bottom);
}

#define BOLD_CHAR_WIDTH 7.8 /* of 12 px system fonts */

double pp_chart_name_width(pp_text name, size_t max_chars)
{
    size_t chars = pp_html_shown_chars(name);

    return BOLD_CHAR_WIDTH * (double)(chars < max_chars ? chars : max_chars);
}

const char *pp_chart_short_name(const pp_view *v, size_t candidate, size_t max_chars)
{
    pp_text label = v->set->candidates[candidate].label;
    pp_text id = v->set->candidates[candidate].id;

    if (pp_html_shown_chars(label) <= max_chars)
        return label.data;
    if (pp_html_shown_chars(id) <= max_chars)
        return id.data;
    return pp_arena_printf(v->arena, "%.*s\xe2\x80\xa6",
                           (int)pp_text_head(label, max_chars - 1).size, label.data);
}
