/* The states of a breaker, on instants that the tests set. Times in the tables are in milliseconds;
 * what is expected was worked out by hand from the rules in breaker.h. */
#include "gateway/breaker.h"

#include "shared.h"

#define MS PP_NS_PER_MS

/* 3 failures within 1 s open it for 2 s, then 2 probes. */
static const pp_breaker_options options = {3, 1000 * MS, 2000 * MS, 2};

typedef enum act {
    END,
    GO,      /* allowed */
    STAY,    /* not allowed */
    GOOD,    /* success */
    BAD,     /* failure */
    BAD_FOR, /* failure with a Retry-After of `value` ms */
    LEFT,    /* abandoned */
    WAIT,    /* opens in `value` ms */
    CLOSED,
    HALF,
    OPEN
} act;

typedef struct step {
    int64_t at_ms;
    act act;
    int64_t value;
} step;

static void check_go(pp_breaker *b, int64_t now_ns, bool want)
{
    assert_int_equal(pp_breaker_would_allow(b, now_ns), want);
    assert_int_equal(pp_breaker_allows(b, now_ns), want);
}

static void take(pp_breaker *b, const step *s)
{
    const int64_t now_ns = s->at_ms * MS;

    switch (s->act) {
    case END:
        break;
    case GO:
    case STAY:
        check_go(b, now_ns, s->act == GO);
        break;
    case GOOD:
        pp_breaker_success(b, now_ns);
        break;
    case BAD:
    case BAD_FOR:
        pp_breaker_failure(b, now_ns, s->value * MS);
        break;
    case LEFT:
        pp_breaker_abandoned(b, now_ns);
        break;
    case WAIT:
        assert_int_equal(pp_breaker_opens_in_ns(b, now_ns), s->value * MS);
        break;
    case CLOSED:
    case HALF:
    case OPEN:
        assert_int_equal(pp_breaker_state_of(b, now_ns), s->act == CLOSED ? PP_BREAKER_CLOSED
                                                         : s->act == HALF ? PP_BREAKER_HALF_OPEN
                                                                          : PP_BREAKER_OPEN);
        break;
    }
}

static const struct {
    const char *name;
    step steps[24];
} rows[] = {
    {"three failures within the window open it",
     {{0, GO, 0},
      {0, BAD, 0},
      {500, GO, 0},
      {500, BAD, 0},
      {999, CLOSED, 0},
      {1000, GO, 0},
      {1000, BAD, 0},
      {1000, OPEN, 0},
      {1000, STAY, 0},
      {1000, WAIT, 2000},
      {2999, STAY, 0},
      {2999, WAIT, 1},
      {3000, HALF, 0},
      {3000, WAIT, 0},
      {3000, GO, 0}}},
    {"three failures over more than the window do not",
     {{0, BAD, 0},
      {500, BAD, 0},
      {1001, BAD, 0},
      {1001, CLOSED, 0},
      {1500, BAD, 0},
      {1500, OPEN, 0}}},
    {"successes between them do not save it",
     {{0, BAD, 0}, {1, GOOD, 0}, {2, BAD, 0}, {3, GOOD, 0}, {4, BAD, 0}, {4, OPEN, 0}}},
    {"G33: as many probes as declared and no more",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, GO, 0},
      {2000, GO, 0},
      {2000, STAY, 0},
      {2500, STAY, 0},
      {2500, HALF, 0},
      {2600, GOOD, 0},
      {2600, CLOSED, 0},
      {2600, GO, 0},
      {2600, GO, 0},
      {2600, GO, 0}}},
    {"a probe whose client left makes room for another",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, GO, 0},
      {2000, GO, 0},
      {2100, LEFT, 0},
      {2100, HALF, 0},
      {2100, GO, 0},
      {2100, STAY, 0}}},
    {"each failed probe doubles the pause up to sixteen times",
     {{0, BAD, 0},          {0, BAD, 0},        {0, BAD, 0},          {0, WAIT, 2000},
      {2000, GO, 0},        {2000, BAD, 0},     {2000, WAIT, 4000},   {6000, GO, 0},
      {6000, BAD, 0},       {6000, WAIT, 8000}, {14000, GO, 0},       {14000, BAD, 0},
      {14000, WAIT, 16000}, {30000, GO, 0},     {30000, BAD, 0},      {30000, WAIT, 32000},
      {62000, GO, 0},       {62000, BAD, 0},    {62000, WAIT, 32000}, {94000, GO, 0},
      {94000, GOOD, 0},     {94000, CLOSED, 0}}},
    {"after a success it begins with the short pause and no failures",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, GO, 0},
      {2000, BAD, 0},
      {6000, GO, 0},
      {6000, GOOD, 0},
      {6000, BAD, 0},
      {6000, BAD, 0},
      {6000, CLOSED, 0},
      {6000, BAD, 0},
      {6000, WAIT, 2000}}},
    {"outcomes of earlier requests say nothing while it is open",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {100, GOOD, 0},
      {100, OPEN, 0},
      {200, BAD, 0},
      {200, LEFT, 0},
      {200, WAIT, 1800}}},
    {"G34: a Retry-After is waited for though the breaker is closed",
     {{0, GO, 0},
      {0, BAD_FOR, 7000},
      {0, OPEN, 0},
      {0, STAY, 0},
      {0, WAIT, 7000},
      {6999, STAY, 0},
      {7000, CLOSED, 0},
      {7000, GO, 0}}},
    {"G34: it lengthens an open time",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD_FOR, 7000},
      {0, WAIT, 7000},
      {2000, OPEN, 0},
      {2000, STAY, 0},
      {7000, HALF, 0},
      {7000, GO, 0},
      {7000, GO, 0},
      {7000, STAY, 0}}},
    {"G34: it does not shorten one, nor an earlier one",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD_FOR, 1000},
      {0, WAIT, 2000},
      {2000, GO, 0},
      {2000, BAD_FOR, 9000},
      {2000, WAIT, 9000},
      {3000, BAD_FOR, 1000},
      {3000, WAIT, 8000}}},
    {"nobody is left alone for more than an hour",
     {{0, BAD_FOR, 86400000}, {0, WAIT, 3600000}, {3600000, GO, 0}}},
};

static void g33_g34_states_follow_outcomes_and_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_breaker b;

        pp_breaker_init(&b, &options);
        for (const step *s = rows[i].steps; s->act != END; s++) {
            print_message("# %s: at %lld\n", rows[i].name, (long long)s->at_ms);
            take(&b, s);
        }
    }
}

/* The row of G33 in numbers: one of two back ends answers 503 in 1 ms, the other needs 100 ms.
 * Whoever has fewer under way is asked. */
static void g33_a_back_end_that_fails_fast_gets_few_requests(void **state)
{
    const pp_breaker_options usual = {5, 10000 * MS, 5000 * MS, 1};
    pp_breaker fast, slow;
    int failed_after_opening = 0, failed = 0;

    (void)state;
    pp_breaker_init(&fast, &usual);
    pp_breaker_init(&slow, &usual);
    for (int i = 0; i < 200; i++) {
        const int64_t now_ns = (int64_t)i * 50 * MS; /* 10 s in all */

        if (pp_breaker_allows(&fast, now_ns)) {
            failed++;
            failed_after_opening += fast.opened_count > 0;
            pp_breaker_failure(&fast, now_ns + MS, 0);
        } else {
            assert_true(pp_breaker_allows(&slow, now_ns));
            pp_breaker_success(&slow, now_ns + 40 * MS);
        }
    }
    assert_int_equal(failed_after_opening, 1); /* the probe at 5.2 s; the next one would be at 15 */
    assert_int_equal(failed, 6);
}

static void far_instants_do_not_overflow(void **state)
{
    const pp_breaker_options far = {1, INT64_MAX, INT64_MAX / 2, 1};
    pp_breaker b;

    (void)state;
    pp_breaker_init(&b, &far);
    pp_breaker_failure(&b, INT64_MAX - 5, INT64_MAX);
    assert_int_equal(pp_breaker_opens_in_ns(&b, INT64_MAX - 5), 5);
    assert_false(pp_breaker_allows(&b, INT64_MAX - 1));
    assert_true(pp_breaker_allows(&b, INT64_MAX));
    pp_breaker_failure(&b, INT64_MAX, 0);
    assert_int_equal(b.opened_count, 2);
    assert_string_equal(pp_breaker_state_name(PP_BREAKER_HALF_OPEN), "half-open");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g33_g34_states_follow_outcomes_and_instants),
        cmocka_unit_test(g33_a_back_end_that_fails_fast_gets_few_requests),
        cmocka_unit_test(far_instants_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
