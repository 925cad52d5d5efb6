#include <math.h>
#include <stdint.h>

#include "model/model_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool row_is_sound(const pp_model_table *table, const pp_table_row *row)
{
    double sum = 0;

    for (size_t i = 0; i < row->next_count; i++) {
        const pp_table_entry *entry = &row->next[i];

        if (entry->token != PP_TABLE_END && entry->token >= table->token_count)
            return false;
        if (!(entry->probability >= PP_TABLE_MIN_PROBABILITY))
            return false;
        sum += entry->probability;
    }
    return fabs(sum - 1) <= PP_TABLE_SUM_TOLERANCE;
}

/* What `engine` relies on. */
static bool is_sound(const pp_model_table *table)
{
    if (table->token_count > PP_TABLE_MAX_TOKENS || table->state_count > PP_TABLE_MAX_ROWS)
        return false;
    for (size_t i = 0; i < table->state_count; i++) {
        if (table->states[i].token >= table->token_count ||
            !row_is_sound(table, &table->states[i].row))
            return false;
    }
    return row_is_sound(table, &table->otherwise) &&
           (!table->has_chat_state || table->chat_state < table->token_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_model_table table;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_model_table_decode(&arena, root, &table, &err) == PP_OK)
        PP_ASSERT(is_sound(&table));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
