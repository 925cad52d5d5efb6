#include "engine/gguf.h"

static void set_int(pp_arena *arena, pp_json *object, const char *key, int64_t value)
{
    if (value == PP_GGUF_ABSENT)
        pp_json_set_null(arena, object, key);
    else
        pp_json_set_int(arena, object, key, value);
}

static void set_text(pp_arena *arena, pp_json *object, const char *key, pp_text value)
{
    if (value.data == NULL)
        pp_json_set_null(arena, object, key);
    else
        pp_json_set_text(arena, object, key, value);
}

static pp_json *types_to_json(pp_arena *arena, const pp_gguf *g)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < g->n_types; i++) {
        const pp_gguf_type_use *use = &g->types[i];
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_int(arena, row, "type", use->type);
        pp_json_set_string(arena, row, "name", use->name);
        pp_json_set_int(arena, row, "tensor_count", use->tensor_count);
        pp_json_set_int(arena, row, "parameter_count", use->parameter_count);
        set_int(arena, row, "size_bytes", use->size_bytes);
        pp_json_add(arena, list, row);
    }
    return list;
}

static void set_file(pp_arena *arena, pp_json *doc, const pp_gguf *g)
{
    pp_json_set_string(arena, doc, "path", g->path);
    pp_json_set_int(arena, doc, "size_bytes", g->file_bytes);
    pp_json_set_int(arena, doc, "gguf_version", g->version);
    pp_json_set_int(arena, doc, "key_count", g->key_count);
    pp_json_set_int(arena, doc, "tensor_count", g->tensor_count);
    pp_json_set_int(arena, doc, "alignment_bytes", g->alignment_bytes);
    pp_json_set_int(arena, doc, "data_offset_bytes", g->data_offset_bytes);
    set_int(arena, doc, "split_count", g->split_count);
    set_text(arena, doc, "architecture", g->architecture);
    set_text(arena, doc, "name", g->name);
    set_text(arena, doc, "weights", g->weights);
    set_int(arena, doc, "file_type", g->file_type);
    pp_json_set_string(arena, doc, "file_type_name", g->file_type_name);
    pp_json_set_int(arena, doc, "parameter_count", g->parameter_count);
    pp_json_set(arena, doc, "tensor_types", types_to_json(arena, g));
}

static void set_shape(pp_arena *arena, pp_json *doc, const pp_gguf *g)
{
    set_int(arena, doc, "context_length", g->context_length);
    set_int(arena, doc, "block_count", g->block_count);
    set_int(arena, doc, "embedding_length", g->embedding_length);
    set_int(arena, doc, "feed_forward_length", g->feed_forward_length);
    set_int(arena, doc, "head_count", g->head_count);
    set_int(arena, doc, "head_count_kv", g->head_count_kv);
    set_int(arena, doc, "key_length", g->key_length);
    set_int(arena, doc, "value_length", g->value_length);
    set_int(arena, doc, "expert_count", g->expert_count);
    set_int(arena, doc, "expert_used_count", g->expert_used_count);
    set_int(arena, doc, "vocab_size", g->vocab_size);
    set_text(arena, doc, "tokenizer_model", g->tokenizer_model);
    set_int(arena, doc, "tokenizer_token_count", g->tokenizer_token_count);
    pp_json_set_bool(arena, doc, "has_chat_template", g->has_chat_template);
}

pp_json *pp_gguf_to_json(pp_arena *arena, const pp_gguf *g)
{
    pp_json *doc = pp_json_new_object(arena);

    pp_json_set_string(arena, doc, "schema_version", "1.0");
    pp_json_set_string(arena, doc, "document", "model-info");
    set_file(arena, doc, g);
    set_shape(arena, doc, g);
    if (g->tied_embedding == PP_GGUF_ABSENT)
        pp_json_set_null(arena, doc, "tied_embedding");
    else
        pp_json_set_bool(arena, doc, "tied_embedding", g->tied_embedding == 1);
    set_int(arena, doc, "streamed_bytes_per_token", g->streamed_bytes_per_token);
    pp_json_set_string(arena, doc, "streamed_bytes_note", g->streamed_bytes_note);
    set_int(arena, doc, "kv_bytes_per_position_f16", g->kv_bytes_per_position_f16);
    pp_json_set_string(arena, doc, "kv_bytes_note", g->kv_bytes_note);
    return doc;
}
