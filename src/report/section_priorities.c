/* One panel for each objective of the policy set. Radio buttons and rules of style switch them; a
 * page without style, and one on paper, shows all. */
#include "report/view.h"

#define FIRST_METRICS 5

void pp_priorities_style(const pp_view *v)
{
    const pp_profiles *profiles = v->input->extras.profiles;

    if (profiles == NULL)
        return;
    pp_put(v, "@media screen{.panel{display:none}\n");
    for (size_t i = 0; i < profiles->count; i++)
        pp_buf_printf(v->out, "%s#priority-%zu:checked~.panels>.panel-%zu", i == 0 ? "" : ",", i,
                      i);
    pp_put(v, "{display:block}}\n");
}

static void put_switch(const pp_view *v, const pp_profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        pp_buf_printf(v->out, "<input type=\"radio\" name=\"priority\" id=\"priority-%zu\"%s>", i,
                      i == profiles->policies->canonical ? " checked=\"checked\"" : "");
        pp_buf_printf(v->out, "<label for=\"priority-%zu\">", i);
        pp_put_text(v, profiles->items[i].profile->label);
        pp_put(v, "</label>\n");
    }
}

/* A caption of its own for each panel, so that regions have different names. */
static void put_table_open(const pp_view *v, const char *what, const pp_profile *profile,
                           const char *table_class)
{
    const char *caption =
        pp_arena_printf(v->arena, "%s the priority %s", what, profile->label.data);

    pp_put_table_open(v, caption == NULL ? what : caption, table_class);
}

static void put_choice(const pp_view *v, const pp_profile_decision *item)
{
    const pp_goal *goal = &item->profile->objective;
    const pp_decision *d = &item->decision;

    put_table_open(v, "What is chosen by", item->profile, "facts-table");
    pp_put(v, "<tbody>\n");
    pp_put_row_open(v, "Selected");
    if (d->has_winner)
        pp_put_candidate(v, d->selected);
    else
        pp_put(v, "nothing: no candidate is eligible");
    pp_put_row_close(v);
    pp_put_row_open(v, "Objective");
    pp_put_metric_full(v, goal->metric);
    pp_put(v, goal->direction == PP_DIRECTION_MIN ? ": less is better" : ": more is better");
    pp_put(v, ", tolerance ");
    pp_put_number(v, item->profile->objective_tolerance_percent);
    pp_put(v, "&nbsp;%");
    pp_put_row_close(v);
    if (d->has_winner) {
        pp_put_row_open(v, "Because");
        pp_put_string(v, pp_decision_reason(v->arena, d));
        pp_put_row_close(v);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* The objective of the profile first, then the others in the order of all tables. */
static void put_metric_row(const pp_view *v, size_t selected, pp_text metric, size_t *count)
{
    const double *value = pp_view_value(v, selected, metric);
    const double *baseline = pp_view_value(v, v->set->baseline_index, metric);

    if (value == NULL || *count == FIRST_METRICS)
        return;
    ++*count;
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_metric(v, metric);
    pp_put(v, "</th><td class=\"num\">");
    pp_put_value(v, metric, value);
    pp_put(v, "</td><td>");
    if (selected == v->set->baseline_index)
        pp_put(v, "it is the baseline");
    else if (baseline != NULL)
        pp_put_higher(v, metric, *baseline, *value);
    else
        pp_put(v, "<span class=\"absent\">baseline not measured</span>");
    pp_put(v, "</td></tr>\n");
}

static void put_metrics(const pp_view *v, const pp_profile_decision *item)
{
    pp_text objective = item->profile->objective.metric;
    size_t selected = item->decision.selected;
    size_t count = 0;

    put_table_open(v, "Selected against baseline by", item->profile, "values");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Metric", false);
    pp_put_column(v, "Value", true);
    pp_put_column(v, "Against the baseline", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    put_metric_row(v, selected, objective, &count);
    for (size_t i = 0; i < v->metric_count; i++) {
        if (!pp_text_equal(v->metrics[i], objective))
            put_metric_row(v, selected, v->metrics[i], &count);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_panel(const pp_view *v, const pp_profiles *profiles, size_t i)
{
    const pp_profile_decision *item = &profiles->items[i];

    pp_buf_printf(v->out, "<div class=\"panel panel-%zu\">\n<h3>", i);
    pp_put_text(v, item->profile->label);
    pp_put(v, "</h3>\n<p>");
    pp_put_text(v, item->profile->description);
    pp_put(v, "</p>\n");
    put_choice(v, item);
    if (item->decision.has_winner)
        put_metrics(v, item);
    pp_put(v, "<p class=\"fine\">");
    pp_put_string(v, pp_profile_notice(profiles, item->profile));
    pp_put(v, "</p>\n</div>\n");
}

static void put_none(const pp_view *v)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;

    if (bundle == NULL)
        pp_put_missing(v, "No policy set was given, so only one objective was decided by.",
                       "paretopilot report SET --constraints C --policies P --output F.html");
    else if (bundle->plan != NULL && bundle->plan->policies.present)
        pp_put_missing(v,
                       "The plan names other objectives, but one of them chooses nobody or is not "
                       "known of every candidate, so the study decided by none of them.",
                       NULL);
    else
        pp_put_missing(v, "The plan names no policy set, so only one objective was decided by.",
                       NULL);
}

void pp_section_priorities(const pp_view *v)
{
    const pp_profiles *profiles = v->input->extras.profiles;

    pp_put_step_open(v, "03", "priorities", "Other priorities");
    if (profiles == NULL) {
        put_none(v);
        pp_put_section_close(v);
        return;
    }
    pp_put(v, "<p>The same candidates and limits under ");
    pp_put_count(v, profiles->count);
    pp_put(v, profiles->count == 1 ? " objective.</p>\n" : " objectives.</p>\n");
    pp_put(v, "<fieldset class=\"switch\">\n<legend>Priority</legend>\n");
    put_switch(v, profiles);
    pp_put(v, "<div class=\"panels\">\n");
    for (size_t i = 0; i < profiles->count; i++)
        put_panel(v, profiles, i);
    pp_put(v, "</div>\n</fieldset>\n");
    pp_put_section_close(v);
}
