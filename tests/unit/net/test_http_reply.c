#include "net/http_server.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_fixture.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)
#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* ---- framing of replies ---------------------------------------------------------------------- */

/* The path says what to do. */
static void act_by_path(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_text path = request->path;

    if (pp_text_is(path, "/text")) {
        act_ok(f, call, request);
        return;
    }
    if (pp_text_is(path, "/last")) {
        act_ok(f, call, request);
        pp_http_reply_close(call);
        return;
    }
    if (pp_text_is(path, "/length") || pp_text_is(path, "/short"))
        reply_begin(call, 200, PP_HTTP_FRAME_LENGTH, 3);
    else if (pp_text_is(path, "/chunked") || pp_text_is(path, "/broken"))
        reply_begin(call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    else if (pp_text_is(path, "/close"))
        reply_begin(call, 200, PP_HTTP_FRAME_CLOSE, 0);
    else if (pp_text_is(path, "/none"))
        reply_begin(call, 204, PP_HTTP_FRAME_LENGTH, 0);
    if (pp_text_is(path, "/raw"))
        reply_raw(call, "HTTP/1.1 299 Mine\r\ncontent-length: 1\r\n\r\nx");
    else if (pp_text_is(path, "/nothing"))
        pp_http_reply_close(call);
    else if (!pp_text_is(path, "/none"))
        reply_write(call, "ab");
    if (pp_text_is(path, "/broken"))
        reply_raw(call, "zz\r\n");
    if (pp_text_is(path, "/broken") || pp_text_is(path, "/short")) {
        pp_http_reply_close(call);
    } else if (!pp_text_is(path, "/nothing")) {
        if (!pp_text_is(path, "/none") && !pp_text_is(path, "/raw"))
            reply_write(call, "c");
        reply_end(call);
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
    {"whole, and then a close", "GET /last HTTP/1.1\r\nHost: a\r\n\r\n", HTTP_OK_REPLY, true},
    {"no word at all", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "", true},
};

static void each_reply_is_framed_as_declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(framed); i++) {
        http_fixture *f = fixture_start(act_by_path);
        int fd = client_dial(f);

        client_say(fd, framed[i].request);
        client_expect(f, fd, framed[i].name, framed[i].reply, framed[i].closes);
        assert_contains(pp_buf_text(&f->log), " ended ");
        if (!framed[i].closes) { /* and the connection still works */
            client_say(fd, framed[0].request);
            client_expect(f, fd, framed[i].name, framed[0].reply, false);
        }
        assert_int_equal(pp_http_server_counts_of(f->server).open, framed[i].closes ? 0 : 1);
        assert_int_equal(pp_http_server_counts_of(f->server).gone_count, 0);
        close(fd);
        fixture_stop(f);
    }
}

/* So many segments with data have come in: one for each small write of the other side, because it
 * asked for TCP_NODELAY. An emulator of the CPU passes on only the beginning of TCP_INFO. */
static void assert_data_segments(int fd, uint64_t want)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    if (getenv("PARETOPILOT_EMULATE") != NULL)
        return;
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
    assert_int_equal(info.tcpi_data_segs_in, want);
}

static void each_piece_leaves_by_itself(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);
    pp_error err = {0};
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    assert_int_equal(client_hear_some(fd, &heard), -1); /* the head waits for its first piece */
    for (uint64_t tag = 1; tag <= 3; tag++) {
        int64_t before_ns = pp_clock_now_ns();

        assert_ok(pp_http_reply_write(f->call, bytes_of("data: x\n\n"), tag, &err), err);
        assert_true(client_hear_some(fd, &heard) > 0); /* no turn in between */
        assert_int_equal(f->sent_count, tag);
        assert_int_equal(f->sent_tags[tag - 1], tag);
        assert_data_segments(fd, tag);
        assert_in_range(f->sent_ns[tag - 1], before_ns, pp_clock_now_ns());
    }
    assert_string_equal(pp_buf_text(&heard), OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"
                                                     "9\r\ndata: x\n\n\r\n9\r\ndata: x\n\n\r\n"
                                                     "9\r\ndata: x\n\n\r\n");
    pp_buf_done(&heard);
    close(fd);
    fixture_stop(f);
}

static void a_head_alone_leaves_with_the_turn(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);

    (void)state;
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_LENGTH, 1);
    assert_true(pp_http_reply_queued(f->call) > 0);
    client_expect(f, fd, "head", OK_HEAD "Content-Length: 1\r\n\r\n", false);
    assert_int_equal(f->drained_count, 0); /* it did not wait for the kernel */
    close(fd);
    fixture_stop(f);
}

static void act_all_wrong(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
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
    reply_begin(call, 200, PP_HTTP_FRAME_LENGTH, 3);
    assert_int_equal(pp_http_reply_begin(call, 200, NULL, 0, PP_HTTP_FRAME_LENGTH, 0, &err),
                     PP_ERR_BUG);
    reply_write(call, "ab");
    assert_int_equal(pp_http_reply_write(call, bytes_of("cd"), 0, &err), PP_ERR_RANGE);
    assert_string_equal(err.text, "body of a reply: 3 bytes declared, got 4");
    assert_int_equal(pp_http_reply_end(call, &err), PP_ERR_RANGE);
    reply_write(call, "c");
    assert_int_equal(pp_http_reply_write(call, bytes_of("d"), 0, NULL), PP_ERR_RANGE);
    reply_end(call);
    assert_int_equal(pp_http_reply_end(call, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_write(call, bytes_of("x"), 0, &err), PP_ERR_BUG);
    assert_int_equal(pp_http_reply_raw(call, bytes_of("x"), 0, &err), PP_ERR_BUG);
}

static void a_wrong_reply_is_a_status_and_harms_nothing(void **state)
{
    http_fixture *f = fixture_start(act_all_wrong);
    int fd = client_dial(f);

    (void)state;
    client_say(fd, GET);
    client_expect(f, fd, "after all", OK_HEAD "Content-Length: 3\r\n\r\nabc", false);
    close(fd);
    fixture_stop(f);
}

/* ---- a slow reader --------------------------------------------------------------------------- */

#define PIECE_BYTES 65536

/* Fill the way to the client until the ceiling refuses; how many pieces went in. */
static uint64_t fill(http_fixture *f, const unsigned char *piece)
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
    http_fixture *f = fixture_new(act_wait);
    pp_http_server_options options = fixture_options(f);
    uint64_t pieces;
    pp_buf heard;
    int fd;

    (void)state;
    options.backlog_max_bytes = 1 << 20;
    fixture_start_with(options, f);
    fd = client_dial(f);
    pp_buf_init(&heard, (size_t)256 << 20);
    client_say(fd, GET);
    fixture_await(f, "/ ");
    reply_begin(f->call, 200, PP_HTTP_FRAME_CLOSE, 0);
    pieces = fill(f, piece);
    assert_in_range(pp_http_reply_queued(f->call), (1 << 20) - PIECE_BYTES, 1 << 20);
    assert_true(f->sent_count < pieces);
    while (f->drained_count == 0)
        (void)client_hear(f, fd, heard.size + 1, &heard);
    assert_int_equal(f->sent_count, pieces);
    for (size_t i = 0; i < f->sent_count; i++) {
        assert_int_equal(f->sent_tags[i], i + 1);
        assert_true(i == 0 || f->sent_ns[i] >= f->sent_ns[i - 1]);
    }
    reply_write(f->call, "x");
    reply_end(f->call);
    assert_true(client_hear(f, fd, SIZE_MAX, &heard));
    assert_int_equal(heard.size,
                     strlen(OK_HEAD "Connection: close\r\n\r\n") + pieces * PIECE_BYTES + 1);
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    pp_buf_done(&heard);
    close(fd);
    fixture_stop(f);
}

/* ---- other programs as clients --------------------------------------------------------------- */

/* Run a shell command while the server serves; its exit status. "$PORT" is the port. */
static int run_client(http_fixture *f, const char *command)
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
        fixture_turn(f, 5 * MS);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void act_mirror(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_error err = {0};

    if (!pp_text_is(request->method, "POST")) {
        act_by_path(f, call, request);
        return;
    }
    reply_begin(call, 200, PP_HTTP_FRAME_CHUNKED, 0);
    assert_ok(pp_http_reply_write(call, request->body, 0, &err), err);
    reply_end(call);
}

static void curl_understands_it(void **state)
{
    http_fixture *f = fixture_start(act_mirror);

    (void)state;
    if (run_client(f, "command -v curl > /dev/null") != 0) {
        fixture_stop(f);
        print_message("curl is not installed\n");
        skip();
    }
    assert_int_equal(
        run_client(f, "export NO_PROXY='*' u=http://127.0.0.1:$PORT; body=$(mktemp)\n"
                      "head -c 3000000 /dev/zero | tr '\\0' x > $body\n"
                      "test \"$(curl -sf $u/text $u/length $u/chunked $u/close)\" = okabcabcabc && "
                      "curl -sfI $u/text | grep -q 'Content-Length: 2' && "
                      "curl -sf -H 'Transfer-Encoding: chunked' --data-binary @$body $u/ | "
                      "cmp - $body && "
                      "curl -sf -H 'Expect: 100-continue' --data-binary @$body $u/ | cmp - $body\n"
                      "code=$?; rm -f $body; exit $code"),
        0);
    fixture_stop(f);
}

static void python_understands_it(void **state)
{
    http_fixture *f = fixture_start(act_mirror);

    (void)state;
    if (run_client(f, "command -v python3 > /dev/null") != 0) {
        fixture_stop(f);
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
    fixture_stop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reply_is_framed_as_declared),
        cmocka_unit_test(each_piece_leaves_by_itself),
        cmocka_unit_test(a_head_alone_leaves_with_the_turn),
        cmocka_unit_test(a_wrong_reply_is_a_status_and_harms_nothing),
        cmocka_unit_test(a_slow_reader_has_a_bounded_queue_and_loses_nothing),
        cmocka_unit_test(curl_understands_it),
        cmocka_unit_test(python_understands_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
