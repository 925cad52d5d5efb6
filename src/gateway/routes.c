/* Which path does what, and the answers that need no model. They never wait in line (G29). */
#include "gateway/parts.h"

#include <string.h>

#include "base/ip_address.h"
#include "json/json.h"

#define JSON_TYPE "application/json; charset=utf-8"

typedef struct route {
    const char *path;
    const char *methods; /* as the header Allow names them */
    pp_metrics_endpoint endpoint;
    bool is_open;    /* no key is needed */
    bool is_relayed; /* goes to a back end */
    pp_endpoint asks;
    void (*act)(pp_exchange *x);
} route;

/* ---- documents ------------------------------------------------------------------------------- */

static void reply_json(pp_exchange *x, int status, const pp_json *root)
{
    const pp_problem_report no_memory = {.problem = PP_PROBLEM_MEMORY};
    pp_buf *out = &x->gateway->out;

    pp_buf_clear(out);
    if (pp_json_write(root, PP_JSON_COMPACT, out, NULL) != PP_OK)
        pp_reply_problem(x, &no_memory);
    else
        pp_reply_own(x, status, JSON_TYPE,
                     (pp_bytes){(const unsigned char *)pp_buf_text(out), out->size}, NULL, 0);
}

static void show_models(pp_exchange *x)
{
    const pp_gateway *g = x->gateway;
    pp_arena *arena = &x->arena;
    pp_json *root = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < g->config->model_count; i++) {
        pp_json *model = pp_json_new_object(arena);

        pp_json_set_text(arena, model, "id", g->config->models[i].name);
        pp_json_set_string(arena, model, "object", "model");
        pp_json_set_int(arena, model, "created", g->started_unix_s);
        pp_json_set_string(arena, model, "owned_by", "paretopilot");
        pp_json_add(arena, list, model);
    }
    pp_json_set_string(arena, root, "object", "list");
    pp_json_set(arena, root, "data", list);
    reply_json(x, 200, root);
}

/* Asked for, it is either seen in an answer or not; a server's own word for it is worth nothing
 * (E21, G38). */
static const char *speculation_word(const pp_backend *b)
{
    if (b->speculation_seen)
        return "observed";
    return b->speculation_asked ? "not observed" : NULL;
}

static pp_json *backend_health(pp_exchange *x, const pp_backend *b)
{
    pp_arena *arena = &x->arena;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_text(arena, out, "id", b->row->id);
    pp_json_set_string(arena, out, "state", pp_backend_state_name(b->state));
    pp_json_set_string(arena, out, "breaker",
                       pp_breaker_state_name(pp_breaker_state_of(&b->breaker, x->arrived_ns)));
    pp_json_set_int(arena, out, "in_flight", b->in_flight);
    pp_json_set_int(arena, out, "in_flight_max", b->in_flight_max);
    pp_json_set_int(arena, out, "restarts", (int64_t)b->restarts);
    pp_json_set_string(arena, out, "speculation", speculation_word(b));
    return out;
}

static pp_json *model_health(pp_exchange *x, size_t index, bool is_ready)
{
    const pp_gateway *g = x->gateway;
    const pp_serve_model *model = &g->config->models[index];
    pp_arena *arena = &x->arena;
    pp_json *out = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < model->backend_count; i++)
        pp_json_add(arena, list, backend_health(x, &g->backends[model->backend_indices[i]]));
    pp_json_set_text(arena, out, "name", model->name);
    pp_json_set_bool(arena, out, "ready", is_ready);
    pp_json_set_int(arena, out, "waiting", (int64_t)g->queues[index].count);
    pp_json_set(arena, out, "backends", list);
    return out;
}

/* 200 as long as some model can answer: a balancer should not take the whole machine out because
 * one of its models is down. */
static void show_health(pp_exchange *x)
{
    const pp_gateway *g = x->gateway;
    pp_arena *arena = &x->arena;
    pp_json *root = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);
    const char *word = "unavailable";

    for (size_t i = 0; i < g->config->model_count; i++) {
        bool ready = pp_backend_any_usable(&g->config->models[i], g->backends, x->arrived_ns);

        if (ready)
            word = "ok";
        pp_json_add(arena, list, model_health(x, i, ready));
    }
    if (g->draining)
        word = "draining";
    pp_json_set_string(arena, root, "status", word);
    pp_json_set(arena, root, "models", list);
    reply_json(x, strcmp(word, "ok") == 0 ? 200 : 503, root);
}

static void tell_now(pp_exchange *x, pp_metrics_now *now)
{
    const pp_gateway *g = x->gateway;
    pp_metrics_backend_now *backends =
        PP_ARENA_NEW(&x->arena, pp_metrics_backend_now, g->config->backend_count);
    int64_t *depths = PP_ARENA_NEW(&x->arena, int64_t, g->config->model_count);

    for (size_t i = 0; backends != NULL && i < g->config->backend_count; i++) {
        const pp_backend *b = &g->backends[i];

        backends[i] =
            (pp_metrics_backend_now){.is_ready = b->state == PP_BACKEND_READY,
                                     .in_flight = b->in_flight,
                                     .slots = b->in_flight_max,
                                     .breaker = pp_breaker_state_of(&b->breaker, x->arrived_ns),
                                     .breaker_opened_count = b->breaker.opened_count,
                                     .restart_count = b->restarts};
    }
    for (size_t i = 0; depths != NULL && i < g->config->model_count; i++)
        depths[i] = (int64_t)g->queues[i].count;
    now->backends = backends;
    now->queue_depths = depths;
    now->connections = (int64_t)pp_http_server_counts_of(g->server).open;
    now->log_dropped_count = pp_access_log_dropped_count(g->options.log);
}

static void show_metrics(pp_exchange *x)
{
    const pp_problem_report no_memory = {.problem = PP_PROBLEM_MEMORY};
    pp_buf *out = &x->gateway->out;
    pp_metrics_now now = {0};

    pp_buf_clear(out);
    tell_now(x, &now);
    if (!x->arena.failed)
        pp_metrics_write(x->gateway->metrics, &now, out);
    if (x->arena.failed || out->status != PP_OK)
        pp_reply_problem(x, &no_memory);
    else
        pp_reply_own(x, 200, PP_METRICS_CONTENT_TYPE,
                     (pp_bytes){(const unsigned char *)pp_buf_text(out), out->size}, NULL, 0);
}

/* ---- which path ------------------------------------------------------------------------------ */

static const route routes[] = {
    {"/v1/chat/completions", "POST", PP_METRICS_CHAT, false, true, PP_ENDPOINT_CHAT,
     pp_exchange_admit},
    {"/v1/completions", "POST", PP_METRICS_TEXT, false, true, PP_ENDPOINT_TEXT, pp_exchange_admit},
    {"/v1/models", "GET, HEAD", PP_METRICS_MODELS, false, false, PP_ENDPOINT_CHAT, show_models},
    {"/health", "GET, HEAD", PP_METRICS_HEALTH, true, false, PP_ENDPOINT_CHAT, show_health},
    {"/metrics", "GET, HEAD", PP_METRICS_METRICS, false, false, PP_ENDPOINT_CHAT, show_metrics},
};

static const route *find_route(pp_text path)
{
    for (size_t i = 0; i < PP_COUNT_OF(routes); i++)
        if (pp_text_is(path, routes[i].path))
            return &routes[i];
    return NULL;
}

static bool takes(const route *r, pp_text method)
{
    return pp_text_is(method, r->is_relayed ? "POST" : "GET") ||
           (!r->is_relayed && pp_text_is(method, "HEAD"));
}

static void add_allow(pp_exchange *x, const char *methods)
{
    x->own_headers[x->own_header_count++] =
        (pp_http_header){pp_text_of("Allow"), pp_text_of(methods)};
}

static void answer_options(pp_exchange *x, const route *r)
{
    const pp_cors cors = {x->gateway->config->cors_origins, x->gateway->config->cors_origin_count};
    const pp_problem_report no_memory = {.problem = PP_PROBLEM_MEMORY};
    pp_cors_reply reply = {0};

    if (pp_cors_is_preflight(x->request)) {
        x->own_header_count = 1; /* the id; what follows stands for those of an ordinary reply */
        if (pp_cors_preflight(&x->arena, &cors, x->request->headers, x->request->header_count,
                              &reply, NULL) != PP_OK) {
            pp_reply_problem(x, &no_memory);
            return;
        }
        memcpy(x->own_headers + x->own_header_count, reply.headers,
               reply.count * sizeof *reply.headers);
        x->own_header_count += reply.count;
    } else {
        add_allow(x, r == NULL       ? "GET, HEAD, POST, OPTIONS"
                     : r->is_relayed ? "POST, OPTIONS"
                                     : "GET, HEAD, OPTIONS");
    }
    pp_reply_own(x, 204, NULL, (pp_bytes){(const unsigned char *)"", 0}, NULL, 0);
}

static void add_cors(pp_exchange *x)
{
    const pp_cors cors = {x->gateway->config->cors_origins, x->gateway->config->cors_origin_count};
    pp_cors_reply reply = {0};

    pp_cors_headers(&cors, x->request->headers, x->request->header_count, &reply);
    memcpy(x->own_headers + x->own_header_count, reply.headers,
           reply.count * sizeof *reply.headers);
    x->own_header_count += reply.count;
}

/* Figures tell who uses what; where only this machine can ask, its monitoring may. */
static bool is_open(const pp_exchange *x, const route *r)
{
    pp_ip_address address;

    return r->is_open ||
           (r->act == show_metrics && pp_ip_address_parse(x->gateway->config->host, &address) &&
            pp_ip_address_is_loopback(&address));
}

static bool refuse_early(pp_exchange *x, const route *r)
{
    pp_problem_report report = {.problem = PP_PROBLEM_NOT_FOUND};

    if (r != NULL && !takes(r, x->request->method)) {
        report.problem = PP_PROBLEM_METHOD;
        add_allow(x, r->methods);
    } else if (r != NULL && x->gateway->draining && r->is_relayed) {
        report.problem = PP_PROBLEM_DRAINING;
    } else if (r != NULL) {
        return false;
    }
    pp_reply_problem(x, &report);
    return true;
}

void pp_gateway_route(pp_exchange *x)
{
    const route *r = find_route(x->request->path);

    x->metrics_endpoint = r == NULL ? PP_METRICS_OTHER : r->endpoint;
    if (r != NULL) {
        x->is_relayed = r->is_relayed;
        x->endpoint = r->asks;
    }
    add_cors(x);
    if (pp_text_is(x->request->method, "OPTIONS"))
        answer_options(x, r);
    else if (!refuse_early(x, r) && (is_open(x, r) || pp_admit_key(x)))
        r->act(x);
}

/* ---- what the server refuses by itself ------------------------------------------------------- */

const char *pp_gateway_refusal(void *user, int status, const char *text, pp_buf *body)
{
    pp_gateway *g = user;
    pp_problem_report report = {
        .problem = PP_PROBLEM_BAD_REQUEST, .status = status, .detail = text};
    pp_metrics_request told = {.endpoint = PP_METRICS_OTHER,
                               .model_index = PP_METRICS_NONE,
                               .backend_index = PP_METRICS_NONE,
                               .status = status,
                               .failed = true};

    if (status == 413)
        report.problem = PP_PROBLEM_TOO_LARGE;
    else if (status == 431)
        report.problem = PP_PROBLEM_HEADERS;
    else if (status == 503)
        report.problem = PP_PROBLEM_MEMORY;
    told.problem = report.problem;
    pp_metrics_count(g->metrics, &told);
    pp_problem_body(&report, body);
    return JSON_TYPE;
}
