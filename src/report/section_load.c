/* Behaviour under several simultaneous clients: charts first, then limits, method, commands,
 * figures and every sample. */
#include "report/chart_lines.h"
#include "report/load_parts.h"

/* ---- charts ---------------------------------------------------------------------------------- */

typedef enum figure { FIGURE_REQUESTS, FIGURE_TOKENS, FIGURE_E2E, FIGURE_COUNT } figure;

static pp_maybe_real figure_of(const pp_load_row *row, figure which)
{
    switch (which) {
    case FIGURE_REQUESTS:
        return pp_known_real(row->requests_per_second);
    case FIGURE_TOKENS:
        return pp_known_real(row->generated_tokens_per_second);
    case FIGURE_E2E:
    case FIGURE_COUNT:
        break;
    }
    return row->e2e_latency_ms_p95;
}

static pp_text name_of(const pp_view *v, pp_text id)
{
    size_t candidate = pp_benchmark_set_find(v->set, id);

    return candidate == PP_NOT_FOUND ? id : v->set->candidates[candidate].label;
}

/* The lines of one figure; NULL when memory is short. */
static pp_line *make_lines(const pp_view *v, const pp_combined_load_evaluation *load, figure which)
{
    pp_line *lines = PP_ARENA_NEW(v->arena, pp_line, load->count);

    for (size_t i = 0; lines != NULL && i < load->count; i++) {
        const pp_load_evaluation *e = &load->candidates[i];
        pp_line_point *points = PP_ARENA_NEW(v->arena, pp_line_point, e->method.level_count);

        if (points == NULL)
            return NULL;
        for (size_t j = 0; j < e->method.level_count; j++)
            points[j] =
                (pp_line_point){(double)e->rows[j].concurrency, figure_of(&e->rows[j], which)};
        lines[i] = (pp_line){name_of(v, e->candidate_id), points, e->method.level_count};
    }
    return lines;
}

static pp_status put_chart(const pp_view *v, const pp_combined_load_evaluation *load, figure which,
                           pp_error *err)
{
    static const struct {
        const char *id, *title, *unit;
    } words[FIGURE_COUNT] = {
        [FIGURE_REQUESTS] = {"load-requests", "Requests per second", " req/s"},
        [FIGURE_TOKENS] = {"load-tokens", "Generated tokens per second", " tok/s"},
        [FIGURE_E2E] = {"load-e2e", "End-to-end latency p95, ms", " ms"},
    };
    pp_lines lines = {
        .id = words[which].id,
        .title = words[which].title,
        .unit = words[which].unit,
        .x_title = "Simultaneous clients",
        .lines = make_lines(v, load, which),
        .line_count = load->count,
    };

    if (lines.lines == NULL)
        return pp_arena_check(v->arena, err);
    if (which == FIGURE_E2E)
        lines.limit = pp_known_real(load->candidates[0].slo.max_e2e_latency_ms_p95);
    return pp_chart_lines(v, &lines, err);
}

/* ---- highest level, limits, method ----------------------------------------------------------- */

static void put_clients(const pp_view *v, int64_t count)
{
    pp_put_number(v, (double)count);
    pp_put(v, count == 1 ? " client" : " clients");
}

static void put_highest(const pp_view *v, const pp_combined_load_evaluation *load)
{
    pp_put_table_open(v, "Most simultaneous clients within every limit", "values");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Highest level", true);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < load->count; i++) {
        const pp_load_evaluation *e = &load->candidates[i];

        pp_put(v, "<tr><th scope=\"row\">");
        pp_put_label_of(v, e->candidate_id);
        pp_put(v, "</th><td class=\"num\">");
        if (e->highest_slo_concurrency.known)
            put_clients(v, e->highest_slo_concurrency.value);
        else
            pp_put(v, "none: no level met every limit");
        pp_put(v, "</td></tr>\n");
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_limits(const pp_view *v, const pp_load_slo *slo)
{
    char text[PP_FIGURE_TEXT_MAX];

    pp_put_row_open(v, "Limits of a level");
    pp_put(v, "completed at least ");
    pp_put_string(v, pp_figure_fixed(slo->min_completion_rate * 100.0, 2, text));
    pp_put(v, "&nbsp;% of the requests");
    if (slo->max_ttft_ms_p95.known) {
        pp_put(v, "; first token p95 at most ");
        pp_put_number(v, slo->max_ttft_ms_p95.value);
        pp_put(v, "&nbsp;ms");
    }
    pp_put(v, "; end to end p95 at most ");
    pp_put_number(v, slo->max_e2e_latency_ms_p95);
    pp_put(v, "&nbsp;ms");
    pp_put_row_close(v);
}

static void put_method(const pp_view *v, const pp_load_evaluation *e)
{
    const pp_load_method *m = &e->method;

    pp_put_table_open(v, "Limits and method of the load", "facts-table");
    pp_put(v, "<tbody>\n");
    put_limits(v, &e->slo);
    pp_put_row_open(v, "Clients");
    pp_put(v, "closed loop without think time, levels ");
    for (size_t i = 0; i < m->level_count; i++) {
        pp_put(v, i > 0 ? ", " : "");
        pp_put_number(v, (double)m->levels[i]);
    }
    pp_put_row_close(v);
    pp_put_row_open(v, "Requests of a level");
    pp_put_number(v, (double)m->measured_count);
    pp_put(v, " measured after ");
    pp_put_number(v, (double)m->warmup_count);
    pp_put(v, " of warm-up");
    pp_put_row_close(v);
    pp_put_row_open(v, "Answer");
    pp_put_number(v, (double)m->output_tokens);
    pp_put(v, " tokens");
    pp_put_row_close(v);
    pp_put_row_open(v, "Prompts");
    pp_put_count(v, m->prompt_count);
    pp_put(v, ", sent in turn");
    pp_put_row_close(v);
    pp_put_row_open(v, "Document, SHA-256");
    pp_put_hash(v, v->input->extras.load_sha256);
    pp_put_row_close(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put(v, "<details><summary>The prompts</summary>\n<ol>\n");
    for (size_t i = 0; i < m->prompt_count; i++) {
        pp_put(v, "<li>");
        pp_put_text(v, m->prompts[i].text);
        pp_put(v, " ");
        pp_put_hash(v, m->prompts[i].sha256);
        pp_put(v, "</li>\n");
    }
    pp_put(v, "</ol>\n</details>\n");
}

/* ---- the section ----------------------------------------------------------------------------- */

/* One sentence from the highest levels. */
static void put_takeaway(const pp_view *v, const pp_combined_load_evaluation *load)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;

    for (size_t i = 0; i < load->count; i++) {
        pp_maybe_int highest = load->candidates[i].highest_slo_concurrency;

        least = highest.known && highest.value < least ? highest.value : highest.known ? least : 0;
        most = highest.known && highest.value > most ? highest.value : most;
    }
    pp_put(v, "<p>");
    if (most == 0) {
        pp_put(v, "No candidate kept every limit at any number of clients.");
    } else if (least == most) {
        pp_put(v, "Every candidate keeps every limit with up to ");
        put_clients(v, most);
        pp_put(v, ".");
    } else {
        pp_put(v, "The candidates differ in how many clients they carry within every limit: from ");
        pp_put_number(v, (double)least);
        pp_put(v, " to ");
        pp_put_number(v, (double)most);
        pp_put(v, ".");
    }
    pp_put(v, " A closed loop says nothing about a given rate of arrivals.</p>\n");
}

static pp_status put_load(const pp_view *v, const pp_combined_load_evaluation *load, pp_error *err)
{
    pp_status st = PP_OK;

    if (load->candidates[0].synthetic)
        pp_put(v, "<p class=\"note\"><strong>These figures were not measured on a real "
                  "server.</strong></p>\n");
    put_takeaway(v, load);
    for (int i = 0; st == PP_OK && i < FIGURE_COUNT; i++)
        st = put_chart(v, load, (figure)i, err);
    put_highest(v, load);
    put_method(v, &load->candidates[0]);
    if (st == PP_OK)
        st = pp_load_put_commands(v, load, err);
    pp_load_put_figures(v, load);
    return st;
}

static void put_none(const pp_view *v)
{
    if (v->input->extras.bundle != NULL)
        pp_put_missing(v,
                       "The study measured no load: what happens with several clients at once is "
                       "not known. A plan with a load, or with a load plan, measures it.",
                       NULL);
    else
        pp_put_missing(v,
                       "No load evaluation was given: what happens with several clients at once is "
                       "not on this page.",
                       "paretopilot report SET --constraints C --load LOAD --output F.html");
}

pp_status pp_section_load(const pp_view *v, pp_error *err)
{
    const pp_combined_load_evaluation *load = v->input->extras.load;
    pp_status st = PP_OK;

    pp_put_step_open(v, "04", "load", "Behaviour under load");
    if (load != NULL && load->count > 0)
        st = put_load(v, load, err);
    else if (v->input->extras.load_document_count == 0)
        put_none(v);
    if (st == PP_OK)
        st = pp_load_put_endpoints(v, err);
    pp_put_section_close(v);
    return st;
}
