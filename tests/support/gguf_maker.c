#include "gguf_maker.h"

#include <stdlib.h>
#include <string.h>

void mk_uint(gguf_bytes *g, uint64_t value, unsigned bytes)
{
    if (g->size + bytes > sizeof g->data)
        abort();
    for (unsigned i = 0; i < bytes; i++)
        g->data[g->size++] = (unsigned char)(value >> (8 * i));
}

void mk_text(gguf_bytes *g, const char *text)
{
    size_t size = strlen(text);

    mk_uint(g, size, 8);
    for (size_t i = 0; i < size; i++)
        mk_uint(g, (unsigned char)text[i], 1);
}

void mk_head(gguf_bytes *g, uint32_t version, uint64_t tensor_count, uint64_t key_count)
{
    g->size = 0;
    mk_uint(g, 'G' | 'G' << 8 | 'U' << 16 | 'F' << 24, 4);
    mk_uint(g, version, 4);
    mk_uint(g, tensor_count, 8);
    mk_uint(g, key_count, 8);
}

void mk_key(gguf_bytes *g, const char *key, uint32_t type)
{
    mk_text(g, key);
    mk_uint(g, type, 4);
}

void mk_key_u32(gguf_bytes *g, const char *key, uint32_t value)
{
    mk_key(g, key, 4);
    mk_uint(g, value, 4);
}

void mk_key_text(gguf_bytes *g, const char *key, const char *value)
{
    mk_key(g, key, 8);
    mk_text(g, value);
}

void mk_key_i32s(gguf_bytes *g, const char *key, const int32_t *values, uint64_t count)
{
    mk_key(g, key, 9);
    mk_uint(g, 5, 4);
    mk_uint(g, count, 8);
    for (uint64_t i = 0; i < count; i++)
        mk_uint(g, (uint32_t)values[i], 4);
}

void mk_tensor(gguf_bytes *g, const char *name, const uint64_t *dims, uint32_t type,
               uint64_t offset)
{
    uint32_t n_dims = 0;

    while (dims[n_dims] != 0)
        n_dims++;
    mk_text(g, name);
    mk_uint(g, n_dims, 4);
    for (uint32_t i = 0; i < n_dims; i++)
        mk_uint(g, dims[i], 8);
    mk_uint(g, type, 4);
    mk_uint(g, offset, 8);
}

void mk_data(gguf_bytes *g, size_t alignment, size_t size)
{
    while (g->size % alignment != 0)
        mk_uint(g, 0, 1);
    for (size_t i = 0; i < size; i++)
        mk_uint(g, 0, 1);
}

void mk_pocket(gguf_bytes *g)
{
    mk_head(g, 3, 5, 13);
    mk_key_text(g, "general.architecture", "llama");
    mk_key_text(g, "general.name", "pocket");
    mk_key_u32(g, "general.file_type", 7);
    mk_key_u32(g, "llama.context_length", 128);
    mk_key_u32(g, "llama.embedding_length", 64);
    mk_key_u32(g, "llama.block_count", 3);
    mk_key_u32(g, "llama.attention.head_count", 4);
    mk_key_u32(g, "llama.attention.head_count_kv", 2);
    mk_key_text(g, "tokenizer.ggml.model", "llama");
    mk_key(g, "tokenizer.ggml.tokens", 9); /* an array of strings */
    mk_uint(g, 8, 4);
    mk_uint(g, 2, 8);
    mk_text(g, "<unk>");
    mk_text(g, "a");
    mk_key(g, "tokenizer.ggml.add_bos_token", 7);
    mk_uint(g, 1, 1);
    mk_key(g, "llama.rope.freq_base", 6);
    mk_uint(g, 0x461c4000, 4); /* 10000.0f */
    mk_key_text(g, "tokenizer.chat_template", "{{ messages }}");
    mk_tensor(g, "token_embd.weight", (uint64_t[]){64, 8, 0}, 8, 0);      /* 16 blocks: 544 bytes */
    mk_tensor(g, "output_norm.weight", (uint64_t[]){64, 0}, 0, 544);      /* 256 bytes */
    mk_tensor(g, "output.weight", (uint64_t[]){64, 8, 0}, 1, 800);        /* 1024 bytes */
    mk_tensor(g, "blk.0.attn_q.weight", (uint64_t[]){64, 2, 0}, 2, 1824); /* 72 bytes */
    mk_tensor(g, "blk.0.attn_k.weight", (uint64_t[]){256, 1, 0}, 14, 1920); /* 210 bytes */
    mk_data(g, 32, 1920 + 210);
}
