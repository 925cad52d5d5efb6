#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "shared.h"

static void assert_file_holds(const char *path, const char *text)
{
    pp_error err = {0};
    pp_buf buf;

    pp_buf_init(&buf, 1000);
    assert_ok(pp_file_read(path, &buf, &err), err);
    assert_string_equal(pp_buf_text(&buf), text);
    pp_buf_done(&buf);
}

static void a_new_file_never_replaces_and_leaves_no_trace(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "a");
    pp_new_file file = {0};

    (void)state;
    assert_ok(pp_file_write_new(path, "one", 3, &err), err);
    assert_int_equal(pp_file_write_new(path, "two", 3, &err), PP_ERR_EXISTS);
    assert_file_holds(path, "one");
    assert_ok(pp_file_replace(path, "three", 5, &err), err);
    assert_file_holds(path, "three");
    /* a file that appears while ours is being written stays as it is */
    assert_ok(pp_new_file_open(pp_path_join(&arena, folder, "b"), &file, &err), err);
    assert_ok(pp_file_write_new(pp_path_join(&arena, folder, "b"), "theirs", 6, &err), err);
    assert_int_equal(pp_new_file_commit(&file, &err), PP_ERR_EXISTS);
    assert_file_holds(pp_path_join(&arena, folder, "b"), "theirs");
    assert_ok(pp_new_file_open(pp_path_join(&arena, folder, "c"), &file, &err), err);
    pp_new_file_abandon(&file);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(pp_path_join(&arena, folder, "b")), 0);
    assert_int_equal(rmdir(folder), 0); /* fails if a temporary file was left */
    pp_arena_done(&arena);
}

static void reading_names_the_path_and_the_ceiling(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "a");
    pp_buf buf;

    (void)state;
    pp_buf_init(&buf, 4);
    assert_int_equal(pp_file_read(path, &buf, &err), PP_ERR_IO);
    assert_contains(err.text, "/a': No such file or directory");
    assert_int_equal(pp_file_read(folder, &buf, &err), PP_ERR_IO);
    assert_contains(err.text, "it is a folder, expected a file");
    assert_ok(pp_file_write_new(path, "12345", 5, &err), err);
    assert_int_equal(pp_file_read(path, &buf, &err), PP_ERR_LIMIT);
    assert_contains(err.text, "ceiling of 4 bytes");
    pp_buf_done(&buf);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void folders_are_created_once_with_their_parents(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *deep = pp_path_join(&arena, folder, "a/b/c");

    (void)state;
    assert_int_equal(pp_folder_create(deep, false, &err), PP_ERR_IO);
    assert_ok(pp_folder_create(deep, true, &err), err);
    assert_int_equal(pp_folder_create(deep, true, &err), PP_ERR_EXISTS);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void paths_join_and_split(void **state)
{
    pp_arena arena = {0};

    (void)state;
    assert_string_equal(pp_path_join(&arena, "a", "b"), "a/b");
    assert_string_equal(pp_path_join(&arena, "a/", "b"), "a/b");
    assert_string_equal(pp_path_join(&arena, "a", "/b"), "/b");
    assert_string_equal(pp_path_join(&arena, "", "b"), "b");
    assert_string_equal(pp_path_folder(&arena, "a/b"), "a");
    assert_string_equal(pp_path_folder(&arena, "b"), ".");
    assert_string_equal(pp_path_folder(&arena, "/b"), "/");
    pp_arena_done(&arena);
}

static void a_tidy_path_keeps_what_says_something(void **state)
{
    static const struct {
        const char *path;
        const char *want;
    } rows[] = {
        {"a", "a"},          {"./gg//x/../y/", "gg/x/../y"},
        {"/", "/"},          {"//a/./b//", "/a/b"},
        {".", "."},          {"./", "."},
        {"..", ".."},        {".hidden/..x", ".hidden/..x"},
        {"a\xff", "a\\xff"},
    };
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_string_equal(pp_path_tidy(&arena, rows[i].path), rows[i].want);
    pp_arena_done(&arena);
}

static void a_message_does_not_say_where_the_folder_is(void **state)
{
    static const struct {
        const char *text, *folder, *want;
    } rows[] = {
        {"deriving from '/a/b': /a/b/c/d line 1: odd", "/a/b",
         "deriving from '.': c/d line 1: odd"},
        {"'/a/b/c' and '/a/b/d'", "/a/b/", "'c' and 'd'"},
        {"/a/b", "/a/b", "."},
        {"'/a/bc/d' is elsewhere", "/a/b", "'/a/bc/d' is elsewhere"},
        {"'/x/a/b/c' is elsewhere", "/a/b", "'/x/a/b/c' is elsewhere"},
        {"nothing", "", "nothing"},
    };
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++)
        assert_string_equal(pp_text_without_folder(&arena, rows[i].text, rows[i].folder),
                            rows[i].want);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_never_replaces_and_leaves_no_trace),
        cmocka_unit_test(reading_names_the_path_and_the_ceiling),
        cmocka_unit_test(folders_are_created_once_with_their_parents),
        cmocka_unit_test(paths_join_and_split),
        cmocka_unit_test(a_tidy_path_keeps_what_says_something),
        cmocka_unit_test(a_message_does_not_say_where_the_folder_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
