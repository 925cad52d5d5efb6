#include "model/name_index.h"

#include <stdlib.h>

pp_status pp_name_index_init(pp_arena *arena, size_t count, pp_name_index *ret_index, pp_error *err)
{
    ret_index->entries = PP_ARENA_NEW(arena, pp_name_entry, count);
    ret_index->count = count;
    return pp_arena_check(arena, err);
}

static int compare(const void *a, const void *b)
{
    const pp_name_entry *x = a;
    const pp_name_entry *y = b;
    int order = pp_text_compare(x->name, y->name);

    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

void pp_name_index_sort(pp_name_index *index)
{
    if (index->count > 1)
        qsort(index->entries, index->count, sizeof *index->entries, compare);
}

size_t pp_name_index_find(const pp_name_index *index, pp_text name)
{
    size_t low = 0;
    size_t high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pp_text_compare(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count || !pp_text_equal(index->entries[low].name, name))
        return PP_NOT_FOUND;
    return index->entries[low].number;
}

size_t pp_name_index_duplicate(const pp_name_index *index)
{
    size_t found = PP_NOT_FOUND;

    for (size_t i = 1; i < index->count; i++) {
        const pp_name_entry *entry = &index->entries[i];

        if (pp_text_equal(entry->name, index->entries[i - 1].name) && entry->number < found)
            found = entry->number;
    }
    return found;
}
