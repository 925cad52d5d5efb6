/* Source of the layout: the GGUF specification of ggml, version 3. */
#include "engine/synth_header.h"

#include <string.h>

#include "engine/gguf_types.h"
#include "engine/synth_vocab.h"

#define GGUF_VERSION                 3
#define GENERAL_QUANTIZATION_VERSION 2 /* of the block formats; ggml's current one */

static void put_uint(pp_buf *buf, uint64_t value, unsigned bytes)
{
    unsigned char little_endian[8];

    for (unsigned i = 0; i < bytes; i++)
        little_endian[i] = (unsigned char)(value >> (8 * i));
    pp_buf_append(buf, little_endian, bytes);
}

static void put_f32(pp_buf *buf, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_uint(buf, bits, 4);
}

static void put_text(pp_buf *buf, const char *text)
{
    put_uint(buf, strlen(text), 8);
    pp_buf_append_text(buf, text);
}

static void put_key(pp_buf *buf, const char *key, uint32_t value_type)
{
    put_text(buf, key);
    put_uint(buf, value_type, 4);
}

static void put_key_text(pp_buf *buf, const char *key, const char *value)
{
    put_key(buf, key, PP_GGUF_STRING);
    put_text(buf, value);
}

static void put_key_u32(pp_buf *buf, const char *key, uint32_t value)
{
    put_key(buf, key, PP_GGUF_U32);
    put_uint(buf, value, 4);
}

static void put_key_f32(pp_buf *buf, const char *key, float value)
{
    put_key(buf, key, PP_GGUF_F32);
    put_f32(buf, value);
}

static void put_key_bool(pp_buf *buf, const char *key, bool value)
{
    put_key(buf, key, PP_GGUF_BOOL);
    put_uint(buf, value, 1);
}

static void put_key_array(pp_buf *buf, const char *key, uint32_t item_type, uint64_t count)
{
    put_key(buf, key, PP_GGUF_ARRAY);
    put_uint(buf, item_type, 4);
    put_uint(buf, count, 8);
}

static void put_sized_text(pp_buf *buf, pp_text text)
{
    put_uint(buf, text.size, 8);
    pp_buf_append(buf, text.data, text.size);
}

enum {
    GENERAL_KEYS = 6,
    SHAPE_KEYS = 3,
    TABLE_KEYS = 2,
    LLAMA_KEYS = 12,
    TOKENIZER_KEYS = 9,
    TABLE_TOKENIZER_KEYS = 2
};

static void put_general(pp_buf *buf, const pp_synth_request *request, const char *name)
{
    static const uint32_t file_types[] = {
        [PP_SYNTH_F16] = PP_GGUF_FILE_TYPE_F16,
        [PP_SYNTH_Q8_0] = PP_GGUF_FILE_TYPE_Q8_0,
        [PP_SYNTH_Q4_0] = PP_GGUF_FILE_TYPE_Q4_0,
    };

    put_key_text(buf, "general.architecture", "llama");
    put_key_text(buf, "general.type", "model");
    put_key_text(buf, "general.name", name);
    put_key_u32(buf, "general.file_type", file_types[request->type]);
    put_key_u32(buf, "general.quantization_version", GENERAL_QUANTIZATION_VERSION);
    put_key_u32(buf, "general.alignment", PP_SYNTH_ALIGNMENT);
}

static void put_shape_keys(pp_buf *buf, const pp_synth_request *request)
{
    char name[128] = "synthetic-";

    strncat(name, request->shape->name, sizeof name - strlen(name) - 1);
    put_general(buf, request, name);
    put_key_text(buf, PP_GGUF_KEY_WEIGHTS, "synthetic");
    put_key_text(buf, PP_GGUF_KEY_SHAPE, request->shape->name);
    put_key(buf, PP_GGUF_KEY_SEED, PP_GGUF_U64);
    put_uint(buf, request->seed, 8);
}

static void put_table_keys(pp_buf *buf, const pp_synth_request *request)
{
    put_general(buf, request, request->table->name.data);
    put_key_text(buf, PP_GGUF_KEY_WEIGHTS, "constructed");
    put_key_text(buf, PP_GGUF_KEY_TABLE, request->table->name.data);
}

static void put_llama(pp_buf *buf, const pp_shape *shape)
{
    uint32_t head_length = shape->head_length;

    put_key_u32(buf, "llama.context_length", shape->context_length);
    put_key_u32(buf, "llama.embedding_length", shape->embedding_length);
    put_key_u32(buf, "llama.block_count", shape->block_count);
    put_key_u32(buf, "llama.feed_forward_length", shape->feed_forward_length);
    put_key_u32(buf, "llama.attention.head_count", shape->head_count);
    put_key_u32(buf, "llama.attention.head_count_kv", shape->head_count_kv);
    put_key_u32(buf, "llama.attention.key_length", head_length);
    put_key_u32(buf, "llama.attention.value_length", head_length);
    put_key_f32(buf, "llama.attention.layer_norm_rms_epsilon", shape->rms_epsilon);
    put_key_f32(buf, "llama.rope.freq_base", shape->rope_freq_base);
    put_key_u32(buf, "llama.rope.dimension_count", head_length);
    put_key_u32(buf, "llama.vocab_size", shape->vocab_size);
}

typedef struct token {
    char scratch[PP_SYNTH_PIECE_BYTES];
    pp_text text;
    int32_t type;
    float score;
} token;

static void get_token(const pp_synth_table *table, uint32_t id, token *ret_token)
{
    ret_token->score = pp_synth_token_score(id);
    if (table != NULL) {
        ret_token->text = pp_synth_table_token(table, id, ret_token->scratch, &ret_token->type);
        return;
    }
    ret_token->text = (pp_text){ret_token->scratch, pp_synth_token_text(id, ret_token->scratch)};
    ret_token->type = pp_synth_token_type(id);
}

static void put_vocabulary(pp_buf *buf, const pp_synth_table *table, uint32_t vocab_size)
{
    token t;

    put_key_array(buf, "tokenizer.ggml.tokens", PP_GGUF_STRING, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++) {
        get_token(table, id, &t);
        put_sized_text(buf, t.text);
    }
    put_key_array(buf, "tokenizer.ggml.scores", PP_GGUF_F32, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++) {
        get_token(table, id, &t);
        put_f32(buf, t.score);
    }
    put_key_array(buf, "tokenizer.ggml.token_type", PP_GGUF_I32, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++) {
        get_token(table, id, &t);
        put_uint(buf, (uint32_t)t.type, 4);
    }
}

static void put_tokenizer(pp_buf *buf, const pp_synth_table *table, uint32_t vocab_size)
{
    put_key_text(buf, "tokenizer.ggml.model", "llama");
    put_vocabulary(buf, table, vocab_size);
    put_key_u32(buf, "tokenizer.ggml.unknown_token_id", PP_SYNTH_UNK_ID);
    put_key_u32(buf, "tokenizer.ggml.bos_token_id", PP_SYNTH_BOS_ID);
    put_key_u32(buf, "tokenizer.ggml.eos_token_id", PP_SYNTH_EOS_ID);
    put_key_bool(buf, "tokenizer.ggml.add_bos_token", true);
    put_key_bool(buf, "tokenizer.ggml.add_eos_token", false);
}

/* A space in front of every prompt would be a token of its own. */
static void put_table_tokenizer(pp_buf *buf, const pp_model_table *table)
{
    pp_buf text;

    pp_buf_init(&text, PP_SYNTH_TEMPLATE_MAX_BYTES);
    pp_synth_table_put_template(&text, table);
    put_key_bool(buf, "tokenizer.ggml.add_space_prefix", false);
    put_key_text(buf, "tokenizer.chat_template", pp_buf_text(&text));
    if (text.status != PP_OK)
        buf->status = text.status;
    pp_buf_done(&text);
}

static void put_tensor(pp_buf *buf, const pp_synth_tensor *tensor)
{
    put_text(buf, tensor->name);
    put_uint(buf, tensor->n_dims, 4);
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        put_uint(buf, tensor->dims[i], 8);
    put_uint(buf, tensor->ggml_type, 4);
    put_uint(buf, (uint64_t)tensor->offset_bytes, 8);
}

void pp_synth_header_put(pp_buf *buf, const pp_synth_request *request, const pp_synth_table *table,
                         const pp_synth_plan *plan)
{
    const pp_shape *shape = table != NULL ? &table->shape : request->shape;
    unsigned own_keys = table != NULL ? TABLE_KEYS + TABLE_TOKENIZER_KEYS : SHAPE_KEYS;

    pp_buf_append_text(buf, "GGUF");
    put_uint(buf, GGUF_VERSION, 4);
    put_uint(buf, plan->tensor_count, 8);
    put_uint(buf, GENERAL_KEYS + own_keys + LLAMA_KEYS + TOKENIZER_KEYS, 8);
    if (table != NULL)
        put_table_keys(buf, request);
    else
        put_shape_keys(buf, request);
    put_llama(buf, shape);
    put_tokenizer(buf, table, shape->vocab_size);
    if (table != NULL)
        put_table_tokenizer(buf, table->table);
    for (size_t i = 0; i < plan->tensor_count; i++)
        put_tensor(buf, &plan->tensors[i]);
    while (buf->status == PP_OK && buf->size % PP_SYNTH_ALIGNMENT != 0)
        pp_buf_append_char(buf, '\0');
}
