/* The baseline against the candidate that needs fewer resources. */
#include "report/view.h"

static void put_row(const pp_view *v, pp_text metric)
{
    const double *baseline = pp_view_value(v, v->set->baseline_index, metric);
    const double *value = pp_view_value(v, v->alternative, metric);

    if (baseline == NULL && value == NULL)
        return;
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_metric(v, metric);
    pp_put(v, "</th><td class=\"num\">");
    pp_put_value(v, metric, baseline);
    pp_put(v, "</td><td class=\"num\">");
    pp_put_value(v, metric, value);
    pp_put(v, "</td><td>");
    if (baseline != NULL && value != NULL) {
        pp_put_higher(v, metric, *baseline, *value);
        pp_put(v, "</td><td>");
        pp_put_effect(v, pp_effect_of(v->constraints, metric, *baseline, *value));
    } else {
        pp_put(v, "</td><td>not comparable");
    }
    pp_put(v, "</td></tr>\n");
}

static void put_table(const pp_view *v)
{
    pp_put(v, "<p>");
    pp_put_candidate(v, v->alternative);
    pp_put(v, " is eligible and needs less memory or a smaller file than the baseline. It is a "
              "second choice, not the recommendation.</p>\n");
    pp_put_table_open(v, "The baseline and the alternative, metric by metric", "values");
    pp_put(v, "<thead><tr><th scope=\"col\">Metric</th><th scope=\"col\" class=\"num\">Baseline: ");
    pp_put_label(v, v->set->baseline_index);
    pp_put(v, "</th><th scope=\"col\" class=\"num\">Alternative: ");
    pp_put_label(v, v->alternative);
    pp_put(v, "</th><th scope=\"col\">The alternative is</th><th scope=\"col\">Effect</th></tr>"
              "</thead>\n<tbody>\n");
    for (size_t i = 0; i < v->metric_count; i++)
        put_row(v, v->metrics[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v, "<p class=\"fine\">Better and Tradeoff only where the constraints say which "
              "direction is better; Changed where they do not; Held where the frontier counts "
              "the two values as equal.</p>\n");
}

void pp_section_tradeoffs(const pp_view *v)
{
    pp_put_step_open(v, "02", "tradeoffs", "Trade-offs against the baseline");
    if (v->alternative != PP_NOT_FOUND)
        put_table(v);
    else if (v->passport == NULL)
        pp_put_missing(v, "Nothing is eligible, so there is no alternative either.", NULL);
    else if (v->set->origin != PP_ORIGIN_MEASURED)
        pp_put_missing(v,
                       "No alternative is named for figures that are not measured: what they say "
                       "about memory is made up or simulated.",
                       "paretopilot study run PLAN --output-dir DIR");
    else
        pp_put_missing(v,
                       "There is no resource alternative: no other eligible candidate needs less "
                       "memory or a smaller file than the baseline.",
                       NULL);
    pp_put_section_close(v);
}
