/* name_index.h - finds names among many, and says which of them occur twice.
 *
 * A sorted list, not a hash table: names come from documents of strangers, who cannot slow a
 * sorted list down, and the order by code point is what the output needs anyway. */
#ifndef PP_MODEL_NAME_INDEX_H
#define PP_MODEL_NAME_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define PP_NOT_FOUND SIZE_MAX

typedef struct pp_name_entry {
    pp_text name;  /* borrowed from whoever built the index */
    size_t number; /* position in the list it was built from */
} pp_name_entry;

typedef struct pp_name_index {
    pp_name_entry *entries; /* sorted by name, then number; in the arena */
    size_t count;
} pp_name_index;

/** Room for `count` entries, to be filled by the caller and then sorted. */
PP_MUST_CHECK pp_status pp_name_index_init(pp_arena *arena, size_t count, pp_name_index *ret_index,
                                           pp_error *err);
void pp_name_index_sort(pp_name_index *index);

/** Number of the entry with this name (the lowest), PP_NOT_FOUND when there is none. */
size_t pp_name_index_find(const pp_name_index *index, pp_text name);

/** A name that occurs twice: the number of its second entry; PP_NOT_FOUND when all differ. The
 * lowest such number, so that the first repetition of a document is the one reported. */
size_t pp_name_index_duplicate(const pp_name_index *index);

#endif
