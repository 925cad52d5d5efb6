#include "engine/gguf_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

pp_status pp_gguf_fail(uint64_t at, pp_status status, pp_error *err, const char *format, ...)
{
    char sentence[512];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args); /* cut texts are still useful */
    va_end(args);
    return pp_fail(err, status, "byte %" PRIu64 ": %s", at, sentence);
}

static pp_status fail_short(const pp_gguf_stream *s, uint64_t size, uint64_t left, const char *what,
                            pp_error *err)
{
    return pp_gguf_fail(s->offset, PP_ERR_SYNTAX, err,
                        "expected %" PRIu64 " bytes of %s, found %" PRIu64
                        " until the end of the file",
                        size, what, left);
}

pp_status pp_gguf_take(pp_gguf_stream *s, void *ret_bytes, size_t size, const char *what,
                       pp_error *err)
{
    uint64_t left = s->size - s->offset;
    size_t got;

    if (size > left)
        return fail_short(s, size, left, what, err);
    errno = 0;
    got = fread(ret_bytes, 1, size, s->file);
    if (got != size && ferror(s->file))
        return pp_fail_errno(err, PP_ERR_IO, errno, "reading at byte %" PRIu64, s->offset);
    if (got != size) /* the file has shrunk since its size was asked */
        return fail_short(s, size, got, what, err);
    s->offset += size;
    return PP_OK;
}

pp_status pp_gguf_take_u32(pp_gguf_stream *s, const char *what, uint32_t *ret_value, pp_error *err)
{
    unsigned char b[4];
    pp_status st = pp_gguf_take(s, b, sizeof b, what, err);

    if (st == PP_OK)
        *ret_value =
            (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return st;
}

pp_status pp_gguf_take_u64(pp_gguf_stream *s, const char *what, uint64_t *ret_value, pp_error *err)
{
    unsigned char b[8];
    pp_status st = pp_gguf_take(s, b, sizeof b, what, err);
    uint64_t value = 0;

    if (st != PP_OK)
        return st;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    *ret_value = value;
    return PP_OK;
}

pp_status pp_gguf_take_count(pp_gguf_stream *s, const char *what, uint64_t max, uint64_t item_bytes,
                             uint64_t *ret_count, pp_error *err)
{
    uint64_t at = s->offset;
    uint64_t count;
    uint64_t left;
    pp_status st = pp_gguf_take_u64(s, what, &count, err);

    if (st != PP_OK)
        return st;
    if (count > max)
        return pp_gguf_fail(at, PP_ERR_LIMIT, err,
                            "%s: found %" PRIu64 ", expected at most %" PRIu64, what, count, max);
    left = s->size - s->offset;
    if (count > left / item_bytes)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "%s: found %" PRIu64 " of at least %" PRIu64
                            " bytes each, expected no more than the %" PRIu64
                            " bytes until the end of the file",
                            what, count, item_bytes, left);
    *ret_count = count;
    return PP_OK;
}

pp_status pp_gguf_skip(pp_gguf_stream *s, uint64_t size, const char *what, pp_error *err)
{
    unsigned char scratch[16384];
    pp_status st = PP_OK;

    if (size > s->size - s->offset)
        return fail_short(s, size, s->size - s->offset, what, err);
    while (st == PP_OK && size > 0) {
        size_t piece = size < sizeof scratch ? (size_t)size : sizeof scratch;

        st = pp_gguf_take(s, scratch, piece, what, err);
        size -= piece;
    }
    return st;
}

pp_status pp_gguf_take_text(pp_gguf_stream *s, pp_arena *arena, const char *what,
                            uint64_t max_bytes, pp_text *ret_text, pp_error *err)
{
    uint64_t size;
    uint64_t at;
    char *data;
    pp_status st = pp_gguf_take_count(s, what, max_bytes, 1, &size, err);

    if (st != PP_OK)
        return st;
    data = pp_arena_alloc(arena, (size_t)size + 1, 1); /* zeroed: a NUL stands behind the text */
    if (data == NULL)
        return pp_arena_check(arena, err);
    at = s->offset;
    st = pp_gguf_take(s, data, (size_t)size, what, err);
    if (st != PP_OK)
        return st;
    if (!pp_utf8_is_valid(data, (size_t)size))
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err, "%s: expected UTF-8, found other bytes", what);
    *ret_text = (pp_text){data, (size_t)size};
    return PP_OK;
}
