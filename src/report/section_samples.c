/* Every measured request of a bundle: a chart and a table for each of the two times that users
 * feel, and all values behind a disclosure. */
#include <math.h>

#include "report/chart_samples.h"

/* Values that the disclosure prints; 200 runs of 20 requests. */
#define MAX_VALUES 4000

static bool has_requests(const pp_report_bundle *bundle)
{
    for (size_t i = 0; bundle != NULL && i < bundle->run_count; i++) {
        if (bundle->runs[i].counts && bundle->runs[i].request_count > 0)
            return true;
    }
    return false;
}

/* ---- quantiles ------------------------------------------------------------------------------- */

static void put_time_cell(const pp_view *v, pp_maybe_real value)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put(v, "<td class=\"num\">");
    if (value.known) {
        pp_put_string(v, pp_figure_fixed(value.value, 3, text));
        pp_put(v, " ms");
    } else {
        pp_put(v, "<span class=\"absent\">a failed request</span>");
    }
    pp_put(v, "</td>");
}

static void put_count_cell(const pp_view *v, size_t count)
{
    pp_put(v, "<td class=\"num\">");
    pp_put_count(v, count);
    pp_put(v, "</td>");
}

static void put_table_row(const pp_view *v, const pp_sample_row *row)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, row->candidate);
    pp_put(v, "</th>");
    put_count_cell(v, row->request_count);
    put_count_cell(v, row->failed_count);
    pp_put(v, "<td class=\"num\">");
    pp_put_count(v, row->disturbed_run_count);
    pp_put(v, " of ");
    pp_put_count(v, row->run_count);
    pp_put(v, "</td>");
    if (row->request_count == 0) {
        pp_put(v, "<td colspan=\"4\"><span class=\"absent\">not measured</span></td></tr>\n");
        return;
    }
    put_time_cell(v, row->lowest);
    put_time_cell(v, row->p50);
    put_time_cell(v, row->p95);
    put_time_cell(v, row->highest);
    pp_put(v, "</tr>\n");
}

static void put_table(const pp_view *v, const pp_sample_chart *chart)
{
    static const char *const columns[] = {"Requests", "Failed", "Disturbed runs", "Smallest",
                                          "p50",      "p95",    "Largest"};
    const char *caption =
        pp_arena_printf(v->arena, "%s: quantiles over all runs that count", chart->title);

    pp_put_table_open(v, caption == NULL ? "" : caption, "wide");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_put_column(v, columns[i], true);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < chart->row_count; i++)
        put_table_row(v, &chart->rows[i]);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* ---- every value ----------------------------------------------------------------------------- */

static void put_values(const pp_view *v, const pp_report_run *run, bool is_ttft)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put(v, "<td>");
    for (size_t i = 0; i < run->request_count; i++) {
        double value = is_ttft ? run->requests[i].ttft_ms : run->requests[i].e2e_ms;

        pp_put(v, i > 0 ? ", " : "");
        pp_put_string(v, isfinite(value)           ? pp_figure_fixed(value, 3, text)
                         : run->requests[i].failed ? "failed"
                                                   : "not measured");
    }
    pp_put(v, "</td>");
}

static void put_run(const pp_view *v, const pp_report_run *run)
{
    static const char *const words[] = {"quiet", "disturbed", "undecided"};
    pp_sample_noise noise = pp_sample_noise_of(run);

    pp_put(v, noise == PP_NOISE_DISTURBED ? "<tr class=\"disturbed\">" : "<tr>");
    pp_put(v, "<th scope=\"row\">");
    pp_put_label_of(v, run->candidate_id);
    pp_put(v, "</th>");
    put_count_cell(v, (size_t)run->pass);
    pp_put(v, "<td>");
    pp_put(v, words[noise]);
    pp_put(v, "</td>");
    put_values(v, run, true);
    put_values(v, run, false);
    pp_put(v, "</tr>\n");
}

static void put_every_value(const pp_view *v, const pp_report_bundle *bundle)
{
    size_t left_out = 0, values = 0;

    pp_put(v, "<details><summary>Every request, run by run</summary>\n");
    pp_put_table_open(v, "Times of every measured request, ms, runs in the order of time", "wide");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Pass", true);
    pp_put_column(v, "Machine", false);
    pp_put_column(v, "Time to first token", false);
    pp_put_column(v, "End to end", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < bundle->run_count; i++) {
        const pp_report_run *run = &bundle->runs[i];

        if (!run->counts || run->request_count == 0)
            continue;
        values += run->request_count;
        if (values <= MAX_VALUES)
            put_run(v, run);
        else
            left_out++;
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    if (left_out > 0) {
        pp_put(v, "<p class=\"note\">");
        pp_put_count(v, left_out);
        pp_put(v, left_out == 1 ? " run is" : " runs are");
        pp_put(v, " left to the files <code>samples-pass-N.jsonl</code> of the bundle.</p>\n");
    }
    pp_put(v, "</details>\n");
}

/* ---- the section ----------------------------------------------------------------------------- */

static pp_status put_measure(const pp_view *v, bool is_ttft, pp_error *err)
{
    pp_sample_row *rows = PP_ARENA_NEW(v->arena, pp_sample_row, v->shown_count);
    pp_sample_chart chart = {
        .id = is_ttft ? "samples-ttft" : "samples-e2e",
        .title = is_ttft ? "Time to first token" : "End-to-end latency",
        .rows = rows,
        .row_count = v->shown_count,
    };
    pp_status st = pp_arena_check(v->arena, err);

    for (size_t i = 0; st == PP_OK && i < v->shown_count; i++)
        st = pp_sample_row_make(v, v->shown[i], is_ttft, &rows[i], err);
    if (st == PP_OK) {
        pp_chart_samples(v, &chart);
        put_table(v, &chart);
    }
    return st;
}

pp_status pp_section_samples(const pp_view *v, pp_error *err)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;
    pp_status st;

    if (!has_requests(bundle))
        return PP_OK;
    pp_put_section_open(v, "samples", "Every request");
    pp_put(v, "<p>The measured requests of all runs that count, from the samples of the bundle; "
              "warm-up requests are left out. A failed request has no dot and counts as "
              "endless.</p>\n");
    st = put_measure(v, true, err);
    if (st == PP_OK)
        st = put_measure(v, false, err);
    if (st == PP_OK)
        put_every_value(v, bundle);
    pp_put_section_close(v);
    return st;
}
