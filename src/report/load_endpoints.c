/* Loads of endpoints: reports of `load`, which name a server and no candidate. */
#include <stdlib.h>

#include "report/chart_lines.h"
#include "report/load_parts.h"

/* ---- figures of a level, as the report has them ---------------------------------------------- */

static const pp_json *at(const pp_json *object, const char *const *keys)
{
    for (size_t i = 0; object != NULL && keys[i] != NULL; i++)
        object = pp_lookup_object(object, keys[i]);
    return object;
}

static pp_maybe_real rate_of(const pp_json *level, const char *key)
{
    static const char *const place[] = {"throughput", "whole", NULL};
    double value;

    return pp_lookup_number(at(level, place), key, &value) ? pp_known_real(value)
                                                           : (pp_maybe_real){0};
}

static bool is_true(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind == PP_JSON_BOOL && value->boolean;
}

static bool is_valid(const pp_json *level)
{
    return is_true(level, "valid");
}

/* The p95 of a measure, failures counted as endless; NULL when the report has another percentile.
 */
static const pp_json *find_p95(const pp_json *level, const char *measure)
{
    const char *const place[] = {"times", measure, "from_due", "with_failures", NULL};
    const pp_json *list = pp_lookup_array(at(level, place), "percentiles");
    double percent;

    for (size_t i = 0; i < pp_lookup_count(list); i++) {
        const pp_json *item = list->array.items[i];

        if (pp_lookup_number(item, "percent", &percent) && percent == 95.0)
            return item;
    }
    return NULL;
}

static void put_p95_cell(const pp_view *v, const pp_json *level, const char *measure)
{
    const pp_json *item = find_p95(level, measure);
    double value;

    pp_put(v, "<td class=\"num\">");
    if (item == NULL) {
        pp_put(v, "<span class=\"absent\">not in the report</span>");
    } else if (is_true(item, "is_failed")) {
        pp_put(v, "<span class=\"absent\">a failed request</span>");
    } else if (pp_lookup_number(item, "value_ms", &value)) {
        pp_put_number(v, value);
        pp_put(v, " ms");
    } else {
        pp_put(v, "<span class=\"absent\">not measured</span>");
    }
    pp_put(v, "</td>");
}

/* ---- charts ---------------------------------------------------------------------------------- */

typedef pp_maybe_real figure_function(const pp_json *level);

static pp_maybe_real requests_of(const pp_json *level)
{
    return rate_of(level, "requests_per_second");
}

static pp_maybe_real tokens_of(const pp_json *level)
{
    return rate_of(level, "generated_tokens_per_second");
}

static pp_maybe_real e2e_of(const pp_json *level)
{
    const pp_json *item = find_p95(level, "e2e");
    double value;

    return item != NULL && pp_lookup_number(item, "value_ms", &value) ? pp_known_real(value)
                                                                      : (pp_maybe_real){0};
}

static int by_clients(const void *left, const void *right)
{
    const pp_line_point *a = left;
    const pp_line_point *b = right;

    return (a->x > b->x) - (a->x < b->x);
}

/* Valid levels in closed loop; the others stand in the table. */
static pp_line line_of(const pp_view *v, const pp_load_document *d, figure_function *figure)
{
    const pp_json *levels = pp_lookup_array(d->root, "levels");
    pp_line_point *points = PP_ARENA_NEW(v->arena, pp_line_point, pp_lookup_count(levels));
    pp_line line = {.name = d->name, .points = points};
    double clients;

    for (size_t i = 0; points != NULL && i < pp_lookup_count(levels); i++) {
        const pp_json *level = levels->array.items[i];

        if (pp_lookup_number(pp_lookup_object(level, "asked"), "clients", &clients) &&
            is_valid(level))
            points[line.point_count++] = (pp_line_point){clients, figure(level)};
    }
    if (line.point_count > 1)
        qsort(points, line.point_count, sizeof *points, by_clients);
    return line;
}

static pp_status put_charts(const pp_view *v, const pp_report_extras *extras, pp_error *err)
{
    static const struct {
        const char *id, *title, *unit;
        figure_function *figure;
    } rows[] = {
        {"endpoint-requests", "Load reports: requests per second", " req/s", requests_of},
        {"endpoint-tokens", "Load reports: generated tokens per second", " tok/s", tokens_of},
        {"endpoint-e2e", "Load reports: end-to-end latency p95, ms", " ms", e2e_of},
    };
    pp_line *lines = PP_ARENA_NEW(v->arena, pp_line, extras->load_document_count);
    pp_status st = pp_arena_check(v->arena, err);

    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(rows); i++) {
        pp_lines chart = {.id = rows[i].id,
                          .title = rows[i].title,
                          .unit = rows[i].unit,
                          .x_title = "Simultaneous clients",
                          .lines = lines,
                          .line_count = extras->load_document_count};

        for (size_t j = 0; j < chart.line_count; j++)
            lines[j] = line_of(v, &extras->load_documents[j], rows[i].figure);
        st = pp_chart_lines(v, &chart, err);
    }
    return st;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void put_load_cell(const pp_view *v, const pp_json *asked)
{
    double value;

    pp_put(v, "<td>");
    if (pp_lookup_number(asked, "clients", &value)) {
        pp_put_number(v, value);
        pp_put(v, value == 1.0 ? " client" : " clients");
    } else if (pp_lookup_number(asked, "rate_per_second", &value)) {
        pp_put_number(v, value);
        pp_put(v, " arrivals/s");
    } else {
        pp_put(v, "recorded arrivals");
    }
    pp_put(v, "</td>");
}

static void put_count_cell(const pp_view *v, const pp_json *counts, const char *key)
{
    double value;

    pp_put_real_cell(
        v, pp_lookup_number(counts, key, &value) ? pp_known_real(value) : (pp_maybe_real){0}, "");
}

/* Whether to believe it, and what its demands say. */
static void put_verdict_cell(const pp_view *v, const pp_json *level)
{
    const pp_json *doubts = pp_lookup_array(level, "doubts");
    pp_text verdict;

    pp_put(v, "<td class=\"words\">");
    if (!is_valid(level))
        pp_put(v, "<strong>not valid</strong>");
    else if (pp_lookup_text(level, "verdict", &verdict))
        pp_put_text(v, verdict);
    else
        pp_put(v, "no demands");
    for (size_t i = 0; i < pp_lookup_count(doubts); i++) {
        if (doubts->array.items[i]->kind != PP_JSON_STRING)
            continue;
        pp_put(v, i == 0 ? ": " : ", ");
        pp_put_text(v, doubts->array.items[i]->text);
    }
    pp_put(v, "</td>");
}

static void put_level(const pp_view *v, const pp_load_document *d, const pp_json *level)
{
    const pp_json *counts = pp_lookup_object(level, "counts");

    pp_put(v, is_valid(level) ? "<tr>" : "<tr class=\"disturbed\">");
    pp_put(v, "<th scope=\"row\"><bdi>");
    pp_put_text(v, d->name);
    pp_put(v, "</bdi></th>");
    put_load_cell(v, pp_lookup_object(level, "asked"));
    put_count_cell(v, counts, "issued");
    put_count_cell(v, counts, "failed");
    pp_put_real_cell(v, requests_of(level), " req/s");
    pp_put_real_cell(v, tokens_of(level), " tok/s");
    put_p95_cell(v, level, "ttft");
    put_p95_cell(v, level, "e2e");
    put_verdict_cell(v, level);
    pp_put(v, "</tr>\n");
}

static void put_levels(const pp_view *v, const pp_report_extras *extras)
{
    static const char *const columns[] = {"Requests", "Failed",           "Requests/s",
                                          "Tokens/s", "First token, p95", "End to end, p95"};

    pp_put_table_open(v, "Every level of every load report", "wide many");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, v->input->extras.bundle != NULL ? "Candidate" : "Endpoint", false);
    pp_put_column(v, "Load", false);
    for (size_t i = 0; i < PP_COUNT_OF(columns); i++)
        pp_put_column(v, columns[i], true);
    pp_put_column(v, "Verdict", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < extras->load_document_count; i++) {
        const pp_json *levels = pp_lookup_array(extras->load_documents[i].root, "levels");

        for (size_t j = 0; j < pp_lookup_count(levels); j++)
            put_level(v, &extras->load_documents[i], levels->array.items[j]);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

static void put_sources(const pp_view *v, const pp_report_extras *extras)
{
    pp_put_table_open(v, "Origin and digest of each load report", "facts-table");
    pp_put(v, "<tbody>\n");
    for (size_t i = 0; i < extras->load_document_count; i++) {
        pp_text origin;

        pp_put(v, "<tr><th scope=\"row\"><bdi>");
        pp_put_text(v, extras->load_documents[i].name);
        pp_put(v, "</bdi></th><td>");
        if (pp_lookup_text(pp_lookup_object(extras->load_documents[i].root, "run"), "origin",
                           &origin))
            pp_put_text(v, origin);
        pp_put(v, ", SHA-256 ");
        pp_put_hash(v, extras->load_documents[i].sha256);
        pp_put_row_close(v);
    }
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
}

/* In a bundle the study itself started or asked the server of each candidate. */
static void put_introduction(const pp_view *v)
{
    if (v->input->extras.bundle != NULL)
        pp_put(v, "<h3>Loads of the candidates</h3>\n<p>The study loaded each candidate once, by "
                  "the steps of its plan.");
    else
        pp_put(v, "<h3>Loads of endpoints</h3>\n<p>A load report names a server, not a candidate: "
                  "nothing here shows which configuration answered.");
    pp_put(v, " Drawn are valid levels in closed loop; rates count over the whole level, latency "
              "from the instant due, failed requests as endless ones.</p>\n");
}

pp_status pp_load_put_endpoints(const pp_view *v, pp_error *err)
{
    const pp_report_extras *extras = &v->input->extras;
    pp_status st;

    if (extras->load_document_count == 0)
        return PP_OK;
    put_introduction(v);
    st = put_charts(v, extras, err);
    put_levels(v, extras);
    put_sources(v, extras);
    pp_put(v, "<p class=\"fine\">Figures are those of the reports. Their samples stand in files of "
              "their own; <code>paretopilot validate REPORT --load-samples SAMPLES</code> makes "
              "every figure again.</p>\n");
    return st;
}
