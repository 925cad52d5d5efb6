/* What an earlier attempt left: moved as a whole, and nothing else. */
#include <string.h>

#include "base/files.h"
#include "evidence/checksums.h"
#include "evidence/step_files.h"
#include "shared.h"
#include "study/context.h"

static void put(pp_study *study, const char *name, const char *text)
{
    const char *path = pp_path_join(study->arena, study->folder, name);
    pp_error err = {0};

    assert_ok(pp_study_ensure_folder(study, path, &err), err);
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
}

static void assert_files(const pp_study *study, const char *const *want, size_t n)
{
    const char *const *paths = NULL;
    size_t count = 0;
    pp_error err = {0};

    assert_ok(pp_bundle_list(study->arena, study->folder, &paths, &count, &err), err);
    for (size_t i = 0; i < n && i < count; i++)
        assert_string_equal(paths[i], want[i]);
    assert_int_equal(count, n);
}

static pp_study new_study(pp_arena *arena)
{
    static const pp_study_options options = {.plan_path = NULL};
    pp_study study = {.arena = arena, .options = &options};
    const pp_json *root = NULL;
    pp_error err = {0};

    assert_ok(pp_json_read_file(arena, fixture_path(arena, "study/plan.json"), NULL, &root, &err),
              err);
    assert_ok(pp_study_plan_decode(arena, root, &study.plan, &err), err);
    assert_ok(pp_study_steps_list(arena, &study.plan, &study.steps, &err), err);
    assert_ok(pp_step_log_init(arena, &study.steps, &study.log, &err), err);
    study.folder = make_temp_folder(arena);
    return study;
}

static size_t step_of(const pp_study *study, const char *id)
{
    size_t step = 0;

    assert_true(pp_study_steps_find(&study->steps, pp_text_of(id), &step));
    return step;
}

static void files_of_an_attempt_move_and_others_stay(void **state)
{
    static const char *const want[] = {
        "attempts/requests/b/pass-2/attempt-1/experiment/candidates/b/raw/requests-pass-2/"
        "measured-001.sse",
        "attempts/requests/b/pass-2/attempt-1/experiment/candidates/b/samples-pass-2.jsonl",
        "attempts/requests/b/pass-2/attempt-1/experiment/candidates/b/server-pass-2.stderr.log",
        "experiment/candidates/a/samples-pass-2.jsonl",
        "experiment/candidates/b/raw/pass-2.jsonl",
        "experiment/candidates/b/samples-pass-1.jsonl",
    };
    pp_arena arena = {0};
    pp_study study = new_study(&arena);
    size_t step = step_of(&study, "requests/b/pass-2");
    pp_error err = {0};

    (void)state;
    put(&study, "experiment/candidates/a/samples-pass-2.jsonl", "");
    put(&study, "experiment/candidates/b/samples-pass-1.jsonl", "");
    put(&study, "experiment/candidates/b/raw/pass-2.jsonl", "");
    put(&study, "experiment/candidates/b/samples-pass-2.jsonl", "");
    put(&study, "experiment/candidates/b/server-pass-2.stderr.log", "");
    put(&study, "experiment/candidates/b/raw/requests-pass-2/measured-001.sse", "");
    pp_step_log_begin(&study.log, step, 1, 0);
    assert_ok(pp_study_set_aside(&study, step, &err), err);
    assert_files(&study, want, PP_COUNT_OF(want));

    /* cut off in the middle, and what was not moved yet moves to the same place */
    put(&study, "experiment/candidates/b/resource-measurement-pass-2.json", "");
    assert_ok(pp_study_set_aside(&study, step, &err), err);
    assert_true(
        pp_path_exists(pp_path_join(&arena, study.folder,
                                    "attempts/requests/b/pass-2/attempt-1/experiment/candidates/b/"
                                    "resource-measurement-pass-2.json")));

    /* nothing is overwritten */
    put(&study, "experiment/candidates/b/samples-pass-2.jsonl", "");
    assert_int_equal(pp_study_set_aside(&study, step, &err), PP_ERR_EXISTS);
    remove_folder(study.folder);
    pp_arena_done(&arena);
}

static void only_temporary_names_of_ours_are_removed(void **state)
{
    static const char *const want[] = {
        "a.tmp", "attempts/x/b.1.tmp", "c.1.x.tmp", "d.1..tmp", "e.1.2.tmp.json",
    };
    pp_arena arena = {0};
    pp_study study = new_study(&arena);
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(want); i++)
        put(&study, want[i], "");
    put(&study, "status.json.123.0.tmp", "{");
    put(&study, "experiment/candidates/a/samples-pass-1.jsonl.9.12.tmp", "");
    assert_ok(pp_study_remove_temporaries(&study, &err), err);
    assert_files(&study, want, PP_COUNT_OF(want));
    remove_folder(study.folder);
    pp_arena_done(&arena);
}

/* The digest is that of FIPS 180-4 for "abc". */
static void recorded_files_are_compared_by_their_bytes(void **state)
{
    pp_arena arena = {0};
    pp_study study = new_study(&arena);
    const pp_study_step *step = &study.steps.items[step_of(&study, "throughput/a/pass-1")];
    pp_step_file *files = NULL;
    const pp_json *recorded;
    const char *changed = NULL;
    const char *path;
    size_t count = 0;
    pp_error err = {0};

    (void)state;
    put(&study, "experiment/candidates/a/raw/pass-1.jsonl", "abc");
    put(&study, "experiment/candidates/a/raw/pass-1.stderr.log", "");
    put(&study, "experiment/candidates/a/raw/pass-2.jsonl", "of another step");
    assert_ok(pp_step_files_seal(&arena, study.folder, &study.plan, step, &files, &count, &err),
              err);
    assert_int_equal(count, 2);
    assert_string_equal(files[0].path, "experiment/candidates/a/raw/pass-1.jsonl");
    assert_string_equal(files[0].sha256,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(files[0].size_bytes, 3);
    recorded = pp_step_files_encode(&arena, files, count);
    assert_ok(pp_step_files_compare(&arena, study.folder, recorded, &changed, &err), err);
    assert_null(changed);

    path = pp_path_join(&arena, study.folder, files[0].path);
    assert_ok(pp_file_replace(path, "abd", 3, &err), err);
    assert_ok(pp_step_files_compare(&arena, study.folder, recorded, &changed, &err), err);
    assert_string_equal(changed, files[0].path);
    assert_ok(pp_file_replace(path, "abc", 3, &err), err);
    assert_int_equal(remove(pp_path_join(&arena, study.folder, files[1].path)), 0);
    assert_ok(pp_step_files_compare(&arena, study.folder, recorded, &changed, &err), err);
    assert_string_equal(changed, files[1].path);
    remove_folder(study.folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_an_attempt_move_and_others_stay),
        cmocka_unit_test(only_temporary_names_of_ours_are_removed),
        cmocka_unit_test(recorded_files_are_compared_by_their_bytes),
    };

    return cmocka_run_group_tests_name("study/attempts", tests, NULL, NULL);
}
