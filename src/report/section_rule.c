/* The rule of the decision: tolerance, best value, cutoff, and where every candidate stands. */
#include <math.h>

#include "report/view.h"

static void put_sentence(const pp_view *v)
{
    const pp_decision *d = v->decision;
    pp_text metric = v->constraints->objective.metric;
    bool is_min = v->constraints->objective.direction == PP_DIRECTION_MIN;

    pp_put(v, "<p>Limits first: ");
    pp_put_count(v, d->eligible.count);
    pp_put(v, " of ");
    pp_put_count(v, v->set->candidate_count);
    pp_put(v, " candidates respect all of them. Of these ");
    pp_put_count(v, d->frontier.count);
    pp_put(v, d->frontier.count == 1 ? " is" : " are");
    pp_put(v, " on the frontier. ");
    if (!d->has_winner) {
        pp_put(v, "So nothing can be chosen.</p>\n");
        return;
    }
    pp_put(v, "The best value of the objective is ");
    pp_put_value(v, metric, &d->numeric_best_value);
    pp_put(v, " (");
    pp_put_label(v, d->numeric_best);
    pp_put(v, "); with a tolerance of ");
    pp_put_number(v, v->constraints->objective_tolerance_percent);
    pp_put(v, "&nbsp;% everything ");
    if (isfinite(d->cutoff)) {
        pp_put(v, is_min ? "up to " : "from ");
        pp_put_value(v, metric, &d->cutoff);
        pp_put(v, is_min ? "" : " on");
    }
    pp_put(v, " counts as good enough: ");
    pp_put_count(v, d->shortlist.count);
    pp_put(v, d->shortlist.count == 1 ? " candidate. " : " candidates. ");
    pp_put_string(v, pp_decision_reason(v->arena, d));
    pp_put(v, ".</p>\n");
}

static const char *role_of(const pp_view *v, size_t candidate)
{
    const pp_decision *d = v->decision;
    bool is_best = d->has_winner && candidate == d->numeric_best;

    switch (d->verdicts[candidate].standing) {
    case PP_STANDING_SELECTED:
        return is_best ? "selected, numeric best" : "selected, within tolerance";
    case PP_STANDING_SHORTLIST:
        return is_best ? "numeric best, within tolerance" : "within tolerance";
    case PP_STANDING_FRONTIER:
        return "outside the cutoff";
    case PP_STANDING_DOMINATED:
        return "dominated";
    case PP_STANDING_REJECTED:
        return "rejected";
    }
    return "";
}

/* Room to the cutoff: what lies inside has some, what lies outside misses it. */
static void put_room(const pp_view *v, size_t candidate, const double *value)
{
    const pp_decision *d = v->decision;
    const pp_verdict *verdict = &d->verdicts[candidate];
    pp_text metric = v->constraints->objective.metric;
    double room;

    pp_put(v, "<td class=\"num\">");
    if (verdict->outside_cutoff) {
        pp_put(v, "misses it by ");
        pp_put_miss(v, metric, verdict->shortfall, verdict->has_shortfall_percent,
                    verdict->shortfall_percent);
    } else if (d->has_winner && value != NULL && isfinite(d->cutoff) &&
               verdict->standing != PP_STANDING_REJECTED) {
        room = fabs(d->cutoff - *value);
        pp_put(v, "inside by ");
        pp_put_value(v, metric, &room);
    }
    pp_put(v, "</td>");
}

static void put_values(const pp_view *v)
{
    pp_text metric = v->constraints->objective.metric;

    pp_put_table_open(v, "Value of the objective and role of each candidate", "values");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, pp_metric_title(metric), true);
    pp_put_column(v, "Role", false);
    pp_put_column(v, "Against the cutoff", true);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++) {
        size_t candidate = v->shown[i];
        const double *value = pp_view_value(v, candidate, metric);

        pp_put(v, pp_view_is_selected(v, candidate) ? "<tr class=\"selected\">" : "<tr>");
        pp_put(v, "<th scope=\"row\">");
        pp_put_label(v, candidate);
        pp_put(v, "</th><td class=\"num\">");
        pp_put_value(v, metric, value);
        pp_put(v, "</td><td>");
        pp_put(v, role_of(v, candidate));
        pp_put(v, "</td>");
        put_room(v, candidate, value);
        pp_put(v, "</tr>\n");
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

pp_status pp_section_rule(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_put_step_open(v, "01", "rule", "The rule of the decision");
    put_sentence(v);
    st = pp_chart_dots(v, err);
    pp_put_shown_note(v);
    put_values(v);
    pp_put_section_close(v);
    return st;
}
