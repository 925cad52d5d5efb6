#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "model/study_plan.h"
#include "shared.h"

static pp_status decode_changed(pp_arena *arena, const char *find, const char *with,
                                pp_study_plan *ret_plan, pp_error *err)
{
    const char *text = changed_text(arena, fixture_text(arena, "study/plan.json"), find, with);
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "plan.json", text, strlen(text), &root, err);

    return st == PP_OK ? pp_study_plan_decode(arena, root, ret_plan, err) : st;
}

static void a_plan_is_read_with_the_settings_of_each_candidate(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;

    (void)state;
    assert_ok(decode_changed(&arena, "Two", "Three", &plan, &err), err);
    assert_int_equal(plan.candidate_count, 3);
    assert_int_equal(plan.candidates[0].settings.ubatch_size, 32);
    assert_int_equal(plan.candidates[1].settings.ubatch_size, 64);
    assert_false(plan.candidates[1].settings.repack);
    assert_int_equal(plan.candidates[2].settings.threads, 1);
    assert_int_equal(plan.candidates[2].settings.threads_batch, 2);
    assert_int_equal(plan.engines[0].markers.required_count, 1);
    assert_true(plan.constraints.quality_not_measurable);
    pp_arena_done(&arena);
}

static void even_passes_run_in_reverse(void **state)
{
    static const size_t expected[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 1, 2}};
    const pp_study_plan plan = {.candidate_count = 3};

    (void)state;
    for (int64_t pass = 1; pass <= 3; pass++) {
        for (size_t position = 0; position < 3; position++)
            assert_int_equal(pp_study_plan_order(&plan, pass, position),
                             expected[pass - 1][position]);
    }
}

static const struct {
    const char *name;
    const char *find, *with;
    const char *want;
} refused[] = {
    {"unknown key", "\"passes\": 2,", "\"passes\": 2, \"colour\": 1,", "$: unknown key 'colour'"},
    {"missing key", "\"settle_ms\": 0,", "", "$: required key 'settle_ms' is missing"},
    {"unknown setting", "\"threads\": 1}", "\"thread\": 1}",
     "$.candidates[2].settings: unknown key 'thread'"},
    {"missing setting", "\"poll\": 50,", "", "$.settings: required key 'poll' is missing"},
    {"setting out of range", "\"threads\": 1}", "\"threads\": 0}",
     "$.candidates[2].settings.threads: expected an integer from 1 to 4096, got 0"},
    {"word unknown to llama.cpp", "\"load_mode\": \"mmap\"", "\"load_mode\": \"map\"",
     "$.settings.load_mode: expected one of \"auto\", \"none\", \"mmap\", \"mlock\", "
     "\"mmap+mlock\", \"dio\", got \"map\""},
    {"micro-batch above batch", "\"ubatch_size\": 64", "\"ubatch_size\": 65",
     "ubatch_size 65: expected at most batch_size 64"},
    {"answer that does not fit (B129)", "\"output_tokens\": 8", "\"output_tokens\": 241",
     "$.candidates[0]: a slot has 256 tokens of context; prompt and answer need 257"},
    {"baseline nobody has", "\"baseline_id\": \"a\"", "\"baseline_id\": \"z\"",
     "$.baseline_id: expected the id of an item of $.candidates, got 'z'"},
    {"model nobody has", "\"label\": \"A\", \"model\": \"m\"", "\"label\": \"A\", \"model\": \"n\"",
     "$.candidates[0].model: expected the id of an item of $.models, got 'n'"},
    {"id that leaves its folder", "\"id\": \"b\"", "\"id\": \"../b\"",
     "$.candidates[1].id: expected"},
    {"id used twice", "\"id\": \"b\"", "\"id\": \"a\"", "the id 'a' is used twice"},
    {"digest in capitals", "0123456789abcdef0123", "0123456789ABCDEF0123",
     "$.models[0].sha256: expected 64 lower-case hexadecimal digits"},
    {"integer as text", "\"passes\": 2", "\"passes\": \"2\"",
     "$.passes: expected an integer, got string"},
    {"preference of a stranger", "[\"a\", \"b\", \"c\"]", "[\"a\", \"b\", \"d\"]",
     "preference_order[2]: expected the id of a candidate, got 'd'"},
    {"preference of some", "[\"a\", \"b\", \"c\"]", "[\"a\", \"b\"]",
     "expected all 3 candidates or none, got 2"},
    {"limits inside out", "\"direction\": \"min\"", "\"direction\": \"max\"", "$.constraints"},
    {"no noise limit", "\"foreign_cpu_percent\": 5", "\"foreign_cpu_percent\": 0",
     "$.noise_limits.foreign_cpu_percent: expected more than 0"},
};

static void a_plan_that_leaves_anything_open_is_refused_by_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_study_plan plan;

        if (decode_changed(&arena, refused[i].find, refused[i].with, &plan, &err) == PP_OK)
            fail_msg("%s: accepted", refused[i].name);
        assert_contains(err.text, refused[i].want);
        pp_arena_done(&arena);
    }
}

static void settings_survive_a_round_trip(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_study_plan plan;
    pp_settings again;

    (void)state;
    assert_ok(decode_changed(&arena, "Two", "2", &plan, &err), err);
    assert_ok(pp_settings_decode(pp_settings_encode(&arena, &plan.candidates[1].settings), NULL,
                                 &again, &err),
              err);
    assert_true(pp_json_equal(pp_settings_encode(&arena, &again),
                              pp_settings_encode(&arena, &plan.candidates[1].settings)));
    pp_arena_done(&arena);
}

static pp_status decode_root(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_study_plan plan;
    pp_status st = pp_study_plan_decode(&arena, context, &plan, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error_and_not_a_crash(void **state)
{
    pp_arena document = {0};
    pp_error err = {0};
    const pp_json *root;

    (void)state;
    assert_ok(
        pp_json_read_file(&document, fixture_path(&document, "study/plan.json"), NULL, &root, &err),
        err);
    assert_true(check_missing_memory(decode_root, root) > 0);
    pp_arena_done(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_read_with_the_settings_of_each_candidate),
        cmocka_unit_test(even_passes_run_in_reverse),
        cmocka_unit_test(a_plan_that_leaves_anything_open_is_refused_by_path),
        cmocka_unit_test(settings_survive_a_round_trip),
        cmocka_unit_test(missing_memory_is_an_error_and_not_a_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
