#include "load/server_tokens.h"

static const pp_http_limits control_limits = {
    .connect_ns = 5000000000,
    .first_byte_ns = 60000000000,
    .total_ns = 120000000000,
};

pp_status pp_server_tokens_init(pp_server_tokens *server, pp_http_loop *loop, const char *root,
                                const char *const *headers, size_t header_count, pp_error *err)
{
    *server = (pp_server_tokens){
        .loop = loop, .root = root, .headers = headers, .header_count = header_count};
    return pp_http_record_init(&server->record, PP_HTTP_CONTROL_MAX_BYTES, 0, 0, err);
}

void pp_server_tokens_done(pp_server_tokens *server)
{
    pp_http_record_done(&server->record);
}

/* GET, or POST with a body; the parsed reply lives in `arena`. */
static pp_status ask(pp_server_tokens *server, pp_arena *arena, const char *path, pp_bytes body,
                     const pp_json **ret_root, pp_error *err)
{
    pp_http_request request = {
        .url = pp_arena_printf(arena, "%s%s", server->root, path),
        .body = body,
        .headers = server->headers,
        .header_count = server->header_count,
        .limits = control_limits,
    };
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_http_fetch(server->loop, &request, &server->record, err);
    if (st == PP_OK)
        st = pp_json_parse(arena, path, pp_buf_text(&server->record.body), server->record.body.size,
                           ret_root, err);
    return st;
}

pp_status pp_server_context(pp_server_tokens *server, pp_maybe_int *ret_tokens, pp_error *err)
{
    pp_arena arena = {0};
    const pp_json *root = NULL;
    const pp_json *n_ctx;
    pp_status st = ask(server, &arena, "/props", (pp_bytes){0}, &root, err);

    if (st == PP_OK) {
        n_ctx = pp_json_find(pp_json_find(root, "default_generation_settings"), "n_ctx");
        *ret_tokens = n_ctx != NULL && n_ctx->kind == PP_JSON_INTEGER ? pp_known_int(n_ctx->integer)
                                                                      : (pp_maybe_int){0};
    }
    pp_arena_done(&arena);
    return st;
}

static pp_status read_ids(pp_arena *arena, const pp_json *root, pp_token_list *ret_list,
                          pp_error *err)
{
    const pp_json *tokens = NULL;
    pp_status st = pp_json_member_of(root, "tokens", PP_JSON_ARRAY, &tokens, err);
    int64_t *ids;

    if (st != PP_OK)
        return st;
    ids = PP_ARENA_NEW(arena, int64_t, tokens->array.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; i < tokens->array.count && st == PP_OK; i++)
        st = pp_json_get_int(tokens->array.items[i], 0, INT32_MAX, &ids[i], err);
    *ret_list = (pp_token_list){ids, tokens->array.count};
    return st;
}

static pp_status ask_tokenize(pp_server_tokens *server, pp_arena *arena, const pp_json *question,
                              const pp_json **ret_root, pp_error *err)
{
    pp_buf body;
    pp_status st;

    pp_buf_init(&body, PP_HTTP_CONTROL_MAX_BYTES);
    st = pp_json_write(question, PP_JSON_COMPACT, &body, err);
    if (st == PP_OK)
        st = ask(server, arena, "/tokenize",
                 (pp_bytes){(const unsigned char *)pp_buf_text(&body), body.size}, ret_root, err);
    pp_buf_done(&body);
    return st;
}

pp_status pp_server_tokenize(pp_server_tokens *server, pp_arena *arena, pp_text text,
                             bool parse_special, pp_token_list *ret_list, pp_error *err)
{
    pp_json *question = pp_json_new_object(arena);
    const pp_json *root = NULL;
    pp_status st;

    pp_json_set_text(arena, question, "content", text);
    pp_json_set_bool(arena, question, "add_special", true);
    if (parse_special)
        pp_json_set_bool(arena, question, "parse_special", true);
    st = ask_tokenize(server, arena, question, &root, err);
    if (st == PP_OK)
        st = read_ids(arena, root, ret_list, err);
    return pp_wrap(err, st, "cutting a prompt into the server's tokens");
}

static pp_status count_by_llama(pp_server_tokens *server, pp_arena *arena, pp_text text,
                                int64_t *ret_count, pp_error *err)
{
    pp_json *question = pp_json_new_object(arena);
    const pp_json *root = NULL;
    const pp_json *tokens = NULL;
    pp_status st;

    pp_json_set_text(arena, question, "content", text);
    pp_json_set_bool(arena, question, "add_special", false);
    pp_json_set_bool(arena, question, "parse_special", false);
    st = ask_tokenize(server, arena, question, &root, err);
    if (st == PP_OK)
        st = pp_json_member_of(root, "tokens", PP_JSON_ARRAY, &tokens, err);
    if (st == PP_OK)
        *ret_count = (int64_t)tokens->array.count;
    return st;
}

/* {"model", "prompt", "add_special_tokens"} -> {"count", "max_model_len", "tokens"}: the tokenizer
 * API of https://docs.vllm.ai/en/stable/serving/openai_compatible_server/ */
static pp_status count_by_vllm(pp_server_tokens *server, pp_arena *arena, pp_text text,
                               int64_t *ret_count, pp_error *err)
{
    pp_json *question = pp_json_new_object(arena);
    const pp_json *root = NULL;
    const pp_json *count = NULL;
    pp_status st;

    if (server->model.size > 0)
        pp_json_set_text(arena, question, "model", server->model);
    pp_json_set_text(arena, question, "prompt", text);
    pp_json_set_bool(arena, question, "add_special_tokens", false);
    st = ask_tokenize(server, arena, question, &root, err);
    if (st == PP_OK)
        st = pp_json_require(root, "count", &count, err);
    if (st == PP_OK)
        st = pp_json_get_int(count, 0, INT32_MAX, ret_count, err);
    return st;
}

pp_status pp_server_count(pp_server_tokens *server, pp_text text, int64_t *ret_count, pp_error *err)
{
    pp_arena arena = {0};
    pp_status st = server->is_vllm ? count_by_vllm(server, &arena, text, ret_count, err)
                                   : count_by_llama(server, &arena, text, ret_count, err);

    pp_arena_done(&arena);
    return pp_wrap(err, st, "counting the server's tokens of an answer");
}

pp_status pp_server_render(pp_server_tokens *server, pp_arena *arena, pp_text messages_json,
                           pp_text *ret_text, pp_error *err)
{
    const pp_json *root = NULL;
    const pp_json *prompt = NULL;
    pp_buf body;
    pp_status st;

    pp_buf_init(&body, PP_HTTP_CONTROL_MAX_BYTES);
    pp_buf_append_text(&body, "{\"messages\":");
    pp_buf_append(&body, messages_json.data, messages_json.size);
    pp_buf_append_char(&body, '}');
    st = pp_buf_check(&body, "messages", err);
    if (st == PP_OK)
        st = ask(server, arena, "/apply-template",
                 (pp_bytes){(const unsigned char *)pp_buf_text(&body), body.size}, &root, err);
    if (st == PP_OK)
        st = pp_json_require(root, "prompt", &prompt, err);
    if (st == PP_OK)
        st = pp_json_get_text(prompt, ret_text, err);
    pp_buf_done(&body);
    return pp_wrap(err, st, "applying the server's chat template");
}
