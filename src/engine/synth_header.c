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

enum { GENERAL_KEYS = 9, LLAMA_KEYS = 12, TOKENIZER_KEYS = 9 };

static void put_general(pp_buf *buf, const pp_synth_request *request)
{
    static const uint32_t file_types[] = {
        [PP_SYNTH_F16] = PP_GGUF_FILE_TYPE_F16,
        [PP_SYNTH_Q8_0] = PP_GGUF_FILE_TYPE_Q8_0,
        [PP_SYNTH_Q4_0] = PP_GGUF_FILE_TYPE_Q4_0,
    };
    char name[128] = "synthetic-";

    strncat(name, request->shape->name, sizeof name - strlen(name) - 1);
    put_key_text(buf, "general.architecture", "llama");
    put_key_text(buf, "general.type", "model");
    put_key_text(buf, "general.name", name);
    put_key_u32(buf, "general.file_type", file_types[request->type]);
    put_key_u32(buf, "general.quantization_version", GENERAL_QUANTIZATION_VERSION);
    put_key_u32(buf, "general.alignment", PP_SYNTH_ALIGNMENT);
    put_key_text(buf, PP_GGUF_KEY_WEIGHTS, "synthetic");
    put_key_text(buf, PP_GGUF_KEY_SHAPE, request->shape->name);
    put_key(buf, PP_GGUF_KEY_SEED, PP_GGUF_U64);
    put_uint(buf, request->seed, 8);
}

static void put_llama(pp_buf *buf, const pp_shape *shape)
{
    uint32_t head_length = pp_shape_head_length(shape);

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

static void put_tokenizer(pp_buf *buf, uint32_t vocab_size)
{
    char text[PP_SYNTH_PIECE_BYTES];

    put_key_text(buf, "tokenizer.ggml.model", "llama");
    put_key_array(buf, "tokenizer.ggml.tokens", PP_GGUF_STRING, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++) {
        put_uint(buf, pp_synth_token_text(id, text), 8);
        pp_buf_append_text(buf, text);
    }
    put_key_array(buf, "tokenizer.ggml.scores", PP_GGUF_F32, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++)
        put_f32(buf, pp_synth_token_score(id));
    put_key_array(buf, "tokenizer.ggml.token_type", PP_GGUF_I32, vocab_size);
    for (uint32_t id = 0; id < vocab_size; id++)
        put_uint(buf, (uint32_t)pp_synth_token_type(id), 4);
    put_key_u32(buf, "tokenizer.ggml.unknown_token_id", PP_SYNTH_UNK_ID);
    put_key_u32(buf, "tokenizer.ggml.bos_token_id", PP_SYNTH_BOS_ID);
    put_key_u32(buf, "tokenizer.ggml.eos_token_id", PP_SYNTH_EOS_ID);
    put_key_bool(buf, "tokenizer.ggml.add_bos_token", true);
    put_key_bool(buf, "tokenizer.ggml.add_eos_token", false);
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

void pp_synth_header_put(pp_buf *buf, const pp_synth_request *request, const pp_synth_plan *plan)
{
    pp_buf_append_text(buf, "GGUF");
    put_uint(buf, GGUF_VERSION, 4);
    put_uint(buf, plan->tensor_count, 8);
    put_uint(buf, GENERAL_KEYS + LLAMA_KEYS + TOKENIZER_KEYS, 8);
    put_general(buf, request);
    put_llama(buf, request->shape);
    put_tokenizer(buf, request->shape->vocab_size);
    for (size_t i = 0; i < plan->tensor_count; i++)
        put_tensor(buf, &plan->tensors[i]);
    while (buf->status == PP_OK && buf->size % PP_SYNTH_ALIGNMENT != 0)
        pp_buf_append_char(buf, '\0');
}
