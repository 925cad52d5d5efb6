/* Every answer of what_if.c and improvement.c against pp_decide on changed inputs: at the number
 * given the answer holds, at the double before it does not, and nowhere between it and the present
 * value does the choice change. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "decide/edge.h"
#include "decide/improvement.h"
#include "decide/what_if.h"
#include "shared.h"

#define N_METRICS 4
#define N_TRIALS  400

static const char *const metric_names[N_METRICS] = {"lat", "mem", "q", "tps"}; /* sorted */

typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    pp_what_if what_if;
    uint64_t random;
} scene;

static uint64_t draw(scene *s, uint64_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (s->random >> 33) % below;
}

/* Few different values, so that ties are common; some a hair's breadth apart. */
static double draw_value(scene *s)
{
    static const double hairs[] = {0.0, 0.0, 0.0, 0.5e-9, 0.9e-9, 1.1e-9, 3e-9};
    double value = (double)(10 + draw(s, 12));

    return value * (1.0 + hairs[draw(s, PP_COUNT_OF(hairs))]);
}

static void make_set(scene *s)
{
    size_t n = 2 + draw(s, 9);
    pp_error err = {0};

    s->set = (pp_benchmark_set){.candidate_count = n, .baseline_id = pp_text_of("c0")};
    s->set.candidates = PP_ARENA_NEW(&s->arena, pp_candidate, n);
    for (size_t i = 0; i < n; i++) {
        pp_candidate *c = &s->set.candidates[i];

        c->id = pp_text_of(pp_arena_printf(&s->arena, "c%zu", i));
        c->metrics = PP_ARENA_NEW(&s->arena, pp_metric, N_METRICS);
        c->metric_count = N_METRICS - (draw(s, 12) == 0 && i > 0);
        for (size_t j = 0; j < c->metric_count; j++)
            c->metrics[j] = (pp_metric){pp_text_of(metric_names[j]), draw_value(s)};
    }
    assert_ok(pp_benchmark_set_finish(&s->arena, &s->set, &err), err);
}

static void make_preferences(scene *s, pp_constraints *c)
{
    size_t n = s->set.candidate_count;

    c->preference_count = n;
    c->preference_order = PP_ARENA_NEW(&s->arena, pp_text, n);
    for (size_t i = 0; i < n; i++)
        c->preference_order[i] = s->set.candidates[i].id;
    for (size_t i = n; i > 1; i--) {
        size_t other = draw(s, i);
        pp_text swap = c->preference_order[i - 1];

        c->preference_order[i - 1] = c->preference_order[other];
        c->preference_order[other] = swap;
    }
}

static void make_constraints(scene *s)
{
    static const pp_direction directions[N_METRICS] = {PP_DIRECTION_MIN, PP_DIRECTION_MIN,
                                                       PP_DIRECTION_MAX, PP_DIRECTION_MAX};
    static const double tolerances[] = {0.0, 1.0, 7.5, 25.0};
    pp_constraints *c = &s->constraints;

    *c = (pp_constraints){.quality_metric = pp_text_of("q")};
    c->min_quality_retention = 0.5 + 0.05 * (double)draw(s, 10);
    c->frontier_metric_count = 1 + draw(s, N_METRICS);
    c->frontier_metrics = PP_ARENA_NEW(&s->arena, pp_goal, N_METRICS);
    for (size_t i = 0; i < N_METRICS; i++)
        c->frontier_metrics[i] = (pp_goal){pp_text_of(metric_names[i]), directions[i]};
    c->objective = c->frontier_metrics[draw(s, c->frontier_metric_count)];
    c->objective_tolerance_percent = tolerances[draw(s, PP_COUNT_OF(tolerances))];
    c->max_value_count = draw(s, 3);
    c->max_values = PP_ARENA_NEW(&s->arena, pp_limit, 2);
    c->max_values[0] = (pp_limit){pp_text_of("mem"), draw_value(s) + 3};
    c->max_values[1] = (pp_limit){pp_text_of("lat"), draw_value(s) + 3};
    c->min_value_count = draw(s, 2);
    c->min_values = PP_ARENA_NEW(&s->arena, pp_limit, 1);
    c->min_values[0] = (pp_limit){pp_text_of("tps"), draw_value(s) - 3};
    if (draw(s, 2) == 0)
        make_preferences(s, c);
}

/* Who is selected with these constraints. */
static size_t winner_of(const scene *s, const pp_constraints *c)
{
    pp_arena arena = {0};
    pp_decision d;
    pp_error err = {0};
    size_t winner;

    assert_ok(pp_decide(&arena, &s->set, c, &d, &err), err);
    winner = d.has_winner ? d.selected : PP_NOT_FOUND;
    pp_arena_done(&arena);
    return winner;
}

static size_t winner_at_limit(const scene *s, size_t number, double limit)
{
    pp_constraints c = s->constraints;
    const pp_limit_change *change = &s->what_if.limits[number];
    pp_limit max_values[2] = {c.max_values[0], c.max_values[1]};
    pp_limit min_value = c.min_values[0];

    if (change->kind == PP_LIMIT_QUALITY_RETENTION)
        c.min_quality_retention = limit;
    else if (change->kind == PP_LIMIT_MINIMUM)
        min_value.value = limit;
    else
        max_values[pp_text_equal(change->metric, max_values[1].metric)].value = limit;
    c.max_values = max_values;
    c.min_values = &min_value;
    return winner_of(s, &c);
}

/* ---- limits -------------------------------------------------------------------------------- */

static bool lies_between(double x, double from, double to)
{
    return (x > from && x < to) || (x < from && x > to);
}

/* The choice stays at every number between the two where a candidate could come or go. */
static void check_nothing_between(const scene *s, size_t number, double from, double to,
                                  size_t winner)
{
    static const double offsets[] = {-1e-2, -3e-9, -1e-9, -0.5e-9, 0.0, 0.5e-9, 1e-9, 3e-9, 1e-2};
    const pp_limit_change *change = &s->what_if.limits[number];
    double quality = s->set.candidates[0].metrics[2].value;

    for (size_t i = 0; i < s->set.candidate_count; i++) {
        const double *value = pp_candidate_find_metric(&s->set.candidates[i], change->metric);

        for (size_t j = 0; value != NULL && j < PP_COUNT_OF(offsets); j++) {
            double x = *value * (1.0 + offsets[j]);

            if (change->kind == PP_LIMIT_QUALITY_RETENTION)
                x /= quality;
            if (lies_between(x, from, to) && winner_at_limit(s, number, x) != winner)
                fail_msg("%s of %s: at %.17g another is selected", pp_limit_kind_name(change->kind),
                         change->metric.data, x);
        }
    }
}

static void check_turn(const scene *s, size_t number, const pp_limit_turn *turn, double furthest,
                       size_t *count)
{
    double limit = s->what_if.limits[number].limit;
    size_t winner = s->decision.has_winner ? s->decision.selected : PP_NOT_FOUND;

    check_nothing_between(s, number, limit, turn->exists ? turn->limit : furthest, winner);
    if (!turn->exists)
        return;
    ++*count;
    assert_true(turn->selected != winner);
    assert_int_equal(winner_at_limit(s, number, turn->limit), turn->selected);
    assert_int_equal(winner_at_limit(s, number, nextafter(turn->limit, limit)), winner);
}

static void check_limits(const scene *s, size_t *looser, size_t *tighter)
{
    for (size_t i = 0; i < s->what_if.limit_count; i++) {
        const pp_limit_change *change = &s->what_if.limits[i];
        bool is_max = change->kind == PP_LIMIT_MAXIMUM;
        bool is_ratio = change->kind == PP_LIMIT_QUALITY_RETENTION;

        check_turn(s, i, &change->looser, is_ratio ? 0.0 : is_max ? 1e9 : -1e9, looser);
        if (s->decision.has_winner)
            check_turn(s, i, &change->tighter, is_ratio ? 1.0 : is_max ? -1e9 : 1e9, tighter);
        else
            assert_false(change->tighter.exists);
    }
}

/* ---- tolerance and objective --------------------------------------------------------------- */

static size_t winner_at_tolerance(const scene *s, double percent)
{
    pp_constraints c = s->constraints;

    c.objective_tolerance_percent = percent;
    return winner_of(s, &c);
}

static void check_tolerance(const scene *s, size_t *turns)
{
    const pp_what_if *w = &s->what_if;

    assert_true(w->step_count > 0 && w->steps[0].from_percent == 0.0);
    for (size_t i = 0; i < w->step_count; i++) {
        double from = w->steps[i].from_percent;
        double to = i + 1 < w->step_count ? w->steps[i + 1].from_percent : 100.0;

        for (int j = 0; j <= 20; j++) {
            double at = from + (to - from) * j / 20.0;

            if (i + 1 == w->step_count || at < to)
                assert_int_equal(winner_at_tolerance(s, at), w->steps[i].selected);
        }
        if (i > 0) {
            ++*turns;
            assert_int_equal(winner_at_tolerance(s, nextafter(from, 0.0)),
                             w->steps[i - 1].selected);
        }
    }
}

static void check_objectives(const scene *s)
{
    assert_int_equal(s->what_if.objective_count, s->constraints.frontier_metric_count - 1);
    for (size_t i = 0; i < s->what_if.objective_count; i++) {
        const pp_objective_change *change = &s->what_if.objectives[i];
        pp_constraints c = s->constraints;

        c.objective = change->objective;
        assert_int_equal(winner_of(s, &c), change->selected);
        c.objective_tolerance_percent = 0.0;
        c.preference_count = 0;
        assert_int_equal(winner_of(s, &c), change->best);
    }
}

static void each_answer_is_what_a_new_decision_says(void **state)
{
    size_t looser = 0, tighter = 0, turns = 0, without = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_TRIALS; seed++) {
        scene s = {.random = seed * 7919};
        pp_error err = {0};

        make_set(&s);
        make_constraints(&s);
        assert_ok(pp_decide(&s.arena, &s.set, &s.constraints, &s.decision, &err), err);
        assert_ok(pp_what_if_find(&s.arena, &s.decision, &s.what_if, &err), err);
        check_limits(&s, &looser, &tighter);
        if (s.decision.has_winner) {
            check_tolerance(&s, &turns);
            check_objectives(&s);
        } else {
            without++;
            assert_int_equal(s.what_if.step_count + s.what_if.objective_count, 0);
        }
        pp_arena_done(&s.arena);
    }
    print_message("# looser %zu, tighter %zu, tolerance %zu, without a winner %zu\n", looser,
                  tighter, turns, without);
    assert_true(looser > 50 && tighter > 200 && turns > 50 && without > 5);
}

static pp_status find_all(const void *context, pp_error *err)
{
    const scene *s = context;
    pp_arena arena = {0};
    pp_what_if w;
    pp_improvement *rows;
    pp_status st = pp_what_if_find(&arena, &s->decision, &w, err);

    if (st == PP_OK)
        st = pp_improvements_find(&arena, &s->decision, &rows, err);
    pp_arena_done(&arena);
    return st;
}

/* An answer that was cut short would look like any other: each refused allocation must be said. */
static void short_memory_is_a_failure_and_no_answer(void **state)
{
    scene s = {.random = 7919 * 3};
    pp_error err = {0};

    (void)state;
    make_set(&s);
    make_constraints(&s);
    assert_ok(pp_decide(&s.arena, &s.set, &s.constraints, &s.decision, &err), err);
    assert_true(check_missing_memory(find_all, &s) > 20);
    pp_arena_done(&s.arena);
}

/* ---- improvement --------------------------------------------------------------------------- */

/* The candidate with another value of one metric. */
static pp_standing standing_with(const scene *s, size_t candidate, pp_text metric, double value)
{
    pp_candidate *c = &s->set.candidates[candidate];
    double *place = (double *)pp_candidate_find_metric(c, metric);
    double before = *place;
    pp_arena arena = {0};
    pp_decision d;
    pp_error err = {0};
    pp_standing standing;

    *place = value;
    assert_ok(pp_decide(&arena, &s->set, &s->constraints, &d, &err), err);
    *place = before;
    standing = d.verdicts[candidate].standing;
    pp_arena_done(&arena);
    return standing;
}

static void check_improvement(const scene *s, size_t candidate, const pp_improvement *best)
{
    const pp_constraints *c = &s->constraints;
    double now = *pp_candidate_find_metric(&s->set.candidates[candidate], best->metric);

    assert_true(best->change == best->value - now);
    assert_true(standing_with(s, candidate, best->metric, best->value) >= PP_STANDING_FRONTIER);
    assert_true(standing_with(s, candidate, best->metric, nextafter(best->value, now)) ==
                PP_STANDING_DOMINATED);
    for (size_t i = 0; i < c->frontier_metric_count; i++) { /* no other metric does with less */
        pp_text metric = c->frontier_metrics[i].metric;
        double value = *pp_candidate_find_metric(&s->set.candidates[candidate], metric);
        double less = fabs(value) * fabs(best->change_percent) / 100.0 * (1 - 1e-4);

        if (c->frontier_metrics[i].direction == PP_DIRECTION_MIN)
            less = -less;
        if (candidate == s->set.baseline_index && pp_text_is(metric, "q"))
            continue;
        if (standing_with(s, candidate, metric, value + less) != PP_STANDING_DOMINATED)
            fail_msg("%s to %.17g (%.17g %%) does it, with less than %s to %.17g (%.17g %%)",
                     metric.data, value + less, less / value * 100, best->metric.data, best->value,
                     best->change_percent);
    }
}

static void an_improvement_is_the_smallest_that_reaches_the_frontier(void **state)
{
    size_t found = 0, none = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_TRIALS; seed++) {
        scene s = {.random = seed * 104729};
        pp_improvement *rows;
        pp_error err = {0};

        make_set(&s);
        make_constraints(&s);
        assert_ok(pp_decide(&s.arena, &s.set, &s.constraints, &s.decision, &err), err);
        assert_ok(pp_improvements_find(&s.arena, &s.decision, &rows, &err), err);
        for (size_t i = 0; i < s.set.candidate_count; i++) {
            bool dominated =
                s.decision.has_winner && s.decision.verdicts[i].standing == PP_STANDING_DOMINATED;

            assert_true(dominated || !rows[i].exists);
            if (rows[i].exists && s.decision.dominance == PP_DOMINANCE_TOLERANT)
                check_improvement(&s, i, &rows[i]);
            found += rows[i].exists;
            none += dominated && !rows[i].exists;
        }
        pp_arena_done(&s.arena);
    }
    print_message("# found %zu, none %zu\n", found, none);
    assert_true(found > 300 && none * 20 < found);
}

/* ---- edge ---------------------------------------------------------------------------------- */

static bool is_at_least(const void *context, double x)
{
    return x >= *(const double *)context;
}

static bool is_at_most(const void *context, double x)
{
    return x <= *(const double *)context;
}

static void an_edge_is_found_to_the_last_bit(void **state)
{
    static const double edges[] = {-DBL_MAX, -1e300, -3.5, -DBL_TRUE_MIN, DBL_TRUE_MIN,
                                   1e-9,     0.1,    1.0,  1900.0,        1e300};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(edges); i++) {
        if (edges[i] > -DBL_MAX)
            assert_true(pp_edge_find(is_at_least, &edges[i], -DBL_MAX, DBL_MAX) == edges[i]);
        assert_true(pp_edge_find(is_at_most, &edges[i], DBL_MAX, -DBL_MAX) == edges[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_is_found_to_the_last_bit),
        cmocka_unit_test(each_answer_is_what_a_new_decision_says),
        cmocka_unit_test(short_memory_is_a_failure_and_no_answer),
        cmocka_unit_test(an_improvement_is_the_smallest_that_reaches_the_frontier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
