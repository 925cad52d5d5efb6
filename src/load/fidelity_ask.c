#include "load/fidelity_ask.h"

#include "base/clock.h"
#include "load/recorder.h"
#include "json/json.h"

void pp_fidelity_ask_options_default(pp_fidelity_ask_options *options)
{
    *options = (pp_fidelity_ask_options){
        .kind = PP_SERVER_LLAMA_SERVER,
        .limits = {.connect_ns = 10 * PP_NS_PER_S,
                   .first_byte_ns = 120 * PP_NS_PER_S,
                   .total_ns = 120 * PP_NS_PER_S},
    };
}

static pp_endpoint endpoint_of(const pp_fidelity_ask_options *options)
{
    return options->kind == PP_SERVER_LLAMA_SERVER && !options->chat ? PP_ENDPOINT_COMPLETION
                                                                     : PP_ENDPOINT_CHAT;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void set_completion(pp_arena *arena, pp_json *body, pp_text prompt)
{
    pp_json_set_int(arena, body, "n_predict", 1);
    pp_json_set_int(arena, body, "n_probs", PP_FIDELITY_TOKENS);
    pp_json_set_bool(arena, body, "post_sampling_probs", false);
    pp_json_set_text(arena, body, "prompt", prompt);
}

static void set_chat(pp_arena *arena, pp_json *body, const pp_fidelity_ask_options *options,
                     pp_text prompt)
{
    pp_json *messages = pp_json_new_array(arena);
    pp_json *message = pp_json_new_object(arena);

    pp_json_set_string(arena, message, "role", "user");
    pp_json_set_text(arena, message, "content", prompt);
    pp_json_add(arena, messages, message);
    pp_json_set_bool(arena, body, "logprobs", true);
    pp_json_set_int(arena, body, "max_tokens", 1);
    pp_json_set(arena, body, "messages", messages);
    if (options->model.size > 0)
        pp_json_set_text(arena, body, "model", options->model);
    pp_json_set_int(arena, body, "top_logprobs", PP_FIDELITY_CHAT_TOKENS);
}

pp_status pp_fidelity_body(pp_arena *arena, const pp_fidelity_ask_options *options, pp_text prompt,
                           pp_bytes *ret_body, pp_error *err)
{
    pp_json *body = pp_json_new_object(arena);
    pp_buf bytes;
    pp_status st;

    if (!pp_utf8_is_valid(prompt.data, prompt.size))
        return pp_fail(err, PP_ERR_SYNTAX, "the context is not UTF-8, and JSON holds nothing else");
    if (options->kind == PP_SERVER_LLAMA_SERVER)
        pp_json_set_bool(arena, body, "cache_prompt", false);
    pp_json_set_bool(arena, body, "stream", false);
    pp_json_set_int(arena, body, "temperature", 0);
    if (endpoint_of(options) == PP_ENDPOINT_COMPLETION)
        set_completion(arena, body, prompt);
    else
        set_chat(arena, body, options, prompt);
    pp_buf_init(&bytes, PP_HTTP_CONTROL_MAX_BYTES);
    st = pp_json_write(body, PP_JSON_COMPACT, &bytes, err);
    if (st == PP_OK) {
        ret_body->data = (const unsigned char *)pp_arena_dup(arena, bytes.data, bytes.size);
        ret_body->size = bytes.size;
        st = pp_arena_check(arena, err);
    }
    pp_buf_done(&bytes);
    return st;
}

/* ---- one request ----------------------------------------------------------------------------- */

typedef struct asker {
    pp_arena *arena;
    pp_http_loop *loop;
    const pp_fidelity_ask_options *options;
    pp_http_record record;
    int64_t began_ns;
} asker;

static void keep(asker *a, pp_fidelity_reply *reply)
{
    const pp_http_record *record = &a->record;
    pp_exchange *x = &reply->exchange;

    reply->asked = true;
    pp_exchange_take_record(x, record, a->began_ns);
    x->asked_tokens = 1;
    x->scheduled_ns = x->started_ns;
    x->failure_text = pp_text_dup(a->arena, pp_text_of(record->text));
    x->content_type = pp_text_dup(a->arena, pp_text_of(record->content_type));
    x->body.data =
        (const unsigned char *)pp_arena_dup(a->arena, (const char *)x->body.data, x->body.size);
}

/* A fresh connection each: one that died while idle would be a failure of ours (F07). */
static pp_status ask_one(asker *a, const char *path, pp_bytes body, pp_fidelity_reply *reply,
                         pp_error *err)
{
    pp_http_request request = {
        .url = pp_arena_printf(a->arena, "%s%s", a->options->root, path),
        .body = body,
        .headers = a->options->headers,
        .header_count = a->options->header_count,
        .limits = a->options->limits,
        .fresh_connection = true,
    };
    pp_status st = pp_arena_check(a->arena, err);

    reply->request = body;
    if (st == PP_OK && body.size > 0)
        st = pp_sha256_of(body.data, body.size, reply->exchange.id.request_sha256, err);
    if (st == PP_OK)
        st = pp_http_perform(a->loop, &request, NULL, NULL, &a->record, err);
    if (st == PP_OK || st == PP_ERR_INTERRUPTED)
        keep(a, reply);
    return st;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static pp_status ask_contexts(asker *a, const pp_suite_context *contexts, pp_fidelity_answers *out,
                              pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; i < out->count && st == PP_OK; i++) {
        pp_fidelity_reply *reply = &out->replies[i];
        pp_bytes body = {0};

        reply->exchange.id = (pp_request_id){.pass = 1,
                                             .phase = PP_PHASE_MEASURED,
                                             .index = (int64_t)i + 1,
                                             .prompt_id = contexts[i].id};
        st = pp_fidelity_body(a->arena, a->options, contexts[i].prompt, &body, err);
        if (st == PP_OK)
            st = ask_one(a, pp_endpoint_path(out->endpoint), body, reply, err);
        if (st == PP_OK && a->options->progress != NULL)
            a->options->progress(a->options->user, i + 1, out->count);
        st = pp_wrap(err, st, "context '%.*s'", (int)contexts[i].id.size, contexts[i].id.data);
    }
    return st;
}

pp_status pp_fidelity_ask(pp_arena *arena, pp_http_loop *loop,
                          const pp_fidelity_ask_options *options, const pp_suite_context *contexts,
                          size_t count, pp_fidelity_answers *ret_answers, pp_error *err)
{
    asker a = {.arena = arena, .loop = loop, .options = options, .began_ns = pp_clock_now_ns()};
    pp_fidelity_answers out = {.endpoint = endpoint_of(options), .count = count};
    pp_status st = pp_http_record_init(&a.record, PP_HTTP_CONTROL_MAX_BYTES, 0, 0, err);

    out.replies = PP_ARENA_NEW(arena, pp_fidelity_reply, count);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK && options->kind == PP_SERVER_LLAMA_SERVER)
        st = ask_one(&a, "/props", (pp_bytes){0}, &out.props, err);
    if (st == PP_OK)
        st = ask_contexts(&a, contexts, &out, err);
    pp_http_record_done(&a.record);
    if (st == PP_ERR_INTERRUPTED) {
        out.interrupted = true;
        st = PP_OK;
    }
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_answers = out;
    return st;
}
