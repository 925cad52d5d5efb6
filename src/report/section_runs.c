#include "report/view.h"

#define MAX_RUNS 2000

static void put_text_or_absent(const pp_view *v, const pp_json *run, const char *key)
{
    pp_text text;

    if (pp_lookup_text(run, key, &text))
        pp_put_text(v, text);
    else
        pp_put(v, "<span class=\"absent\">not recorded</span>");
}

static void put_member_text(const pp_view *v, const pp_json *run, const char *key)
{
    pp_put(v, "<td>");
    put_text_or_absent(v, run, key);
    pp_put(v, "</td>");
}

static void put_member_number(const pp_view *v, const pp_json *run, const char *key, double factor,
                              const char *unit)
{
    char text[PP_FIGURE_TEXT_MAX];
    double value;

    pp_put(v, "<td class=\"num\">");
    if (pp_lookup_number(run, key, &value)) {
        pp_put_string(v, pp_figure_fixed(value * factor, 2, text));
        pp_put(v, unit);
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

/* Number of a later attempt, causes of a disturbed run with value and limit, text of a failed one.
 */
static void put_remarks(const pp_view *v, const pp_json *run)
{
    const pp_json *reasons = pp_lookup_array(run, "reasons");
    pp_text text;
    double attempt;

    pp_put(v, "<td>");
    if (pp_lookup_number(run, "attempt", &attempt) && attempt > 1.0) {
        pp_put(v, "attempt ");
        pp_put_number(v, attempt);
        pp_put(v, "; ");
    }
    if (pp_lookup_text(run, "failure", &text)) {
        pp_put_text(v, text);
        pp_put(v, " ");
    }
    for (size_t i = 0; i < pp_lookup_count(reasons); i++) {
        const pp_json *reason = reasons->array.items[i];
        double measured, limit;

        if (!pp_lookup_text(reason, "cause", &text))
            continue;
        pp_put(v, i > 0 ? "; " : "");
        pp_put_text(v, text);
        if (!pp_lookup_number(reason, "measured", &measured) ||
            !pp_lookup_number(reason, "limit", &limit))
            continue;
        pp_put(v, " ");
        pp_put_number(v, measured);
        pp_put(v, ", limit ");
        pp_put_number(v, limit);
        if (pp_lookup_text(reason, "unit", &text)) {
            pp_put(v, " ");
            pp_put_text(v, text);
        }
    }
    pp_put(v, "</td>");
}

static void put_run(const pp_view *v, const pp_json *run)
{
    pp_text verdict = {0};
    bool disturbed = pp_lookup_text(run, "verdict", &verdict) && pp_text_is(verdict, "disturbed");

    pp_put(v, disturbed ? "<tr class=\"disturbed\">" : "<tr>");
    pp_put(v, "<th scope=\"row\">");
    put_text_or_absent(v, run, "candidate_id");
    pp_put(v, "</th>");
    put_member_text(v, run, "phase");
    put_member_number(v, run, "pass", 1.0, "");
    put_member_text(v, run, "outcome");
    put_member_text(v, run, "verdict");
    put_member_number(v, run, "foreign_percent_peak", 1.0, " %");
    put_member_number(v, run, "steal_percent", 1.0, " %");
    put_member_number(v, run, "duration_ns", 1e-9, " s");
    put_remarks(v, run);
    pp_put(v, "</tr>\n");
}

/* Nothing where all fits, or nobody compared. */
static void put_cross_checks(const pp_view *v, size_t candidate, const pp_json *checks)
{
    double checked;
    double contradicted;
    pp_text first;

    if (!pp_lookup_number(checks, "checked", &checked) ||
        !pp_lookup_number(checks, "contradicted", &contradicted) || contradicted < 1)
        return;
    pp_put(v, "<p class=\"note\">");
    pp_put_label(v, candidate);
    pp_put(v, ": what client and server say of a request contradicts each other in ");
    pp_put_number(v, contradicted);
    pp_put(v, " of ");
    pp_put_number(v, checked);
    pp_put(v, " comparisons.");
    if (pp_lookup_text(checks, "first", &first)) {
        pp_put(v, " The first: ");
        pp_put_text(v, first);
        pp_put(v, ".");
    }
    pp_put(v, "</p>\n");
}

void pp_section_runs(const pp_view *v)
{
    const pp_json *runs = pp_lookup_array(v->study, "runs");

    if (pp_lookup_count(runs) == 0)
        return;
    pp_put_section_open(v, "runs", "Runs, and how quiet the machine was");
    pp_put(v, "<p>Foreign CPU is the largest share of one core that other processes took over two "
              "seconds; steal is the share of CPU time that the hypervisor gave to others.</p>\n");
    pp_put_table_open(v, "Every run that counts, in the order of the plan", "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Phase</th>"
              "<th scope=\"col\" class=\"num\">Pass</th><th scope=\"col\">Outcome</th>"
              "<th scope=\"col\">Machine</th><th scope=\"col\" class=\"num\">Foreign CPU, peak</th>"
              "<th scope=\"col\" class=\"num\">Steal</th><th scope=\"col\" class=\"num\">Duration"
              "</th><th scope=\"col\">Remarks</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < pp_lookup_count(runs) && i < MAX_RUNS; i++)
        put_run(v, runs->array.items[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    if (pp_lookup_count(runs) > MAX_RUNS)
        pp_put(v, "<p class=\"note\">Shown are the first 2,000 runs; the benchmark set holds all "
                  "of them.</p>\n");
    for (size_t i = 0; i < v->shown_count; i++) {
        const size_t candidate = v->shown[i];

        put_cross_checks(
            v, candidate,
            pp_lookup_object(pp_view_parameters(v, candidate, "measurement"), "cross_checks"));
        put_cross_checks(v, candidate, pp_view_parameters(v, candidate, "load_cross_checks"));
    }
    pp_put_section_close(v);
}
