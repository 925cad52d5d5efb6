/* A needle that stands in the answer as words of its own. */
#include <string.h>

#include "quality/match_parts.h"

#define MINUS_SIGN 0x2212

/* The code point that ends at `end`, -1 at the start of the text. ret_start gets where it begins.
 */
static long code_before(pp_text text, size_t end, size_t *ret_start)
{
    size_t start = end;
    size_t step;

    if (end == 0)
        return -1;
    do
        start--;
    while (start > 0 && ((unsigned char)text.data[start] & 0xc0) == 0x80);
    *ret_start = start;
    return pp_utf8_next(text.data + start, end - start, &step);
}

static long code_at(pp_text text, size_t start, size_t *ret_size)
{
    return start >= text.size ? -1 : pp_utf8_next(text.data + start, text.size - start, ret_size);
}

static bool is_digit(long code)
{
    return code >= '0' && code <= '9';
}

static bool is_point(long code)
{
    return code == '.' || code == ',';
}

/* Does what stands in front of `start` belong to the word or number that begins there? */
static bool goes_on_before(pp_text text, size_t start)
{
    size_t before = 0;
    size_t unused;
    long inner = code_at(text, start, &unused);
    long outer = code_before(text, start, &before);

    if (!pp_code_is_word(inner))
        return false;
    if (pp_code_is_word(outer) || outer == '_')
        return true;
    if (!is_digit(inner))
        return false;
    return outer == '-' || outer == MINUS_SIGN ||
           (is_point(outer) && is_digit(code_before(text, before, &unused)));
}

static bool goes_on_behind(pp_text text, size_t end)
{
    size_t unused;
    size_t size = 0;
    long inner = code_before(text, end, &unused);
    long outer = code_at(text, end, &size);

    if (!pp_code_is_word(inner))
        return false;
    if (pp_code_is_word(outer) || outer == '_')
        return true;
    return is_digit(inner) && is_point(outer) && is_digit(code_at(text, end + size, &unused));
}

static bool stands_in(pp_text needle, pp_text text)
{
    for (size_t at = 0; at + needle.size <= text.size; at++) {
        if (memcmp(text.data + at, needle.data, needle.size) == 0 && !goes_on_before(text, at) &&
            !goes_on_behind(text, at + needle.size))
            return true;
    }
    return false;
}

pp_status match_contains(pp_arena *arena, const match_pair *pair, bool *ret_matched, pp_error *err)
{
    pp_text needle = pp_text_strip(pair->accepted);
    pp_text answer = pair->answer;

    if (pair->rule->ignore_case) {
        needle = pp_text_fold_case(arena, needle);
        answer = pp_text_fold_case(arena, answer);
    }
    *ret_matched = !arena->failed && needle.size > 0 && stands_in(needle, answer);
    return pp_arena_check(arena, err);
}
