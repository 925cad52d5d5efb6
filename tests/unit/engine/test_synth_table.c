/* The written file is read back and run: rows of the output matrix times the normalised embedding
 * of a token, then softmax in double precision, must give the declared rows. What the formats mean
 * is written here again, from ggml's definition of its blocks. */
#include "engine/synth_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "engine/gguf_meta.h"
#include "engine/gguf_tensors.h"
#include "engine/synth.h"
#include "shared.h"

#define FIRST_TOKEN 260 /* 3 specials, 256 bytes, the word mark */
#define END_ID      2

/* Ids: a = 260, " b" = 261, c" = 262. The state of a is fair, that of " b" is not. */
static const char table_text[] =
    "{\"schema_version\": \"1.0\", \"document\": \"model-table\", \"name\": \"small\", "
    "\"vocabulary\": [\"a\", \" b\", \"c\\\"\"], \"rows\": ["
    "{\"state\": \" b\", \"next\": {\"c\\\"\": 0.999, \"end\": 0.000999, \"a\": 0.000001}}, "
    "{\"state\": \"a\", \"next\": {\"a\": 0.25, \" b\": 0.25, \"c\\\"\": 0.25, \"end\": 0.25}}], "
    "\"otherwise\": {\"a\": 0.9, \"end\": 0.1}, \"chat_state\": \"c\\\"\"}";

typedef struct model {
    pp_arena arena;
    const char *folder;
    const char *path;
    FILE *file;
    pp_gguf_meta meta;
    pp_gguf_table tensors;
    pp_synth_result result;
} model;

static void write_and_open(model *m, pp_synth_type type)
{
    const pp_json *root;
    pp_model_table table;
    pp_synth_request request = {.table = &table, .type = type};
    pp_gguf_stream s = {0};
    pp_error err = {0};
    uint32_t version;
    uint64_t tensor_count, key_count;

    m->folder = make_temp_folder(&m->arena);
    m->path = pp_path_join(&m->arena, m->folder, "small.gguf");
    assert_ok(pp_json_parse(&m->arena, "t", table_text, sizeof table_text - 1, &root, &err), err);
    assert_ok(pp_model_table_decode(&m->arena, root, &table, &err), err);
    assert_ok(pp_synth_write(m->path, &request, &m->result, &err), err);

    m->file = fopen(m->path, "rb");
    assert_non_null(m->file);
    s.file = m->file;
    s.size = (uint64_t)m->result.size_bytes;
    assert_ok(pp_gguf_skip(&s, 4, "magic", &err), err);
    assert_ok(pp_gguf_take_u32(&s, "version", &version, &err), err);
    assert_ok(pp_gguf_take_u64(&s, "tensors", &tensor_count, &err), err);
    assert_ok(pp_gguf_take_u64(&s, "keys", &key_count, &err), err);
    assert_ok(pp_gguf_meta_read(&s, &m->arena, key_count, &m->meta, &err), err);
    assert_ok(pp_gguf_table_read(&s, &m->arena, tensor_count, 32, &m->tensors, &err), err);
}

static void close_and_remove(model *m)
{
    assert_int_equal(fclose(m->file), 0);
    remove_folder(m->folder);
    pp_arena_done(&m->arena);
}

/* ---- an independent reading of the blocks -------------------------------------------------- */

static double half_value(const uint8_t *bytes)
{
    unsigned bits = (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;
    double value = exponent == 0 ? ldexp(fraction, -14) : ldexp(1 + fraction, exponent - 15);

    return bits >> 15 != 0 ? -value : value;
}

static double weight_at(pp_synth_type type, const uint8_t *row, size_t i)
{
    size_t inside = i % 32;
    const uint8_t *block;

    if (type == PP_SYNTH_F16)
        return half_value(row + 2 * i);
    if (type == PP_SYNTH_Q8_0) {
        block = row + i / 32 * 34;
        return half_value(block) * (int8_t)block[2 + inside];
    }
    block = row + i / 32 * 18;
    return half_value(block) *
           ((inside < 16 ? block[2 + inside] & 15 : block[2 + inside - 16] >> 4) - 8);
}

/* All weights of a matrix, row by row; free it. */
static double *read_matrix(const model *m, pp_synth_type type, const char *name, size_t *ret_length,
                           size_t *ret_rows)
{
    const pp_gguf_tensor *t = pp_gguf_table_find(&m->tensors, name);
    uint8_t *bytes;
    double *weights;
    size_t row_bytes;

    assert_non_null(t);
    *ret_length = (size_t)t->dims[0];
    *ret_rows = (size_t)t->dims[1];
    row_bytes = (size_t)t->size_bytes / *ret_rows;
    bytes = malloc((size_t)t->size_bytes);
    weights = malloc(*ret_length * *ret_rows * sizeof *weights);
    assert_true(bytes != NULL && weights != NULL);
    assert_int_equal(
        fseek(m->file, (long)(m->tensors.data_offset_bytes + t->offset_bytes), SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, (size_t)t->size_bytes, m->file), t->size_bytes);
    for (size_t row = 0; row < *ret_rows; row++) {
        for (size_t i = 0; i < *ret_length; i++)
            weights[row * *ret_length + i] = weight_at(type, bytes + row * row_bytes, i);
    }
    free(bytes);
    return weights;
}

/* ---- tests --------------------------------------------------------------------------------- */

#define VOCAB_SIZE 263

/* RMS norm, output matrix, softmax; attention and feed-forward add nothing. */
static void next_probabilities(const double *embedding, const double *output, size_t width,
                               size_t last_id, double ret_p[VOCAB_SIZE])
{
    double square = 0, sum = 0;

    for (size_t i = 0; i < width; i++)
        square += embedding[last_id * width + i] * embedding[last_id * width + i];
    assert_true(square > 0);
    for (size_t id = 0; id < VOCAB_SIZE; id++) {
        double logit = 0;

        for (size_t i = 0; i < width; i++)
            logit += output[id * width + i] * embedding[last_id * width + i];
        sum += ret_p[id] = exp(logit / sqrt(square / (double)width));
    }
    for (size_t id = 0; id < VOCAB_SIZE; id++)
        ret_p[id] /= sum;
}

static const struct {
    size_t last_id;
    double a, b, c, end;
} declared[] = {
    {260, 0.25, 0.25, 0.25, 0.25}, {261, 0.000001, 0, 0.999, 0.000999},
    {262, 0.9, 0, 0, 0.1}, /* no row of its own */
    {0, 0.9, 0, 0, 0.1},           {1, 0.9, 0, 0, 0.1},
    {END_ID, 0.9, 0, 0, 0.1},      {3 + 'x', 0.9, 0, 0, 0.1},
};

static void check_row(const double p[VOCAB_SIZE], size_t row)
{
    const double want[] = {declared[row].a, declared[row].b, declared[row].c, declared[row].end};

    for (size_t id = 0; id < VOCAB_SIZE; id++) {
        bool listed = id >= FIRST_TOKEN || id == END_ID;
        double w = listed ? want[id == END_ID ? 3 : id - FIRST_TOKEN] : 0;
        /* a weight is right to 2^-11, and where a scale is subnormal, to half of 2^-24 * 127 */
        double bound = w > 0 ? w * (2 * (14 + 1.4) / 2048 + 16 * 127 / 16777216.0) : 1e-12;

        if (fabs(p[id] - w) > bound)
            fail_msg("after %zu: token %zu has %.9f, declared %.9f", declared[row].last_id, id,
                     p[id], w);
        assert_true(w == 0 || fabs(p[id] - w) <= 2e-4);
    }
}

static void every_type_gives_the_declared_rows(void **state)
{
    static const pp_synth_type types[] = {PP_SYNTH_F16, PP_SYNTH_Q8_0, PP_SYNTH_Q4_0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(types); i++) {
        model m = {0};
        size_t width, rows;
        double *embedding, *output;

        write_and_open(&m, types[i]);
        embedding = read_matrix(&m, types[i], "token_embd.weight", &width, &rows);
        assert_int_equal(width, 256); /* 3 rows need 96, the next power of 4 is 256 */
        assert_int_equal(rows, VOCAB_SIZE);
        output = read_matrix(&m, types[i], "output.weight", &width, &rows);
        assert_int_equal(rows, VOCAB_SIZE);
        for (size_t row = 0; row < PP_COUNT_OF(declared); row++) {
            double p[VOCAB_SIZE];

            next_probabilities(embedding, output, width, declared[row].last_id, p);
            check_row(p, row);
        }
        free(embedding);
        free(output);
        close_and_remove(&m);
    }
}

static void attention_and_feed_forward_are_zero(void **state)
{
    static const pp_synth_type types[] = {PP_SYNTH_F16, PP_SYNTH_Q8_0, PP_SYNTH_Q4_0};
    static const char *const names[] = {"attn_q",   "attn_k", "attn_v",  "attn_output",
                                        "ffn_gate", "ffn_up", "ffn_down"};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(types); i++) {
        model m = {0};

        write_and_open(&m, types[i]);
        assert_int_equal(m.tensors.tensor_count, 12);
        for (size_t n = 0; n < PP_COUNT_OF(names); n++) {
            char name[64];
            size_t length, rows;
            double *weights;

            (void)snprintf(name, sizeof name, "blk.0.%s.weight", names[n]);
            weights = read_matrix(&m, types[i], name, &length, &rows);
            for (size_t k = 0; k < length * rows; k++)
                assert_true(weights[k] == 0);
            free(weights);
        }
        close_and_remove(&m);
    }
}

static void bytes_are_the_same_everywhere(void **state)
{
    static const struct {
        pp_synth_type type;
        const char *sha256;
    } rows[] = {
        {PP_SYNTH_F16, "761387ea67f0c91048519108b97e943685cbb0134550d211c6b331fd34979f76"},
        {PP_SYNTH_Q8_0, "7c128586e90f0d06782286e3936dbcafdf810bb73b8cf97b4d52e8ed9cfb79d4"},
        {PP_SYNTH_Q4_0, "6279beb98ec2b390050f770ae2bd7e6b77ef25272b77b3afd241e6e2c8d9f382"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        model m = {0};

        write_and_open(&m, rows[i].type);
        assert_string_equal(m.result.sha256, rows[i].sha256);
        close_and_remove(&m);
    }
}

static void the_file_says_what_it_is(void **state)
{
    model m = {0};
    pp_gguf gguf;
    pp_error err = {0};
    pp_buf template;
    const pp_json *root;
    pp_model_table table;

    (void)state;
    write_and_open(&m, PP_SYNTH_F16);
    assert_ok(pp_gguf_load(&m.arena, m.path, &gguf, &err), err);
    assert_string_equal(gguf.weights.data, "constructed");
    assert_string_equal(gguf.name.data, "small");
    assert_true(gguf.has_chat_template);
    assert_int_equal(gguf.tokenizer_token_count, VOCAB_SIZE);
    assert_int_equal(gguf.parameter_count, m.result.parameter_count);
    assert_int_equal(gguf.file_bytes, m.result.size_bytes);
    assert_non_null(pp_gguf_meta_find(&m.meta, PP_GGUF_KEY_TABLE));
    assert_null(pp_gguf_meta_find(&m.meta, PP_GGUF_KEY_SEED));

    pp_buf_init(&template, 256);
    assert_ok(pp_json_parse(&m.arena, "t", table_text, sizeof table_text - 1, &root, &err), err);
    assert_ok(pp_model_table_decode(&m.arena, root, &table, &err), err);
    pp_synth_table_put_template(&template, &table);
    assert_string_equal(pp_buf_text(&template), "{{ messages[-1]['content'] }}{{ \"c\\\"\" }}");
    pp_buf_done(&template);
    close_and_remove(&m);
}

static void the_logarithm_is_right_to_the_last_bits(void **state)
{
    double x = 1;

    (void)state;
    assert_true(pp_synth_table_log(1) == 0);
    assert_true(pp_synth_table_log(0.5) == -0.693147180559945309417);
    for (int i = 0; i < 20000; i++) {
        double want = log(x);

        if (fabs(pp_synth_table_log(x) - want) > 4e-16 * fabs(want) + 1e-16)
            fail_msg("log(%.17g): %.17g, expected %.17g", x, pp_synth_table_log(x), want);
        x *= 0.9993;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_gives_the_declared_rows),
        cmocka_unit_test(attention_and_feed_forward_are_zero),
        cmocka_unit_test(bytes_are_the_same_everywhere),
        cmocka_unit_test(the_file_says_what_it_is),
        cmocka_unit_test(the_logarithm_is_right_to_the_last_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
