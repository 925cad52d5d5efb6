/* tape_server.h - a server that says what its tape says: given bytes at given pauses.
 *
 * It listens on 127.0.0.1 on a free port, in a thread of its own, one further thread for each
 * connection. It writes its bytes as they stand, so a test can say anything, also what no HTTP
 * library would. */
#ifndef PP_TESTS_TAPE_SERVER_H
#define PP_TESTS_TAPE_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct tape_piece {
    int pause_ms; /* before it is written */
    const char *bytes;
    size_t size; /* 0 means strlen */
} tape_piece;

typedef enum tape_end {
    TAPE_CLOSE, /* orderly */
    TAPE_RESET, /* RST */
    TAPE_HOLD,  /* say nothing more until the client leaves */
    TAPE_KEEP   /* wait for the next request on this connection */
} tape_end;

typedef struct tape {
    const char *path; /* answers requests whose target begins so; NULL answers all */
    const tape_piece *pieces;
    size_t piece_count;
    tape_end end;
    /** When set it makes the whole reply, instead of pieces. */
    void (*respond)(const char *request, pp_buf *reply);
} tape;

typedef struct tape_server tape_server;

/** Each request takes the first matching tape that is not used up; the last matching one serves
 * again and again. Fails the running test when it cannot start. Tapes are borrowed. */
tape_server *tape_server_start(const tape *tapes, size_t n_tapes);
void tape_server_stop(tape_server *server);

/** "http://127.0.0.1:PORT" + path, valid until the next call. */
const char *tape_server_url(tape_server *server, const char *path);

size_t tape_server_request_count(tape_server *server);
size_t tape_server_connection_count(tape_server *server);

/** Head and body of the n-th request as they came; "" when there were fewer. Valid until stop. */
const char *tape_server_request(tape_server *server, size_t n);

/** Monotonic instants just before the n-th write of the server; 0 when there were fewer (K6). */
int64_t tape_server_written_ns(tape_server *server, size_t n);

/** A port on 127.0.0.1 where nobody listens. */
int tape_unused_port(void);

#define TAPE(pieces_, end_)                                                                        \
    {                                                                                              \
        NULL, (pieces_), sizeof(pieces_) / sizeof((pieces_)[0]), (end_), NULL                      \
    }

#endif
