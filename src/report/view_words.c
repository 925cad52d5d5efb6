/* Small phrases that several sections write. */
#include <math.h>
#include <stdio.h>

#include "report/view.h"

void pp_put_label_of(const pp_view *v, pp_text id)
{
    size_t candidate = pp_benchmark_set_find(v->set, id);

    if (candidate != PP_NOT_FOUND) {
        pp_put_label(v, candidate);
        return;
    }
    pp_put(v, "<bdi>");
    pp_put_text(v, id);
    pp_put(v, "</bdi>");
}

/* Two decimals, and four digits where these would read zero. */
static void put_percent(const pp_view *v, const char *sign, double percent)
{
    char text[PP_FIGURE_TEXT_MAX];

    if (percent != 0.0 && fabs(percent) < 0.005)
        snprintf(text, sizeof text, "%s%.4g %%", sign, percent);
    else
        snprintf(text, sizeof text, "%s%.2f %%", sign, percent);
    pp_put_figure(v, text);
}

void pp_put_higher(const pp_view *v, pp_text metric, double from, double to)
{
    pp_change change = {.metric = metric, .previous = from, .current = to};
    double percent = pp_change_percent(&change);
    double absolute = fabs(pp_change_absolute(&change));

    if (pp_change_effect(&change) == PP_EFFECT_HELD) {
        pp_put(v, "equal");
        return;
    }
    if (isfinite(percent)) {
        put_percent(v, "", fabs(percent));
        pp_put(v, " ");
    } else if (isfinite(absolute)) {
        pp_put_value(v, metric, &absolute);
        pp_put(v, " ");
    }
    pp_put(v, to > from ? "higher" : "lower");
}

void pp_put_signed_percent(const pp_view *v, double percent)
{
    put_percent(v, percent > 0.0 ? "+" : "", percent == 0.0 ? 0.0 : percent);
}

void pp_put_percent(const pp_view *v, double percent)
{
    put_percent(v, "", percent);
}

void pp_put_effect(const pp_view *v, pp_effect effect)
{
    static const char *const words[][2] = {
        [PP_EFFECT_HELD] = {"held", "Held"},
        [PP_EFFECT_IMPROVED] = {"improved", "Better"},
        [PP_EFFECT_TRADEOFF] = {"regressed", "Tradeoff"},
        [PP_EFFECT_CHANGED] = {"changed", "Changed"},
    };

    pp_put(v, "<span class=\"effect ");
    pp_put(v, words[effect][0]);
    pp_put(v, "\">");
    pp_put(v, words[effect][1]);
    pp_put(v, "</span>");
}

void pp_put_missing(const pp_view *v, const char *why, const char *command)
{
    pp_put(v, "<p class=\"missing\">");
    pp_put_string(v, why);
    if (command != NULL) {
        pp_put(v, " What would bring it: <code>");
        pp_put_string(v, command);
        pp_put(v, "</code>");
    }
    pp_put(v, "</p>\n");
}

void pp_put_hash(const pp_view *v, const char *sha256)
{
    if (sha256 == NULL) {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
        return;
    }
    pp_put(v, "<code class=\"hash\">");
    pp_put_string(v, sha256);
    pp_put(v, "</code>");
}

void pp_put_shown_note(const pp_view *v)
{
    if (v->shown_count == v->set->candidate_count)
        return;
    pp_put(v, "<p class=\"note\">Shown are ");
    pp_put_count(v, v->shown_count);
    pp_put(v, " of ");
    pp_put_count(v, v->set->candidate_count);
    pp_put(v, " candidates: the selected one, the baseline, the frontier, and those nearest to the "
              "best value of the objective. The benchmark set and the decision details hold all "
              "of them; <code>report</code> and <code>study run</code> write both beside the "
              "page.</p>\n");
}

void pp_put_column(const pp_view *v, const char *title, bool is_number)
{
    pp_put(v, is_number ? "<th scope=\"col\" class=\"num\">" : "<th scope=\"col\">");
    pp_put_string(v, title);
    pp_put(v, "</th>");
}
