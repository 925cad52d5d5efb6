/* http_fixture.h - an HTTP server under test, and a client made of one socket, in one thread.
 *
 * The test turns the server by hand, so that what the client sees between two turns is known. Calls
 * that wait fail the running test when what they wait for does not come within 5 s. */
#ifndef PP_TESTS_HTTP_FIXTURE_H
#define PP_TESTS_HTTP_FIXTURE_H

#include <stdbool.h>
#include <sys/types.h>

#include "net/http_server.h"
#include "shared.h"

typedef struct http_fixture http_fixture;

/* What a test does with a request. */
typedef void (*http_act)(http_fixture *f, pp_http_call *call, const pp_http_request_view *request);

struct http_fixture {
    pp_http_server *server;
    http_act act;
    pp_http_call *call; /* the last one, until it ended */
    pp_buf log;         /* what the handlers were told: "PATH ", "gone ", "ended " */
    int64_t gone_ns;
    int64_t sent_ns[4096];
    uint64_t sent_tags[4096];
    size_t sent_count;
    size_t drained_count;
};

/** On the heap, without a server: for options of one's own. */
http_fixture *fixture_new(http_act act);
pp_http_server_options fixture_options(http_fixture *f);
void fixture_start_with(pp_http_server_options options, http_fixture *f);

/** On a free port of 127.0.0.1, with the default options. */
http_fixture *fixture_start(http_act act);
void fixture_stop(http_fixture *f);

/** One turn that waits at most that long. */
void fixture_turn(http_fixture *f, int64_t wait_ns);

/** Turns until a word has appeared in the log. */
void fixture_await(http_fixture *f, const char *word);

/** Reply "ok" as text/plain at once; HTTP_OK_REPLY is what leaves. */
void act_ok(http_fixture *f, pp_http_call *call, const pp_http_request_view *request);
#define HTTP_OK_REPLY "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

/** Reply nothing for now. */
void act_wait(http_fixture *f, pp_http_call *call, const pp_http_request_view *request);

/* Replies that must not fail; begin adds the header "X-A: b". */
void reply_begin(pp_http_call *call, int status, pp_http_framing framing, uint64_t length);
void reply_write(pp_http_call *call, const char *text);
void reply_raw(pp_http_call *call, const char *text);
void reply_end(pp_http_call *call);

/** A connected socket that does not block. */
int client_dial(http_fixture *f);
void client_say(int fd, const char *text);
void client_say_bytes(int fd, const char *bytes, size_t size);

/** Read what is there; 0 at the end of the stream, -1 with errno. */
ssize_t client_hear_some(int fd, pp_buf *heard);

/** Run the server until the client has heard `want` bytes or the end; true for the end. */
bool client_hear(http_fixture *f, int fd, size_t want, pp_buf *heard);

/** The client hears exactly this, and nothing more within 20 ms; `closes`: then the end. */
void client_expect(http_fixture *f, int fd, const char *name, const char *want, bool closes);

pp_bytes bytes_of(const char *text);

#endif
