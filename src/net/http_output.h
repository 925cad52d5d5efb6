/* http_output.h - inside net/ only: bytes on their way to one socket, with stamps.
 *
 * What the kernel does not take waits in order. A marked piece is reported with the instant just
 * before the write that gave its last byte away (K6: a stamp after the write can be later than the
 * receiver's own). */
#ifndef PP_NET_HTTP_OUTPUT_H
#define PP_NET_HTTP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/buffer.h"

/* Pieces of one put: a chunk has its size line, its data and its end. */
#define PP_HTTP_OUTPUT_PIECES 3

typedef struct pp_http_mark {
    uint64_t end; /* in bytes since the beginning of the output */
    uint64_t tag;
} pp_http_mark;

typedef struct pp_http_output {
    char *data; /* what waits: `size` bytes from `begin` */
    size_t begin;
    size_t size;
    size_t capacity;
    size_t max_bytes;
    pp_http_mark *marks; /* mark_count from mark_begin, in order */
    size_t mark_begin;
    size_t mark_count;
    size_t mark_capacity;
    uint64_t taken_bytes; /* by the kernel, since the beginning */
    bool blocked;         /* the kernel takes nothing now; EPOLLOUT ends it */
    bool broken;          /* the peer has left; nothing can be sent any more */
    void (*sent)(void *user, uint64_t tag, int64_t before_write_ns);
    void *user;
} pp_http_output;

void pp_http_output_init(pp_http_output *out, size_t max_bytes,
                         void (*sent)(void *, uint64_t, int64_t), void *user);
void pp_http_output_done(pp_http_output *out);

/** Forget everything for the next connection; up to `keep_bytes` of memory stay. */
void pp_http_output_clear(pp_http_output *out, size_t keep_bytes);

/** Let bytes wait without trying to write them. PP_ERR_LIMIT or PP_ERR_MEMORY: none of them does.
 */
PP_MUST_CHECK pp_status pp_http_output_hold(pp_http_output *out, pp_bytes bytes, pp_error *err);

/** Give what waits and these pieces to the kernel in one write; the rest waits. tag 0: no report.
 * PP_ERR_LIMIT, PP_ERR_MEMORY: nothing of the pieces was sent, unless `broken` is set;
 * PP_ERR_PEER: `broken` is set. */
PP_MUST_CHECK pp_status pp_http_output_put(pp_http_output *out, int fd, const struct iovec *pieces,
                                           size_t n_pieces, uint64_t tag, pp_error *err);

/** Give what waits to the kernel, as far as it takes it. */
void pp_http_output_flush(pp_http_output *out, int fd);

#endif
