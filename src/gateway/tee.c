#include "gateway/tee.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"
#include "gateway/tee_event.h"

/* Memory for one large event is not kept for the small ones that follow. */
#define KEPT_BYTES ((size_t)64 << 10)

static const unsigned char mark[] = {0xef, 0xbb, 0xbf};

/* What becomes of an LF behind the CR that was read last: it belongs to the same line end. */
typedef enum late_lf { NOT_LATE, LATE_IN_EVENT, LATE_GOES_ON, LATE_IS_DROPPED } late_lf;

struct pp_tee {
    pp_tee_options options;
    pp_tee_reader reader;
    pp_buf event; /* of a stream the unfinished event, or all of a plain reply; empty when unread */
    bool unread;  /* this event, or this plain reply, is too large */
    bool only_comments; /* all whole lines of the event */
    size_t line_size;   /* of the unfinished line */
    unsigned char line_first;
    size_t mark_size; /* bytes of a byte order mark seen at the start */
    bool mark_over;
    size_t skip; /* bytes at the front of the event that are a mark */
    late_lf late;
    bool passed_half; /* bytes of the unfinished event have gone on */
};

pp_status pp_tee_new(const pp_tee_options *options, pp_tee **ret_tee, pp_error *err)
{
    pp_tee *tee = pp_fail_nth_malloc(sizeof *tee);

    if (tee == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a reply");
    memset(tee, 0, sizeof *tee);
    tee->options = *options;
    tee->only_comments = true;
    pp_buf_init(&tee->event, options->is_stream ? PP_TEE_EVENT_MAX : PP_TEE_PLAIN_MAX);
    pp_tee_reader_init(&tee->reader);
    *ret_tee = tee;
    return PP_OK;
}

void pp_tee_free(pp_tee *tee)
{
    if (tee == NULL)
        return;
    pp_buf_done(&tee->event);
    pp_tee_reader_done(&tee->reader);
    free(tee);
}

const pp_tee_facts *pp_tee_facts_of(const pp_tee *tee)
{
    return &tee->reader.facts;
}

bool pp_tee_between_events(const pp_tee *tee)
{
    return tee->options.is_stream && !tee->passed_half;
}

/* ---- what goes on ---------------------------------------------------------------------------- */

static bool waits(const pp_tee *tee)
{
    return tee->options.strip_usage && !tee->unread;
}

static void clear_event(pp_tee *tee)
{
    if (tee->event.capacity > KEPT_BYTES) {
        size_t max_bytes = tee->event.max_bytes;

        pp_buf_done(&tee->event);
        pp_buf_init(&tee->event, max_bytes);
    }
    pp_buf_clear(&tee->event);
}

/* It goes on as it is, now and what follows of it. */
static void give_up_reading(pp_tee *tee, pp_buf *out)
{
    if (waits(tee))
        pp_buf_append(out, tee->event.data, tee->event.size);
    clear_event(tee);
    tee->unread = true;
}

/* Bytes of the event, kept for reading; they go on at once unless the event waits. */
static void take(pp_tee *tee, const unsigned char *bytes, size_t size, pp_buf *out)
{
    if (!tee->unread && size > tee->event.max_bytes - tee->event.size)
        give_up_reading(tee, out);
    if (!tee->unread)
        pp_buf_append(&tee->event, bytes, size);
    if (!waits(tee)) {
        pp_buf_append(out, bytes, size);
        tee->passed_half = true;
    }
}

/* ---- lines and events ------------------------------------------------------------------------ */

static bool line_is_comment(const pp_tee *tee)
{
    return tee->line_size > 0 && tee->line_first == ':';
}

static void begin_event(pp_tee *tee)
{
    clear_event(tee);
    tee->unread = false;
    tee->only_comments = true;
    tee->passed_half = false;
    tee->skip = 0;
}

/* Comments in front of an event need not wait for it: they are signs of life. */
static void let_comments_go(pp_tee *tee, pp_buf *out)
{
    if (waits(tee))
        pp_buf_append(out, tee->event.data, tee->event.size);
    begin_event(tee);
}

static pp_bytes unmarked_event(const pp_tee *tee)
{
    return (pp_bytes){(const unsigned char *)pp_buf_text(&tee->event) + tee->skip,
                      tee->event.size - tee->skip};
}

/* True when it goes on. */
static bool end_event(pp_tee *tee, int64_t now_ns, pp_buf *out)
{
    bool is_usage = false;

    if (!tee->unread)
        is_usage = pp_tee_read_event(&tee->reader, unmarked_event(tee), now_ns);
    else if (!tee->only_comments)
        pp_tee_note_unread(&tee->reader);
    if (waits(tee) && is_usage)
        tee->reader.facts.stripped_count++;
    else if (waits(tee))
        pp_buf_append(out, tee->event.data, tee->event.size);
    is_usage = is_usage && waits(tee);
    begin_event(tee);
    return !is_usage;
}

/* Behind the first byte of a line end; what would become of an LF that belongs to it. */
static late_lf end_line(pp_tee *tee, int64_t now_ns, pp_buf *out)
{
    bool is_comment = line_is_comment(tee);
    bool is_blank = tee->line_size == 0;

    tee->line_size = 0;
    if (is_blank)
        return end_event(tee, now_ns, out) ? LATE_GOES_ON : LATE_IS_DROPPED;
    if (is_comment)
        tee->reader.facts.comment_count++;
    else
        tee->only_comments = false;
    if (!tee->only_comments)
        return LATE_IN_EVENT;
    let_comments_go(tee, out);
    return LATE_GOES_ON;
}

/* An LF behind a CR that cut ended. */
static void take_late(pp_tee *tee, const unsigned char *byte, pp_buf *out)
{
    if (tee->late == LATE_IN_EVENT)
        take(tee, byte, 1, out);
    else if (tee->late == LATE_GOES_ON)
        pp_buf_append(out, byte, 1);
    else if (!tee->options.strip_usage)
        pp_buf_append(out, byte, 1);
}

/* Bytes of a byte order mark at the start are of no line; those that turn out to be none are. */
static size_t take_mark(pp_tee *tee, const unsigned char *bytes, size_t size, pp_buf *out)
{
    size_t taken = 0;

    while (taken < size && tee->mark_size < sizeof mark && bytes[taken] == mark[tee->mark_size]) {
        tee->mark_size++;
        taken++;
    }
    if (taken > 0)
        take(tee, bytes, taken, out);
    tee->skip = tee->mark_size == sizeof mark ? sizeof mark : 0;
    if (tee->mark_size == sizeof mark || taken < size)
        tee->mark_over = true;
    if (tee->mark_over && tee->mark_size > 0 && tee->mark_size < sizeof mark) {
        tee->line_size = tee->mark_size;
        tee->line_first = mark[0];
    }
    return taken;
}

static size_t size_of_line_part(const unsigned char *bytes, size_t size)
{
    const unsigned char *lf = memchr(bytes, '\n', size);
    size_t part = lf == NULL ? size : (size_t)(lf - bytes);
    const unsigned char *cr = memchr(bytes, '\r', part);

    return cr == NULL ? part : (size_t)(cr - bytes);
}

/* The part of a line, or its end; how many bytes that were. */
static size_t take_some(pp_tee *tee, const unsigned char *bytes, size_t size, int64_t now_ns,
                        pp_buf *out)
{
    size_t part;

    if (tee->late != NOT_LATE && bytes[0] == '\n') {
        take_late(tee, bytes, out);
        tee->late = NOT_LATE;
        return 1;
    }
    tee->late = NOT_LATE;
    if (!tee->mark_over && (part = take_mark(tee, bytes, size, out)) > 0)
        return part;
    part = size_of_line_part(bytes, size);
    if (part == 0) {
        late_lf late;

        take(tee, bytes, 1, out);
        late = end_line(tee, now_ns, out);
        tee->late = bytes[0] == '\r' ? late : NOT_LATE;
        return 1;
    }
    if (tee->line_size == 0)
        tee->line_first = bytes[0];
    tee->line_size += part;
    take(tee, bytes, part, out);
    return part;
}

static pp_status check(const pp_tee *tee, const pp_buf *out, pp_error *err)
{
    pp_status st = pp_buf_check(&tee->event, "event of a reply", err);

    if (st == PP_OK)
        st = pp_tee_reader_check(&tee->reader, err);
    return st == PP_OK ? pp_buf_check(out, "bytes of a reply", err) : st;
}

pp_status pp_tee_feed(pp_tee *tee, pp_bytes bytes, int64_t now_ns, pp_buf *out, pp_error *err)
{
    size_t at = 0;

    if (!tee->options.is_stream) {
        pp_buf_append(out, bytes.data, bytes.size);
        if (!tee->unread && bytes.size > tee->event.max_bytes - tee->event.size) {
            clear_event(tee);
            tee->unread = true;
        } else if (!tee->unread) {
            pp_buf_append(&tee->event, bytes.data, bytes.size);
        }
        return check(tee, out, err);
    }
    while (at < bytes.size)
        at += take_some(tee, bytes.data + at, bytes.size - at, now_ns, out);
    return check(tee, out, err);
}

pp_status pp_tee_finish(pp_tee *tee, int64_t now_ns, pp_buf *out, pp_error *err)
{
    if (!tee->options.is_stream) {
        if (!tee->unread)
            pp_tee_read_plain(
                &tee->reader,
                (pp_bytes){(const unsigned char *)pp_buf_text(&tee->event), tee->event.size});
        return check(tee, out, err);
    }
    if (line_is_comment(tee))
        tee->reader.facts.comment_count++;
    else if (tee->line_size > 0)
        tee->only_comments = false;
    tee->line_size = 0;
    tee->late = NOT_LATE;
    (void)end_event(tee, now_ns, out);
    return check(tee, out, err);
}
