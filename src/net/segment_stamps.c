#include "net/segment_stamps.h"

#include <errno.h>
#include <time.h>

#include <linux/errqueue.h> /* needs struct timespec */
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

/* Events of one token are shorter: some 150 to 300 bytes. */
#define CHUNK_MAX_BYTES 1024

typedef struct peeked {
    ssize_t size; /* -1 with error_number */
    int error_number;
    int64_t real_ns; /* of the last byte; 0 for none */
} peeked;

static peeked peek(int fd, void *buffer, size_t size)
{
    char control[CMSG_SPACE(sizeof(struct scm_timestamping)) + 64];
    struct iovec io = {buffer, size};
    struct msghdr head = {
        .msg_iov = &io,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    struct scm_timestamping stamp;
    peeked p = {.size = recvmsg(fd, &head, MSG_PEEK | MSG_DONTWAIT)};

    if (p.size < 0) {
        p.error_number = errno;
        return p;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&head); c != NULL; c = CMSG_NXTHDR(&head, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
            continue;
        memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
        p.real_ns = (int64_t)stamp.ts[0].tv_sec * PP_NS_PER_S + stamp.ts[0].tv_nsec;
    }
    return p;
}

/* The first "\n\r\n"; NULL when there is none. A CR is rare in a stream, so it is what is looked
 * for: a general search would cost more than all the rest of a look. */
static const char *find_mark(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    const char *cr = bytes;

    while ((cr = memchr(cr, '\r', (size_t)(end - cr))) != NULL) {
        if (cr > bytes && cr[-1] == '\n' && end - cr > 1 && cr[1] == '\n')
            return cr - 1;
        cr++;
    }
    return NULL;
}

/* A chunk's line ends behind its data and its size, an event in it ends in a blank line, and so
 * does a head: where something ends within these bytes, "\n\r\n" stands. One chunk has it at its
 * end; a short reply that is not chunked has it once, behind its head. */
static bool is_one_piece(const char *bytes, size_t size)
{
    static const char reply[] = "HTTP/1.";
    const char *end = bytes + size;
    const char *mark = find_mark(bytes, size);

    if (mark == NULL)
        return false;
    mark += 3;
    return mark == end || (size > sizeof reply && memcmp(bytes, reply, sizeof reply - 1) == 0 &&
                           find_mark(mark, (size_t)(end - mark)) == NULL);
}

int64_t pp_segment_first(int fd, int *ret_errno, bool *ret_is_all)
{
    char bytes[CHUNK_MAX_BYTES];
    peeked p = peek(fd, bytes, sizeof bytes);

    *ret_is_all =
        p.size > 0 && (size_t)p.size < sizeof bytes && is_one_piece(bytes, (size_t)p.size);
    if (!*ret_is_all && p.size > 1)
        p = peek(fd, bytes, 1);
    if (p.size < 0)
        *ret_errno = p.error_number;
    return p.real_ns;
}

typedef struct search {
    int fd;
    char *buffer;
    size_t size; /* bytes that wait */
    int *budget;
} search;

/* The stamp of the n-th byte; 0 when the budget is used up. */
static int64_t stamp_at(const search *s, size_t n)
{
    return --*s->budget < 0 ? 0 : peek(s->fd, s->buffer, n).real_ns;
}

/* Servers that stream write whole chunks, or a whole head: "...\n\r\n". Where the next one ends; 0
 * when none does. */
static size_t guess_end(const search *s, size_t from)
{
    const char *mark = find_mark(s->buffer + from, s->size - from);
    size_t end = mark == NULL ? 0 : (size_t)(mark - s->buffer) + 3;

    return end < s->size ? end : 0;
}

/* The end of the segment with the stamp `ns` that holds byte `from`, counted from 1, and the stamp
 * of what follows; the last byte has another one. 0 when the budget is used up. */
static size_t find_end(const search *s, int64_t ns, size_t from, int64_t *ret_next_ns)
{
    size_t guess = guess_end(s, from);
    size_t to = s->size;

    if (guess != 0) {
        int64_t behind_ns = stamp_at(s, guess + 1);

        if (behind_ns == ns) {
            from = guess + 1;
        } else if (stamp_at(s, guess) == ns) {
            *ret_next_ns = behind_ns;
            return behind_ns == 0 ? 0 : guess;
        } else {
            to = guess;
        }
    }
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;

        if (stamp_at(s, middle) == ns)
            from = middle;
        else
            to = middle;
    }
    *ret_next_ns = stamp_at(s, to);
    return *s->budget < 0 ? 0 : from;
}

size_t pp_segments_find(int fd, int64_t first_ns, void *buffer, size_t buffer_size, int *budget,
                        pp_segment *segments, size_t max_segments)
{
    search s = {fd, buffer, 0, budget};
    size_t count = 0;
    size_t from = 1;
    int64_t ns = first_ns;
    peeked all;

    if (--*budget < 0 || max_segments == 0)
        return 0;
    all = peek(fd, buffer, buffer_size);
    if (all.size <= 0)
        return 0;
    s.size = (size_t)all.size;
    /* The kernel may join segments meanwhile, which changes a stamp that was seen before. */
    while (ns != all.real_ns && from < s.size && count + 1 < max_segments) {
        int64_t next_ns = 0;
        size_t end = find_end(&s, ns, from, &next_ns);

        if (end == 0)
            break;
        segments[count++] = (pp_segment){end, ns};
        from = end + 1;
        ns = next_ns;
    }
    segments[count++] = (pp_segment){s.size, ns};
    return count;
}
