/* Digests: printf KEY | sha256sum. */
#include "gateway/key_ring.h"

#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "shared.h"

#define KEY        "a-key-of-26-characters-abc"
#define KEY_SHA256 "165ada9ee3abd59c0543dae11312793f48be670cbe058445c6445194c5590c4a"

static const char file[] = "\xef\xbb\xbf# who   key\r\n"
                           "\n"
                           "alice\t " KEY " \r\n"
                           "  ci.2  sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15"
                           "B0F00A08\n"
                           "bob_b sixteen-chars-16";

static pp_key_ring ring_of(pp_arena *arena, const char *text)
{
    pp_key_ring ring = {0};
    pp_error err = {0};

    assert_ok(pp_key_ring_parse(arena, "keys",
                                (pp_bytes){(const unsigned char *)text, strlen(text)}, &ring, &err),
              err);
    return ring;
}

static void keys_are_read_and_only_their_digests_kept(void **state)
{
    pp_arena arena = {0};
    pp_key_ring ring = ring_of(&arena, file);

    (void)state;
    assert_int_equal(ring.count, 3);
    assert_true(pp_text_is(ring.entries[0].name, "alice"));
    assert_string_equal(ring.entries[0].sha256, KEY_SHA256);
    assert_true(pp_text_is(ring.entries[1].name, "ci.2"));
    assert_string_equal(ring.entries[1].sha256,
                        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    assert_true(pp_text_is(ring.entries[2].name, "bob_b"));
    pp_arena_done(&arena);
}

static void e33_g9_a_key_is_accepted_or_shown_by_eight_digits(void **state)
{
    static const struct {
        const char *authorization;
        pp_key_verdict verdict;
        size_t index;
        const char *fingerprint;
    } rows[] = {
        {"Bearer " KEY, PP_KEY_ACCEPTED, 0, ""},
        {"bearer   " KEY, PP_KEY_ACCEPTED, 0, ""},
        {"BEARER\t" KEY, PP_KEY_ACCEPTED, 0, ""},
        {"Bearer test", PP_KEY_ACCEPTED, 1, ""}, /* 9f86...: SHA-256 of "test" */
        {"Bearer sixteen-chars-16", PP_KEY_ACCEPTED, 2, ""},
        {"Bearer wrong-key", PP_KEY_REJECTED, 0, "5e179de4"},
        {"Bearer " KEY " more", PP_KEY_REJECTED, 0, NULL},
        {"Bearer a-key-of-26-characters-ab", PP_KEY_REJECTED, 0, NULL},
        {"Bearer " KEY_SHA256, PP_KEY_REJECTED, 0, NULL}, /* what the file holds opens nothing */
        {"Bearer sha256:" KEY_SHA256, PP_KEY_REJECTED, 0, NULL},
        {"Bearer", PP_KEY_MISSING, 0, ""},
        {"Bearer ", PP_KEY_MISSING, 0, ""},
        {"Bearer" KEY, PP_KEY_MISSING, 0, ""},
        {"Basic dXNlcjpwYXNz", PP_KEY_MISSING, 0, ""},
        {KEY, PP_KEY_MISSING, 0, ""},
        {"", PP_KEY_MISSING, 0, ""},
    };
    pp_arena arena = {0};
    pp_key_ring ring = ring_of(&arena, file);

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_key_answer answer;
        pp_error err = {0};

        print_message("# %s\n", rows[i].authorization);
        assert_ok(pp_key_ring_find(&ring, pp_text_of(rows[i].authorization), &answer, &err), err);
        assert_int_equal(answer.verdict, rows[i].verdict);
        if (answer.verdict == PP_KEY_ACCEPTED)
            assert_int_equal(answer.index, rows[i].index);
        if (rows[i].fingerprint != NULL)
            assert_string_equal(answer.fingerprint, rows[i].fingerprint);
        else
            assert_int_equal(strlen(answer.fingerprint), 8);
    }
    pp_arena_done(&arena);
}

#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void e33_a_refusal_names_the_line_and_shows_no_key(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "keys: no key stands in it; expected lines NAME KEY"},
        {"# only this\n\n", "keys: no key stands in it; expected lines NAME KEY"},
        {"\nsk-secret-secret-secret\n", "keys line 2: expected a name, a blank and a key"},
        {"sk-secret+secret-secret a", "keys line 1: expected a name of 1 to 64 letters, digits, "
                                      "'.', '_' or '-'"},
        {X64 "x sixteen-chars-16", "keys line 1: expected a name of 1 to 64 letters, digits, '.', "
                                   "'_' or '-'"},
        {"a fifteen-chars15", "keys line 1: expected a key of 16 to 512 characters, got 15"},
        {"a " X64 X64 X64 X64 X64 X64 X64 X64 "x",
         "keys line 1: expected a key of 16 to 512 characters, got 513"},
        {"a secret with blanks", "keys line 1: expected a key of printable ASCII characters "
                                 "without blanks"},
        {"a sixteen-chars-1\xc3\xa9", "keys line 1: expected a key of printable ASCII characters "
                                      "without blanks"},
        {"a sha256:abc", "keys line 1: expected 64 hexadecimal digits behind sha256:, got 3"},
        {"a sha256:" X64, "keys line 1: digit 1 of the SHA-256 is no hexadecimal digit"},
        {"a sixteen-chars-16\nb sixteen-chars-17\na sixteen-chars-18",
         "keys line 3: the name of line 1 again"},
        {"a " KEY "\nb sha256:" KEY_SHA256, "keys line 2: the key of line 1 again"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_key_ring ring;
        pp_arena arena = {0};
        pp_error err = {0};
        pp_status st = pp_key_ring_parse(
            &arena, "keys", (pp_bytes){(const unsigned char *)rows[i].text, strlen(rows[i].text)},
            &ring, &err);

        assert_int_equal(st, PP_ERR_SYNTAX);
        assert_string_equal(err.text, rows[i].want);
        assert_null(strstr(err.text, "secret"));
        pp_arena_done(&arena);
    }
}

static void too_many_keys_are_refused(void **state)
{
    pp_key_ring ring;
    pp_arena arena = {0};
    pp_error err = {0};
    pp_buf text;

    (void)state;
    pp_buf_init(&text, PP_KEY_RING_MAX_BYTES);
    for (int i = 0; i < 1025; i++)
        pp_buf_printf(&text, "n%d a-key-with-number-%d\n", i, i);
    assert_int_equal(pp_key_ring_parse(&arena, "keys",
                                       (pp_bytes){(const unsigned char *)text.data, text.size},
                                       &ring, &err),
                     PP_ERR_LIMIT);
    assert_string_equal(err.text, "keys: more than 1024 keys");
    pp_buf_done(&text);
    pp_arena_done(&arena);
}

static void a_file_that_others_read_is_told_of(void **state)
{
    static const struct {
        mode_t mode;
        bool want;
    } rows[] = {{0600, false}, {0640, true}, {0604, true}, {0400, false}};
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "keys.txt");
    pp_error err = {0};

    (void)state;
    assert_ok(pp_file_write_new(path, file, sizeof file - 1, &err), err);
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        bool others_read = !rows[i].want;
        pp_key_ring ring = {0};

        assert_int_equal(chmod(path, rows[i].mode), 0);
        assert_ok(pp_key_ring_load(&arena, path, &ring, &others_read, &err), err);
        assert_int_equal(others_read, rows[i].want);
        assert_int_equal(ring.count, 3);
    }
    {
        bool others_read;
        pp_key_ring ring;

        assert_int_equal(pp_key_ring_load(&arena, folder, &ring, &others_read, &err), PP_ERR_IO);
        assert_contains(err.text, "reading API keys: ");
    }
    remove_folder(folder);
    pp_arena_done(&arena);
}

static pp_status parse(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_key_ring ring;
    pp_status st;

    (void)context;
    st = pp_key_ring_parse(&arena, "keys", (pp_bytes){(const unsigned char *)file, sizeof file - 1},
                           &ring, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(parse, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read_and_only_their_digests_kept),
        cmocka_unit_test(e33_g9_a_key_is_accepted_or_shown_by_eight_digits),
        cmocka_unit_test(e33_a_refusal_names_the_line_and_shows_no_key),
        cmocka_unit_test(too_many_keys_are_refused),
        cmocka_unit_test(a_file_that_others_read_is_told_of),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
