/* pattern.h - regular expressions over whole texts, in time and memory that are known beforehand.
 *
 * POSIX extended expressions without what POSIX leaves undefined and without back-references:
 *
 *     characters   .   [a-z_]   [^0-9]   [[:alpha:]]   \. and \ before any other ASCII punctuation
 *     groups ( )   |   * + ? {3} {3,} {3,5}   ^ $
 *
 * The C library's regcomp is not used: a pattern of 20 bytes can make it take all memory, its
 * states grow with the text, and what a character is depends on the locale. Here a character is a
 * code point, classes are those of ASCII, `.` is any character, and a text of n characters costs at
 * most n times PP_PATTERN_MAX_STATES steps. */
#ifndef PP_BASE_PATTERN_H
#define PP_BASE_PATTERN_H

#include "base/text.h"

#define PP_PATTERN_MAX_BYTES  256  /* of the source: longer ones are programs */
#define PP_PATTERN_MAX_REPEAT 255  /* as RE_DUP_MAX of POSIX */
#define PP_PATTERN_MAX_DEPTH  32   /* groups in groups */
#define PP_PATTERN_MAX_STATES 2000 /* what repetitions multiply to */

typedef struct pp_pattern pp_pattern;

/**
 * Read an expression; the result lives in `arena` and needs nothing of `source` any more.
 * Fails with PP_ERR_SYNTAX or PP_ERR_LIMIT "byte 7: ...", counted from 1.
 */
PP_MUST_CHECK pp_status pp_pattern_compile(pp_arena *arena, pp_text source,
                                           const pp_pattern **ret_pattern, pp_error *err);

/** Whether the expression matches the whole text; one that is not valid UTF-8 matches nothing.
 * Scratch memory is taken from `arena`. Fails with PP_ERR_MEMORY only. */
PP_MUST_CHECK pp_status pp_pattern_match(pp_arena *arena, const pp_pattern *pattern, pp_text text,
                                         bool *ret_matches, pp_error *err);

#endif
