#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/new_folder.h"
#include "shared.h"

static void all_files_appear_together(void **state)
{
    pp_arena arena = {0};
    const char *root = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, root, "a/b/");
    pp_new_folder folder;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_new_folder_open(&arena, path, &folder, &err), err);
    assert_ok(pp_new_folder_write(&arena, &folder, "one.txt", "1", 1, &err), err);
    assert_ok(pp_new_folder_write(&arena, &folder, "deep/er/two.txt", "22", 2, &err), err);
    assert_false(pp_path_exists(path));
    assert_ok(pp_new_folder_commit(&folder, &err), err);
    assert_true(pp_path_exists(pp_path_join(&arena, root, "a/b/one.txt")));
    assert_true(pp_path_exists(pp_path_join(&arena, root, "a/b/deep/er/two.txt")));
    pp_new_folder_abandon(&folder); /* nothing happens */
    assert_true(pp_path_exists(path));
    remove_folder(root);
    pp_arena_done(&arena);
}

static void an_abandoned_one_leaves_nothing(void **state)
{
    pp_arena arena = {0};
    const char *root = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, root, "x");
    pp_new_folder folder;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_new_folder_open(&arena, path, &folder, &err), err);
    assert_ok(pp_new_folder_write(&arena, &folder, "one.txt", "1", 1, &err), err);
    pp_new_folder_abandon(&folder);
    assert_int_equal(rmdir(root), 0); /* it was empty */
    pp_arena_done(&arena);
}

static void only_what_is_free_or_empty_is_taken(void **state)
{
    static const struct {
        const char *path;
        pp_status want;
    } rows[] = {
        {"free", PP_OK},          {"empty", PP_OK},
        {"empty///", PP_OK},      {"full", PP_ERR_EXISTS},
        {"file", PP_ERR_EXISTS},  {"link", PP_ERR_EXISTS},
        {"link/", PP_ERR_EXISTS}, {"dangling", PP_ERR_EXISTS},
        {".", PP_ERR_USAGE},      {"empty/..", PP_ERR_USAGE},
        {"", PP_ERR_USAGE},
    };
    pp_arena arena = {0};
    const char *root = make_temp_folder(&arena);
    pp_error err = {0};

    (void)state;
    assert_int_equal(chdir(root), 0);
    assert_ok(pp_folder_create("empty", false, &err), err);
    assert_ok(pp_folder_create("full", false, &err), err);
    assert_ok(pp_file_write_new("full/f", "", 0, &err), err);
    assert_ok(pp_file_write_new("file", "", 0, &err), err);
    assert_int_equal(symlink("empty", "link"), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_error why = {0};
        pp_status st = pp_new_folder_check(rows[i].path, &why);

        if (st != rows[i].want)
            fail_msg("'%s': %s: %s", rows[i].path, pp_status_name(st), why.text);
    }
    assert_int_equal(chdir("/"), 0);
    remove_folder(root);
    pp_arena_done(&arena);
}

static void what_appears_meanwhile_is_not_replaced(void **state)
{
    pp_arena arena = {0};
    const char *root = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, root, "x");
    pp_new_folder folder;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_new_folder_open(&arena, path, &folder, &err), err);
    assert_ok(pp_folder_create(path, false, &err), err);
    assert_ok(pp_file_write_new(pp_path_join(&arena, path, "theirs"), "", 0, &err), err);
    assert_int_equal(pp_new_folder_commit(&folder, &err), PP_ERR_EXISTS);
    assert_true(pp_path_exists(pp_path_join(&arena, path, "theirs")));
    remove_folder(path);
    assert_int_equal(rmdir(root), 0); /* nothing of ours is left */
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_files_appear_together),
        cmocka_unit_test(an_abandoned_one_leaves_nothing),
        cmocka_unit_test(only_what_is_free_or_empty_is_taken),
        cmocka_unit_test(what_appears_meanwhile_is_not_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
