#include <string.h>

#include "base/files.h"
#include "digest/sha256.h"
#include "shared.h"
#include "study/journal.h"

static void each_line_carries_the_hash_of_the_line_before(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "journal.jsonl");
    pp_json *fields = pp_json_new_object(&arena);
    pp_journal *journal = NULL;
    char expected[PP_SHA256_HEX_SIZE] = "";
    size_t lines = 0;
    pp_buf bytes;

    (void)state;
    pp_json_set_string(&arena, fields, "candidate_id", "q4");
    assert_ok(pp_journal_create(path, &journal, &err), err);
    assert_ok(pp_journal_append(journal, &arena, "begin", NULL, &err), err);
    assert_ok(pp_journal_append(journal, &arena, "run", fields, &err), err);
    assert_ok(pp_journal_append(journal, &arena, "end", NULL, &err), err);
    pp_journal_free(journal);
    assert_int_equal(pp_journal_create(path, &journal, &err), PP_ERR_EXISTS);

    pp_buf_init(&bytes, 65536);
    assert_ok(pp_file_read(path, &bytes, &err), err);
    for (const char *line = bytes.data; *line != '\0'; lines++) {
        size_t size = strcspn(line, "\n") + 1;
        const pp_json *root;
        const pp_json *previous;

        assert_ok(pp_json_parse(&arena, "line", line, size, &root, &err), err);
        assert_int_equal(pp_json_find(root, "seq")->integer, lines);
        previous = pp_json_find(root, "previous_sha256");
        if (lines == 0)
            assert_int_equal(previous->kind, PP_JSON_NULL);
        else
            assert_string_equal(previous->text.data, expected);
        assert_ok(pp_sha256_of(line, size, expected, &err), err);
        line += size;
    }
    assert_int_equal(lines, 3);
    pp_buf_done(&bytes);
    remove_folder(folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_carries_the_hash_of_the_line_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
