#include "net/http_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/fail_nth.h"

#define FIRST_BYTES ((size_t)1024)
#define FIRST_MARKS ((size_t)8)

void pp_http_output_init(pp_http_output *out, size_t max_bytes,
                         void (*sent)(void *, uint64_t, int64_t), void *user)
{
    *out = (pp_http_output){.max_bytes = max_bytes, .sent = sent, .user = user};
}

void pp_http_output_done(pp_http_output *out)
{
    free(out->data);
    free(out->marks);
    *out = (pp_http_output){0};
}

static void drop_memory(pp_http_output *out)
{
    free(out->data);
    free(out->marks);
    out->data = NULL;
    out->marks = NULL;
    out->capacity = 0;
    out->mark_capacity = 0;
}

void pp_http_output_clear(pp_http_output *out, size_t keep_bytes)
{
    if (out->capacity > keep_bytes || out->mark_capacity * sizeof *out->marks > keep_bytes)
        drop_memory(out);
    out->begin = out->size = 0;
    out->mark_begin = out->mark_count = 0;
    out->taken_bytes = 0;
    out->blocked = out->broken = false;
}

/* Twice and twice again until `wanted` fits; wanted is far from the end of size_t. */
static size_t grown(size_t capacity, size_t first, size_t wanted)
{
    if (capacity == 0)
        capacity = first;
    while (capacity < wanted)
        capacity *= 2;
    return capacity;
}

/* Room for `more` bytes behind those that wait. */
static bool reserve_bytes(pp_http_output *out, size_t more)
{
    size_t capacity = grown(out->capacity, FIRST_BYTES, out->size + more);
    char *data;

    if (out->begin > 0) {
        memmove(out->data, out->data + out->begin, out->size);
        out->begin = 0;
    }
    if (capacity == out->capacity)
        return true;
    data = pp_fail_nth_realloc(out->data, capacity);
    if (data == NULL)
        return false;
    out->data = data;
    out->capacity = capacity;
    return true;
}

static bool append(pp_http_output *out, const void *bytes, size_t size)
{
    if (out->begin + out->size + size > out->capacity && !reserve_bytes(out, size))
        return false;
    if (size > 0)
        memcpy(out->data + out->begin + out->size, bytes, size);
    out->size += size;
    return true;
}

static bool push_mark(pp_http_output *out, uint64_t end, uint64_t tag)
{
    if (out->mark_count == 0)
        out->mark_begin = 0;
    if (out->mark_begin + out->mark_count == out->mark_capacity && out->mark_begin > 0) {
        memmove(out->marks, out->marks + out->mark_begin, out->mark_count * sizeof *out->marks);
        out->mark_begin = 0;
    }
    if (out->mark_count == out->mark_capacity) {
        size_t capacity = grown(out->mark_capacity, FIRST_MARKS, out->mark_count + 1);
        pp_http_mark *marks = pp_fail_nth_realloc(out->marks, capacity * sizeof *marks);

        if (marks == NULL)
            return false;
        out->marks = marks;
        out->mark_capacity = capacity;
    }
    out->marks[out->mark_begin + out->mark_count++] = (pp_http_mark){end, tag};
    return true;
}

/* Report the marks that the kernel has passed. */
static void report_marks(pp_http_output *out, int64_t before_write_ns)
{
    while (out->mark_count > 0 && out->marks[out->mark_begin].end <= out->taken_bytes) {
        uint64_t tag = out->marks[out->mark_begin].tag;

        out->mark_begin++;
        out->mark_count--;
        out->sent(out->user, tag, before_write_ns);
    }
}

/* One write; how many bytes the kernel took, 0 when it takes none or never will again. */
static size_t write_once(pp_http_output *out, int fd, struct iovec *pieces, size_t n_pieces,
                         size_t total, int64_t *ret_before_ns)
{
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = n_pieces};
    ssize_t n;

    do {
        *ret_before_ns = pp_clock_now_ns();
        n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
        out->broken = true;
    else
        out->blocked = n < 0 || (size_t)n < total;
    return n < 0 ? 0 : (size_t)n;
}

static void take_from_queue(pp_http_output *out, size_t n)
{
    out->begin += n;
    out->size -= n;
    if (out->size == 0)
        out->begin = 0;
}

/* Let the part of the pieces behind their first `skip` bytes wait. */
static bool keep_rest(pp_http_output *out, const struct iovec *pieces, size_t n_pieces, size_t skip)
{
    for (size_t i = 0; i < n_pieces; i++) {
        size_t gone = skip < pieces[i].iov_len ? skip : pieces[i].iov_len;

        if (!append(out, (const char *)pieces[i].iov_base + gone, pieces[i].iov_len - gone))
            return false;
        skip -= gone;
    }
    return true;
}

/* Write the queue and the pieces; false when memory for what is left is missing. */
static bool write_pieces(pp_http_output *out, int fd, const struct iovec *pieces, size_t n_pieces,
                         size_t piece_bytes)
{
    struct iovec all[PP_HTTP_OUTPUT_PIECES + 1];
    size_t old_size = out->size;
    int64_t before_ns = 0;
    size_t from_queue;
    size_t taken = 0;

    if (!out->blocked) {
        all[0] = (struct iovec){out->data + out->begin, out->size};
        for (size_t i = 0; i < n_pieces; i++)
            all[i + 1] = pieces[i];
        taken = write_once(out, fd, all + (old_size == 0), n_pieces + (old_size > 0),
                           old_size + piece_bytes, &before_ns);
    }
    if (out->broken)
        return true;
    from_queue = taken < old_size ? taken : old_size;
    take_from_queue(out, from_queue);
    out->taken_bytes += taken;
    report_marks(out, before_ns);
    old_size = out->size;
    if (keep_rest(out, pieces, n_pieces, taken - from_queue))
        return true;
    out->size = old_size;                 /* none of a piece that came to nothing */
    out->broken = taken - from_queue > 0; /* a torn one ends everything */
    return false;
}

static pp_status check_room(const pp_http_output *out, size_t more, pp_error *err)
{
    if (more <= out->max_bytes && out->size <= out->max_bytes - more)
        return PP_OK;
    return pp_fail(err, PP_ERR_LIMIT,
                   "%zu bytes more than the %zu that wait for a slow client: above the ceiling of "
                   "%zu bytes",
                   more, out->size, out->max_bytes);
}

static pp_status no_memory(pp_error *err)
{
    return pp_fail(err, PP_ERR_MEMORY, "no memory for bytes that wait for a client");
}

pp_status pp_http_output_hold(pp_http_output *out, pp_bytes bytes, pp_error *err)
{
    pp_status st = check_room(out, bytes.size, err);

    if (st != PP_OK)
        return st;
    return append(out, bytes.data, bytes.size) ? PP_OK : no_memory(err);
}

static pp_status peer_has_left(pp_error *err)
{
    return pp_fail(err, PP_ERR_PEER, "the client has left");
}

pp_status pp_http_output_put(pp_http_output *out, int fd, const struct iovec *pieces,
                             size_t n_pieces, uint64_t tag, pp_error *err)
{
    size_t bytes = 0;
    pp_status st;

    PP_ASSERT(n_pieces <= PP_HTTP_OUTPUT_PIECES);
    for (size_t i = 0; i < n_pieces; i++)
        bytes += pieces[i].iov_len;
    if (out->broken)
        return peer_has_left(err);
    st = check_room(out, bytes, err);
    if (st != PP_OK)
        return st;
    if (tag != 0 && !push_mark(out, out->taken_bytes + out->size + bytes, tag))
        return no_memory(err);
    if (!write_pieces(out, fd, pieces, n_pieces, bytes)) {
        out->mark_count -= tag != 0;
        return no_memory(err);
    }
    return out->broken ? peer_has_left(err) : PP_OK;
}

void pp_http_output_flush(pp_http_output *out, int fd)
{
    while (out->size > 0 && !out->blocked && !out->broken) {
        if (!write_pieces(out, fd, NULL, 0, 0))
            return; /* never: nothing new has to wait */
    }
}
