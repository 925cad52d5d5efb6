#include "load/suite_ask.h"

#include <stdatomic.h>

#include "base/clock.h"

void pp_suite_ask_options_default(pp_suite_ask_options *ret_options)
{
    *ret_options = (pp_suite_ask_options){
        .limits = {.connect_ns = 10 * PP_NS_PER_S,
                   .first_byte_ns = 120 * PP_NS_PER_S,
                   .total_ns = 120 * PP_NS_PER_S},
        .pass_count = 1,
        .client_count = 1,
        .drain_ns = 10 * PP_NS_PER_S,
    };
}

/* ---- the requests ---------------------------------------------------------------------------- */

static pp_status hash_body(pp_workload_request *request, pp_error *err)
{
    return pp_sha256_of(request->body.data, request->body.size, request->body_sha256, err);
}

static pp_status make_cases(pp_arena *arena, const pp_suite *suite, const pp_suite_voice *voice,
                            pp_workload *out, pp_error *err)
{
    pp_status st;

    out->endpoint = PP_ENDPOINT_CHAT;
    out->options = (pp_workload_options){.measured_count = (int64_t)suite->case_count};
    out->request_count = suite->case_count;
    out->requests = PP_ARENA_NEW(arena, pp_workload_request, suite->case_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < suite->case_count; i++) {
        pp_workload_request *request = &out->requests[i];

        request->phase = PP_PHASE_MEASURED;
        request->index = (int64_t)i + 1;
        request->prompt_id = suite->cases[i].id;
        st = pp_suite_body_of_case(arena, suite, i, voice, &request->body, err);
        if (st == PP_OK)
            st = hash_body(request, err);
    }
    return st;
}

static pp_status make_streams(pp_arena *arena, const pp_suite *suite, pp_workload *out,
                              pp_error *err)
{
    pp_bytes body = {0};
    pp_status st = pp_suite_body_of_performance(arena, suite, &body, err);

    out->endpoint = PP_ENDPOINT_COMPLETION;
    out->options = (pp_workload_options){.warmup_count = suite->warmups,
                                         .measured_count = suite->repetitions,
                                         .output_tokens = suite->generation_tokens};
    out->request_count = (size_t)(suite->warmups + suite->repetitions);
    out->requests = PP_ARENA_NEW(arena, pp_workload_request, out->request_count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < out->request_count; i++) {
        bool warmup = (int64_t)i < suite->warmups;

        out->requests[i] = (pp_workload_request){
            .phase = warmup ? PP_PHASE_WARMUP : PP_PHASE_MEASURED,
            .index = (int64_t)i + 1 - (warmup ? 0 : suite->warmups),
            .prompt_id = pp_text_of("performance"),
            .body = body,
        };
        st = hash_body(&out->requests[i], err);
    }
    return st;
}

/* ---- one pass -------------------------------------------------------------------------------- */

typedef struct asker {
    const pp_suite *suite;
    const pp_suite_ask_options *options;
    const pp_workload *workload;
    int64_t began_ns;
    size_t pass;             /* from 0 */
    pp_suite_reply *replies; /* of this pass */
    atomic_bool *ended;      /* of this pass: the reply is complete */
    bool *told;
    size_t done; /* in all passes */
} asker;

/* What the driver wants to know of a request; the answer is not decoded here. */
static pp_status sample_of_whole(pp_arena *arena, const pp_exchange *x, pp_sample *ret_sample,
                                 pp_error *err)
{
    (void)arena;
    (void)err;
    *ret_sample = (pp_sample){
        .id = x->id,
        .scheduled_ns = x->scheduled_ns,
        .started_ns = x->started_ns,
        .stream_end_ns = x->ended_ns > x->started_ns ? x->ended_ns - x->started_ns : 0,
        .asked_tokens = x->asked_tokens,
        .failure = x->failure,
        .failure_text = x->failure_text,
        .http_status = x->http_status,
    };
    return PP_OK;
}

static void keep_body(pp_arena *arena, pp_exchange *x)
{
    if (x->body.size > PP_SUITE_REPLY_MAX_BYTES) {
        x->body = (pp_bytes){0};
        x->failure = PP_FAILURE_TOO_LARGE;
        x->failure_text = pp_text_of("a reply of more than 16 MiB is no answer to a question");
        return;
    }
    x->body.data = (unsigned char *)pp_arena_dup(arena, (const char *)x->body.data, x->body.size);
}

/* Each reply has a place of its own, so threads need no lock. */
static void keep(void *user, pp_arena *arena, const pp_exchange *exchange)
{
    asker *a = user;
    size_t number = (size_t)exchange->id.index - 1;
    pp_suite_reply *reply = &a->replies[number];

    reply->asked = true;
    reply->exchange = *exchange;
    reply->exchange.id.prompt_id = a->suite->cases[number].id;
    reply->exchange.failure_text = pp_text_dup(arena, exchange->failure_text);
    reply->exchange.content_type = pp_text_dup(arena, exchange->content_type);
    reply->exchange.arrivals = NULL;
    reply->exchange.arrival_count = 0;
    keep_body(arena, &reply->exchange);
    atomic_store_explicit(&a->ended[number], true, memory_order_release);
}

static void tell_news(asker *a)
{
    for (size_t i = 0; i < a->suite->case_count; i++) {
        pp_suite_told news;

        if (a->told[i] || !atomic_load_explicit(&a->ended[i], memory_order_acquire))
            continue;
        a->told[i] = true;
        a->done++;
        news = (pp_suite_told){
            .pass = a->pass,
            .number = i,
            .done = a->done,
            .total = a->suite->case_count * a->options->pass_count,
            .elapsed_ns = pp_clock_now_ns() - a->began_ns,
            .reply = &a->replies[i],
        };
        if (a->options->tell != NULL)
            a->options->tell(a->options->user, &news);
    }
}

static void tick(void *user, const pp_load_live *now)
{
    (void)now;
    tell_news(user);
}

static pp_load_setup setup_of(asker *a)
{
    const pp_suite_ask_options *o = a->options;

    return (pp_load_setup){
        .base_url = o->base_url,
        .headers = o->headers,
        .header_count = o->header_count,
        .limits = o->limits,
        .ca_file = o->ca_file,
        .insecure_tls = o->insecure_tls,
        .worker_count = 1,
        .drain_ns = o->drain_ns,
        .sends_all = true,
        .root = "/",
        .pass = (int64_t)a->pass + 1,
        .sample_of = sample_of_whole,
        .keep = keep,
        .cut_now = o->cut_now,
        .tick = tick,
        .user = a,
    };
}

static pp_load_level level_of(const asker *a)
{
    return (pp_load_level){
        .number = 1,
        .loop = PP_LOAD_CLOSED,
        .clients = (int64_t)a->options->client_count,
        .gamma_shape = 1,
        .request_count = pp_known_int((int64_t)a->suite->case_count),
    };
}

static pp_status run_pass(pp_arena *arena, asker *a, const pp_load_source *source,
                          const volatile sig_atomic_t *stop, bool *ret_interrupted, pp_error *err)
{
    pp_load_setup setup = setup_of(a);
    pp_load_level level = level_of(a);
    pp_load_result result;
    pp_status st;

    for (size_t i = 0; i < a->suite->case_count; i++) {
        atomic_init(&a->ended[i], false);
        a->told[i] = false;
    }
    st = pp_load_drive(arena, &setup, source, &level, stop, &result, err);
    if (st != PP_OK)
        return st;
    tell_news(a);
    for (size_t i = 0; i < a->suite->case_count; i++)
        if (a->replies[i].asked)
            a->replies[i].request = a->workload->requests[i].body;
    *ret_interrupted = result.observed.ended_by == PP_LOAD_END_INTERRUPTED;
    return PP_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static pp_status check_options(const pp_suite_ask_options *o, pp_error *err)
{
    if (o->pass_count < 1 || o->client_count < 1 || o->client_count > PP_SUITE_CLIENTS_MAX)
        return pp_fail(err, PP_ERR_RANGE, "expected passes from 1 and 1 to %d clients",
                       PP_SUITE_CLIENTS_MAX);
    return PP_OK;
}

pp_status pp_suite_ask(pp_arena *arena, const pp_suite *suite, const pp_suite_ask_options *options,
                       const volatile sig_atomic_t *stop, pp_suite_asked *ret_asked, pp_error *err)
{
    size_t n = suite->case_count;
    pp_workload workload = {0};
    asker a = {
        .suite = suite, .options = options, .workload = &workload, .began_ns = pp_clock_now_ns()};
    pp_suite_asked asked = {0};
    pp_load_source *source = NULL;
    pp_status st = check_options(options, err);

    if (st == PP_OK)
        st = make_cases(arena, suite, &options->voice, &workload, err);
    if (st == PP_OK)
        st = pp_load_source_of_workload(arena, &workload, &source, err);
    if (st != PP_OK)
        return st;
    asked.replies = PP_ARENA_NEW(arena, pp_suite_reply, n * options->pass_count);
    a.ended = PP_ARENA_NEW(arena, atomic_bool, n);
    a.told = PP_ARENA_NEW(arena, bool, n);
    st = pp_arena_check(arena, err);
    for (; st == PP_OK && a.pass < options->pass_count && !asked.interrupted; a.pass++) {
        a.replies = &asked.replies[a.pass * n];
        st = run_pass(arena, &a, source, stop, &asked.interrupted, err);
    }
    if (st == PP_OK)
        *ret_asked = asked;
    return st;
}

pp_status pp_suite_stream(pp_arena *arena, const pp_suite *suite,
                          const pp_suite_ask_options *options, pp_load_sampler sample_of,
                          const volatile sig_atomic_t *stop, pp_load_run *ret_run, pp_error *err)
{
    pp_workload *workload = PP_ARENA_NEW(arena, pp_workload, 1);
    pp_load_options run = {
        .base_url = options->base_url,
        .headers = options->headers,
        .header_count = options->header_count,
        .limits = options->limits,
        .ca_file = options->ca_file,
        .insecure_tls = options->insecure_tls,
        .pass = 1,
        .sample_of = sample_of,
    };
    pp_status st = pp_arena_check(arena, err);

    PP_ASSERT(suite->has_performance);
    if (st == PP_OK)
        st = make_streams(arena, suite, workload, err);
    return st == PP_OK ? pp_load_run_sequential(arena, workload, &run, stop, ret_run, err) : st;
}
