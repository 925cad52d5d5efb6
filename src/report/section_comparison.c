#include "report/view.h"

#include "decide/frontier.h"
#include "stats/close.h"

/* As many columns of figures fit the width of an upright A4 sheet without breaking words. */
#define PORTRAIT_METRICS 8

static void put_head_cell(const pp_view *v, pp_text metric)
{
    pp_direction direction;

    pp_put(v, "<th scope=\"col\" class=\"num\">");
    pp_put_metric(v, metric);
    if (pp_text_equal(metric, v->constraints->objective.metric))
        pp_put(v, " <small>objective</small>");
    if (pp_metric_direction(v->constraints, metric, &direction))
        pp_put(v, direction == PP_DIRECTION_MIN ? " <small>less is better</small>"
                                                : " <small>more is better</small>");
    pp_put(v, "</th>");
}

/* Best value of a metric among the eligible; NULL without a direction or a value. */
static const double *find_best(const pp_view *v, pp_text metric)
{
    const pp_index_list *eligible = &v->decision->eligible;
    const double *best = NULL;
    pp_direction direction;

    if (!pp_metric_direction(v->constraints, metric, &direction))
        return NULL;
    for (size_t i = 0; i < eligible->count; i++) {
        const double *value = pp_view_value(v, eligible->items[i], metric);

        if (value != NULL &&
            (best == NULL || (direction == PP_DIRECTION_MIN ? *value < *best : *value > *best)))
            best = value;
    }
    return best;
}

static bool misses_limit(const pp_view *v, size_t candidate, pp_text metric)
{
    const pp_violations *violations = &v->decision->verdicts[candidate].violations;

    for (size_t i = 0; i < violations->count; i++) {
        if (violations->items[i].kind != PP_VIOLATION_MISSING_METRIC &&
            pp_text_equal(violations->items[i].metric, metric))
            return true;
    }
    return false;
}

static void put_change(const pp_view *v, pp_text metric, double baseline, double value)
{
    pp_effect effect = pp_effect_of(v->constraints, metric, baseline, value);
    char text[PP_FIGURE_TEXT_MAX];

    pp_put(v, "<span class=\"change ");
    pp_put(v, pp_change_name(effect));
    pp_put(v, "\">");
    if (effect != PP_EFFECT_HELD) {
        pp_put_figure(v, pp_change_text(metric, baseline, value, text));
        pp_put(v, " ");
    }
    pp_put(v, pp_change_name(effect));
    pp_put(v, "</span>");
}

static void put_cell(const pp_view *v, size_t candidate, pp_text metric, const double *best)
{
    const double *value = pp_view_value(v, candidate, metric);
    const double *baseline = pp_view_value(v, v->set->baseline_index, metric);

    pp_put(v, "<td class=\"num\"><span class=\"value\">");
    pp_put_value(v, metric, value);
    pp_put(v, "</span>");
    if (value != NULL && best != NULL && v->decision->verdicts[candidate].violations.count == 0 &&
        pp_close(*value, *best, PP_DOMINANCE_RELATIVE_TOLERANCE, PP_DOMINANCE_ABSOLUTE_TOLERANCE))
        pp_put(v, " <span class=\"tag best\">best</span>");
    if (misses_limit(v, candidate, metric))
        pp_put(v, " <span class=\"tag over\">misses limit</span>");
    if (value != NULL && baseline != NULL && candidate != v->set->baseline_index)
        put_change(v, metric, *baseline, *value);
    pp_put(v, "</td>");
}

static void put_row(const pp_view *v, size_t candidate, const double *const *best)
{
    const pp_candidate *c = &v->set->candidates[candidate];

    pp_put(v, pp_view_is_selected(v, candidate) ? "<tr class=\"selected\">" : "<tr>");
    pp_put(v, "<th scope=\"row\">");
    pp_put_label(v, candidate);
    if (!pp_text_equal(c->label, c->id)) {
        pp_put(v, "<code class=\"below\">");
        pp_put_text(v, c->id);
        pp_put(v, "</code>");
    }
    pp_put(v, "</th><td><span class=\"tag s-");
    pp_put(v, pp_standing_name(v->decision->verdicts[candidate].standing));
    pp_put(v, "\">");
    pp_put(v, pp_view_standing(v, candidate));
    pp_put(v, "</span>");
    if (candidate == v->set->baseline_index)
        pp_put(v, " <span class=\"tag\">baseline</span>");
    pp_put(v, "</td>");
    for (size_t i = 0; i < v->metric_count; i++)
        put_cell(v, candidate, v->metrics[i], best[i]);
    pp_put(v, "</tr>\n");
}

void pp_section_comparison(const pp_view *v)
{
    const double **best = PP_ARENA_NEW(v->arena, const double *, v->metric_count);

    if (best == NULL)
        return; /* the arena remembers */
    for (size_t i = 0; i < v->metric_count; i++)
        best[i] = find_best(v, v->metrics[i]);
    pp_put_step_open(v, "07", "comparison", "All candidates: the full evidence");
    pp_put(v, "<p>Changes are against the baseline; &quot;held&quot; means equal as far as the "
              "frontier tells values apart. &quot;best&quot; is the best eligible value of a "
              "metric.</p>\n");
    pp_put_shown_note(v);
    pp_put_table_open(v, "Candidates and what was measured of each",
                      v->metric_count > PORTRAIT_METRICS ? "wide many" : "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Status</th>");
    for (size_t i = 0; i < v->metric_count; i++)
        put_head_cell(v, v->metrics[i]);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++)
        put_row(v, v->shown[i], best);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}
