#include "net/http_client.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/event_stream.h"
#include "shared.h"
#include "tape_server.h"

#define HEAD                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
#define MS PP_NS_PER_MS

static const pp_http_limits long_limits = {5 * PP_NS_PER_S, 10 * PP_NS_PER_S, 10 * PP_NS_PER_S,
                                           20 * PP_NS_PER_S};

static pp_http_record new_record(void)
{
    pp_http_record record;
    pp_error err = {0};

    assert_ok(pp_http_record_init(&record, 1 << 20, 1 << 16, 256, &err), err);
    return record;
}

static pp_http_loop *new_loop(const volatile sig_atomic_t *stop)
{
    pp_http_loop *loop = NULL;
    pp_error err = {0};

    assert_ok(pp_http_loop_new(stop, &loop, &err), err);
    return loop;
}

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

/* Data as a stream's timers see it. */
static bool watch_events(void *user, const void *bytes, size_t size)
{
    return pp_event_watch_feed(user, bytes, size);
}

/* One POST against `server`, timers blind to pings. */
static void post(tape_server *server, pp_http_limits limits, pp_http_record *record)
{
    pp_http_loop *loop = new_loop(NULL);
    pp_event_watch watch = {0};
    pp_error err = {0};
    pp_http_request request = {
        .url = tape_server_url(server, "/completion"),
        .body = bytes_of("{}"),
        .limits = limits,
        .fresh_connection = true,
    };

    assert_ok(pp_http_perform(loop, &request, watch_events, &watch, record, &err), err);
    pp_http_loop_free(loop);
}

/* ---- replies of one piece ------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *reply;
    tape_end end;
    pp_http_result want;
    int status;
    const char *body;
    const char *text; /* part of the record's text */
} replies[] = {
    {"content length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", TAPE_HOLD,
     PP_HTTP_COMPLETE, 200, "ok", ""},
    {"any 2xx is a success", "HTTP/1.1 206 Odd\r\nContent-Length: 2\r\n\r\nok", TAPE_HOLD,
     PP_HTTP_COMPLETE, 206, "ok", ""},
    {"read to close", "HTTP/1.1 200 OK\r\n\r\nall", TAPE_CLOSE, PP_HTTP_COMPLETE, 200, "all", ""},
    {"B175 chunks: upper-case hex, extension, trailer",
     HEAD "0A;x=1\r\n0123456789\r\n1\r\na\r\n0\r\nTrailer: x\r\n\r\n", TAPE_HOLD, PP_HTTP_COMPLETE,
     200, "0123456789a", ""},
    {"B163 interim replies are skipped (F03)",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
     TAPE_HOLD, PP_HTTP_COMPLETE, 200, "ok", ""},
    {"B175 last chunk missing", HEAD "3\r\nabc\r\n", TAPE_CLOSE, PP_HTTP_PREMATURE_END, 200, "abc",
     "after 3 body bytes"},
    {"F05 cut behind the first line of the head", "HTTP/1.1 200 OK\r\n", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"F05 cut within the head", "HTTP/1.1 200 OK\r\nContent-Type: text/event-str", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"F05 a head without its blank line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"B163 an interim reply and no other", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
     TAPE_CLOSE, PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"F05 content length too large", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, 200, "abc", "after 3 body bytes"},
    {"B175 cut in the head", "HTTP/1.1 200 OK\r\nContent-Ty", TAPE_CLOSE, PP_HTTP_PREMATURE_END, 0,
     "", "0 body bytes"},
    {"B175 cut behind the status line", "HTTP/1.1 200 OK\r\n", TAPE_CLOSE, PP_HTTP_PREMATURE_END, 0,
     "", "0 body bytes"},
    {"B163 an interim reply and no other", "HTTP/1.1 103 Early Hints\r\n\r\n", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"closed without a reply", "", TAPE_CLOSE, PP_HTTP_PREMATURE_END, 0, "", "0 body bytes"},
    {"B012 reset keeps what arrived", HEAD "3\r\nabc\r\n", TAPE_RESET, PP_HTTP_RESET, 200, "abc",
     "reset after 3 body bytes"},
    {"reset without a reply", "", TAPE_RESET, PP_HTTP_RESET, 0, "", "reset"},
    {"B043 an HTML error page",
     "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>no</p>",
     TAPE_HOLD, PP_HTTP_STATUS, 502, "<p>no</p>", "HTTP status 502"},
    {"an error without a body", "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", TAPE_HOLD,
     PP_HTTP_STATUS, 503, "", "HTTP status 503"},
    {"an error page that is cut stays an error",
     "HTTP/1.1 500 Oops\r\nContent-Length: 99\r\n\r\nhalf", TAPE_CLOSE, PP_HTTP_STATUS, 500, "half",
     "HTTP status 500"},
    {"F12 a redirect is shown, not followed",
     "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", TAPE_HOLD,
     PP_HTTP_STATUS, 302, "", "redirect, which is not followed"},
    {"B019 gzip although not asked",
     "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
     TAPE_HOLD, PP_HTTP_ENCODING, 200, "", "compressed"},
    {"identity named is no compression",
     "HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\nContent-Length: 2\r\n\r\nok", TAPE_HOLD,
     PP_HTTP_COMPLETE, 200, "ok", ""},
    {"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", TAPE_CLOSE, PP_HTTP_PROTOCOL, 0, "", "HTTP/0.9"},
    {"chunk size that is none", HEAD "zz\r\nabc\r\n", TAPE_HOLD, PP_HTTP_PROTOCOL, 200, "", ""},
};

static void b163_b175_each_reply_has_its_result(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(replies); i++) {
        tape_piece piece = {0, replies[i].reply, strlen(replies[i].reply)};
        tape tapes[] = {{NULL, &piece, piece.size == 0 ? 0 : 1, replies[i].end, NULL}};
        tape_server *server = tape_server_start(tapes, 1);
        pp_http_record record = new_record();

        post(server, long_limits, &record);
        if (record.result != replies[i].want || record.status != replies[i].status ||
            strcmp(pp_buf_text(&record.body), replies[i].body) != 0 ||
            strstr(record.text, replies[i].text) == NULL)
            fail_msg("%s: got %s, status %d, body '%s', text '%s'", replies[i].name,
                     pp_http_result_name(record.result), record.status, pp_buf_text(&record.body),
                     record.text);
        assert_true(record.ended_ns > record.started_ns); /* B042, B045: elapsed time is kept */
        assert_true(record.connected_ns >= record.started_ns);
        pp_http_record_done(&record);
        tape_server_stop(server);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

#define PING   "3\r\n:\n\n\r\n"
#define TOKEN  "9\r\ndata: x\n\n\r\n"
#define FINISH "0\r\n\r\n"

static const tape_piece five_pings_and_a_token[] = {
    {0, HEAD, 0},   {100, PING, 0}, {100, PING, 0}, {100, PING, 0},
    {100, PING, 0}, {100, PING, 0}, {20, TOKEN, 0}, {0, FINISH, 0},
};
static const tape_piece head_only[] = {{0, HEAD, 0}};
static const tape_piece stalls_after_a_token[] = {
    {0, HEAD, 0}, {10, TOKEN, 0}, {100, PING, 0}, {100, PING, 0}, {100, PING, 0}, {100, PING, 0},
};
static const tape_piece drips[] = {
    {0, HEAD, 0},   {50, TOKEN, 0}, {50, TOKEN, 0}, {50, TOKEN, 0}, {50, TOKEN, 0},
    {50, TOKEN, 0}, {50, TOKEN, 0}, {50, TOKEN, 0}, {50, TOKEN, 0}, {50, FINISH, 0},
};

static const struct {
    const char *name;
    tape tape;
    pp_http_limits limits;
    pp_http_result want;
    int64_t min_ms, max_ms;
} timed[] = {
    {"B005 pings do not feed the first-byte limit",
     TAPE(five_pings_and_a_token, TAPE_HOLD),
     {0, 300 * MS, 0, 0},
     PP_HTTP_FIRST_BYTE_TIMEOUT,
     300,
     500},
    {"B005 a longer limit lets the token come",
     TAPE(five_pings_and_a_token, TAPE_HOLD),
     {0, 5000 * MS, 0, 0},
     PP_HTTP_COMPLETE,
     520,
     2000},
    {"B019 head and then nothing",
     TAPE(head_only, TAPE_HOLD),
     {0, 200 * MS, 0, 0},
     PP_HTTP_FIRST_BYTE_TIMEOUT,
     200,
     400},
    {"F11 pings do not feed the idle limit",
     TAPE(stalls_after_a_token, TAPE_HOLD),
     {0, 5000 * MS, 200 * MS, 0},
     PP_HTTP_IDLE_TIMEOUT,
     210,
     500},
    {"F11 data feed the idle limit",
     TAPE(drips, TAPE_HOLD),
     {0, 5000 * MS, 150 * MS, 0},
     PP_HTTP_COMPLETE,
     450,
     2000},
    {"F11 the total limit cuts a stream that lives",
     TAPE(drips, TAPE_HOLD),
     {0, 0, 0, 180 * MS},
     PP_HTTP_TOTAL_TIMEOUT,
     180,
     400},
};

static void each_limit_has_its_result(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(timed); i++) {
        tape_server *server = tape_server_start(&timed[i].tape, 1);
        pp_http_record record = new_record();
        int64_t took_ms;

        post(server, timed[i].limits, &record);
        took_ms = (record.ended_ns - record.started_ns) / MS;
        if (record.result != timed[i].want || took_ms < timed[i].min_ms ||
            took_ms > timed[i].max_ms)
            fail_msg("%s: got %s after %lld ms, want %lld to %lld", timed[i].name,
                     pp_http_result_name(record.result), (long long)took_ms,
                     (long long)timed[i].min_ms, (long long)timed[i].max_ms);
        pp_http_record_done(&record);
        tape_server_stop(server);
    }
}

static void nobody_listening_is_refused_at_once(void **state)
{
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_error err = {0};
    char url[64];
    pp_http_request request = {.url = url, .limits = long_limits};

    (void)state;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/health", tape_unused_port());
    assert_ok(pp_http_perform(loop, &request, NULL, NULL, &record, &err), err);
    assert_int_equal(record.result, PP_HTTP_REFUSED);
    assert_int_equal(record.connected_ns, 0);
    assert_true(record.ended_ns - record.started_ns < PP_NS_PER_S);
    assert_int_equal(pp_http_fetch(loop, &request, &record, &err), PP_ERR_PEER);
    assert_contains(err.text, url);
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
}

/* A listener whose queue is full lets connections wait, as a host behind a filter does. */
static int listen_without_room(int fillers[4], int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    for (size_t i = 0; i < 4; i++) {
        fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fillers[i], (struct sockaddr *)&address, size); /* only to take the room */
    }
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static void no_connection_in_time_is_its_own_result(void **state)
{
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_error err = {0};
    char url[64];
    int fillers[4];
    int port;
    int fd = listen_without_room(fillers, &port);
    pp_http_request request = {.url = url, .limits = {150 * MS, 0, 0, 0}};

    (void)state;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/", port);
    assert_ok(pp_http_perform(loop, &request, NULL, NULL, &record, &err), err);
    assert_int_equal(record.result, PP_HTTP_CONNECT_TIMEOUT);
    assert_true(record.ended_ns - record.started_ns >= 150 * MS);
    assert_int_equal(record.connected_ns, 0);
    for (size_t i = 0; i < 4; i++)
        (void)close(fillers[i]);
    (void)close(fd);
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
}

/* ---- arrival --------------------------------------------------------------------------------- */

static void arrivals_are_stamped_when_bytes_come(void **state)
{
    tape tapes[] = {TAPE(drips, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_record record = new_record();
    size_t kernel = 0, late = 0;

    (void)state;
    post(server, long_limits, &record);
    assert_int_equal(record.result, PP_HTTP_COMPLETE);
    assert_int_equal(record.arrival_count, 8);
    for (size_t i = 0; i < 8; i++) {
        const pp_http_arrival *a = &record.arrivals[i];
        int64_t written_ns = tape_server_written_ns(server, i + 1);

        assert_int_equal(a->offset, i * 9);
        assert_int_equal(a->size, 9);
        kernel += a->from_kernel;
        assert_true(a->woke_ns >= a->at_ns);
        /* K6: the stamp before the write is a lower bound; the clocks are joined to within 1 us. */
        if (a->at_ns < written_ns - 1000)
            fail_msg("piece %zu: arrived %lld ns before it was written", i,
                     (long long)(written_ns - a->at_ns));
        late += a->at_ns > written_ns + 25 * MS;
    }
    /* The server may lose its CPU between stamp and write, but not each time. */
    if (late > 2)
        fail_msg("%zu of 8 pieces arrived more than 25 ms after they were written", late);
    print_message("# %zu of 8 arrivals stamped by the kernel\n", kernel);
    assert_true(record.ended_ns >= record.arrivals[7].at_ns + 40 * MS);
    pp_http_record_done(&record);
    tape_server_stop(server);
}

static void many_chunks_in_one_read_are_one_arrival(void **state)
{
    static const tape_piece gathered[] = {
        {0, HEAD, 0}, {30, TOKEN TOKEN TOKEN TOKEN TOKEN, 0}, {30, TOKEN TOKEN FINISH, 0}};
    tape tapes[] = {TAPE(gathered, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_record record = new_record();

    (void)state;
    post(server, long_limits, &record);
    assert_int_equal(record.arrival_count, 2);
    assert_int_equal(record.arrivals[0].size, 45);
    assert_int_equal(record.arrivals[1].offset, 45);
    assert_int_equal(record.arrivals[1].size, 18);
    pp_http_record_done(&record);
    tape_server_stop(server);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static const tape_piece plain_ok[] = {
    {0, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 0}};

static void requests_carry_what_they_should(void **state)
{
    static const char *const headers[] = {"X-Run: 7"};
    tape tapes[] = {TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_error err = {0};
    pp_http_request get = {.url = tape_server_url(server, "/health"), .limits = long_limits};
    pp_http_request send = {.body = bytes_of("{\"a\":1}"),
                            .limits = long_limits,
                            .headers = headers,
                            .header_count = 1};

    (void)state;
    (void)setenv("http_proxy", "http://127.0.0.1:1", 1); /* F09: must not matter */
    assert_ok(pp_http_fetch(loop, &get, &record, &err), err);
    assert_string_equal(record.content_type, "application/json");
    send.url = tape_server_url(server, "/completion");
    assert_ok(pp_http_fetch(loop, &send, &record, &err), err);
    (void)unsetenv("http_proxy");
    assert_true(record.connection_reused);
    assert_int_equal(tape_server_connection_count(server), 1);
    assert_contains(tape_server_request(server, 0), "GET /health HTTP/1.1\r\n");
    assert_contains(tape_server_request(server, 0), "Accept-Encoding: identity\r\n");
    assert_contains(tape_server_request(server, 1), "POST /completion HTTP/1.1\r\n");
    assert_contains(tape_server_request(server, 1), "Content-Type: application/json\r\n");
    assert_contains(tape_server_request(server, 1), "X-Run: 7\r\n");
    assert_contains(tape_server_request(server, 1), "\r\n\r\n{\"a\":1}");
    send.fresh_connection = true;
    assert_ok(pp_http_fetch(loop, &send, &record, &err), err);
    assert_false(record.connection_reused);
    assert_int_equal(tape_server_connection_count(server), 2);
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

/* A handle that was used goes on being used: nothing of the request before may stick to it. */
static void a_request_has_nothing_of_the_one_before(void **state)
{
    static const char *const headers[] = {"X-Run: 7", "Authorization: Bearer secret"};
    tape tapes[] = {TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_error err = {0};
    char first[128], second[128];
    pp_http_request rows[] = {
        {.method = "PUT", .body = bytes_of("{\"a\":1}"), .headers = headers, .header_count = 2},
        {.method = NULL},
        {.body = bytes_of("{}")},
        {.body = bytes_of("")},
        {.method = "DELETE", .headers = headers, .header_count = 1},
        {.method = NULL},
    };
    static const char *const begins[] = {"PUT /first ",   "GET /second ",   "POST /first ",
                                         "POST /second ", "DELETE /first ", "GET /second "};

    (void)state;
    (void)snprintf(first, sizeof first, "%s", tape_server_url(server, "/first"));
    (void)snprintf(second, sizeof second, "%s", tape_server_url(server, "/second"));
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const char *seen;

        rows[i].url = i % 2 == 0 ? first : second;
        rows[i].limits = long_limits;
        assert_ok(pp_http_fetch(loop, &rows[i], &record, &err), err);
        seen = tape_server_request(server, i);
        assert_int_equal(strncmp(seen, begins[i], strlen(begins[i])), 0);
        assert_int_equal(strstr(seen, "X-Run") != NULL, rows[i].header_count > 0);
        assert_int_equal(strstr(seen, "Bearer") != NULL, rows[i].header_count > 1);
        assert_int_equal(strstr(seen, "Content-Type: application/json") != NULL,
                         rows[i].body.data != NULL);
    }
    assert_int_equal(tape_server_connection_count(server), 1);
    assert_string_equal(record.address, "127.0.0.1");
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

/* F07, F08: the server reads the second request on a connection and closes without a word. libcurl
 * would send any request again; one with a body may have been acted upon. */
static void only_a_request_without_a_body_is_repeated_and_both_are_noted(void **state)
{
    static const struct {
        const char *name;
        const char *body;
        pp_http_result want;
        size_t want_requests;
    } rows[] = {
        {"GET", NULL, PP_HTTP_COMPLETE, 3},
        {"POST", "{}", PP_HTTP_RESET, 2},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        tape tapes[] = {TAPE(plain_ok, TAPE_KEEP),
                        {NULL, NULL, 0, TAPE_CLOSE, NULL},
                        TAPE(plain_ok, TAPE_KEEP)};
        tape_server *server = tape_server_start(tapes, PP_COUNT_OF(tapes));
        pp_http_loop *loop = new_loop(NULL);
        pp_http_record record = new_record();
        pp_error err = {0};
        pp_http_request request = {.url = tape_server_url(server, "/x"), .limits = long_limits};

        if (rows[i].body != NULL)
            request.body = bytes_of(rows[i].body);
        assert_ok(pp_http_perform(loop, &request, NULL, NULL, &record, &err), err);
        assert_false(record.kept_connection_died);
        assert_ok(pp_http_perform(loop, &request, NULL, NULL, &record, &err), err);
        if (record.result != rows[i].want ||
            tape_server_request_count(server) != rows[i].want_requests)
            fail_msg("%s: %s, %zu requests", rows[i].name, pp_http_result_name(record.result),
                     tape_server_request_count(server));
        assert_true(record.kept_connection_died);
        assert_ok(pp_http_perform(loop, &request, NULL, NULL, &record, &err), err);
        assert_int_equal(record.result, PP_HTTP_COMPLETE); /* the next one is none the worse */
        assert_false(record.kept_connection_died);
        pp_http_record_done(&record);
        pp_http_loop_free(loop);
        tape_server_stop(server);
    }
}

static void a_loop_takes_its_options_before_the_first_request(void **state)
{
    tape tapes[] = {TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_http_loop_options options = {.ca_file = "/nowhere/ca.pem"};
    pp_http_request request = {.url = tape_server_url(server, "/"), .limits = long_limits};
    pp_error err = {0};

    (void)state;
    assert_int_equal(pp_http_loop_configure(loop, &options, &err), PP_ERR_IO);
    assert_contains(err.text, "/nowhere/ca.pem");
    options = (pp_http_loop_options){.stream_count = 8, .buffer_bytes = 1024, .spin = true};
    memset(&err, 0, sizeof err);
    assert_ok(pp_http_loop_configure(loop, &options, &err), err);
    assert_ok(pp_http_fetch(loop, &request, &record, &err), err);
    assert_string_equal(pp_buf_text(&record.body), "{}");
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

static void b180_a_large_body_is_sent_at_once(void **state)
{
    tape tapes[] = {TAPE(plain_ok, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_error err = {0};
    size_t size = (size_t)2 << 20;
    char *body = malloc(size);
    pp_http_request request = {.url = tape_server_url(server, "/"), .limits = long_limits};

    (void)state;
    assert_non_null(body);
    memset(body, 'x', size);
    request.body = (pp_bytes){(unsigned char *)body, size};
    assert_ok(pp_http_fetch(loop, &request, &record, &err), err);
    assert_null(strstr(tape_server_request(server, 0), "Expect")); /* B180 */
    assert_true(record.ended_ns - record.started_ns < 900 * MS);
    free(body);
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

static void a_body_above_its_ceiling_is_too_large(void **state)
{
    static const tape_piece pieces[] = {{0, HEAD "9\r\n123456789\r\n" FINISH, 0}};
    tape tapes[] = {TAPE(pieces, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_record record;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_http_record_init(&record, 8, 0, 0, &err), err);
    post(server, long_limits, &record);
    assert_int_equal(record.result, PP_HTTP_TOO_LARGE);
    assert_contains(record.text, "ceiling");
    pp_http_record_done(&record);
    tape_server_stop(server);
}

static void a_url_that_is_none_is_refused_and_secrets_are_not_shown(void **state)
{
    static const char *const urls[] = {"", "file:///etc/passwd", "http://", "localhost:8080",
                                       "http://u:hush@[::1/?key=hush"};
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(urls); i++) {
        pp_http_request request = {.url = urls[i], .limits = long_limits};
        pp_error err = {0};

        if (pp_http_perform(loop, &request, NULL, NULL, &record, &err) != PP_ERR_USAGE)
            fail_msg("'%s' was taken for a URL", urls[i]);
        assert_contains(err.text, "is no URL");
        assert_null(strstr(err.text, "hush"));
    }
    pp_http_record_done(&record);
    pp_http_loop_free(loop);
}

/* ---- several at once, and stopping ------------------------------------------------------------
 */

typedef struct counter {
    size_t ended;
    bool all;
} counter;

static void count_end(void *user)
{
    counter *c = user;

    c->ended++;
    c->all = c->ended == 20;
}

static void many_transfers_share_a_loop(void **state)
{
    tape tapes[] = {TAPE(drips, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record records[20];
    pp_error err = {0};
    counter c = {0, false};
    pp_http_handlers handlers = {.end = count_end, .user = &c};
    int64_t started_ns = pp_clock_now_ns();

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        pp_http_request request = {.url = tape_server_url(server, "/"), .limits = long_limits};

        records[i] = new_record();
        assert_ok(pp_http_start(loop, &request, &handlers, &records[i], NULL, &err), err);
    }
    assert_int_equal(pp_http_active_count(loop), 20);
    assert_ok(pp_http_run(loop, &c.all, 0, &err), err);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(records[i].result, PP_HTTP_COMPLETE);
        assert_int_equal(records[i].body.size, 72);
        pp_http_record_done(&records[i]);
    }
    assert_true(pp_clock_now_ns() - started_ns < 4 * PP_NS_PER_S); /* one after another takes 9 s */
    pp_http_loop_free(loop);
    tape_server_stop(server);
}

typedef struct stopper {
    volatile sig_atomic_t stop;
    pp_http_loop *loop;
} stopper;

static void *stop_soon(void *user)
{
    stopper *s = user;

    pp_clock_sleep_until_ns(pp_clock_now_ns() + 100 * MS);
    __atomic_store_n(&s->stop, 1, __ATOMIC_SEQ_CST);
    pp_http_loop_wake(s->loop);
    return NULL;
}

static void a_stop_ends_a_wait_and_keeps_what_came(void **state)
{
    tape tapes[] = {TAPE(stalls_after_a_token, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    stopper s = {0, NULL};
    pp_http_record record = new_record();
    pp_http_request request = {.url = tape_server_url(server, "/"), .limits = long_limits};
    pp_error err = {0};
    pthread_t thread;

    (void)state;
    s.loop = new_loop(&s.stop);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &s), 0);
    assert_int_equal(pp_http_perform(s.loop, &request, NULL, NULL, &record, &err),
                     PP_ERR_INTERRUPTED);
    pthread_join(thread, NULL);
    assert_int_equal(record.result, PP_HTTP_CANCELLED);
    assert_true(record.ended_ns - record.started_ns < 2 * PP_NS_PER_S);
    assert_contains(pp_buf_text(&record.body), "data: x");
    pp_http_record_done(&record);
    pp_http_loop_free(s.loop);
    tape_server_stop(server);
}

static void freeing_the_loop_ends_transfers(void **state)
{
    tape tapes[] = {TAPE(head_only, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop(NULL);
    pp_http_record record = new_record();
    pp_http_request request = {.url = tape_server_url(server, "/"), .limits = long_limits};
    pp_error err = {0};

    (void)state;
    assert_ok(pp_http_start(loop, &request, NULL, &record, NULL, &err), err);
    assert_ok(pp_http_run(loop, NULL, pp_clock_now_ns() + 50 * MS, &err), err);
    assert_int_equal(pp_http_active_count(loop), 1);
    pp_http_loop_free(loop);
    assert_int_equal(record.result, PP_HTTP_CANCELLED);
    pp_http_record_done(&record);
    tape_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b163_b175_each_reply_has_its_result),
        cmocka_unit_test(each_limit_has_its_result),
        cmocka_unit_test(nobody_listening_is_refused_at_once),
        cmocka_unit_test(no_connection_in_time_is_its_own_result),
        cmocka_unit_test(arrivals_are_stamped_when_bytes_come),
        cmocka_unit_test(many_chunks_in_one_read_are_one_arrival),
        cmocka_unit_test(requests_carry_what_they_should),
        cmocka_unit_test(a_request_has_nothing_of_the_one_before),
        cmocka_unit_test(only_a_request_without_a_body_is_repeated_and_both_are_noted),
        cmocka_unit_test(a_loop_takes_its_options_before_the_first_request),
        cmocka_unit_test(b180_a_large_body_is_sent_at_once),
        cmocka_unit_test(a_body_above_its_ceiling_is_too_large),
        cmocka_unit_test(a_url_that_is_none_is_refused_and_secrets_are_not_shown),
        cmocka_unit_test(many_transfers_share_a_loop),
        cmocka_unit_test(a_stop_ends_a_wait_and_keeps_what_came),
        cmocka_unit_test(freeing_the_loop_ends_transfers),
    };

    (void)alarm(60); /* a hang is a failure, not a wait */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
