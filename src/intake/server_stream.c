#include "intake/server_stream.h"

#include <string.h>

#include "base/event_stream.h"
#include "intake/loose_json.h"
#include "intake/reply_fields.h"

/* Messages of servers are cut to this; the raw body stays. */
#define MESSAGE_MAX_BYTES ((size_t)300)

typedef struct reader {
    pp_arena *arena;
    const pp_arrival *arrivals;
    size_t n_arrivals;
    size_t arrival; /* that of the event at hand */
    pp_server_stream *out;
    pp_buf text;
    pp_arena scratch;      /* of one event */
    pp_buf text_arrivals;  /* size_t values */
    size_t event_text_at;  /* where the text of the event at hand begins */
    size_t last_text_at;   /* where the text of the last event with text begins */
    int64_t growing_count; /* events that repeat the one before and add to it */
    bool event_lifted;
    bool any_lifted;
    bool event_has_answer;
} reader;

/* The first failure stays: what follows is often its consequence. */
static void fail_stream(reader *r, pp_failure failure, pp_text text)
{
    char shown[MESSAGE_MAX_BYTES];

    if (r->out->failure != PP_FAILURE_NONE)
        return;
    pp_text_escape_controls(text.data, text.size, shown, sizeof shown);
    r->out->failure = failure;
    r->out->failure_text = pp_text_dup(r->arena, pp_text_of(shown));
}

/* ---- generated text -------------------------------------------------------------------------- */

static void take_text(reader *r, const pp_json *value, bool is_answer)
{
    pp_text text = pp_reply_text(value);

    if (text.size == 0)
        return;
    if (r->event_lifted)
        pp_loose_append(&r->text, text);
    else
        pp_buf_append(&r->text, text.data, text.size);
    r->event_has_answer = r->event_has_answer || is_answer;
}

static void take_tool_calls(reader *r, const pp_json *calls)
{
    if (calls == NULL || calls->kind != PP_JSON_ARRAY)
        return;
    for (size_t i = 0; i < calls->array.count; i++)
        take_text(r, pp_reply_find(pp_reply_find(calls->array.items[i], "function"), "arguments"),
                  true);
}

/* A `delta` of a stream or the `message` of a whole reply. Some servers give the reasoning twice,
 * under both names (F32). */
static void take_delta(reader *r, const pp_json *delta)
{
    const pp_json *reasoning = pp_reply_find(delta, "reasoning_content");

    if (pp_reply_text(reasoning).size == 0)
        reasoning = pp_reply_find(delta, "reasoning");
    take_text(r, reasoning, false);
    take_text(r, pp_reply_find(delta, "content"), true);
    take_tool_calls(r, pp_reply_find(delta, "tool_calls"));
}

static void take_finish(reader *r, const pp_json *value)
{
    pp_text text = pp_reply_text(value);

    if (text.size > 0 && !pp_text_is(text, "none"))
        r->out->finish = pp_text_dup(r->arena, text);
}

static void take_choices(reader *r, const pp_json *choices)
{
    for (size_t i = 0; i < choices->array.count; i++) {
        const pp_json *choice = choices->array.items[i];
        pp_maybe_int index = {0};

        pp_reply_take_count(choice, "index", &index);
        if (index.known && index.value != 0) {
            r->out->several_choices = true;
            continue;
        }
        take_delta(r, pp_reply_find(choice, "delta"));
        take_delta(r, pp_reply_find(choice, "message"));
        take_text(r, pp_reply_find(choice, "text"), true);
        take_finish(r, pp_reply_find(choice, "finish_reason"));
    }
}

/* Does the text of this event begin with all of the last one's and go on? (B009) */
static bool repeats_last(const reader *r)
{
    size_t last = r->event_text_at - r->last_text_at;
    size_t now = r->text.size - r->event_text_at;

    return now > last &&
           memcmp(r->text.data + r->last_text_at, r->text.data + r->event_text_at, last) == 0;
}

static void note_text_event(reader *r)
{
    pp_server_stream *out = r->out;

    if (r->text.size == r->event_text_at)
        return;
    if (out->text_event_count > 0 && repeats_last(r))
        r->growing_count++;
    r->last_text_at = r->event_text_at;
    pp_buf_append(&r->text_arrivals, &r->arrival, sizeof r->arrival);
    out->text_event_count++;
    if (r->event_has_answer && !out->has_answer) {
        out->has_answer = true;
        out->first_answer_arrival = r->arrival;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void take_completion_fields(reader *r, const pp_json *root)
{
    const pp_json *tokens = pp_reply_find(root, "tokens");
    const pp_json *stop = pp_reply_find(root, "stop");

    take_text(r, pp_reply_find(root, "content"), true);
    pp_reply_take_count(root, "tokens_predicted", &r->out->tokens_predicted);
    pp_reply_take_count(root, "tokens_evaluated", &r->out->tokens_evaluated);
    if (tokens != NULL && tokens->kind == PP_JSON_ARRAY)
        r->out->token_array_total += (int64_t)tokens->array.count;
    if (stop != NULL && stop->kind == PP_JSON_BOOL && stop->boolean) {
        r->out->end_mark = true;
        take_finish(r, pp_reply_find(root, "stop_type"));
    }
}

static void take_object(reader *r, const pp_json *root, bool names_error)
{
    const pp_json *error = pp_reply_find(root, "error");
    const pp_json *choices = pp_reply_find(root, "choices");

    r->event_text_at = r->text.size;
    r->event_has_answer = false;
    if (error != NULL || names_error) {
        fail_stream(r, PP_FAILURE_STREAM_ERROR,
                    pp_reply_error_message(error != NULL ? error : root));
        return;
    }
    if (choices != NULL && choices->kind == PP_JSON_ARRAY)
        take_choices(r, choices);
    else
        take_completion_fields(r, root);
    pp_reply_counts_take(root, &r->out->counts);
    note_text_event(r);
}

static bool name_is(const pp_event *event, const char *name)
{
    return event->name.size == strlen(name) &&
           memcmp(event->name.data, name, event->name.size) == 0;
}

static void take_data(reader *r, pp_bytes data, bool names_error)
{
    const pp_json *root = NULL;
    pp_error why;
    pp_status st;

    why.text[0] = '\0'; /* its rest is large and not read */
    pp_arena_clear(&r->scratch);
    st = pp_loose_json_parse(&r->scratch, "event", data, &root, &r->event_lifted, &why);

    r->any_lifted = r->any_lifted || r->event_lifted;
    if (st == PP_OK && root->kind == PP_JSON_OBJECT)
        take_object(r, root, names_error);
    else if (names_error)
        fail_stream(r, PP_FAILURE_STREAM_ERROR, (pp_text){(const char *)data.data, data.size});
    else
        fail_stream(r, PP_FAILURE_PROTOCOL,
                    pp_text_of(st == PP_OK ? "an event is no JSON object" : why.text));
}

static pp_bytes trim(pp_bytes bytes)
{
    while (bytes.size > 0 && strchr(" \t", bytes.data[bytes.size - 1]) != NULL &&
           bytes.data[bytes.size - 1] != '\0')
        bytes.size--;
    while (bytes.size > 0 && (bytes.data[0] == ' ' || bytes.data[0] == '\t')) {
        bytes.data++;
        bytes.size--;
    }
    return bytes;
}

static void seek_arrival(reader *r, uint64_t offset)
{
    while (r->arrival + 1 < r->n_arrivals && r->arrivals[r->arrival + 1].offset <= offset)
        r->arrival++;
}

static pp_status take_event(void *user, const pp_event *event, pp_error *err)
{
    reader *r = user;
    pp_bytes data = trim(event->data);

    (void)err;
    if (name_is(event, "ping")) {
        r->out->ping_count++;
        return PP_OK;
    }
    seek_arrival(r, event->end_offset);
    r->out->event_count++;
    if (data.size == 6 && memcmp(data.data, "[DONE]", 6) == 0)
        r->out->end_mark = true;
    else
        take_data(r, data, event->from_extra || name_is(event, "error"));
    return PP_OK;
}

static void read_events(reader *r, pp_bytes body)
{
    pp_event_stream events;
    pp_error why = {0};
    pp_status st;

    pp_event_stream_init(&events, "error", PP_EVENT_MAX_BYTES);
    st = pp_event_stream_feed(&events, body.data, body.size, take_event, r, &why);
    if (st == PP_OK)
        st = pp_event_stream_finish(&events, take_event, r, &why);
    if (st != PP_OK)
        fail_stream(r, PP_FAILURE_TOO_LARGE, pp_text_of(why.text));
    r->out->ping_count += (int64_t)(events.comment_count + events.empty_count);
    pp_event_stream_done(&events);
}

/* A whole JSON object where a stream was asked for (F26). */
static bool is_plain_json(pp_bytes body, pp_text content_type)
{
    static const char json_type[] = "application/json";
    size_t i = 0;

    while (i < body.size && strchr(" \t\r\n", body.data[i]) != NULL && body.data[i] != '\0')
        i++;
    if (i < body.size && body.data[i] == '{')
        return true;
    return content_type.size >= sizeof json_type - 1 &&
           memcmp(content_type.data, json_type, sizeof json_type - 1) == 0;
}

static void read_plain(reader *r, pp_bytes body)
{
    r->out->not_streamed = true;
    r->out->event_count = 1;
    r->out->end_mark = true; /* an object that closes is whole */
    if (body.size > 0)
        seek_arrival(r, body.size - 1);
    take_data(r, body, false);
}

static pp_status keep_text(reader *r, pp_error *err)
{
    pp_server_stream *out = r->out;
    size_t at = 0;
    size_t size = r->text.size;
    pp_status st = pp_buf_check(&r->text, "text of a stream", err);

    if (st == PP_OK)
        st = pp_buf_check(&r->text_arrivals, "events of a stream", err);
    if (st != PP_OK)
        return st;
    out->cumulative_text =
        out->text_event_count >= 3 && r->growing_count == (int64_t)out->text_event_count - 1;
    if (out->cumulative_text) {
        at = r->last_text_at;
        size -= at;
    }
    if (size > 0 && r->any_lifted)
        size = pp_loose_join_surrogates(r->text.data + at, size);
    out->text = pp_text_dup(r->arena, (pp_text){pp_buf_text(&r->text) + at, size});
    out->bad_utf8 = size > 0 && !pp_utf8_is_valid(out->text.data, out->text.size);
    out->split_character = r->any_lifted && !out->bad_utf8;
    out->text_arrivals = (const size_t *)(const void *)pp_arena_dup(
        r->arena, pp_buf_text(&r->text_arrivals), r->text_arrivals.size);
    return pp_arena_check(r->arena, err);
}

pp_status pp_server_stream_read(pp_arena *arena, pp_bytes body, const pp_arrival *arrivals,
                                size_t n_arrivals, pp_text content_type,
                                pp_server_stream *ret_stream, pp_error *err)
{
    pp_server_stream out = {0};
    reader r = {.arena = arena, .arrivals = arrivals, .n_arrivals = n_arrivals, .out = &out};
    pp_status st;

    /* Lifting writes four bytes for one, putting back undoes it; an event takes 3 bytes or more. */
    pp_buf_init(&r.text, 4 * body.size + 16);
    pp_buf_init(&r.text_arrivals, sizeof(size_t) * (body.size + 1));
    if (is_plain_json(body, content_type))
        read_plain(&r, body);
    else
        read_events(&r, body);
    st = keep_text(&r, err);
    pp_arena_done(&r.scratch);
    pp_buf_done(&r.text);
    pp_buf_done(&r.text_arrivals);
    if (st == PP_OK)
        *ret_stream = out;
    return pp_wrap(err, st, "reading a server's stream");
}
