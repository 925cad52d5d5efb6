#include "shared.h"

#include <math.h>

#include "report/crossover.h"

/* Two or three candidates with a prompt and a generation speed; 0: not measured. */
typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
} scene;

static void make_scene(scene *s, const double (*speeds)[2], size_t count)
{
    static const char limits[] =
        "{\"schema_version\":\"2.0\",\"quality\":\"not-measurable\",\"max_values\":{},"
        "\"min_values\":{\"generation_tps\":1},\"objective\":{\"metric\":\"generation_tps\","
        "\"direction\":\"max\"},\"frontier_metrics\":{\"generation_tps\":\"max\"},"
        "\"objective_tolerance_percent\":0}";
    const pp_json *root;
    pp_error err = {0};

    *s = (scene){.set = {.candidate_count = count, .synthetic = true}};
    s->set.candidates = PP_ARENA_NEW(&s->arena, pp_candidate, count);
    for (size_t i = 0; i < count; i++) {
        pp_candidate *c = &s->set.candidates[i];

        c->id = pp_text_of(pp_arena_printf(&s->arena, "c%zu", i));
        c->metrics = PP_ARENA_NEW(&s->arena, pp_metric, 2);
        c->metrics[c->metric_count++] = (pp_metric){pp_text_of("generation_tps"), speeds[i][1]};
        if (speeds[i][0] > 0.0)
            c->metrics[c->metric_count++] = (pp_metric){pp_text_of("prompt_tps"), speeds[i][0]};
    }
    s->set.baseline_id = s->set.candidates[0].id;
    assert_ok(pp_benchmark_set_finish(&s->arena, &s->set, &err), err);
    assert_ok(pp_json_parse(&s->arena, "limits", limits, sizeof limits - 1, &root, &err), err);
    assert_ok(pp_constraints_decode(&s->arena, root, &s->constraints, &err), err);
    assert_ok(pp_decide(&s->arena, &s->set, &s->constraints, &s->decision, &err), err);
}

/* Expected: 1000/p and 1000/g are round numbers, so the ratio is one of small integers. */
static void the_ratio_follows_from_the_speeds(void **state)
{
    static const struct {
        const char *name;
        double speeds[3][2];
        size_t count;
        pp_crossover_state state;
        size_t generator, reader, third;
        double saving_ms, loss_ms, ratio;
    } rows[] = {
        /* 10 ms and 20 ms against 5 ms and 25 ms a token */
        {"two", {{100, 50}, {200, 40}}, 2, PP_CROSSOVER_FOUND, 0, 1, PP_NOT_FOUND, 5, 5, 1},
        {"other order", {{200, 40}, {100, 50}}, 2, PP_CROSSOVER_FOUND, 1, 0, PP_NOT_FOUND, 5, 5, 1},
        /* 4 ms and 28 ms: the ratio is (10 - 4) / (28 - 20) */
        {"not one",
         {{100, 50}, {250, 1000 / 28.0}},
         2,
         PP_CROSSOVER_FOUND,
         0,
         1,
         PP_NOT_FOUND,
         6,
         8,
         0.75},
        /* at 1: 30 and 30 ms; the third takes 6.25 + 21 */
        {"a third is faster between",
         {{100, 50}, {200, 40}, {160, 1000 / 21.0}},
         3,
         PP_CROSSOVER_FOUND,
         0,
         1,
         2,
         5,
         5,
         1},
        {"a third is slower between",
         {{100, 50}, {200, 40}, {125, 1000 / 24.0}},
         3,
         PP_CROSSOVER_FOUND,
         0,
         1,
         PP_NOT_FOUND,
         5,
         5,
         1},
        {"best in both",
         {{200, 50}, {100, 40}},
         2,
         PP_CROSSOVER_BEST_IN_BOTH,
         0,
         0,
         PP_NOT_FOUND,
         0,
         0,
         0},
        {"equal prompts",
         {{100, 50}, {100, 40}},
         2,
         PP_CROSSOVER_BEST_IN_BOTH,
         0,
         0,
         PP_NOT_FOUND,
         0,
         0,
         0},
        {"no prompt speed",
         {{0, 50}, {0, 40}},
         2,
         PP_CROSSOVER_NOT_MEASURED,
         0,
         0,
         PP_NOT_FOUND,
         0,
         0,
         0},
        {"only one has both",
         {{0, 50}, {100, 40}},
         2,
         PP_CROSSOVER_BEST_IN_BOTH,
         1,
         1,
         PP_NOT_FOUND,
         0,
         0,
         0},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        scene s;
        pp_crossover c;

        make_scene(&s, rows[i].speeds, rows[i].count);
        c = pp_crossover_of(&s.decision);
        if (c.state != rows[i].state || c.generator != rows[i].generator ||
            c.reader != rows[i].reader || c.third != rows[i].third)
            fail_msg("%s: state %d, generator %zu, reader %zu, third %zu", rows[i].name, c.state,
                     c.generator, c.reader, c.third);
        if (c.state == PP_CROSSOVER_FOUND &&
            (fabs(c.saving_ms - rows[i].saving_ms) > 1e-9 ||
             fabs(c.loss_ms - rows[i].loss_ms) > 1e-9 || fabs(c.ratio - rows[i].ratio) > 1e-9))
            fail_msg("%s: saving %.17g, loss %.17g, ratio %.17g", rows[i].name, c.saving_ms,
                     c.loss_ms, c.ratio);
        pp_arena_done(&s.arena);
    }
}

/* Whoever violates a limit is no choice, however fast. */
static void the_rejected_take_no_part(void **state)
{
    static const double speeds[][2] = {{100, 50}, {9000, 0.5}};
    scene s;

    (void)state;
    make_scene(&s, speeds, 2);
    assert_int_equal(s.decision.eligible.count, 1);
    assert_int_equal(pp_crossover_of(&s.decision).state, PP_CROSSOVER_BEST_IN_BOTH);
    pp_arena_done(&s.arena);
}

/* Either side of the ratio: the time of a request, worked out from the speeds alone. */
static void the_ratio_is_where_the_times_are_equal(void **state)
{
    static const double speeds[][2] = {{102.6185, 38.72645}, {131.4565, 35.0959}};
    scene s;
    pp_crossover c;

    (void)state;
    make_scene(&s, speeds, 2);
    c = pp_crossover_of(&s.decision);
    assert_true(fabs(c.saving_ms - 2.1378) < 5e-5); /* the published figures, worked by hand */
    assert_true(fabs(c.loss_ms - 2.6712) < 5e-5);
    assert_true(fabs(c.ratio - 0.800) < 5e-4);
    for (int prompt = 1; prompt <= 4000; prompt += 37) {
        for (int output = 1; output <= 4000; output += 41) {
            double generator = prompt / speeds[0][0] + output / speeds[0][1];
            double reader = prompt / speeds[1][0] + output / speeds[1][1];

            assert_int_equal(reader < generator, output < c.ratio * prompt);
        }
    }
    pp_arena_done(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ratio_follows_from_the_speeds),
        cmocka_unit_test(the_rejected_take_no_part),
        cmocka_unit_test(the_ratio_is_where_the_times_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
