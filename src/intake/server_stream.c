#include "intake/server_stream.h"

#include <math.h>
#include <string.h>

#include "base/event_stream.h"
#include "intake/loose_json.h"

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

static bool is_given(const pp_json *value)
{
    return value != NULL && value->kind != PP_JSON_NULL;
}

/* A member that is there and not null (F33: null is absent). */
static const pp_json *find(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return is_given(value) ? value : NULL;
}

static pp_text text_of(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_STRING ? value->text : (pp_text){0};
}

/* Counts come as integers and as 12.0; anything else is absent. The last one wins (F34). */
static void take_count(const pp_json *object, const char *key, pp_maybe_int *out)
{
    const pp_json *value = find(object, key);

    if (value == NULL)
        return;
    if (value->kind == PP_JSON_INTEGER && value->integer >= 0)
        *out = pp_known_int(value->integer);
    else if (value->kind == PP_JSON_REAL && value->real >= 0 && value->real < 9e15 &&
             floor(value->real) == value->real)
        *out = pp_known_int((int64_t)value->real);
}

static void take_ms(const pp_json *object, const char *key, pp_maybe_real *out)
{
    const pp_json *value = find(object, key);

    if (value != NULL && value->kind == PP_JSON_REAL && value->real >= 0)
        *out = pp_known_real(value->real);
    else if (value != NULL && value->kind == PP_JSON_INTEGER && value->integer >= 0)
        *out = pp_known_real((double)value->integer);
}

static void take_timings(const pp_json *timings, pp_server_stream *out)
{
    take_count(timings, "predicted_n", &out->predicted_n);
    take_count(timings, "prompt_n", &out->prompt_n);
    take_count(timings, "cache_n", &out->cache_n);
    take_ms(timings, "prompt_ms", &out->prompt_ms);
    take_ms(timings, "predicted_ms", &out->predicted_ms);
    take_count(timings, "draft_n", &out->draft_n);
    take_count(timings, "draft_n_accepted", &out->draft_n_accepted);
}

static void take_usage(const pp_json *usage, pp_server_stream *out)
{
    take_count(usage, "completion_tokens", &out->usage_completion_tokens);
    take_count(usage, "prompt_tokens", &out->usage_prompt_tokens);
    take_count(find(usage, "prompt_tokens_details"), "cached_tokens", &out->usage_cached_tokens);
}

/* ---- generated text -------------------------------------------------------------------------- */

static void take_text(reader *r, const pp_json *value, bool is_answer)
{
    pp_text text = text_of(value);

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
        take_text(r, find(find(calls->array.items[i], "function"), "arguments"), true);
}

/* A `delta` of a stream or the `message` of a whole reply. Some servers give the reasoning twice,
 * under both names (F32). */
static void take_delta(reader *r, const pp_json *delta)
{
    const pp_json *reasoning = find(delta, "reasoning_content");

    if (text_of(reasoning).size == 0)
        reasoning = find(delta, "reasoning");
    take_text(r, reasoning, false);
    take_text(r, find(delta, "content"), true);
    take_tool_calls(r, find(delta, "tool_calls"));
}

static void take_finish(reader *r, const pp_json *value)
{
    pp_text text = text_of(value);

    if (text.size > 0 && !pp_text_is(text, "none"))
        r->out->finish = pp_text_dup(r->arena, text);
}

static void take_choices(reader *r, const pp_json *choices)
{
    for (size_t i = 0; i < choices->array.count; i++) {
        const pp_json *choice = choices->array.items[i];
        pp_maybe_int index = {0};

        take_count(choice, "index", &index);
        if (index.known && index.value != 0) {
            r->out->several_choices = true;
            continue;
        }
        take_delta(r, find(choice, "delta"));
        take_delta(r, find(choice, "message"));
        take_text(r, find(choice, "text"), true);
        take_finish(r, find(choice, "finish_reason"));
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

/* {"error": {"message": ...}}, {"error": "..."}, or the object itself as an error field has it. */
static pp_text error_message(const pp_json *error)
{
    pp_text text = text_of(error);

    if (text.size == 0)
        text = text_of(find(error, "message"));
    if (text.size == 0)
        text = text_of(find(error, "type"));
    return text.size == 0 ? pp_text_of("the server reported an error without a message") : text;
}

static void take_completion_fields(reader *r, const pp_json *root)
{
    const pp_json *tokens = find(root, "tokens");
    const pp_json *stop = find(root, "stop");

    take_text(r, find(root, "content"), true);
    take_count(root, "tokens_predicted", &r->out->tokens_predicted);
    take_count(root, "tokens_evaluated", &r->out->tokens_evaluated);
    if (tokens != NULL && tokens->kind == PP_JSON_ARRAY)
        r->out->token_array_total += (int64_t)tokens->array.count;
    if (stop != NULL && stop->kind == PP_JSON_BOOL && stop->boolean) {
        r->out->end_mark = true;
        take_finish(r, find(root, "stop_type"));
    }
}

static void take_object(reader *r, const pp_json *root, bool names_error)
{
    const pp_json *error = find(root, "error");
    const pp_json *choices = find(root, "choices");

    r->event_text_at = r->text.size;
    r->event_has_answer = false;
    if (error != NULL || names_error) {
        fail_stream(r, PP_FAILURE_STREAM_ERROR, error_message(error != NULL ? error : root));
        return;
    }
    if (choices != NULL && choices->kind == PP_JSON_ARRAY)
        take_choices(r, choices);
    else
        take_completion_fields(r, root);
    take_timings(find(root, "timings"), r->out);
    take_usage(find(root, "usage"), r->out);
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
