/* Expected figures are algebra on the rows that gguf_maker.c writes. */
#include "engine/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "gguf_maker.h"
#include "shared.h"

static pp_status read_bytes(pp_arena *arena, gguf_bytes *g, size_t size, pp_gguf *ret_gguf,
                            pp_error *err)
{
    /* fmemopen refuses a size of 0 */
    FILE *stream = size == 0 ? fopen("/dev/null", "rb") : fmemopen(g->data, size, "rb");
    pp_status st;

    assert_non_null(stream);
    st = pp_gguf_read(arena, stream, "m.gguf", (int64_t)size, ret_gguf, err);
    (void)fclose(stream);
    return st;
}

static pp_gguf read_good(pp_arena *arena, gguf_bytes *g)
{
    pp_error err = {0};
    pp_gguf gguf;

    assert_ok(read_bytes(arena, g, g->size, &gguf, &err), err);
    return gguf;
}

static void a_whole_header_is_understood(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;

    (void)state;
    mk_pocket(&g);
    m = read_good(&arena, &g);
    assert_int_equal(m.version, 3);
    assert_int_equal(m.key_count, 13);
    assert_int_equal(m.tensor_count, 5);
    assert_int_equal(m.data_offset_bytes, (int64_t)g.size - 2130);
    assert_string_equal(m.architecture.data, "llama");
    assert_string_equal(m.name.data, "pocket");
    assert_null(m.weights.data);
    assert_string_equal(m.file_type_name, "Q8_0");
    assert_int_equal(m.parameter_count, 512 + 64 + 512 + 128 + 256);
    assert_int_equal(m.context_length, 128);
    assert_int_equal(m.block_count, 3);
    assert_int_equal(m.head_count_kv, 2);
    assert_int_equal(m.key_length, 64 / 4);
    assert_int_equal(m.feed_forward_length, PP_GGUF_ABSENT);
    assert_int_equal(m.vocab_size, 8); /* rows of the embedding */
    assert_string_equal(m.tokenizer_model.data, "llama");
    assert_int_equal(m.tokenizer_token_count, 2);
    assert_true(m.has_chat_template);
    assert_int_equal(m.tied_embedding, 0);
    assert_int_equal(m.streamed_bytes_per_token, 256 + 1024 + 72 + 210); /* no embedding */
    assert_null(m.streamed_bytes_note);
    assert_int_equal(m.kv_bytes_per_position_f16, 2 * 3 * 2 * 16 * 2);
    assert_int_equal(m.n_types, 5);
    assert_string_equal(m.types[2].name, "Q4_0");
    assert_int_equal(m.types[2].size_bytes, 72);
    assert_string_equal(m.types[4].name, "Q6_K");
    pp_arena_done(&arena);
}

static void the_fixture_is_what_the_maker_writes(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    gguf_bytes g = {0};
    pp_gguf gguf;
    pp_buf file;
    const char *path = fixture_path(&arena, "gguf/pocket.gguf");

    (void)state;
    mk_pocket(&g);
    pp_buf_init(&file, sizeof g.data);
    assert_ok(pp_file_read(path, &file, &err), err);
    assert_int_equal(file.size, g.size);
    assert_memory_equal(file.data, g.data, g.size);
    assert_ok(pp_gguf_load(&arena, path, &gguf, &err), err);
    assert_int_equal(gguf.file_bytes, g.size);
    pp_buf_done(&file);
    pp_arena_done(&arena);
}

/* ---- the derived figures -------------------------------------------------------------------- */

static void a_tied_embedding_is_read_once(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;

    (void)state;
    mk_head(&g, 2, 2, 1);
    mk_key_text(&g, "paretopilot.weights", "synthetic");
    mk_tensor(&g, "token_embd.weight", (uint64_t[]){32, 4, 0}, 8, 0);
    mk_tensor(&g, "position_embd.weight", (uint64_t[]){32, 100, 0}, 0, 160); /* rows looked up */
    mk_data(&g, 32, 160 + 12800);
    m = read_good(&arena, &g);
    assert_int_equal(m.version, 2);
    assert_string_equal(m.weights.data, "synthetic");
    assert_int_equal(m.tied_embedding, 1);
    assert_int_equal(m.streamed_bytes_per_token, 4 * 34);
    assert_int_equal(m.kv_bytes_per_position_f16, PP_GGUF_ABSENT);
    assert_contains(m.kv_bytes_note, "names no architecture");
    pp_arena_done(&arena);
}

static void make_experts(gguf_bytes *g, uint32_t count, uint32_t used)
{
    mk_head(g, 3, 3, 3);
    mk_key_text(g, "general.architecture", "x");
    mk_key_u32(g, "x.expert_count", count);
    mk_key_u32(g, "x.expert_used_count", used);
    mk_tensor(g, "token_embd.weight", (uint64_t[]){32, 1, 0}, 0, 0);
    mk_tensor(g, "blk.0.ffn_up_exps.weight", (uint64_t[]){32, 2, 8, 0}, 0, 128);
    mk_tensor(g, "blk.0.ffn_up_shexp.weight", (uint64_t[]){32, 2, 0}, 0, 128 + 2048);
    mk_data(g, 32, 128 + 2048 + 256);
}

static void experts_count_by_the_share_that_is_used(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;

    (void)state;
    make_experts(&g, 8, 2);
    m = read_good(&arena, &g);
    assert_int_equal(m.streamed_bytes_per_token, 128 + 2048 * 2 / 8 + 256);
    assert_contains(m.streamed_bytes_note, "share of experts");
    make_experts(&g, 4, 2);
    m = read_good(&arena, &g);
    assert_int_equal(m.streamed_bytes_per_token, PP_GGUF_ABSENT);
    assert_contains(m.streamed_bytes_note, "expert counts do not fit");
    make_experts(&g, 8, 9);
    m = read_good(&arena, &g);
    assert_int_equal(m.streamed_bytes_per_token, PP_GGUF_ABSENT);
    pp_arena_done(&arena);
}

static void an_unknown_type_leaves_its_bytes_unknown(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;

    (void)state;
    mk_head(&g, 3, 2, 0);
    mk_tensor(&g, "token_embd.weight", (uint64_t[]){32, 1, 0}, 0, 0);
    mk_tensor(&g, "blk.0.x.weight", (uint64_t[]){33, 0}, 777, 128);
    mk_data(&g, 32, 129);
    m = read_good(&arena, &g);
    assert_int_equal(m.n_types, 2);
    assert_int_equal(m.types[1].type, 777);
    assert_null(m.types[1].name);
    assert_int_equal(m.types[1].parameter_count, 33);
    assert_int_equal(m.types[1].size_bytes, PP_GGUF_ABSENT);
    assert_int_equal(m.streamed_bytes_per_token, PP_GGUF_ABSENT);
    assert_contains(m.streamed_bytes_note, "type that is not known");
    pp_arena_done(&arena);
}

static void make_attention(gguf_bytes *g, const char *extra_key)
{
    mk_head(g, 3, 0, 7);
    mk_key_text(g, "general.architecture", "x");
    mk_key_u32(g, "x.block_count", 3);
    mk_key_u32(g, "x.attention.head_count", 8);
    mk_key_i32s(g, "x.attention.head_count_kv", (int32_t[]){4, 2, 0}, 3);
    mk_key_u32(g, "x.attention.key_length", 96);
    mk_key_u32(g, "x.attention.value_length", 64);
    mk_key_u32(g, extra_key, 16);
}

static void the_cache_follows_heads_per_block_and_their_lengths(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;

    (void)state;
    make_attention(&g, "x.other");
    m = read_good(&arena, &g);
    assert_int_equal(m.head_count_kv, PP_GGUF_ABSENT); /* differs between blocks */
    assert_int_equal(m.kv_bytes_per_position_f16, (4 + 2 + 0) * (96 + 64) * 2);
    assert_null(m.kv_bytes_note);
    make_attention(&g, "x.attention.sliding_window");
    m = read_good(&arena, &g);
    assert_int_equal(m.kv_bytes_per_position_f16, 1920);
    assert_contains(m.kv_bytes_note, "upper bound");
    make_attention(&g, "x.attention.kv_lora_rank");
    m = read_good(&arena, &g);
    assert_int_equal(m.kv_bytes_per_position_f16, PP_GGUF_ABSENT);
    assert_contains(m.kv_bytes_note, "latent attention");
    make_attention(&g, "x.ssm.state_size");
    m = read_good(&arena, &g);
    assert_contains(m.kv_bytes_note, "recurrent");
    assert_contains(m.streamed_bytes_note, "no token embedding");
    pp_arena_done(&arena);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void wrong_magic(gguf_bytes *g)
{
    mk_head(g, 3, 0, 0);
    memcpy(g->data, "PK\3\4", 4);
}

static void nothing(gguf_bytes *g)
{
    g->size = 0;
}

static void big_endian(gguf_bytes *g)
{
    mk_head(g, 0x03000000, 0, 0);
}

static void version_1(gguf_bytes *g)
{
    mk_head(g, 1, 0, 0);
}

static void version_4(gguf_bytes *g)
{
    mk_head(g, 4, 0, 0);
}

static void too_many_tensors(gguf_bytes *g)
{
    mk_head(g, 3, (uint64_t)1 << 40, 0);
}

static void more_tensors_than_bytes(gguf_bytes *g)
{
    mk_head(g, 3, 2, 0);
    mk_data(g, 1, 30);
}

static void too_many_keys(gguf_bytes *g)
{
    mk_head(g, 3, 0, 4097);
}

static void no_key_count(gguf_bytes *g)
{
    mk_head(g, 3, 0, 0);
    g->size -= 3;
}

static void start_key(gguf_bytes *g)
{
    mk_head(g, 3, 0, 1);
}

static void empty_key(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "", 1);
}

static void long_key(gguf_bytes *g)
{
    start_key(g);
    mk_uint(g, 1025, 8);
    mk_data(g, 1, 2000);
}

static void key_in_latin_1(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "caf\xe9", 1);
}

static void unknown_value_type(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 13);
    mk_uint(g, 0, 8);
}

static void string_past_the_end(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 8);
    mk_uint(g, 100, 8);
    mk_uint(g, 0, 7);
}

static void long_name(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "general.name", 8);
    mk_uint(g, 1025, 8);
    mk_data(g, 1, 2000);
}

static void doubtful_truth(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 7);
    mk_uint(g, 2, 1);
}

static void array_larger_than_the_file(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 9);
    mk_uint(g, 6, 4);
    mk_uint(g, 1000, 8);
    mk_data(g, 1, 100);
}

static void array_with_too_many_items(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 9);
    mk_uint(g, 0, 4);
    mk_uint(g, UINT64_MAX, 8);
}

static void deep_array(gguf_bytes *g)
{
    start_key(g);
    mk_key(g, "k", 9);
    for (int i = 0; i < 6; i++) {
        mk_uint(g, 9, 4);
        mk_uint(g, 1, 8);
    }
}

static void a_key_twice(gguf_bytes *g)
{
    mk_head(g, 3, 0, 2);
    mk_key_u32(g, "k", 1);
    mk_key_u32(g, "k", 2);
}

static void crooked_alignment(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "general.alignment", 48);
}

static void no_alignment(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "general.alignment", 0);
}

static void huge_alignment(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "general.alignment", 1u << 31);
}

static void numeric_architecture(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "general.architecture", 5);
}

static void start_x(gguf_bytes *g)
{
    mk_head(g, 3, 0, 2);
    mk_key_text(g, "general.architecture", "x");
}

static void textual_length(gguf_bytes *g)
{
    start_x(g);
    mk_key_text(g, "x.context_length", "4096");
}

static void negative_blocks(gguf_bytes *g)
{
    start_x(g);
    mk_key(g, "x.block_count", 5);
    mk_uint(g, UINT32_MAX, 4);
}

static void a_million_blocks(gguf_bytes *g)
{
    start_x(g);
    mk_key_u32(g, "x.block_count", 1000000);
}

static void scalar_tokens(gguf_bytes *g)
{
    start_key(g);
    mk_key_u32(g, "tokenizer.ggml.tokens", 1);
}

/* One tensor `t` of these dimensions at byte 24. */
static void one_tensor(gguf_bytes *g, const uint64_t *dims, uint32_t type, uint64_t offset)
{
    mk_head(g, 3, 1, 0);
    mk_tensor(g, "t", dims, type, offset);
    mk_data(g, 32, 128);
}

static void long_tensor_name(gguf_bytes *g)
{
    mk_head(g, 3, 1, 0);
    mk_uint(g, 64, 8);
    mk_data(g, 1, 200);
}

static void five_dimensions(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){1, 1, 1, 1, 1, 0}, 0, 0);
}

static void empty_dimension(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){32, 7, 0}, 0, 0);
    memset(g->data + 24 + 9 + 4 + 8, 0, 8); /* the 7 */
}

static void overflowing_dimensions(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){(uint64_t)1 << 32, (uint64_t)1 << 32, 0}, 0, 0);
}

static void broken_row(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){33, 0}, 8, 0);
}

static void crooked_offset(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){4, 0}, 0, 16);
}

static void tensor_past_the_end(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){33, 0}, 0, 0);
}

static void offset_past_everything(gguf_bytes *g)
{
    one_tensor(g, (uint64_t[]){1, 0}, 0, UINT64_MAX - 31);
}

static void two_tensors(gguf_bytes *g, const char *first, const char *second, uint64_t offset)
{
    mk_head(g, 3, 2, 0);
    mk_tensor(g, first, (uint64_t[]){16, 0}, 0, 0);
    mk_tensor(g, second, (uint64_t[]){8, 0}, 0, offset);
    mk_data(g, 32, 128);
}

static void overlapping_tensors(gguf_bytes *g)
{
    two_tensors(g, "a", "b", 32);
}

static void a_tensor_twice(gguf_bytes *g)
{
    two_tensors(g, "a", "a", 64);
}

static const struct {
    const char *name;
    void (*make)(gguf_bytes *g);
    pp_status want_status;
    const char *want_text;
} refusals[] = {
    {"wrong magic", wrong_magic, PP_ERR_SYNTAX,
     "m.gguf: byte 0: found 50 4b 03 04, expected 47 47 55 46 ('GGUF')"},
    {"nothing", nothing, PP_ERR_SYNTAX,
     "m.gguf: byte 0: expected 4 bytes of the magic 'GGUF', found 0 until the end of the file"},
    {"big-endian", big_endian, PP_ERR_SYNTAX, "byte 4: the version 50331648 reads as a big-endian"},
    {"version 1", version_1, PP_ERR_SYNTAX, "byte 4: found GGUF version 1, expected 2 or 3"},
    {"version 4", version_4, PP_ERR_SYNTAX, "byte 4: found GGUF version 4, expected 2 or 3"},
    {"too many tensors", too_many_tensors, PP_ERR_LIMIT,
     "byte 8: the tensor count: found 1099511627776, expected at most 65536"},
    {"more tensors than bytes", more_tensors_than_bytes, PP_ERR_SYNTAX,
     "byte 8: the tensor count: found 2 of at least 24 bytes each, expected no more than the 38"},
    {"too many keys", too_many_keys, PP_ERR_LIMIT,
     "byte 16: the key count: found 4097, expected at most 4096"},
    {"no key count", no_key_count, PP_ERR_SYNTAX,
     "byte 16: expected 8 bytes of the key count, found 5"},
    {"empty key", empty_key, PP_ERR_SYNTAX, "byte 24: expected a key, found none"},
    {"long key", long_key, PP_ERR_LIMIT, "byte 24: a key: found 1025, expected at most 1024"},
    {"key in Latin-1", key_in_latin_1, PP_ERR_SYNTAX, "byte 32: a key: expected UTF-8"},
    {"unknown value type", unknown_value_type, PP_ERR_SYNTAX,
     "m.gguf: key 'k': byte 33: the type of a value: found 13, expected 0 to 12"},
    {"string past the end", string_past_the_end, PP_ERR_SYNTAX,
     "byte 37: a string's length: found 100 of at least 1 bytes each, expected no more than the 7"},
    {"long name", long_name, PP_ERR_LIMIT, "the text: found 1025, expected at most 1024"},
    {"doubtful truth", doubtful_truth, PP_ERR_SYNTAX,
     "byte 37: a truth value: found 2, expected 0 or 1"},
    {"array larger than the file", array_larger_than_the_file, PP_ERR_SYNTAX,
     "byte 41: an array's item count: found 1000 of at least 4 bytes each"},
    {"array with too many items", array_with_too_many_items, PP_ERR_LIMIT,
     "found 18446744073709551615, expected at most 67108864"},
    {"deep array", deep_array, PP_ERR_LIMIT,
     "byte 85: arrays nested 5 deep, expected at most 4 levels"},
    {"a key twice", a_key_twice, PP_ERR_SCHEMA,
     "byte 41: key 'k' was found twice, first at byte 24"},
    {"crooked alignment", crooked_alignment, PP_ERR_SCHEMA,
     "byte 53: key 'general.alignment': found 48, expected a power of two up to 65536"},
    {"no alignment", no_alignment, PP_ERR_SCHEMA, "'general.alignment': found 0, expected"},
    {"huge alignment", huge_alignment, PP_ERR_SCHEMA, "found 2147483648, expected a power of two"},
    {"numeric architecture", numeric_architecture, PP_ERR_SCHEMA,
     "key 'general.architecture': expected a string, found uint32"},
    {"textual length", textual_length, PP_ERR_SCHEMA,
     "key 'x.context_length': expected an integer from 0 to 2^53, found string"},
    {"negative blocks", negative_blocks, PP_ERR_SCHEMA,
     "key 'x.block_count': expected an integer from 0 to 2^53, found another int32"},
    {"a million blocks", a_million_blocks, PP_ERR_LIMIT,
     "key 'x.block_count': found 1000000, expected at most 65536"},
    {"scalar tokens", scalar_tokens, PP_ERR_SCHEMA, "expected an array, found uint32"},
    {"long tensor name", long_tensor_name, PP_ERR_LIMIT,
     "byte 24: a tensor's name: found 64, expected at most 63"},
    {"five dimensions", five_dimensions, PP_ERR_SYNTAX,
     "m.gguf: tensor 't': byte 33: the number of dimensions: found 5, expected at most 4"},
    {"empty dimension", empty_dimension, PP_ERR_SYNTAX,
     "byte 45: dimension 1: found 0, expected 1"},
    {"overflowing dimensions", overflowing_dimensions, PP_ERR_LIMIT,
     "byte 45: dimension 1: found 4294967296, expected 1 or more and at most 8796093022208"},
    {"broken row", broken_row, PP_ERR_SYNTAX,
     "byte 45: rows of 33 weights of type Q8_0, expected a multiple of 32"},
    {"crooked offset", crooked_offset, PP_ERR_SYNTAX,
     "byte 49: the tensor's offset: found 16, expected a multiple of 32"},
    {"tensor past the end", tensor_past_the_end, PP_ERR_SYNTAX,
     "byte 24: tensor 't' takes 132 bytes from offset 0 of the tensor data, expected an end within "
     "its 128 bytes"},
    {"offset past everything", offset_past_everything, PP_ERR_SYNTAX,
     "takes 4 bytes from offset 18446744073709551584 of the tensor data"},
    {"overlapping tensors", overlapping_tensors, PP_ERR_SYNTAX,
     "tensor 'b' begins at offset 32 of the tensor data, expected 64 or more, where 'a' ends"},
    {"a tensor twice", a_tensor_twice, PP_ERR_SCHEMA,
     "byte 57: tensor 'a' was found twice, first at byte 24"},
};

static void every_refusal_says_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        gguf_bytes g = {0};
        pp_gguf gguf;
        pp_status st;

        refusals[i].make(&g);
        st = read_bytes(&arena, &g, g.size, &gguf, &err);
        if (st != refusals[i].want_status)
            fail_msg("%s: expected %s, got %s: %s", refusals[i].name,
                     pp_status_name(refusals[i].want_status), pp_status_name(st), err.text);
        assert_contains(err.text, refusals[i].want_text);
        pp_arena_done(&arena);
    }
}

static void every_shortened_file_is_refused(void **state)
{
    gguf_bytes g = {0};

    (void)state;
    mk_pocket(&g);
    for (size_t size = 0; size < g.size; size++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_gguf gguf;

        if (read_bytes(&arena, &g, size, &gguf, &err) == PP_OK)
            fail_msg("accepted %zu of %zu bytes", size, g.size);
        assert_contains(err.text, "m.gguf: ");
        assert_contains(err.text, "byte ");
        pp_arena_done(&arena);
    }
}

static pp_status read_pocket(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf gguf;
    pp_status st;

    (void)context;
    mk_pocket(&g);
    st = read_bytes(&arena, &g, g.size, &gguf, err);
    pp_arena_done(&arena);
    return st;
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    assert_in_range(check_missing_memory(read_pocket, NULL), 1, 99);
}

static void other_files_are_refused_by_name(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_gguf gguf;

    (void)state;
    assert_int_equal(pp_gguf_load(&arena, "/no/such.gguf", &gguf, &err), PP_ERR_IO);
    assert_contains(err.text, "cannot open '/no/such.gguf'");
    assert_int_equal(pp_gguf_load(&arena, "/dev/zero", &gguf, &err), PP_ERR_IO);
    assert_contains(err.text, "'/dev/zero': expected a regular file");
    pp_arena_done(&arena);
}

static void the_document_says_null_for_what_is_absent(void **state)
{
    pp_arena arena = {0};
    gguf_bytes g = {0};
    pp_gguf m;
    const pp_json *doc;
    const pp_json *types;

    (void)state;
    mk_head(&g, 3, 1, 0);
    mk_tensor(&g, "t", (uint64_t[]){8, 0}, 777, 0);
    mk_data(&g, 32, 32);
    m = read_good(&arena, &g);
    doc = pp_gguf_to_json(&arena, &m);
    assert_int_equal(pp_json_find(doc, "streamed_bytes_per_token")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(doc, "tied_embedding")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(doc, "context_length")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(doc, "name")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(doc, "parameter_count")->integer, 8);
    types = pp_json_find(doc, "tensor_types");
    assert_int_equal(pp_json_find(types->array.items[0], "name")->kind, PP_JSON_NULL);
    assert_int_equal(pp_json_find(types->array.items[0], "size_bytes")->kind, PP_JSON_NULL);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_header_is_understood),
        cmocka_unit_test(the_fixture_is_what_the_maker_writes),
        cmocka_unit_test(a_tied_embedding_is_read_once),
        cmocka_unit_test(experts_count_by_the_share_that_is_used),
        cmocka_unit_test(an_unknown_type_leaves_its_bytes_unknown),
        cmocka_unit_test(the_cache_follows_heads_per_block_and_their_lengths),
        cmocka_unit_test(every_refusal_says_where_and_what),
        cmocka_unit_test(every_shortened_file_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(other_files_are_refused_by_name),
        cmocka_unit_test(the_document_says_null_for_what_is_absent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
