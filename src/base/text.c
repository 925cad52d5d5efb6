#include "base/text.h"

#include <stdio.h>
#include <string.h>

pp_text pp_text_dup(pp_arena *arena, pp_text text)
{
    char *copy = pp_arena_dup(arena, text.data, text.size);

    return copy == NULL ? (pp_text){0} : (pp_text){copy, text.size};
}

bool pp_text_equal(pp_text a, pp_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

bool pp_text_is(pp_text text, const char *c_string)
{
    return pp_text_equal(text, pp_text_of(c_string));
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool pp_text_equal_ascii_case(pp_text a, pp_text b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++) {
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    }
    return true;
}

int pp_text_compare(pp_text a, pp_text b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);

    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

long pp_utf8_next(const char *data, size_t size, size_t *ret_size)
{
    /* smallest code point that needs a sequence of this length: anything lower is overlong */
    static const long smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)data;
    size_t length;
    long code;

    *ret_size = 1;
    PP_ASSERT(size > 0);
    if (at[0] < 0x80)
        return at[0];
    if ((at[0] & 0xe0) == 0xc0) {
        length = 2;
        code = at[0] & 0x1f;
    } else if ((at[0] & 0xf0) == 0xe0) {
        length = 3;
        code = at[0] & 0x0f;
    } else if ((at[0] & 0xf8) == 0xf0) {
        length = 4;
        code = at[0] & 0x07;
    } else {
        return -1;
    }
    if (size < length)
        return -1;
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(at[i]))
            return -1;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (code < smallest[length] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        return -1;
    *ret_size = length;
    return code;
}

bool pp_utf8_is_valid(const char *data, size_t size)
{
    size_t step;

    for (size_t at = 0; at < size; at += step) {
        if (pp_utf8_next(data + at, size - at, &step) < 0)
            return false;
    }
    return true;
}

static bool is_white_space(long code)
{
    return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85 ||
           code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

size_t pp_text_character_count(pp_text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++)
        count += !is_continuation((unsigned char)text.data[i]);
    return count;
}

pp_text pp_text_head(pp_text text, size_t max_characters)
{
    size_t count = 0;
    size_t size = 0;

    for (; size < text.size; size++) {
        count += !is_continuation((unsigned char)text.data[size]);
        if (count > max_characters)
            break;
    }
    return (pp_text){text.data, size};
}

bool pp_text_is_blank(pp_text text)
{
    size_t step;

    for (size_t at = 0; at < text.size; at += step) {
        if (!is_white_space(pp_utf8_next(text.data + at, text.size - at, &step)))
            return false;
    }
    return true;
}

pp_text pp_text_strip(pp_text text)
{
    size_t first = text.size;
    size_t end = 0;
    size_t step;

    for (size_t at = 0; at < text.size; at += step) {
        if (is_white_space(pp_utf8_next(text.data + at, text.size - at, &step)))
            continue;
        if (end == 0)
            first = at;
        end = at + step;
    }
    return end == 0 ? (pp_text){text.data, 0} : (pp_text){text.data + first, end - first};
}

pp_text pp_text_collapse(pp_arena *arena, pp_text text)
{
    pp_text inner = pp_text_strip(text);
    char *out = pp_arena_alloc(arena, inner.size + 1, 1);
    size_t size = 0;
    size_t step;

    for (size_t at = 0; out != NULL && at < inner.size; at += step) {
        if (!is_white_space(pp_utf8_next(inner.data + at, inner.size - at, &step))) {
            memcpy(out + size, inner.data + at, step);
            size += step;
        } else if (out[size - 1] != ' ') { /* the first character is none */
            out[size++] = ' ';
        }
    }
    return out == NULL ? (pp_text){0} : (pp_text){out, size};
}

static bool drives_a_terminal(long code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029 ||
           code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* The shown form of the code point at `raw`; returns its length, ret_step what it took. */
static size_t escape_one(const char *raw, size_t size, char piece[8], size_t *ret_step)
{
    long code = pp_utf8_next(raw, size, ret_step);

    if (code < 0)
        return (size_t)snprintf(piece, 8, "\\x%02x", (unsigned char)raw[0]);
    if (drives_a_terminal(code))
        return (size_t)snprintf(piece, 8, "\\u%04lx", (unsigned long)code);
    memcpy(piece, raw, *ret_step);
    return *ret_step;
}

static bool fits_escaped(const char *raw, size_t raw_size, size_t room)
{
    char piece[8];
    size_t step;
    size_t used = 0;

    for (size_t at = 0; at < raw_size && used <= room; at += step)
        used += escape_one(raw + at, raw_size - at, piece, &step);
    return used <= room;
}

void pp_text_escape_controls(const char *raw, size_t raw_size, char *out, size_t out_size)
{
    static const char ellipsis[] = "...";
    size_t room = out_size - 1;
    bool whole = fits_escaped(raw, raw_size, room);
    size_t used = 0;
    size_t step;

    PP_ASSERT(out_size >= sizeof ellipsis);
    if (!whole)
        room -= sizeof ellipsis - 1;
    for (size_t at = 0; at < raw_size; at += step) {
        char piece[8];
        size_t length = escape_one(raw + at, raw_size - at, piece, &step);

        if (length > room - used)
            break;
        memcpy(out + used, piece, length);
        used += length;
    }
    memcpy(out + used, ellipsis, whole ? 0 : sizeof ellipsis - 1);
    out[used + (whole ? 0 : sizeof ellipsis - 1)] = '\0';
}
