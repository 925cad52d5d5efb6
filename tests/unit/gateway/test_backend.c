/* The choice between back ends: caps, states, breakers, order and least busy. What is expected was
 * worked out by hand from backend.h. */
#include "gateway/backend.h"

#include <string.h>

#include "shared.h"

#define MS PP_NS_PER_MS
#define N  3

/* One failure opens for 100 ms; then one probe. */
static const pp_breaker_options breaker = {1, 1000 * MS, 100 * MS, 1};

typedef struct one {
    pp_backend_state state;
    int64_t in_flight, in_flight_max;
    bool open; /* its breaker, at instant 0 */
} one;

#define READY(n, max)                                                                              \
    {                                                                                              \
        PP_BACKEND_READY, n, max, false                                                            \
    }
#define OPEN(n, max)                                                                               \
    {                                                                                              \
        PP_BACKEND_READY, n, max, true                                                             \
    }
#define STARTING                                                                                   \
    {                                                                                              \
        PP_BACKEND_STARTING, 0, 4, false                                                           \
    }
#define DOWN                                                                                       \
    {                                                                                              \
        PP_BACKEND_DOWN, 0, 4, false                                                               \
    }

static const struct {
    const char *name;
    one backends[N];
    bool least_busy;
    uint64_t tried;
    int64_t now_ms;
    pp_backend_choice want;
    size_t want_index;    /* FOUND */
    int64_t want_wait_ms; /* NONE */
} rows[] = {
    {"the first one in order",
     {READY(3, 4), READY(0, 4), READY(0, 4)},
     false,
     0,
     1,
     PP_CHOICE_FOUND,
     0,
     0},
    {"not one at its cap",
     {READY(4, 4), READY(0, 4), READY(0, 4)},
     false,
     0,
     1,
     PP_CHOICE_FOUND,
     1,
     0},
    {"not one that was tried",
     {READY(0, 4), READY(0, 4), READY(0, 4)},
     false,
     3,
     1,
     PP_CHOICE_FOUND,
     2,
     0},
    {"not one that is starting", {STARTING, READY(0, 4), DOWN}, false, 0, 1, PP_CHOICE_FOUND, 1, 0},
    {"not one that is left alone",
     {OPEN(0, 4), READY(0, 4), DOWN},
     false,
     0,
     1,
     PP_CHOICE_FOUND,
     1,
     0},
    {"the least busy by its share",
     {READY(2, 4), READY(3, 8), READY(1, 2)},
     true,
     0,
     1,
     PP_CHOICE_FOUND,
     1,
     0},
    {"of equal shares the first",
     {READY(2, 4), READY(4, 8), READY(1, 2)},
     true,
     0,
     1,
     PP_CHOICE_FOUND,
     0,
     0},
    {"least busy does not count those that are out",
     {OPEN(0, 4), READY(2, 4), READY(1, 4)},
     true,
     0,
     1,
     PP_CHOICE_FOUND,
     2,
     0},
    {"all at their caps: wait",
     {READY(4, 4), READY(1, 1), READY(2, 2)},
     false,
     0,
     1,
     PP_CHOICE_WAIT,
     0,
     0},
    {"one at its cap, others out: wait",
     {DOWN, READY(1, 1), STARTING},
     true,
     0,
     1,
     PP_CHOICE_WAIT,
     0,
     0},
    {"one starts, the others are out: loading",
     {DOWN, STARTING, OPEN(0, 1)},
     false,
     0,
     1,
     PP_CHOICE_LOADING,
     0,
     0},
    {"all are down", {DOWN, DOWN, DOWN}, false, 0, 1, PP_CHOICE_NONE, 0, 0},
    {"all were tried", {READY(0, 4), READY(0, 4), READY(0, 4)}, false, 7, 1, PP_CHOICE_NONE, 0, 0},
    {"all are left alone: the time is told",
     {OPEN(0, 4), OPEN(0, 4), DOWN},
     false,
     0,
     40,
     PP_CHOICE_NONE,
     0,
     60},
    {"after the pause one may try", {OPEN(0, 4), DOWN, DOWN}, false, 0, 100, PP_CHOICE_FOUND, 0, 0},
};

static void set_up(pp_backend *backends, const one *from)
{
    static const pp_serve_backend row;

    memset(backends, 0, N * sizeof *backends);
    for (size_t i = 0; i < N; i++) {
        pp_breaker_pass pass = {0};

        backends[i].row = &row;
        backends[i].state = from[i].state;
        backends[i].root = "http://127.0.0.1:1";
        backends[i].in_flight = from[i].in_flight;
        backends[i].in_flight_max = from[i].in_flight_max;
        pp_breaker_init(&backends[i].breaker, &breaker);
        if (from[i].open && pp_breaker_allows(&backends[i].breaker, 0, &pass))
            pp_breaker_failure(&backends[i].breaker, pass, 0, 0);
    }
}

static const pp_serve_model *model(bool least_busy)
{
    static size_t indices[N] = {0, 1, 2};
    static pp_serve_model both[2] = {
        {.backend_indices = indices, .backend_count = N},
        {.backend_indices = indices, .backend_count = N, .least_busy = true}};

    return &both[least_busy];
}

static void choice_follows_caps_states_and_breakers(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_backend backends[N];
        pp_backend_found found;
        pp_backend_choice got;

        set_up(backends, rows[i].backends);
        got = pp_backend_choose(model(rows[i].least_busy), backends, rows[i].tried,
                                rows[i].now_ms * MS, &found);
        if (got != rows[i].want || (got == PP_CHOICE_FOUND && found.index != rows[i].want_index) ||
            (got == PP_CHOICE_NONE && found.wait_ns != rows[i].want_wait_ms * MS))
            fail_msg("%s: expected %d, back end %zu, %lld ms; got %d, %zu, %lld ns", rows[i].name,
                     (int)rows[i].want, rows[i].want_index, (long long)rows[i].want_wait_ms,
                     (int)got, found.index, (long long)found.wait_ns);
        if (got == PP_CHOICE_FOUND)
            assert_int_equal(backends[found.index].in_flight,
                             rows[i].backends[found.index].in_flight + 1);
    }
}

/* While the one probe is under way, others wait for what it finds out. */
static void others_wait_for_the_probe(void **state)
{
    static const one from[N] = {OPEN(0, 4), DOWN, DOWN};
    pp_backend backends[N];
    pp_backend_found probe, other;

    (void)state;
    set_up(backends, from);
    assert_int_equal(pp_backend_choose(model(false), backends, 0, 100 * MS, &probe),
                     PP_CHOICE_FOUND);
    assert_true(probe.is_probe);
    assert_int_equal(pp_backend_choose(model(false), backends, 0, 101 * MS, &other),
                     PP_CHOICE_WAIT);
    pp_backend_judge(&backends[0], probe.pass, PP_OUTCOME_ANSWERED, 102 * MS, 0);
    pp_backend_release(&backends[0]);
    assert_int_equal(pp_backend_choose(model(false), backends, 0, 103 * MS, &other),
                     PP_CHOICE_FOUND);
    assert_false(other.is_probe);
}

static void usable_is_what_could_be_asked_but_for_its_cap(void **state)
{
    static const one busy[N] = {DOWN, READY(4, 4), STARTING};
    static const one out[N] = {DOWN, OPEN(0, 4), STARTING};
    pp_backend backends[N];

    (void)state;
    set_up(backends, busy);
    assert_true(pp_backend_any_usable(model(false), backends, 1));
    set_up(backends, out);
    assert_false(pp_backend_any_usable(model(false), backends, 1));
    assert_true(pp_backend_any_usable(model(false), backends, 100 * MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_follows_caps_states_and_breakers),
        cmocka_unit_test(others_wait_for_the_probe),
        cmocka_unit_test(usable_is_what_could_be_asked_but_for_its_cap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
