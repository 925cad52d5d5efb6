#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"

#define FIRST_BLOCK_BYTES ((size_t)4096)
#define MAX_BLOCK_BYTES   ((size_t)1 << 20)

struct pp_arena_block {
    pp_arena_block *older;
    size_t capacity;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

static pp_arena_block *add_block(pp_arena *arena, size_t need)
{
    size_t capacity = arena->blocks == NULL ? FIRST_BLOCK_BYTES : arena->blocks->capacity * 2;
    pp_arena_block *block;

    if (capacity > MAX_BLOCK_BYTES)
        capacity = MAX_BLOCK_BYTES;
    if (capacity < need)
        capacity = need;
    if (capacity > SIZE_MAX - sizeof *block)
        return NULL;
    block = pp_fail_nth_malloc(sizeof *block + capacity);
    if (block == NULL)
        return NULL;
    block->older = arena->blocks;
    block->capacity = capacity;
    block->used = 0;
    arena->blocks = block;
    return block;
}

void pp_arena_done(pp_arena *arena)
{
    if (arena == NULL)
        return;
    while (arena->blocks != NULL) {
        pp_arena_block *older = arena->blocks->older;

        free(arena->blocks);
        arena->blocks = older;
    }
    memset(arena, 0, sizeof *arena);
}

void pp_arena_clear(pp_arena *arena)
{
    pp_arena_block *kept = arena->blocks;
    pp_arena older = {0};

    if (kept != NULL) {
        older.blocks = kept->older;
        kept->older = NULL;
        kept->used = 0;
    }
    pp_arena_done(&older);
    *arena = (pp_arena){.blocks = kept};
}

/* Aligned, with whatever it held before; *ret_bytes gets how many there are. */
static void *take(pp_arena *arena, size_t count, size_t size, size_t *ret_bytes)
{
    const size_t align = alignof(max_align_t);
    pp_arena_block *block = arena->blocks;
    size_t need;
    void *at;

    if (__builtin_mul_overflow(count, size, &need) || need > SIZE_MAX - align) {
        arena->failed = true;
        return NULL;
    }
    need = (need + align - 1) / align * align;
    if (need == 0)
        need = align;
    if (block == NULL || block->capacity - block->used < need)
        block = add_block(arena, need);
    if (block == NULL) {
        arena->failed = true;
        return NULL;
    }
    at = block->bytes + block->used;
    block->used += need;
    arena->used_bytes += need;
    *ret_bytes = need;
    return at;
}

void *pp_arena_alloc(pp_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    void *at = take(arena, count, size, &bytes);

    if (at != NULL)
        memset(at, 0, bytes);
    return at;
}

char *pp_arena_dup(pp_arena *arena, const char *bytes, size_t size)
{
    size_t taken;
    char *copy = size == SIZE_MAX ? NULL : take(arena, size + 1, 1, &taken);

    if (copy == NULL) {
        arena->failed = true;
        return NULL;
    }
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *pp_arena_printf(pp_arena *arena, const char *format, ...)
{
    va_list args;
    int length;
    char *text;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        arena->failed = true;
        return NULL;
    }
    text = pp_arena_alloc(arena, (size_t)length + 1, 1);
    if (text == NULL)
        return NULL;
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

/* Its blocks go behind ours, so that ours is filled further. */
void pp_arena_join(pp_arena *arena, pp_arena *other)
{
    pp_arena_block **end = &arena->blocks;

    while (*end != NULL)
        end = &(*end)->older;
    *end = other->blocks;
    arena->used_bytes += other->used_bytes;
    arena->failed = arena->failed || other->failed;
    memset(other, 0, sizeof *other);
}

pp_status pp_arena_check(const pp_arena *arena, pp_error *err)
{
    if (arena->failed)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory after %zu bytes", arena->used_bytes);
    return PP_OK;
}
