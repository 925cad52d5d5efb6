/* text.h - UTF-8 text as pointer and length, and the few predicates the documents need.
 *
 * Text may hold a NUL; the byte behind its last one is a NUL too when it came from an arena, so
 * that it can be printed with "%s" where a cut at an inner NUL does no harm. */
#ifndef PP_BASE_TEXT_H
#define PP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"

typedef struct pp_text {
    const char *data; /* UTF-8; NULL only in a zeroed, absent text */
    size_t size;      /* bytes */
} pp_text;

/** The text of a C string, borrowed. Here, so that the length of a literal is no work. */
static inline pp_text pp_text_of(const char *c_string)
{
    return (pp_text){c_string, strlen(c_string)};
}

/** A copy in the arena, NUL behind it; a zeroed text when memory is short (arena->failed set). */
pp_text pp_text_dup(pp_arena *arena, pp_text text);

bool pp_text_equal(pp_text a, pp_text b);
bool pp_text_is(pp_text text, const char *c_string);
/** Equal but for the case of ASCII letters. */
bool pp_text_equal_ascii_case(pp_text a, pp_text b);

/** Order of UTF-8 bytes, which is the order of Unicode code points; a prefix comes first. */
int pp_text_compare(pp_text a, pp_text b);

/**
 * Empty, or nothing but Unicode white space: U+0009-000D, 001C-001F, 0020, 0085, 00A0, 1680,
 * 2000-200A, 2028, 2029, 202F, 205F, 3000.
 */
bool pp_text_is_blank(pp_text text);

/** The part between outer white space, as pp_text_is_blank knows it; borrowed. */
pp_text pp_text_strip(pp_text text);

/** Number of characters (code points) of valid UTF-8. */
size_t pp_text_character_count(pp_text text);

/** The first characters of valid UTF-8, at most `max_characters` of them; borrowed. */
pp_text pp_text_head(pp_text text, size_t max_characters);

/** Full case folding as Unicode defines it: "\u00df" becomes "ss". A zeroed text when memory is
 * short (arena->failed set); `text` must be valid UTF-8. */
pp_text pp_text_fold_case(pp_arena *arena, pp_text text);

/** Letter, mark or number of any script, as the Unicode category of a code point says. */
bool pp_code_is_word(long code);

/** The text with each run of white space as one blank, and none at its ends. */
pp_text pp_text_collapse(pp_arena *arena, pp_text text);

/** Well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF. */
bool pp_utf8_is_valid(const char *data, size_t size);

/**
 * Next code point of `data`, which need not be valid UTF-8.
 * ret_size gets the bytes taken (1 for an invalid byte). Returns -1 for an invalid byte.
 */
long pp_utf8_next(const char *data, size_t size, size_t *ret_size);

/**
 * Copy `raw` into `out` with control characters (C0, DEL, C1, line and paragraph separators, bidi
 * controls) and invalid bytes written as \xNN or \uNNNN, so that foreign text cannot drive a
 * terminal or a CI log. Cut with "..." when it does not fit. out_size >= 4. Always NUL-terminated.
 */
void pp_text_escape_controls(const char *raw, size_t raw_size, char *out, size_t out_size);

#endif
