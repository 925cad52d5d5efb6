/* The states of a breaker, on instants that the tests set. Times in the tables are in milliseconds;
 * what is expected was worked out by hand from the rules in breaker.h. */
#include "gateway/breaker.h"

#include "shared.h"

#define MS PP_NS_PER_MS

/* 3 failures within 1 s open it for 2 s, then 2 probes. */
static const pp_breaker_options options = {3, 1000 * MS, 2000 * MS, 2};

typedef enum act {
    END,
    GO,       /* allowed */
    STAY,     /* not allowed */
    BAD,      /* allowed, and fails; `value` ms of Retry-After */
    FAIL,     /* what was allowed last fails; `value` ms of Retry-After */
    GOOD,     /* it succeeds */
    LEFT,     /* its client leaves */
    OLD_FAIL, /* the same of the request that was allowed before all others */
    OLD_GOOD,
    OLD_LEFT,
    WAIT, /* `value` ms until requests go */
    CLOSED,
    HALF,
    OPEN
} act;

typedef struct step {
    int64_t at_ms;
    act act;
    int64_t value;
} step;

typedef struct bench {
    pp_breaker b;
    pp_breaker_pass first, last;
} bench;

static void check_go(bench *t, int64_t now_ns, bool want)
{
    assert_int_equal(pp_breaker_would_allow(&t->b, now_ns), want);
    assert_int_equal(pp_breaker_allows(&t->b, now_ns, &t->last), want);
}

static void take(bench *t, const step *s)
{
    const int64_t now_ns = s->at_ms * MS;
    static const pp_breaker_state states[] = {
        [CLOSED] = PP_BREAKER_CLOSED, [HALF] = PP_BREAKER_HALF_OPEN, [OPEN] = PP_BREAKER_OPEN};

    switch (s->act) {
    case END:
        break;
    case GO:
    case STAY:
        check_go(t, now_ns, s->act == GO);
        break;
    case GOOD:
        pp_breaker_success(&t->b, t->last, now_ns);
        break;
    case BAD:
        check_go(t, now_ns, true);
        pp_breaker_failure(&t->b, t->last, now_ns, s->value * MS);
        break;
    case FAIL:
        pp_breaker_failure(&t->b, t->last, now_ns, s->value * MS);
        break;
    case LEFT:
        pp_breaker_abandoned(&t->b, t->last);
        break;
    case OLD_GOOD:
        pp_breaker_success(&t->b, t->first, now_ns);
        break;
    case OLD_FAIL:
        pp_breaker_failure(&t->b, t->first, now_ns, s->value * MS);
        break;
    case OLD_LEFT:
        pp_breaker_abandoned(&t->b, t->first);
        break;
    case WAIT:
        assert_int_equal(pp_breaker_wait_ns(&t->b, now_ns), s->value * MS);
        break;
    case CLOSED:
    case HALF:
    case OPEN:
        assert_int_equal(pp_breaker_state_of(&t->b, now_ns), states[s->act]);
        break;
    }
}

static const struct {
    const char *name;
    step steps[28];
} rows[] = {
    {"three failures within the window open it",
     {{0, BAD, 0},
      {500, BAD, 0},
      {999, CLOSED, 0},
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
     {{0, BAD, 0},
      {1, GO, 0},
      {1, GOOD, 0},
      {2, BAD, 0},
      {3, GO, 0},
      {3, GOOD, 0},
      {4, BAD, 0},
      {4, OPEN, 0}}},
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
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {0, WAIT, 2000},
      {2000, BAD, 0},
      {2000, WAIT, 4000},
      {6000, BAD, 0},
      {6000, WAIT, 8000},
      {14000, BAD, 0},
      {14000, WAIT, 16000},
      {30000, BAD, 0},
      {30000, WAIT, 32000},
      {62000, BAD, 0},
      {62000, WAIT, 32000},
      {94000, GO, 0},
      {94000, GOOD, 0},
      {94000, CLOSED, 0}}},
    {"after a success it begins with the short pause and no failures",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, BAD, 0},
      {6000, GO, 0},
      {6000, GOOD, 0},
      {6000, BAD, 0},
      {6000, BAD, 0},
      {6000, CLOSED, 0},
      {6000, BAD, 0},
      {6000, WAIT, 2000}}},
    {"outcomes of earlier requests say nothing while it is open",
     {{0, GO, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {100, OLD_GOOD, 0},
      {100, OPEN, 0},
      {200, OLD_FAIL, 0},
      {200, OLD_LEFT, 0},
      {200, WAIT, 1800}}},
    {"G33: nor while it is half-open: they are no probes",
     {{0, GO, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, GO, 0},
      {2000, GO, 0},
      {2100, OLD_LEFT, 0},
      {2100, STAY, 0},
      {2200, OLD_GOOD, 0},
      {2200, HALF, 0},
      {2300, OLD_FAIL, 0},
      {2300, HALF, 0},
      {2300, STAY, 0}}},
    {"a late probe does not close what another one opened again",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {2000, GO, 0},
      {2000, BAD, 0},
      {2100, GOOD, 0},
      {2100, OPEN, 0},
      {2100, LEFT, 0},
      {2100, FAIL, 0},
      {2100, WAIT, 3900}}},
    {"G34: a Retry-After is waited for though the breaker is closed",
     {{0, BAD, 7000},
      {0, OPEN, 0},
      {0, STAY, 0},
      {0, WAIT, 7000},
      {6999, STAY, 0},
      {7000, CLOSED, 0},
      {7000, GO, 0}}},
    {"G34: it lengthens an open time",
     {{0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 7000},
      {0, WAIT, 7000},
      {2000, OPEN, 0},
      {2000, STAY, 0},
      {7000, HALF, 0},
      {7000, GO, 0},
      {7000, GO, 0},
      {7000, STAY, 0}}},
    {"G34: it does not shorten one, nor an earlier one, whoever heard it",
     {{0, GO, 0},
      {0, BAD, 0},
      {0, BAD, 0},
      {0, BAD, 1000},
      {0, WAIT, 2000},
      {2000, BAD, 9000},
      {2000, WAIT, 9000},
      {3000, OLD_FAIL, 1000},
      {3000, WAIT, 8000},
      {3000, OLD_FAIL, 9000},
      {3000, WAIT, 9000}}},
    {"nobody is left alone for more than an hour",
     {{0, BAD, 86400000}, {0, WAIT, 3600000}, {3600000, GO, 0}}},
};

static void g33_g34_states_follow_outcomes_and_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        bench t = {0};

        pp_breaker_init(&t.b, &options);
        for (const step *s = rows[i].steps; s->act != END; s++) {
            print_message("# %s: at %lld\n", rows[i].name, (long long)s->at_ms);
            take(&t, s);
            if (s == rows[i].steps)
                t.first = t.last;
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

        pp_breaker_pass pass;

        if (pp_breaker_allows(&fast, now_ns, &pass)) {
            failed++;
            failed_after_opening += fast.opened_count > 0;
            pp_breaker_failure(&fast, pass, now_ns + MS, 0);
        } else {
            assert_true(pp_breaker_allows(&slow, now_ns, &pass));
            pp_breaker_success(&slow, pass, now_ns + 40 * MS);
        }
    }
    assert_int_equal(failed_after_opening, 1); /* the probe at 5.2 s; the next one would be at 15 */
    assert_int_equal(failed, 6);
}

static void far_instants_do_not_overflow(void **state)
{
    const pp_breaker_options far = {1, INT64_MAX, INT64_MAX / 2, 1};
    pp_breaker_pass pass;
    pp_breaker b;

    (void)state;
    pp_breaker_init(&b, &far);
    assert_true(pp_breaker_allows(&b, INT64_MAX - 5, &pass));
    pp_breaker_failure(&b, pass, INT64_MAX - 5, INT64_MAX);
    assert_int_equal(pp_breaker_wait_ns(&b, INT64_MAX - 5), 5);
    assert_false(pp_breaker_allows(&b, INT64_MAX - 1, &pass));
    assert_true(pp_breaker_allows(&b, INT64_MAX, &pass));
    pp_breaker_failure(&b, pass, INT64_MAX, 0);
    assert_int_equal(b.opened_count, 2);
    assert_string_equal(pp_breaker_state_name(PP_BREAKER_HALF_OPEN), "half-open");
}

static void another_process_starts_without_a_record(void **state)
{
    const pp_breaker_options one = {1, 10000 * MS, 5000 * MS, 1};
    pp_breaker_pass before, probe;
    pp_breaker b;

    (void)state;
    pp_breaker_init(&b, &one);
    assert_true(pp_breaker_allows(&b, 0, &before));
    pp_breaker_failure(&b, before, 1 * MS, 60000 * MS);
    assert_int_equal(pp_breaker_state_of(&b, 10000 * MS), PP_BREAKER_OPEN);
    pp_breaker_forget(&b);
    assert_int_equal(pp_breaker_state_of(&b, 2 * MS), PP_BREAKER_CLOSED);
    assert_int_equal(b.opened_count, 1);       /* a counter never goes back */
    pp_breaker_failure(&b, before, 3 * MS, 0); /* one of the process that is gone */
    assert_true(pp_breaker_allows(&b, 4 * MS, &probe));
    pp_breaker_failure(&b, probe, 5 * MS, 0);
    assert_int_equal(b.opened_count, 2);
    assert_int_equal(pp_breaker_wait_ns(&b, 5 * MS), 5000 * MS); /* as for the first time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g33_g34_states_follow_outcomes_and_instants),
        cmocka_unit_test(g33_a_back_end_that_fails_fast_gets_few_requests),
        cmocka_unit_test(far_instants_do_not_overflow),
        cmocka_unit_test(another_process_starts_without_a_record),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
