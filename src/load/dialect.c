#include "load/dialect.h"

#include <math.h>
#include <string.h>

#include "json/json.h"

static const char *const endpoint_names[] = {"chat", "text", "completion"};
static const char *const endpoint_paths[] = {"/v1/chat/completions", "/v1/completions",
                                             "/completion"};
static const char *const kind_names[] = {"openai", "llama-server", "vllm"};

const char *pp_endpoint_name(size_t endpoint)
{
    return endpoint < PP_COUNT_OF(endpoint_names) ? endpoint_names[endpoint] : NULL;
}

bool pp_endpoint_find(const char *name, pp_endpoint *ret_endpoint)
{
    for (size_t i = 0; i < PP_COUNT_OF(endpoint_names); i++) {
        if (strcmp(name, endpoint_names[i]) == 0) {
            *ret_endpoint = (pp_endpoint)i;
            return true;
        }
    }
    return false;
}

const char *pp_endpoint_path(pp_endpoint endpoint)
{
    return endpoint_paths[endpoint];
}

const char *pp_server_kind_name(size_t kind)
{
    return kind < PP_COUNT_OF(kind_names) ? kind_names[kind] : NULL;
}

bool pp_server_kind_find(const char *name, pp_server_kind *ret_kind)
{
    for (size_t i = 0; i < PP_COUNT_OF(kind_names); i++) {
        if (strcmp(name, kind_names[i]) == 0) {
            *ret_kind = (pp_server_kind)i;
            return true;
        }
    }
    return false;
}

pp_status pp_dialect_check(const pp_dialect *dialect, pp_error *err)
{
    if (dialect->endpoint == PP_ENDPOINT_COMPLETION && dialect->kind != PP_SERVER_LLAMA_SERVER)
        return pp_fail(err, PP_ERR_USAGE,
                       "/completion is an endpoint of llama-server, and a server of the kind %s "
                       "has chat and text",
                       pp_server_kind_name(dialect->kind));
    if (dialect->max_completion_tokens && dialect->endpoint != PP_ENDPOINT_CHAT)
        return pp_fail(err, PP_ERR_USAGE, "max_completion_tokens is a field of chat, got %s",
                       pp_endpoint_name(dialect->endpoint));
    if (!(dialect->temperature >= 0 && dialect->temperature <= 10))
        return pp_fail(err, PP_ERR_RANGE, "expected a temperature from 0 to 10, got %g",
                       dialect->temperature);
    if (!pp_utf8_is_valid(dialect->model.data, dialect->model.size))
        return pp_fail(err, PP_ERR_SYNTAX, "the name of the model is not UTF-8");
    return PP_OK;
}

/* ---- writing in the order of keys ------------------------------------------------------------ */

static void append_key(pp_buf *body, const char *key)
{
    bool first = body->size > 0 && body->data[body->size - 1] == '{';

    pp_buf_append_text(body, first ? "\"" : ",\"");
    pp_buf_append_text(body, key);
    pp_buf_append_text(body, "\":");
}

static void append_bool(pp_buf *body, const char *key, bool value)
{
    append_key(body, key);
    pp_buf_append_text(body, value ? "true" : "false");
}

static void append_int(pp_buf *body, const char *key, int64_t value)
{
    append_key(body, key);
    pp_buf_printf(body, "%lld", (long long)value);
}

/* A value that only the writer of json/ can write. What fails here (no memory, a full buffer) stays
 * in the buffer or shows as a body that ends early, which nobody sends: callers check the buffer.
 */
static void append_json(pp_buf *body, const char *key, pp_arena *arena, const pp_json *value)
{
    append_key(body, key);
    if (pp_json_write(value, PP_JSON_COMPACT, body, NULL) != PP_OK && body->status == PP_OK)
        body->status = PP_ERR_MEMORY;
    pp_arena_done(arena);
}

static void append_text(pp_buf *body, const char *key, pp_text text)
{
    pp_arena arena = {0};

    append_json(body, key, &arena, pp_json_new_text(&arena, text));
}

static void append_real(pp_buf *body, const char *key, double value)
{
    pp_arena arena = {0};

    append_json(body, key, &arena, pp_json_new_real(&arena, value));
}

/* Sorted keys: a..., "messages" or "prompt", ...z. What belongs in front of "prompt" depends on the
 * endpoint: "min_tokens" and "model" stand behind "messages" and in front of "prompt". */
static void append_model(const pp_dialect *dialect, int64_t output_tokens, pp_buf *body)
{
    if (dialect->kind == PP_SERVER_VLLM && !dialect->free_length)
        append_int(body, "min_tokens", output_tokens);
    if (dialect->model.size > 0 && dialect->endpoint != PP_ENDPOINT_COMPLETION)
        append_text(body, "model", dialect->model);
}

void pp_dialect_begin(const pp_dialect *dialect, int64_t output_tokens, pp_buf *body)
{
    bool chat = dialect->endpoint == PP_ENDPOINT_CHAT;
    bool llama = dialect->kind == PP_SERVER_LLAMA_SERVER;

    pp_buf_append_char(body, '{');
    if (llama && dialect->cache != PP_PROMPT_CACHE_UNSAID)
        append_bool(body, "cache_prompt", dialect->cache == PP_PROMPT_CACHE_ON);
    if (dialect->kind != PP_SERVER_OPENAI && !dialect->free_length)
        append_bool(body, "ignore_eos", true);
    if (dialect->endpoint != PP_ENDPOINT_COMPLETION)
        append_int(body, dialect->max_completion_tokens ? "max_completion_tokens" : "max_tokens",
                   output_tokens);
    if (!chat)
        append_model(dialect, output_tokens, body);
    if (dialect->endpoint == PP_ENDPOINT_COMPLETION)
        append_int(body, "n_predict", output_tokens);
    append_key(body, chat ? "messages" : "prompt");
}

void pp_dialect_end(const pp_dialect *dialect, int64_t output_tokens, pp_buf *body)
{
    if (dialect->endpoint == PP_ENDPOINT_CHAT)
        append_model(dialect, output_tokens, body);
    append_int(body, "seed", (int64_t)(dialect->seed & 0x7FFFFFFF));
    append_bool(body, "stream", true);
    if (dialect->include_usage && dialect->endpoint != PP_ENDPOINT_COMPLETION) {
        append_key(body, "stream_options");
        pp_buf_append_text(body, "{\"include_usage\":true}");
    }
    append_real(body, "temperature", dialect->temperature);
    if (dialect->kind == PP_SERVER_LLAMA_SERVER)
        append_bool(body, "timings_per_token", false);
    pp_buf_append_char(body, '}');
}

/* ---- prompts --------------------------------------------------------------------------------- */

static size_t first_bad_byte(pp_text text)
{
    size_t at = 0;

    while (at < text.size) {
        size_t taken = 0;

        if (pp_utf8_next(text.data + at, text.size - at, &taken) < 0)
            break;
        at += taken;
    }
    return at;
}

pp_status pp_dialect_write_text(const pp_dialect *dialect, pp_text text, pp_buf *body,
                                pp_error *err)
{
    pp_arena arena = {0};
    bool chat = dialect->endpoint == PP_ENDPOINT_CHAT;
    pp_status st;

    if (!pp_utf8_is_valid(text.data, text.size))
        return pp_fail(err, PP_ERR_SYNTAX,
                       "the prompt is not UTF-8 at its byte %zu, and JSON can hold nothing else",
                       first_bad_byte(text) + 1);
    if (chat)
        pp_buf_append_text(body, "[{\"content\":");
    st = pp_json_write(pp_json_new_text(&arena, text), PP_JSON_COMPACT, body, err);
    if (chat)
        pp_buf_append_text(body, ",\"role\":\"user\"}]");
    pp_arena_done(&arena);
    return st == PP_OK ? pp_buf_check(body, "request body", err) : st;
}

/* ---- addresses ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t size, const char *end)
{
    size_t n = strlen(end);

    return size >= n && memcmp(text + size - n, end, n) == 0;
}

pp_status pp_server_root(pp_arena *arena, const char *base_url, const char **ret_root,
                         pp_error *err)
{
    size_t scheme = strncmp(base_url, "http://", 7) == 0    ? 7
                    : strncmp(base_url, "https://", 8) == 0 ? 8
                                                            : 0;
    size_t size = strlen(base_url);

    if (scheme == 0 || base_url[scheme] == '\0' || base_url[scheme] == '/')
        return pp_fail(
            err, PP_ERR_USAGE,
            "URL: expected http://HOST:PORT or https://..., such as http://127.0.0.1:8080");
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)base_url[i] <= ' ' || strchr("?#\x7f", base_url[i]) != NULL)
            return pp_fail(err, PP_ERR_USAGE,
                           "character %zu of the base URL: expected neither '?' nor '#' nor blanks",
                           i + 1);
    }
    while (base_url[size - 1] == '/')
        size--;
    if (size > scheme + 3 && ends_with(base_url, size, "/v1")) /* the host may be called v1 */
        size -= 3;
    while (base_url[size - 1] == '/')
        size--;
    *ret_root = pp_arena_dup(arena, base_url, size);
    return pp_arena_check(arena, err);
}
