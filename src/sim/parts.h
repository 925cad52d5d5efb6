/* parts.h - inside sim/ only: the server and one request of it. */
#ifndef PP_SIM_PARTS_H
#define PP_SIM_PARTS_H

#include "sim/say.h"
#include "sim/sim.h"
#include "sim/slots.h"
#include "sim/truth.h"
#include "sim/wire.h"
#include "sim/words.h"

/* Prompts that came before, by hash; a later one takes the place of an earlier one. */
#define PP_SIM_SEEN_COUNT      65536
/* The whole text of an answer; and the largest event: 32 MiB of padding. */
#define PP_SIM_TEXT_MAX_BYTES  ((size_t)256 << 20)
#define PP_SIM_EVENT_MAX_BYTES ((size_t)512 << 20)

/* Of a number in the log. */
#define PP_SIM_NOT_KNOWN (-1)

typedef struct pp_sim_call pp_sim_call;

struct pp_sim {
    pp_sim_options options;
    pp_http_server *http;
    pp_sim_slots slots;
    pp_sim_slot_state *slot_states;
    pp_sim_truth *truth;
    pp_sim_state state; /* counters; completed before it is shown */
    uint64_t *seen;
    int64_t started_ns;
    int64_t started_s;       /* wall clock, for `created` */
    int64_t first_answer_ns; /* arrival of the first request for an answer; 0: none yet */
    int64_t serial;
    int64_t *tape_counts; /* requests for each path of the tape, by section; [section_count]: for
                             answers */
    pp_buf out;           /* scratch: one event or one reply */
    pp_buf lines;         /* scratch: the same as lines */
    pp_arena grown;       /* memory that faults ask for */
    bool stopping;
};

struct pp_sim_call {
    pp_sim_job job; /* the first member: a job of the slots is the call around it */
    pp_sim *sim;
    pp_http_call *http;                  /* NULL when the client has left */
    const pp_http_request_view *request; /* as long as http is there */
    pp_arena arena;
    pp_sim_quirks quirks;
    pp_sim_wire wire;
    int64_t serial;
    int status; /* 0: no head was sent */
    pp_sim_outcome outcome;
    bool is_answer;   /* counted as a request for an answer */
    const char *path; /* of an answer: the first name of its end point */
    bool is_over;     /* end, close or reset was called */
    pp_http_timer timer, ping;

    /* an answer */
    pp_sim_ask ask;
    pp_sim_reply reply;
    pp_text source; /* of an answer from a file, what is left of it */
    bool has_source;
    bool ends_itself; /* the limit is the answer's own */
    int64_t limit;    /* tokens */
    int64_t due_ns;   /* of the next step */
    int64_t first_token_ns;
    int64_t step; /* the one that is due, from 1 */
    int64_t progress_left;
    bool finishing; /* the finish event is out, the rest waits for its pause */
    bool role_said;

    /* a stream */
    pp_buf held;        /* events that wait to be gathered */
    int64_t events;     /* made */
    int64_t held_count; /* of these, held */
    int64_t sent_events;
    size_t pending_from; /* text not yet said: that of tokens that share an event */
    int64_t pending_tokens;
    int64_t last_write_ns;

    /* a tape */
    const pp_sim_tape_section *section;
    pp_sim_tape_place place;
};

/* ---- generate.c -------------------------------------------------------------------------------
 */

/** Begin an answer: read the request, take a slot or a place in the queue. */
void pp_sim_answer_begin(pp_sim_call *call, pp_sim_dialect dialect);
/** The client has left, or the call was broken off: the slot goes to the next one, now or when its
 * quirks say. Returns true when the call lives on without a client. */
bool pp_sim_answer_cancel(pp_sim_call *call);

/* ---- stream.c ---------------------------------------------------------------------------------
 */

/** An event with this JSON in sim->out, or what the quirks make of it. */
void pp_sim_emit(pp_sim_call *call);
void pp_sim_emit_named(pp_sim_call *call, const char *name, bool is_event);
/** [DONE]. */
void pp_sim_emit_done(pp_sim_call *call);
/** Send the head of the stream if it was not sent. */
void pp_sim_stream_open(pp_sim_call *call);
/** Hand over what is held. */
void pp_sim_stream_flush(pp_sim_call *call);
void pp_sim_stream_end(pp_sim_call *call);
/** Begin to send pings. */
void pp_sim_ping_start(pp_sim_call *call);

/* ---- play.c -----------------------------------------------------------------------------------
 */

/** Answer by a tape. */
void pp_sim_play(pp_sim_call *call, const pp_sim_tape_section *section);

/* ---- sim.c ------------------------------------------------------------------------------------
 */

/** The line of its arrival, with what is known of the request; only for an answer. */
void pp_sim_log_arrival(const pp_sim_call *call);
/** A whole reply of this content. */
void pp_sim_reply_whole(pp_sim_call *call, int status, const char *type, const char *retry_after,
                        pp_bytes body);
void pp_sim_reply_error(pp_sim_call *call, int status, const char *type, const char *message);
void pp_sim_call_close(pp_sim_call *call);
void pp_sim_call_reset(pp_sim_call *call);
/** Forget a call whose client left and whose work is done. */
void pp_sim_call_free(pp_sim_call *call);
/** After a failed write: nothing more can be said. */
void pp_sim_call_broken(pp_sim_call *call, pp_status st);

/* A tag: event, tokens and bytes of a write; what is larger is shown as the largest. */
#define PP_SIM_TAG_BYTES_MAX  ((uint64_t)(1 << 20) - 1)
#define PP_SIM_TAG_TOKENS_MAX ((uint64_t)(1 << 22) - 1)

uint64_t pp_sim_tag(int64_t event, int64_t tokens, size_t bytes);

#endif
