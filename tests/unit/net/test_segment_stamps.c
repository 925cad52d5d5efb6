#include "net/segment_stamps.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/net_tstamp.h>

#include "base/clock.h"
#include "shared.h"

#define APART_NS (10 * PP_NS_PER_MS)
#define PADDING  1000

/* Two ends of a connection over the loopback; what comes at reads is stamped. */
typedef struct pair {
    int reads;
    int writes;
} pair;

static pair connect_pair(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    int on = 1, off = 0;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    pair p = {.writes = socket(AF_INET, SOCK_STREAM, 0)};

    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(p.writes, (struct sockaddr *)&address, size), 0);
    p.reads = accept(listening, NULL, NULL);
    assert_true(p.reads >= 0);
    assert_int_equal(setsockopt(p.reads, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags), 0);
    /* Each write is sent at once; over the loopback, segments stay apart until they are
     * acknowledged, which is put off as for a server that streams its reply to a request. */
    assert_int_equal(setsockopt(p.writes, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    assert_int_equal(setsockopt(p.reads, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof off), 0);
    (void)close(listening);
    /* The kernel begins to stamp a little after the first socket asked for it. */
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 100 * PP_NS_PER_MS);
    return p;
}

static void close_pair(const pair *p)
{
    (void)close(p->reads);
    (void)close(p->writes);
}

/* Padded in front: the kernel joins segments so small that they fit beside the one before. */
static size_t put(const pair *p, const char *text)
{
    char bytes[PADDING + 64];
    size_t size = PADDING + strlen(text);

    memset(bytes, 'x', PADDING);
    memcpy(bytes + PADDING, text, strlen(text));
    assert_int_equal(write(p->writes, bytes, size), (int)size);
    return size;
}

static size_t put_later(const pair *p, const char *text)
{
    pp_clock_sleep_until_ns(pp_clock_now_ns() + APART_NS);
    return put(p, text);
}

/* Found ends and distances. The kernel may have joined neighbours, whose common end is then the
 * later one: what was found must be true, and the last end that of all bytes. */
static void check_found(const pp_segment *found, size_t count, const size_t *ends, size_t n)
{
    size_t k = 0;

    assert_true(count >= 1 && count <= n);
    for (size_t i = 0; i < count; i++) {
        while (k < n && ends[k] != found[i].end)
            k++;
        assert_true(k < n); /* it ends where a write ended, and behind the one before */
        if (i > 0)
            assert_true(found[i].real_ns - found[i - 1].real_ns >= APART_NS / 2);
    }
    assert_int_equal(found[count - 1].end, ends[n - 1]);
}

static size_t look(const pair *p, int budget, pp_segment *found, size_t max)
{
    char buffer[4096];
    int error_number = 0;
    bool is_all = true;
    int64_t first_ns = pp_segment_first(p->reads, &error_number, &is_all);

    assert_false(is_all);
    assert_int_equal(error_number, 0);
    assert_true(first_ns > 0);
    return pp_segments_find(p->reads, first_ns, buffer, sizeof buffer, &budget, found, max);
}

static const struct {
    const char *name;
    const char *writes[3];
} rows[] = {
    {"chunks, whose ends can be guessed",
     {"5\r\nabc\n\n\r\n", "5\r\ndef\n\n\r\n", "4\r\ngh\n\n\r\n"}},
    {"no marks at all", {"abcdefg", "h", "ijklmnopqrstuvwxyz"}},
    {"marks where nothing ends", {"a\n\r\nb\n\r\nc", "d\n\r\ne", "\n\r\n"}},
};

static void each_write_that_came_later_has_its_own_stamp(void **state)
{
    size_t told_apart = 0;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pair p = connect_pair();
        pp_segment found[8];
        size_t ends[3] = {0};
        size_t count;

        print_message("# %s\n", rows[i].name);
        for (size_t k = 0; k < 3; k++) {
            ends[k] = (k > 0 ? ends[k - 1] : 0) + put_later(&p, rows[i].writes[k]);
        }
        count = look(&p, 1000, found, PP_COUNT_OF(found));
        check_found(found, count, ends, 3);
        told_apart += count > 1;
        close_pair(&p);
    }
    assert_true(told_apart > 0);
}

static void one_write_is_one_segment(void **state)
{
    pair p = connect_pair();
    pp_segment found[2];
    size_t size;

    (void)state;
    size = put(&p, "abc\n\r\ndef\n\r\n");
    assert_int_equal(look(&p, 1000, found, 2), 1);
    assert_int_equal(found[0].end, size);
    close_pair(&p);
}

static void the_budget_and_the_room_are_kept(void **state)
{
    pair p = connect_pair();
    pp_segment found[3];
    size_t size;

    (void)state;
    size = put(&p, "abcdefg");
    size += put_later(&p, "hij");
    size += put_later(&p, "klm");
    assert_int_equal(look(&p, 0, found, 3), 0);
    assert_int_equal(look(&p, 1, found, 3), 1); /* all bytes, with the stamp of the first */
    assert_int_equal(found[0].end, size);
    assert_int_equal(look(&p, 1000, found, 1), 1);
    assert_int_equal(found[0].end, size);
    close_pair(&p);
}

static void a_socket_without_bytes_says_so(void **state)
{
    pair p = connect_pair();
    int error_number = 0;
    bool is_all = true;

    (void)state;
    assert_int_equal(pp_segment_first(p.reads, &error_number, &is_all), 0);
    assert_int_equal(error_number, EAGAIN);
    assert_false(is_all);
    close_pair(&p);
}

static int64_t real_now_ns(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    return now.tv_sec * PP_NS_PER_S + now.tv_nsec;
}

/* Two writes, the second one later; where the stamp lies, and for what it holds. */
static const struct {
    const char *name;
    const char *first;
    const char *second;
    bool is_all;
} waiting[] = {
    {"a chunk in two parts has the stamp of the last", "2a\r\ndata: {\"content\":\" a\",",
     "}\n\n\r\n", true},
    {"two chunks have the stamp of the first", "9\r\ndata: a\n\n\r\n", "9\r\ndata: b\n\n\r\n",
     false},
    {"a short reply has the stamp of the last", "HTTP/1.1 200 OK\r\n\r\n", "{}", true},
    {"a head and a chunk have the stamp of the first", "HTTP/1.1 200 OK\r\n\r\n",
     "9\r\ndata: a\n\n\r\n", false},
    {"what has no end has the stamp of the first", "9\r\ndata", ": a", false},
};

static void write_all(const pair *p, const char *text)
{
    assert_int_equal(write(p->writes, text, strlen(text)), (int)strlen(text));
}

static void one_chunk_needs_no_search(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(waiting); i++) {
        pair p = connect_pair();
        int error_number = 0;
        bool is_all = false;
        int64_t between_ns, stamp_ns;

        print_message("# %s\n", waiting[i].name);
        write_all(&p, waiting[i].first);
        pp_clock_sleep_until_ns(pp_clock_now_ns() + APART_NS);
        between_ns = real_now_ns();
        pp_clock_sleep_until_ns(pp_clock_now_ns() + APART_NS);
        write_all(&p, waiting[i].second);
        stamp_ns = pp_segment_first(p.reads, &error_number, &is_all);
        assert_int_equal(error_number, 0);
        assert_int_equal(is_all, waiting[i].is_all);
        if (waiting[i].is_all)
            assert_true(stamp_ns > between_ns);
        close_pair(&p);
    }
}

/* 1,023 bytes are looked at whole, 1,024 are not: more may wait behind them. */
static void a_chunk_that_fills_the_look_is_searched(void **state)
{
    char chunk[1024];

    (void)state;
    memset(chunk, 'x', sizeof chunk);
    for (size_t size = sizeof chunk - 1; size <= sizeof chunk; size++) {
        pair p = connect_pair();
        int error_number = 0;
        bool is_all = false;

        memset(chunk, 'x', sizeof chunk);
        memcpy(chunk + size - 3, "\n\r\n", 3);
        assert_int_equal(write(p.writes, chunk, size), (int)size);
        assert_true(pp_segment_first(p.reads, &error_number, &is_all) > 0);
        assert_int_equal(is_all, size < sizeof chunk);
        close_pair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_write_that_came_later_has_its_own_stamp),
        cmocka_unit_test(one_write_is_one_segment),
        cmocka_unit_test(the_budget_and_the_room_are_kept),
        cmocka_unit_test(a_socket_without_bytes_says_so),
        cmocka_unit_test(one_chunk_needs_no_search),
        cmocka_unit_test(a_chunk_that_fills_the_look_is_searched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
