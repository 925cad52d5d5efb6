#include "net/socket_set.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared.h"

typedef struct world {
    pp_socket_set set;
    int epoll_fd;
    int ends[2]; /* ends[0] is watched */
} world;

static world make_world(void)
{
    world w;

    w.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    assert_true(w.epoll_fd >= 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, w.ends), 0);
    pp_socket_set_init(&w.set, w.epoll_fd);
    return w;
}

static void end_world(world *w)
{
    pp_socket_set_done(&w->set);
    (void)close(w->epoll_fd);
    (void)close(w->ends[0]);
    (void)close(w->ends[1]);
}

/* What the kernel says, without waiting: is something reported for ends[0]? */
static bool is_reported(const world *w)
{
    struct epoll_event event;

    return epoll_wait(w->epoll_fd, &event, 1, 0) == 1 && event.data.fd == w->ends[0];
}

/* Asked of the kernel itself: adding again fails when it is in. */
static bool is_in_epoll(const world *w, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return true;
    (void)epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    return false;
}

static void a_connection_stays_until_something_unwanted_happens(void **state)
{
    world w = make_world();

    (void)state;
    pp_socket_set_opened(&w.set, w.ends[0]);
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN);
    pp_socket_set_want(&w.set, w.ends[0], 0);
    assert_true(is_in_epoll(&w, w.ends[0]));
    assert_false(is_reported(&w));
    assert_int_equal(write(w.ends[1], "x", 1), 1);
    assert_true(is_reported(&w));
    assert_false(pp_socket_set_wants(&w.set, w.ends[0]));
    assert_false(is_in_epoll(&w, w.ends[0]));
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN); /* wanted again: what waits is reported */
    assert_true(is_reported(&w));
    assert_true(pp_socket_set_wants(&w.set, w.ends[0]));
    end_world(&w);
}

static void what_is_wanted_can_change(void **state)
{
    world w = make_world();

    (void)state;
    pp_socket_set_opened(&w.set, w.ends[0]);
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN);
    assert_false(is_reported(&w));
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN | EPOLLOUT);
    assert_true(is_reported(&w)); /* there is room to write */
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN);
    assert_false(is_reported(&w));
    end_world(&w);
}

static void other_sockets_leave_at_once(void **state)
{
    world w = make_world();

    (void)state;
    pp_socket_set_want(&w.set, w.ends[0], EPOLLIN);
    assert_true(is_in_epoll(&w, w.ends[0]));
    pp_socket_set_want(&w.set, w.ends[0], 0);
    assert_false(is_in_epoll(&w, w.ends[0]));
    end_world(&w);
}

/* The number of a closed connection belongs to somebody else next. */
static void a_number_that_is_used_again_starts_afresh(void **state)
{
    world w = make_world();
    int fd = w.ends[0];

    (void)state;
    pp_socket_set_opened(&w.set, fd);
    pp_socket_set_want(&w.set, fd, EPOLLIN);
    pp_socket_set_want(&w.set, fd, 0);
    pp_socket_set_closing(&w.set, fd);
    assert_false(is_in_epoll(&w, fd));
    (void)close(fd);
    (void)close(w.ends[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, w.ends), 0);
    assert_int_equal(w.ends[0], fd); /* the lowest number that is free */
    pp_socket_set_opened(&w.set, fd);
    pp_socket_set_want(&w.set, fd, EPOLLIN);
    assert_int_equal(write(w.ends[1], "x", 1), 1);
    assert_true(is_reported(&w));
    end_world(&w);
}

/* A pair of TCP sockets over loopback; out[0] is the connecting one. */
static void connect_pair(int out[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    out[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(out[0], (struct sockaddr *)&address, size), 0);
    out[1] = accept(listener, NULL, NULL);
    assert_true(out[1] >= 0);
    (void)close(listener);
}

static int port_of(int fd)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;

    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    return ntohs(address.sin_port);
}

static void unread_bytes_are_seen_before_a_use(void **state)
{
    world w = make_world();
    int ends[2];
    int local_port;
    int peer_port;
    bool used = true;

    (void)state;
    connect_pair(ends);
    local_port = port_of(ends[0]);
    peer_port = port_of(ends[1]);
    pp_socket_set_opened(&w.set, ends[0]);
    assert_true(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    assert_false(used);
    assert_true(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    assert_true(used);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_false(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    assert_true(used);
    /* others are not blamed for it */
    assert_true(pp_socket_set_use(&w.set, local_port, peer_port ^ 1, &used));
    assert_false(used);
    pp_socket_set_closing(&w.set, ends[0]);
    assert_true(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    (void)close(ends[0]);
    (void)close(ends[1]);
    end_world(&w);
}

static void an_end_is_seen_before_a_use(void **state)
{
    world w = make_world();
    int ends[2];
    int local_port;
    int peer_port;
    bool used;

    (void)state;
    connect_pair(ends);
    local_port = port_of(ends[0]);
    peer_port = port_of(ends[1]);
    pp_socket_set_opened(&w.set, ends[0]);
    assert_true(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    (void)close(ends[1]);
    assert_false(pp_socket_set_use(&w.set, local_port, peer_port, &used));
    assert_true(used);
    (void)close(ends[0]);
    end_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_stays_until_something_unwanted_happens),
        cmocka_unit_test(what_is_wanted_can_change),
        cmocka_unit_test(other_sockets_leave_at_once),
        cmocka_unit_test(a_number_that_is_used_again_starts_afresh),
        cmocka_unit_test(unread_bytes_are_seen_before_a_use),
        cmocka_unit_test(an_end_is_seen_before_a_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
