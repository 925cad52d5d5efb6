/* wire.h - inside sim/ only: a reply on its way to the HTTP server, with the head, framing and
 * pieces that its quirks ask for.
 *
 * A reply without quirks of framing is framed by the HTTP server. One with them is raw bytes from
 * the first to the last, made here. */
#ifndef PP_SIM_WIRE_H
#define PP_SIM_WIRE_H

#include "net/http_server.h"
#include "sim/lines.h"
#include "sim/quirks.h"

typedef struct pp_sim_wire {
    pp_http_call *call;
    const pp_sim_quirks *quirks;
    bool raw, chunked, open;
    bool closes; /* the end of the body is the end of the connection */
    pp_sim_gzip gzip;
    pp_buf framed; /* scratch */
} pp_sim_wire;

typedef struct pp_sim_head {
    int status;
    const char *content_type;
    const char *retry_after; /* NULL: no such header */
    bool is_stream;
    size_t length; /* of the body; not for streams */
} pp_sim_head;

void pp_sim_wire_init(pp_sim_wire *wire, pp_http_call *call, const pp_sim_quirks *quirks);
void pp_sim_wire_done(pp_sim_wire *wire);

/* Statuses of all: those of pp_http_reply_. */

PP_MUST_CHECK pp_status pp_sim_wire_open(pp_sim_wire *wire, const pp_sim_head *head);
/** tag: as of pp_http_reply_write. */
PP_MUST_CHECK pp_status pp_sim_wire_write(pp_sim_wire *wire, pp_bytes bytes, uint64_t tag);
PP_MUST_CHECK pp_status pp_sim_wire_end(pp_sim_wire *wire);

/** Head, body, end. */
PP_MUST_CHECK pp_status pp_sim_wire_whole(pp_sim_wire *wire, const pp_sim_head *head, pp_bytes body,
                                          uint64_t tag);

#endif
