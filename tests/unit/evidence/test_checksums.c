#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "evidence/checksums.h"
#include "shared.h"

static const char *put(pp_arena *arena, const char *folder, const char *name, const char *text)
{
    const char *path = pp_path_join(arena, folder, name);
    pp_error err = {0};

    pp_ignore(pp_folder_create(pp_path_folder(arena, path), true, NULL)); /* may be there already */
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
    return path;
}

/* Digests: FIPS 180-4 ("abc") and the empty file. */
static void the_list_is_sorted_and_names_every_file_but_itself(void **state)
{
    static const char expected[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ./a b\n"
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  ./a/z\n"
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  ./b\n";
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    pp_buf list;

    (void)state;
    put(&arena, folder, "b", "abc");
    put(&arena, folder, "a/z", "abc");
    put(&arena, folder, "a b", "");
    pp_buf_init(&list, 65536);
    for (int i = 0; i < 2; i++) { /* the second time replaces the first */
        assert_ok(pp_checksums_write(folder, &err), err);
        pp_buf_clear(&list);
        assert_ok(pp_file_read(pp_path_join(&arena, folder, "SHA256SUMS"), &list, &err), err);
        assert_string_equal(pp_buf_text(&list), expected);
    }
    pp_buf_done(&list);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void links_and_names_that_the_list_cannot_hold_are_refused(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *odd;

    (void)state;
    assert_int_equal(symlink("/etc/passwd", pp_path_join(&arena, folder, "link")), 0);
    assert_int_equal(pp_checksums_write(folder, &err), PP_ERR_IO);
    assert_contains(err.text, "/link': expected a folder or a regular file");
    assert_int_equal(unlink(pp_path_join(&arena, folder, "link")), 0);
    odd = put(&arena, folder, "a\nb", "");
    assert_int_equal(pp_checksums_write(folder, &err), PP_ERR_IO);
    assert_contains(err.text, "line break");
    assert_int_equal(unlink(odd), 0);
    remove_folder(folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sorted_and_names_every_file_but_itself),
        cmocka_unit_test(links_and_names_that_the_list_cannot_hold_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
