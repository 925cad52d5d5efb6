#include "gateway/metrics_parts.h"

static const double second_bounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                       2.5,   5,    10,    30,   60,  120,  300, 600};
static const double rate_bounds[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

#define SECONDS second_bounds, PP_COUNT_OF(second_bounds)
#define RATES   rate_bounds, PP_COUNT_OF(rate_bounds)

const pp_histogram_row pp_histogram_rows[PP_HISTOGRAM_COUNT] = {
    [PP_HISTOGRAM_DURATION] = {"paretopilot_request_duration_seconds",
                               "Arrival of a request to the last byte of its reply.", SECONDS},
    [PP_HISTOGRAM_QUEUE] = {"paretopilot_queue_wait_seconds",
                            "Time that a request waited for a back end.", SECONDS},
    [PP_HISTOGRAM_TTFT] = {"paretopilot_time_to_first_token_seconds",
                           "Arrival of a request to the first text of its answer.", SECONDS},
    [PP_HISTOGRAM_UPSTREAM_TTFT] = {"paretopilot_upstream_time_to_first_token_seconds",
                                    "Start of the attempt that answered to its first text.",
                                    SECONDS},
    [PP_HISTOGRAM_DECODE_RATE] = {"paretopilot_decode_tokens_per_second",
                                  "(Completion tokens - 1) / (last text - first text) of a stream; "
                                  "prefill is not in it.",
                                  RATES},
    [PP_HISTOGRAM_END_TO_END_RATE] = {"paretopilot_end_to_end_tokens_per_second",
                                      "Completion tokens / whole time of the request; queue and "
                                      "prefill are in it.",
                                      RATES},
};

const char *pp_metrics_endpoint_name(pp_metrics_endpoint endpoint)
{
    static const char *const names[PP_METRICS_ENDPOINT_COUNT] = {"chat",   "text",    "models",
                                                                 "health", "metrics", "other"};

    PP_ASSERT(endpoint < PP_METRICS_ENDPOINT_COUNT);
    return names[endpoint];
}

/* ---- set-up -------------------------------------------------------------------------------- */

/* As a label value: backslash, quote and line end are written as two characters. */
static const char *escape_label(pp_arena *arena, pp_text name)
{
    char *out = PP_ARENA_NEW(arena, char, 2 * name.size + 1);
    size_t size = 0;

    for (size_t i = 0; out != NULL && i < name.size; i++) {
        const char c = name.data[i];

        if (c == '\\' || c == '"' || c == '\n')
            out[size++] = '\\';
        out[size++] = c == '\n' ? 'n' : c;
    }
    return out;
}

static pp_status set_up(pp_metrics *m, const pp_text *models, const pp_text *backends,
                        pp_error *err)
{
    m->models = PP_ARENA_NEW(&m->arena, pp_model_counts, m->model_count + 1);
    m->backends = PP_ARENA_NEW(&m->arena, pp_backend_counts, m->backend_count);
    if (m->models == NULL || m->backends == NULL)
        return pp_arena_check(&m->arena, err);
    for (size_t i = 0; i < m->model_count; i++)
        m->models[i].label = escape_label(&m->arena, models[i]);
    m->models[m->model_count].label = "";
    for (size_t i = 0; i < m->backend_count; i++)
        m->backends[i].label = escape_label(&m->arena, backends[i]);
    return pp_arena_check(&m->arena, err);
}

pp_status pp_metrics_new(const pp_text *models, size_t model_count, const pp_text *backends,
                         size_t backend_count, pp_metrics **ret_metrics, pp_error *err)
{
    pp_arena arena = {0};
    pp_metrics *m = PP_ARENA_NEW(&arena, pp_metrics, 1);
    pp_status st;

    if (m == NULL)
        return pp_arena_check(&arena, err);
    m->model_count = model_count;
    m->backend_count = backend_count;
    pp_arena_join(&m->arena, &arena);
    st = set_up(m, models, backends, err);
    if (st != PP_OK)
        pp_metrics_free(m);
    else
        *ret_metrics = m;
    return st;
}

void pp_metrics_free(pp_metrics *metrics)
{
    pp_arena arena;

    if (metrics == NULL)
        return;
    arena = metrics->arena; /* it holds the metrics, too */
    pp_arena_done(&arena);
}

/* ---- counting ------------------------------------------------------------------------------ */

static pp_status_class class_of(int status)
{
    if (status == PP_STATUS_CLIENT_GONE)
        return PP_CLASS_GONE;
    if (status >= 500)
        return PP_CLASS_5XX;
    if (status >= 400)
        return PP_CLASS_4XX;
    return status >= 300 ? PP_CLASS_3XX : PP_CLASS_2XX;
}

static void observe(pp_histogram histograms[PP_HISTOGRAM_COUNT][2], pp_histogram_kind kind,
                    bool is_stream, double value)
{
    const pp_histogram_row *row = &pp_histogram_rows[kind];
    pp_histogram *h = &histograms[kind][is_stream];
    size_t at = 0;

    while (at < row->bound_count && value > row->bounds[at])
        at++;
    h->counts[at]++;
    h->sum += value;
}

static void tell(pp_told_counter *counter, pp_maybe_int value)
{
    if (!value.known || value.value < 0)
        return;
    counter->told = true;
    counter->value += (uint64_t)value.value;
}

pp_maybe_real pp_decode_tokens_per_second(pp_maybe_int completion_tokens, pp_maybe_int text_ns)
{
    if (!completion_tokens.known || completion_tokens.value < 2 || !text_ns.known ||
        text_ns.value <= 0)
        return (pp_maybe_real){0};
    return pp_known_real((double)(completion_tokens.value - 1) /
                         ((double)text_ns.value / PP_NS_PER_S));
}

pp_maybe_real pp_end_to_end_tokens_per_second(pp_maybe_int completion_tokens, int64_t total_ns)
{
    if (!completion_tokens.known || completion_tokens.value < 1 || total_ns <= 0)
        return (pp_maybe_real){0};
    return pp_known_real((double)completion_tokens.value / ((double)total_ns / PP_NS_PER_S));
}

static void observe_times(pp_model_counts *model, const pp_metrics_request *r)
{
    const struct {
        pp_histogram_kind kind;
        pp_maybe_int ns;
    } times[] = {
        {PP_HISTOGRAM_DURATION, pp_known_int(r->total_ns)},
        {PP_HISTOGRAM_QUEUE, r->queue_ns},
        {PP_HISTOGRAM_TTFT, r->ttft_ns},
        {PP_HISTOGRAM_UPSTREAM_TTFT, r->upstream_ttft_ns},
    };

    for (size_t i = 0; i < PP_COUNT_OF(times); i++)
        if (times[i].ns.known)
            observe(model->histograms, times[i].kind, r->is_stream,
                    (double)times[i].ns.value / PP_NS_PER_S);
}

/* Of whole answers only: half an answer's count of tokens is not its rate's. */
static void observe_rates(pp_model_counts *model, const pp_metrics_request *r)
{
    const pp_maybe_real decode = pp_decode_tokens_per_second(r->completion_tokens, r->text_ns);
    const pp_maybe_real whole = pp_end_to_end_tokens_per_second(r->completion_tokens, r->total_ns);

    if (r->failed || r->client_gone)
        return;
    if (decode.known)
        observe(model->histograms, PP_HISTOGRAM_DECODE_RATE, r->is_stream, decode.value);
    if (whole.known)
        observe(model->histograms, PP_HISTOGRAM_END_TO_END_RATE, r->is_stream, whole.value);
}

void pp_metrics_count(pp_metrics *metrics, const pp_metrics_request *request)
{
    const bool has_model = request->model_index < metrics->model_count;
    pp_model_counts *model =
        &metrics->models[has_model ? request->model_index : metrics->model_count];

    PP_ASSERT(request->endpoint < PP_METRICS_ENDPOINT_COUNT && request->problem < PP_PROBLEM_COUNT);
    model->requests[request->endpoint][request->is_stream][class_of(request->status)]++;
    model->failures[request->problem] += request->failed;
    model->client_gone += request->client_gone;
    tell(&model->prompt_tokens, request->prompt_tokens);
    tell(&model->completion_tokens, request->completion_tokens);
    tell(&model->cached_tokens, request->cached_tokens);
    if (has_model) {
        observe_times(model, request);
        observe_rates(model, request);
    }
    if (request->backend_index < metrics->backend_count) {
        tell(&metrics->backends[request->backend_index].drafted_tokens, request->drafted_tokens);
        tell(&metrics->backends[request->backend_index].accepted_tokens, request->accepted_tokens);
    }
}

void pp_metrics_attempt(pp_metrics *metrics, size_t backend_index, pp_metrics_outcome outcome,
                        bool is_retry)
{
    PP_ASSERT(backend_index < metrics->backend_count && outcome < PP_METRICS_OUTCOME_COUNT);
    metrics->backends[backend_index].attempts[outcome]++;
    metrics->backends[backend_index].retries += is_retry;
}
