/* Source: docs/method/bytes-per-token.md. */
#include "engine/gguf_traffic.h"

#include <string.h>

#include "engine/gguf_types.h"

/* Tables of which one row is read per token. The token embedding is one too, unless it also serves
 * as the output matrix. */
static bool is_look_up(const pp_gguf_tensor *t)
{
    return pp_text_is(t->name, "position_embd.weight") ||
           pp_text_is(t->name, "token_types.weight") ||
           pp_text_is(t->name, "per_layer_token_embd.weight");
}

static bool is_expert(const pp_gguf_tensor *t)
{
    return strstr(t->name.data, "_exps") != NULL;
}

/* The slowest dimension of an expert tensor counts the experts, so its bytes divide evenly. */
static bool has_all_experts(const pp_gguf *gguf, const pp_gguf_tensor *t)
{
    return gguf->expert_count > 0 && gguf->expert_used_count > 0 &&
           gguf->expert_used_count <= gguf->expert_count && t->n_dims > 0 &&
           t->dims[t->n_dims - 1] == gguf->expert_count;
}

/* NULL, or why the bytes cannot be told. */
static const char *add_tensor(const pp_gguf *gguf, const pp_gguf_tensor *t, int64_t *total)
{
    if (is_look_up(t) || (!gguf->tied_embedding && pp_text_is(t->name, "token_embd.weight")))
        return NULL;
    if (t->size_bytes == PP_GGUF_ABSENT)
        return "not known: the file has tensors of a type that is not known here";
    if (!is_expert(t)) {
        *total += t->size_bytes;
        return NULL;
    }
    if (!has_all_experts(gguf, t))
        return "not known: the file has expert tensors, but its expert counts do not fit them";
    *total += t->size_bytes / gguf->expert_count * gguf->expert_used_count;
    return NULL;
}

void pp_gguf_count_streamed(const pp_gguf_table *table, pp_gguf *gguf)
{
    int64_t total = 0;
    bool experts = false;
    const char *reason = NULL;

    gguf->tied_embedding = PP_GGUF_ABSENT;
    gguf->streamed_bytes_per_token = PP_GGUF_ABSENT;
    if (gguf->split_count > 1)
        reason = "not known: the file is one part of a split model";
    else if (pp_gguf_table_find(table, "token_embd.weight") == NULL)
        reason = "not known: the file has no token embedding";
    else
        gguf->tied_embedding = pp_gguf_table_find(table, "output.weight") == NULL;
    for (size_t i = 0; reason == NULL && i < table->tensor_count; i++) {
        experts = experts || is_expert(&table->tensors[i]);
        reason = add_tensor(gguf, &table->tensors[i], &total);
    }
    gguf->streamed_bytes_note = reason;
    if (reason != NULL)
        return;
    gguf->streamed_bytes_per_token = total;
    if (experts)
        gguf->streamed_bytes_note = "expert tensors count by the share of experts used per token";
}

/* ---- key/value cache ------------------------------------------------------------------------ */

#define F16_BYTES 2

static bool has_key(pp_arena *arena, const pp_gguf_meta *meta, const pp_gguf *gguf,
                    const char *suffix)
{
    const char *key = pp_arena_printf(arena, "%s.%s", gguf->architecture.data, suffix);

    return key != NULL && pp_gguf_meta_find(meta, key) != NULL;
}

/* Heads of all blocks together; PP_GGUF_ABSENT when the file does not say. */
static int64_t all_kv_heads(pp_arena *arena, const pp_gguf_meta *meta, const pp_gguf *gguf)
{
    const char *key = pp_arena_printf(arena, "%s.attention.head_count_kv", gguf->architecture.data);
    const pp_gguf_entry *entry = key == NULL ? NULL : pp_gguf_meta_find(meta, key);

    if (entry != NULL && entry->value_type == PP_GGUF_ARRAY)
        return (int64_t)entry->item_count == gguf->block_count ? entry->items_sum : PP_GGUF_ABSENT;
    if (gguf->head_count_kv == PP_GGUF_ABSENT || gguf->block_count == PP_GGUF_ABSENT)
        return PP_GGUF_ABSENT;
    return gguf->head_count_kv * gguf->block_count;
}

static const char *kv_obstacle(pp_arena *arena, const pp_gguf_meta *meta, const pp_gguf *gguf)
{
    if (gguf->architecture.data == NULL)
        return "not known: the file names no architecture";
    if (has_key(arena, meta, gguf, "attention.kv_lora_rank"))
        return "not known: latent attention keeps no keys and values per head";
    if (has_key(arena, meta, gguf, "ssm.state_size") || has_key(arena, meta, gguf, "wkv.head_size"))
        return "not known: the model has recurrent blocks";
    return NULL;
}

pp_status pp_gguf_count_kv(pp_arena *arena, const pp_gguf_meta *meta, pp_gguf *gguf, pp_error *err)
{
    int64_t heads;

    gguf->kv_bytes_per_position_f16 = PP_GGUF_ABSENT;
    gguf->kv_bytes_note = kv_obstacle(arena, meta, gguf);
    if (gguf->kv_bytes_note != NULL)
        return pp_arena_check(arena, err);
    heads = all_kv_heads(arena, meta, gguf);
    if (heads == PP_GGUF_ABSENT || gguf->key_length == PP_GGUF_ABSENT ||
        gguf->value_length == PP_GGUF_ABSENT) {
        gguf->kv_bytes_note = "not known: the file does not say how many heads of what length";
        return pp_arena_check(arena, err);
    }
    gguf->kv_bytes_per_position_f16 = heads * (gguf->key_length + gguf->value_length) * F16_BYTES;
    if (has_key(arena, meta, gguf, "attention.sliding_window"))
        gguf->kv_bytes_note = "upper bound: some blocks may keep only a window of positions";
    return pp_arena_check(arena, err);
}
