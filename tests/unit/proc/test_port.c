#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc/port.h"
#include "shared.h"

static void the_holder_of_a_listening_port_is_told_from_others(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    pp_error err = {0};
    uint16_t port = 0;

    (void)state;
    assert_ok(pp_port_find_free(&port, &err), err);
    assert_false(pp_port_is_held_by(port, getpid()));
    address.sin_port = htons(port);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_true(pp_port_is_held_by(port, getpid()));
    assert_int_equal(pp_port_find_holder(port), getpid());
    assert_false(pp_port_is_held_by(port, 1));
    assert_int_equal(pp_port_find_holder(0), 0);
    (void)close(fd);
    assert_false(pp_port_is_held_by(port, getpid()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_holder_of_a_listening_port_is_told_from_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
