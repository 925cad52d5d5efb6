#include "report/chart_memory.h"
#include "stats/percentile.h"

static void put_number_row(const pp_view *v, const pp_json *object, const char *key,
                           const char *head, const char *unit)
{
    double value;

    if (!pp_lookup_number(object, key, &value))
        return;
    pp_put_row_open(v, head);
    pp_put_number(v, value);
    pp_put(v, unit);
    pp_put_row_close(v);
}

static void put_workload(const pp_view *v)
{
    const pp_json *throughput = pp_lookup_object(v->study, "throughput");
    const pp_json *requests = pp_lookup_object(v->study, "requests");

    if (throughput == NULL && requests == NULL) {
        pp_put(v, "<p>Workload: <span class=\"absent\">not recorded</span></p>\n");
        return;
    }
    pp_put_table_open(v, "Workload", "facts-table");
    pp_put(v, "<tbody>\n");
    put_number_row(v, v->study, "passes", "Passes", ", each with a fresh server process");
    put_number_row(v, v->study, "settle_ms", "Settling before each run", " ms");
    put_number_row(v, throughput, "prompt_tokens", "Throughput: prompt", " tokens");
    put_number_row(v, throughput, "generation_tokens", "Throughput: generated", " tokens");
    put_number_row(v, throughput, "repetitions", "Throughput: repetitions", " a pass");
    put_number_row(v, requests, "prompt_tokens", "Requests: prompt", " tokens");
    put_number_row(v, requests, "output_tokens", "Requests: output", " tokens");
    put_number_row(v, requests, "warmup", "Requests: warm-up", " a pass, not counted");
    put_number_row(v, requests, "measured", "Requests: measured", " a pass");
    put_number_row(v, requests, "seed", "Seed", "");
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* "rank 19 of 20", or that n is too small for a p95 below the maximum */
static void put_p95_meaning(const pp_view *v, double count)
{
    size_t n = count >= 1.0 && count < 1e9 ? (size_t)count : 0;
    size_t rank;

    if (n == 0) {
        pp_put(v, "<span class=\"absent\">no requests</span>");
        return;
    }
    rank = pp_percentile_rank(n, 95.0);
    if (rank == n) {
        pp_put(v, "the largest of ");
        pp_put_count(v, n);
        pp_put(v, ": too few for a p95 below the maximum");
        return;
    }
    pp_put(v, "sample ");
    pp_put_count(v, rank);
    pp_put(v, " of ");
    pp_put_count(v, n);
    pp_put(v, ", ");
    pp_put_count(v, n - rank);
    pp_put(v, n - rank == 1 ? " lies above" : " lie above");
}

static void put_cell_number(const pp_view *v, const pp_json *object, const char *key,
                            const char *unit)
{
    double value;

    pp_put(v, "<td class=\"num\">");
    if (pp_lookup_number(object, key, &value)) {
        pp_put_number(v, value);
        pp_put(v, unit);
    } else {
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    }
    pp_put(v, "</td>");
}

static void put_startup(const pp_view *v, const pp_json *measurement)
{
    const pp_json *list = pp_lookup_array(measurement, "startup_ms");
    size_t shown = 0;

    pp_put(v, "<td class=\"num\">");
    for (size_t i = 0; i < pp_lookup_count(list); i++) {
        const pp_json *item = list->array.items[i];

        if (item->kind != PP_JSON_INTEGER && item->kind != PP_JSON_REAL)
            continue;
        pp_put(v, shown++ > 0 ? " / " : "");
        pp_put_number(v, item->kind == PP_JSON_REAL ? item->real : (double)item->integer);
    }
    pp_put(v, shown > 0 ? " ms</td>" : "<span class=\"absent\">not recorded</span></td>");
}

static void put_sample_row(const pp_view *v, size_t candidate, const pp_json *measurement)
{
    const pp_json *memory = pp_lookup_object(measurement, "memory");
    double count;

    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, candidate);
    pp_put(v, "</th>");
    put_cell_number(v, measurement, "request_count", "");
    put_cell_number(v, measurement, "failed_request_count", "");
    pp_put(v, "<td>");
    if (pp_lookup_number(measurement, "request_count", &count))
        put_p95_meaning(v, count);
    else
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    pp_put(v, "</td>");
    put_cell_number(v, measurement, "throughput_sample_count", "");
    put_startup(v, measurement);
    put_cell_number(v, memory, "anon_mib", " MiB");
    put_cell_number(v, memory, "file_mib", " MiB");
    pp_put(v, "</tr>\n");
}

static void put_samples(const pp_view *v)
{
    size_t known = 0;

    for (size_t i = 0; i < v->set->candidate_count; i++)
        known += pp_view_parameters(v, i, "measurement") != NULL;
    if (known == 0) {
        pp_put(v, "<p>Number of samples behind each figure: <span class=\"absent\">not recorded"
                  "</span></p>\n");
        return;
    }
    pp_put_table_open(v, "Samples behind the figures", "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\" class=\"num\">Requests"
              "</th><th scope=\"col\" class=\"num\">Failed</th><th scope=\"col\">p95 is</th>"
              "<th scope=\"col\" class=\"num\">Throughput samples</th><th scope=\"col\" "
              "class=\"num\">Start-up, by pass</th><th scope=\"col\" class=\"num\">Own memory</th>"
              "<th scope=\"col\" class=\"num\">File pages</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++)
        put_sample_row(v, v->shown[i], pp_view_parameters(v, v->shown[i], "measurement"));
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v, "<p class=\"fine\">Percentiles are nearest rank over all requests of all passes, so "
              "each is a value that really occurred; the median of an even number of samples is "
              "the mean of the middle two. A percentile that falls on a failed request is not "
              "given.</p>\n");
}

static void put_memory_row(const pp_view *v, size_t candidate, const pp_json *row)
{
    static const char *const kinds[] = {"anon_mib",     "file_mib",       "shmem_mib",
                                        "swap_mib",     "hugetlb_mib",    "pss_mib",
                                        "peak_rss_mib", "cgroup_peak_mib"};
    pp_text phase;

    if (!pp_lookup_text(row, "phase", &phase))
        return;
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label(v, candidate);
    pp_put(v, "</th><td>");
    if (pp_memory_phase_title(phase) != NULL)
        pp_put(v, pp_memory_phase_title(phase));
    else
        pp_put_text(v, phase);
    pp_put(v, "</td>");
    for (size_t i = 0; i < PP_COUNT_OF(kinds); i++)
        put_cell_number(v, row, kinds[i], "");
    pp_put(v, "</tr>\n");
}

/* Left out where nothing was recorded: sets of other tools have no phases. */
static void put_memory(const pp_view *v)
{
    size_t known = 0;

    for (size_t i = 0; i < v->set->candidate_count; i++)
        known += pp_lookup_count(pp_memory_phases(v, i));
    if (known == 0)
        return;
    pp_chart_memory(v);
    pp_put_table_open(v, "Memory of the server by phase, MiB", "wide");
    pp_put(v, "<thead><tr><th scope=\"col\">Candidate</th><th scope=\"col\">Phase</th>");
    pp_put(v, "<th scope=\"col\" class=\"num\">Own</th><th scope=\"col\" class=\"num\">File pages"
              "</th><th scope=\"col\" class=\"num\">Shared</th><th scope=\"col\" class=\"num\">"
              "Swap</th><th scope=\"col\" class=\"num\">Huge pages</th><th scope=\"col\" "
              "class=\"num\">Pss</th><th scope=\"col\" class=\"num\">Peak so far</th>"
              "<th scope=\"col\" class=\"num\">Peak of the group</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < v->shown_count; i++) {
        const pp_json *phases = pp_memory_phases(v, v->shown[i]);

        for (size_t p = 0; p < pp_lookup_count(phases); p++)
            put_memory_row(v, v->shown[i], phases->array.items[p]);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(
        v,
        "<p class=\"fine\">All phases of a candidate are of its last pass. Own (anonymous), file "
        "and shared pages add up to the resident set; file pages hold the touched part of the "
        "model file and may be dropped under pressure. Pss divides shared pages by their "
        "sharers. KV cache, compute buffers and repacked weights are all in the own part: the "
        "kernel does not tell them apart. The peak is the largest resident set of the process "
        "until then, and the "
        "one after the last request is what limits on <code>peak_rss_mib</code> judge. The "
        "peak of the control group covers all processes of that group since it was made, and "
        "page cache.</p>\n");
}

static void put_definitions(const pp_view *v)
{
    pp_put(v, "<h3>What the metrics mean</h3>\n<dl class=\"terms\">\n");
    for (size_t i = 0; i < v->metric_count; i++) {
        const pp_metric_info *info = pp_metric_info_find(v->metrics[i]);

        pp_put(v, "<div><dt>");
        pp_put_metric_full(v, v->metrics[i]);
        pp_put(v, "</dt><dd>");
        pp_put(v, info != NULL ? info->meaning : "defined by whoever measured it");
        pp_put(v, "</dd></div>\n");
    }
    pp_put(v, "</dl>\n");
}

void pp_section_measured(const pp_view *v)
{
    pp_put_section_open(v, "measured", "What was measured");
    put_workload(v);
    put_samples(v);
    put_memory(v);
    put_definitions(v);
    pp_put_section_close(v);
}
