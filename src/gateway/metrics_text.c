#include "gateway/metrics_parts.h"

#include "version.h"
#include "json/float_text.h"

static const char *const class_names[PP_CLASS_COUNT] = {"2xx", "3xx", "4xx", "5xx", "gone"};
static const char *const bool_names[] = {"false", "true"};

static void begin(pp_buf *out, const char *name, const char *type, const char *help)
{
    pp_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void end_with_count(pp_buf *out, uint64_t value)
{
    pp_buf_printf(out, " %llu\n", (unsigned long long)value);
}

static void append_real(pp_buf *out, double value)
{
    char text[PP_FLOAT_TEXT_MAX];

    pp_buf_append(out, text, pp_float_text(value, text));
}

/* ---- requests ------------------------------------------------------------------------------ */

static void write_requests(const pp_model_counts *model, pp_buf *out)
{
    for (int e = 0; e < PP_METRICS_ENDPOINT_COUNT; e++)
        for (int s = 0; s < 2; s++)
            for (int c = 0; c < PP_CLASS_COUNT; c++) {
                if (model->requests[e][s][c] == 0)
                    continue;
                pp_buf_printf(out,
                              "paretopilot_requests_total{endpoint=\"%s\",model=\"%s\","
                              "stream=\"%s\",code=\"%s\"}",
                              pp_metrics_endpoint_name((pp_metrics_endpoint)e), model->label,
                              bool_names[s], class_names[c]);
                end_with_count(out, model->requests[e][s][c]);
            }
}

static void write_failures(const pp_model_counts *model, pp_buf *out)
{
    for (int p = 0; p < PP_PROBLEM_COUNT; p++) {
        if (model->failures[p] == 0)
            continue;
        pp_buf_printf(out, "paretopilot_failures_total{model=\"%s\",reason=\"%s\"}", model->label,
                      pp_problem_code((pp_problem)p));
        end_with_count(out, model->failures[p]);
    }
}

static void write_of_requests(const pp_metrics *m, pp_buf *out)
{
    begin(out, "paretopilot_requests_total", "counter",
          "Requests that are over, by the class of the status sent; gone: the client left before "
          "one was.");
    for (size_t i = 0; i <= m->model_count; i++)
        write_requests(&m->models[i], out);
    begin(out, "paretopilot_failures_total", "counter",
          "Requests that the gateway answered with an error of its own, or could not answer to "
          "their end.");
    for (size_t i = 0; i <= m->model_count; i++)
        write_failures(&m->models[i], out);
    begin(out, "paretopilot_client_gone_total", "counter",
          "Requests whose client left before the reply had ended.");
    for (size_t i = 0; i < m->model_count; i++) {
        pp_buf_printf(out, "paretopilot_client_gone_total{model=\"%s\"}", m->models[i].label);
        end_with_count(out, m->models[i].client_gone);
    }
}

/* ---- tokens -------------------------------------------------------------------------------- */

static void write_told(const char *name, const char *label_name, const char *label,
                       const pp_told_counter *counter, pp_buf *out)
{
    if (!counter->told)
        return;
    pp_buf_printf(out, "%s{%s=\"%s\"}", name, label_name, label);
    end_with_count(out, counter->value);
}

#define WRITE_TOLD_OF_MODELS(member, help)                                                         \
    do {                                                                                           \
        begin(out, "paretopilot_" #member "_total", "counter", help);                              \
        for (size_t i = 0; i < m->model_count; i++)                                                \
            write_told("paretopilot_" #member "_total", "model", m->models[i].label,               \
                       &m->models[i].member, out);                                                 \
    } while (0)

#define WRITE_TOLD_OF_BACKENDS(member, help)                                                       \
    do {                                                                                           \
        begin(out, "paretopilot_" #member "_total", "counter", help);                              \
        for (size_t i = 0; i < m->backend_count; i++)                                              \
            write_told("paretopilot_" #member "_total", "backend", m->backends[i].label,           \
                       &m->backends[i].member, out);                                               \
    } while (0)

static void write_tokens(const pp_metrics *m, pp_buf *out)
{
    WRITE_TOLD_OF_MODELS(prompt_tokens, "Tokens of prompts, as back ends told them.");
    WRITE_TOLD_OF_MODELS(completion_tokens, "Tokens of answers, as back ends told them.");
    WRITE_TOLD_OF_MODELS(cached_tokens, "Tokens of prompts that were in a back end's cache.");
    WRITE_TOLD_OF_BACKENDS(drafted_tokens,
                           "Tokens that speculation proposed; absent until it was seen to run.");
    WRITE_TOLD_OF_BACKENDS(
        accepted_tokens, "Proposed tokens that were accepted; absent until speculation was seen.");
}

/* ---- histograms ---------------------------------------------------------------------------- */

static void write_bucket(const pp_histogram_row *row, const char *labels, const double *bound,
                         uint64_t count, pp_buf *out)
{
    pp_buf_printf(out, "%s_bucket{%s,le=\"", row->name, labels);
    if (bound == NULL)
        pp_buf_append_text(out, "+Inf");
    else
        append_real(out, *bound);
    pp_buf_append_text(out, "\"}");
    end_with_count(out, count);
}

static void write_histogram(const pp_histogram_row *row, const pp_histogram *h, const char *labels,
                            pp_buf *out)
{
    uint64_t count = 0;

    for (size_t i = 0; i < row->bound_count; i++) {
        count += h->counts[i];
        write_bucket(row, labels, &row->bounds[i], count, out);
    }
    count += h->counts[row->bound_count];
    write_bucket(row, labels, NULL, count, out);
    pp_buf_printf(out, "%s_sum{%s} ", row->name, labels);
    append_real(out, h->sum);
    pp_buf_printf(out, "\n%s_count{%s}", row->name, labels);
    end_with_count(out, count);
}

static bool is_empty(const pp_histogram *h)
{
    for (size_t i = 0; i <= PP_METRICS_BOUND_MAX; i++)
        if (h->counts[i] != 0)
            return false;
    return true;
}

static void write_histograms(const pp_metrics *m, pp_buf *out, pp_buf *labels)
{
    for (int k = 0; k < PP_HISTOGRAM_COUNT; k++) {
        const pp_histogram_row *row = &pp_histogram_rows[k];

        begin(out, row->name, "histogram", row->help);
        for (size_t i = 0; i < m->model_count; i++)
            for (int s = 0; s < 2; s++) {
                if (is_empty(&m->models[i].histograms[k][s]))
                    continue;
                pp_buf_clear(labels);
                pp_buf_printf(labels, "model=\"%s\",stream=\"%s\"", m->models[i].label,
                              bool_names[s]);
                write_histogram(row, &m->models[i].histograms[k][s], pp_buf_text(labels), out);
            }
    }
}

/* ---- back ends ----------------------------------------------------------------------------- */

static void write_attempts(const pp_metrics *m, pp_buf *out)
{
    static const char *const names[PP_METRICS_OUTCOME_COUNT] = {"answered", "failed", "called_off"};

    begin(out, "paretopilot_upstream_attempts_total", "counter",
          "Attempts on a back end that are over.");
    for (size_t i = 0; i < m->backend_count; i++)
        for (int o = 0; o < PP_METRICS_OUTCOME_COUNT; o++) {
            pp_buf_printf(out, "paretopilot_upstream_attempts_total{backend=\"%s\",outcome=\"%s\"}",
                          m->backends[i].label, names[o]);
            end_with_count(out, m->backends[i].attempts[o]);
        }
    begin(out, "paretopilot_retries_total", "counter",
          "Attempts on a back end after another one had failed.");
    for (size_t i = 0; i < m->backend_count; i++) {
        pp_buf_printf(out, "paretopilot_retries_total{backend=\"%s\"}", m->backends[i].label);
        end_with_count(out, m->backends[i].retries);
    }
}

static void write_breakers(const pp_metrics *m, const pp_metrics_now *now, pp_buf *out)
{
    begin(out, "paretopilot_breaker_state", "gauge",
          "1 for the state in which the breaker of a back end is.");
    for (size_t i = 0; i < m->backend_count; i++)
        for (int s = PP_BREAKER_CLOSED; s <= PP_BREAKER_OPEN; s++)
            pp_buf_printf(out, "paretopilot_breaker_state{backend=\"%s\",state=\"%s\"} %d\n",
                          m->backends[i].label, pp_breaker_state_name((pp_breaker_state)s),
                          now->backends[i].breaker == (pp_breaker_state)s);
}

typedef enum backend_figure { READY, IN_FLIGHT, SLOTS, OPENED, RESTARTS, FIGURE_COUNT } figure;

static const struct {
    const char *name, *type, *help;
} figures[FIGURE_COUNT] = {
    {"paretopilot_backend_ready", "gauge", "1 when the back end runs and has loaded its model."},
    {"paretopilot_backend_in_flight", "gauge", "Requests that the back end works on."},
    {"paretopilot_backend_slots", "gauge", "Requests that the back end may work on at once."},
    {"paretopilot_breaker_opened_total", "counter", "How often the breaker opened."},
    {"paretopilot_backend_restarts_total", "counter", "How often the back end was started again."},
};

static uint64_t figure_of(const pp_metrics_backend_now *b, figure which)
{
    switch (which) {
    case READY:
        return b->is_ready;
    case IN_FLIGHT:
        return (uint64_t)b->in_flight;
    case SLOTS:
        return (uint64_t)b->slots;
    case OPENED:
        return b->breaker_opened_count;
    case RESTARTS:
    case FIGURE_COUNT:
        break;
    }
    return b->restart_count;
}

static void write_backends(const pp_metrics *m, const pp_metrics_now *now, pp_buf *out)
{
    for (int f = 0; f < FIGURE_COUNT; f++) {
        begin(out, figures[f].name, figures[f].type, figures[f].help);
        for (size_t i = 0; i < m->backend_count; i++) {
            pp_buf_printf(out, "%s{backend=\"%s\"}", figures[f].name, m->backends[i].label);
            end_with_count(out, figure_of(&now->backends[i], (figure)f));
        }
    }
}

/* ---- the gateway --------------------------------------------------------------------------- */

static void write_gateway(const pp_metrics *m, const pp_metrics_now *now, pp_buf *out)
{
    begin(out, "paretopilot_queue_depth", "gauge", "Requests that wait for a back end.");
    for (size_t i = 0; i < m->model_count; i++)
        pp_buf_printf(out, "paretopilot_queue_depth{model=\"%s\"} %lld\n", m->models[i].label,
                      (long long)now->queue_depths[i]);
    begin(out, "paretopilot_connections", "gauge", "Connections of clients.");
    pp_buf_printf(out, "paretopilot_connections %lld\n", (long long)now->connections);
    begin(out, "paretopilot_access_log_dropped_total", "counter",
          "Lines that the access log had no room for.");
    pp_buf_append_text(out, "paretopilot_access_log_dropped_total");
    end_with_count(out, now->log_dropped_count);
    begin(out, "paretopilot_build_info", "gauge", "1; the version is its label.");
    pp_buf_append_text(out, "paretopilot_build_info{version=\"" PP_VERSION "\"} 1\n");
}

void pp_metrics_write(const pp_metrics *metrics, const pp_metrics_now *now, pp_buf *out)
{
    pp_buf labels;

    pp_buf_init(&labels, PP_METRICS_MAX_BYTES);
    write_of_requests(metrics, out);
    write_tokens(metrics, out);
    write_histograms(metrics, out, &labels);
    write_attempts(metrics, out);
    write_breakers(metrics, now, out);
    write_backends(metrics, now, out);
    write_gateway(metrics, now, out);
    if (labels.status != PP_OK) /* a text without its labels is none */
        out->status = labels.status;
    pp_buf_done(&labels);
}
