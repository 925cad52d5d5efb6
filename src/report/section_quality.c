/* What a suite said of each candidate, or why it says nothing. */
#include "report/view.h"

static const pp_json *quality_of(const pp_view *v, size_t candidate)
{
    return pp_lookup_object(pp_view_parameters(v, candidate, "measurement"), "quality");
}

/* Ids of cases, as code; long lists are cut. */
#define SHOWN_MAX 12

static void put_cases(const pp_view *v, const pp_json *owner, const char *key)
{
    const pp_json *list = pp_lookup_array(owner, key);
    size_t count = pp_lookup_count(list);

    pp_put(v, "<td>");
    if (list == NULL)
        pp_put(v, "<span class=\"absent\">none to compare</span>");
    else if (count == 0)
        pp_put(v, "none");
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        if (list->array.items[i]->kind != PP_JSON_STRING)
            continue;
        pp_put(v, i > 0 ? " <code>" : "<code>");
        pp_put_text(v, list->array.items[i]->text);
        pp_put(v, "</code>");
    }
    if (count > SHOWN_MAX) {
        pp_put(v, " and ");
        pp_put_count(v, count - SHOWN_MAX);
        pp_put(v, " more");
    }
    pp_put(v, "</td>");
}

static void put_fixed(const pp_view *v, double value)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put_string(v, pp_figure_fixed(value, 3, text));
}

static void put_score(const pp_view *v, const pp_json *quality)
{
    double score, lower, upper, passed, total;
    pp_text reason;

    if (!pp_lookup_number(quality, "score", &score)) {
        pp_put(v, "<td colspan=\"3\"><span class=\"absent\">quality not judged</span>");
        if (pp_lookup_text(quality, "reason", &reason)) {
            pp_put(v, ": ");
            pp_put_text(v, reason);
        }
        pp_put(v, "</td>");
        return;
    }
    pp_put(v, "<td class=\"num\">");
    put_fixed(v, score);
    pp_put(v, "</td><td class=\"num\">");
    if (pp_lookup_number(quality, "lower", &lower) && pp_lookup_number(quality, "upper", &upper)) {
        put_fixed(v, lower);
        pp_put(v, " to ");
        put_fixed(v, upper);
    }
    pp_put(v, "</td><td class=\"num\">");
    if (pp_lookup_number(quality, "passed", &passed) &&
        pp_lookup_number(quality, "case_count", &total)) {
        pp_put_number(v, passed);
        pp_put(v, " of ");
        pp_put_number(v, total);
    }
    pp_put(v, "</td>");
}

static void put_agreement(const pp_view *v, const pp_json *quality)
{
    const pp_json *agreement = pp_lookup_object(quality, "agreement");
    double value;
    pp_text gap;

    pp_put(v, "<td class=\"num\">");
    if (pp_lookup_number(agreement, "top1_agreement", &value)) {
        put_fixed(v, value);
    } else {
        pp_put(v, "<span class=\"absent\">not measured</span>");
        if (pp_lookup_text(agreement, "gap", &gap)) {
            pp_put(v, ": ");
            pp_put_text(v, gap);
        }
    }
    pp_put(v, "</td>");
}

static void put_row(const pp_view *v, size_t candidate)
{
    const pp_json *quality = quality_of(v, candidate);
    const pp_json *comparison = pp_lookup_object(quality, "comparison");

    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, candidate);
    pp_put(v, "</th>");
    put_score(v, quality);
    put_cases(v, quality, "flips");
    put_cases(v, comparison, "lost");
    put_cases(v, comparison, "gained");
    put_agreement(v, quality);
    pp_put(v, "</tr>\n");
}

void pp_section_quality(const pp_view *v)
{
    const pp_json *suite = pp_lookup_object(v->study, "suite");
    pp_text id;

    if (suite == NULL)
        return;
    pp_put_section_open(v, "quality", "Quality, as a suite found it");
    pp_put(v, "<p>Suite <code>");
    if (pp_lookup_text(suite, "id", &id))
        pp_put_text(v, id);
    pp_put(v, "</code>. A case passes when an accepted answer came in every pass; a case that "
              "flips did so in one pass and not in another. Lost and gained are against the "
              "baseline. Agreement is the share of contexts after which the likeliest next token "
              "is the baseline's, of the pass that agrees least.</p>\n");
    pp_put_table_open(v, "Answers to the suite", "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\" class=\"num\">Score"
              "</th><th scope=\"col\" class=\"num\">95 % interval</th><th scope=\"col\" "
              "class=\"num\">Passed</th><th scope=\"col\">Flips</th><th scope=\"col\">Lost</th>"
              "<th scope=\"col\">Gained</th><th scope=\"col\" class=\"num\">Agreement</th></tr>"
              "</thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++)
        put_row(v, v->shown[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}
