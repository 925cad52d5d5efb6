#include "net/http_server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_fixture.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)
#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* ---- requests -------------------------------------------------------------------------------- */

static void act_echo(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    char text[128];
    pp_error err = {0};

    (void)f;
    assert_true(pp_http_call_request(call) == request);
    assert_in_range(request->arrived_ns, pp_clock_now_ns() - PATIENCE, pp_clock_now_ns());
    (void)snprintf(text, sizeof text, "%lld.%lld %.*s %zu", (long long)request->connection_serial,
                   (long long)request->request_serial, (int)request->path.size, request->path.data,
                   request->body.size);
    assert_ok(pp_http_reply_text(call, 200, NULL, bytes_of(text), &err), err);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    http_fixture *f = fixture_start(act_echo);
    int fd = client_dial(f);

    (void)state;
    client_say(
        fd, "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
            "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
            "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n");
    client_expect(f, fd, "three",
                  "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.1 /1 2"
                  "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.2 /2 1"
                  "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\n1.3 /3 0",
                  true);
    assert_string_equal(pp_buf_text(&f->log), "/1 ended /2 ended /3 ended ");
    close(fd);
    fixture_stop(f);
}

static void the_next_request_waits_for_the_end_of_the_reply(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);

    (void)state;
    client_say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
    fixture_await(f, "/1 ");
    for (int i = 0; i < 5; i++)
        fixture_turn(f, 2 * MS);
    assert_string_equal(pp_buf_text(&f->log), "/1 ");
    reply_raw(f->call, "x"); /* between turns */
    reply_end(f->call);
    fixture_await(f, "/2 ");
    assert_string_equal(pp_buf_text(&f->log), "/1 ended /2 ");
    close(fd);
    fixture_stop(f);
}

static void a_large_body_in_small_pieces_arrives_whole(void **state)
{
    http_fixture *f = fixture_start(act_echo);
    int fd = client_dial(f);
    char piece[997];

    (void)state;
    memset(piece, 'x', sizeof piece);
    client_say(fd, "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 997000\r\n\r\n");
    for (int i = 0; i < 1000; i++) {
        client_say_bytes(fd, piece, sizeof piece);
        fixture_turn(f, 0);
    }
    client_expect(f, fd, "body", "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n1.1 /b 997000",
                  false);
    close(fd);
    fixture_stop(f);
}

static void a_continue_is_sent_before_the_body(void **state)
{
    http_fixture *f = fixture_start(act_echo);
    int fd = client_dial(f);

    (void)state;
    client_say(fd,
               "POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    client_expect(f, fd, "100", "HTTP/1.1 100 Continue\r\n\r\n", false);
    client_say(fd, "ab");
    client_expect(f, fd, "200", "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.1 /c 2", false);
    /* no need for it when the body is already there */
    client_say(
        fd, "POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab");
    client_expect(f, fd, "200", "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.2 /c 2", false);
    close(fd);
    fixture_stop(f);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(http_fixture *f, int fd, const char *status, const char *text)
{
    char want[256];

    (void)snprintf(want, sizeof want,
                   "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                   "%zu\r\nConnection: close\r\n\r\n%s\n",
                   status, strlen(text) + 1, text);
    client_expect(f, fd, status, want, true);
}

static void a_refusal_is_readable_although_more_comes(void **state)
{
    static char body[200000];
    pp_http_server_options options;
    http_fixture *f = fixture_new(act_ok);
    int fd;

    (void)state;
    options = fixture_options(f);
    options.body_max_bytes = 1000;
    fixture_start_with(options, f);
    fd = client_dial(f);
    client_say(
        fd, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n");
    client_say_bytes(fd, body,
                     sizeof body); /* unread input would turn a plain close into a reset */
    expect_refusal(f, fd, "413 Content Too Large", "the body is larger than 1000 bytes");
    assert_string_equal(pp_buf_text(&f->log), ""); /* no call was made of it */
    assert_int_equal(pp_http_server_counts_of(f->server).refused_count, 1);
    close(fd);
    for (int i = 0; i < 10 && pp_http_server_counts_of(f->server).open > 0; i++)
        fixture_turn(f, 5 * MS);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    fixture_stop(f);
}

static void what_was_before_a_refusal_is_answered(void **state)
{
    http_fixture *f = fixture_start(act_echo);
    int fd = client_dial(f);
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    client_say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost : a\r\n\r\n");
    assert_true(client_hear(f, fd, SIZE_MAX, &heard));
    assert_contains(pp_buf_text(&heard), "1.1 /1 0HTTP/1.1 400 Bad Request\r\n");
    pp_buf_done(&heard);
    close(fd);
    fixture_stop(f);
}

static http_fixture *start_impatient(void (*act)(http_fixture *, pp_http_call *,
                                                 const pp_http_request_view *))
{
    http_fixture *f = fixture_new(act);
    pp_http_server_options options = fixture_options(f);

    options.head_timeout_ns = 40 * MS;
    options.body_timeout_ns = 60 * MS;
    options.keep_alive_timeout_ns = 80 * MS;
    options.send_timeout_ns = 100 * MS;
    options.linger_timeout_ns = 50 * MS;
    fixture_start_with(options, f);
    return f;
}

static void what_stops_coming_is_refused_in_time(void **state)
{
    http_fixture *f = start_impatient(act_ok);
    int64_t started_ns = pp_clock_now_ns();
    int fd = client_dial(f);

    (void)state;
    client_say(fd, "GET / HT");
    expect_refusal(f, fd, "408 Request Timeout", "the head stopped coming");
    assert_in_range(pp_clock_now_ns() - started_ns, 40 * MS, 1000 * MS);
    close(fd);
    fd = client_dial(f);
    started_ns = pp_clock_now_ns();
    client_say(fd, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    expect_refusal(f, fd, "408 Request Timeout", "the body stopped coming");
    assert_in_range(pp_clock_now_ns() - started_ns, 60 * MS, 1000 * MS);
    close(fd);
    fd = client_dial(f);
    started_ns = pp_clock_now_ns();
    client_expect(f, fd, "idle", "", true); /* nothing was asked: nothing is said */
    assert_in_range(pp_clock_now_ns() - started_ns, 80 * MS, 1000 * MS);
    close(fd);
    fixture_stop(f);
}

static void a_client_that_reads_nothing_is_left_in_time(void **state)
{
    static const unsigned char much[8 << 20];
    http_fixture *f = start_impatient(act_wait);
    int fd = client_dial(f);
    pp_error err = {0};

    (void)state;
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_CLOSE, 0);
    assert_ok(pp_http_reply_write(f->call, (pp_bytes){much, sizeof much}, 7, &err), err);
    reply_end(f->call);
    fixture_await(f, "gone ended ");
    assert_int_equal(f->sent_count, 0);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    close(fd);
    fixture_stop(f);
}

static void too_many_connections_are_told_so(void **state)
{
    http_fixture *f = fixture_new(act_ok);
    pp_http_server_options options = fixture_options(f);
    int fds[3];

    (void)state;
    options.connection_max_count = 2;
    fixture_start_with(options, f);
    for (int i = 0; i < 3; i++)
        fds[i] = client_dial(f);
    expect_refusal(f, fds[2], "503 Service Unavailable", "too many connections");
    client_say(fds[0], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    client_expect(f, fds[0], "first", HTTP_OK_REPLY, false);
    close(fds[1]);
    close(fds[2]);
    for (int i = 0; i < 10; i++)
        fixture_turn(f, 1 * MS);
    fds[1] = client_dial(f);
    client_say(fds[1], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    client_expect(f, fds[1], "room again", HTTP_OK_REPLY, false);
    close(fds[0]);
    close(fds[1]);
    fixture_stop(f);
}

/* ---- leaving --------------------------------------------------------------------------------- */

static void leave_by_close(int fd)
{
    close(fd);
}

static void leave_by_half_close(int fd)
{
    shutdown(fd, SHUT_WR);
}

static void leave_by_reset(int fd)
{
    struct linger now = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static const struct {
    const char *name;
    void (*leave)(int fd);
    const char *unread; /* sent beforehand, not yet read by the server */
    bool streaming;     /* a part of the reply has been sent */
} leavers[] = {
    {"close", leave_by_close, "", false},
    {"close while it streams", leave_by_close, "", true},
    {"close with unread bytes", leave_by_close, GET GET, false},
    {"half-close", leave_by_half_close, "", false},
    {"half-close with unread bytes, streaming", leave_by_half_close, GET, true},
    {"reset", leave_by_reset, "", false},
    {"reset with unread bytes, streaming", leave_by_reset, GET, true},
};

static void a_client_that_leaves_is_noticed_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(leavers); i++) {
        http_fixture *f = fixture_start(act_wait);
        int fd = client_dial(f);
        int64_t left_ns;

        client_say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
        fixture_await(f, "/1 ");
        if (leavers[i].streaming) {
            reply_begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
            reply_write(f->call, "x");
        }
        client_say(fd, leavers[i].unread);
        for (int t = 0; t < 5; t++)
            fixture_turn(f, 1 * MS);
        assert_string_equal(pp_buf_text(&f->log), "/1 ");
        left_ns = pp_clock_now_ns();
        leavers[i].leave(fd);
        fixture_await(f, "ended ");
        if (strcmp(pp_buf_text(&f->log), "/1 gone ended ") != 0 ||
            f->gone_ns - left_ns > 250 * MS) /* the time that design and K19 leave */
            fail_msg("%s: '%s' after %lld ns", leavers[i].name, pp_buf_text(&f->log),
                     (long long)(f->gone_ns - left_ns));
        assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
        assert_int_equal(pp_http_server_counts_of(f->server).gone_count, 1);
        if (leavers[i].leave == leave_by_half_close)
            close(fd);
        fixture_stop(f);
    }
}

static void writing_to_one_that_left_is_a_status(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);
    pp_error err = {0};
    pp_status st = PP_OK;

    (void)state;
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    leave_by_reset(fd);
    for (int i = 0; i < 100 && st == PP_OK; i++) { /* no turn: the server does not know yet */
        st = pp_http_reply_write(f->call, bytes_of("x"), 0, &err);
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 1 * MS);
    }
    assert_int_equal(st, PP_ERR_PEER);
    assert_string_equal(pp_buf_text(&f->log), "/ "); /* told by the turn, never from within */
    fixture_await(f, "gone ended ");
    fixture_stop(f);
}

static void a_reset_is_seen_as_one(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char byte;

    (void)state;
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    pp_http_reply_reset(f->call);
    assert_int_equal(pp_http_reply_write(f->call, bytes_of("x"), 0, NULL), PP_ERR_BUG);
    fixture_await(f, "ended ");
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    assert_int_equal(poll(&ready, 1, 1000), 1);
    assert_int_equal(recv(fd, &byte, 1, 0), -1);
    assert_int_equal(errno, ECONNRESET);
    close(fd);
    fixture_stop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelined_requests_are_answered_in_order),
        cmocka_unit_test(the_next_request_waits_for_the_end_of_the_reply),
        cmocka_unit_test(a_large_body_in_small_pieces_arrives_whole),
        cmocka_unit_test(a_continue_is_sent_before_the_body),
        cmocka_unit_test(a_refusal_is_readable_although_more_comes),
        cmocka_unit_test(what_was_before_a_refusal_is_answered),
        cmocka_unit_test(what_stops_coming_is_refused_in_time),
        cmocka_unit_test(a_client_that_reads_nothing_is_left_in_time),
        cmocka_unit_test(too_many_connections_are_told_so),
        cmocka_unit_test(a_client_that_leaves_is_noticed_at_once),
        cmocka_unit_test(writing_to_one_that_left_is_a_status),
        cmocka_unit_test(a_reset_is_seen_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
