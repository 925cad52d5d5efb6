/* Parameter counts are those that the models' authors publish, less the biases that we leave out.
 */
#include "engine/synth.h"

#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "engine/gguf.h"
#include "engine/synth_vocab.h"
#include "shared.h"

static void shapes_have_the_published_number_of_parameters(void **state)
{
    static const struct {
        const char *name;
        int64_t published;
        int64_t qkv_width; /* biases per block; 0 where the model has none */
    } rows[] = {
        {"qwen2.5-0.5b", 494032768, 896 + 2 * 128},
        {"qwen2.5-1.5b", 1543714304, 1536 + 2 * 256},
        {"qwen2.5-3b", 3085938688, 2048 + 2 * 256},
        {"qwen2.5-7b", 7615616512, 3584 + 2 * 512},
        {"llama-3.2-1b", 1235814400, 0},
        {"llama-3.2-3b", 3212749824, 0},
        {"llama-3.1-8b", 8030261248, 0},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_shape *shape = pp_shape_find(rows[i].name);

        assert_non_null(shape);
        assert_int_equal(pp_shape_parameter_count(shape) + shape->block_count * rows[i].qkv_width,
                         rows[i].published);
    }
    assert_null(pp_shape_find("qwen2.5-0.5"));
}

static void no_two_tokens_are_equal_and_prefixes_exist(void **state)
{
    char a[PP_SYNTH_PIECE_BYTES];
    char seen[26 * 26 * 26] = {0};
    size_t triples = 0;

    (void)state;
    assert_int_equal(pp_synth_token_text(PP_SYNTH_FIRST_BYTE + 255, a), 6);
    assert_string_equal(a, "<0xFF>");
    pp_synth_token_text(PP_SYNTH_FIRST_PIECE, a);
    assert_string_equal(a, "\xe2\x96\x81");
    for (uint32_t id = PP_SYNTH_FIRST_PIECE; triples < sizeof seen; id++) {
        size_t size = pp_synth_token_text(id, a);

        assert_true(size == strlen(a) && size > 0);
        if (size != 3 || (a[0] & 0x80) != 0)
            continue; /* only plain groups of three letters here */
        assert_int_equal(seen[((a[0] - 'a') * 26 + a[1] - 'a') * 26 + a[2] - 'a']++, 0);
        triples++;
    }
    pp_synth_token_text(PP_SYNTH_FIRST_PIECE + PP_SYNTH_MAX_PIECES - 1, a);
    assert_int_equal(strlen(a), 4);
}

static pp_synth_result write_model(const char *path, const pp_shape *shape, pp_synth_type type,
                                   uint64_t seed)
{
    pp_synth_request request = {.shape = shape, .type = type, .seed = seed};
    pp_synth_result result;
    pp_error err = {0};

    assert_ok(pp_synth_write(path, &request, &result, &err), err);
    return result;
}

static void tiny_is_the_same_everywhere_and_reads_back(void **state)
{
    static const struct {
        pp_synth_type type;
        const char *sha256;
        int64_t streamed_bytes; /* of all matrices but the embedding, and nine norms */
    } rows[] = {
        {PP_SYNTH_F16, "7a130b7b37aba1d6e76c0286ee9f0cafd821f2626cb991bcf08b8e9dbaf4ba2c",
         (5046272 - 256 * 4096) * 2 + 9216},
        {PP_SYNTH_Q8_0, "d499edef4db075308d927ef68728d91242f9024244a64cc76b26ce2ec5c84c45",
         (5046272 - 256 * 4096) / 32 * 34 + 9216},
        {PP_SYNTH_Q4_0, "b0607161b9144774dad203aef10daf6fc5d7b3829c6a8fa52a94b3e4e1681541",
         (5046272 - 256 * 4096) / 32 * 18 + 9216},
    };
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const char *path = pp_path_join(&arena, folder, pp_synth_type_name(rows[i].type));
        pp_synth_result r = write_model(path, pp_shape_find("tiny"), rows[i].type, 1);
        char hex[PP_SHA256_HEX_SIZE];
        pp_error err = {0};
        pp_gguf m;

        assert_string_equal(r.sha256, rows[i].sha256);
        assert_ok(pp_sha256_file(path, hex, NULL, &err), err);
        assert_string_equal(hex, rows[i].sha256);
        assert_ok(pp_gguf_load(&arena, path, &m, &err), err);
        assert_int_equal(m.file_bytes, r.size_bytes);
        assert_int_equal(m.parameter_count, 5048576);
        assert_int_equal(m.streamed_bytes_per_token, rows[i].streamed_bytes);
        assert_int_equal(m.kv_bytes_per_position_f16, 2 * 4 * 4 * 32 * 2);
        assert_string_equal(m.weights.data, "synthetic");
        assert_string_equal(m.name.data, "synthetic-tiny");
        assert_int_equal(m.tokenizer_token_count, 4096);
    }
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void a_row_that_is_no_multiple_of_32_stays_f16(void **state)
{
    static const pp_shape odd = {.name = "odd",
                                 .block_count = 1,
                                 .embedding_length = 48,
                                 .feed_forward_length = 64,
                                 .head_count = 2,
                                 .head_count_kv = 1,
                                 .vocab_size = 355,
                                 .tied = true,
                                 .context_length = 64,
                                 .rope_freq_base = 1e4f,
                                 .rms_epsilon = 1e-5f,
                                 .head_length = 24};
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "odd.gguf");
    pp_gguf m;

    (void)state;
    (void)write_model(path, &odd, PP_SYNTH_Q8_0, 2);
    assert_ok(pp_gguf_load(&arena, path, &m, &err), err);
    assert_int_equal(m.n_types, 3);
    assert_string_equal(m.types[1].name, "F16");
    assert_string_equal(m.types[2].name, "Q8_0");
    assert_int_equal(m.types[2].tensor_count, 1); /* ffn_down: rows of 64 */
    assert_int_equal(m.tied_embedding, 1);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static bool stop_at_once(void *context, int64_t done, int64_t all)
{
    assert_true(done > 0 && done <= all);
    ++*(int *)context;
    return false;
}

static void nothing_is_overwritten_and_nothing_stays_behind(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *folder = make_temp_folder(&arena);
    const char *path = pp_path_join(&arena, folder, "m.gguf");
    int calls = 0;
    pp_synth_request request = {.shape = pp_shape_find("tiny"),
                                .type = PP_SYNTH_Q4_0,
                                .progress = stop_at_once,
                                .context = &calls};
    pp_synth_result result;

    (void)state;
    assert_int_equal(pp_synth_write(path, &request, &result, &err), PP_ERR_INTERRUPTED);
    assert_int_equal(calls, 1);
    assert_false(pp_path_exists(path));
    assert_ok(pp_file_write_new(path, "theirs", 6, &err), err);
    request.progress = NULL;
    assert_int_equal(pp_synth_write(path, &request, &result, &err), PP_ERR_EXISTS);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* fails if a temporary file was left */
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_have_the_published_number_of_parameters),
        cmocka_unit_test(no_two_tokens_are_equal_and_prefixes_exist),
        cmocka_unit_test(tiny_is_the_same_everywhere_and_reads_back),
        cmocka_unit_test(a_row_that_is_no_multiple_of_32_stays_f16),
        cmocka_unit_test(nothing_is_overwritten_and_nothing_stays_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
