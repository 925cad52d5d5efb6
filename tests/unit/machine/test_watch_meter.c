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

/* A neighbour that uses 20 % of one core for 2 s, beginning at begin_ms, as samples see it. */
static double burst_ms(double at_ms, double begin_ms)
{
    double inside = at_ms - begin_ms;

    return 0.2 * (inside < 0 ? 0 : inside > 2000 ? 2000 : inside);
}

/* The same as a neighbour really does it: 20 ms of work, 80 ms of sleep, 20 times. */
static double pulsed_ms(double at_ms, double begin_ms)
{
    double inside = at_ms - begin_ms;
    double whole, rest;

    if (inside < 0)
        return 0;
    whole = (double)(int)(inside / 100);
    if (whole >= 20)
        return 400;
    rest = inside - 100 * whole;
    return 20 * whole + (rest < 20 ? rest : 20);
}

/* Wake-ups come late by up to 40 ms here, now and then, in a fixed pattern. */
static double late_ms(int i)
{
    static const double pattern[] = {0, 3, 0, 40, 1, 0, 17, 0, 0, 25, 2};

    return pattern[i % (int)PP_COUNT_OF(pattern)];
}

static void feed_burst(pp_watch_meter *meter, double (*used_ms)(double, double), double begin_ms,
                       bool is_late)
{
    for (int i = 0; i <= 40; i++) { /* 10 s */
        double at_ms = 250.0 * i + (is_late && i < 40 ? late_ms(i) : 0);
        pp_watch_sample s = sample(0, 0, 0, 0, 0, 0);

        s.at_ns = (int64_t)(at_ms * MS);
        s.busy_ns = (int64_t)(2 * at_ms * MS);
        s.children_ns = (int64_t)((2 * at_ms - used_ms(at_ms, begin_ms)) * MS);
        pp_watch_meter_add(meter, &s);
    }
    pp_watch_meter_finish(meter);
}

static double overlap_ms(double from_ms, double to_ms, double begin_ms)
{
    double from = from_ms > begin_ms ? from_ms : begin_ms;
    double to = to_ms < begin_ms + 2000 ? to_ms : begin_ms + 2000;

    return to > from ? to - from : 0;
}

/* Windows are [250 k, 250 k + 2000]; of three in a row the least counts, of all threes the best. */
static double expected_peak(double begin_ms)
{
    double best = 0;

    for (int k = 0; 250 * (k + 2) + 2000 <= 10000; k++) {
        double least = 2000;

        for (int j = k; j < k + 3; j++) {
            double overlap = overlap_ms(250.0 * j, 250.0 * j + 2000, begin_ms);

            least = overlap < least ? overlap : least;
        }
        best = least > best ? least : best;
    }
    return 20 * best / 2000;
}

/* Every millisecond at which a burst of 2 s can begin in a run of 10 s. The worst are those in the
 * middle between two samples: their best three windows hold 1,625 ms or more, 16.25 %, more than
 * three times the limit. At the ends of the run only the windows inside it count: 15 %. */
static void a_burst_is_found_at_every_alignment(void **state)
{
    double least = 100;

    (void)state;
    for (int begin_ms = 0; begin_ms <= 8000; begin_ms++) {
        pp_watch_sample ring[10];
        pp_watch_meter meter;

        pp_watch_meter_init(&meter, ring, PP_COUNT_OF(ring), 2000 * MS, 250 * MS, 5);
        feed_burst(&meter, burst_ms, begin_ms, false);
        if (!meter.is_over)
            fail_msg("a burst from %d ms is not found", begin_ms);
        assert_float_equal(meter.peak.foreign_percent, expected_peak(begin_ms), 1e-4);
        least = meter.peak.foreign_percent < least ? meter.peak.foreign_percent : least;
    }
    assert_float_equal(least, 15, 1e-4);
}

/* Pulses cost at most 20 ms of work (1 %), late wake-ups at most 65 ms of overlap (0.65 %), of the
 * 15 % above. */
static void a_pulsed_burst_is_found_when_samples_come_late(void **state)
{
    (void)state;
    for (int begin_ms = 0; begin_ms <= 8000; begin_ms++) {
        for (int late = 0; late <= 1; late++) {
            pp_watch_sample ring[10];
            pp_watch_meter meter;

            pp_watch_meter_init(&meter, ring, PP_COUNT_OF(ring), 2000 * MS, 250 * MS, 5);
            feed_burst(&meter, pulsed_ms, begin_ms, late == 1);
            if (!meter.is_over || meter.peak.foreign_percent < 13)
                fail_msg("a pulsed burst from %d ms, %s: %g %%", begin_ms,
                         late == 1 ? "late samples" : "in time", meter.peak.foreign_percent);
        }
    }
}

/* 20 % for 0.5 s is 100 ms, 5 % of a window, which is not above the limit at any alignment. */
static double short_burst_ms(double at_ms, double begin_ms)
{
    double inside = at_ms - begin_ms;

    return 0.2 * (inside < 0 ? 0 : inside > 500 ? 500 : inside);
}

static void a_quarter_of_that_burst_is_below_the_limit(void **state)
{
    (void)state;
    for (int begin_ms = 0; begin_ms <= 8000; begin_ms++) {
        pp_watch_sample ring[10];
        pp_watch_meter meter;

        pp_watch_meter_init(&meter, ring, PP_COUNT_OF(ring), 2000 * MS, 250 * MS, 5.0001);
        feed_burst(&meter, short_burst_ms, begin_ms, false);
        if (meter.is_over)
            fail_msg("a burst from %d ms: %g %%", begin_ms, meter.peak.foreign_percent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow_the_two_readings),
        cmocka_unit_test(a_changed_number_of_cpus_leaves_only_the_ticks),
        cmocka_unit_test(steal_is_a_share_of_all_cpu_time),
        cmocka_unit_test(runs_are_judged_by_confirmed_windows),
        cmocka_unit_test(a_burst_is_found_at_every_alignment),
        cmocka_unit_test(a_pulsed_burst_is_found_when_samples_come_late),
        cmocka_unit_test(a_quarter_of_that_burst_is_below_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
