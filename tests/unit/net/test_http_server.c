#include "net/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "shared.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)
#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* ---- a server under test, driven in the test's own thread ------------------------------------ */

typedef struct fixture {
    pp_http_server *server;
    void (*act)(struct fixture *f, pp_http_call *call, const pp_http_request_view *request);
    pp_http_call *call; /* the last one, until it ended */
    pp_buf log;         /* what the handlers were told, one word for each */
    int64_t gone_ns;
    int64_t sent_ns[4096];
    uint64_t sent_tags[4096];
    size_t sent_count;
    size_t drained_count;
} fixture;

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

static void on_request(void *user, pp_http_call *call, const pp_http_request_view *request)
{
    fixture *f = user;

    f->call = call;
    pp_buf_printf(&f->log, "%.*s ", (int)request->path.size, request->path.data);
    f->act(f, call, request);
}

static void on_sent(void *user, pp_http_call *call, uint64_t tag, int64_t before_write_ns)
{
    fixture *f = user;

    (void)call;
    assert_true(f->sent_count < PP_COUNT_OF(f->sent_ns));
    f->sent_tags[f->sent_count] = tag;
    f->sent_ns[f->sent_count++] = before_write_ns;
}

static void on_drained(void *user, pp_http_call *call)
{
    fixture *f = user;

    assert_int_equal(pp_http_reply_queued(call), 0);
    f->drained_count++;
}

static void on_gone(void *user, pp_http_call *call)
{
    fixture *f = user;

    (void)call;
    f->gone_ns = pp_clock_now_ns();
    pp_buf_append_text(&f->log, "gone ");
}

static void on_ended(void *user, pp_http_call *call)
{
    fixture *f = user;

    if (f->call == call)
        f->call = NULL;
    pp_buf_append_text(&f->log, "ended ");
}

static void act_ok(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_error err = {0};

    (void)f;
    (void)request;
    assert_ok(pp_http_reply_text(call, 200, "text/plain", bytes_of("ok"), &err), err);
}

static void act_wait(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    (void)f;
    (void)call;
    (void)request;
}

static pp_http_server_options options_of(fixture *f)
{
    pp_http_server_options options;

    pp_http_server_options_default(&options);
    options.handlers =
        (pp_http_server_handlers){on_request, on_sent, on_drained, on_gone, on_ended, f};
    return options;
}

static fixture *start_with(pp_http_server_options options, fixture *f)
{
    pp_error err = {0};

    assert_ok(pp_http_server_new(&options, &f->server, &err), err);
    return f;
}

static fixture *new_fixture(void (*act)(fixture *, pp_http_call *, const pp_http_request_view *))
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->act = act;
    pp_buf_init(&f->log, 1 << 20);
    return f;
}

static fixture *start(void (*act)(fixture *, pp_http_call *, const pp_http_request_view *))
{
    fixture *f = new_fixture(act);

    return start_with(options_of(f), f);
}

static void stop(fixture *f)
{
    pp_http_server_free(f->server);
    pp_buf_done(&f->log);
    free(f);
}

static void turn(fixture *f, int64_t wait_ns)
{
    pp_error err = {0};

    assert_ok(pp_http_server_turn(f->server, pp_clock_now_ns() + wait_ns, &err), err);
}

/* ---- a client -------------------------------------------------------------------------------- */

static int dial(fixture *f)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(pp_http_server_port(f->server)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static void say_bytes(int fd, const char *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

static void say(int fd, const char *text)
{
    say_bytes(fd, text, strlen(text));
}

/* Read what is there; 0 at the end of the stream, -1 with errno. */
static ssize_t hear_some(int fd, pp_buf *heard)
{
    char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);

    if (n > 0)
        pp_buf_append(heard, bytes, (size_t)n);
    return n;
}

/* Run the server until the client has heard `want` bytes or the end; true for the end. */
static bool hear(fixture *f, int fd, size_t want, pp_buf *heard)
{
    int64_t deadline_ns = pp_clock_now_ns() + PATIENCE;

    while (heard->size < want) {
        ssize_t n;

        turn(f, 1 * MS);
        n = hear_some(fd, heard);
        if (n == 0)
            return true;
        if (n < 0 && errno != EAGAIN)
            fail_msg("client: %s after '%s'", strerror(errno), pp_buf_text(heard));
        if (pp_clock_now_ns() > deadline_ns)
            fail_msg("waited too long after '%s'", pp_buf_text(heard));
    }
    return false;
}

/* Exactly this, and nothing more within 20 ms; `closes`: then the end. */
static void expect(fixture *f, int fd, const char *name, const char *want, bool closes)
{
    int64_t quiet_ns;
    pp_buf heard;
    bool closed;

    pp_buf_init(&heard, 1 << 20);
    closed = hear(f, fd, closes ? SIZE_MAX : strlen(want), &heard);
    quiet_ns = pp_clock_now_ns() + 20 * MS;
    while (!closed && pp_clock_now_ns() < quiet_ns) {
        turn(f, 1 * MS);
        closed = hear_some(fd, &heard) == 0;
    }
    if (strcmp(pp_buf_text(&heard), want) != 0 || closed != closes)
        fail_msg("%s: got\n%s\n(closed %d), wanted\n%s\n(closed %d)", name, pp_buf_text(&heard),
                 closed, want, closes);
    pp_buf_done(&heard);
}

/* Turns until a word has appeared in the log. */
static void await(fixture *f, const char *word)
{
    int64_t deadline_ns = pp_clock_now_ns() + PATIENCE;

    while (strstr(pp_buf_text(&f->log), word) == NULL) {
        if (pp_clock_now_ns() > deadline_ns)
            fail_msg("'%s' did not come: '%s'", word, pp_buf_text(&f->log));
        turn(f, 1 * MS);
    }
}

/* ---- framing of replies ---------------------------------------------------------------------- */

static void begin(pp_http_call *call, int status, pp_http_framing framing, uint64_t length)
{
    pp_http_header header = {pp_text_of("X-A"), pp_text_of("b")};
    pp_error err = {0};

    assert_ok(pp_http_reply_begin(call, status, &header, 1, framing, length, &err), err);
}

static void put(pp_http_call *call, const char *text)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_write(call, bytes_of(text), 0, &err), err);
}

static void put_raw(pp_http_call *call, const char *text)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_raw(call, bytes_of(text), 0, &err), err);
}

static void end(pp_http_call *call)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_end(call, &err), err);
}

/* The path says what to do. */
static void act_by_path(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_text path = request->path;

    if (pp_text_is(path, "/text")) {
        act_ok(f, call, request);
        return;
    }
    if (pp_text_is(path, "/length") || pp_text_is(path, "/short"))
        begin(call, 200, PP_HTTP_FRAME_LENGTH, 3);
    else if (pp_text_is(path, "/chunked") || pp_text_is(path, "/broken"))
        begin(call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    else if (pp_text_is(path, "/close"))
        begin(call, 200, PP_HTTP_FRAME_CLOSE, 0);
    else if (pp_text_is(path, "/none"))
        begin(call, 204, PP_HTTP_FRAME_LENGTH, 0);
    if (pp_text_is(path, "/raw"))
        put_raw(call, "HTTP/1.1 299 Mine\r\ncontent-length: 1\r\n\r\nx");
    else if (pp_text_is(path, "/nothing"))
        pp_http_reply_close(call);
    else if (!pp_text_is(path, "/none"))
        put(call, "ab");
    if (pp_text_is(path, "/broken"))
        put_raw(call, "zz\r\n");
    if (pp_text_is(path, "/broken") || pp_text_is(path, "/short")) {
        pp_http_reply_close(call);
    } else if (!pp_text_is(path, "/nothing")) {
        if (!pp_text_is(path, "/none") && !pp_text_is(path, "/raw"))
            put(call, "c");
        end(call);
    }
}

#define OK_HEAD "HTTP/1.1 200 OK\r\nX-A: b\r\n"

static const struct {
    const char *name;
    const char *request;
    const char *reply;
    bool closes;
} framed[] = {
    {"text", "GET /text HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok", false},
    {"text, and the client closes", "GET /text HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: "
     "close\r\n\r\nok",
     true},
    {"text to HEAD", "HEAD /text HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n", false},
    {"text to 1.0", "GET /text HTTP/1.0\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: "
     "close\r\n\r\nok",
     true},
    {"text to 1.0 that goes on", "GET /text HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
     "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: "
     "keep-alive\r\n\r\nok",
     false},
    {"length in two pieces", "GET /length HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Content-Length: 3\r\n\r\nabc", false},
    {"chunks", "GET /chunked HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", false},
    {"chunks to HEAD", "HEAD /chunked HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Transfer-Encoding: chunked\r\n\r\n", false},
    {"chunks to 1.0", "GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
     OK_HEAD "Connection: close\r\n\r\nabc", true},
    {"to the close", "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Connection: close\r\n\r\nabc", true},
    {"204", "GET /none HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n",
     false},
    {"raw", "GET /raw HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 299 Mine\r\ncontent-length: 1\r\n\r\nx", false},
    {"a chunk broken on purpose", "GET /broken HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n", true},
    {"less than its length", "GET /short HTTP/1.1\r\nHost: a\r\n\r\n",
     OK_HEAD "Content-Length: 3\r\n\r\nab", true},
    {"no word at all", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "", true},
};

static void each_reply_is_framed_as_declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(framed); i++) {
        fixture *f = start(act_by_path);
        int fd = dial(f);

        say(fd, framed[i].request);
        expect(f, fd, framed[i].name, framed[i].reply, framed[i].closes);
        assert_contains(pp_buf_text(&f->log), " ended ");
        if (!framed[i].closes) { /* and the connection still works */
            say(fd, framed[0].request);
            expect(f, fd, framed[i].name, framed[0].reply, false);
        }
        assert_int_equal(pp_http_server_counts_of(f->server).open, framed[i].closes ? 0 : 1);
        assert_int_equal(pp_http_server_counts_of(f->server).gone_count, 0);
        close(fd);
        stop(f);
    }
}

/* A stream socket does not show where writes end; a trace of the kernel would. What can be seen:
 * one report for each piece, and no byte of the next piece before its report. */
static void each_piece_leaves_by_itself(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);
    pp_error err = {0};
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    assert_int_equal(hear_some(fd, &heard), -1); /* the head waits for its first piece */
    for (uint64_t tag = 1; tag <= 3; tag++) {
        int64_t before_ns = pp_clock_now_ns();

        assert_ok(pp_http_reply_write(f->call, bytes_of("data: x\n\n"), tag, &err), err);
        assert_true(hear_some(fd, &heard) > 0); /* no turn in between */
        assert_int_equal(f->sent_count, tag);
        assert_int_equal(f->sent_tags[tag - 1], tag);
        assert_in_range(f->sent_ns[tag - 1], before_ns, pp_clock_now_ns());
    }
    assert_string_equal(pp_buf_text(&heard), OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
                                                     "9\r\ndata: x\n\n\r\n9\r\ndata: x\n\n\r\n"
                                                     "9\r\ndata: x\n\n\r\n");
    pp_buf_done(&heard);
    close(fd);
    stop(f);
}

static void a_head_alone_leaves_with_the_turn(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);

    (void)state;
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_LENGTH, 1);
    assert_true(pp_http_reply_queued(f->call) > 0);
    expect(f, fd, "head", OK_HEAD "Content-Length: 1\r\n\r\n", false);
    assert_int_equal(f->drained_count, 0); /* it did not wait for the kernel */
    close(fd);
    stop(f);
}

static void act_all_wrong(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    static const struct {
        const char *name;
        const char *value;
    } headers[] = {
        {"", "x"},
        {"a b", "x"},
        {"a:", "x"},
        {"a\r\nb", "x"},
        {"a", "x\r\nb: c"},
        {"a", "x\ny"},
        {"a", "\x1b[31m"},
        {"content-length", "3"},
        {"Transfer-Encoding", "chunked"},
        {"CONNECTION", "close"},
    };
    pp_error err = {0};

    (void)f;
    (void)request;
    assert_int_equal(pp_http_reply_write(call, bytes_of("x"), 0, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_end(call, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_begin(call, 199, NULL, 0, PP_HTTP_FRAME_LENGTH, 0, &err),
                     PP_ERR_RANGE);
    assert_int_equal(pp_http_reply_begin(call, 600, NULL, 0, PP_HTTP_FRAME_LENGTH, 0, &err),
                     PP_ERR_RANGE);
    assert_int_equal(pp_http_reply_begin(call, 204, NULL, 0, PP_HTTP_FRAME_LENGTH, 1, &err),
                     PP_ERR_RANGE);
    assert_int_equal(pp_http_reply_begin(call, 304, NULL, 0, PP_HTTP_FRAME_CHUNKED, 0, &err),
                     PP_ERR_RANGE);
    for (size_t i = 0; i < PP_COUNT_OF(headers); i++) {
        pp_http_header header = {pp_text_of(headers[i].name), pp_text_of(headers[i].value)};
        pp_status st = pp_http_reply_begin(call, 200, &header, 1, PP_HTTP_FRAME_CLOSE, 0, &err);

        if (st != PP_ERR_RANGE)
            fail_msg("header %zu: %s", i, pp_status_name(st));
    }
    begin(call, 200, PP_HTTP_FRAME_LENGTH, 3);
    assert_int_equal(pp_http_reply_begin(call, 200, NULL, 0, PP_HTTP_FRAME_LENGTH, 0, &err),
                     PP_ERR_BUG);
    put(call, "ab");
    assert_int_equal(pp_http_reply_write(call, bytes_of("cd"), 0, &err), PP_ERR_RANGE);
    assert_string_equal(err.text, "body of a reply: 3 bytes declared, got 4");
    assert_int_equal(pp_http_reply_end(call, &err), PP_ERR_RANGE);
    put(call, "c");
    assert_int_equal(pp_http_reply_write(call, bytes_of("d"), 0, NULL), PP_ERR_RANGE);
    end(call);
    assert_int_equal(pp_http_reply_end(call, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_write(call, bytes_of("x"), 0, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_raw(call, bytes_of("x"), 0, &err), PP_ERR_BUG);
}

static void a_wrong_reply_is_a_status_and_harms_nothing(void **state)
{
    fixture *f = start(act_all_wrong);
    int fd = dial(f);

    (void)state;
    say(fd, GET);
    expect(f, fd, "after all", OK_HEAD "Content-Length: 3\r\n\r\nabc", false);
    close(fd);
    stop(f);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void act_echo(fixture *f, pp_http_call *call, const pp_http_request_view *request)
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
    fixture *f = start(act_echo);
    int fd = dial(f);

    (void)state;
    say(fd, "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
            "POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
            "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(f, fd, "three",
           "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.1 /1 2"
           "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.2 /2 1"
           "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\n1.3 /3 0",
           true);
    assert_string_equal(pp_buf_text(&f->log), "/1 ended /2 ended /3 ended ");
    close(fd);
    stop(f);
}

static void the_next_request_waits_for_the_end_of_the_reply(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);

    (void)state;
    say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
    await(f, "/1 ");
    for (int i = 0; i < 5; i++)
        turn(f, 2 * MS);
    assert_string_equal(pp_buf_text(&f->log), "/1 ");
    put_raw(f->call, "x"); /* between turns */
    end(f->call);
    await(f, "/2 ");
    assert_string_equal(pp_buf_text(&f->log), "/1 ended /2 ");
    close(fd);
    stop(f);
}

static void a_large_body_in_small_pieces_arrives_whole(void **state)
{
    fixture *f = start(act_echo);
    int fd = dial(f);
    char piece[997];

    (void)state;
    memset(piece, 'x', sizeof piece);
    say(fd, "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 997000\r\n\r\n");
    for (int i = 0; i < 1000; i++) {
        say_bytes(fd, piece, sizeof piece);
        turn(f, 0);
    }
    expect(f, fd, "body", "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n1.1 /b 997000", false);
    close(fd);
    stop(f);
}

static void a_continue_is_sent_before_the_body(void **state)
{
    fixture *f = start(act_echo);
    int fd = dial(f);

    (void)state;
    say(fd, "POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    expect(f, fd, "100", "HTTP/1.1 100 Continue\r\n\r\n", false);
    say(fd, "ab");
    expect(f, fd, "200", "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.1 /c 2", false);
    /* no need for it when the body is already there */
    say(fd, "POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab");
    expect(f, fd, "200", "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1.2 /c 2", false);
    close(fd);
    stop(f);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(fixture *f, int fd, const char *status, const char *text)
{
    char want[256];

    (void)snprintf(want, sizeof want,
                   "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                   "%zu\r\nConnection: close\r\n\r\n%s\n",
                   status, strlen(text) + 1, text);
    expect(f, fd, status, want, true);
}

static void a_refusal_is_readable_although_more_comes(void **state)
{
    static char body[200000];
    pp_http_server_options options;
    fixture *f = new_fixture(act_ok);
    int fd;

    (void)state;
    options = options_of(f);
    options.body_max_bytes = 1000;
    start_with(options, f);
    fd = dial(f);
    say(fd, "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 200000\r\n\r\n");
    say_bytes(fd, body, sizeof body); /* unread input would turn a plain close into a reset */
    expect_refusal(f, fd, "413 Content Too Large", "the body is larger than 1000 bytes");
    assert_string_equal(pp_buf_text(&f->log), ""); /* no call was made of it */
    assert_int_equal(pp_http_server_counts_of(f->server).refused_count, 1);
    close(fd);
    for (int i = 0; i < 10 && pp_http_server_counts_of(f->server).open > 0; i++)
        turn(f, 5 * MS);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    stop(f);
}

static void what_was_before_a_refusal_is_answered(void **state)
{
    fixture *f = start(act_echo);
    int fd = dial(f);
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost : a\r\n\r\n");
    assert_true(hear(f, fd, SIZE_MAX, &heard));
    assert_contains(pp_buf_text(&heard), "1.1 /1 0HTTP/1.1 400 Bad Request\r\n");
    pp_buf_done(&heard);
    close(fd);
    stop(f);
}

static fixture *start_impatient(void (*act)(fixture *, pp_http_call *,
                                            const pp_http_request_view *))
{
    fixture *f = new_fixture(act);
    pp_http_server_options options = options_of(f);

    options.head_timeout_ns = 40 * MS;
    options.body_timeout_ns = 60 * MS;
    options.keep_alive_timeout_ns = 80 * MS;
    options.send_timeout_ns = 100 * MS;
    options.linger_timeout_ns = 50 * MS;
    return start_with(options, f);
}

static void what_stops_coming_is_refused_in_time(void **state)
{
    fixture *f = start_impatient(act_ok);
    int64_t started_ns = pp_clock_now_ns();
    int fd = dial(f);

    (void)state;
    say(fd, "GET / HT");
    expect_refusal(f, fd, "408 Request Timeout", "the head stopped coming");
    assert_in_range(pp_clock_now_ns() - started_ns, 40 * MS, 1000 * MS);
    close(fd);
    fd = dial(f);
    started_ns = pp_clock_now_ns();
    say(fd, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    expect_refusal(f, fd, "408 Request Timeout", "the body stopped coming");
    assert_in_range(pp_clock_now_ns() - started_ns, 60 * MS, 1000 * MS);
    close(fd);
    fd = dial(f);
    started_ns = pp_clock_now_ns();
    expect(f, fd, "idle", "", true); /* nothing was asked: nothing is said */
    assert_in_range(pp_clock_now_ns() - started_ns, 80 * MS, 1000 * MS);
    close(fd);
    stop(f);
}

static void a_client_that_reads_nothing_is_left_in_time(void **state)
{
    static const unsigned char much[8 << 20];
    fixture *f = start_impatient(act_wait);
    int fd = dial(f);
    pp_error err = {0};

    (void)state;
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_CLOSE, 0);
    assert_ok(pp_http_reply_write(f->call, (pp_bytes){much, sizeof much}, 7, &err), err);
    end(f->call);
    await(f, "gone ended ");
    assert_int_equal(f->sent_count, 0);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    close(fd);
    stop(f);
}

static void too_many_connections_are_told_so(void **state)
{
    fixture *f = new_fixture(act_ok);
    pp_http_server_options options = options_of(f);
    int fds[3];

    (void)state;
    options.connection_max_count = 2;
    start_with(options, f);
    for (int i = 0; i < 3; i++)
        fds[i] = dial(f);
    expect_refusal(f, fds[2], "503 Service Unavailable", "too many connections");
    say(fds[0], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(f, fds[0], "first", framed[0].reply, false);
    close(fds[1]);
    close(fds[2]);
    for (int i = 0; i < 10; i++)
        turn(f, 1 * MS);
    fds[1] = dial(f);
    say(fds[1], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(f, fds[1], "room again", framed[0].reply, false);
    close(fds[0]);
    close(fds[1]);
    stop(f);
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
        fixture *f = start(act_wait);
        int fd = dial(f);
        int64_t left_ns;

        say(fd, "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
        await(f, "/1 ");
        if (leavers[i].streaming) {
            begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
            put(f->call, "x");
        }
        say(fd, leavers[i].unread);
        for (int t = 0; t < 5; t++)
            turn(f, 1 * MS);
        assert_string_equal(pp_buf_text(&f->log), "/1 ");
        left_ns = pp_clock_now_ns();
        leavers[i].leave(fd);
        await(f, "ended ");
        if (strcmp(pp_buf_text(&f->log), "/1 gone ended ") != 0 ||
            f->gone_ns - left_ns > 250 * MS) /* the time that design and K19 leave */
            fail_msg("%s: '%s' after %lld ns", leavers[i].name, pp_buf_text(&f->log),
                     (long long)(f->gone_ns - left_ns));
        assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
        assert_int_equal(pp_http_server_counts_of(f->server).gone_count, 1);
        if (leavers[i].leave == leave_by_half_close)
            close(fd);
        stop(f);
    }
}

static void writing_to_one_that_left_is_a_status(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);
    pp_error err = {0};
    pp_status st = PP_OK;

    (void)state;
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    leave_by_reset(fd);
    for (int i = 0; i < 100 && st == PP_OK; i++) { /* no turn: the server does not know yet */
        st = pp_http_reply_write(f->call, bytes_of("x"), 0, &err);
        pp_clock_sleep_until_ns(pp_clock_now_ns() + 1 * MS);
    }
    assert_int_equal(st, PP_ERR_PEER);
    assert_string_equal(pp_buf_text(&f->log), "/ "); /* told by the turn, never from within */
    await(f, "gone ended ");
    stop(f);
}

static void a_reset_is_seen_as_one(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    char byte;

    (void)state;
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    pp_http_reply_reset(f->call);
    assert_int_equal(pp_http_reply_write(f->call, bytes_of("x"), 0, NULL), PP_ERR_BUG);
    await(f, "ended ");
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    assert_int_equal(poll(&ready, 1, 1000), 1);
    assert_int_equal(recv(fd, &byte, 1, 0), -1);
    assert_int_equal(errno, ECONNRESET);
    close(fd);
    stop(f);
}

/* ---- a slow reader --------------------------------------------------------------------------- */

#define PIECE_BYTES 65536

/* Fill the way to the client until the ceiling refuses; how many pieces went in. */
static uint64_t fill(fixture *f, const unsigned char *piece)
{
    pp_error err = {0};
    uint64_t n = 0;

    for (pp_status st = PP_OK; st == PP_OK; n += st == PP_OK) {
        st = pp_http_reply_write(f->call, (pp_bytes){piece, PIECE_BYTES}, n + 1, &err);
        if (st != PP_OK)
            assert_int_equal(st, PP_ERR_LIMIT);
        assert_true(n < 4000);
    }
    return n;
}

static void a_slow_reader_has_a_bounded_queue_and_loses_nothing(void **state)
{
    static unsigned char piece[PIECE_BYTES];
    fixture *f = new_fixture(act_wait);
    pp_http_server_options options = options_of(f);
    uint64_t pieces;
    pp_buf heard;
    int fd;

    (void)state;
    options.backlog_max_bytes = 1 << 20;
    start_with(options, f);
    fd = dial(f);
    pp_buf_init(&heard, (size_t)256 << 20);
    say(fd, GET);
    await(f, "/ ");
    begin(f->call, 200, PP_HTTP_FRAME_CLOSE, 0);
    pieces = fill(f, piece);
    assert_in_range(pp_http_reply_queued(f->call), (1 << 20) - PIECE_BYTES, 1 << 20);
    assert_true(f->sent_count < pieces);
    while (f->drained_count == 0)
        (void)hear(f, fd, heard.size + 1, &heard);
    assert_int_equal(f->sent_count, pieces);
    for (size_t i = 0; i < f->sent_count; i++) {
        assert_int_equal(f->sent_tags[i], i + 1);
        assert_true(i == 0 || f->sent_ns[i] >= f->sent_ns[i - 1]);
    }
    put(f->call, "x");
    end(f->call);
    assert_true(hear(f, fd, SIZE_MAX, &heard));
    assert_int_equal(heard.size,
                     strlen(OK_HEAD "Connection: close\r\n\r\n") + pieces * PIECE_BYTES + 1);
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    pp_buf_done(&heard);
    close(fd);
    stop(f);
}

/* ---- timers ---------------------------------------------------------------------------------- */

#define TIMERS 10000

typedef struct alarm_clock {
    pp_http_timer timer;
    pp_http_server *server;
    int64_t due_ns;
    int *next; /* counts firings of all */
    int fired; /* its place among them, from 1; 0 = not fired */
    int again;
} alarm_clock;

static void ring(void *user, int64_t now_ns)
{
    alarm_clock *a = user;

    assert_true(now_ns >= a->due_ns);
    assert_int_equal(a->timer.slot, 0);
    a->fired = ++*a->next;
    if (a->again-- > 0)
        pp_http_timer_set(a->server, &a->timer, a->due_ns);
}

static int by_due(const void *a, const void *b)
{
    const alarm_clock *x = a;
    const alarm_clock *y = b;

    if (x->due_ns != y->due_ns)
        return x->due_ns < y->due_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void ten_thousand_timers_fire_in_order(void **state)
{
    static alarm_clock alarms[TIMERS];
    fixture *f = start(act_ok);
    int64_t start_ns = pp_clock_now_ns() + 20 * MS;
    unsigned seed = 1;
    int fired = 0;
    int canceled = 0;

    (void)state;
    for (int i = 0; i < TIMERS; i++) {
        seed = seed * 1103515245u + 12345u;
        alarms[i] = (alarm_clock){.timer = {.fire = ring, .user = &alarms[i]},
                                  .server = f->server,
                                  .due_ns = start_ns + (int64_t)(seed >> 16) % 1000 * 30000,
                                  .next = &fired};
    }
    qsort(alarms, TIMERS, sizeof alarms[0], by_due); /* the wanted order is that of the array */
    for (int i = 0; i < TIMERS; i++)
        alarms[i].timer.user = &alarms[i];
    for (int i = 0; i < TIMERS; i += 2) /* odd ones after even ones would break ties: so moved */
        pp_http_timer_set(f->server, &alarms[i].timer, start_ns + 900 * MS);
    for (int i = 0; i < TIMERS; i++)
        pp_http_timer_set(f->server, &alarms[i].timer, alarms[i].due_ns);
    assert_int_equal(pp_http_server_next_timer_ns(f->server), alarms[0].due_ns);
    for (int i = 5; i < TIMERS; i += 7, canceled++)
        pp_http_timer_cancel(f->server, &alarms[i].timer);
    while (fired < TIMERS - canceled)
        turn(f, 100 * MS);
    for (int i = 0, place = 0; i < TIMERS; i++) {
        if (i % 7 == 5)
            assert_int_equal(alarms[i].fired, 0);
        else
            assert_int_equal(alarms[i].fired, ++place);
    }
    assert_int_equal(pp_http_server_next_timer_ns(f->server), 0);
    stop(f);
}

static void a_timer_that_is_always_late_starves_nobody(void **state)
{
    fixture *f = start(act_ok);
    int fired = 0;
    alarm_clock a = {
        .timer = {.fire = ring}, .server = f->server, .next = &fired, .again = 1 << 30};
    int fd = dial(f);

    (void)state;
    a.timer.user = &a;
    pp_http_timer_set(f->server, &a.timer, 0);
    say(fd, "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(f, fd, "beside it", framed[0].reply, false);
    assert_true(fired > 1);
    pp_http_timer_cancel(f->server, &a.timer);
    pp_http_timer_cancel(f->server, &a.timer);
    close(fd);
    stop(f);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, timeout_ms) == 1;
}

static void look(fixture *f)
{
    pp_error err = {0};

    assert_ok(pp_http_server_turn(f->server, PP_HTTP_LOOK, &err), err);
}

/* As it stands in the set of another loop: turned only when its descriptor asks for it. */
static void its_descriptor_tells_when_there_is_work(void **state)
{
    fixture *f = start(act_wait);
    int set = pp_http_server_fd(f->server);
    int fired = 0;
    alarm_clock a = {.timer = {.fire = ring}, .server = f->server, .next = &fired};
    int fd = dial(f);
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    say(fd, GET GET);
    while (f->call == NULL) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    while (is_readable(set, 20))
        look(f);
    a.timer.user = &a;
    a.due_ns = pp_clock_now_ns() + 30 * MS;
    pp_http_timer_set(f->server, &a.timer, a.due_ns); /* outside of a turn */
    while (fired == 0) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    begin(f->call, 200, PP_HTTP_FRAME_LENGTH, 0); /* a held head and the next request */
    end(f->call);
    while (strcmp(pp_buf_text(&f->log), "/ ended / ") != 0) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    assert_true(hear_some(fd, &heard) > 0);
    pp_buf_done(&heard);
    close(fd);
    stop(f);
}

static void *wake_soon(void *server)
{
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 20 * MS);
    pp_http_server_wake(server);
    return NULL;
}

static void another_thread_can_wake_it(void **state)
{
    fixture *f = start(act_ok);
    int64_t started_ns = pp_clock_now_ns();
    pthread_t thread;
    pp_error err = {0};

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wake_soon, f->server), 0);
    assert_ok(pp_http_server_turn(f->server, 0, &err), err);
    assert_in_range(pp_clock_now_ns() - started_ns, 15 * MS, PATIENCE);
    pthread_join(thread, NULL);
    stop(f);
}

static volatile sig_atomic_t stopped;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static void it_runs_until_told_to_stop(void **state)
{
    struct sigaction action = {.sa_handler = on_alarm};
    fixture *f = new_fixture(act_ok);
    pp_http_server_options options = options_of(f);
    bool done = true;
    pp_error err = {0};

    (void)state;
    stopped = 0;
    options.stop = &stopped;
    start_with(options, f);
    assert_ok(pp_http_server_run(f->server, &done, &err), err);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    alarm(1);
    assert_ok(pp_http_server_run(f->server, NULL, &err), err);
    assert_int_equal(stopped, 1);
    stop(f);
}

static void draining_ends_what_is_idle_and_lets_the_rest_finish(void **state)
{
    fixture *f = start(act_wait);
    int idle = dial(f);
    int busy = dial(f);
    pp_error err = {0};

    (void)state;
    say(busy, GET);
    await(f, "/ ");
    while (pp_http_server_counts_of(f->server).open < 2)
        turn(f, 1 * MS);
    pp_http_server_drain(f->server);
    expect(f, idle, "idle", "", true);
    assert_ok(pp_http_reply_text(f->call, 200, NULL, bytes_of("x"), &err), err);
    expect(f, busy, "busy", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
           true);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    close(idle);
    close(busy);
    stop(f);
}

static void freeing_ends_the_calls_under_way(void **state)
{
    fixture *f = start(act_wait);
    int fd = dial(f);

    (void)state;
    say(fd, GET);
    await(f, "/ ");
    pp_http_server_free(f->server);
    f->server = NULL;
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    close(fd);
    stop(f);
}

/* ---- many ------------------------------------------------------------------------------------ */

#define MANY 1000

static void a_thousand_connections_at_once_are_served(void **state)
{
    static int fds[MANY];
    struct rlimit files;
    fixture *f = new_fixture(act_wait);
    pp_http_server_options options = options_of(f);
    pp_error err = {0};

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_max < 2 * MANY + 100) {
        print_message("only %llu open files are allowed here\n",
                      (unsigned long long)files.rlim_max);
        stop(f);
        skip();
    }
    options.connection_max_count = MANY;
    start_with(options, f);
    for (int i = 0; i < MANY; i++)
        fds[i] = dial(f);
    for (int round = 0; round < 2; round++) { /* the second one on warm connections */
        f->act = act_ok;
        for (int i = 0; i < MANY; i++)
            say(fds[i], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
        for (int i = 0; i < MANY; i++) {
            pp_buf heard;

            pp_buf_init(&heard, 4096);
            assert_false(hear(f, fds[i], strlen(framed[0].reply), &heard));
            assert_string_equal(pp_buf_text(&heard), framed[0].reply);
            pp_buf_done(&heard);
        }
    }
    assert_int_equal(pp_http_server_counts_of(f->server).highest, MANY);
    assert_int_equal(pp_http_server_counts_of(f->server).request_count, 2 * MANY);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    while (pp_http_server_counts_of(f->server).open > 0)
        assert_ok(pp_http_server_turn(f->server, 0, &err), err);
    stop(f);
}

/* ---- other programs as clients --------------------------------------------------------------- */

/* Run a shell command while the server serves; its exit status. "$PORT" is the port. */
static int run_client(fixture *f, const char *command)
{
    char port[8];
    int status = 0;
    pid_t child;

    (void)snprintf(port, sizeof port, "%u", pp_http_server_port(f->server));
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("PORT", port, 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, WNOHANG) == 0)
        turn(f, 5 * MS);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void act_mirror(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_error err = {0};

    if (pp_text_is(request->method, "GET")) {
        act_by_path(f, call, request);
        return;
    }
    begin(call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    assert_ok(pp_http_reply_write(call, request->body, 0, &err), err);
    end(call);
}

static void curl_understands_it(void **state)
{
    fixture *f = start(act_mirror);

    (void)state;
    if (run_client(f, "command -v curl > /dev/null") != 0) {
        stop(f);
        print_message("curl is not installed\n");
        skip();
    }
    assert_int_equal(
        run_client(f, "u=http://127.0.0.1:$PORT\n"
                      "test \"$(curl -sf --noproxy '*' $u/text $u/length $u/chunked $u/close)\" = "
                      "okabcabcabc && "
                      "curl -sfI --noproxy '*' $u/text | grep -q 'Content-Length: 2' && "
                      "head -c 3000000 /dev/zero | tr '\\0' x > body.$PORT && "
                      "curl -sf --noproxy '*' -H 'Transfer-Encoding: chunked' --data-binary "
                      "@body.$PORT $u/ | cmp - body.$PORT && "
                      "curl -sf --noproxy '*' -H 'Expect: 100-continue' --data-binary @body.$PORT "
                      "$u/ | cmp - body.$PORT; code=$?; rm -f body.$PORT; exit $code"),
        0);
    stop(f);
}

static void python_understands_it(void **state)
{
    fixture *f = start(act_mirror);

    (void)state;
    if (run_client(f, "command -v python3 > /dev/null") != 0) {
        stop(f);
        print_message("python3 is not installed\n");
        skip();
    }
    assert_int_equal(run_client(f, "python3 - <<'END'\n"
                                   "import http.client, os\n"
                                   "c = http.client.HTTPConnection('127.0.0.1', "
                                   "int(os.environ['PORT']), timeout=10)\n"
                                   "for path, want in (('/text', b'ok'), ('/length', b'abc'), "
                                   "('/chunked', b'abc'), ('/none', b'')):\n"
                                   "    c.request('GET', path)\n"
                                   "    assert c.getresponse().read() == want, path\n"
                                   "body = bytes(range(256)) * 400\n"
                                   "c.request('POST', '/', body)\n"
                                   "assert c.getresponse().read() == body\n"
                                   "c.request('POST', '/', iter([body, b'x']), "
                                   "encode_chunked=True)\n"
                                   "assert c.getresponse().read() == body + b'x'\n"
                                   "c.request('GET', '/short')\n"
                                   "try:\n"
                                   "    c.getresponse().read()\n"
                                   "    raise SystemExit('a short body passed')\n"
                                   "except http.client.IncompleteRead:\n"
                                   "    pass\n"
                                   "END"),
                     0);
    assert_int_equal(pp_http_server_counts_of(f->server).accepted_count, 1); /* one connection */
    stop(f);
}

/* ---- beginning, and no memory ---------------------------------------------------------------- */

static void what_cannot_be_listened_on_is_named(void **state)
{
    fixture *f = start(act_ok);
    pp_http_server_options options = options_of(f);
    pp_http_server *other = NULL;
    pp_error err = {0};

    (void)state;
    assert_true(pp_http_server_port(f->server) > 0);
    options.port = pp_http_server_port(f->server);
    assert_int_equal(pp_http_server_new(&options, &other, &err), PP_ERR_IO);
    assert_contains(err.text, "listening on '127.0.0.1', port ");
    assert_contains(err.text, "Address already in use");
    options.host = "256.1.1.1";
    assert_int_equal(pp_http_server_new(&options, &other, &err), PP_ERR_IO);
    assert_contains(err.text, "host '256.1.1.1' to listen on: ");
    options.host = "127.0.0.1";
    options.head_max_bytes = 0;
    assert_int_equal(pp_http_server_new(&options, &other, &err), PP_ERR_RANGE);
    assert_null(other);
    pp_http_server_free(NULL);
    stop(f);
}

static void it_listens_on_ipv6_too(void **state)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    fixture *f = new_fixture(act_ok);
    pp_http_server_options options = options_of(f);
    pp_error err = {0};
    int fd;

    (void)state;
    options.host = "::1";
    if (pp_http_server_new(&options, &f->server, &err) != PP_OK) {
        print_message("no IPv6 here: %s\n", err.text);
        stop(f);
        skip();
    }
    address.sin6_port = htons(pp_http_server_port(f->server));
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    say(fd, "GET /text HTTP/1.1\r\nHost: [::1]\r\n\r\n");
    expect(f, fd, "IPv6", framed[0].reply, false);
    close(fd);
    stop(f);
}

static pp_status make_and_free(const void *context, pp_error *err)
{
    pp_http_server *server = NULL;
    pp_status st = pp_http_server_new(context, &server, err);

    pp_http_server_free(server);
    return st;
}

static void a_server_without_memory_is_not_begun(void **state)
{
    fixture *f = start(act_ok);
    pp_http_server_options options = options_of(f);

    (void)state;
    assert_true(check_missing_memory(make_and_free, &options) >= 3);
    stop(f);
}

static void act_stream(fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    static const unsigned char much[4 << 20];

    (void)f;
    (void)request;
    if (pp_http_reply_begin(call, 200, NULL, 0, PP_HTTP_FRAME_CHUNKED, 0, NULL) != PP_OK ||
        pp_http_reply_write(call, (pp_bytes){much, sizeof much}, 1, NULL) != PP_OK ||
        pp_http_reply_end(call, NULL) != PP_OK)
        pp_http_reply_close(call);
}

/* One exchange while the n-th allocation and all later ones fail; true when it went through. */
static bool exchange_without_memory(unsigned long n)
{
    fixture *f = start(act_stream);
    int fd = dial(f);
    pp_buf heard;
    bool closed = false;
    bool whole;
    bool refused;

    pp_buf_init(&heard, 16 << 20);
    say(fd, "POST /s HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" GET);
    pp_fail_nth_arm(n);
    for (int i = 0; i < 20; i++)
        turn(f, 0);
    refused = pp_fail_nth_seen() >= n;
    pp_fail_nth_arm(0);
    for (int i = 0; i < 3000 && !closed; i++) {
        turn(f, 0);
        closed = hear_some(fd, &heard) == 0 || errno == ECONNRESET;
        if (heard.size > 8 << 20)
            break; /* both replies */
    }
    whole = heard.size > 8 << 20;
    if (!whole && !closed)
        fail_msg("allocation %lu missing: neither served nor closed after %zu bytes", n,
                 heard.size);
    close(fd);
    fd = dial(f); /* whatever became of that one, the next is served */
    f->act = act_ok;
    say(fd, "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(f, fd, "the next one", framed[0].reply, false);
    pp_buf_done(&heard);
    close(fd);
    stop(f);
    return !refused && whole;
}

static void a_connection_without_memory_ends_and_others_go_on(void **state)
{
    unsigned long n = 1;

    (void)state;
    while (!exchange_without_memory(n))
        assert_true(++n < 100);
    assert_true(n > 6); /* connection, head, headers, body, what waits, marks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reply_is_framed_as_declared),
        cmocka_unit_test(each_piece_leaves_by_itself),
        cmocka_unit_test(a_head_alone_leaves_with_the_turn),
        cmocka_unit_test(a_wrong_reply_is_a_status_and_harms_nothing),
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
        cmocka_unit_test(a_slow_reader_has_a_bounded_queue_and_loses_nothing),
        cmocka_unit_test(ten_thousand_timers_fire_in_order),
        cmocka_unit_test(a_timer_that_is_always_late_starves_nobody),
        cmocka_unit_test(its_descriptor_tells_when_there_is_work),
        cmocka_unit_test(another_thread_can_wake_it),
        cmocka_unit_test(it_runs_until_told_to_stop),
        cmocka_unit_test(draining_ends_what_is_idle_and_lets_the_rest_finish),
        cmocka_unit_test(freeing_ends_the_calls_under_way),
        cmocka_unit_test(a_thousand_connections_at_once_are_served),
        cmocka_unit_test(curl_understands_it),
        cmocka_unit_test(python_understands_it),
        cmocka_unit_test(what_cannot_be_listened_on_is_named),
        cmocka_unit_test(it_listens_on_ipv6_too),
        cmocka_unit_test(a_server_without_memory_is_not_begun),
        cmocka_unit_test(a_connection_without_memory_ends_and_others_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
