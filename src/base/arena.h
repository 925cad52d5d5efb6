/* arena.h - memory that ends all at once.
 *
 * A document lives in one arena: every string and array of it is allocated here and one
 * pp_arena_done ends them all. A zeroed pp_arena is valid and empty. Not thread-safe. */
#ifndef PP_BASE_ARENA_H
#define PP_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct pp_arena_block pp_arena_block;

typedef struct pp_arena {
    pp_arena_block *blocks; /* newest first */
    size_t used_bytes;      /* handed out, alignment included */
    bool failed;            /* an allocation was refused; stays set, so builders check once */
} pp_arena;

/** Release everything. Accepts NULL, zeroed and already ended arenas. */
void pp_arena_done(pp_arena *arena);

/** Forget everything but keep the newest block, for the next of many small uses. */
void pp_arena_clear(pp_arena *arena);

/**
 * Zeroed memory for `count` items of `size` bytes, aligned for any type; NULL when there is none or
 * when the product overflows (arena->failed is then set). A request for 0 bytes gives a valid
 * pointer that must not be read.
 */
void *pp_arena_alloc(pp_arena *arena, size_t count, size_t size);

#define PP_ARENA_NEW(arena, type, count) ((type *)pp_arena_alloc((arena), (count), sizeof(type)))

/** A copy of `size` bytes with a NUL behind them; NULL when there is no memory. */
char *pp_arena_dup(pp_arena *arena, const char *bytes, size_t size);

/** A formatted, NUL-terminated string in the arena; NULL when there is no memory. */
char *pp_arena_printf(pp_arena *arena, const char *format, ...) PP_PRINTF(2, 3);

/** Everything of `other` lives in `arena` from now on; `other` is empty again. */
void pp_arena_join(pp_arena *arena, pp_arena *other);

/** PP_ERR_MEMORY when any allocation of this arena was refused. */
PP_MUST_CHECK pp_status pp_arena_check(const pp_arena *arena, pp_error *err);

#endif
