/* The state of the machine during each run of a bundle: a line of time, and what the noise watch
 * counted. Attempts that were made again stand among them, because they were measured as well. */
#include "report/chart_samples.h"
#include "report/chart_timeline.h"

#define MAX_RUNS 2000

static void put_number_cell(const pp_view *v, bool known, double value, int decimals,
                            const char *unit)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put(v, "<td class=\"num\">");
    if (known) {
        pp_put_string(v, pp_figure_fixed(value, decimals, text));
        pp_put(v, unit);
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

static void put_member(const pp_view *v, const pp_report_run *run, const char *key, double factor,
                       int decimals, const char *unit)
{
    double value = 0.0;
    bool known = pp_lookup_number(run->watch, key, &value);

    put_number_cell(v, known, value * factor, decimals, unit);
}

/* "2,400 to 3,100 MHz" */
static void put_frequency(const pp_view *v, const pp_report_run *run)
{
    char text[PP_FIGURE_TEXT_MAX];
    double low, high;

    pp_put(v, "<td class=\"num\">");
    if (pp_lookup_number(run->watch, "frequency_min_khz", &low) &&
        pp_lookup_number(run->watch, "frequency_max_khz", &high)) {
        pp_put_string(v, pp_figure_fixed(low / 1e3, 0, text));
        pp_put(v, " to ");
        pp_put_string(v, pp_figure_fixed(high / 1e3, 0, text));
        pp_put(v, " MHz");
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

static void put_verdict(const pp_view *v, const pp_report_run *run)
{
    static const char *const words[] = {"quiet", "disturbed", "undecided"};

    pp_put(v, "<td>");
    pp_put(v, words[pp_sample_noise_of(run)]);
    if (run->failed)
        pp_put(v, ", failed");
    if (!run->counts)
        pp_put(v, ", made again");
    pp_put(v, "</td>");
}

static void put_run(const pp_view *v, const pp_report_run *run, int64_t first_ms)
{
    pp_put(v, pp_sample_noise_of(run) == PP_NOISE_DISTURBED ? "<tr class=\"disturbed\">" : "<tr>");
    pp_put(v, "<th scope=\"row\">");
    pp_put_label_of(v, run->candidate_id);
    pp_put(v, "</th><td>");
    pp_put_text(v, run->phase);
    if (run->pass > 0) {
        pp_put(v, ", pass ");
        pp_put_count(v, (size_t)run->pass);
    }
    if (run->attempt > 1 || !run->counts) {
        pp_put(v, ", attempt ");
        pp_put_count(v, (size_t)run->attempt);
    }
    pp_put(v, "</td>");
    put_number_cell(v, true, (double)(run->started_unix_ms - first_ms) / 1e3, 1, " s");
    put_number_cell(v, true, (double)run->duration_ns / 1e9, 2, " s");
    put_verdict(v, run);
    put_member(v, run, "foreign_percent_peak", 1.0, 1, " %");
    put_member(v, run, "foreign_peak_at_ns", 1e-9, 1, " s");
    put_member(v, run, "foreign_percent_mean", 1.0, 1, " %");
    put_member(v, run, "steal_percent", 1.0, 2, " %");
    put_frequency(v, run);
    put_member(v, run, "cgroup_throttled_count", 1.0, 0, "");
    put_member(v, run, "thermal_throttled_count", 1.0, 0, "");
    put_member(v, run, "psi_cpu_some_us", 1e-3, 1, " ms");
    put_member(v, run, "psi_memory_some_us", 1e-3, 1, " ms");
    put_member(v, run, "major_faults_count", 1.0, 0, "");
    pp_put(v, "</tr>\n");
}

static void put_table(const pp_view *v, const pp_report_bundle *bundle)
{
    static const char *const columns[] = {"Start",          "Duration",       "Machine",
                                          "Foreign, peak",  "Peak at",        "Foreign, mean",
                                          "Steal",          "Frequency",      "Quota stops",
                                          "Heat stops",     "Waited for CPU", "Waited for memory",
                                          "Pages from disk"};

    pp_put_table_open(v, "The machine during each run, in the order of time", "wide many");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Run", false);
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_put_column(v, columns[i], i != 2);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < bundle->run_count && i < MAX_RUNS; i++)
        put_run(v, &bundle->runs[i], bundle->runs[0].started_unix_ms);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    if (bundle->run_count > MAX_RUNS)
        pp_put(v, "<p class=\"note\">Shown are the first 2,000 runs; the bundle holds all of "
                  "them.</p>\n");
    pp_put(v, "<p class=\"fine\">Foreign CPU is percent of one core; its peak is over a window of "
              "the watch, which began at the instant given, from the start of the run. Waiting is "
              "time in which some task of the machine waited, whoever it belongs to. Quota stops "
              "are periods in which a control group held the run back, heat stops events of the "
              "CPUs; what the kernel does not say reads not recorded.</p>\n");
}

pp_status pp_section_timeline(const pp_view *v, pp_error *err)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;
    pp_status st;

    if (bundle == NULL || bundle->run_count == 0)
        return PP_OK;
    pp_put_section_open(v, "machine-state", "The machine while it was measured");
    st = pp_chart_timeline(v, err);
    if (st == PP_OK)
        put_table(v, bundle);
    pp_put_section_close(v);
    return st;
}
