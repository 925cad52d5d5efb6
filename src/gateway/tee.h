/* tee.h - watches a reply go by.
 *
 * What it lets through are the very bytes that came (E9), except an event of usage that the client
 * did not ask for. TCP reads, HTTP chunks, events and characters end at places of their own (E7):
 * however the bytes are cut, the same ones go on and the same facts are found.
 *
 * A stream is events of OpenAI's dialect or of llama-server's /completion. Lines end in LF, CR or
 * CRLF, a byte order mark may stand in front (E8). Comments and events named ping are no events
 * (E12). An event that is no JSON, or too large to look at, goes on unread and counts as one
 * without text. Counts are the server's, never ours (E13).
 *
 * Pure: bytes and instants in, bytes and facts out. */
#ifndef PP_GATEWAY_TEE_H
#define PP_GATEWAY_TEE_H

#include "base/text.h"
#include "intake/reply_fields.h"

/* Log-probabilities and tool calls pass 64 KiB in one event; an event above this is not looked at.
 */
#define PP_TEE_EVENT_MAX ((size_t)1 << 20)
/* A plain reply above this goes on unread. */
#define PP_TEE_PLAIN_MAX ((size_t)1 << 20)

typedef struct pp_tee pp_tee;

typedef enum pp_tee_first {
    PP_TEE_NOTHING_YET,
    PP_TEE_FIRST_EVENT, /* the first event with data is no error */
    PP_TEE_FIRST_ERROR  /* it is an error object (E18, G17) */
} pp_tee_first;

typedef struct pp_tee_options {
    bool is_stream;   /* by the media type of the reply: text/event-stream */
    bool strip_usage; /* the client did not ask for the event of usage */
} pp_tee_options;

typedef struct pp_tee_facts {
    pp_tee_first first;
    bool error_seen;       /* an error object, as the first event or later; of the first one: */
    int error_status;      /* its code where that is a status of HTTP; 0: none */
    pp_text error_message; /* the server's words, one line, cut; may name addresses: for logs */
    pp_text error_type;
    int64_t first_text_ns; /* content, reasoning or arguments of a tool call; role preludes and
                              comments are none (E19, G60); 0: none came */
    int64_t last_text_ns;
    uint64_t event_count;   /* with data, the end mark included */
    uint64_t comment_count; /* comment lines, and events named ping */
    uint64_t unread_count;  /* of the events, those too large, or no JSON */
    uint64_t stripped_count;
    bool end_mark;          /* [DONE] went on */
    pp_reply_counts counts; /* usage, timings, drafts; absent when not told (E13, E21) */
    pp_text finish_reason;  /* the last one; empty when none came */
    bool plain_is_error;    /* a plain reply that is only an error object (G36) */
    bool plain_is_no_json;  /* a plain reply that was read, and is no JSON */
} pp_tee_facts;

/** Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_tee_new(const pp_tee_options *options, pp_tee **ret_tee, pp_error *err);

/** Accepts NULL. */
void pp_tee_free(pp_tee *tee);

/**
 * The next bytes of the reply, which came at now_ns. Appends to `out` what may go on now: all of
 * them, but with strip_usage the unfinished event waits.
 *
 * Fails with PP_ERR_MEMORY, and PP_ERR_LIMIT when `out` has no room.
 */
PP_MUST_CHECK pp_status pp_tee_feed(pp_tee *tee, pp_bytes bytes, int64_t now_ns, pp_buf *out,
                                    pp_error *err);

/** The reply is over, and whole: reads what is unfinished, appends what waited. After a reply that
 * broke it is not called; half an event that waits is then no event. Fails as pp_tee_feed. */
PP_MUST_CHECK pp_status pp_tee_finish(pp_tee *tee, int64_t now_ns, pp_buf *out, pp_error *err);

/** Valid as long as the tee; its texts until it is fed again. */
const pp_tee_facts *pp_tee_facts_of(const pp_tee *tee);

/** What has gone on ends between events: an event or a comment of our own splits none (E7, E11). */
bool pp_tee_between_events(const pp_tee *tee);

#endif
