#include "net/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail_nth.h"
#include "http_fixture.h"

#define MS       PP_NS_PER_MS
#define PATIENCE (5 * PP_NS_PER_S)
#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* ---- the loop -------------------------------------------------------------------------------- */

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, timeout_ms) == 1;
}

static void look(http_fixture *f)
{
    pp_error err = {0};

    assert_ok(pp_http_server_turn(f->server, PP_HTTP_LOOK, &err), err);
}

static void count_firing(void *user, int64_t now_ns)
{
    (void)now_ns;
    ++*(int *)user;
}

/* As it stands in the set of another loop: turned only when its descriptor asks for it. */
static void its_descriptor_tells_when_there_is_work(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int set = pp_http_server_fd(f->server);
    int fired = 0;
    pp_http_timer timer = {.fire = count_firing, .user = &fired};
    int fd = client_dial(f);
    pp_buf heard;

    (void)state;
    pp_buf_init(&heard, 4096);
    client_say(fd, GET GET);
    while (f->call == NULL) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    while (is_readable(set, 20))
        look(f);
    pp_http_timer_set(f->server, &timer, pp_clock_now_ns() + 30 * MS); /* outside of a turn */
    while (fired == 0) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    reply_begin(f->call, 200, PP_HTTP_FRAME_LENGTH, 0); /* a held head and the next request */
    reply_end(f->call);
    while (strcmp(pp_buf_text(&f->log), "/ ended / ") != 0) {
        assert_true(is_readable(set, 5000));
        look(f);
    }
    assert_true(client_hear_some(fd, &heard) > 0);
    pp_buf_done(&heard);
    close(fd);
    fixture_stop(f);
}

static void *wake_soon(void *server)
{
    pp_clock_sleep_until_ns(pp_clock_now_ns() + 20 * MS);
    pp_http_server_wake(server);
    return NULL;
}

/* A reply made between turns leaves work; who looks by himself is not woken for it. */
static void a_caller_that_looks_is_asked_without_a_wake_up(void **state)
{
    (void)state;
    for (int looks = 0; looks < 2; looks++) {
        http_fixture *f = fixture_new(act_wait);
        pp_http_server_options options = fixture_options(f);
        int set, fd;

        options.caller_looks = looks;
        fixture_start_with(options, f);
        set = pp_http_server_fd(f->server);
        fd = client_dial(f);
        client_say(fd, GET);
        fixture_await(f, "/ ");
        while (is_readable(set, 20)) /* the timer of the waiting before comes yet */
            look(f);
        assert_false(pp_http_server_has_work(f->server));
        act_ok(f, f->call, NULL);
        assert_true(pp_http_server_has_work(f->server));
        assert_int_equal(is_readable(set, 20), !looks);
        assert_null(strstr(pp_buf_text(&f->log), "ended"));
        look(f);
        assert_non_null(strstr(pp_buf_text(&f->log), "ended"));
        assert_false(pp_http_server_has_work(f->server));
        client_expect(f, fd, "the reply", HTTP_OK_REPLY, false);
        (void)close(fd);
        fixture_stop(f);
    }
}

static void another_thread_can_wake_it(void **state)
{
    http_fixture *f = fixture_start(act_ok);
    int64_t started_ns = pp_clock_now_ns();
    pthread_t thread;
    pp_error err = {0};

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wake_soon, f->server), 0);
    assert_ok(pp_http_server_turn(f->server, 0, &err), err);
    assert_in_range(pp_clock_now_ns() - started_ns, 15 * MS, PATIENCE);
    pthread_join(thread, NULL);
    fixture_stop(f);
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
    http_fixture *f = fixture_new(act_ok);
    pp_http_server_options options = fixture_options(f);
    bool done = true;
    pp_error err = {0};

    (void)state;
    stopped = 0;
    options.stop = &stopped;
    fixture_start_with(options, f);
    assert_ok(pp_http_server_run(f->server, &done, &err), err);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    alarm(1);
    assert_ok(pp_http_server_run(f->server, NULL, &err), err);
    assert_int_equal(stopped, 1);
    fixture_stop(f);
}

static void draining_ends_what_is_idle_and_lets_the_rest_finish(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int idle = client_dial(f);
    int busy = client_dial(f);
    pp_error err = {0};

    (void)state;
    client_say(busy, GET);
    fixture_await(f, "/ ");
    while (pp_http_server_counts_of(f->server).open < 2)
        fixture_turn(f, 1 * MS);
    pp_http_server_drain(f->server);
    client_expect(f, idle, "idle", "", true);
    assert_ok(pp_http_reply_text(f->call, 200, NULL, bytes_of("x"), &err), err);
    client_expect(f, busy, "busy",
                  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx", true);
    assert_int_equal(pp_http_server_counts_of(f->server).open, 0);
    close(idle);
    close(busy);
    fixture_stop(f);
}

static void freeing_ends_the_calls_under_way(void **state)
{
    http_fixture *f = fixture_start(act_wait);
    int fd = client_dial(f);

    (void)state;
    client_say(fd, GET);
    fixture_await(f, "/ ");
    pp_http_server_free(f->server);
    f->server = NULL;
    assert_string_equal(pp_buf_text(&f->log), "/ ended ");
    close(fd);
    fixture_stop(f);
}

/* ---- many ------------------------------------------------------------------------------------ */

#define MANY 1000

static void a_thousand_connections_at_once_are_served(void **state)
{
    static int fds[MANY];
    struct rlimit files;
    http_fixture *f = fixture_new(act_wait);
    pp_http_server_options options = fixture_options(f);
    pp_error err = {0};

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_max < 2 * MANY + 100) {
        print_message("only %llu open files are allowed here\n",
                      (unsigned long long)files.rlim_max);
        fixture_stop(f);
        skip();
    }
    options.connection_max_count = MANY;
    fixture_start_with(options, f);
    for (int i = 0; i < MANY; i++)
        fds[i] = client_dial(f);
    for (int round = 0; round < 2; round++) { /* the second one on warm connections */
        f->act = act_ok;
        for (int i = 0; i < MANY; i++)
            client_say(fds[i], "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
        for (int i = 0; i < MANY; i++) {
            pp_buf heard;

            pp_buf_init(&heard, 4096);
            assert_false(client_hear(f, fds[i], strlen(HTTP_OK_REPLY), &heard));
            assert_string_equal(pp_buf_text(&heard), HTTP_OK_REPLY);
            pp_buf_done(&heard);
        }
    }
    assert_int_equal(pp_http_server_counts_of(f->server).highest, MANY);
    assert_int_equal(pp_http_server_counts_of(f->server).request_count, 2 * MANY);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    while (pp_http_server_counts_of(f->server).open > 0)
        assert_ok(pp_http_server_turn(f->server, 0, &err), err);
    fixture_stop(f);
}

/* The highest descriptor that may be opened is the lowest free one, less one. */
static void allow_no_more_files(struct rlimit *ret_before)
{
    struct rlimit none;
    int lowest = dup(0);

    assert_true(lowest >= 0);
    close(lowest);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, ret_before), 0);
    none = *ret_before;
    none.rlim_cur = (rlim_t)lowest;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static void without_descriptors_it_waits_and_goes_on(void **state)
{
    http_fixture *f = fixture_start(act_ok);
    int fd = client_dial(f);
    struct rlimit before;
    int turns = 0;

    (void)state;
    allow_no_more_files(&before);
    for (int64_t until_ns = pp_clock_now_ns() + 50 * MS; pp_clock_now_ns() < until_ns; turns++)
        fixture_turn(f, 20 * MS);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(pp_http_server_counts_of(f->server).accept_failed_count, 1);
    assert_in_range(turns, 1, 10); /* it does not spin on the client that waits */
    client_say(fd, GET);
    client_expect(f, fd, "later", HTTP_OK_REPLY, false);
    close(fd);
    fixture_stop(f);
}

/* ---- beginning, and no memory ---------------------------------------------------------------- */

static void what_cannot_be_listened_on_is_named(void **state)
{
    http_fixture *f = fixture_start(act_ok);
    pp_http_server_options options = fixture_options(f);
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
    fixture_stop(f);
}

static void it_listens_on_ipv6_too(void **state)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    http_fixture *f = fixture_new(act_ok);
    pp_http_server_options options = fixture_options(f);
    pp_error err = {0};
    int fd;

    (void)state;
    options.host = "::1";
    if (pp_http_server_new(&options, &f->server, &err) != PP_OK) {
        print_message("no IPv6 here: %s\n", err.text);
        fixture_stop(f);
        skip();
    }
    address.sin6_port = htons(pp_http_server_port(f->server));
    fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    client_say(fd, "GET /text HTTP/1.1\r\nHost: [::1]\r\n\r\n");
    client_expect(f, fd, "IPv6", HTTP_OK_REPLY, false);
    close(fd);
    fixture_stop(f);
}

static pp_status make_and_free(const void *context, pp_error *err)
{
    pp_http_server *server = NULL;
    pp_status st = pp_http_server_new(context, &server, err);

    pp_http_server_free(server);
    return st;
}

/* A dial to `to` of a server that listens on `on`: whom does it see? */
static void clients_are_known_by_their_numeric_address(void **state)
{
    static const struct {
        const char *on, *to, *want;
    } rows[] = {
        {"127.0.0.1", "127.0.0.1", "127.0.0.1"},
        {"::1", "::1", "::1"},
        {"::", "127.0.0.1", "127.0.0.1"}, /* comes as ::ffff:127.0.0.1 */
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        http_fixture *f = fixture_new(act_wait);
        pp_http_server_options options = fixture_options(f);
        bool is_v6 = strchr(rows[i].to, ':') != NULL;
        struct sockaddr_in v4 = {.sin_family = AF_INET};
        struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
        int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        options.host = rows[i].on;
        if (pp_http_server_new(&options, &f->server, NULL) != PP_OK) { /* no IPv6 here */
            assert_int_equal(rows[i].on[0], ':');
            print_message("# no address %s here\n", rows[i].on);
        } else {
            v4.sin_port = v6.sin6_port = htons(pp_http_server_port(f->server));
            (void)inet_pton(AF_INET, rows[i].to, &v4.sin_addr);
            (void)inet_pton(AF_INET6, rows[i].to, &v6.sin6_addr);
            assert_int_equal(is_v6 ? connect(fd, (struct sockaddr *)&v6, sizeof v6)
                                   : connect(fd, (struct sockaddr *)&v4, sizeof v4),
                             0);
            client_say(fd, GET);
            fixture_await(f, "/ ");
            assert_string_equal(pp_http_call_address(f->call), rows[i].want);
        }
        (void)close(fd);
        fixture_stop(f);
    }
}

static void a_server_without_memory_is_not_begun(void **state)
{
    http_fixture *f = fixture_start(act_ok);
    pp_http_server_options options = fixture_options(f);

    (void)state;
    assert_true(check_missing_memory(make_and_free, &options) >= 3);
    fixture_stop(f);
}

static void act_stream(http_fixture *f, pp_http_call *call, const pp_http_request_view *request)
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
    http_fixture *f = fixture_start(act_stream);
    int fd = client_dial(f);
    pp_buf heard;
    bool closed = false;
    bool whole;
    bool refused;

    pp_buf_init(&heard, 16 << 20);
    client_say(fd, "POST /s HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" GET);
    pp_fail_nth_arm(n);
    for (int i = 0; i < 20; i++)
        fixture_turn(f, 0);
    refused = pp_fail_nth_seen() >= n;
    pp_fail_nth_arm(0);
    for (int i = 0; i < 3000 && !closed; i++) {
        fixture_turn(f, 0);
        closed = client_hear_some(fd, &heard) == 0 || errno == ECONNRESET;
        if (heard.size > 8 << 20)
            break; /* both replies */
    }
    whole = heard.size > 8 << 20;
    if (!whole && !closed)
        fail_msg("allocation %lu missing: neither served nor closed after %zu bytes", n,
                 heard.size);
    close(fd);
    fd = client_dial(f); /* whatever became of that one, the next is served */
    f->act = act_ok;
    client_say(fd, "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    client_expect(f, fd, "the next one", HTTP_OK_REPLY, false);
    pp_buf_done(&heard);
    close(fd);
    fixture_stop(f);
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
        cmocka_unit_test(its_descriptor_tells_when_there_is_work),
        cmocka_unit_test(a_caller_that_looks_is_asked_without_a_wake_up),
        cmocka_unit_test(another_thread_can_wake_it),
        cmocka_unit_test(it_runs_until_told_to_stop),
        cmocka_unit_test(draining_ends_what_is_idle_and_lets_the_rest_finish),
        cmocka_unit_test(freeing_ends_the_calls_under_way),
        cmocka_unit_test(a_thousand_connections_at_once_are_served),
        cmocka_unit_test(without_descriptors_it_waits_and_goes_on),
        cmocka_unit_test(what_cannot_be_listened_on_is_named),
        cmocka_unit_test(it_listens_on_ipv6_too),
        cmocka_unit_test(clients_are_known_by_their_numeric_address),
        cmocka_unit_test(a_server_without_memory_is_not_begun),
        cmocka_unit_test(a_connection_without_memory_ends_and_others_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
