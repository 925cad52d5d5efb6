#include "base/event_stream.h"

#include <string.h>

#include "base/word_scan.h"

void pp_event_stream_init(pp_event_stream *stream, const char *extra_field, size_t max_bytes)
{
    memset(stream, 0, sizeof *stream);
    pp_buf_init(&stream->line, max_bytes);
    pp_buf_init(&stream->data, max_bytes);
    pp_buf_init(&stream->extra, max_bytes);
    pp_buf_init(&stream->name, max_bytes);
    stream->extra_field = extra_field;
}

void pp_event_stream_done(pp_event_stream *stream)
{
    if (stream == NULL)
        return;
    pp_buf_done(&stream->line);
    pp_buf_done(&stream->data);
    pp_buf_done(&stream->extra);
    pp_buf_done(&stream->name);
}

/* Asked several times for each event, and nearly always fine. */
static bool is_sound(const pp_event_stream *stream)
{
    return stream->line.status == PP_OK && stream->data.status == PP_OK &&
           stream->extra.status == PP_OK && stream->name.status == PP_OK;
}

static pp_status check(const pp_event_stream *stream, pp_error *err)
{
    const pp_buf *all[] = {&stream->line, &stream->data, &stream->extra, &stream->name};

    if (is_sound(stream))
        return PP_OK;

    for (size_t i = 0; i < PP_COUNT_OF(all); i++) {
        pp_status st = pp_buf_check(all[i], "event", err);

        if (st != PP_OK)
            return pp_wrap(err, st, "event stream at byte %llu",
                           (unsigned long long)stream->offset);
    }
    return PP_OK;
}

static pp_bytes bytes_of(const pp_buf *buf)
{
    return (pp_bytes){(const unsigned char *)pp_buf_text(buf), buf->size};
}

static pp_status deliver(pp_event_stream *stream, const pp_buf *data, bool from_extra,
                         pp_event_handler handler, void *user, pp_error *err)
{
    pp_event event = {
        .data = bytes_of(data),
        .name = bytes_of(&stream->name),
        .from_extra = from_extra,
        .end_offset = stream->offset == 0 ? 0 : stream->offset - 1,
    };

    if (data->size == 0) {
        stream->empty_count++;
        return PP_OK;
    }
    if (data->data[0] == ':') { /* "data: : keepalive", a comment that a gateway wrapped (F23) */
        stream->comment_count++;
        return PP_OK;
    }
    stream->event_count++;
    return handler(user, &event, err);
}

/* A blank line: hand over what was gathered and start anew. */
static pp_status dispatch(pp_event_stream *stream, pp_event_handler handler, void *user,
                          pp_error *err)
{
    pp_status st = PP_OK;

    if (stream->has_data)
        st = deliver(stream, &stream->data, false, handler, user, err);
    if (st == PP_OK && stream->has_extra)
        st = deliver(stream, &stream->extra, true, handler, user, err);
    pp_buf_clear(&stream->data);
    pp_buf_clear(&stream->extra);
    pp_buf_clear(&stream->name);
    stream->has_data = false;
    stream->has_extra = false;
    return st;
}

static void add_line(pp_buf *joined, bool *has, pp_bytes value)
{
    if (*has)
        pp_buf_append_char(joined, '\n');
    *has = true;
    pp_buf_append(joined, value.data, value.size);
}

static bool field_is(pp_bytes field, const char *name)
{
    return name != NULL && field.size == strlen(name) && memcmp(field.data, name, field.size) == 0;
}

static void take_field(pp_event_stream *stream, pp_bytes line)
{
    const unsigned char *colon = memchr(line.data, ':', line.size);
    pp_bytes field = line;
    pp_bytes value = {line.data + line.size, 0};

    if (colon != NULL) {
        field.size = (size_t)(colon - line.data);
        value.data = colon + 1;
        value.size = line.size - field.size - 1;
        if (value.size > 0 && value.data[0] == ' ') { /* one only: a blank may be the token */
            value.data++;
            value.size--;
        }
    }
    if (field_is(field, "data")) {
        add_line(&stream->data, &stream->has_data, value);
    } else if (field_is(field, stream->extra_field)) {
        add_line(&stream->extra, &stream->has_extra, value);
    } else if (field_is(field, "event")) {
        pp_buf_clear(&stream->name);
        pp_buf_append(&stream->name, value.data, value.size);
    }
}

/* A whole line without its end. */
static pp_status take_line(pp_event_stream *stream, pp_bytes line, pp_event_handler handler,
                           void *user, pp_error *err)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    pp_status st = check(stream, err);

    if (st != PP_OK)
        return st;
    if (!stream->first_line_done && line.size >= sizeof mark &&
        memcmp(line.data, mark, sizeof mark) == 0) {
        line.data += sizeof mark;
        line.size -= sizeof mark;
    }
    stream->first_line_done = true;
    if (stream->in_comment || (line.size > 0 && line.data[0] == ':'))
        stream->comment_count++;
    else if (line.size == 0)
        st = dispatch(stream, handler, user, err);
    else
        take_field(stream, line);
    stream->in_comment = false;
    pp_buf_clear(&stream->line);
    return st == PP_OK ? check(stream, err) : st;
}

/* Bytes up to the next line end. Two searches, one for each kind of end, would look at the bytes
 * behind a CR again for each line. */
static size_t span_of(const unsigned char *bytes, size_t size)
{
    size_t n = 0;

    for (; n + sizeof(uint64_t) <= size; n += sizeof(uint64_t)) {
        uint64_t word = pp_word_load(bytes + n);
        uint64_t ends = pp_word_equal(word, '\n') | pp_word_equal(word, '\r');

        if (ends != 0)
            return n + pp_word_first(ends);
    }
    while (n < size && bytes[n] != '\n' && bytes[n] != '\r')
        n++;
    return n;
}

/* Comments are not stored, so that their length needs no ceiling. */
static pp_status take_span(pp_event_stream *stream, const unsigned char *bytes, size_t size,
                           pp_error *err)
{
    if (size > 0 && stream->line.size == 0 && bytes[0] == ':')
        stream->in_comment = true;
    if (!stream->in_comment)
        pp_buf_append(&stream->line, bytes, size);
    stream->offset += size;
    return check(stream, err);
}

/* Nothing of this line came before, it is a whole one and no comment: it needs no copy. */
static bool is_own_line(const pp_event_stream *stream, const unsigned char *line, size_t size,
                        const unsigned char *end)
{
    return stream->line.size == 0 && !stream->in_comment && line + size < end &&
           size <= stream->line.max_bytes && line[0] != ':';
}

pp_status pp_event_stream_feed(pp_event_stream *stream, const void *bytes, size_t size,
                               pp_event_handler handler, void *user, pp_error *err)
{
    const unsigned char *at = bytes;
    const unsigned char *end = at + size;
    pp_status st = PP_OK;

    while (st == PP_OK && at < end) {
        pp_bytes line;
        size_t span;

        if (stream->skip_lf && *at == '\n') {
            stream->skip_lf = false;
            stream->offset++;
            at++;
            continue;
        }
        stream->skip_lf = false;
        span = span_of(at, (size_t)(end - at));
        line = (pp_bytes){at, span};
        if (is_own_line(stream, at, span, end)) {
            stream->offset += span;
        } else {
            st = take_span(stream, at, span, err);
            line = bytes_of(&stream->line);
        }
        at += span;
        if (st != PP_OK || at == end)
            break;
        stream->skip_lf = *at == '\r';
        stream->offset++;
        at++;
        st = take_line(stream, line, handler, user, err);
    }
    return st;
}

pp_status pp_event_stream_finish(pp_event_stream *stream, pp_event_handler handler, void *user,
                                 pp_error *err)
{
    pp_status st = PP_OK;

    if (stream->line.size > 0 || stream->in_comment)
        st = take_line(stream, bytes_of(&stream->line), handler, user, err);
    if (st == PP_OK)
        st = dispatch(stream, handler, user, err);
    return st;
}

/* Values of pp_event_watch.matched: 0 to 4 bytes of "data:" agree, then these. */
enum { WATCH_VALUE = 5, WATCH_AFTER_BLANK, WATCH_REST };

bool pp_event_watch_feed(pp_event_watch *watch, const void *bytes, size_t size)
{
    static const char prefix[] = "data:";
    const unsigned char *at = bytes;
    bool found = false;

    for (size_t i = 0; i < size; i++) {
        unsigned char c;

        if (watch->matched == WATCH_REST) {
            i += span_of(at + i, size - i);
            if (i == size)
                break;
        }
        c = at[i];
        if (c == '\n' || c == '\r') {
            watch->matched = 0;
        } else if (watch->matched < WATCH_VALUE) {
            watch->matched =
                c == (unsigned char)prefix[watch->matched] ? watch->matched + 1 : WATCH_REST;
        } else if (watch->matched == WATCH_VALUE && c == ' ') {
            watch->matched = WATCH_AFTER_BLANK;
        } else if (watch->matched != WATCH_REST) {
            found = found || c != ':';
            watch->matched = WATCH_REST;
        }
    }
    return found;
}
