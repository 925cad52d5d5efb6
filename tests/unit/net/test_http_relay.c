/* Replies that the client hands on: somebody else's, not kept. */
#include "net/http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "shared.h"
#include "tape_server.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)
#define OK_HEAD  "HTTP/1.1 200 OK\r\n"
#define STREAM   OK_HEAD "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
#define TOKEN    "9\r\ndata: x\n\n\r\n"
#define FINISH   "0\r\n\r\n"

static const pp_http_limits long_limits = {5 * PP_NS_PER_S, 10 * PP_NS_PER_S, 10 * PP_NS_PER_S,
                                           20 * PP_NS_PER_S};

/* One relayed transfer as its owner sees it. */
typedef struct relay {
    pp_http_loop *loop;
    pp_http_transfer *transfer; /* NULL once it has ended */
    pp_http_record record;
    pp_buf head; /* "200/1 Name=value;...\n" for each head handed over */
    pp_buf body;
    bool body_is_counted; /* only its size, in body_bytes */
    size_t body_bytes;
    size_t pause_after; /* pauses when so many bytes of body came; SIZE_MAX: in the head */
    bool was_paused;
    bool is_paused; /* nothing may come */
} relay;

static void pause_once(relay *r)
{
    r->was_paused = r->is_paused = true;
    pp_http_pause(r->loop, r->transfer);
}

static void on_head(void *user, const pp_http_reply_head *head)
{
    relay *r = user;

    assert_int_equal(r->body_bytes, 0);
    assert_false(r->is_paused);
    pp_buf_printf(&r->head, "%d/%d ", head->status, head->minor_version);
    for (size_t i = 0; i < head->header_count; i++) {
        pp_http_header h = head->headers[i];

        pp_buf_printf(&r->head, "%.*s=%.*s;", (int)h.name.size, h.name.data, (int)h.value.size,
                      h.value.data);
    }
    pp_buf_append_text(&r->head, "\n");
    if (r->pause_after == SIZE_MAX)
        pause_once(r);
}

static bool on_body(void *user, const void *bytes, size_t size)
{
    relay *r = user;

    assert_true(r->head.size > 0);
    assert_false(r->is_paused);
    r->body_bytes += size;
    if (!r->body_is_counted)
        pp_buf_append(&r->body, bytes, size);
    if (r->pause_after != 0 && !r->was_paused && r->body_bytes >= r->pause_after)
        pause_once(r);
    return true;
}

static void on_end(void *user)
{
    relay *r = user;

    assert_non_null(r->transfer);
    r->transfer = NULL;
}

static relay *relay_new(pp_http_loop *loop)
{
    relay *r = calloc(1, sizeof *r);
    pp_error err = {0};

    assert_non_null(r);
    r->loop = loop;
    pp_buf_init(&r->head, 1 << 20);
    pp_buf_init(&r->body, 32 << 20);
    assert_ok(pp_http_record_init(&r->record, 0, 0, 0, &err), err);
    return r;
}

static void relay_free(relay *r)
{
    pp_buf_done(&r->head);
    pp_buf_done(&r->body);
    pp_http_record_done(&r->record);
    free(r);
}

static pp_http_loop *new_loop(void)
{
    const pp_http_loop_options options = {.no_stamps = true};
    pp_http_loop *loop = NULL;
    pp_error err = {0};

    assert_ok(pp_http_loop_new(NULL, &loop, &err), err);
    assert_ok(pp_http_loop_configure(loop, &options, &err), err);
    return loop;
}

static pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

static void relay_start(relay *r, const char *url, pp_http_limits limits)
{
    const pp_http_handlers handlers = {.head = on_head, .body = on_body, .end = on_end, .user = r};
    pp_http_request request = {.url = url, .body = bytes_of("{}"), .limits = limits, .relay = true};
    pp_error err = {0};

    pp_buf_clear(&r->head);
    pp_buf_clear(&r->body);
    r->body_bytes = 0;
    r->was_paused = r->is_paused = false;
    assert_ok(pp_http_start(r->loop, &request, &handlers, &r->record, &r->transfer, &err), err);
}

static void turn(pp_http_loop *loop, int64_t wait_ns)
{
    pp_error err = {0};

    assert_ok(pp_http_turn(loop, pp_clock_now_ns() + wait_ns, &err), err);
}

static void run_for(relay *r, int64_t ns)
{
    int64_t until_ns = pp_clock_now_ns() + ns;

    while (pp_clock_now_ns() < until_ns)
        turn(r->loop, 1 * MS);
}

static void run_to_end(relay *r)
{
    int64_t until_ns = pp_clock_now_ns() + 2 * PATIENCE;

    while (r->transfer != NULL) {
        turn(r->loop, 20 * MS);
        if (pp_clock_now_ns() > until_ns)
            fail_msg("no end: head '%s', %zu bytes of body", pp_buf_text(&r->head), r->body_bytes);
    }
    assert_int_equal(r->record.body.size, 0); /* nothing is kept */
    assert_int_equal(r->record.arrival_count, 0);
}

static void go_on(relay *r)
{
    r->is_paused = false;
    pp_http_resume(r->loop, r->transfer);
}

/* ---- each reply as it is -------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *reply;
    tape_end end;
    pp_http_result want;
    const char *head;
    const char *body;
    const char *text;
} replies[] = {
    {"repeated headers, in order and as often as sent",
     OK_HEAD "X-A: 1\r\nx-b:  two words \r\nX-A: 2\r\nContent-Length: 2\r\nX-A: 1\r\n\r\nok",
     TAPE_HOLD, PP_HTTP_COMPLETE, "200/1 X-A=1;x-b=two words;X-A=2;Content-Length=2;X-A=1;\n", "ok",
     ""},
    {"interim replies are passed over",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK_HEAD
     "Content-Length: 2\r\n\r\nok",
     TAPE_HOLD, PP_HTTP_COMPLETE, "200/1 Content-Length=2;\n", "ok", ""},
    {"an interim reply alone is none", "HTTP/1.1 100 Continue\r\n\r\n", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, "", "", "after 0 body bytes"},
    {"chunks, and trailers are no headers",
     STREAM "3;x=1\r\nabc\r\n1\r\nd\r\n0\r\nX-Late: 1\r\n\r\n", TAPE_HOLD, PP_HTTP_COMPLETE,
     "200/1 Content-Type=text/event-stream;Transfer-Encoding=chunked;\n", "abcd", ""},
    {"to the close, HTTP/1.0", "HTTP/1.0 200 OK\r\nX: y\r\n\r\nall", TAPE_CLOSE, PP_HTTP_COMPLETE,
     "200/0 X=y;\n", "all", ""},
    {"no body", "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n", TAPE_HOLD, PP_HTTP_COMPLETE,
     "204/1 X=y;\n", "", ""},
    {"an error is a reply", "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 3\r\n\r\nno!",
     TAPE_HOLD, PP_HTTP_COMPLETE, "429/1 Retry-After=7;Content-Length=3;\n", "no!", ""},
    {"a redirect is a reply",
     "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", TAPE_HOLD,
     PP_HTTP_COMPLETE, "302/1 Location=http://127.0.0.1:1/;Content-Length=0;\n", "", ""},
    {"an error that is cut is not complete", "HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nhalf",
     TAPE_CLOSE, PP_HTTP_PREMATURE_END, "503/1 Content-Length=9;\n", "half", "after 4 body bytes"},
    {"G22 Content-Length one too large", OK_HEAD "Content-Length: 4\r\n\r\nabc", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, "200/1 Content-Length=4;\n", "abc", "after 3 body bytes"},
    {"G22 Content-Length one too small", OK_HEAD "Content-Length: 2\r\n\r\nabc", TAPE_HOLD,
     PP_HTTP_COMPLETE, "200/1 Content-Length=2;\n", "ab", ""},
    {"last chunk missing", STREAM "3\r\nabc\r\n", TAPE_CLOSE, PP_HTTP_PREMATURE_END,
     "200/1 Content-Type=text/event-stream;Transfer-Encoding=chunked;\n", "abc", "after 3 body"},
    {"reset within the body", STREAM "3\r\nabc\r\n", TAPE_RESET, PP_HTTP_RESET,
     "200/1 Content-Type=text/event-stream;Transfer-Encoding=chunked;\n", "abc", "reset after 3"},
    {"an end within the head", OK_HEAD "X: y\r\n", TAPE_CLOSE, PP_HTTP_PREMATURE_END, "", "", ""},
    {"no reply", "", TAPE_CLOSE, PP_HTTP_PREMATURE_END, "", "", ""},
    {"reset instead of a reply", "", TAPE_RESET, PP_HTTP_RESET, "", "", "reset"},
    {"compressed", OK_HEAD "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", TAPE_HOLD,
     PP_HTTP_ENCODING, "", "", "compressed"},
    {"a control in a header", OK_HEAD "X-A: a\x01z\r\nX-B: b\r\nContent-Length: 0\r\n\r\n",
     TAPE_HOLD, PP_HTTP_PROTOCOL, "", "", "control"},
    {"both framings",
     OK_HEAD "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
     TAPE_HOLD, PP_HTTP_PROTOCOL, "", "", "both"},
    {"two lengths", OK_HEAD "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", TAPE_HOLD,
     PP_HTTP_PROTOCOL, "", "", "several"},
    {"a length with a sign", OK_HEAD "Content-Length: +1\r\n\r\na", TAPE_HOLD, PP_HTTP_PROTOCOL, "",
     "", "number"},
    {"the largest length", OK_HEAD "Content-Length: 9223372036854775807\r\n\r\na", TAPE_CLOSE,
     PP_HTTP_PREMATURE_END, "200/1 Content-Length=9223372036854775807;\n", "a", ""},
    {"a folded header", OK_HEAD "X: y\r\n z\r\nContent-Length: 0\r\n\r\n", TAPE_HOLD,
     PP_HTTP_PROTOCOL, "", "", "folded"},
    {"a bare line feed", OK_HEAD "X: y\nContent-Length: 0\r\n\r\n", TAPE_HOLD, PP_HTTP_PROTOCOL, "",
     "", "CR and LF"},
    {"a blank before a colon", OK_HEAD "Content-Length : 0\r\n\r\n", TAPE_HOLD, PP_HTTP_PROTOCOL,
     "", "", "name"},
    {"another protocol", "HTTP/1.1 101 S\r\n\r\nabc", TAPE_HOLD, PP_HTTP_PROTOCOL, "", "",
     "protocol"},
    {"chunk size that is none", STREAM "zz\r\nabc\r\n", TAPE_HOLD, PP_HTTP_PROTOCOL,
     "200/1 Content-Type=text/event-stream;Transfer-Encoding=chunked;\n", "", ""},
    {"not HTTP", "SSH-2.0-x\r\n", TAPE_CLOSE, PP_HTTP_PROTOCOL, "", "", ""},
};

static void each_reply_is_handed_over_as_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(replies); i++) {
        tape_piece piece = {0, replies[i].reply, strlen(replies[i].reply)};
        tape tapes[] = {{NULL, &piece, piece.size == 0 ? 0 : 1, replies[i].end, NULL}};
        tape_server *server = tape_server_start(tapes, 1);
        relay *r = relay_new(new_loop());

        relay_start(r, tape_server_url(server, "/"), long_limits);
        run_to_end(r);
        if (r->record.result != replies[i].want ||
            strcmp(pp_buf_text(&r->head), replies[i].head) != 0 ||
            strcmp(pp_buf_text(&r->body), replies[i].body) != 0 ||
            strstr(r->record.text, replies[i].text) == NULL)
            fail_msg("%s: %s, head '%s', body '%s', text '%s'", replies[i].name,
                     pp_http_result_name(r->record.result), pp_buf_text(&r->head),
                     pp_buf_text(&r->body), r->record.text);
        assert_int_equal(r->record.head_ns != 0, r->record.status != 0);
        pp_http_loop_free(r->loop);
        relay_free(r);
        tape_server_stop(server);
    }
}

/* Between events, within one, within a character, within a chunk's line: the end is never taken for
 * the end of the reply. Of the very last byte, the LF behind the last chunk's CR, libcurl makes no
 * condition: nothing can be missing any more. */
static void g16_an_end_anywhere_before_the_last_byte_is_not_complete(void **state)
{
    static const char reply[] = STREAM "a\r\ndata: \xc3\xa9x\n\r\n1\r\n\n\r\n" TOKEN FINISH;
    size_t whole = sizeof reply - 1;

    (void)state;
    for (size_t size = 1; size <= whole; size++) {
        for (int reset = 0; reset < 2; reset++) {
            tape_piece piece = {0, reply, size};
            tape tapes[] = {{NULL, &piece, 1, reset ? TAPE_RESET : TAPE_CLOSE, NULL}};
            tape_server *server = tape_server_start(tapes, 1);
            relay *r = relay_new(new_loop());
            pp_http_result result;

            relay_start(r, tape_server_url(server, "/"), long_limits);
            run_to_end(r);
            result = r->record.result;
            if (size >= whole - 1 && result == PP_HTTP_COMPLETE)
                assert_string_equal(pp_buf_text(&r->body), "data: \xc3\xa9x\n\ndata: x\n\n");
            else if (size == whole)
                assert_true(reset && result == PP_HTTP_RESET); /* the RST came first */
            else if (result != (reset ? PP_HTTP_RESET : PP_HTTP_PREMATURE_END))
                fail_msg("%zu bytes, then %s: %s", size, reset ? "RST" : "FIN",
                         pp_http_result_name(result));
            pp_http_loop_free(r->loop);
            relay_free(r);
            tape_server_stop(server);
        }
    }
}

/* More than is kept of an error that is ours (64 KiB). */
static void the_body_of_an_error_comes_whole(void **state)
{
    static const char head[] = "HTTP/1.1 500 Oops\r\nContent-Length: 300000\r\n\r\n";
    char *body = malloc(300000);
    tape_piece pieces[] = {{0, head, sizeof head - 1}, {0, body, 300000}};
    tape tapes[] = {TAPE(pieces, TAPE_HOLD)};
    tape_server *server = tape_server_start(tapes, 1);
    relay *r = relay_new(new_loop());

    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i < 300000; i++)
        body[i] = (char)('a' + i % 23);
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    assert_int_equal(r->record.status, 500);
    assert_int_equal(r->body.size, 300000);
    assert_memory_equal(r->body.data, body, 300000);
    pp_http_loop_free(r->loop);
    relay_free(r);
    tape_server_stop(server);
    free(body);
}

static void too_many_headers_are_refused(void **state)
{
    pp_buf text;
    tape_piece piece = {0};
    tape tapes[] = {{NULL, &piece, 1, TAPE_HOLD, NULL}};

    (void)state;
    pp_buf_init(&text, 1 << 20);
    for (size_t count = PP_HTTP_REPLY_HEADERS_MAX; count < PP_HTTP_REPLY_HEADERS_MAX + 2; count++) {
        bool fits = count <= PP_HTTP_REPLY_HEADERS_MAX;
        tape_server *server;
        relay *r = relay_new(new_loop());

        pp_buf_clear(&text);
        pp_buf_append_text(&text, OK_HEAD "Content-Length: 0\r\n");
        for (size_t i = 1; i < count; i++)
            pp_buf_printf(&text, "X-%zu: 1\r\n", i);
        pp_buf_append_text(&text, "\r\n");
        piece = (tape_piece){0, pp_buf_text(&text), text.size};
        server = tape_server_start(tapes, 1);
        relay_start(r, tape_server_url(server, "/"), long_limits);
        run_to_end(r);
        assert_int_equal(r->record.result, fits ? PP_HTTP_COMPLETE : PP_HTTP_TOO_LARGE);
        assert_int_equal(r->head.size > 0, fits);
        pp_http_loop_free(r->loop);
        relay_free(r);
        tape_server_stop(server);
    }
    pp_buf_done(&text);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static const tape_piece plain_ok[] = {{0, OK_HEAD "Content-Length: 2\r\n\r\n{}", 0}};

static void nothing_is_sent_that_was_not_given(void **state)
{
    static const char *const lines[] = {"X-A: 1", "Content-Type: text/odd", "X-A: 2"};
    tape tapes[] = {TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 1);
    pp_http_loop *loop = new_loop();
    relay *r = relay_new(loop);
    const char *url = tape_server_url(server, "/v1/x?y=z");
    char *port = strdup(strrchr(url, ':') + 1);
    pp_http_request request = {.url = url,
                               .body = bytes_of("{\"a\": 1}"),
                               .headers = lines,
                               .header_count = 3,
                               .limits = long_limits,
                               .relay = true};
    pp_error err = {0};
    char want[256];

    (void)state;
    assert_non_null(port);
    port[strcspn(port, "/")] = '\0';
    assert_ok(pp_http_perform(loop, &request, NULL, NULL, &r->record, &err), err);
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    (void)snprintf(want, sizeof want,
                   "POST /v1/x?y=z HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAccept-Encoding: identity\r\n"
                   "X-A: 1\r\nContent-Type: text/odd\r\nX-A: 2\r\nContent-Length: 8\r\n\r\n"
                   "{\"a\": 1}",
                   port);
    assert_string_equal(tape_server_request(server, 0), want);
    request.header_count = 0;
    request.body = (pp_bytes){0};
    assert_ok(pp_http_perform(loop, &request, NULL, NULL, &r->record, &err), err);
    (void)snprintf(want, sizeof want,
                   "GET /v1/x?y=z HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAccept-Encoding: identity\r\n"
                   "\r\n",
                   port);
    assert_string_equal(tape_server_request(server, 1), want);
    /* and a request of our own on the same handle is as ever */
    request.relay = false;
    request.body = bytes_of("{}");
    relay_free(r);
    r = relay_new(loop);
    r->record.body.max_bytes = 1 << 10;
    assert_ok(pp_http_perform(loop, &request, NULL, NULL, &r->record, &err), err);
    assert_contains(tape_server_request(server, 2), "Content-Type: application/json\r\n");
    assert_contains(tape_server_request(server, 2), "Accept: */*\r\n");
    assert_string_equal(pp_buf_text(&r->record.body), "{}");
    free(port);
    pp_http_loop_free(loop);
    relay_free(r);
    tape_server_stop(server);
}

/* Whatever lay behind the declared end must not become the next reply. */
static void g22_bytes_behind_the_length_end_the_connection(void **state)
{
    static const tape_piece long_ok[] = {
        {0, OK_HEAD "Content-Length: 2\r\n\r\nokHTTP/1.1 500 Forged\r\nContent-Length: 0\r\n\r\n",
         0}};
    tape tapes[] = {TAPE(long_ok, TAPE_KEEP), TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 2);
    relay *r = relay_new(new_loop());

    (void)state;
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_string_equal(pp_buf_text(&r->body), "ok");
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_int_equal(r->record.status, 200);
    assert_string_equal(pp_buf_text(&r->body), "{}");
    assert_false(r->record.connection_reused);
    assert_int_equal(tape_server_connection_count(server), 2);
    pp_http_loop_free(r->loop);
    relay_free(r);
    tape_server_stop(server);
}

static void f07_a_kept_connection_that_died_is_told(void **state)
{
    tape tapes[] = {
        TAPE(plain_ok, TAPE_KEEP), {NULL, NULL, 0, TAPE_CLOSE, NULL}, TAPE(plain_ok, TAPE_KEEP)};
    tape_server *server = tape_server_start(tapes, 3);
    relay *r = relay_new(new_loop());

    (void)state;
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_int_equal(r->record.result, PP_HTTP_RESET);
    assert_true(r->record.kept_connection_died);
    assert_int_equal(r->head.size, 0);
    assert_int_equal(tape_server_request_count(server), 2); /* not sent again */
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_to_end(r);
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    assert_false(r->record.kept_connection_died);
    pp_http_loop_free(r->loop);
    relay_free(r);
    tape_server_stop(server);
}

/* ---- pauses ---------------------------------------------------------------------------------- */

/* Heap in use where the allocator tells it; under a sanitizer it does not. */
static size_t heap_bytes(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

#define BIG_CHUNK "fff0\r\n"

static void e31_ten_mib_pass_and_a_pause_holds_little(void **state)
{
    size_t count = 161; /* of 65,520 bytes: a little above 10 MiB */
    size_t size = 0xfff0;
    char *chunk = malloc(size + 8);
    tape_piece *pieces = calloc(count + 2, sizeof *pieces);
    tape tapes[] = {{NULL, pieces, count + 2, TAPE_HOLD, NULL}};
    tape_server *server;
    relay *r = relay_new(new_loop());
    size_t before, most = 0;

    (void)state;
    assert_true(chunk != NULL && pieces != NULL);
    memcpy(chunk, BIG_CHUNK, 6);
    memset(chunk + 6, 'x', size);
    memcpy(chunk + 6 + size, "\r\n", 2);
    pieces[0] = (tape_piece){0, STREAM, 0};
    for (size_t i = 1; i <= count; i++)
        pieces[i] = (tape_piece){0, chunk, size + 8};
    pieces[count + 1] = (tape_piece){0, FINISH, 0};
    server = tape_server_start(tapes, 1);
    r->body_is_counted = true;
    relay_start(r, tape_server_url(server, "/"), long_limits);
    run_for(r, 1 * MS);
    before = heap_bytes();
    for (size_t at = 1 << 20; at <= (size_t)10 << 20; at += 1 << 20) {
        int64_t until_ns = pp_clock_now_ns() + PATIENCE;

        r->pause_after = at;
        r->was_paused = false;
        while (!r->is_paused) {
            turn(r->loop, 20 * MS);
            assert_true(pp_clock_now_ns() < until_ns);
        }
        run_for(r, 20 * MS); /* on_body fails when anything comes */
        if (heap_bytes() > before && heap_bytes() - before > most)
            most = heap_bytes() - before;
        go_on(r);
    }
    run_to_end(r);
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    assert_int_equal(r->body_bytes, count * size);
    if (most > (64 << 10))
        fail_msg("%zu bytes were held while it was paused", most);
    pp_http_loop_free(r->loop);
    relay_free(r);
    tape_server_stop(server);
    free(chunk);
    free(pieces);
}

static const tape_piece quick_stream[] = {{0, STREAM, 0}, {20, TOKEN, 0}, {20, TOKEN FINISH, 0}};
static const tape_piece stalling_stream[] = {{0, STREAM, 0}, {20, TOKEN, 0}};

/* The end waits behind the pause as well: it came long before. */
static void a_pause_does_not_count_as_silence(void **state)
{
    static const struct {
        const char *name;
        size_t pause_after;
        tape tape;
        pp_http_limits limits;
        int64_t pause_ms;
        pp_http_result want;
        int64_t min_ms;
    } rows[] = {
        {"in the body, longer than the idle limit",
         9,
         TAPE(quick_stream, TAPE_CLOSE),
         {0, 0, 150 * MS, 0},
         400,
         PP_HTTP_COMPLETE,
         400},
        {"in the head, longer than the first-byte limit",
         SIZE_MAX,
         TAPE(quick_stream, TAPE_CLOSE),
         {0, 150 * MS, 0, 0},
         400,
         PP_HTTP_COMPLETE,
         400},
        {"silence behind the pause counts",
         9,
         TAPE(stalling_stream, TAPE_HOLD),
         {0, 0, 150 * MS, 0},
         200,
         PP_HTTP_IDLE_TIMEOUT,
         350},
        {"what was left of the first-byte limit counts",
         SIZE_MAX,
         TAPE(plain_ok, TAPE_HOLD),
         {0, 5000 * MS, 0, 0},
         100,
         PP_HTTP_COMPLETE,
         100},
        {"the total limit goes on",
         9,
         TAPE(quick_stream, TAPE_CLOSE),
         {0, 0, 0, 200 * MS},
         400,
         PP_HTTP_TOTAL_TIMEOUT,
         200},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        tape_server *server = tape_server_start(&rows[i].tape, 1);
        relay *r = relay_new(new_loop());
        int64_t until_ns = pp_clock_now_ns() + PATIENCE;
        int64_t took_ms;

        r->pause_after = rows[i].pause_after;
        relay_start(r, tape_server_url(server, "/"), rows[i].limits);
        while (!r->is_paused && pp_clock_now_ns() < until_ns)
            turn(r->loop, 20 * MS);
        assert_true(r->is_paused);
        run_for(r, rows[i].pause_ms * MS);
        if (r->transfer != NULL)
            go_on(r);
        run_to_end(r);
        took_ms = (r->record.ended_ns - r->record.started_ns) / MS;
        if (r->record.result != rows[i].want || took_ms < rows[i].min_ms || took_ms > 3000)
            fail_msg("%s: %s after %lld ms", rows[i].name, pp_http_result_name(r->record.result),
                     (long long)took_ms);
        pp_http_loop_free(r->loop);
        relay_free(r);
        tape_server_stop(server);
    }
}

/* ---- cancelling ------------------------------------------------------------------------------ */

static int peer_listen(char *url, size_t url_size)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    (void)snprintf(url, url_size, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    return fd;
}

static int peer_accept(relay *r, int listen_fd)
{
    int64_t until_ns = pp_clock_now_ns() + PATIENCE;

    for (;;) {
        int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0)
            return fd;
        turn(r->loop, 1 * MS);
        assert_true(pp_clock_now_ns() < until_ns);
    }
}

/* Reads on until the connection ends; the instant, or 0 when it does not within that time. */
static int64_t peer_sees_end(int fd, int64_t within_ns)
{
    int64_t until_ns = pp_clock_now_ns() + within_ns;

    while (pp_clock_now_ns() < until_ns) {
        struct pollfd p = {fd, POLLIN, 0};
        char bytes[4096];
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);

        if (n == 0 || (n < 0 && errno != EAGAIN))
            return pp_clock_now_ns();
        (void)poll(&p, 1, 1);
    }
    return 0;
}

static void e26_cancel_closes_at_once_in_each_phase_and_the_connection_is_not_used_again(void **s)
{
    static const struct {
        const char *name;
        const char *said; /* by the server before the cancel */
        size_t pause_after;
    } rows[] = {
        {"nothing of the reply came", "", 0},
        {"within the head", OK_HEAD "X: y\r\n", 0},
        {"behind an interim reply", "HTTP/1.1 100 Continue\r\n\r\n", 0},
        {"behind the head", STREAM, 0},
        {"between events", STREAM TOKEN, 0},
        {"within a chunk", STREAM "9\r\nda", 0},
        {"paused", STREAM TOKEN, 9},
        {"paused in the head", STREAM TOKEN, SIZE_MAX},
        {"paused, with bytes that wait", STREAM TOKEN TOKEN, 9},
    };

    (void)s;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        relay *r = relay_new(new_loop());
        char url[64];
        int listen_fd = peer_listen(url, sizeof url);
        int64_t cancelled_ns;
        int fd, second;

        r->pause_after = rows[i].pause_after;
        relay_start(r, url, long_limits);
        fd = peer_accept(r, listen_fd);
        assert_int_equal(send(fd, rows[i].said, strlen(rows[i].said), MSG_NOSIGNAL),
                         (ssize_t)strlen(rows[i].said));
        run_for(r, 20 * MS);
        assert_non_null(r->transfer);
        assert_int_equal(r->is_paused, rows[i].pause_after != 0);
        assert_int_equal(peer_sees_end(fd, 5 * MS), 0);
        cancelled_ns = pp_clock_now_ns();
        pp_http_cancel(r->loop, r->transfer);
        assert_null(r->transfer); /* `end` was called */
        assert_int_equal(r->record.result, PP_HTTP_CANCELLED);
        if (peer_sees_end(fd, 50 * MS) == 0)
            fail_msg("%s: open %lld ms after the cancel", rows[i].name,
                     (long long)((pp_clock_now_ns() - cancelled_ns) / MS));
        relay_start(r, url, long_limits);
        second = peer_accept(r, listen_fd); /* fails in time when the first one was used */
        pp_http_cancel(r->loop, r->transfer);
        (void)close(fd);
        (void)close(second);
        (void)close(listen_fd);
        pp_http_loop_free(r->loop);
        relay_free(r);
    }
}

/* Not accepted, so that nothing but the connection exists. */
static void a_cancel_while_connecting_ends_it(void **state)
{
    relay *r = relay_new(new_loop());
    char url[64];
    int listen_fd = peer_listen(url, sizeof url);

    (void)state;
    relay_start(r, url, long_limits);
    pp_http_cancel(r->loop, r->transfer);
    assert_null(r->transfer);
    assert_int_equal(r->record.result, PP_HTTP_CANCELLED);
    run_for(r, 10 * MS);
    assert_int_equal(pp_http_active_count(r->loop), 0);
    (void)close(listen_fd);
    pp_http_loop_free(r->loop);
    relay_free(r);
}

/* ---- in somebody else's loop ----------------------------------------------------------------- */

/* Nothing but poll on the descriptor says when to look; false when the time is over first. Counts
 * the looks, for one that is readable for ever would keep the other loop spinning. */
static bool poll_to_end(relay *r, int64_t within_ns, size_t *looks)
{
    int64_t until_ns = pp_clock_now_ns() + within_ns;
    struct pollfd p = {pp_http_loop_fd(r->loop), POLLIN, 0};
    pp_error err = {0};

    while (r->transfer != NULL) {
        int64_t left_ns = until_ns - pp_clock_now_ns();

        if (left_ns <= 0)
            return false;
        if (poll(&p, 1, (int)(left_ns / MS) + 1) > 0) {
            assert_ok(pp_http_turn(r->loop, PP_HTTP_LOOK, &err), err);
            ++*looks;
        }
    }
    return true;
}

static const tape_piece head_only[] = {{0, STREAM, 0}};
static const tape_piece slow_ok[] = {{150, OK_HEAD "Content-Length: 2\r\n\r\n{}", 0}};

static void the_descriptor_tells_of_data_and_of_limits(void **state)
{
    static const struct {
        const char *name;
        tape tape;
        pp_http_limits limits;
        pp_http_result want;
        int64_t min_ms;
    } rows[] = {
        {"data", TAPE(quick_stream, TAPE_CLOSE), {0}, PP_HTTP_COMPLETE, 40},
        {"data after a wait", TAPE(slow_ok, TAPE_HOLD), {0}, PP_HTTP_COMPLETE, 140},
        {"first byte",
         TAPE(head_only, TAPE_HOLD),
         {0, 120 * MS, 0, 0},
         PP_HTTP_FIRST_BYTE_TIMEOUT,
         120},
        {"idle", TAPE(stalling_stream, TAPE_HOLD), {0, 0, 120 * MS, 0}, PP_HTTP_IDLE_TIMEOUT, 120},
        {"total", TAPE(head_only, TAPE_HOLD), {0, 0, 0, 120 * MS}, PP_HTTP_TOTAL_TIMEOUT, 120},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        tape_server *server = tape_server_start(&rows[i].tape, 1);
        relay *r = relay_new(new_loop());
        size_t looks = 0;
        int64_t took_ms;

        (void)pp_http_loop_fd(r->loop);
        relay_start(r, tape_server_url(server, "/"), rows[i].limits);
        if (!poll_to_end(r, PATIENCE, &looks))
            fail_msg("%s: the descriptor did not become readable", rows[i].name);
        took_ms = (r->record.ended_ns - r->record.started_ns) / MS;
        if (r->record.result != rows[i].want || took_ms < rows[i].min_ms || took_ms > 2000)
            fail_msg("%s: %s after %lld ms", rows[i].name, pp_http_result_name(r->record.result),
                     (long long)took_ms);
        if (looks > 100)
            fail_msg("%s: %zu turns for it", rows[i].name, looks);
        pp_http_loop_free(r->loop);
        relay_free(r);
        tape_server_stop(server);
    }
}

static void the_descriptor_tells_of_a_refusal_and_of_a_resumption(void **state)
{
    tape tapes[] = {TAPE(quick_stream, TAPE_CLOSE)};
    tape_server *server = tape_server_start(tapes, 1);
    relay *r = relay_new(new_loop());
    struct pollfd p = {pp_http_loop_fd(r->loop), POLLIN, 0};
    size_t looks = 0;
    char url[64];

    (void)state;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/", tape_unused_port());
    relay_start(r, url, (pp_http_limits){0});
    assert_true(poll_to_end(r, PATIENCE, &looks));
    assert_int_equal(r->record.result, PP_HTTP_REFUSED);
    r->pause_after = 9;
    relay_start(r, tape_server_url(server, "/"), (pp_http_limits){0});
    looks = 0;
    assert_false(poll_to_end(r, 200 * MS, &looks));
    assert_true(r->is_paused);
    if (looks > 50)
        fail_msg("%zu turns, most while it was paused", looks);
    assert_int_equal(poll(&p, 1, 0), 0);
    go_on(r);
    assert_int_equal(poll(&p, 1, 100), 1);
    assert_true(poll_to_end(r, PATIENCE, &looks));
    assert_int_equal(r->record.result, PP_HTTP_COMPLETE);
    assert_string_equal(pp_buf_text(&r->body), "data: x\n\ndata: x\n\n");
    pp_http_loop_free(r->loop);
    relay_free(r);
    tape_server_stop(server);
}

/* Its peer closes while nobody asks anything: seen once, not for ever. */
static void a_kept_connection_that_ends_does_not_keep_the_descriptor_readable(void **state)
{
    relay *r = relay_new(new_loop());
    struct pollfd p = {pp_http_loop_fd(r->loop), POLLIN, 0};
    pp_error err = {0};
    size_t looks = 0;
    char url[64];
    int listen_fd = peer_listen(url, sizeof url);
    int fd;

    (void)state;
    relay_start(r, url, (pp_http_limits){0});
    fd = peer_accept(r, listen_fd);
    assert_int_equal(send(fd, plain_ok[0].bytes, strlen(plain_ok[0].bytes), MSG_NOSIGNAL),
                     (ssize_t)strlen(plain_ok[0].bytes));
    assert_true(poll_to_end(r, PATIENCE, &looks));
    (void)close(fd);
    for (looks = 0; looks < 10 && poll(&p, 1, 30) > 0; looks++)
        assert_ok(pp_http_turn(r->loop, PP_HTTP_LOOK, &err), err);
    assert_in_range(looks, 1, 5);
    (void)close(listen_fd);
    pp_http_loop_free(r->loop);
    relay_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reply_is_handed_over_as_it_is),
        cmocka_unit_test(g16_an_end_anywhere_before_the_last_byte_is_not_complete),
        cmocka_unit_test(the_body_of_an_error_comes_whole),
        cmocka_unit_test(too_many_headers_are_refused),
        cmocka_unit_test(nothing_is_sent_that_was_not_given),
        cmocka_unit_test(g22_bytes_behind_the_length_end_the_connection),
        cmocka_unit_test(f07_a_kept_connection_that_died_is_told),
        cmocka_unit_test(e31_ten_mib_pass_and_a_pause_holds_little),
        cmocka_unit_test(a_pause_does_not_count_as_silence),
        cmocka_unit_test(
            e26_cancel_closes_at_once_in_each_phase_and_the_connection_is_not_used_again),
        cmocka_unit_test(a_cancel_while_connecting_ends_it),
        cmocka_unit_test(the_descriptor_tells_of_data_and_of_limits),
        cmocka_unit_test(the_descriptor_tells_of_a_refusal_and_of_a_resumption),
        cmocka_unit_test(a_kept_connection_that_ends_does_not_keep_the_descriptor_readable),
    };

    (void)alarm(100); /* a hang is a failure, not a wait */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
