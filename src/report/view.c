#include "report/view.h"

#include <stdlib.h>
#include <string.h>

void pp_put(const pp_view *v, const char *markup)
{
    pp_buf_append_text(v->out, markup);
}

void pp_put_text(const pp_view *v, pp_text text)
{
    pp_html_text(v->out, text);
}

void pp_put_string(const pp_view *v, const char *text)
{
    pp_html_string(v->out, text);
}

void pp_put_number(const pp_view *v, double value)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put_string(v, pp_figure_text(value, text));
}

void pp_put_count(const pp_view *v, size_t count)
{
    pp_put_number(v, (double)count);
}

void pp_put_figure(const pp_view *v, const char *text)
{
    const char *space;

    for (; (space = strchr(text, ' ')) != NULL; text = space + 1) {
        pp_html_text(v->out, (pp_text){text, (size_t)(space - text)});
        pp_put(v, "&nbsp;");
    }
    pp_put_string(v, text);
}

void pp_put_value(const pp_view *v, pp_text metric, const double *value)
{
    char text[PP_FIGURE_TEXT_MAX];

    if (value == NULL)
        pp_put(v, "<span class=\"absent\">not measured</span>");
    else
        pp_put_figure(v, pp_metric_value_text(metric, *value, text));
}

void pp_put_cell_open(const pp_view *v, const char *cell_class, const char *head)
{
    pp_put(v, "<td");
    if (cell_class != NULL)
        pp_buf_printf(v->out, " class=\"%s\"", cell_class);
    pp_put(v, " data-head=\"");
    pp_put_string(v, head);
    pp_put(v, "\">");
}

void pp_put_real_cell(const pp_view *v, pp_maybe_real value, const char *unit)
{
    pp_put(v, "<td class=\"num\">");
    if (value.known) {
        pp_put_number(v, value.value);
        pp_put_string(v, unit);
    } else {
        pp_put(v, "<span class=\"absent\">not measured</span>");
    }
    pp_put(v, "</td>");
}

void pp_put_metric(const pp_view *v, pp_text metric)
{
    const pp_metric_info *info = pp_metric_info_find(metric);

    if (info != NULL)
        pp_put_string(v, info->title);
    else
        pp_put_text(v, metric);
}

void pp_put_metric_full(const pp_view *v, pp_text metric)
{
    if (pp_metric_info_find(metric) != NULL) {
        pp_put_metric(v, metric);
        pp_put(v, " ");
    }
    pp_put(v, "<code>");
    pp_put_text(v, metric);
    pp_put(v, "</code>");
}

void pp_put_label(const pp_view *v, size_t candidate)
{
    pp_put(v, "<bdi>");
    pp_put_text(v, v->set->candidates[candidate].label);
    pp_put(v, "</bdi>");
}

void pp_put_candidate(const pp_view *v, size_t candidate)
{
    const pp_candidate *c = &v->set->candidates[candidate];

    pp_put_label(v, candidate);
    if (pp_text_equal(c->id, c->label))
        return;
    pp_put(v, " <code>");
    pp_put_text(v, c->id);
    pp_put(v, "</code>");
}

void pp_put_miss(const pp_view *v, pp_text metric, double amount, bool has_percent, double percent)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put_figure(v, pp_metric_value_text(metric, amount, text));
    if (has_percent) {
        pp_put(v, " (");
        pp_put_string(v, pp_figure_fixed(percent, 2, text));
        pp_put(v, "&nbsp;%)");
    }
}

void pp_put_row_open(const pp_view *v, const char *head)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_string(v, head);
    pp_put(v, "</th><td>");
}

void pp_put_row_close(const pp_view *v)
{
    pp_put(v, "</td></tr>\n");
}

void pp_put_table_open(const pp_view *v, const char *caption, const char *table_class)
{
    pp_put(v, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    pp_put_string(v, caption);
    pp_put(v, "\">\n<table class=\"");
    pp_put_string(v, table_class);
    pp_put(v, "\">\n<caption>");
    pp_put_string(v, caption);
    pp_put(v, "</caption>\n");
}

void pp_put_table_close(const pp_view *v)
{
    pp_put(v, "</table>\n</div>\n");
}

void pp_put_section_open(const pp_view *v, const char *id, const char *title)
{
    pp_put(v, "<section aria-labelledby=\"");
    pp_put_string(v, id);
    pp_put(v, "\">\n<h2 id=\"");
    pp_put_string(v, id);
    pp_put(v, "\">");
    pp_put_string(v, title);
    pp_put(v, "</h2>\n");
}

void pp_put_section_close(const pp_view *v)
{
    pp_put(v, "</section>\n");
}

void pp_put_step_open(const pp_view *v, const char *number, const char *id, const char *title)
{
    pp_put(v, "<section aria-labelledby=\"");
    pp_put_string(v, id);
    pp_put(v, "\">\n<h2 id=\"");
    pp_put_string(v, id);
    pp_put(v, "\"><span class=\"step\">");
    pp_put_string(v, number);
    pp_put(v, "</span> ");
    pp_put_string(v, title);
    pp_put(v, "</h2>\n");
}

const double *pp_view_value(const pp_view *v, size_t candidate, pp_text metric)
{
    return pp_candidate_find_metric(&v->set->candidates[candidate], metric);
}

static int compare_indices(const void *left, const void *right)
{
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;

    return (a > b) - (a < b);
}

bool pp_view_is_shown(const pp_view *v, size_t candidate)
{
    return bsearch(&candidate, v->shown, v->shown_count, sizeof *v->shown, compare_indices) != NULL;
}

bool pp_view_is_selected(const pp_view *v, size_t candidate)
{
    return v->decision->has_winner && v->decision->selected == candidate;
}

const pp_json *pp_view_parameters(const pp_view *v, size_t candidate, const char *member)
{
    return pp_lookup_object(v->set->candidates[candidate].parameters, member);
}

const char *pp_view_standing(const pp_view *v, size_t candidate)
{
    switch (v->decision->verdicts[candidate].standing) {
    case PP_STANDING_REJECTED:
        return "rejected";
    case PP_STANDING_DOMINATED:
        return "dominated";
    case PP_STANDING_FRONTIER:
        return "frontier";
    case PP_STANDING_SHORTLIST:
        return "inside the cutoff";
    case PP_STANDING_SELECTED:
        return "selected";
    }
    return "";
}

const pp_report_verification *pp_view_verification(const pp_view *v)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;

    return bundle == NULL ? NULL : &bundle->verification;
}

const char *pp_view_evidence(const pp_view *v)
{
    const pp_report_verification *verification = pp_view_verification(v);

    return verification != NULL && verification->is_verified ? "verified" : "not verified";
}
