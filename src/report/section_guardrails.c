#include "report/view.h"

static void put_limits(const pp_view *v, const pp_limit *limits, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        pp_put(v, "<tr><th scope=\"row\">");
        pp_put_metric_full(v, limits[i].metric);
        pp_put(v, "</th><td>");
        pp_put(v, word);
        pp_put_value(v, limits[i].metric, &limits[i].value);
        pp_put_row_close(v);
    }
}

static void put_quality(const pp_view *v)
{
    const pp_constraints *c = v->constraints;
    char text[PP_FIGURE_TEXT_MAX];

    pp_put_row_open(v, "Quality");
    if (c->quality_not_measurable) {
        pp_put(v, "not judged: declared not measurable");
    } else {
        pp_put(v, "at least ");
        pp_put_string(v, pp_figure_fixed(c->min_quality_retention * 100.0, 2, text));
        pp_put(v, "&nbsp;% of the baseline's ");
        pp_put_metric_full(v, c->quality_metric);
    }
    pp_put_row_close(v);
}

static void put_frontier(const pp_view *v)
{
    pp_put_row_open(v, "Frontier metrics");
    for (size_t i = 0; i < v->constraints->frontier_metric_count; i++) {
        const pp_goal *goal = &v->constraints->frontier_metrics[i];

        pp_put(v, i > 0 ? "<br>" : "");
        pp_put_metric_full(v, goal->metric);
        pp_put(v, goal->direction == PP_DIRECTION_MIN ? ": less is better" : ": more is better");
    }
    pp_put_row_close(v);
}

static void put_preferences(const pp_view *v)
{
    pp_put_row_open(v, "Preference order");
    if (v->constraints->preference_count == 0)
        pp_put(v, "none given");
    for (size_t i = 0; i < v->constraints->preference_count; i++) {
        pp_put(v, i > 0 ? " &rarr; <code>" : "<code>");
        pp_put_text(v, v->constraints->preference_order[i]);
        pp_put(v, "</code>");
    }
    pp_put_row_close(v);
}

void pp_section_guardrails(const pp_view *v)
{
    const pp_constraints *c = v->constraints;

    pp_put_section_open(v, "guardrails", "Guardrails");
    pp_put_table_open(v, "Limits and preferences of this decision", "facts-table");
    pp_put(v, "<tbody>\n");
    pp_put_row_open(v, "Objective");
    pp_put_metric_full(v, c->objective.metric);
    pp_put(v, c->objective.direction == PP_DIRECTION_MIN ? ": less is better" : ": more is better");
    pp_put_row_close(v);
    pp_put_row_open(v, "Tolerance");
    pp_put_number(v, c->objective_tolerance_percent);
    pp_put(v, "&nbsp;% of the best value");
    pp_put_row_close(v);
    put_quality(v);
    put_limits(v, c->max_values, c->max_value_count, "at most ");
    put_limits(v, c->min_values, c->min_value_count, "at least ");
    put_preferences(v);
    put_frontier(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}
