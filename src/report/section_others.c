#include "report/view.h"

static void put_violation(const pp_view *v, const pp_violation *violation)
{
    pp_text metric = violation->metric;

    pp_put(v, "<li>");
    pp_put_metric(v, metric);
    if (violation->kind == PP_VIOLATION_MISSING_METRIC) {
        pp_put(v, violation->of_baseline
                      ? " of the baseline is missing or 0, so what is kept of it is unknown</li>"
                      : " was not measured, and the constraints need it</li>");
        return;
    }
    pp_put(v, " ");
    pp_put_value(v, metric, &violation->value);
    pp_put(v, violation->kind == PP_VIOLATION_ABOVE_MAXIMUM ? " is above the limit of "
              : violation->kind == PP_VIOLATION_BELOW_MINIMUM
                  ? " is below the limit of "
                  : " is below the floor that the baseline's quality sets, ");
    pp_put_value(v, metric, &violation->limit);
    pp_put(v, ", by ");
    pp_put_miss(v, metric, -violation->slack, violation->has_slack_percent,
                -violation->slack_percent);
    pp_put(v, "</li>");
}

/* What the dominating candidate does better; it is worse nowhere. */
static void put_dominator(const pp_view *v, size_t candidate, size_t by)
{
    const char *between = " is nowhere worse, and better on: ";

    pp_put(v, "<li>dominated: ");
    pp_put_candidate(v, by);
    for (size_t i = 0; i < v->constraints->frontier_metric_count; i++) {
        pp_text metric = v->constraints->frontier_metrics[i].metric;
        const double *mine = pp_view_value(v, candidate, metric);
        const double *theirs = pp_view_value(v, by, metric);

        if (mine == NULL || theirs == NULL ||
            pp_effect_of(v->constraints, metric, *mine, *theirs) != PP_EFFECT_IMPROVED)
            continue;
        pp_put(v, between);
        between = ", ";
        pp_put_metric(v, metric);
        pp_put(v, " (");
        pp_put_value(v, metric, theirs);
        pp_put(v, " against ");
        pp_put_value(v, metric, mine);
        pp_put(v, ")");
    }
    pp_put(v, "</li>");
}

static void put_shortfall(const pp_view *v, const pp_verdict *verdict)
{
    pp_put(v, "<li>outside the cutoff: ");
    pp_put_metric(v, v->constraints->objective.metric);
    pp_put(v, " misses it by ");
    pp_put_miss(v, v->constraints->objective.metric, verdict->shortfall,
                verdict->has_shortfall_percent, verdict->shortfall_percent);
    pp_put(v, "</li>");
}

static void put_shortlist(const pp_view *v)
{
    switch (v->decision->reason) {
    case PP_REASON_PREFERRED_IS_BEST:
    case PP_REASON_PREFERRED_INSIDE:
        pp_put(v, "<li>inside the cutoff, but later in the preference order</li>");
        return;
    case PP_REASON_BEST:
        pp_put(v, "<li>inside the cutoff, but not the best value, or its id comes later among "
                  "equals</li>");
        return;
    case PP_REASON_SMALLEST_ID_INSIDE:
        pp_put(v, "<li>inside the cutoff, but its id comes later and no preference order was "
                  "given</li>");
        return;
    }
}

static void put_reasons(const pp_view *v, size_t candidate)
{
    const pp_verdict *verdict = &v->decision->verdicts[candidate];

    for (size_t i = 0; i < verdict->violations.count; i++)
        put_violation(v, &verdict->violations.items[i]);
    if (verdict->dominated_by != PP_NOT_FOUND)
        put_dominator(v, candidate, verdict->dominated_by);
    if (verdict->outside_cutoff)
        put_shortfall(v, verdict);
    if (verdict->standing == PP_STANDING_SHORTLIST)
        put_shortlist(v);
}

void pp_section_others(const pp_view *v)
{
    bool has_winner = v->decision->has_winner;

    pp_put_section_open(v, "others", has_winner ? "Why not the others" : "Why none was chosen");
    if (has_winner && v->set->candidate_count == 1) {
        pp_put(v, "<p>There was no other candidate.</p>\n");
        pp_put_section_close(v);
        return;
    }
    pp_put_shown_note(v);
    pp_put_table_open(v, "What each candidate misses, and by how much", "reasons");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Outcome</th>"
              "<th scope=\"col\">Because</th></tr></thead>\n<tbody>\n");
    for (size_t at = 0; at < v->shown_count; at++) {
        size_t i = v->shown[at];

        if (pp_view_is_selected(v, i))
            continue;
        pp_put(v, "<tr><th scope=\"row\">");
        pp_put_candidate(v, i);
        pp_put(v, "</th><td>");
        pp_put(v, pp_view_standing(v, i));
        pp_put(v, "</td><td><ul>");
        put_reasons(v, i);
        pp_put(v, "</ul></td></tr>\n");
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}
