/* Medians whose intervals are given, so that each verdict follows by hand. */
#include "capacity/drift.h"

#include "shared.h"

typedef struct median {
    double low, at, high; /* ms; at 0: there is none */
} median;

static pp_load_figures figures_of(median m, pp_load_tail *tail)
{
    *tail = (pp_load_tail){
        .at = {.percent = 50, .rank = m.at > 0 ? 20 : 0, .value = m.at},
        .low = {m.low > 0, m.low},
        .high = {m.high > 0, m.high},
    };
    return (pp_load_figures){.count = 40, .tails = tail, .tail_count = 1};
}

/* The same of every measure. */
static pp_drift between(median a, median b, unsigned doubts)
{
    pp_load_level level = {.loop = PP_LOAD_CLOSED, .clients = 1};
    pp_load_tail tails[2];
    pp_level_summary first = {.ttft.ok = figures_of(a, &tails[0])};
    pp_level_summary again = {.ttft.ok = figures_of(b, &tails[1]), .doubts = doubts};

    first.tpot.ok = first.e2e.ok = first.ttft.ok;
    again.tpot.ok = again.e2e.ok = again.ttft.ok;
    return pp_drift_between(&level, &first, &again);
}

static const struct {
    const char *name;
    median first, again;
    unsigned doubts;
    pp_drift_verdict want;
} rows[] = {
    {"the same", {99, 100, 101}, {99, 100, 101}, 0, PP_DRIFT_NONE},
    {"apart upwards", {95, 100, 105}, {106, 112, 118}, 0, PP_DRIFT_SEEN},
    {"apart downwards", {95, 100, 105}, {80, 90, 94}, 0, PP_DRIFT_SEEN},
    {"apart by less than matters", {99.9, 100, 100.1}, {103.9, 104, 104.1}, 0, PP_DRIFT_NONE},
    {"apart by 5 %", {99.9, 100, 100.1}, {104.9, 105, 105.1}, 0, PP_DRIFT_SEEN},
    {"ends touch", {95, 100, 105}, {105, 112, 118}, 0, PP_DRIFT_UNDECIDED},
    {"too wide to tell", {80, 100, 120}, {80, 100, 120}, 0, PP_DRIFT_UNDECIDED},
    {"just narrow enough", {100, 105, 110}, {99, 105, 110}, 0, PP_DRIFT_NONE},
    {"no interval", {0, 100, 0}, {0, 200, 0}, 0, PP_DRIFT_UNDECIDED},
    {"an interval without an upper end", {95, 100, 0}, {150, 160, 0}, 0, PP_DRIFT_UNDECIDED},
    {"a level that is not valid",
     {95, 100, 105},
     {206, 212, 218},
     PP_DOUBT_STALLED,
     PP_DRIFT_UNDECIDED},
    {"nothing ended well", {0, 0, 0}, {0, 0, 0}, 0, PP_DRIFT_UNDECIDED},
    {"nothing ended well later", {95, 100, 105}, {0, 0, 0}, 0, PP_DRIFT_UNDECIDED},
};

static void verdicts_follow_from_intervals(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_drift d = between(rows[i].first, rows[i].again, rows[i].doubts);

        if (d.verdict != rows[i].want || d.changes[PP_DRIFT_E2E].verdict != rows[i].want)
            fail_msg("%s: got %s, expected %s", rows[i].name, pp_drift_verdict_name(d.verdict),
                     pp_drift_verdict_name(rows[i].want));
    }
}

static void the_change_is_told_with_what_it_may_be(void **state)
{
    pp_drift d = between((median){80, 100, 125}, (median){100, 150, 200}, 0);

    (void)state;
    assert_true(d.changes[0].percent.value == 50);
    assert_true(d.changes[0].low_percent.value == -20);  /* 100 over 125 */
    assert_true(d.changes[0].high_percent.value == 150); /* 200 over 80 */
    assert_true(d.changes[0].first_ms_p50.value == 100);
    assert_true(d.changes[0].again_ms_p50.value == 150);
}

/* Answers of one token have no time for each further one; that decides nothing. */
static void a_measure_that_neither_has_does_not_count(void **state)
{
    pp_load_level level = {.loop = PP_LOAD_CLOSED};
    pp_load_tail tails[3];
    pp_level_summary s = {.ttft.ok = figures_of((median){99, 100, 101}, &tails[0])};

    (void)state;
    s.e2e.ok = s.ttft.ok;
    assert_int_equal(pp_drift_between(&level, &s, &s).verdict, PP_DRIFT_NONE);
    level.loop = PP_LOAD_OPEN; /* counts from the instant due, which this one does not have */
    assert_int_equal(pp_drift_between(&level, &s, &s).verdict, PP_DRIFT_UNDECIDED);
    s.ttft_due.ok = figures_of((median){50, 100, 200}, &tails[1]);
    s.e2e_due.ok = figures_of((median){99, 100, 101}, &tails[2]);
    assert_int_equal(pp_drift_between(&level, &s, &s).verdict, PP_DRIFT_UNDECIDED);
}

static void a_repeat_asks_the_same_whatever_its_number(void **state)
{
    pp_load_level a = {.number = 1, .clients = 2, .request_count = {true, 40}, .seed = 1};
    pp_load_level b = a;

    (void)state;
    b.number = 4;
    b.seed = 2;
    assert_true(pp_drift_is_repeat(&a, &b));
    b.request_count.value++;
    assert_false(pp_drift_is_repeat(&a, &b));
    b = a;
    b.clients = 3;
    assert_false(pp_drift_is_repeat(&a, &b));
    b = a;
    b.duration_ns = (pp_maybe_int){true, 1};
    assert_false(pp_drift_is_repeat(&a, &b));
    b = a;
    b.think_ns = 1;
    assert_false(pp_drift_is_repeat(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_follow_from_intervals),
        cmocka_unit_test(the_change_is_told_with_what_it_may_be),
        cmocka_unit_test(a_measure_that_neither_has_does_not_count),
        cmocka_unit_test(a_repeat_asks_the_same_whatever_its_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
