/* Every level of every candidate, and the samples that its figures follow from. */
#include "report/load_parts.h"

static void put_number_cell(const pp_view *v, double value, const char *unit)
{
    pp_put_real_cell(v, pp_known_real(value), unit);
}

static void put_percent_cell(const pp_view *v, double rate)
{
    pp_put(v, "<td class=\"num\">");
    pp_put_percent(v, rate * 100.0);
    pp_put(v, "</td>");
}

static const char *failure_words(pp_load_slo_failure failure)
{
    switch (failure) {
    case PP_LOAD_SLO_COMPLETION_RATE:
        return "too few completed";
    case PP_LOAD_SLO_NO_TTFT:
        return "no first token";
    case PP_LOAD_SLO_TTFT:
        return "first token too late";
    case PP_LOAD_SLO_NO_E2E:
        return "nothing completed";
    case PP_LOAD_SLO_E2E:
        return "end to end too long";
    }
    return "";
}

static void put_verdict(const pp_view *v, const pp_load_row *row)
{
    pp_put(v, "<td class=\"words\">");
    if (row->slo_failure_count == 0)
        pp_put(v, "Met");
    for (size_t i = 0; i < row->slo_failure_count; i++) {
        pp_put(v, i == 0 ? "Missed: " : ", ");
        pp_put(v, failure_words(row->slo_failures[i]));
    }
    pp_put(v, "</td>");
}

static void put_row(const pp_view *v, pp_text id, const pp_load_row *row)
{
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label_of(v, id);
    pp_put(v, "</th>");
    put_number_cell(v, (double)row->concurrency, "");
    put_number_cell(v, (double)row->sample_count, "");
    put_number_cell(v, (double)(row->sample_count - row->completed_count), "");
    put_percent_cell(v, row->completion_rate);
    put_percent_cell(v, row->error_rate);
    put_number_cell(v, row->wall_time_seconds, " s");
    put_number_cell(v, row->requests_per_second, " req/s");
    put_number_cell(v, row->generated_tokens_per_second, " tok/s");
    pp_put_real_cell(v, row->ttft_ms_p50, " ms");
    pp_put_real_cell(v, row->ttft_ms_p95, " ms");
    pp_put_real_cell(v, row->e2e_latency_ms_p50, " ms");
    pp_put_real_cell(v, row->e2e_latency_ms_p95, " ms");
    pp_put_real_cell(v, row->peak_rss_mib, " MiB");
    put_verdict(v, row);
    pp_put(v, "</tr>\n");
}

static void put_table(const pp_view *v, const pp_combined_load_evaluation *load)
{
    static const char *const columns[] = {"Clients",
                                          "Requests",
                                          "Failed",
                                          "Completed",
                                          "Errors",
                                          "Wall time",
                                          "Requests/s",
                                          "Tokens/s",
                                          "First token, median",
                                          "First token, p95",
                                          "End to end, median",
                                          "End to end, p95",
                                          "Peak memory"};

    pp_put_table_open(v, "Every level of every candidate", "wide many");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_put_column(v, columns[i], true);
    pp_put_column(v, "Limits", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < load->count; i++) {
        const pp_load_evaluation *e = &load->candidates[i];

        for (size_t j = 0; j < e->method.level_count; j++)
            put_row(v, e->candidate_id, &e->rows[j]);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void put_sample(const pp_view *v, const pp_load_evaluation *e, const pp_load_row *row,
                       size_t i)
{
    const pp_load_sample *s = &row->samples[i];

    pp_put(v, "<tr><th scope=\"row\" class=\"num\">");
    pp_put_count(v, i + 1);
    pp_put(v, "</th>");
    put_number_cell(v, (double)(i % e->method.prompt_count + 1), "");
    put_number_cell(v, s->started_at_seconds - row->samples[0].started_at_seconds, " s");
    pp_put_real_cell(v, s->ttft_ms, " ms");
    put_number_cell(v, s->e2e_latency_ms, " ms");
    put_number_cell(v, (double)s->generated_tokens, "");
    pp_put(v, "<td>");
    if (s->completed)
        pp_put(v, "completed");
    else
        pp_put_text(v, s->error);
    pp_put(v, "</td></tr>\n");
}

static void put_samples(const pp_view *v, const pp_load_evaluation *e, const pp_load_row *row)
{
    static const char *const columns[] = {"Request",     "Prompt",     "Begun at",
                                          "First token", "End to end", "Tokens"};
    const char *caption = pp_arena_printf(
        v->arena, "Every measured request of %s at %lld, from the first one's begin",
        e->candidate_id.data, (long long)row->concurrency);

    pp_put(v, "<details><summary>Samples of ");
    pp_put_label_of(v, e->candidate_id);
    pp_put(v, " at ");
    pp_put_number(v, (double)row->concurrency);
    pp_put(v, row->concurrency == 1 ? " client</summary>\n" : " clients</summary>\n");
    pp_put_table_open(v, caption == NULL ? "" : caption, "values");
    pp_put(v, "<thead><tr>");
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_put_column(v, columns[i], true);
    pp_put_column(v, "Outcome", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < row->sample_count; i++)
        put_sample(v, e, row, i);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v, "</details>\n");
}

void pp_load_put_figures(const pp_view *v, const pp_combined_load_evaluation *load)
{
    pp_put(v, "<h3>Every level, and every sample</h3>\n");
    put_table(v, load);
    pp_put(v, "<p class=\"fine\">Rates count over the time from the first begin to the last end of "
              "a level. Percentiles are nearest rank over the completed requests of a level; the "
              "p95 of fewer than 20 is their largest.</p>\n");
    for (size_t i = 0; i < load->count; i++) {
        const pp_load_evaluation *e = &load->candidates[i];

        for (size_t j = 0; j < e->method.level_count; j++)
            put_samples(v, e, &e->rows[j]);
    }
}
