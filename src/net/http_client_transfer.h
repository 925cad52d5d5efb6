/* http_client_transfer.h - inside net/ only: one transfer of the client, and what the files that
 * make up the client need of one another.
 *
 * http_client.c starts, runs and ends transfers; http_client_handle.c makes the libcurl handle and
 * keeps it for the next request; http_client_receive.c is what libcurl calls while a transfer runs;
 * http_client_relay.c hands on replies that are not kept, and pauses them; http_client_strict.c
 * refuses what others might read in another way; http_client_limits.c knows which limit is met
 * next; http_client_judge.c says what became of it; http_client_record.c has the memory of the
 * record. */
#ifndef PP_NET_HTTP_CLIENT_TRANSFER_H
#define PP_NET_HTTP_CLIENT_TRANSFER_H

#include "net/http_loop.h"

/* Where requests go: one for all of a loop that ask the same URL in a row, for a level has
 * thousands of transfers and one URL. libcurl only reads it. */
struct pp_http_target {
    size_t user_count; /* transfers, and the loop for the one made last */
    CURLU *parsed;
    bool is_tls; /* bytes of a read are not those of the reply */
    char url[];
};

/* Lines of requests: one list likewise, for all of a loop that send the same ones in a row. */
struct pp_http_headers {
    size_t user_count;
    struct curl_slist *list;
};

struct pp_http_transfer {
    pp_http_loop *loop;
    pp_http_transfer *next;
    pp_http_transfer *previous;
    CURL *easy;
    pp_http_headers *headers; /* set in `easy`, as the target; kept from request to request */
    pp_http_target *target;
    bool has_method; /* a method is set in `easy` */
    bool has_body;
    pp_deadline_node deadline;
    pp_http_handlers handlers;
    pp_http_limits limits;
    pp_http_record *record;
    int64_t data_ns;      /* last data, keep-alives not counted; 0 = none yet */
    uint64_t read_serial; /* of the last arrival */
    uint64_t raw_serial;  /* of the read that raw_size counts */
    size_t raw_size;      /* bytes of this read that libcurl has gone through, framing included */
    size_t segment;       /* of this read, that the last arrival is of */
    uint64_t clock_jump_count; /* of the loop when it started */
    bool refused;              /* our own handling ended it, with record->result set */
    bool checked;              /* status and coding were looked at */
    bool is_chunked;
    bool body_full; /* of an error reply: the rest is of no interest */
    bool relay;
    bool is_paused;
    bool resume_due; /* in the next turn */
    int64_t paused_since_ns;
    int64_t paused_ns;      /* before the first data, all pauses */
    uint64_t relayed_bytes; /* of the body */
    size_t head_bytes;      /* of all heads, interim ones and trailers too; relayed replies only */
    bool in_head;           /* the next line of a relayed reply is not a status line */
    char curl_text[CURL_ERROR_SIZE];
};

/* ---- the record (http_client_record.c) ------------------------------------------------------ */

/** Empty, but with its memory. */
void pp_http_record_restart(pp_http_record *record);

/** Room for one more arrival; false when memory is short. */
bool pp_http_record_grow(pp_http_record *record);

/* ---- limits (http_client_limits.c) ---------------------------------------------------------- */

typedef struct pp_http_limit {
    int64_t at_ns; /* 0 = none */
    pp_http_result result;
} pp_http_limit;

/** The limit that this transfer meets next. */
pp_http_limit pp_http_next_limit(const pp_http_transfer *t);

/** Put the transfer into the loop's heap of deadlines, or move it there. */
void pp_http_arm_limit(pp_http_transfer *t);

/** Data came: the limits of first byte and silence start anew. */
void pp_http_note_data(pp_http_transfer *t);

const char *pp_http_limit_text(pp_http_result result);

/* ---- while it runs (http_client_receive.c) -------------------------------------------------- */

/** Everything that libcurl calls back for this transfer. */
void pp_http_set_callbacks(pp_http_transfer *t);

/** Our own handling ends it; 0, which makes libcurl do so when a callback returns it. */
size_t pp_http_refuse(pp_http_transfer *t, pp_http_result result, const char *text);

bool pp_http_status_is_success(int status);
bool pp_http_is_compressed(const pp_http_transfer *t);

/** Of the reply; "" when absent. */
const char *pp_http_find_header(const pp_http_transfer *t, const char *name);

/** NULL is empty; cut to the room. */
void pp_http_copy_text(const char *text, char *out, size_t out_size);

/* ---- replies that are handed on (http_client_relay.c) --------------------------------------- */

/** Whether a line of a relayed reply's head, or of its trailers, reads the same to everybody; it
 * has been refused when not. */
bool pp_http_relay_line(pp_http_transfer *t, const char *line, size_t size);

/** The headers of a final head frame the reply in one way only; refused as above. */
bool pp_http_relay_framing(pp_http_transfer *t);

/** The head is whole; what libcurl's header function returns for `size` bytes. */
size_t pp_http_relay_head(pp_http_transfer *t, size_t size);

/** What libcurl's write function returns. */
size_t pp_http_relay_body(pp_http_transfer *t, const char *bytes, size_t size);

/** Take up a paused transfer again; hands over what waited. It may have ended afterwards. */
void pp_http_go_on(pp_http_transfer *t);

/* ---- ends (http_client.c) -------------------------------------------------------------------- */

void pp_http_end_by_us(pp_http_transfer *t, pp_http_result result, const char *text);

/* ---- what became of it (http_client_judge.c) ------------------------------------------------ */

/** Fill in what libcurl knows of reply and connection; while the handle still has it. */
void pp_http_note_reply(pp_http_transfer *t);

/** Set the result and its text, unless our own handling has. */
void pp_http_judge(pp_http_transfer *t, CURLcode code);

/* ---- the handle (http_client_handle.c) ------------------------------------------------------ */

/** A transfer that was put aside, else a new one. Fails with PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_http_transfer_take(pp_http_loop *loop, pp_http_transfer **ret_transfer,
                                              pp_error *err);

/** Set in the handle what this request has of its own. Fails as pp_http_start does. */
PP_MUST_CHECK pp_status pp_http_transfer_prepare(pp_http_transfer *t,
                                                 const pp_http_request *request, pp_error *err);

/** Keeps the handle with all that is set in it for the next request (K14). */
void pp_http_transfer_put_aside(pp_http_transfer *t);
void pp_http_transfer_free(pp_http_transfer *t);

/** One user less; NULL is none. */
void pp_http_target_release(pp_http_target *target);
void pp_http_headers_release(pp_http_headers *headers);

/** The URL as messages may show it: neither user and password nor query (they can be secrets). */
void pp_http_safe_url(const char *url, char *out, size_t out_size);

#endif
