/* segment_stamps.h - inside net/ only: when the bytes that wait in a socket came.
 *
 * The kernel stamps segments, not reads. Who comes late finds several in the queue, and the stamp
 * of the first one would be too early for the others by as much as they are apart. A peek tells the
 * stamp of the last byte that it covers, so where one segment ends is found by peeks of different
 * lengths. Segments that the kernel has joined have one stamp, that of the last one (K3).
 *
 * Most reads bring one chunk of a stream, or a short reply. One short peek shows that nothing else
 * waits, and tells the stamp of its last byte, which is when it was whole. */
#ifndef PP_NET_SEGMENT_STAMPS_H
#define PP_NET_SEGMENT_STAMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pp_segment {
    size_t end;      /* bytes from the front of the queue up to its last one */
    int64_t real_ns; /* the kernel's stamp, on the wall clock */
} pp_segment;

/** The stamp of the first byte that waits; 0 for none. Where all that waits is one chunk or its
 * end, or a short reply, that of the last byte. ret_errno: set when the socket has an error or
 * nothing waits. ret_is_all: the stamp holds for all that waits. */
int64_t pp_segment_first(int fd, int *ret_errno, bool *ret_is_all);

/**
 * The segments that wait, oldest first; the last one takes in all that were not told apart.
 *
 * first_ns   of pp_segment_first
 * buffer     for peeking, so large as the next read can be
 * budget     of system calls; what is used is taken off, and where it ends nothing more is found
 *
 * Returns how many; 1 when all bytes have one stamp, 0 when there are none.
 */
size_t pp_segments_find(int fd, int64_t first_ns, void *buffer, size_t buffer_size, int *budget,
                        pp_segment *segments, size_t max_segments);

#endif
