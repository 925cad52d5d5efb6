/* Do the passes agree? Values of each, signed differences, spread and consistency. */
#include "report/view.h"

static void put_columns(const pp_view *v, const pp_stability *s)
{
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Metric", false);
    for (size_t i = 0; i < s->pass_count; i++) {
        pp_put(v, "<th scope=\"col\" class=\"num\">");
        pp_put_text(v, s->pass_labels[i]);
        pp_put(v, "</th><th scope=\"col\" class=\"num\">");
        pp_put_text(v, s->pass_labels[i]);
        pp_put(v, ", baseline</th><th scope=\"col\" class=\"num\">");
        pp_put_text(v, s->pass_labels[i]);
        pp_put(v, ", better (+) or worse (-)</th>");
    }
    pp_put_column(v, "Spread", true);
    pp_put_column(v, "Passes", false);
    pp_put_column(v, "Direction", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
}

static void put_pass(const pp_view *v, pp_text metric, const pp_stability_value *value)
{
    pp_put(v, "<td class=\"num\">");
    pp_put_value(v, metric, &value->candidate);
    pp_put(v, "</td><td class=\"num\">");
    pp_put_value(v, metric, &value->baseline);
    pp_put(v, "</td><td class=\"num\">");
    if (value->has_delta)
        pp_put_signed_percent(v, value->delta_percent);
    else
        pp_put(v, "<span class=\"absent\">no percentage</span>");
    pp_put(v, "</td>");
}

static void put_row(const pp_view *v, const pp_stability *s, const pp_stability_candidate *c,
                    const pp_goal *goal, const pp_stability_row *row)
{
    pp_put(v, row->overall == PP_TREND_MIXED ? "<tr class=\"disturbed\">" : "<tr>");
    pp_put(v, "<th scope=\"row\">");
    pp_put_label_of(v, c->id);
    pp_put(v, "</th><td>");
    pp_put_metric(v, goal->metric);
    pp_put(v, "</td>");
    for (size_t i = 0; i < s->pass_count; i++)
        put_pass(v, goal->metric, &row->values[i]);
    pp_put(v, "<td class=\"num\">");
    if (row->has_spread)
        pp_put_percent(v, row->spread_percent);
    else
        pp_put(v, "<span class=\"absent\">no percentage</span>");
    pp_put(v, "</td><td>");
    pp_put(v, pp_trend_consistency(row->overall));
    pp_put(v, "</td><td>");
    pp_put(v, pp_trend_name(row->overall));
    pp_put(v, "</td></tr>\n");
}

static void put_rows(const pp_view *v, const pp_stability *s)
{
    for (size_t i = 0; i < s->candidate_count; i++) {
        size_t candidate = pp_benchmark_set_find(v->set, s->candidates[i].id);

        if (candidate != PP_NOT_FOUND && !pp_view_is_shown(v, candidate))
            continue;
        for (size_t j = 0; j < s->goal_count; j++)
            put_row(v, s, &s->candidates[i], &s->goals[j], &s->rows[i * s->goal_count + j]);
    }
}

static void put_count(const pp_view *v, const pp_stability *s)
{
    size_t mixed = 0;
    size_t rows = s->candidate_count * s->goal_count;

    for (size_t i = 0; i < rows; i++)
        mixed += s->rows[i].overall == PP_TREND_MIXED;
    pp_put(v, "<p>");
    if (mixed == 0)
        pp_put(v, "In no row do the passes point in opposite directions.");
    else {
        pp_put_count(v, mixed);
        pp_put(v, " of ");
        pp_put_count(v, rows);
        pp_put(v, " rows point in opposite directions.");
    }
    pp_put(v, " Observations only: with so few passes nothing here is a test.</p>\n");
}

static void put_passes(const pp_view *v, const pp_stability *s)
{
    pp_put_table_open(v, "The compared passes", "facts-table");
    pp_put(v, "<tbody>\n");
    for (size_t i = 0; i < s->pass_count; i++) {
        pp_put(v, "<tr><th scope=\"row\">");
        pp_put_text(v, s->pass_labels[i]);
        pp_put(v, "</th><td>SHA-256 ");
        if (s->pass_sha256 != NULL) {
            pp_put(v, "<code class=\"hash\">");
            pp_put_text(v, s->pass_sha256[i]);
            pp_put(v, "</code>");
        } else {
            pp_put_hash(v, NULL);
        }
        pp_put_row_close(v);
    }
    pp_put_row_open(v, "Stability document, SHA-256");
    pp_put_hash(v, v->input->extras.stability_sha256);
    pp_put_row_close(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_stability(const pp_view *v, const pp_stability *s)
{
    put_count(v, s);
    pp_put_table_open(v, "Each candidate in each pass against the baseline of the same pass",
                      "wide many");
    put_columns(v, s);
    put_rows(v, s);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v,
           "<p class=\"fine\">Above zero is better, whatever the direction of the metric. Spread "
           "is the highest less the lowest value of the candidate, of the size of their "
           "mean.</p>\n");
    put_passes(v, s);
}

void pp_section_repeat(const pp_view *v)
{
    const pp_stability *s = v->input->extras.stability;

    pp_put_step_open(v, "05", "repeatability", "Repeatability");
    if (s != NULL)
        put_stability(v, s);
    else if (v->input->extras.bundle != NULL)
        pp_put_missing(
            v,
            "The bundle has no comparison of passes: that needs two to eight passes, and "
            "a metric that every candidate has in each of them.",
            NULL);
    else
        pp_put_missing(v,
                       "No stability document was given: whether separate passes agree on who is "
                       "better is not on this page. It needs a benchmark set of each pass, which "
                       "summarize-stability compares.",
                       "paretopilot report SET --constraints C --stability STABILITY --output "
                       "F.html");
    pp_put_section_close(v);
}
