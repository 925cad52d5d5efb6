/* Texts of demands, and verdicts by the table of docs/method/load-verdicts.md. */
#include <string.h>

#include "capacity/slo.h"
#include "shared.h"

static const struct {
    const char *text;
    pp_slo_kind kind;
    pp_load_metric metric;
    double percent;
    int64_t limit_ns;
    double limit_percent;
    const char *want_error; /* NULL: accepted */
} texts[] = {
    {"ttft.p95<=2s", PP_SLO_PERCENTILE, PP_METRIC_TTFT, 95, 2000000000, 0, NULL},
    {"first-answer.p99.9<=1.5s", PP_SLO_PERCENTILE, PP_METRIC_FIRST_ANSWER, 99.9, 1500000000, 0,
     NULL},
    {"tpot.p50<=80ms", PP_SLO_PERCENTILE, PP_METRIC_TPOT, 50, 80000000, 0, NULL},
    {"gap.p99<=250us", PP_SLO_PERCENTILE, PP_METRIC_GAP, 99, 250000, 0, NULL},
    {"lateness.p99<=1ms", PP_SLO_PERCENTILE, PP_METRIC_LATENESS, 99, 1000000, 0, NULL},
    {"e2e<=10s", PP_SLO_EACH, PP_METRIC_E2E, 0, 10000000000, 0, NULL},
    {"error-rate<=1%", PP_SLO_ERROR_RATE, PP_METRIC_TTFT, 0, 0, 1, NULL},
    {"completion>=99.5%", PP_SLO_COMPLETION, PP_METRIC_TTFT, 0, 0, 99.5, NULL},
    {"", 0, 0, 0, 0, 0, "expected ttft, first-answer"},
    {"TTFT.p95<=2s", 0, 0, 0, 0, 0, "at byte 1, got 'TTFT.p95<=2s'"},
    {"ttfb.p95<=2s", 0, 0, 0, 0, 0, "expected ttft, first-answer"},
    {"ttft", 0, 0, 0, 0, 0, "expected '<=' at the end"},
    {"ttft.95<=2s", 0, 0, 0, 0, 0, "a percentile such as .p95 at byte 5, got '.95<=2s'"},
    {"ttft.p0.95<=2s", 0, 0, 0, 0, 0, "0.95 is written 95"},
    {"ttft.p101<=2s", 0, 0, 0, 0, 0, "at byte 7: percentile: expected a percentile from 1 to 100"},
    {"ttft.pnan<=2s", 0, 0, 0, 0, 0, "got 'nan'"},
    {"ttft.p-1<=2s", 0, 0, 0, 0, 0, "got '-1'"},
    {"ttft.p()<=2s", 0, 0, 0, 0, 0, "got '()'"},
    {"ttft.p<=2s", 0, 0, 0, 0, 0, "a percentile such as 95 or 99.9 at byte 7"},
    {"ttft.p100<=2s", 0, 0, 0, 0, 0, "a percentile below 100"},
    {"ttft.p95<2s", 0, 0, 0, 0, 0, "'<=' at byte 9, got '<2s'"},
    {"ttft.p95>=2s", 0, 0, 0, 0, 0, "'<=' at byte 9, got '>=2s'"},
    {"ttft.p95<=2", 0, 0, 0, 0, 0, "at byte 11: limit: expected a number with its unit"},
    {"ttft.p95<=0s", 0, 0, 0, 0, 0, "a duration above 0"},
    {"ttft.p95<=-2s", 0, 0, 0, 0, 0, "got '-2s'"},
    {"ttft.p95<=2s ", 0, 0, 0, 0, 0, "got '2s '"},
    {"ttft.p95 <=2s", 0, 0, 0, 0, 0, "got '95 '"},
    {"error-rate<=1", 0, 0, 0, 0, 0, "got '1'"},
    {"error-rate>=1%", 0, 0, 0, 0, 0, "expected '<=' at byte 11"},
    {"completion<=99%", 0, 0, 0, 0, 0, "expected '>=' at byte 11"},
    {"completion>=101%", 0, 0, 0, 0, 0, "0% to 100%"},
    {"error-rate.p95<=1%", 0, 0, 0, 0, 0, "expected '<='"},
};

static void demands_are_read_or_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(texts); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_slo slo = {0};
        pp_status st = pp_slo_parse(&arena, pp_text_of(texts[i].text), &slo, &err);

        if (texts[i].want_error != NULL) {
            if (st != PP_ERR_USAGE)
                fail_msg("'%s' was accepted", texts[i].text);
            assert_contains(err.text, texts[i].want_error);
        } else {
            assert_ok(st, err);
            assert_true(pp_text_is(slo.text, texts[i].text));
            assert_int_equal(slo.kind, texts[i].kind);
            assert_int_equal(slo.metric, texts[i].metric);
            assert_true(slo.percent == texts[i].percent);
            assert_int_equal(slo.limit_ns, texts[i].limit_ns);
            assert_true(slo.limit_percent == texts[i].limit_percent);
        }
        pp_arena_done(&arena);
    }
}

static void parse(pp_arena *arena, const char *text, pp_slo *slo)
{
    pp_error err = {0};

    assert_ok(pp_slo_parse(arena, pp_text_of(text), slo, &err), err);
}

static void one_thing_has_one_limit(void **state)
{
    pp_arena arena = {0};
    pp_slo slos[PP_SLO_MAX];
    size_t count = 0;
    pp_error err = {0};
    pp_slo slo;

    (void)state;
    parse(&arena, "ttft.p95<=2s", &slo);
    assert_ok(pp_slo_add(slos, &count, &slo, &err), err);
    parse(&arena, "ttft.p95.0<=2000ms", &slo);
    assert_ok(pp_slo_add(slos, &count, &slo, &err), err);
    assert_int_equal(count, 1);
    parse(&arena, "ttft.p50<=1s", &slo);
    assert_ok(pp_slo_add(slos, &count, &slo, &err), err);
    assert_true(pp_slo_limit_of_each(slos, count, PP_METRIC_TTFT)->percent == 95);
    parse(&arena, "ttft<=3s", &slo);
    assert_ok(pp_slo_add(slos, &count, &slo, &err), err);
    assert_int_equal(count, 3);
    assert_int_equal(pp_slo_limit_of_each(slos, count, PP_METRIC_TTFT)->limit_ns, 3000000000);
    assert_null(pp_slo_limit_of_each(slos, count, PP_METRIC_E2E));
    parse(&arena, "ttft.p95<=1s", &slo);
    assert_int_equal(pp_slo_add(slos, &count, &slo, &err), PP_ERR_USAGE);
    assert_contains(err.text, "'ttft.p95<=2s' and 'ttft.p95<=1s'");
    pp_arena_done(&arena);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

#define MS ((int64_t)1000000)

typedef struct mix {
    int met, over, failed, cut_early, cut_over;
} mix;

/* TTFT 1 s or 3 s against a limit of 2 s; spread over the list, so that neighbours do not resemble
 * each other more than chance makes them: metered values alternate a little. */
static size_t make(const mix *m, pp_sample *samples, const pp_sample **list)
{
    size_t n = 0;
    int total = m->met + m->over + m->failed + m->cut_early + m->cut_over;

    for (int i = 0; i < total; i++) {
        pp_sample *s = &samples[n];

        memset(s, 0, sizeof *s);
        s->started_ns = s->scheduled_ns = (int64_t)n * MS;
        s->stream_end_ns = 4000 * MS;
        if (i < m->met) {
            s->ttft_ns = pp_known_int((1000 + i % 2) * MS);
        } else if (i < m->met + m->over) {
            s->ttft_ns = pp_known_int(3000 * MS);
        } else if (i < m->met + m->over + m->failed) {
            s->failure = PP_FAILURE_RESET;
        } else {
            s->failure = PP_FAILURE_CUT;
            s->stream_end_ns = i < total - m->cut_over ? 500 * MS : 2500 * MS;
        }
        list[n] = s;
        n++;
    }
    return n;
}

static const struct {
    const char *name;
    const char *slo;
    mix mix;
    pp_slo_verdict want;
    pp_slo_reason reason;
    int64_t counted, violations, left_out, needed; /* needed -1: absent */
} verdicts[] = {
    {"58 are one too few",
     "ttft.p95<=2s",
     {58, 0, 0, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     58,
     0,
     0,
     1},
    {"59 show it", "ttft.p95<=2s", {59, 0, 0, 0, 0}, PP_SLO_PASS, 0, 59, 0, 0, -1},
    {"20 need 39 more",
     "ttft.p95<=2s",
     {20, 0, 0, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     20,
     0,
     0,
     39},
    {"a failure is a violation",
     "ttft.p95<=2s",
     {58, 0, 1, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     59,
     1,
     0,
     34},
    {"p99 with 5",
     "ttft.p99<=2s",
     {295, 0, 5, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     300,
     5,
     0,
     749},
    /* Bin(20, .05): P(>= 4) = .0159, P(>= 3) = .0755 */
    {"4 of 20 are shown to be too many",
     "ttft.p95<=2s",
     {16, 0, 4, 0, 0},
     PP_SLO_FAIL,
     0,
     20,
     4,
     0,
     -1},
    {"3 of 20 are not",
     "ttft.p95<=2s",
     {17, 0, 3, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     20,
     3,
     0,
     133},
    {"all fail", "ttft.p95<=2s", {0, 0, 8, 0, 0}, PP_SLO_FAIL, 0, 8, 8, 0, -1},
    {"65 % fail (B039)", "ttft.p95<=2s", {35, 0, 65, 0, 0}, PP_SLO_FAIL, 0, 100, 65, 0, -1},
    {"cut early is neither", "ttft.p95<=2s", {59, 0, 0, 5, 0}, PP_SLO_PASS, 0, 59, 0, 5, -1},
    {"cut over the limit is a violation",
     "ttft.p95<=2s",
     {59, 0, 0, 0, 1},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     60,
     1,
     0,
     33},
    /* 4 of 20 fail; with 12 more that may have been met, Bin(32, .05): P(>= 4) = .0726 */
    {"to fail, what was cut counts as met",
     "ttft.p95<=2s",
     {16, 0, 4, 12, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_TOO_FEW,
     20,
     4,
     12,
     161},
    {"nothing",
     "ttft.p95<=2s",
     {0, 0, 0, 3, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_NO_REQUESTS,
     0,
     0,
     3,
     59},
    {"1 of 100 within 2 % (B055)",
     "error-rate<=2%",
     {99, 0, 1, 2, 0},
     PP_SLO_PASS,
     0,
     100,
     1,
     2,
     -1},
    {"a limit is inclusive", "error-rate<=1%", {99, 0, 1, 0, 0}, PP_SLO_PASS, 0, 100, 1, 0, -1},
    {"2 of 100 above 1 %", "error-rate<=1%", {98, 0, 2, 0, 0}, PP_SLO_FAIL, 0, 100, 2, 0, -1},
    {"completion", "completion>=99%", {99, 0, 1, 0, 0}, PP_SLO_PASS, 0, 100, 1, 0, -1},
    {"completion missed", "completion>=99%", {98, 0, 2, 0, 0}, PP_SLO_FAIL, 0, 100, 2, 0, -1},
    {"all failed", "completion>=1%", {0, 0, 3, 0, 0}, PP_SLO_FAIL, 0, 3, 3, 0, -1},
    {"no request has no rate",
     "error-rate<=0%",
     {0, 0, 0, 1, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_NO_REQUESTS,
     0,
     0,
     1,
     -1},
    {"no tpot known",
     "tpot.p95<=1s",
     {5, 0, 0, 0, 0},
     PP_SLO_UNDECIDED,
     PP_SLO_REASON_NO_REQUESTS,
     0,
     0,
     0,
     59},
};

static void verdicts_follow_the_exact_rule(void **state)
{
    static pp_sample samples[400];
    static const pp_sample *list[400];

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(verdicts); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_slo slo;
        pp_slo_result got;
        size_t n = make(&verdicts[i].mix, samples, list);

        parse(&arena, verdicts[i].slo, &slo);
        assert_ok(pp_slo_judge(&slo, list, n, 0, false, .95, &got, &err), err);
        if (got.verdict != verdicts[i].want || got.reason != verdicts[i].reason)
            fail_msg("%s: got %s", verdicts[i].name, pp_slo_verdict_name(got.verdict));
        if (got.counted != verdicts[i].counted || got.violation_count != verdicts[i].violations ||
            got.left_out_count != verdicts[i].left_out)
            fail_msg("%s: counted %lld, over %lld, left out %lld", verdicts[i].name,
                     (long long)got.counted, (long long)got.violation_count,
                     (long long)got.left_out_count);
        if ((got.needed_more_count.known ? got.needed_more_count.value : -1) != verdicts[i].needed)
            fail_msg("%s: needs %lld", verdicts[i].name, (long long)got.needed_more_count.value);
        pp_arena_done(&arena);
    }
}

/* 100 that pass when independent are worth 100 (1-r)/(1+r) when neighbours are alike. */
static void dependent_requests_are_worth_less(void **state)
{
    static pp_sample samples[100];
    static const pp_sample *list[100];
    const mix all = {100, 0, 0, 0, 0};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_slo slo;
    pp_slo_result got;
    size_t n = make(&all, samples, list);

    (void)state;
    for (size_t i = 0; i < 100; i++) /* ten blocks of ten, high and low in turn: r1 = 81 / 100 */
        samples[i].ttft_ns = pp_known_int((i / 10 % 2 == 0 ? 1000 : 1500) * MS);
    parse(&arena, "ttft.p95<=2s", &slo);
    assert_ok(pp_slo_judge(&slo, list, n, 0, false, .95, &got, &err), err);
    assert_true(got.is_dependent);
    assert_true(got.autocorrelation.value > .8099 && got.autocorrelation.value < .8101);
    assert_int_equal(got.effective_count, 10); /* 100 * .19 / 1.81 = 10.497 */
    assert_int_equal(got.verdict, PP_SLO_UNDECIDED);
    assert_int_equal(got.needed_more_count.value, 467); /* (59 - 10) * 1.81 / .19 = 466.8 */
    pp_arena_done(&arena);
}

/* Eight clients begin together and wait 20 ms; behind them a full queue alternates around 100 ms.
 * With the opening r1 is about .84, without it -1: the requests are worth what they are. */
static void a_queue_that_fills_is_no_resemblance(void **state)
{
    static pp_sample samples[100];
    static const pp_sample *list[100];
    const mix all = {100, 0, 0, 0, 0};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_slo slo;
    pp_slo_result got;
    size_t n = make(&all, samples, list);

    (void)state;
    for (int64_t i = 0; i < 100; i++)
        samples[i].ttft_ns = pp_known_int(i < 8 ? 20 * MS : (100 + i % 2) * MS);
    parse(&arena, "ttft.p95<=2s", &slo);
    assert_ok(pp_slo_judge(&slo, list, n, 0, false, .95, &got, &err), err);
    assert_true(got.is_dependent);
    assert_int_equal(got.verdict, PP_SLO_UNDECIDED);
    assert_ok(pp_slo_judge(&slo, list, n, 8, false, .95, &got, &err), err);
    assert_false(got.is_dependent);
    assert_int_equal(got.effective_count, 100);
    assert_int_equal(got.counted, 100);
    assert_int_equal(got.verdict, PP_SLO_PASS);
    pp_arena_done(&arena);
}

/* Late by 1.5 s, first token 1 s after the start: over 2 s only from the instant it was due. */
static void open_loop_counts_from_the_instant_due(void **state)
{
    pp_sample sample = {.scheduled_ns = 0,
                        .started_ns = 1500 * MS,
                        .ttft_ns = {true, 1000 * MS},
                        .stream_end_ns = 2000 * MS};
    const pp_sample *list[] = {&sample};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_slo slo;
    pp_slo_result got;

    (void)state;
    parse(&arena, "ttft.p95<=2s", &slo);
    assert_ok(pp_slo_judge(&slo, list, 1, 0, false, .95, &got, &err), err);
    assert_int_equal(got.violation_count, 0);
    assert_ok(pp_slo_judge(&slo, list, 1, 0, true, .95, &got, &err), err);
    assert_int_equal(got.violation_count, 1);
    parse(&arena, "lateness.p95<=1s", &slo);
    assert_ok(pp_slo_judge(&slo, list, 1, 0, false, .95, &got, &err), err);
    assert_int_equal(got.violation_count, 1);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demands_are_read_or_explained),
        cmocka_unit_test(one_thing_has_one_limit),
        cmocka_unit_test(verdicts_follow_the_exact_rule),
        cmocka_unit_test(dependent_requests_are_worth_less),
        cmocka_unit_test(a_queue_that_fills_is_no_resemblance),
        cmocka_unit_test(open_loop_counts_from_the_instant_due),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
