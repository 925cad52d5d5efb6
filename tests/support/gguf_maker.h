/* gguf_maker.h - GGUF bytes written by hand, right or wrong. Shares no code with the reader. */
#ifndef PP_TESTS_GGUF_MAKER_H
#define PP_TESTS_GGUF_MAKER_H

#include <stddef.h>
#include <stdint.h>

typedef struct gguf_bytes {
    unsigned char data[16384];
    size_t size;
} gguf_bytes;

void mk_uint(gguf_bytes *g, uint64_t value, unsigned bytes);
void mk_text(gguf_bytes *g, const char *text);
void mk_head(gguf_bytes *g, uint32_t version, uint64_t tensor_count, uint64_t key_count);
void mk_key(gguf_bytes *g, const char *key, uint32_t type);
void mk_key_u32(gguf_bytes *g, const char *key, uint32_t value);
void mk_key_text(gguf_bytes *g, const char *key, const char *value);
/** An array of 32-bit integers. */
void mk_key_i32s(gguf_bytes *g, const char *key, const int32_t *values, uint64_t count);
/** dims ends with a 0 that is not written. */
void mk_tensor(gguf_bytes *g, const char *name, const uint64_t *dims, uint32_t type,
               uint64_t offset);
/** Zeros up to the alignment, then `size` more: the tensor data. */
void mk_data(gguf_bytes *g, size_t alignment, size_t size);

/** A complete small model: tests/fixtures/gguf/pocket.gguf. */
void mk_pocket(gguf_bytes *g);

#endif
