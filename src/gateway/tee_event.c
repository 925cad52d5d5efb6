#include "gateway/tee_event.h"

#include <string.h>

/* Fields of an event, borrowed from its bytes or from the reader. */
typedef struct fields {
    pp_bytes data;
    size_t data_lines;
    pp_bytes name;
    bool from_error; /* data of a field "error", where some servers put a failure */
} fields;

void pp_tee_reader_init(pp_tee_reader *reader)
{
    memset(reader, 0, sizeof *reader);
    pp_buf_init(&reader->data, PP_TEE_EVENT_MAX);
}

void pp_tee_reader_done(pp_tee_reader *reader)
{
    pp_buf_done(&reader->data);
    pp_arena_done(&reader->scratch);
}

pp_status pp_tee_reader_check(const pp_tee_reader *reader, pp_error *err)
{
    return reader->st == PP_OK ? PP_OK
                               : pp_fail(err, reader->st, "out of memory for an event of a reply");
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is(pp_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.data, text, bytes.size) == 0;
}

/* Several lines of data are joined by LF. */
static void take_data(pp_tee_reader *r, fields *f, pp_bytes value)
{
    if (++f->data_lines == 1) {
        f->data = value;
        return;
    }
    if (f->data_lines == 2) {
        pp_buf_clear(&r->data);
        pp_buf_append(&r->data, f->data.data, f->data.size);
    }
    pp_buf_append_char(&r->data, '\n');
    pp_buf_append(&r->data, value.data, value.size);
    f->data = (pp_bytes){(const unsigned char *)pp_buf_text(&r->data), r->data.size};
}

static void take_line(pp_tee_reader *r, fields *f, pp_bytes line)
{
    const unsigned char *colon = line.size == 0 ? NULL : memchr(line.data, ':', line.size);
    pp_bytes field = {line.data, colon == NULL ? line.size : (size_t)(colon - line.data)};
    pp_bytes value = {line.data + field.size, 0};

    if (colon != NULL)
        value = (pp_bytes){colon + 1, line.size - field.size - 1};
    if (value.size > 0 && value.data[0] == ' ')
        value = (pp_bytes){value.data + 1, value.size - 1};
    if (is(field, "data") || is(field, "error")) {
        f->from_error = f->from_error || field.size == 5;
        take_data(r, f, value);
    } else if (is(field, "event")) {
        f->name = value;
    }
}

static void take_lines(pp_tee_reader *r, fields *f, pp_bytes event)
{
    const unsigned char *at = event.data;
    const unsigned char *end = at + event.size;

    while (at < end) {
        const unsigned char *stop = at;

        while (stop < end && *stop != '\n' && *stop != '\r')
            stop++;
        take_line(r, f, (pp_bytes){at, (size_t)(stop - at)});
        at = stop < end ? stop + 1 : end; /* an LF behind a CR is one more empty line, and says
                                             nothing */
    }
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void note_text(pp_tee_reader *r, int64_t now_ns)
{
    if (r->facts.first_text_ns == 0)
        r->facts.first_text_ns = now_ns;
    r->facts.last_text_ns = now_ns;
}

/* One line, free of controls. */
static pp_text keep_text(pp_text text, char *room, size_t size)
{
    pp_text_escape_controls(text.data, text.size, room, size);
    return pp_text_of(room);
}

/* page: the words where they are no JSON; empty otherwise. */
static void take_error(pp_tee_reader *r, const pp_json *error, pp_bytes page)
{
    pp_maybe_int code = {0};
    pp_text message = {(const char *)page.data, page.size};

    if (r->facts.error_seen)
        return;
    r->facts.error_seen = true;
    pp_reply_take_count(error, "code", &code);
    if (code.known && code.value >= 400 && code.value <= 599)
        r->facts.error_status = (int)code.value;
    if (page.size == 0)
        message = pp_reply_error_message(error);
    r->facts.error_message = keep_text(message, r->error_message, sizeof r->error_message);
    r->facts.error_type =
        keep_text(pp_reply_text(pp_reply_find(error, "type")), r->error_type, sizeof r->error_type);
}

static bool has_text(const pp_json *object, const char *key)
{
    return pp_reply_text(pp_reply_find(object, key)).size > 0;
}

static bool calls_have_text(const pp_json *calls)
{
    if (calls == NULL || calls->kind != PP_JSON_ARRAY)
        return false;
    for (size_t i = 0; i < calls->array.count; i++)
        if (has_text(pp_reply_find(calls->array.items[i], "function"), "arguments"))
            return true;
    return false;
}

static bool delta_has_text(const pp_json *delta)
{
    return has_text(delta, "content") || has_text(delta, "reasoning_content") ||
           has_text(delta, "reasoning") ||
           has_text(pp_reply_find(delta, "function_call"), "arguments") ||
           calls_have_text(pp_reply_find(delta, "tool_calls"));
}

static void take_finish(pp_tee_reader *r, const pp_json *value)
{
    pp_text text = pp_reply_text(value);

    if (text.size > 0 && !pp_text_is(text, "none"))
        r->facts.finish_reason = keep_text(text, r->finish_reason, sizeof r->finish_reason);
}

/* True when one of the choices has text. */
static bool take_choices(pp_tee_reader *r, const pp_json *choices)
{
    bool any = false;

    for (size_t i = 0; i < choices->array.count; i++) {
        const pp_json *choice = choices->array.items[i];

        any = any || has_text(choice, "text") || delta_has_text(pp_reply_find(choice, "delta")) ||
              delta_has_text(pp_reply_find(choice, "message"));
        take_finish(r, pp_reply_find(choice, "finish_reason"));
    }
    return any;
}

static bool is_list(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_ARRAY;
}

/* True when it is an event of usage and of nothing else (G4). */
static bool take_answer(pp_tee_reader *r, const pp_json *root, int64_t now_ns)
{
    const pp_json *choices = pp_json_find(root, "choices");
    const pp_json *usage = pp_reply_find(root, "usage");
    bool has_answer = is_list(choices) ? take_choices(r, choices) : has_text(root, "content");

    if (has_answer)
        note_text(r, now_ns);
    take_finish(r, pp_reply_find(root, "stop_type"));
    pp_reply_counts_take(root, &r->facts.counts);
    return is_list(choices) && choices->array.count == 0 && usage != NULL;
}

static void note_first(pp_tee_reader *r, pp_tee_first what)
{
    if (r->facts.first == PP_TEE_NOTHING_YET)
        r->facts.first = what;
}

/* Whether it is an error object, and all of its own. */
static const pp_json *find_error(const pp_json *root, bool names_error)
{
    const pp_json *error = pp_reply_find(root, "error");

    return error == NULL && names_error ? root : error;
}

static bool take_json(pp_tee_reader *r, pp_bytes data, bool names_error, int64_t now_ns)
{
    const pp_json *root = NULL;
    const pp_json *error;
    pp_status st;

    pp_arena_clear(&r->scratch);
    st = pp_reply_parse(&r->scratch, data, &root);
    if (st == PP_ERR_MEMORY)
        r->st = st;
    error = st == PP_OK ? find_error(root, names_error) : NULL;
    if (error != NULL || names_error) {
        note_first(r, PP_TEE_FIRST_ERROR);
        take_error(r, error, st == PP_OK ? (pp_bytes){0} : data);
        return false;
    }
    note_first(r, PP_TEE_FIRST_EVENT);
    if (st == PP_OK && root->kind == PP_JSON_OBJECT)
        return take_answer(r, root, now_ns);
    r->facts.unread_count++;
    return false;
}

static pp_bytes without_blanks(pp_bytes bytes)
{
    while (bytes.size > 0 &&
           (bytes.data[bytes.size - 1] == ' ' || bytes.data[bytes.size - 1] == '\t'))
        bytes.size--;
    while (bytes.size > 0 && (bytes.data[0] == ' ' || bytes.data[0] == '\t')) {
        bytes.data++;
        bytes.size--;
    }
    return bytes;
}

bool pp_tee_read_event(pp_tee_reader *reader, pp_bytes event, int64_t now_ns)
{
    fields f = {0};
    pp_bytes data;

    take_lines(reader, &f, event);
    if (reader->data.status != PP_OK)
        reader->st = PP_ERR_MEMORY; /* it is never larger than the event */
    data = without_blanks(f.data);
    if (is(f.name, "ping") || (data.size > 0 && data.data[0] == ':')) {
        reader->facts.comment_count++;
        return false;
    }
    if (data.size == 0)
        return false;
    reader->facts.event_count++;
    if (!is(data, "[DONE]"))
        return take_json(reader, data, f.from_error || is(f.name, "error"), now_ns);
    reader->facts.end_mark = true;
    note_first(reader, PP_TEE_FIRST_EVENT);
    return false;
}

void pp_tee_note_unread(pp_tee_reader *reader)
{
    reader->facts.event_count++;
    reader->facts.unread_count++;
    note_first(reader, PP_TEE_FIRST_EVENT);
}

void pp_tee_read_plain(pp_tee_reader *reader, pp_bytes body)
{
    const pp_json *root = NULL;
    const pp_json *error;
    pp_status st;

    pp_arena_clear(&reader->scratch);
    st = pp_reply_parse(&reader->scratch, body, &root);
    if (st == PP_ERR_MEMORY)
        reader->st = st;
    reader->facts.plain_is_no_json = st == PP_ERR_SYNTAX;
    if (st != PP_OK || root->kind != PP_JSON_OBJECT)
        return;
    error = pp_reply_find(root, "error");
    if (error != NULL)
        take_error(reader, error, (pp_bytes){0});
    reader->facts.plain_is_error = error != NULL && pp_json_find(root, "choices") == NULL;
    if (is_list(pp_json_find(root, "choices")))
        (void)take_choices(reader, pp_json_find(root, "choices"));
    pp_reply_counts_take(root, &reader->facts.counts);
}
