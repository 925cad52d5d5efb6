/* gguf_stream.h - little-endian values from a file, each checked against what is left of it. */
#ifndef PP_ENGINE_GGUF_STREAM_H
#define PP_ENGINE_GGUF_STREAM_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

typedef struct pp_gguf_stream {
    FILE *file;
    uint64_t offset; /* of the next byte */
    uint64_t size;   /* of the file */
} pp_gguf_stream;

/** "byte N: <sentence>"; who opened the file puts its name in front. Always returns `status`. */
pp_status pp_gguf_fail(uint64_t at, pp_status status, pp_error *err, const char *format, ...)
    PP_PRINTF(4, 5);

/* `what` names the value in "expected 8 bytes of the tensor count, found 3 until the end". */
PP_MUST_CHECK pp_status pp_gguf_take(pp_gguf_stream *s, void *ret_bytes, size_t size,
                                     const char *what, pp_error *err);
PP_MUST_CHECK pp_status pp_gguf_take_u32(pp_gguf_stream *s, const char *what, uint32_t *ret_value,
                                         pp_error *err);
PP_MUST_CHECK pp_status pp_gguf_take_u64(pp_gguf_stream *s, const char *what, uint64_t *ret_value,
                                         pp_error *err);
/** A length or count: at most `max`, and at least `item_bytes` bytes of the file left for each. */
PP_MUST_CHECK pp_status pp_gguf_take_count(pp_gguf_stream *s, const char *what, uint64_t max,
                                           uint64_t item_bytes, uint64_t *ret_count, pp_error *err);
PP_MUST_CHECK pp_status pp_gguf_skip(pp_gguf_stream *s, uint64_t size, const char *what,
                                     pp_error *err);
/** A length and that many bytes of UTF-8, kept in the arena. */
PP_MUST_CHECK pp_status pp_gguf_take_text(pp_gguf_stream *s, pp_arena *arena, const char *what,
                                          uint64_t max_bytes, pp_text *ret_text, pp_error *err);

#endif
