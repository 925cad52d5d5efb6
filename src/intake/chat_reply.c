#include "intake/chat_reply.h"

#include <string.h>

#define MESSAGE_MAX_BYTES ((size_t)300)

static void fail_reply(pp_arena *arena, pp_chat_reply *out, pp_failure failure, pp_text text)
{
    char shown[MESSAGE_MAX_BYTES];

    pp_text_escape_controls(text.data, text.size, shown, sizeof shown);
    out->failure = failure;
    out->failure_text = pp_text_dup(arena, pp_text_of(shown));
}

/* "$.choices: expected exactly one, got 2": what is wrong about a value that is there. */
static void fail_at(pp_arena *arena, pp_chat_reply *out, const pp_json *at, const char *wanted)
{
    char path[PP_JSON_PATH_MAX];
    const char *text = pp_arena_printf(arena, "%s: expected %s, got %s", pp_json_path(at, path),
                                       wanted, pp_json_kind_name(at));

    fail_reply(arena, out, PP_FAILURE_PROTOCOL, text == NULL ? (pp_text){0} : pp_text_of(text));
}

static void fail_missing(pp_arena *arena, pp_chat_reply *out, const pp_json *object,
                         const char *key)
{
    char path[PP_JSON_PATH_MAX];
    const char *text = pp_arena_printf(arena, "%s: there is no '%s', so this is no chat reply",
                                       pp_json_path(object, path), key);

    fail_reply(arena, out, PP_FAILURE_PROTOCOL, text == NULL ? (pp_text){0} : pp_text_of(text));
}

/* ---- the message ----------------------------------------------------------------------------- */

/* [{"type": "text", "text": "..."}]: the texts in their order, other parts are none. */
static pp_text join_parts(pp_arena *arena, const pp_json *parts)
{
    pp_buf joined;
    pp_text out;

    pp_buf_init(&joined, PP_JSON_MAX_BYTES);
    for (size_t i = 0; i < parts->array.count; i++) {
        pp_text text = pp_reply_text(pp_reply_find(parts->array.items[i], "text"));

        pp_buf_append(&joined, text.data, text.size);
    }
    out = pp_text_dup(arena, (pp_text){pp_buf_text(&joined), joined.size});
    arena->failed = arena->failed || joined.status != PP_OK;
    pp_buf_done(&joined);
    return out;
}

static void take_content(pp_arena *arena, const pp_json *content, pp_chat_reply *out)
{
    out->answer = pp_text_of("");
    if (content == NULL)
        return;
    if (content->kind == PP_JSON_STRING)
        out->answer = pp_text_dup(arena, content->text);
    else if (content->kind == PP_JSON_ARRAY)
        out->answer = join_parts(arena, content);
    else
        fail_at(arena, out, content, "a text, a list of parts or null");
}

static void take_message(pp_arena *arena, const pp_json *message, pp_chat_reply *out)
{
    const pp_json *calls = pp_reply_find(message, "tool_calls");
    pp_text reasoning = pp_reply_text(pp_reply_find(message, "reasoning_content"));

    if (reasoning.size == 0)
        reasoning = pp_reply_text(pp_reply_find(message, "reasoning"));
    out->reasoning = pp_text_dup(arena, reasoning);
    if (calls != NULL && calls->kind == PP_JSON_ARRAY)
        out->tool_call_count = calls->array.count;
    take_content(arena, pp_reply_find(message, "content"), out);
}

static void take_choice(pp_arena *arena, const pp_json *choice, pp_chat_reply *out)
{
    const pp_json *message = pp_reply_find(choice, "message");

    if (choice->kind != PP_JSON_OBJECT)
        fail_at(arena, out, choice, "an object");
    else if (message == NULL)
        fail_missing(arena, out, choice, "message");
    else if (message->kind != PP_JSON_OBJECT)
        fail_at(arena, out, message, "an object");
    else
        take_message(arena, message, out);
    out->finish = pp_text_dup(arena, pp_reply_text(pp_reply_find(choice, "finish_reason")));
}

static void take_choices(pp_arena *arena, const pp_json *root, pp_chat_reply *out)
{
    const pp_json *choices = pp_reply_find(root, "choices");
    const char *text;

    if (choices == NULL) {
        fail_missing(arena, out, root, "choices");
    } else if (choices->kind != PP_JSON_ARRAY) {
        fail_at(arena, out, choices, "a list");
    } else if (choices->array.count != 1) {
        text = pp_arena_printf(arena, "$.choices: expected exactly one, got %zu",
                               choices->array.count);
        fail_reply(arena, out, PP_FAILURE_PROTOCOL, text == NULL ? (pp_text){0} : pp_text_of(text));
    } else {
        take_choice(arena, choices->array.items[0], out);
    }
}

static void take_root(pp_arena *arena, const pp_json *root, pp_chat_reply *out)
{
    const pp_json *error = pp_reply_find(root, "error");

    /* Some give the members of the error without the name around them. */
    if (error == NULL && pp_reply_find(root, "choices") == NULL &&
        pp_reply_text(pp_reply_find(root, "message")).size > 0)
        error = root;
    if (error != NULL) {
        fail_reply(arena, out, PP_FAILURE_STREAM_ERROR, pp_reply_error_message(error));
        return;
    }
    take_choices(arena, root, out);
    out->model = pp_text_dup(arena, pp_reply_text(pp_reply_find(root, "model")));
    pp_reply_counts_take(root, &out->counts);
}

/* ---- the whole ------------------------------------------------------------------------------- */

pp_status pp_chat_reply_read(pp_arena *arena, pp_bytes body, pp_chat_reply *ret_reply,
                             pp_error *err)
{
    pp_chat_reply out = {0};
    pp_arena scratch = {0};
    const pp_json *root = NULL;
    pp_error why = {0};
    pp_status st =
        pp_json_parse(&scratch, "reply", (const char *)body.data, body.size, &root, &why);

    if (st == PP_OK)
        take_root(arena, root, &out);
    else if (st != PP_ERR_MEMORY)
        fail_reply(arena, &out, PP_FAILURE_PROTOCOL, pp_text_of(why.text));
    pp_arena_done(&scratch);
    if (st == PP_ERR_MEMORY)
        return pp_fail(err, st, "%s", why.text);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_reply = out;
    return st;
}

/* Which server answers an ordinary request with a page or a stream is worth a word (F26). */
static void name_content_type(pp_arena *arena, pp_text type, pp_chat_reply *out)
{
    static const char json[] = "application/json";
    const char *text;

    if (out->failure != PP_FAILURE_PROTOCOL || type.size == 0 ||
        (type.size >= sizeof json - 1 && memcmp(type.data, json, sizeof json - 1) == 0))
        return;
    text = pp_arena_printf(arena, "%.*s (the server calls it %.*s)", (int)out->failure_text.size,
                           out->failure_text.data, (int)type.size, type.data);
    if (text != NULL)
        fail_reply(arena, out, PP_FAILURE_PROTOCOL, pp_text_of(text));
}

pp_status pp_chat_reply_of_exchange(pp_arena *arena, const pp_exchange *exchange,
                                    pp_chat_reply *ret_reply, pp_error *err)
{
    pp_chat_reply out = {0};
    pp_status st = PP_OK;

    if (exchange->failure == PP_FAILURE_HTTP_STATUS)
        fail_reply(arena, &out, exchange->failure,
                   pp_reply_error_page(arena, exchange->failure_text, exchange->body));
    else if (exchange->failure != PP_FAILURE_NONE)
        fail_reply(arena, &out, exchange->failure, exchange->failure_text);
    else
        st = pp_chat_reply_read(arena, exchange->body, &out, err);
    if (st == PP_OK)
        name_content_type(arena, exchange->content_type, &out);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_reply = out;
    return st;
}

pp_maybe_int pp_chat_reply_output_tokens(const pp_chat_reply *reply)
{
    return reply->counts.predicted_n.known ? reply->counts.predicted_n
                                           : reply->counts.usage_completion_tokens;
}
