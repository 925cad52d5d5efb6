#include "sim/ask.h"

#include <string.h>

#include "sim/random.h"
#include "sim/words.h"

/* Fields of the public API; llama-server's own are what `strict` refuses. */
static const char *const openai_fields[] = {
    "best_of",
    "echo",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_tokens",
    "max_completion_tokens",
    "messages",
    "metadata",
    "model",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt",
    "reasoning_effort",
    "response_format",
    "seed",
    "stop",
    "store",
    "stream",
    "stream_options",
    "suffix",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
};

static pp_status read_body(pp_arena *arena, pp_bytes body, const pp_json **ret_root, pp_error *err)
{
    pp_status st =
        pp_json_parse(arena, "request", (const char *)body.data, body.size, ret_root, err);

    return st == PP_OK ? pp_json_expect(*ret_root, PP_JSON_OBJECT, err) : st;
}

static const pp_json *given(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value == NULL || value->kind == PP_JSON_NULL ? NULL : value;
}

static pp_status read_flag(const pp_json *root, const char *key, bool *ret_value, pp_error *err)
{
    const pp_json *value = given(root, key);

    return value == NULL ? PP_OK : pp_json_get_bool(value, ret_value, err);
}

static pp_status read_count(const pp_json *root, const char *key, int64_t min, int64_t *ret_value,
                            pp_error *err)
{
    const pp_json *value = given(root, key);

    return value == NULL ? PP_OK : pp_json_get_int(value, min, INT32_MAX, ret_value, err);
}

/* ---- prompts --------------------------------------------------------------------------------- */

static pp_status append_token(const pp_json *value, pp_buf *bytes, pp_error *err)
{
    char out[PP_SIM_TOKEN_MAX_BYTES];
    int64_t id;
    pp_status st = pp_json_get_int(value, 0, PP_SIM_VOCABULARY - 1, &id, err);

    if (st == PP_OK)
        pp_buf_append(bytes, out, pp_sim_token_bytes(id, out));
    return st;
}

/* Text is cut into tokens; an id is one token, whatever its bytes would be cut into. */
static pp_status append_prompt(const pp_json *value, pp_buf *bytes, int64_t *count, pp_error *err)
{
    if (value->kind == PP_JSON_STRING) {
        pp_buf_append(bytes, value->text.data, value->text.size);
        *count += pp_sim_token_count(value->text);
        return PP_OK;
    }
    (*count)++;
    return append_token(value, bytes, err);
}

static pp_text keep(pp_arena *arena, pp_buf *bytes)
{
    pp_text text = pp_text_dup(arena, (pp_text){pp_buf_text(bytes), bytes->size});

    pp_buf_done(bytes);
    return text;
}

/* A string, or a list of ids and strings. */
static pp_status read_prompt(pp_arena *arena, const pp_json *root, pp_sim_ask *ask, pp_error *err)
{
    const pp_json *prompt = given(root, "prompt");
    pp_buf bytes;
    pp_status st = PP_OK;

    if (prompt == NULL)
        return pp_fail(err, PP_ERR_SCHEMA, "$.prompt: required key 'prompt' is missing");
    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    if (prompt->kind == PP_JSON_ARRAY) {
        for (size_t i = 0; st == PP_OK && i < prompt->array.count; i++)
            st = append_prompt(prompt->array.items[i], &bytes, &ask->prompt_tokens, err);
    } else if (prompt->kind == PP_JSON_STRING) {
        st = append_prompt(prompt, &bytes, &ask->prompt_tokens, err);
    } else {
        st = pp_json_fail(prompt, err, "expected a string or a list of token ids, got %s",
                          pp_json_kind_name(prompt));
    }
    if (st == PP_OK)
        st = pp_buf_check(&bytes, "a prompt", err);
    ask->prompt = keep(arena, &bytes);
    return st;
}

/* A string, null, or parts of which those of type text count. */
static pp_status append_content(const pp_json *content, pp_buf *out, pp_error *err)
{
    pp_status st = PP_OK;

    if (content == NULL)
        return PP_OK;
    if (content->kind == PP_JSON_STRING) {
        pp_buf_append(out, content->text.data, content->text.size);
        return PP_OK;
    }
    st = pp_json_expect(content, PP_JSON_ARRAY, err);
    for (size_t i = 0; st == PP_OK && i < content->array.count; i++) {
        const pp_json *text = given(content->array.items[i], "text");

        if (text != NULL && text->kind == PP_JSON_STRING)
            pp_buf_append(out, text->text.data, text->text.size);
    }
    return st;
}

static pp_status append_message(const pp_json *message, pp_buf *out, pp_error *err)
{
    const pp_json *role;
    pp_status st = pp_json_member_of(message, "role", PP_JSON_STRING, &role, err);

    if (st != PP_OK)
        return st;
    pp_buf_append_text(out, "<|im_start|>");
    pp_buf_append(out, role->text.data, role->text.size);
    pp_buf_append_char(out, '\n');
    st = append_content(given(message, "content"), out, err);
    pp_buf_append_text(out, "<|im_end|>\n");
    return st;
}

static pp_status read_messages(pp_arena *arena, const pp_json *root, pp_text *ret_prompt,
                               pp_error *err)
{
    const pp_json *messages;
    pp_buf out;
    pp_status st = pp_json_member_of(root, "messages", PP_JSON_ARRAY, &messages, err);

    if (st != PP_OK)
        return st;
    if (messages->array.count == 0)
        return pp_json_fail(messages, err, "expected at least one message");
    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    for (size_t i = 0; st == PP_OK && i < messages->array.count; i++) {
        st = pp_json_expect(messages->array.items[i], PP_JSON_OBJECT, err);
        if (st == PP_OK)
            st = append_message(messages->array.items[i], &out, err);
    }
    pp_buf_append_text(&out, "<|im_start|>assistant\n");
    if (st == PP_OK)
        st = pp_buf_check(&out, "a prompt", err);
    *ret_prompt = keep(arena, &out);
    return st;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static pp_status read_flags(const pp_json *root, pp_sim_ask *ask, pp_error *err)
{
    const struct {
        const char *key;
        bool *value;
    } flags[] = {{"stream", &ask->stream},
                 {"ignore_eos", &ask->ignore_eos},
                 {"cache_prompt", &ask->cache_prompt},
                 {"return_tokens", &ask->return_tokens},
                 {"timings_per_token", &ask->timings_per_token},
                 {"return_progress", &ask->return_progress}};
    const pp_json *options = given(root, "stream_options");
    pp_status st = PP_OK;

    ask->cache_prompt = true;
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(flags); i++)
        st = read_flag(root, flags[i].key, flags[i].value, err);
    if (st == PP_OK && options != NULL)
        st = read_flag(options, "include_usage", &ask->include_usage, err);
    return st;
}

/* Later keys are the newer names and win. */
static pp_status read_token_max(const pp_json *root, pp_sim_ask *ask, pp_error *err)
{
    static const char *const keys[] = {"n_predict", "max_tokens", "max_completion_tokens"};
    pp_status st = PP_OK;

    ask->token_max = -1;
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(keys); i++)
        st = read_count(root, keys[i], -1, &ask->token_max, err);
    return st;
}

/* "n_probs" of llama-server; "logprobs" is a flag of chats and a count of completions. */
static pp_status read_probs(const pp_json *root, pp_sim_ask *ask, pp_error *err)
{
    const pp_json *logprobs = given(root, "logprobs");
    bool wanted = false;
    pp_status st = read_count(root, "n_probs", 0, &ask->n_probs, err);

    if (st != PP_OK || logprobs == NULL || ask->dialect == PP_SIM_DIALECT_LLAMA)
        return st;
    if (ask->dialect == PP_SIM_DIALECT_COMPLETION)
        return pp_json_get_int(logprobs, 0, 100, &ask->n_probs, err);
    st = pp_json_get_bool(logprobs, &wanted, err);
    if (st == PP_OK && wanted) {
        ask->n_probs = 1;
        st = read_count(root, "top_logprobs", 0, &ask->n_probs, err);
    }
    return st;
}

static pp_status check_names(const pp_json *root, bool strict, pp_error *err)
{
    return strict ? pp_json_only_keys(root, openai_fields, PP_COUNT_OF(openai_fields), err) : PP_OK;
}

pp_status pp_sim_ask_read(pp_arena *arena, pp_sim_dialect dialect, pp_bytes body, bool strict,
                          pp_sim_ask *ret_ask, pp_error *err)
{
    pp_sim_ask ask = {.dialect = dialect};
    const pp_json *root;
    pp_status st = read_body(arena, body, &root, err);

    if (st == PP_OK)
        st = check_names(root, strict, err);
    if (st == PP_OK)
        st = read_flags(root, &ask, err);
    if (st == PP_OK)
        st = read_token_max(root, &ask, err);
    if (st == PP_OK)
        st = read_probs(root, &ask, err);
    if (st != PP_OK)
        return st;
    if (dialect == PP_SIM_DIALECT_CHAT) {
        st = read_messages(arena, root, &ask.prompt, err);
        ask.prompt_tokens = pp_sim_token_count(ask.prompt);
    } else {
        st = read_prompt(arena, root, &ask, err);
    }
    ask.prompt_hash = pp_sim_hash(0, ask.prompt.data, ask.prompt.size);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    *ret_ask = ask;
    return st;
}

pp_status pp_sim_template_read(pp_arena *arena, pp_bytes body, pp_text *ret_prompt, pp_error *err)
{
    const pp_json *root;
    pp_status st = read_body(arena, body, &root, err);

    return st == PP_OK ? read_messages(arena, root, ret_prompt, err) : st;
}

pp_status pp_sim_tokenize_read(pp_arena *arena, pp_bytes body, pp_text *ret_content,
                               bool *ret_with_pieces, pp_error *err)
{
    const pp_json *root, *content;
    pp_status st = read_body(arena, body, &root, err);

    *ret_with_pieces = false;
    if (st == PP_OK)
        st = pp_json_member_of(root, "content", PP_JSON_STRING, &content, err);
    if (st == PP_OK)
        st = read_flag(root, "with_pieces", ret_with_pieces, err);
    if (st == PP_OK)
        *ret_content = content->text;
    return st;
}

pp_status pp_sim_vllm_tokenize_read(pp_arena *arena, pp_bytes body, const char *model,
                                    pp_text *ret_prompt, pp_error *err)
{
    const pp_json *root, *prompt, *asked;
    pp_status st = read_body(arena, body, &root, err);

    if (st == PP_OK)
        st = pp_json_member_of(root, "prompt", PP_JSON_STRING, &prompt, err);
    if (st != PP_OK)
        return st;
    asked = pp_json_find(root, "model");
    if (asked != NULL && asked->kind != PP_JSON_NULL &&
        (asked->kind != PP_JSON_STRING || !pp_text_is(asked->text, model)))
        return pp_json_fail(asked, err, "there is no such model");
    *ret_prompt = prompt->text;
    return PP_OK;
}

pp_status pp_sim_detokenize_read(pp_arena *arena, pp_bytes body, pp_text *ret_content,
                                 pp_error *err)
{
    const pp_json *root, *tokens;
    pp_buf out;
    pp_status st = read_body(arena, body, &root, err);

    if (st == PP_OK)
        st = pp_json_member_of(root, "tokens", PP_JSON_ARRAY, &tokens, err);
    if (st != PP_OK)
        return st;
    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    for (size_t i = 0; st == PP_OK && i < tokens->array.count; i++)
        st = append_token(tokens->array.items[i], &out, err);
    if (st == PP_OK)
        st = pp_buf_check(&out, "a text", err);
    *ret_content = keep(arena, &out);
    return st;
}
