/* Runs whose figures are known by algebra. */
#include <math.h>
#include <string.h>

#include "capacity/level_summary.h"
#include "load_maker.h"
#include "shared.h"

static void assert_near(const char *name, double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
        fail_msg("%s: expected %.12g, got %.12g", name, want, got);
}

#define MOST 256

typedef struct run {
    pp_arena arena;
    pp_load_level level;
    pp_load_observed observed;
    pp_load_rules rules;
    pp_slo slos[4];
    pp_sample samples[MOST];
    size_t n;
    pp_level_summary got;
} run;

static run *the_run(void)
{
    static run r;

    memset(&r, 0, sizeof r);
    r.rules = pp_load_rules_default();
    r.rules.slos = r.slos;
    return &r;
}

static void demand(run *r, const char *text)
{
    pp_error err = {0};

    assert_ok(pp_slo_parse(&r->arena, pp_text_of(text), &r->slos[r->rules.slo_count++], &err), err);
}

static void add(run *r, int64_t due_ns, int64_t late_ns, int64_t ttft_ns, int64_t e2e_ns,
                int64_t tokens)
{
    assert_true(r->n < MOST);
    r->samples[r->n] =
        make_sample(&r->arena, (int64_t)r->n + 1, due_ns, late_ns, ttft_ns, e2e_ns, tokens);
    r->n++;
}

static void summarise(run *r)
{
    pp_error err = {0};

    assert_ok(pp_load_summarise(&r->arena, &r->level, &r->observed, r->samples, r->n, &r->rules,
                                &r->got, &err),
              err);
    assert_int_equal(r->got.issued_count, r->got.ok_count + r->got.failed_count + r->got.cut_count);
}

/* `clients` in step, each request 1 s: first text after 200 ms, 5 tokens, so 200 ms each. */
static void make_waves(run *r, int64_t clients, int64_t waves)
{
    r->level = make_closed(clients, clients * waves);
    r->observed = make_observed(&r->level, waves * S);
    for (int64_t wave = 0; wave < waves; wave++)
        for (int64_t i = 0; i < clients; i++)
            add(r, wave * S, 0, 200 * MS, S, 5);
}

static void a_steady_run_obeys_littles_law(void **state)
{
    run *r = the_run();
    const pp_level_summary *s = &r->got;

    (void)state;
    make_waves(r, 4, 10);
    summarise(r);
    assert_int_equal(s->issued_count, 40);
    assert_true(s->steady.known && s->whole.known);
    /* from 0 to 9 s, when the last four are begun: 36 of 40 end in it */
    assert_near("steady end", s->steady.to_ms, 9000);
    assert_int_equal(s->steady.ended_count, 36);
    assert_near("steady rate", s->steady.requests_per_second, 4);
    assert_near("steady tokens", s->steady.tokens_per_second, 20);
    assert_near("whole rate", s->whole.requests_per_second, 4);
    assert_near("in flight", s->little.in_flight_mean, 4);
    assert_near("residence", s->little.residence_ms_mean, 1000);
    assert_near("deviation", s->little.deviation_percent, 0);
    assert_true(s->little.is_steady && s->notes == 0 && s->doubts == 0);
    assert_near("tpot", s->tpot.ok.mean.value, 200);
    assert_near("generation", s->generation_rate.mean.value, 5); /* B037 */
    assert_near("whole request", s->request_rate.mean.value, 5); /* 5 tokens in 1 s */
    assert_int_equal(s->gaps.count, 160);
    assert_false(s->has_verdict);
    pp_arena_done(&r->arena);
}

/* 5 s of prefill, then 100 tokens in 1 s: about 100/s, not 17/s. */
static void b037_prefill_is_not_generation(void **state)
{
    run *r = the_run();

    (void)state;
    r->level = make_closed(1, 1);
    r->observed = make_observed(&r->level, 6 * S);
    add(r, 0, 0, 5 * S, 6 * S, 100);
    summarise(r);
    assert_near("generation", r->got.generation_rate.mean.value, 99);
    assert_near("of the request", r->got.request_rate.mean.value, 100 / 6.);
    pp_arena_done(&r->arena);
}

/* One of two clients hangs for the whole run: what ends stays under what is in flight. */
static void an_unsteady_run_is_marked(void **state)
{
    run *r = the_run();

    (void)state;
    r->level = make_closed(2, 5);
    r->observed = make_observed(&r->level, 20 * S);
    add(r, 0, 0, S, 20 * S, 5);
    for (int i = 0; i < 4; i++)
        add(r, i * S, 0, 200 * MS, S, 5);
    summarise(r);
    /* window 0 to 3 s: in flight 2; three ended, 1 s each: X R = 1 */
    assert_near("in flight", r->got.little.in_flight_mean, 2);
    assert_near("deviation", r->got.little.deviation_percent, 50);
    assert_true((r->got.notes & PP_NOTE_NOT_STEADY) != 0 && !r->got.little.is_steady);
    pp_arena_done(&r->arena);
}

static void ramp_and_tail_are_outside_the_window(void **state)
{
    run *r = the_run();

    (void)state;
    make_waves(r, 2, 10);
    r->level.ramp_ns = 3 * S;
    summarise(r);
    assert_near("from", r->got.steady.from_ms, 3000);
    assert_near("to", r->got.steady.to_ms, 9000);
    assert_int_equal(r->got.steady.ended_count, 12);
    assert_int_equal(r->got.ramp_count, 6); /* due at 0, 1 and 2 s */
    assert_int_equal(r->got.ttft.ok.count, 14);
    assert_int_equal(r->got.issued_count, 20);
    pp_arena_done(&r->arena);
}

/* ---- failures ------------------------------------------------------------------------------- */

/* TTFT 100, 200, ... 800 ms; begun 50 ms late. */
static void make_ladder(run *r, int n)
{
    r->level = make_closed(1, n);
    r->observed = make_observed(&r->level, 20 * S);
    r->rules.lateness_ms_p99_max = 100;
    for (int i = 0; i < n; i++)
        add(r, i * S, 50 * MS, (i + 1) * 100 * MS, 900 * MS, 2);
}

static void p95_of_eight_is_the_maximum(void **state)
{
    run *r = the_run();
    const pp_load_tail *tails;

    (void)state;
    make_ladder(r, 8);
    summarise(r);
    tails = r->got.ttft.ok.tails;
    assert_near("p50", tails[0].at.value, 400);
    assert_false(tails[0].at.is_maximum);
    assert_near("p95", tails[2].at.value, 800);
    assert_true(tails[2].at.is_maximum && tails[2].upper_rank == 0 && !tails[2].high.known);
    assert_near("from due", r->got.ttft_due.ok.tails[0].at.value, 450); /* F02 */
    assert_near("mean", r->got.ttft.ok.mean.value, 450);
    assert_near("lateness", r->got.lateness.max.value, 50);
    pp_arena_done(&r->arena);
}

static void failures_stand_beside_every_percentile(void **state)
{
    run *r = the_run();
    const pp_load_measure *ttft = &r->got.ttft;

    (void)state;
    make_ladder(r, 8);
    fail_sample(&r->samples[0], PP_FAILURE_RESET, S);
    fail_sample(&r->samples[1], PP_FAILURE_TOTAL_TIMEOUT, 9 * S);
    fail_sample(&r->samples[2], PP_FAILURE_CUT, 10 * MS);
    summarise(r);
    assert_int_equal(r->got.ok_count, 5);
    assert_int_equal(r->got.failed_count, 2);
    assert_int_equal(r->got.cut_count, 1);
    assert_int_equal(r->got.failures[PP_FAILURE_RESET], 1);
    assert_near("errors", r->got.error_percent.value, 200 / 7.);
    assert_int_equal(ttft->ok.count, 5);
    assert_int_equal(ttft->ok.failed_count, 2);
    assert_near("p50 of 5", ttft->ok.tails[0].at.value, 600);
    assert_int_equal(ttft->with_failures.count, 7);
    assert_near("p50 of 7", ttft->with_failures.tails[0].at.value, 700); /* rank 4 of 7 */
    assert_true(ttft->with_failures.tails[2].at.is_endless);
    assert_true(ttft->with_failures.min.known && !ttft->with_failures.max.known &&
                !ttft->with_failures.mean.known);
    /* tokens of failed samples count in the whole window only; here they have none */
    assert_int_equal(r->got.whole.ended_count, 5);
    pp_arena_done(&r->arena);
}

static void b078_b092_b100_b102_what_is_not_there_is_absent(void **state)
{
    run *r = the_run();

    (void)state;
    r->level = make_closed(2, 0); /* stopped before the first reply (B102) */
    r->observed = make_observed(&r->level, 0);
    r->observed.ended_by = PP_LOAD_END_INTERRUPTED;
    demand(r, "ttft.p95<=1s");
    summarise(r);
    assert_false(r->got.whole.known || r->got.steady.known || r->got.error_percent.known);
    assert_int_equal(r->got.ttft.ok.count, 0);
    assert_int_equal(r->got.ttft.ok.tails[0].at.rank, 0);
    assert_int_equal(r->got.verdict, PP_SLO_UNDECIDED);
    assert_true((r->got.notes & PP_NOTE_INTERRUPTED) != 0);
    pp_arena_done(&r->arena);

    r = the_run(); /* all fail (B051, B100) */
    make_ladder(r, 3);
    demand(r, "completion>=50%");
    for (size_t i = 0; i < 3; i++)
        fail_sample(&r->samples[i], PP_FAILURE_REFUSED, 0);
    summarise(r);
    assert_true(r->got.whole.known && r->got.whole.requests_per_second == 0);
    assert_false(r->got.ttft.ok.mean.known);
    assert_true(r->got.ttft.with_failures.tails[0].at.is_endless);
    assert_int_equal(r->got.verdict, PP_SLO_FAIL);
    assert_true((r->got.notes & PP_NOTE_ALL_FAILED) != 0);
    pp_arena_done(&r->arena);

    r = the_run(); /* one request of one token at one instant (B078, F37) */
    r->level = make_closed(1, 1);
    r->observed = make_observed(&r->level, 0);
    add(r, 0, 0, 0, 0, 1);
    summarise(r);
    assert_false(r->got.whole.known); /* no length, no rate (B092) */
    assert_int_equal(r->got.tpot.undefined_count, 1);
    assert_int_equal(r->got.tpot.ok.count, 0);
    assert_int_equal(r->got.generation_rate.count, 0);
    assert_true(r->got.ttft.ok.mean.known && r->got.ttft.ok.mean.value == 0); /* 0 is a value */
    assert_int_equal(r->got.steady_state, PP_STEADY_NO_LENGTH);
    pp_arena_done(&r->arena);
}

static void warmup_and_other_levels_are_left_out(void **state)
{
    run *r = the_run();

    (void)state;
    make_ladder(r, 6);
    r->samples[0].id.phase = PP_PHASE_WARMUP;
    r->samples[1].id.level.value = 2;
    summarise(r);
    assert_int_equal(r->got.issued_count, 4);
    assert_int_equal(r->got.warmup_count, 1);
    assert_near("smallest", r->got.ttft.ok.min.value, 300);
    pp_arena_done(&r->arena);
}

/* Five events in each write, 25 ms apart: the median gap would be 0. */
static void b015_gathered_gaps_are_withheld(void **state)
{
    run *r = the_run();

    (void)state;
    make_waves(r, 1, 4);
    demand(r, "gap.p50<=1s");
    for (size_t i = 0; i < r->n; i++)
        r->samples[i].gaps_ns[0] = r->samples[i].gaps_ns[1] = 0;
    summarise(r);
    assert_true(r->got.gaps_withheld && r->got.gaps.count == 0);
    assert_near("zeros", r->got.zero_gap_percent.value, 50);
    assert_int_equal(r->got.results[0].reason, PP_SLO_REASON_GATHERED);
    assert_int_equal(r->got.ttft.ok.count, 4); /* kept */
    pp_arena_done(&r->arena);
}

static void goodput_counts_requests_within_every_limit(void **state)
{
    run *r = the_run();

    (void)state;
    make_ladder(r, 8); /* due at 0 to 7 s, TTFT 100 to 800 ms */
    demand(r, "ttft<=500ms");
    demand(r, "e2e<=900ms");
    summarise(r);
    assert_int_equal(r->got.whole.good_count, 5);
    /* first start .05 s, last end 7.05 + .9 s */
    assert_near("goodput", r->got.whole.good_per_second.value, 5 / 7.9);
    assert_int_equal(r->got.result_count, 0); /* no verdict */
    pp_arena_done(&r->arena);
}

/* ---- open loop ------------------------------------------------------------------------------ */

/* Due every 100 ms; one at a time, `service` each: the queue waits in the server. */
static void make_queue(run *r, int n, int64_t service_ns)
{
    int64_t free_at = 0;

    r->level = make_open(10, n);
    r->observed = make_observed(&r->level, 0);
    for (int i = 0; i < n; i++) {
        int64_t due = i * 100 * MS;
        int64_t begin = free_at > due ? free_at : due;

        free_at = begin + service_ns;
        add(r, due, 0, begin + service_ns / 2 - due, free_at - due, 2);
    }
    r->observed.ended_at_ns = free_at;
}

static void overload_is_named(void **state)
{
    run *r = the_run();

    (void)state;
    make_queue(r, 100, 200 * MS); /* twice what it can do, 10 s (B071) */
    demand(r, "tpot.p50<=1h");
    demand(r, "ttft.p50<=1s"); /* each waits 100 ms longer than the one before, and is like it */
    summarise(r);
    assert_true(r->got.rate.is_overloaded && (r->got.notes & PP_NOTE_OVERLOADED) != 0);
    assert_true(r->got.rate.in_flight_thirds[2] > 4 * r->got.rate.in_flight_thirds[0]);
    assert_near("drawn", r->got.rate.drawn_per_second.value, 10);
    assert_near("delivered", r->got.rate.delivered_per_second.value, 10);
    assert_int_equal(r->got.doubts, 0); /* the client did its part */
    assert_int_equal(r->got.results[0].verdict, PP_SLO_UNDECIDED);
    assert_int_equal(r->got.results[0].reason, PP_SLO_REASON_OVERLOADED);
    assert_true(r->got.results[1].is_dependent);
    assert_int_equal(r->got.results[1].verdict, PP_SLO_FAIL);
    assert_int_equal(r->got.results[1].reason, PP_SLO_REASON_OVERLOADED);
    assert_int_equal(r->got.verdict, PP_SLO_FAIL);
    pp_arena_done(&r->arena);

    r = the_run();
    make_queue(r, 100, 90 * MS);
    summarise(r);
    assert_false(r->got.rate.is_overloaded);
    assert_near("a third", r->got.rate.in_flight_thirds[1], .9);
    pp_arena_done(&r->arena);
}

static void a_client_that_does_not_keep_the_schedule_says_so(void **state)
{
    run *r = the_run();

    (void)state;
    r->level = make_open(10, 40);
    r->observed = make_observed(&r->level, 30 * S);
    for (int i = 0; i < 40; i++) /* half the rate that was drawn (B062) */
        add(r, i * 100 * MS, i * 100 * MS, 10 * MS, 50 * MS, 2);
    demand(r, "ttft.p50<=1h");
    summarise(r);
    assert_near("delivered", r->got.rate.delivered_per_second.value, 5);
    assert_true((r->got.doubts & PP_DOUBT_SCHEDULE_NOT_KEPT) != 0);
    assert_true((r->got.doubts & PP_DOUBT_LATE) != 0);
    assert_int_equal(r->got.results[0].reason, PP_SLO_REASON_NOT_VALID);
    pp_arena_done(&r->arena);

    r = the_run();
    make_queue(r, 20, 50 * MS);
    r->observed.planned_count.value = 21;
    summarise(r);
    assert_int_equal(r->got.doubts, PP_DOUBT_SCHEDULE_NOT_KEPT);
    r->observed.ended_by = PP_LOAD_END_INTERRUPTED; /* nobody asked for the rest */
    summarise(r);
    assert_int_equal(r->got.doubts, 0);
    pp_arena_done(&r->arena);
}

/* ---- doubts --------------------------------------------------------------------------------- */

static void spoil(run *r, unsigned doubt)
{
    switch (doubt) {
    case PP_DOUBT_CLOCK_SET:
        r->samples[3].flags |= PP_SAMPLE_CLOCK_WAS_SET;
        break;
    case PP_DOUBT_STALLED:
        r->observed.stall_ns_max = 2 * S; /* SIGSTOP for 2 s (B074) */
        break;
    case PP_DOUBT_LATE:
        r->samples[3].started_ns += 30 * MS;
        break;
    case PP_DOUBT_CLIENT_LAG:
        r->samples[3].client_lag_ns_p99.value = 30 * MS;
        break;
    case PP_DOUBT_CLIENT_CPU:
        r->observed.client_cpu_seconds = 9.5; /* of 10 s */
        break;
    case PP_DOUBT_IN_FLIGHT:
        r->observed.in_flight_max = 5;
        break;
    case PP_DOUBT_NOT_COLD:
        r->rules.cold = true;
        r->samples[3].cached_tokens.value = 40;
        break;
    case PP_DOUBT_POLLUTED:
        r->observed.server_was_idle = pp_known_bool(false);
        break;
    default:
        fail_msg("doubt %u has no case", doubt);
    }
}

/* Each alone takes the verdicts away, whether they would pass or fail. */
static void doubts_withhold_verdicts(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < PP_DOUBT_COUNT; bit++) {
        run *r = the_run();

        if (1u << bit == PP_DOUBT_SCHEDULE_NOT_KEPT)
            continue; /* open loop: above */
        make_waves(r, 4, 10);
        demand(r, "ttft.p50<=1s");
        demand(r, "e2e.p50<=1ms");
        summarise(r);
        assert_int_equal(r->got.results[0].verdict, PP_SLO_PASS);
        assert_int_equal(r->got.results[1].verdict, PP_SLO_FAIL);
        assert_int_equal(r->got.verdict, PP_SLO_FAIL);
        spoil(r, 1u << bit);
        summarise(r);
        if (r->got.doubts != 1u << bit)
            fail_msg("%s: doubts %x", pp_load_doubt_name(bit), r->got.doubts);
        assert_int_equal(r->got.verdict, PP_SLO_UNDECIDED);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(r->got.results[i].reason, PP_SLO_REASON_NOT_VALID);
        pp_arena_done(&r->arena);
    }
    assert_null(pp_load_doubt_name(PP_DOUBT_COUNT));
    assert_null(pp_load_note_name(PP_NOTE_COUNT));
}

static void b103_b105_cold_is_shown_or_not(void **state)
{
    run *r = the_run();

    (void)state;
    make_waves(r, 4, 2);
    r->rules.cold = true;
    summarise(r);
    assert_true(r->got.cache.is_cold.known && r->got.cache.is_cold.value);
    assert_int_equal(r->got.cache.prompt_tokens, 800);
    r->samples[0].cached_tokens = (pp_maybe_int){0};
    summarise(r);
    assert_false(r->got.cache.is_cold.known);
    assert_true(r->got.doubts == 0 && (r->got.notes & PP_NOTE_COLD_NOT_SHOWN) != 0);
    pp_arena_done(&r->arena);
}

static void impossible_samples_are_refused(void **state)
{
    run *r = the_run();
    pp_error err = {0};

    (void)state;
    make_waves(r, 2, 2);
    r->samples[1].scheduled_ns = 5;
    assert_int_equal(pp_load_summarise(&r->arena, &r->level, &r->observed, r->samples, r->n,
                                       &r->rules, &r->got, &err),
                     PP_ERR_DOMAIN);
    assert_contains(err.text, "sample 2: begun 5 ns before it was due");
    r->samples[1].scheduled_ns = 0;
    r->samples[0].generated_tokens.value = INT64_MAX;
    memset(&err, 0, sizeof err);
    assert_int_equal(pp_load_summarise(&r->arena, &r->level, &r->observed, r->samples, r->n,
                                       &r->rules, &r->got, &err),
                     PP_ERR_DOMAIN);
    assert_contains(err.text, "64-bit");
    pp_arena_done(&r->arena);
}

static void tell_drafts(run *r, size_t at, int64_t drafted, int64_t accepted)
{
    r->samples[at].draft_tokens = pp_known_int(drafted);
    r->samples[at].draft_accepted_tokens = pp_known_int(accepted);
}

/* 3 of 10, 9 of 10 and 12 of 20 count; what failed, told half or contradicts itself does not. */
static void g39_accepted_drafts_are_counted(void **state)
{
    run *r = the_run();
    const pp_load_speculation *s = &r->got.speculation;

    (void)state;
    make_waves(r, 1, 8);
    summarise(r);
    assert_int_equal(s->request_count, 0);
    assert_false(s->acceptance_ratio.known);
    tell_drafts(r, 0, 0, 0);
    summarise(r);
    assert_int_equal(s->request_count, 1);
    assert_false(s->acceptance_ratio.known || s->low_ratio.known);
    tell_drafts(r, 1, 10, 3);
    summarise(r);
    assert_near("ratio of one", s->acceptance_ratio.value, 0.3);
    assert_false(s->low_ratio.known || s->high_ratio.known);
    tell_drafts(r, 2, 10, 9);
    tell_drafts(r, 3, 20, 12);
    tell_drafts(r, 4, 100, 100);
    fail_sample(&r->samples[4], PP_FAILURE_RESET, S);
    tell_drafts(r, 5, 10, 11);
    r->samples[6].draft_tokens = pp_known_int(50);
    tell_drafts(r, 7, 100, 100);
    r->samples[7].id.phase = PP_PHASE_WARMUP;
    summarise(r);
    assert_int_equal(s->request_count, 4);
    assert_int_equal(s->drafting_request_count, 3);
    assert_int_equal(s->drafted_tokens, 40);
    assert_int_equal(s->accepted_tokens, 24);
    assert_near("ratio", s->acceptance_ratio.value, 0.6);
    /* the interval of stats/test_share_of_groups */
    assert_true(fabs(s->low_ratio.value - 0.0751722359209) < 1e-9);
    assert_true(fabs(s->high_ratio.value - 0.980070643683) < 1e-9);
    assert_int_equal(r->got.doubts, 0);
    pp_arena_done(&r->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_run_obeys_littles_law),
        cmocka_unit_test(b037_prefill_is_not_generation),
        cmocka_unit_test(an_unsteady_run_is_marked),
        cmocka_unit_test(ramp_and_tail_are_outside_the_window),
        cmocka_unit_test(p95_of_eight_is_the_maximum),
        cmocka_unit_test(failures_stand_beside_every_percentile),
        cmocka_unit_test(b078_b092_b100_b102_what_is_not_there_is_absent),
        cmocka_unit_test(warmup_and_other_levels_are_left_out),
        cmocka_unit_test(b015_gathered_gaps_are_withheld),
        cmocka_unit_test(goodput_counts_requests_within_every_limit),
        cmocka_unit_test(overload_is_named),
        cmocka_unit_test(a_client_that_does_not_keep_the_schedule_says_so),
        cmocka_unit_test(doubts_withhold_verdicts),
        cmocka_unit_test(b103_b105_cold_is_shown_or_not),
        cmocka_unit_test(impossible_samples_are_refused),
        cmocka_unit_test(g39_accepted_drafts_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
