/* What is told of a request when it is over: figures, and a line of the log. */
#include "gateway/parts.h"

#include <string.h>

#include "base/clock.h"

/* What the back end told, at our side of the connection. */
typedef struct figures {
    pp_maybe_int queue_ns, ttft_ns, upstream_ttft_ns, text_ns;
    pp_maybe_int prompt_tokens, completion_tokens, cached_tokens;
    pp_maybe_int drafted_tokens, accepted_tokens;
} figures;

static void take_times(const pp_exchange *x, const pp_tee_facts *facts, figures *out)
{
    if (facts->first_text_ns == 0)
        return;
    out->ttft_ns = pp_known_int(facts->first_text_ns - x->arrived_ns);
    out->upstream_ttft_ns = pp_known_int(facts->first_text_ns - x->record.started_ns);
    if (facts->last_text_ns > facts->first_text_ns)
        out->text_ns = pp_known_int(facts->last_text_ns - facts->first_text_ns);
}

static void take_counts(const pp_reply_counts *counts, figures *out)
{
    out->prompt_tokens = pp_reply_prompt_tokens(counts);
    out->cached_tokens = pp_reply_cached_tokens(counts);
    out->completion_tokens = counts->usage_completion_tokens.known ? counts->usage_completion_tokens
                                                                   : counts->predicted_n;
    out->drafted_tokens = counts->draft_n;
    out->accepted_tokens = counts->draft_n_accepted;
}

static figures figures_of(const pp_exchange *x)
{
    const pp_tee_facts *facts = x->tee == NULL ? NULL : pp_tee_facts_of(x->tee);
    figures out = {0};

    if (x->asked_ns != 0 || x->queued_ns != 0)
        out.queue_ns = pp_known_int(x->wait_ns);
    if (facts == NULL)
        return out;
    take_times(x, facts, &out);
    take_counts(&facts->counts, &out);
    return out;
}

static bool has_answer_of_backend(const pp_exchange *x)
{
    return x->attempt_count > 0 && x->relayed;
}

static int status_of(const pp_exchange *x)
{
    return x->status != 0 ? x->status : PP_STATUS_CLIENT_GONE;
}

static void count(pp_exchange *x, const figures *f, int64_t total_ns)
{
    const pp_metrics_request request = {
        .endpoint = x->metrics_endpoint,
        .model_index = x->route.found ? x->route.model_index : PP_METRICS_NONE,
        .backend_index = has_answer_of_backend(x) ? x->attempt.backend : PP_METRICS_NONE,
        .is_stream = x->ask.stream,
        .status = status_of(x),
        .client_gone = x->client_gone,
        .failed = x->has_problem,
        .problem = x->problem,
        .total_ns = total_ns,
        .queue_ns = f->queue_ns,
        .ttft_ns = f->ttft_ns,
        .upstream_ttft_ns = f->upstream_ttft_ns,
        .text_ns = x->attempt.is_stream ? f->text_ns : (pp_maybe_int){0},
        .prompt_tokens = f->prompt_tokens,
        .completion_tokens = f->completion_tokens,
        .cached_tokens = f->cached_tokens,
        .drafted_tokens = f->drafted_tokens,
        .accepted_tokens = f->accepted_tokens};

    pp_metrics_count(x->gateway->metrics, &request);
}

static void log_line(pp_exchange *x, const figures *f, int64_t ended_ns)
{
    const pp_serve_config *c = x->gateway->config;
    const pp_http_request_view *r = x->request;
    int64_t total_ns = ended_ns - x->arrived_ns;
    pp_access_entry entry = {.unix_ms = pp_clock_unix_ms() - total_ns / PP_NS_PER_MS,
                             .request_id = pp_text_of(x->id),
                             .key_name = x->key_name,
                             .fingerprint = pp_text_of(x->key_fingerprint),
                             .address = x->address,
                             .method = r->method,
                             .path = r->path,
                             .attempt_count = x->attempt_count,
                             .is_stream = x->ask.stream,
                             .status = status_of(x),
                             .code = x->has_problem ? pp_problem_code(x->problem) : NULL,
                             .total_ns = total_ns,
                             .queue_ns = f->queue_ns,
                             .ttft_ns = f->ttft_ns,
                             .text_ns = f->text_ns,
                             .prompt_tokens = f->prompt_tokens,
                             .completion_tokens = f->completion_tokens,
                             .cached_tokens = f->cached_tokens,
                             .drafted_tokens = f->drafted_tokens,
                             .accepted_tokens = f->accepted_tokens,
                             .usage_is_partial =
                                 x->attempt_count > 0 && (x->client_gone || x->has_problem),
                             .bytes_in = r->body.size,
                             .bytes_out = x->sent_bytes,
                             .route = pp_text_of(x->trace),
                             .client_gone = x->client_gone};

    if (x->route.found)
        entry.model = c->models[x->route.model_index].name;
    if (has_answer_of_backend(x))
        entry.backend = c->backends[x->attempt.backend].id;
    pp_access_log_add(x->gateway->options.log, &entry, ended_ns);
}

/* Nothing but drafted tokens in an answer shows that speculation runs (E21). */
static void note_speculation(pp_exchange *x, const figures *f)
{
    if (x->attempt_count > 0 && f->drafted_tokens.known && f->drafted_tokens.value > 0)
        x->gateway->backends[x->attempt.backend].speculation_seen = true;
}

void pp_exchange_account(pp_exchange *x, int64_t ended_ns)
{
    figures f = figures_of(x);

    x->gateway->totals.client_gone += x->client_gone;
    note_speculation(x, &f);
    count(x, &f, ended_ns - x->arrived_ns);
    if (x->gateway->options.log != NULL)
        log_line(x, &f, ended_ns);
}

pp_status pp_gateway_make_metrics(pp_gateway *g, pp_error *err)
{
    const pp_serve_config *c = g->config;
    pp_text *models = PP_ARENA_NEW(&g->arena, pp_text, c->model_count);
    pp_text *backends = PP_ARENA_NEW(&g->arena, pp_text, c->backend_count);

    if (models == NULL || backends == NULL)
        return pp_arena_check(&g->arena, err);
    for (size_t i = 0; i < c->model_count; i++)
        models[i] = c->models[i].name;
    for (size_t i = 0; i < c->backend_count; i++)
        backends[i] = c->backends[i].id;
    return pp_metrics_new(models, c->model_count, backends, c->backend_count, &g->metrics, err);
}

static void reopen_log(pp_gateway *g)
{
    sig_atomic_t asked = g->options.reopen_log == NULL ? 0 : *g->options.reopen_log;

    if (asked == g->reopened)
        return;
    g->reopened = asked;
    pp_ignore(pp_access_log_reopen(g->options.log, NULL)); /* the old one stays; lines are kept */
}

void pp_gateway_flush_log(pp_gateway *g, int64_t now_ns)
{
    reopen_log(g);
    pp_access_log_tick(g->options.log, now_ns, pp_clock_unix_ms());
}
