#include <math.h>

#include "report/view.h"

static void put_fact_open(const pp_view *v, const char *name)
{
    pp_put(v, "<div><dt>");
    pp_put(v, name);
    pp_put(v, "</dt><dd>");
}

static void put_fact_close(const pp_view *v)
{
    pp_put(v, "</dd></div>\n");
}

static void put_baseline_fact(const pp_view *v)
{
    pp_text metric = v->constraints->objective.metric;
    const double *baseline = pp_view_value(v, v->set->baseline_index, metric);
    const double *selected = pp_view_value(v, v->decision->selected, metric);
    char text[PP_FIGURE_TEXT_MAX];

    put_fact_open(v, "Baseline");
    pp_put_value(v, metric, baseline);
    pp_put(v, " <small>");
    if (v->decision->selected == v->set->baseline_index) {
        pp_put(v, "kept");
    } else if (baseline != NULL && selected != NULL) {
        pp_put_figure(v, pp_change_text(metric, *baseline, *selected, text));
        pp_put(v, " ");
        pp_put(v, pp_change_name(pp_effect_of(v->constraints, metric, *baseline, *selected)));
    }
    pp_put(v, "</small>");
    put_fact_close(v);
}

static void put_near_miss_fact(const pp_view *v)
{
    const pp_decision *d = v->decision;
    const pp_verdict *verdict;

    put_fact_open(v, "Closest outside the cutoff");
    if (d->near_miss == PP_NOT_FOUND) {
        pp_put(v, "none");
    } else {
        verdict = &d->verdicts[d->near_miss];
        pp_put_label(v, d->near_miss);
        pp_put(v, " <small>misses it by ");
        pp_put_miss(v, v->constraints->objective.metric, verdict->shortfall,
                    verdict->has_shortfall_percent, verdict->shortfall_percent);
        pp_put(v, "</small>");
    }
    put_fact_close(v);
}

static void put_cutoff_fact(const pp_view *v)
{
    const pp_decision *d = v->decision;

    put_fact_open(v, "Cutoff");
    if (isfinite(d->cutoff)) {
        pp_put(v,
               v->constraints->objective.direction == PP_DIRECTION_MIN ? "at most " : "at least ");
        pp_put_value(v, v->constraints->objective.metric, &d->cutoff);
    } else {
        pp_put(v, "beyond every number");
    }
    pp_put(v, " <small>tolerance ");
    pp_put_number(v, v->constraints->objective_tolerance_percent);
    pp_put(v, "&nbsp;%</small>");
    put_fact_close(v);
}

static void put_facts(const pp_view *v)
{
    const pp_decision *d = v->decision;
    pp_text metric = v->constraints->objective.metric;

    pp_put(v, "<dl class=\"facts\">\n<div class=\"main\"><dt>");
    pp_put_metric(v, metric);
    pp_put(v, "</dt><dd>");
    pp_put_value(v, metric, pp_view_value(v, d->selected, metric));
    put_fact_close(v);
    put_baseline_fact(v);
    put_fact_open(v, "Best eligible value");
    pp_put_value(v, metric, &d->numeric_best_value);
    pp_put(v, " <small>");
    pp_put_label(v, d->numeric_best);
    pp_put(v, "</small>");
    put_fact_close(v);
    put_cutoff_fact(v);
    put_near_miss_fact(v);
    pp_put(v, "</dl>\n");
}

/* A baseline that misses the limits cannot be kept: a reader must know that. */
static void put_baseline_note(const pp_view *v)
{
    size_t violations = v->decision->verdicts[v->set->baseline_index].violations.count;

    if (violations == 0)
        return;
    pp_put(v, "<p class=\"note\"><strong>The baseline itself misses ");
    pp_put_count(v, violations);
    pp_put(v, violations == 1 ? " limit" : " limits");
    pp_put(v, "</strong> and could not have been kept; see <a href=\"#others\">why not the "
              "others</a>.</p>\n");
}

static void put_winner(const pp_view *v)
{
    const pp_decision *d = v->decision;
    bool kept = d->selected == v->set->baseline_index;

    pp_put(v, "<p class=\"eyebrow\">");
    pp_put(v, kept ? "Keep the baseline" : "Deploy");
    pp_put(v, "</p>\n<h2 id=\"verdict\">");
    pp_put_label(v, d->selected);
    pp_put(v, "</h2>\n<p class=\"id\"><code>");
    pp_put_text(v, v->set->candidates[d->selected].id);
    pp_put(v, "</code></p>\n<p class=\"reason\">");
    pp_put_string(v, pp_decision_reason(v->arena, d));
    pp_put(v, kept ? ". The baseline is kept.</p>\n" : ". The baseline is not kept.</p>\n");
    put_facts(v);
    if (d->dominance == PP_DOMINANCE_EXACT)
        pp_put(v, "<p class=\"note\">Near ties ran in a circle, so the frontier was found by exact "
                  "comparison.</p>\n");
}

static void put_no_winner(const pp_view *v)
{
    pp_put(v, "<p class=\"eyebrow bad\">No deployment</p>\n<h2 id=\"verdict\">Nothing is "
              "eligible</h2>\n<p class=\"reason\">None of the ");
    pp_put_count(v, v->set->candidate_count);
    pp_put(v, " candidates respects every limit, so none was chosen. What each one misses, and by "
              "how much, stands under <a href=\"#others\">why none was chosen</a>.</p>\n");
}

void pp_section_verdict(const pp_view *v)
{
    pp_put(v, "<section class=\"verdict\" aria-labelledby=\"verdict\">\n");
    if (v->decision->has_winner)
        put_winner(v);
    else
        put_no_winner(v);
    put_baseline_note(v);
    pp_put_section_close(v);
}
