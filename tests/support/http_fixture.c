#include "http_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)

/* ---- a server under test, driven in the test's own thread ------------------------------------ */

pp_bytes bytes_of(const char *text)
{
    return (pp_bytes){(const unsigned char *)text, strlen(text)};
}

static void on_request(void *user, pp_http_call *call, const pp_http_request_view *request)
{
    http_fixture *f = user;

    f->call = call;
    pp_buf_printf(&f->log, "%.*s ", (int)request->path.size, request->path.data);
    f->act(f, call, request);
}

static void on_sent(void *user, pp_http_call *call, uint64_t tag, int64_t before_write_ns)
{
    http_fixture *f = user;

    (void)call;
    assert_true(f->sent_count < PP_COUNT_OF(f->sent_ns));
    f->sent_tags[f->sent_count] = tag;
    f->sent_ns[f->sent_count++] = before_write_ns;
}

static void on_drained(void *user, pp_http_call *call)
{
    http_fixture *f = user;

    assert_int_equal(pp_http_reply_queued(call), 0);
    f->drained_count++;
}

static void on_gone(void *user, pp_http_call *call)
{
    http_fixture *f = user;

    (void)call;
    f->gone_ns = pp_clock_now_ns();
    pp_buf_append_text(&f->log, "gone ");
}

static void on_ended(void *user, pp_http_call *call)
{
    http_fixture *f = user;

    if (f->call == call)
        f->call = NULL;
    pp_buf_append_text(&f->log, "ended ");
}

void act_ok(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    pp_error err = {0};

    (void)f;
    (void)request;
    assert_ok(pp_http_reply_text(call, 200, "text/plain", bytes_of("ok"), &err), err);
}

void act_wait(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
{
    (void)f;
    (void)call;
    (void)request;
}

pp_http_server_options fixture_options(http_fixture *f)
{
    pp_http_server_options options;

    pp_http_server_options_default(&options);
    options.handlers =
        (pp_http_server_handlers){on_request, on_sent, on_drained, on_gone, on_ended, NULL, f};
    return options;
}

void fixture_start_with(pp_http_server_options options, http_fixture *f)
{
    pp_error err = {0};

    assert_ok(pp_http_server_new(&options, &f->server, &err), err);
}

http_fixture *fixture_new(void (*act)(http_fixture *, pp_http_call *, const pp_http_request_view *))
{
    http_fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    f->act = act;
    pp_buf_init(&f->log, 1 << 20);
    return f;
}

http_fixture *fixture_start(void (*act)(http_fixture *, pp_http_call *,
                                        const pp_http_request_view *))
{
    http_fixture *f = fixture_new(act);

    fixture_start_with(fixture_options(f), f);
    return f;
}

void fixture_stop(http_fixture *f)
{
    pp_http_server_free(f->server);
    pp_buf_done(&f->log);
    free(f);
}

void fixture_turn(http_fixture *f, int64_t wait_ns)
{
    pp_error err = {0};

    assert_ok(pp_http_server_turn(f->server, pp_clock_now_ns() + wait_ns, &err), err);
}

/* ---- a client -------------------------------------------------------------------------------- */

int client_dial(http_fixture *f)
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

void client_say_bytes(int fd, const char *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

void client_say(int fd, const char *text)
{
    client_say_bytes(fd, text, strlen(text));
}

/* Read what is there; 0 at the end of the stream, -1 with errno. */
ssize_t client_hear_some(int fd, pp_buf *heard)
{
    char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);

    if (n > 0)
        pp_buf_append(heard, bytes, (size_t)n);
    return n;
}

/* Run the server until the client has heard `want` bytes or the end; true for the end. */
bool client_hear(http_fixture *f, int fd, size_t want, pp_buf *heard)
{
    int64_t deadline_ns = pp_clock_now_ns() + PATIENCE;

    while (heard->size < want) {
        ssize_t n;

        fixture_turn(f, 1 * MS);
        n = client_hear_some(fd, heard);
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
void client_expect(http_fixture *f, int fd, const char *name, const char *want, bool closes)
{
    int64_t quiet_ns;
    pp_buf heard;
    bool closed;

    pp_buf_init(&heard, 1 << 20);
    closed = client_hear(f, fd, closes ? SIZE_MAX : strlen(want), &heard);
    quiet_ns = pp_clock_now_ns() + 20 * MS;
    while (!closed && pp_clock_now_ns() < quiet_ns) {
        fixture_turn(f, 1 * MS);
        closed = client_hear_some(fd, &heard) == 0;
    }
    if (strcmp(pp_buf_text(&heard), want) != 0 || closed != closes)
        fail_msg("%s: got\n%s\n(closed %d), wanted\n%s\n(closed %d)", name, pp_buf_text(&heard),
                 closed, want, closes);
    pp_buf_done(&heard);
}

/* Turns until a word has appeared in the log. */
void fixture_await(http_fixture *f, const char *word)
{
    int64_t deadline_ns = pp_clock_now_ns() + PATIENCE;

    while (strstr(pp_buf_text(&f->log), word) == NULL) {
        if (pp_clock_now_ns() > deadline_ns)
            fail_msg("'%s' did not come: '%s'", word, pp_buf_text(&f->log));
        fixture_turn(f, 1 * MS);
    }
}

/* ---- replies --------------------------------------------------------------------------------- */

void reply_begin(pp_http_call *call, int status, pp_http_framing framing, uint64_t length)
{
    pp_http_header header = {pp_text_of("X-A"), pp_text_of("b")};
    pp_error err = {0};

    assert_ok(pp_http_reply_begin(call, status, &header, 1, framing, length, &err), err);
}

void reply_write(pp_http_call *call, const char *text)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_write(call, bytes_of(text), 0, &err), err);
}

void reply_raw(pp_http_call *call, const char *text)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_raw(call, bytes_of(text), 0, &err), err);
}

void reply_end(pp_http_call *call)
{
    pp_error err = {0};

    assert_ok(pp_http_reply_end(call, &err), err);
}
