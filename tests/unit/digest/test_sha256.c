/* Vectors: FIPS 180-4 examples. */
#include "base/files.h"
#include "digest/sha256.h"
#include "shared.h"

static void digests_equal_the_published_examples(void **state)
{
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    (void)state;
    assert_ok(pp_sha256_of("abc", 3, hex, &err), err);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_ok(pp_sha256_of("", 0, hex, &err), err);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* The same digests as `openssl dgst -binary | base64` writes them. */
static void base_64_says_the_same(void **state)
{
    char base64[PP_SHA256_BASE64_SIZE];
    pp_error err = {0};

    (void)state;
    assert_ok(pp_sha256_base64_of("abc", 3, base64, &err), err);
    assert_string_equal(base64, "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_ok(pp_sha256_base64_of("", 0, base64, &err), err);
    assert_string_equal(base64, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

static void a_file_is_hashed_with_its_size(void **state)
{
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "abc");
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};
    int64_t size = 0;

    (void)state;
    assert_int_equal(pp_sha256_file(path, hex, &size, &err), PP_ERR_IO);
    assert_contains(err.text, "/abc");
    assert_ok(pp_file_write_new(path, "abc", 3, &err), err);
    assert_ok(pp_sha256_file(path, hex, &size, &err), err);
    assert_int_equal(size, 3);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void equality_sees_every_digit(void **state)
{
    char a[PP_SHA256_HEX_SIZE], b[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    (void)state;
    assert_ok(pp_sha256_of("abc", 3, a, &err), err);
    for (int i = 0; i < PP_SHA256_HEX_SIZE - 1; i++) {
        assert_ok(pp_sha256_of("abc", 3, b, &err), err);
        assert_true(pp_sha256_equal(a, b));
        b[i] = b[i] == '0' ? '1' : '0';
        assert_false(pp_sha256_equal(a, b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_equal_the_published_examples),
        cmocka_unit_test(base_64_says_the_same),
        cmocka_unit_test(a_file_is_hashed_with_its_size),
        cmocka_unit_test(equality_sees_every_digit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
