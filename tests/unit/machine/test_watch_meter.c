/* Expected shares are plain algebra on the made samples: all times are in milliseconds here. */
#include "base/error.h"
#include "machine/watch_meter.h"
#include "shared.h"

#define MS 1000000LL

static pp_watch_sample sample(int64_t at, int64_t busy, int64_t idle, int64_t steal, int64_t own,
                              int64_t children)
{
    return (pp_watch_sample){.at_ns = at * MS,
                             .busy_ns = busy * MS,
                             .idle_ns = idle * MS,
                             .steal_ns = steal * MS,
                             .cpu_count = 2,
                             .own_ns = own * MS,
                             .children_ns = children * MS};
}

static const struct {
    const char *name;
    int64_t busy, idle, steal, own, children; /* over 2,000 ms of two CPUs */
    double want_percent;
} share_rows[] = {
    {"an idle machine", 0, 4000, 0, 0, 0, 0},
    {"only our own work", 4000, 0, 0, 100, 3900, 0},
    {"a neighbour with a tenth of a core", 4000, 0, 0, 100, 3700, 10},
    {"a neighbour on an otherwise idle machine", 200, 3800, 0, 0, 0, 10},
    {"ticks that missed nobody's work do not count as work", 4000, 0, 0, 0, 4010, 0},
    {"sampling that charged too many ticks is bounded by idle", 700, 3600, 0, 0, 300, 5},
    {"our lag is bounded by ticks that lag alike", 3900, 0, 0, 0, 3900, 0},
    {"stolen time is nobody's work here", 3000, 0, 1000, 0, 3000, 0},
    {"idle that runs backwards is not trusted", 4000, -50, 0, 0, 3900, 5},
};

static void shares_follow_the_two_readings(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(share_rows); i++) {
        pp_watch_sample from = sample(500, 10000, 20000, 300, 400, 500);
        pp_watch_sample to = sample(2500, 10000 + share_rows[i].busy, 20000 + share_rows[i].idle,
                                    300 + share_rows[i].steal, 400 + share_rows[i].own,
                                    500 + share_rows[i].children);
        double got = pp_watch_foreign_percent(&from, &to);

        if (got < share_rows[i].want_percent - 1e-9 || got > share_rows[i].want_percent + 1e-9)
            fail_msg("%s: expected %g, got %g", share_rows[i].name, share_rows[i].want_percent,
                     got);
    }
}

static void a_changed_number_of_cpus_leaves_only_the_ticks(void **state)
{
    pp_watch_sample from = sample(0, 0, 0, 0, 0, 0);
    pp_watch_sample to = sample(2000, 1000, 0, 0, 0, 800);

    (void)state;
    to.cpu_count = 1;
    assert_float_equal(pp_watch_foreign_percent(&from, &to), 10, 1e-9);
}

static void steal_is_a_share_of_all_cpu_time(void **state)
{
    pp_watch_sample from = sample(0, 0, 0, 7, 0, 0);
    pp_watch_sample to = sample(1000, 0, 0, 67, 0, 0);

    (void)state;
    assert_float_equal(pp_watch_steal_percent(&from, &to), 3, 1e-9); /* 60 of 2 x 1000 */
}

/* A run of `count` samples every 250 ms on a machine that our children fill, less what foreign(i)
 * percent of one core take in the interval before sample i. */
static void feed(pp_watch_meter *meter, int count, double (*foreign)(int))
{
    double children = 0, taken = 0;

    for (int i = 0; i < count; i++) {
        pp_watch_sample s;

        if (i > 0)
            taken += foreign(i) * 2.5;
        children = i * 500.0 - taken;
        s = sample(i * 250, i * 500, 0, 0, 0, 0);
        s.children_ns = (int64_t)(children * MS);
        pp_watch_meter_add(meter, &s);
    }
    pp_watch_meter_finish(meter);
}

static double nobody(int i)
{
    (void)i;
    return 0;
}

static double always_ten(int i)
{
    (void)i;
    return 10;
}

/* 20 % from 5.0 s to 6.0 s: a window of 2 s holds 10 %. */
static double one_second_of_twenty(int i)
{
    return i > 20 && i <= 24 ? 20 : 0;
}

/* A reading that is 30 ms too high at one sample, and made good at the next. */
static double one_bad_reading(int i)
{
    return i == 20 ? 12 : i == 21 ? -12 : 0;
}

static const struct {
    const char *name;
    int count;
    double (*foreign)(int);
    bool want_peak, want_over;
    double want_percent;
    int64_t want_from_ms, want_over_from_ms;
} run_rows[] = {
    {"quiet", 41, nobody, true, false, 0, 0, 0},
    {"a steady neighbour is seen at once", 41, always_ten, true, true, 10, 0, 0},
    /* First sample of the burst is number 21 (5.25 s); three windows hold all of it first at the
     * end of samples 24 to 26, the earliest of them begins at 6.0 - 2.0 s. With two samples of the
     * burst each window holds 5 %, not above; with three 7.5 %: samples 23 to 25, from 3.75 s. */
    {"a burst is located", 41, one_second_of_twenty, true, true, 10, 4000, 3750},
    {"one bad reading is not confirmed", 41, one_bad_reading, true, false, 0, 0, 0},
    {"a run of one second is judged as a whole", 5, always_ten, true, true, 10, 0, 0},
    {"a run of a quarter second is not judged", 2, always_ten, false, false, 0, 0, 0},
};

static void runs_are_judged_by_confirmed_windows(void **state)
{
    pp_watch_sample ring[10];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(run_rows); i++) {
        pp_watch_meter meter;

        pp_watch_meter_init(&meter, ring, PP_COUNT_OF(ring), 2000 * MS, 250 * MS, 5);
        feed(&meter, run_rows[i].count, run_rows[i].foreign);
        if (meter.has_peak != run_rows[i].want_peak || meter.is_over != run_rows[i].want_over)
            fail_msg("%s: has peak %d, over %d", run_rows[i].name, meter.has_peak, meter.is_over);
        if (meter.has_peak)
            assert_float_equal(meter.peak.foreign_percent, run_rows[i].want_percent, 1e-6);
        if (meter.is_over && (meter.peak.from_ns != run_rows[i].want_from_ms * MS ||
                              meter.first_over.from_ns != run_rows[i].want_over_from_ms * MS))
            fail_msg("%s: peak from %lld, over from %lld", run_rows[i].name,
                     (long long)meter.peak.from_ns, (long long)meter.first_over.from_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow_the_two_readings),
        cmocka_unit_test(a_changed_number_of_cpus_leaves_only_the_ticks),
        cmocka_unit_test(steal_is_a_share_of_all_cpu_time),
        cmocka_unit_test(runs_are_judged_by_confirmed_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
