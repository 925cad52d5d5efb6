/* tee_event.h - inside gateway/ only: what one event, or a plain reply, says. */
#ifndef PP_GATEWAY_TEE_EVENT_H
#define PP_GATEWAY_TEE_EVENT_H

#include "gateway/tee.h"

typedef struct pp_tee_reader {
    pp_tee_facts facts; /* its texts are the arrays below */
    char error_message[512];
    char error_type[64];
    char finish_reason[64];
    pp_buf data;      /* of an event with several lines of it */
    pp_arena scratch; /* of one event */
    pp_status st;
} pp_tee_reader;

void pp_tee_reader_init(pp_tee_reader *reader);
void pp_tee_reader_done(pp_tee_reader *reader);

/** A whole event as its bytes came, line ends included. True when it is one of usage alone. */
bool pp_tee_read_event(pp_tee_reader *reader, pp_bytes event, int64_t now_ns);

/** An event with data that nobody looked at. */
void pp_tee_note_unread(pp_tee_reader *reader);

void pp_tee_read_plain(pp_tee_reader *reader, pp_bytes body);

PP_MUST_CHECK pp_status pp_tee_reader_check(const pp_tee_reader *reader, pp_error *err);

#endif
