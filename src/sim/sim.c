#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "model/origin.h"
#include "sim/parts.h"

#define JSON_TYPE      "application/json; charset=utf-8"
#define OUT_MAX_BYTES  PP_SIM_EVENT_MAX_BYTES
#define LINE_MAX_BYTES 1024
#define NULL_BODY      "{\"content\":\"\",\"stop\":true,\"simulated\":true}"

void pp_sim_options_default(pp_sim_options *options)
{
    memset(options, 0, sizeof *options);
    options->host = "127.0.0.1";
    options->model = "simulated";
    options->slot_count = 1;
    options->n_ctx = 4096;
    options->queue_max = PP_SIM_QUEUE_MAX;
    options->queue_full_status = 503;
    options->answer_tokens = 128;
    options->service.prefill_ns = PP_NS_PER_MS / 5;
    options->service.token_ns = 20 * PP_NS_PER_MS;
    options->service.seed = 1;
    options->connection_max_count = 16384;
}

/* ---- one call ---------------------------------------------------------------------------------
 */

uint64_t pp_sim_tag(int64_t event, int64_t tokens, size_t bytes)
{
    uint64_t t =
        (uint64_t)tokens < PP_SIM_TAG_TOKENS_MAX ? (uint64_t)tokens : PP_SIM_TAG_TOKENS_MAX;
    uint64_t b = bytes < PP_SIM_TAG_BYTES_MAX ? bytes : PP_SIM_TAG_BYTES_MAX;

    return (uint64_t)event << 42 | t << 20 | b;
}

static void on_sent(void *user, pp_http_call *http, uint64_t tag, int64_t before_write_ns)
{
    pp_sim *sim = user;
    pp_sim_call *call = pp_http_call_data(http);
    int64_t event = (int64_t)(tag >> 42);
    pp_sim_record record;

    if (call == NULL || !call->is_answer || sim->truth == NULL)
        return;
    record = pp_sim_record_event(
        before_write_ns, call->serial, event, (uint32_t)(event - call->sent_events),
        (int64_t)(tag >> 20 & PP_SIM_TAG_TOKENS_MAX), (int64_t)(tag & PP_SIM_TAG_BYTES_MAX));
    call->sent_events = event;
    pp_sim_truth_add(sim->truth, &record);
}

void pp_sim_call_free(pp_sim_call *call)
{
    pp_http_timer_cancel(call->sim->http, &call->timer);
    pp_http_timer_cancel(call->sim->http, &call->ping);
    pp_sim_wire_done(&call->wire);
    pp_buf_done(&call->held);
    pp_buf_done(&call->reply.text);
    pp_arena_done(&call->arena);
    free(call);
}

void pp_sim_call_close(pp_sim_call *call)
{
    if (call->is_over || call->http == NULL)
        return;
    call->is_over = true;
    call->outcome = PP_SIM_OUTCOME_CLOSED;
    pp_http_reply_close(call->http);
}

void pp_sim_call_reset(pp_sim_call *call)
{
    if (call->is_over || call->http == NULL)
        return;
    call->is_over = true;
    call->outcome = PP_SIM_OUTCOME_RESET;
    pp_http_reply_reset(call->http);
}

/* PP_ERR_PEER: `gone` follows. Else the client does not read, or memory is short: a server would
 * let go of it. */
void pp_sim_call_broken(pp_sim_call *call, pp_status st)
{
    if (st == PP_OK || st == PP_ERR_PEER || call->http == NULL)
        return;
    call->is_over = true;
    call->outcome = PP_SIM_OUTCOME_RESET;
    pp_http_reply_reset(call->http);
}

void pp_sim_reply_whole(pp_sim_call *call, int status, const char *type, const char *retry_after,
                        pp_bytes body)
{
    const pp_sim_head head = {status, type, retry_after, false, body.size};

    if (call->is_over || call->http == NULL)
        return;
    call->status = status;
    call->events = 1;
    call->is_over = true;
    pp_sim_call_broken(call, pp_sim_wire_whole(&call->wire, &head, body,
                                               pp_sim_tag(1, call->reply.tokens, body.size)));
}

static pp_bytes out_bytes(const pp_sim *sim)
{
    return (pp_bytes){(const unsigned char *)pp_buf_text(&sim->out), sim->out.size};
}

static void reply_out(pp_sim_call *call, int status, const char *type)
{
    pp_sim_reply_whole(call, status, type, NULL, out_bytes(call->sim));
}

void pp_sim_reply_error(pp_sim_call *call, int status, const char *type, const char *message)
{
    const char *retry_after = status == 429 || status == 503 ? "1" : NULL;

    pp_buf_clear(&call->sim->out);
    pp_sim_say_error(status, type, message, &call->sim->out);
    pp_sim_reply_whole(call, status, JSON_TYPE, retry_after, out_bytes(call->sim));
}

/* ---- end points -------------------------------------------------------------------------------
 */

/* Numbers that others keep. */
static pp_sim_state *current_state(pp_sim *sim)
{
    pp_http_server_counts counts = pp_http_server_counts_of(sim->http);
    pp_sim_state *s = &sim->state;

    s->model = sim->options.model;
    s->profile = sim->options.profile;
    s->slot_count = sim->options.slot_count;
    s->n_ctx = sim->options.n_ctx;
    s->speculative = sim->options.service.draft_tokens > 0;
    s->slots = sim->slot_states;
    s->processing = pp_sim_slots_busy(&sim->slots);
    s->deferred = sim->slots.queue_count;
    s->connections = (int64_t)counts.accepted_count;
    s->open_connections = (int64_t)counts.open;
    s->open_connections_max = (int64_t)counts.highest;
    return s;
}

static void show_health(pp_sim_call *call)
{
    pp_buf_append_text(&call->sim->out, "{\"status\":\"ok\"}");
    reply_out(call, 200, JSON_TYPE);
}

static void show_props(pp_sim_call *call)
{
    pp_sim_say_props(current_state(call->sim), &call->quirks, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

static void show_slots(pp_sim_call *call)
{
    if (call->quirks.slots == PP_SIM_SLOTS_501 || call->quirks.slots == PP_SIM_SLOTS_404) {
        pp_sim_reply_error(call, call->quirks.slots == PP_SIM_SLOTS_501 ? 501 : 404,
                           "not_supported_error", "this server does not support slots endpoint");
        return;
    }
    pp_sim_say_slots(current_state(call->sim), &call->quirks, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

/* A reader that takes the numbers away from the next one. */
static void reset_counters(pp_sim_state *s)
{
    s->prompt_tokens = 0;
    s->cached_tokens = 0;
    s->predicted_tokens = 0;
    s->decode_count = 0;
    s->longest = 0;
    s->prompt_ns = 0;
    s->predicted_ns = 0;
    s->busy_slots_sum = 0;
}

static void show_metrics(pp_sim_call *call)
{
    if (call->quirks.metrics == PP_SIM_METRICS_OFF) {
        pp_sim_reply_error(call, 501, "not_supported_error",
                           "this server does not support metrics endpoint");
        return;
    }
    pp_sim_say_metrics(current_state(call->sim), &call->quirks, &call->sim->out);
    reply_out(call, 200,
              call->quirks.metrics == PP_SIM_METRICS_STRING ? JSON_TYPE
                                                            : "text/plain; version=0.0.4");
    if (call->quirks.metrics == PP_SIM_METRICS_RESET)
        reset_counters(&call->sim->state);
}

static void show_models(pp_sim_call *call)
{
    pp_sim_say_models(current_state(call->sim), call->sim->started_s, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

static void tokenize_as_vllm(pp_sim_call *call)
{
    pp_error err = {0};
    pp_text prompt;

    if (pp_sim_vllm_tokenize_read(&call->arena, call->request->body, call->sim->options.model,
                                  &prompt, &err) != PP_OK) {
        pp_sim_reply_error(call, 400, "invalid_request_error", err.text);
        return;
    }
    pp_sim_say_vllm_tokens(current_state(call->sim), prompt, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

static void tokenize(pp_sim_call *call)
{
    pp_error err = {0};
    pp_text content;
    bool with_pieces;

    if (pp_sim_tokenize_read(&call->arena, call->request->body, &content, &with_pieces, &err) !=
        PP_OK) {
        pp_sim_reply_error(call, 400, "invalid_request_error", err.text);
        return;
    }
    pp_sim_say_tokens(content, with_pieces, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

static void detokenize(pp_sim_call *call)
{
    pp_error err = {0};
    pp_text content;

    if (pp_sim_detokenize_read(&call->arena, call->request->body, &content, &err) != PP_OK) {
        pp_sim_reply_error(call, 400, "invalid_request_error", err.text);
        return;
    }
    pp_sim_say_content("content", content, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

static void apply_template(pp_sim_call *call)
{
    pp_error err = {0};
    pp_text prompt;

    if (pp_sim_template_read(&call->arena, call->request->body, &prompt, &err) != PP_OK) {
        pp_sim_reply_error(call, 400, "invalid_request_error", err.text);
        return;
    }
    pp_sim_say_content("prompt", prompt, &call->sim->out);
    reply_out(call, 200, JSON_TYPE);
}

void pp_sim_log_arrival(const pp_sim_call *call)
{
    pp_bytes body = call->request->body;
    pp_sim_record record = {
        .at_ns = call->request->arrived_ns,
        .request = call->serial,
        .path = call->path,
        .kind = PP_SIM_RECORD_ARRIVAL,
        .connection = call->request->connection_serial,
        .connection_request = call->request->request_serial,
        .prompt_tokens = call->ask.prompt_tokens,
        .asked_tokens = call->ask.token_max,
    };

    if (!call->is_answer || call->sim->truth == NULL)
        return;
    if (pp_sha256_of(body.data, body.size, record.request_sha256, NULL) != PP_OK)
        record.request_sha256[0] = '\0';
    pp_sim_truth_add(call->sim->truth, &record);
}

static void answer_llama(pp_sim_call *call)
{
    pp_sim_answer_begin(call, PP_SIM_DIALECT_LLAMA);
}

static void answer_chat(pp_sim_call *call)
{
    pp_sim_answer_begin(call, PP_SIM_DIALECT_CHAT);
}

static void answer_completion(pp_sim_call *call)
{
    pp_sim_answer_begin(call, PP_SIM_DIALECT_COMPLETION);
}

typedef struct route {
    const char *method, *path;
    pp_sim_scope scope;
    bool is_open; /* needs no key, and answers while loading only with 503 */
    void (*act)(pp_sim_call *call);
    void (*as_vllm)(pp_sim_call *call); /* NULL: it has no such end point */
} route;

static const route routes[] = {
    {"POST", "/completion", PP_SIM_SCOPE_ANSWERS, false, answer_llama, NULL},
    {"POST", "/completions", PP_SIM_SCOPE_ANSWERS, false, answer_llama, NULL},
    {"POST", "/v1/chat/completions", PP_SIM_SCOPE_ANSWERS, false, answer_chat, answer_chat},
    {"POST", "/chat/completions", PP_SIM_SCOPE_ANSWERS, false, answer_chat, NULL},
    {"POST", "/v1/completions", PP_SIM_SCOPE_ANSWERS, false, answer_completion, answer_completion},
    {"POST", "/tokenize", PP_SIM_SCOPE_OTHER, false, tokenize, tokenize_as_vllm},
    {"POST", "/detokenize", PP_SIM_SCOPE_OTHER, false, detokenize, NULL},
    {"POST", "/apply-template", PP_SIM_SCOPE_OTHER, false, apply_template, NULL},
    {"GET", "/health", PP_SIM_SCOPE_OTHER, true, show_health, show_health},
    {"GET", "/v1/health", PP_SIM_SCOPE_OTHER, true, show_health, NULL},
    {"GET", "/models", PP_SIM_SCOPE_OTHER, true, show_models, NULL},
    {"GET", "/v1/models", PP_SIM_SCOPE_OTHER, true, show_models, show_models},
    {"GET", "/props", PP_SIM_SCOPE_PROPS, false, show_props, NULL},
    {"GET", "/slots", PP_SIM_SCOPE_SLOTS, false, show_slots, NULL},
    {"GET", "/metrics", PP_SIM_SCOPE_METRICS, false, show_metrics, show_metrics},
};

static const route *find_route(const pp_sim *sim, const pp_http_request_view *request)
{
    bool as_vllm = sim->options.profile == PP_SIM_PROFILE_VLLM;
    pp_text method = request->method;

    if (pp_text_is(method, "HEAD"))
        method = pp_text_of("GET");
    for (size_t i = 0; i < PP_COUNT_OF(routes); i++) {
        if (pp_text_is(method, routes[i].method) && pp_text_is(request->path, routes[i].path))
            return as_vllm && routes[i].as_vllm == NULL ? NULL : &routes[i];
    }
    return NULL;
}

/* ---- requests ---------------------------------------------------------------------------------
 */

static bool has_key(const pp_sim *sim, const pp_http_request_view *request)
{
    pp_text given = pp_http_header_find(request->headers, request->header_count, "authorization");
    static const char scheme[] = "Bearer ";

    if (given.size < sizeof scheme - 1 || strncmp(given.data, scheme, sizeof scheme - 1) != 0)
        return false;
    given.data += sizeof scheme - 1;
    given.size -= sizeof scheme - 1;
    return pp_text_equal(given, sim->options.api_key);
}

/* The status that the quirks ask for, with its body. */
static void reply_status(pp_sim_call *call)
{
    static const char html[] =
        "<html><head><title>error</title></head><body><h1>simulated error</h1></body></html>\n";
    const pp_sim_quirks *q = &call->quirks;
    const char *type = JSON_TYPE;

    pp_buf_clear(&call->sim->out);
    if (q->body == PP_SIM_BODY_HTML) {
        type = "text/html";
        pp_buf_append_text(&call->sim->out, html);
    } else if (q->body != PP_SIM_BODY_EMPTY) {
        pp_sim_say_error((int)q->status, "simulated_error", "a simulated failure", &call->sim->out);
    }
    pp_sim_reply_whole(call, (int)q->status, type, q->retry_after, out_bytes(call->sim));
}

static const pp_sim_tape_section *tape_section(pp_sim_call *call)
{
    const pp_sim *sim = call->sim;
    const pp_sim_tape *tape = sim->options.tape;
    int64_t number = 0;
    pp_text path = call->request->path;

    if (tape == NULL)
        return NULL;
    for (size_t i = 0; i < tape->section_count; i++) {
        /* all sections of a path share the counter of the first one */
        if (number == 0 && pp_text_equal(tape->sections[i].path, path))
            number = ++sim->tape_counts[i];
    }
    if (number == 0 && call->is_answer)
        number = ++sim->tape_counts[tape->section_count];
    return pp_sim_tape_find(tape, path, call->is_answer, number);
}

static void act(pp_sim_call *call, const route *r)
{
    const pp_sim_tape_section *section = tape_section(call);
    const pp_sim_head stream_head = {200, "text/event-stream", NULL, true, 0};

    pp_buf_clear(&call->sim->out);
    if (section != NULL || call->quirks.head_only || call->quirks.status > 0)
        pp_sim_log_arrival(call);
    if (section != NULL)
        pp_sim_play(call, section);
    else if (call->quirks.head_only)
        pp_sim_call_broken(call, pp_sim_wire_open(&call->wire, &stream_head));
    else if (call->quirks.status > 0)
        reply_status(call);
    else if (r != NULL)
        (call->sim->options.profile == PP_SIM_PROFILE_VLLM ? r->as_vllm : r->act)(call);
    else
        pp_sim_reply_error(call, 404, "not_found_error", "File Not Found");
}

static void on_wait_over(void *user, int64_t now_ns)
{
    pp_sim_call *call = user;

    (void)now_ns;
    act(call, find_route(call->sim, call->request));
}

static void apply_faults(pp_sim_call *call, const route *r)
{
    const pp_sim_options *o = &call->sim->options;

    for (size_t i = 0; i < o->fault_count; i++)
        pp_sim_fault_apply(&o->faults[i], i, o->service.seed,
                           r == NULL ? PP_SIM_SCOPE_OTHER : r->scope, call->request->path,
                           &call->quirks);
}

static void count_answer(pp_sim_call *call, const route *r)
{
    pp_sim *sim = call->sim;
    pp_sim_state *s = &sim->state;

    call->is_answer = true;
    call->path = r->path;
    if (r->act == answer_llama)
        call->path = "/completion";
    else if (r->act == answer_chat)
        call->path = "/v1/chat/completions";
    call->ask.prompt_tokens = PP_SIM_NOT_KNOWN;
    call->ask.token_max = PP_SIM_NOT_KNOWN;
    call->serial = ++sim->serial;
    s->requests++;
    if (++s->open_requests > s->open_requests_max)
        s->open_requests_max = s->open_requests;
    if (sim->first_answer_ns == 0)
        sim->first_answer_ns = call->request->arrived_ns;
}

static pp_sim_call *call_new(pp_sim *sim, pp_http_call *http, const pp_http_request_view *request)
{
    pp_sim_call *call = pp_fail_nth_malloc(sizeof *call);

    if (call == NULL)
        return NULL;
    memset(call, 0, sizeof *call);
    call->sim = sim;
    call->http = http;
    call->request = request;
    pp_http_call_set_data(http, call);
    return call;
}

static bool refuse_early(pp_sim_call *call, const route *r)
{
    const pp_sim *sim = call->sim;

    if (sim->options.loading_ns > 0 &&
        call->request->arrived_ns < sim->started_ns + sim->options.loading_ns) {
        pp_sim_reply_error(call, 503, "unavailable_error", "Loading model");
        return true;
    }
    if (sim->options.api_key.size > 0 && (r == NULL || !r->is_open) &&
        !has_key(sim, call->request)) {
        pp_sim_reply_error(call, 401, "authentication_error", "Invalid API Key");
        return true;
    }
    return false;
}

static void on_request(void *user, pp_http_call *http, const pp_http_request_view *request)
{
    const route *r = find_route(user, request);
    pp_sim_call *call = call_new(user, http, request);

    if (call == NULL) {
        pp_http_reply_reset(http);
        return;
    }
    if (r != NULL && r->scope == PP_SIM_SCOPE_ANSWERS)
        count_answer(call, r);
    apply_faults(call, r);
    pp_sim_wire_init(&call->wire, http, &call->quirks);
    if (call->quirks.silent || refuse_early(call, r)) {
        pp_sim_log_arrival(call);
        return;
    }
    if (call->quirks.wait_ns > 0) {
        call->timer.fire = on_wait_over;
        call->timer.user = call;
        pp_http_timer_set(call->sim->http, &call->timer,
                          request->arrived_ns + call->quirks.wait_ns);
        return;
    }
    act(call, r);
}

static void on_gone(void *user, pp_http_call *http)
{
    pp_sim_call *call = pp_http_call_data(http);

    (void)user;
    if (call != NULL && (!call->is_over || call->outcome == PP_SIM_OUTCOME_COMPLETE))
        call->outcome = PP_SIM_OUTCOME_GONE;
}

static void log_end(const pp_sim_call *call)
{
    pp_sim_record record =
        pp_sim_record_end(pp_clock_now_ns(), call->serial, call->outcome, call->status,
                          (uint32_t)call->events, call->reply.tokens);

    pp_sim_truth_add(call->sim->truth, &record);
}

static void on_ended(void *user, pp_http_call *http)
{
    pp_sim *sim = user;
    pp_sim_call *call = pp_http_call_data(http);

    if (call == NULL)
        return;
    if (sim->stopping && !call->is_over && call->outcome == PP_SIM_OUTCOME_COMPLETE)
        call->outcome = PP_SIM_OUTCOME_STOPPED;
    if (call->is_answer) {
        sim->state.open_requests--;
        log_end(call);
    }
    call->http = NULL;
    call->request = NULL;
    if (!pp_sim_answer_cancel(call))
        pp_sim_call_free(call);
}

/* ---- the null server --------------------------------------------------------------------------
 */

static void on_null_request(void *user, pp_http_call *http, const pp_http_request_view *request)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\n" PP_ORIGIN_HEADER ": simulated\r\n"
                                "Content-Type: application/json\r\n"
                                "Content-Length: 43\r\n\r\n" NULL_BODY;
    pp_sim *sim = user;

    _Static_assert(sizeof NULL_BODY - 1 == 43, "Content-Length");
    (void)request;
    sim->state.requests++;
    if (pp_http_reply_raw(http, (pp_bytes){(const unsigned char *)reply, sizeof reply - 1}, 0,
                          NULL) == PP_OK)
        pp_ignore(pp_http_reply_end(http, NULL)); /* a client that left is told by nobody */
}

/* ---- life -------------------------------------------------------------------------------------
 */

static pp_status take_memory(pp_sim *sim, pp_error *err)
{
    size_t n_slots = (size_t)sim->options.slot_count;
    size_t n_tapes = sim->options.tape == NULL ? 0 : sim->options.tape->section_count;
    pp_status st =
        pp_sim_slots_init(&sim->slots, sim->options.slot_count, sim->options.queue_max, err);

    if (st != PP_OK)
        return st;
    sim->slot_states = pp_fail_nth_malloc(n_slots * sizeof *sim->slot_states);
    sim->seen = pp_fail_nth_malloc(PP_SIM_SEEN_COUNT * sizeof *sim->seen);
    sim->tape_counts = pp_fail_nth_malloc((n_tapes + 1) * sizeof *sim->tape_counts);
    if (sim->slot_states == NULL || sim->seen == NULL || sim->tape_counts == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the server");
    memset(sim->slot_states, 0, n_slots * sizeof *sim->slot_states);
    memset(sim->seen, 0, PP_SIM_SEEN_COUNT * sizeof *sim->seen);
    memset(sim->tape_counts, 0, (n_tapes + 1) * sizeof *sim->tape_counts);
    return PP_OK;
}

static pp_status listen_on(pp_sim *sim, pp_error *err)
{
    pp_http_server_options http;

    pp_http_server_options_default(&http);
    http.host = sim->options.host;
    http.port = sim->options.port;
    http.connection_max_count = sim->options.connection_max_count;
    http.timer_max_count = 2 * sim->options.connection_max_count + PP_SIM_SLOT_MAX;
    http.body_max_bytes = (size_t)64 << 20;
    http.backlog_max_bytes = (size_t)128 << 20;
    http.stop = sim->options.stop;
    http.handlers = (pp_http_server_handlers){
        .request = sim->options.is_null ? on_null_request : on_request,
        .sent = on_sent,
        .gone = on_gone,
        .ended = on_ended,
        .user = sim,
    };
    return pp_http_server_new(&http, &sim->http, err);
}

static pp_status open_log(pp_sim *sim, pp_error *err)
{
    char line[LINE_MAX_BYTES];

    if (sim->options.log_path == NULL)
        return PP_OK;
    (void)snprintf(line, sizeof line,
                   "{\"at_ns\":%lld,\"clock\":\"monotonic\",\"log\":\"begin\","
                   "\"origin\":\"simulated\",\"prefill_ns\":%lld,\"schema_version\":\"1.0\","
                   "\"seed\":%llu,\"slots\":%lld,\"started_unix_ms\":%lld,\"token_ns\":%lld}",
                   (long long)sim->started_ns, (long long)sim->options.service.prefill_ns,
                   (unsigned long long)sim->options.service.seed,
                   (long long)sim->options.slot_count, (long long)pp_clock_unix_ms(),
                   (long long)sim->options.service.token_ns);
    return pp_sim_truth_open(sim->options.log_path, line, &sim->truth, err);
}

pp_status pp_sim_new(const pp_sim_options *options, pp_sim **ret_sim, pp_error *err)
{
    pp_sim *sim = pp_fail_nth_malloc(sizeof *sim);
    pp_status st;

    if (sim == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "no memory for the server");
    memset(sim, 0, sizeof *sim);
    sim->options = *options;
    sim->started_ns = pp_clock_now_ns();
    sim->started_s = pp_clock_unix_ms() / 1000;
    pp_buf_init(&sim->out, OUT_MAX_BYTES);
    pp_buf_init(&sim->lines, OUT_MAX_BYTES);
    st = take_memory(sim, err);
    if (st == PP_OK)
        st = listen_on(sim, err);
    if (st == PP_OK)
        st = open_log(sim, err);
    if (st != PP_OK) {
        pp_ignore(pp_sim_finish(sim, NULL, NULL)); /* the first failure counts */
        return st;
    }
    *ret_sim = sim;
    return PP_OK;
}

uint16_t pp_sim_port(const pp_sim *sim)
{
    return pp_http_server_port(sim->http);
}

pp_status pp_sim_run(pp_sim *sim, int64_t until_ns, pp_error *err)
{
    pp_status st = PP_OK;

    while (st == PP_OK && *sim->options.stop == 0 &&
           (until_ns == 0 || pp_clock_now_ns() < until_ns))
        st = pp_http_server_turn(sim->http, until_ns, err);
    return st;
}

/* Calls whose client left and which still hold a slot. */
static void free_lingering(pp_sim *sim)
{
    for (int64_t i = 0; i < sim->slots.count; i++) {
        pp_sim_job *job = sim->slots.jobs == NULL ? NULL : sim->slots.jobs[i];

        if (job != NULL && ((pp_sim_call *)(void *)job)->http == NULL)
            pp_sim_call_free((pp_sim_call *)(void *)job);
    }
}

static pp_status close_log(pp_sim *sim, pp_sim_totals *totals, pp_error *err)
{
    char line[LINE_MAX_BYTES];
    pp_sim_truth_counts counts;
    pp_status st, closed;

    if (sim->truth == NULL)
        return PP_OK;
    st = pp_sim_truth_finish(sim->truth, &counts, err);
    totals->has_log = true;
    totals->log_written = counts.written;
    totals->log_dropped = counts.dropped;
    (void)snprintf(line, sizeof line,
                   "{\"at_ns\":%lld,\"connections\":%lld,\"dropped\":%llu,\"log\":\"summary\","
                   "\"open_connections_max\":%lld,\"open_requests_max\":%lld,"
                   "\"predicted_tokens\":%lld,\"prompt_tokens\":%lld,\"records\":%llu,"
                   "\"requests\":%lld}",
                   (long long)pp_clock_now_ns(), (long long)totals->connections,
                   (unsigned long long)counts.dropped, (long long)totals->open_connections_max,
                   (long long)totals->open_requests_max, (long long)totals->predicted_tokens,
                   (long long)totals->prompt_tokens, (unsigned long long)counts.written,
                   (long long)totals->requests);
    closed = pp_sim_truth_close(sim->truth, line, st == PP_OK ? err : NULL);
    sim->truth = NULL;
    return st == PP_OK ? closed : st;
}

pp_status pp_sim_finish(pp_sim *sim, pp_sim_totals *ret_totals, pp_error *err)
{
    pp_sim_totals totals = {0};
    pp_status st;

    if (sim == NULL)
        return PP_OK;
    sim->stopping = true;
    if (sim->http != NULL) {
        const pp_sim_state *s = current_state(sim);

        totals.requests = s->requests;
        totals.open_requests_max = s->open_requests_max;
        totals.connections = s->connections;
        totals.open_connections_max = s->open_connections_max;
        totals.prompt_tokens = s->prompt_tokens;
        totals.predicted_tokens = s->predicted_tokens;
    }
    free_lingering(sim);
    pp_http_server_free(sim->http);
    st = close_log(sim, &totals, err);
    pp_sim_slots_done(&sim->slots);
    free(sim->slot_states);
    free(sim->seen);
    free(sim->tape_counts);
    pp_buf_done(&sim->out);
    pp_buf_done(&sim->lines);
    pp_arena_done(&sim->grown);
    free(sim);
    if (ret_totals != NULL)
        *ret_totals = totals;
    return st;
}
