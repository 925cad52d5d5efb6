/* event_stream.h - server-sent events out of bytes, cut anywhere.
 *
 * A mechanism without domain words, and pure: no clock, no socket. It lives in base/ and not beside
 * the HTTP client because archived raw streams are decoded again by code that must not reach a
 * network; the client itself never decodes.
 *
 * Lines end in LF, CR or CRLF, also mixed and split between reads (F20). A byte order mark at the
 * start is dropped, one blank behind the colon too, fields other than `data` and `event` are
 * ignored (F21). Several data lines are joined by LF (F22). Comment lines are counted, never
 * delivered (F23). An event is delivered at its blank line when its data is not empty (F24); the
 * last one needs no blank line (F25). Every byte is looked at once, however it is cut (F29).
 *
 * Source: WHATWG HTML, section "server-sent events"; the departures are named where they are made.
 */
#ifndef PP_BASE_EVENT_STREAM_H
#define PP_BASE_EVENT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Log-probabilities, prompt progress and tool calls pass 64 KiB in one event (F29); nothing useful
 * passes this. */
#define PP_EVENT_MAX_BYTES ((size_t)16 << 20)

/* One delivered event; its bytes are borrowed for the call and may hold NUL. */
typedef struct pp_event {
    pp_bytes data;       /* never empty */
    pp_bytes name;       /* of the `event:` field, empty when there was none */
    bool from_extra;     /* data came from the extra field, see pp_event_stream_init */
    uint64_t end_offset; /* which byte of the stream completed it, from 0 */
} pp_event;

/** Called for each event in order. A failure ends the feeding and is passed on. */
typedef pp_status (*pp_event_handler)(void *user, const pp_event *event, pp_error *err);

typedef struct pp_event_stream {
    pp_buf line; /* the unfinished line */
    pp_buf data; /* joined data lines of the unfinished event */
    pp_buf extra;
    pp_buf name;
    const char *extra_field;
    uint64_t offset; /* bytes taken so far */
    uint64_t event_count;
    uint64_t comment_count; /* comment lines, and events whose data begins with a colon */
    uint64_t empty_count;   /* blank data only: a ping of some gateways */
    bool first_line_done;
    bool has_data;
    bool has_extra;
    bool skip_lf; /* the last byte was CR: an LF now belongs to it */
    bool in_comment;
} pp_event_stream;

/**
 * extra_field   NULL, or the name of one more field that is gathered and delivered like data, for
 *               servers that put a failure into a field of its own; borrowed as long as the stream
 * max_bytes     ceiling of a line and of an event's data
 */
void pp_event_stream_init(pp_event_stream *stream, const char *extra_field, size_t max_bytes);
void pp_event_stream_done(pp_event_stream *stream);

/** Take the next bytes. Fails with PP_ERR_LIMIT when an event passes the ceiling, PP_ERR_MEMORY, or
 * as the handler did; the stream may then only be ended. */
PP_MUST_CHECK pp_status pp_event_stream_feed(pp_event_stream *stream, const void *bytes,
                                             size_t size, pp_event_handler handler, void *user,
                                             pp_error *err);

/** The stream has ended: deliver what a missing blank line held back. A departure from the source,
 * which drops it; real servers end in `data: [DONE]` without a line end. */
PP_MUST_CHECK pp_status pp_event_stream_finish(pp_event_stream *stream, pp_event_handler handler,
                                               void *user, pp_error *err);

/* Tells data from keep-alives while a stream is still coming, without memory: for timers that pings
 * must not restart (F11). A zeroed watch is ready. */
typedef struct pp_event_watch {
    unsigned matched; /* how far the line agrees with "data:" and what follows */
} pp_event_watch;

/** True when these bytes hold the first byte of at least one data value that is neither empty nor a
 * comment in disguise. */
bool pp_event_watch_feed(pp_event_watch *watch, const void *bytes, size_t size);

#endif
