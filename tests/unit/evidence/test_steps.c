/* Steps of tests/fixtures/study/plan.json: three candidates, two passes. */
#include <string.h>

#include "evidence/steps.h"
#include "shared.h"

static pp_study_steps steps_of(pp_arena *arena, pp_study_plan *plan)
{
    const pp_json *root = NULL;
    pp_study_steps steps = {0};
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, "study/plan.json"), NULL, &root, &err),
              err);
    assert_ok(pp_study_plan_decode(arena, root, plan, &err), err);
    assert_ok(pp_study_steps_list(arena, plan, &steps, &err), err);
    return steps;
}

static void steps_stand_in_the_order_in_which_they_are_carried_out(void **state)
{
    static const char *const want[] = {
        "verify",
        "preflight/a",
        "preflight/b",
        "preflight/c",
        "throughput/a/pass-1",
        "throughput/b/pass-1",
        "throughput/c/pass-1",
        "throughput/c/pass-2",
        "throughput/b/pass-2",
        "throughput/a/pass-2",
        "requests/a/pass-1",
        "requests/b/pass-1",
        "requests/c/pass-1",
        "requests/c/pass-2",
        "requests/b/pass-2",
        "requests/a/pass-2",
        "assemble",
    };
    pp_arena arena = {0};
    pp_study_plan plan;
    pp_study_steps steps = steps_of(&arena, &plan);

    (void)state;
    assert_int_equal(steps.count, PP_COUNT_OF(want));
    for (size_t i = 0; i < PP_COUNT_OF(want); i++) {
        size_t found = 0;

        assert_string_equal(steps.items[i].id, want[i]);
        assert_true(pp_study_steps_find(&steps, pp_text_of(want[i]), &found));
        assert_int_equal(found, i);
    }
    assert_false(pp_study_steps_find(&steps, pp_text_of("requests/d/pass-1"), &(size_t){0}));
    pp_arena_done(&arena);
}

static void a_block_is_one_phase_in_one_pass(void **state)
{
    static const struct {
        const char *id;
        size_t first, count;
        bool repeats;
    } want[] = {
        {"verify", 0, 1, false},           {"preflight", 1, 3, false},
        {"throughput/pass-1", 4, 3, true}, {"throughput/pass-2", 7, 3, true},
        {"requests/pass-1", 10, 3, true},  {"requests/pass-2", 13, 3, true},
        {"assemble", 16, 1, false},
    };
    pp_arena arena = {0};
    pp_study_plan plan;
    pp_study_steps steps = steps_of(&arena, &plan);

    (void)state;
    assert_int_equal(steps.block_count, PP_COUNT_OF(want));
    for (size_t i = 0; i < PP_COUNT_OF(want); i++) {
        const pp_study_block *block = &steps.blocks[i];

        assert_string_equal(block->id, want[i].id);
        assert_int_equal(block->first, want[i].first);
        assert_int_equal(block->count, want[i].count);
        assert_int_equal(block->repeats, want[i].repeats);
        for (size_t j = 0; j < block->count; j++)
            assert_int_equal(steps.items[block->first + j].block, i);
    }
    pp_arena_done(&arena);
}

static pp_status list(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_study_steps steps;
    pp_status st = pp_study_steps_list(&arena, context, &steps, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error(void **state)
{
    pp_arena arena = {0};
    pp_study_plan plan;

    (void)state;
    (void)steps_of(&arena, &plan);
    assert_true(check_missing_memory(list, &plan) > 0);
    pp_arena_done(&arena);
}

/* Version 2.0: phases that are null have no steps, a line that is not given none of llama-bench,
 * and the load comes once for each, in document order. */
static void phases_of_version_2_follow_from_the_plan(void **state)
{
    static const char *const want[] = {"preflight/a", "preflight/b", "throughput/a/pass-1",
                                       "load/a",      "load/b",      "assemble"};
    pp_text word = pp_text_of("x");
    pp_plan_candidate candidates[] = {
        {.id = pp_text_of("a"),
         .kind = PP_CANDIDATE_VERBATIM,
         .throughput_argv = {.words = &word, .count = 1}},
        {.id = pp_text_of("b"), .kind = PP_CANDIDATE_ENDPOINT},
    };
    const pp_study_plan plan = {
        .schema = 2,
        .candidates = candidates,
        .candidate_count = 2,
        .passes = 1,
        .has_throughput = true,
        .load = {.present = true},
    };
    pp_arena arena = {0};
    pp_study_steps steps;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_study_steps_list(&arena, &plan, &steps, &err), err);
    assert_int_equal(steps.count, PP_COUNT_OF(want) + 1);
    for (size_t i = 0; i < PP_COUNT_OF(want); i++)
        assert_string_equal(steps.items[i + 1].id, want[i]);
    assert_int_equal(steps.blocks[3].count, 2);
    assert_true(steps.blocks[3].repeats);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_stand_in_the_order_in_which_they_are_carried_out),
        cmocka_unit_test(a_block_is_one_phase_in_one_pass),
        cmocka_unit_test(missing_memory_is_an_error),
        cmocka_unit_test(phases_of_version_2_follow_from_the_plan),
    };

    return cmocka_run_group_tests_name("evidence/steps", tests, NULL, NULL);
}
