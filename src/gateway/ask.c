#include "gateway/ask.h"

#include <string.h>

#include "json/json.h"

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    const pp_json *root;
    const char *param; /* of the failure */
    pp_error *err;
} reader;

static pp_status fail_at(reader *r, const pp_json *at, const char *param, const char *wanted)
{
    r->param = param;
    return pp_json_fail(at, r->err, "expected %s, got %s", wanted, pp_json_kind_name(at));
}

/* A member that is there and not null. */
static const pp_json *find(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind != PP_JSON_NULL ? value : NULL;
}

static pp_status read_model(reader *r, pp_ask *ask)
{
    const pp_json *model = pp_json_find(r->root, "model");

    if (model == NULL)
        return PP_OK;
    if (model->kind != PP_JSON_STRING)
        return fail_at(r, model, "model", "the name of a model as a string");
    ask->model = model->text;
    return PP_OK;
}

static pp_status read_stream(reader *r, pp_ask *ask)
{
    const pp_json *stream = find(r->root, "stream");
    const pp_json *options = find(r->root, "stream_options");
    const pp_json *usage = find(options, "include_usage");

    if (stream != NULL && stream->kind != PP_JSON_BOOL)
        return fail_at(r, stream, "stream", "true or false");
    if (options != NULL && options->kind != PP_JSON_OBJECT)
        return fail_at(r, options, "stream_options", "an object");
    if (usage != NULL && usage->kind != PP_JSON_BOOL)
        return fail_at(r, usage, "stream_options.include_usage", "true or false");
    ask->stream = stream != NULL && stream->boolean;
    ask->wants_usage = usage != NULL && usage->boolean;
    return PP_OK;
}

static pp_status read_prompt(reader *r, pp_endpoint endpoint)
{
    bool chat = endpoint == PP_ENDPOINT_CHAT;
    const char *key = chat ? "messages" : "prompt";
    const pp_json *value = pp_json_find(r->root, key);

    if (value == NULL) {
        r->param = key;
        return pp_json_fail(r->root, r->err, "required key '%s' is missing", key);
    }
    if (chat && value->kind != PP_JSON_ARRAY)
        return fail_at(r, value, key, "a list of messages");
    if (!chat && value->kind != PP_JSON_STRING && value->kind != PP_JSON_ARRAY)
        return fail_at(r, value, key, "a string or a list");
    return PP_OK;
}

static bool has_items(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_ARRAY && value->array.count > 0;
}

static void read_hints(const reader *r, pp_ask *ask)
{
    const pp_json *limit = find(r->root, "max_completion_tokens");

    if (limit == NULL)
        limit = find(r->root, "max_tokens");
    if (limit != NULL && limit->kind == PP_JSON_INTEGER && limit->integer >= 0)
        ask->max_tokens = pp_known_int(limit->integer);
    ask->has_tools =
        has_items(pp_json_find(r->root, "tools")) || has_items(pp_json_find(r->root, "functions"));
}

static void find_spans(pp_bytes body, pp_ask *ask)
{
    ask->root = pp_json_span_root(body);
    ask->model_at = pp_json_span_member(body, ask->root, "model");
    ask->stream_options_at = pp_json_span_member(body, ask->root, "stream_options");
    ask->include_usage_at = pp_json_span_member(body, ask->stream_options_at, "include_usage");
}

static pp_status read_root(reader *r, pp_endpoint endpoint, pp_ask *ask)
{
    pp_status st;

    if (r->root->kind != PP_JSON_OBJECT)
        return fail_at(r, r->root, "", "an object");
    st = read_model(r, ask);
    if (st == PP_OK)
        st = read_stream(r, ask);
    if (st == PP_OK)
        st = read_prompt(r, endpoint);
    read_hints(r, ask);
    return st;
}

pp_status pp_ask_read(pp_arena *arena, pp_bytes body, pp_endpoint endpoint, pp_ask *ret_ask,
                      const char **ret_param, pp_error *err)
{
    reader r = {NULL, "", err};
    pp_ask ask = {0};
    pp_status st =
        pp_json_parse(arena, "request body", (const char *)body.data, body.size, &r.root, err);

    if (st == PP_OK)
        st = read_root(&r, endpoint, &ask);
    *ret_param = r.param;
    if (st != PP_OK)
        return st;
    find_spans(body, &ask);
    *ret_ask = ask;
    return PP_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_there(pp_json_span span)
{
    return span.begin < span.end;
}

static bool is_object(pp_bytes body, pp_json_span span)
{
    return is_there(span) && body.data[span.begin] == '{';
}

/* The most that can change: the model, and one of the options. Members that are not there yet go
 * into the object together. */
typedef struct changes {
    pp_json_edit edits[3];
    size_t count;
    pp_buf members; /* to be inserted into the root */
} changes;

static void change_model(changes *c, const pp_ask *ask, pp_text quoted)
{
    if (is_there(ask->model_at)) {
        c->edits[c->count++] = pp_json_edit_replace(ask->model_at, quoted);
    } else {
        pp_buf_append_text(&c->members, "\"model\":");
        pp_buf_append(&c->members, quoted.data, quoted.size);
    }
}

static void change_usage(changes *c, const pp_ask *ask, pp_bytes body)
{
    static const char member[] = "\"include_usage\":true";
    static const char object[] = "{\"include_usage\":true}";

    if (is_there(ask->include_usage_at)) {
        c->edits[c->count++] = pp_json_edit_replace(ask->include_usage_at, pp_text_of("true"));
    } else if (is_object(body, ask->stream_options_at)) {
        c->edits[c->count++] =
            pp_json_edit_insert(body, ask->stream_options_at, pp_text_of(member));
    } else if (is_there(ask->stream_options_at)) { /* null */
        c->edits[c->count++] = pp_json_edit_replace(ask->stream_options_at, pp_text_of(object));
    } else {
        pp_buf_append_text(&c->members, c->members.size > 0 ? "," : "");
        pp_buf_append_text(&c->members, "\"stream_options\":");
        pp_buf_append_text(&c->members, object);
    }
}

pp_status pp_ask_write(const pp_ask *ask, pp_bytes body, pp_text upstream_model, bool ask_usage,
                       pp_buf *out, pp_error *err)
{
    changes c = {.count = 0};
    pp_arena arena = {0};
    pp_buf quoted;
    pp_status st = PP_OK;

    pp_buf_init(&quoted, 6 * upstream_model.size + 8); /* every byte as an escape */
    pp_buf_init(&c.members, quoted.max_bytes + 128);
    if (upstream_model.size > 0) {
        st = pp_json_write(pp_json_new_text(&arena, upstream_model), PP_JSON_COMPACT, &quoted, err);
        change_model(&c, ask, (pp_text){pp_buf_text(&quoted), quoted.size});
    }
    if (ask_usage && ask->stream && !ask->wants_usage)
        change_usage(&c, ask, body);
    if (c.members.size > 0)
        c.edits[c.count++] = pp_json_edit_insert(
            body, ask->root, (pp_text){pp_buf_text(&c.members), c.members.size});
    if (st == PP_OK)
        st = pp_buf_check(&c.members, "members of a request", err);
    if (st == PP_OK) {
        pp_json_splice(body, c.edits, c.count, out);
        st = pp_buf_check(out, "request for a back end", err);
    }
    pp_buf_done(&quoted);
    pp_buf_done(&c.members);
    pp_arena_done(&arena);
    return st;
}
