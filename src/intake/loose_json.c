#include "intake/loose_json.h"

#include <string.h>

/* Private-use code points: 256 for bytes, 2,048 for surrogates. */
#define BYTE_BASE      0x10F700L
#define SURROGATE_BASE 0x10E000L

static void append_code_point(pp_buf *out, long code)
{
    if (code >= 0x10000)
        pp_buf_append_char(out, (char)(0xF0 | code >> 18));
    pp_buf_append_char(out,
                       (char)(code >= 0x10000 ? 0x80 | (code >> 12 & 0x3F) : 0xE0 | code >> 12));
    pp_buf_append_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
    pp_buf_append_char(out, (char)(0x80 | (code & 0x3F)));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The number behind a \u at `at`; -1 when there is none. */
static long unicode_escape(const char *at, size_t size)
{
    long code = 0;

    if (size < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(at[i]);

        if (digit < 0)
            return -1;
        code = code << 4 | digit;
    }
    return code;
}

static bool is_high(long code)
{
    return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low(long code)
{
    return code >= 0xDC00 && code <= 0xDFFF;
}

/* Copies the escape at `at`, lifting a lone surrogate; returns the bytes taken. */
static size_t lift_escape(pp_buf *out, const char *at, size_t size)
{
    long code = unicode_escape(at, size);
    size_t taken = size < 2 ? size : 2;

    if (is_high(code) && is_low(unicode_escape(at + 6, size - 6))) {
        taken = 12;
    } else if (is_high(code) || is_low(code)) {
        append_code_point(out, SURROGATE_BASE + (code - 0xD800));
        return 6;
    }
    pp_buf_append(out, at, taken);
    return taken;
}

static void lift(pp_buf *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t taken = 1;

        if (bytes[i] == '\\') {
            i += lift_escape(out, bytes + i, size - i);
            continue;
        }
        if (pp_utf8_next(bytes + i, size - i, &taken) < 0)
            append_code_point(out, BYTE_BASE + (unsigned char)bytes[i]);
        else
            pp_buf_append(out, bytes + i, taken);
        i += taken;
    }
}

/* A second time, with what strict JSON refuses lifted. True when that was the matter. */
static bool parse_lifted(pp_arena *arena, const char *name, pp_bytes bytes,
                         const pp_json **ret_root)
{
    pp_error again = {0};
    bool parsed = false;
    pp_buf lifted;

    pp_buf_init(&lifted, 4 * bytes.size + 16);
    lift(&lifted, (const char *)bytes.data, bytes.size);
    if (lifted.status == PP_OK &&
        (lifted.size != bytes.size || memcmp(lifted.data, bytes.data, bytes.size) != 0))
        parsed = pp_json_parse(arena, name, pp_buf_text(&lifted), lifted.size, ret_root, &again) ==
                 PP_OK;
    pp_buf_done(&lifted);
    return parsed;
}

pp_status pp_loose_json_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                              const pp_json **ret_root, bool *ret_lifted, pp_error *err)
{
    pp_status st = pp_json_parse(arena, name, (const char *)bytes.data, bytes.size, ret_root, err);

    *ret_lifted = st == PP_ERR_SYNTAX && parse_lifted(arena, name, bytes, ret_root);
    return *ret_lifted ? PP_OK : st;
}

void pp_loose_append(pp_buf *out, pp_text text)
{
    for (size_t i = 0; i < text.size;) {
        size_t taken;
        long code = pp_utf8_next(text.data + i, text.size - i, &taken);

        if (code >= BYTE_BASE && code < BYTE_BASE + 256)
            pp_buf_append_char(out, (char)(code - BYTE_BASE));
        else if (code >= SURROGATE_BASE && code < SURROGATE_BASE + 2048)
            append_code_point(out, 0xD800 + (code - SURROGATE_BASE));
        else
            pp_buf_append(out, text.data + i, taken);
        i += taken;
    }
}

/* The surrogate whose three bytes stand at `at`; -1 when none does. */
static long surrogate_at(const unsigned char *at, size_t size)
{
    if (size < 3 || at[0] != 0xED || at[1] < 0xA0 || at[1] > 0xBF || at[2] < 0x80 || at[2] > 0xBF)
        return -1;
    return 0xD000 | (long)(at[1] & 0x3F) << 6 | (long)(at[2] & 0x3F);
}

size_t pp_loose_join_surrogates(char *bytes, size_t size)
{
    unsigned char *text = (unsigned char *)bytes;
    size_t out = 0;

    for (size_t i = 0; i < size;) {
        long high = surrogate_at(text + i, size - i);
        long low = is_high(high) ? surrogate_at(text + i + 3, size - i - 3) : -1;

        if (is_low(low)) {
            long code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);

            text[out++] = (unsigned char)(0xF0 | code >> 18);
            text[out++] = (unsigned char)(0x80 | (code >> 12 & 0x3F));
            text[out++] = (unsigned char)(0x80 | (code >> 6 & 0x3F));
            text[out++] = (unsigned char)(0x80 | (code & 0x3F));
            i += 6;
        } else {
            text[out++] = text[i++];
        }
    }
    return out;
}
