#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "http_fixture.h"

#define MS PP_NS_PER_MS

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
    assert_int_equal(a->timer.deadline.slot, 0);
    a->fired = ++*a->next;
    if (a->again-- > 0)
        pp_http_timer_set(a->server, &a->timer, a->due_ns);
}

static int by_due(const void *a, const void *b)
{
    const alarm_clock *x = a;
    const alarm_clock *y = b;

    return (x->due_ns > y->due_ns) - (x->due_ns < y->due_ns);
}

static void ten_thousand_timers_fire_in_order(void **state)
{
    static alarm_clock alarms[TIMERS];
    http_fixture *f = fixture_start(act_ok);
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
        fixture_turn(f, 100 * MS);
    for (int i = 0, place = 0; i < TIMERS; i++) {
        if (i % 7 == 5)
            assert_int_equal(alarms[i].fired, 0);
        else
            assert_int_equal(alarms[i].fired, ++place);
    }
    assert_int_equal(pp_http_server_next_timer_ns(f->server), 0);
    fixture_stop(f);
}

static void a_timer_that_is_always_late_starves_nobody(void **state)
{
    http_fixture *f = fixture_start(act_ok);
    int fired = 0;
    alarm_clock a = {
        .timer = {.fire = ring}, .server = f->server, .next = &fired, .again = 1 << 30};
    int fd = client_dial(f);

    (void)state;
    a.timer.user = &a;
    pp_http_timer_set(f->server, &a.timer, 0);
    client_say(fd, "GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    client_expect(f, fd, "beside it", HTTP_OK_REPLY, false);
    assert_true(fired > 1);
    pp_http_timer_cancel(f->server, &a.timer);
    pp_http_timer_cancel(f->server, &a.timer);
    close(fd);
    fixture_stop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_timers_fire_in_order),
        cmocka_unit_test(a_timer_that_is_always_late_starves_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
