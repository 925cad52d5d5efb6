#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/gguf.h"
#include "engine/gguf_meta.h"
#include "engine/gguf_stream.h"
#include "engine/gguf_tensors.h"
#include "engine/gguf_traffic.h"
#include "engine/gguf_types.h"
#include "engine/synth.h"

#define DEFAULT_ALIGNMENT  32
/* Smallest rows: a key of one byte with a one-byte value; a tensor without name and dimensions. */
#define LEAST_ENTRY_BYTES  14
#define LEAST_TENSOR_BYTES 24

static pp_status read_magic(pp_gguf_stream *s, pp_error *err)
{
    unsigned char magic[4];
    pp_status st = pp_gguf_take(s, magic, sizeof magic, "the magic 'GGUF'", err);

    if (st == PP_OK && memcmp(magic, "GGUF", sizeof magic) != 0)
        return pp_gguf_fail(0, PP_ERR_SYNTAX, err,
                            "found %02x %02x %02x %02x, expected 47 47 55 46 ('GGUF')", magic[0],
                            magic[1], magic[2], magic[3]);
    return st;
}

static pp_status read_version(pp_gguf_stream *s, pp_gguf *gguf, pp_error *err)
{
    uint64_t at = s->offset;
    uint32_t version;
    pp_status st = pp_gguf_take_u32(s, "the version", &version, err);

    if (st != PP_OK)
        return st;
    if (version != 0 && (version & 0xffffu) == 0)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "the version %" PRIu32 " reads as a big-endian file; only "
                            "little-endian files are supported",
                            version);
    if (version != 2 && version != 3)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "found GGUF version %" PRIu32 ", expected 2 or 3", version);
    gguf->version = version;
    return PP_OK;
}

static pp_status read_alignment(const pp_gguf_meta *meta, pp_gguf *gguf, pp_error *err)
{
    int64_t bytes;
    pp_status st = pp_gguf_meta_int(meta, "general.alignment", &bytes, err);

    if (st != PP_OK)
        return st;
    if (bytes == PP_GGUF_ABSENT)
        bytes = DEFAULT_ALIGNMENT;
    if (bytes < 1 || bytes > PP_GGUF_MAX_ALIGNMENT || (bytes & (bytes - 1)) != 0)
        return pp_gguf_fail(
            pp_gguf_meta_find(meta, "general.alignment")->value_at, PP_ERR_SCHEMA, err,
            "key 'general.alignment': found %" PRId64 ", expected a power of two up to %u", bytes,
            PP_GGUF_MAX_ALIGNMENT);
    gguf->alignment_bytes = bytes;
    return PP_OK;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static pp_status take_general(const pp_gguf_meta *meta, pp_gguf *gguf, pp_error *err)
{
    const pp_gguf_entry *tokens = pp_gguf_meta_find(meta, "tokenizer.ggml.tokens");
    pp_status st = pp_gguf_meta_text(meta, "general.architecture", &gguf->architecture, err);

    if (st == PP_OK)
        st = pp_gguf_meta_text(meta, "general.name", &gguf->name, err);
    if (st == PP_OK)
        st = pp_gguf_meta_text(meta, PP_GGUF_KEY_WEIGHTS, &gguf->weights, err);
    if (st == PP_OK)
        st = pp_gguf_meta_text(meta, "tokenizer.ggml.model", &gguf->tokenizer_model, err);
    if (st == PP_OK)
        st = pp_gguf_meta_int(meta, "general.file_type", &gguf->file_type, err);
    if (st == PP_OK)
        st = pp_gguf_meta_int(meta, "split.count", &gguf->split_count, err);
    if (st != PP_OK)
        return st;
    gguf->file_type_name = pp_gguf_file_type_name(gguf->file_type);
    gguf->has_chat_template = pp_gguf_meta_find(meta, "tokenizer.chat_template") != NULL;
    gguf->tokenizer_token_count = PP_GGUF_ABSENT;
    if (tokens != NULL && tokens->value_type != PP_GGUF_ARRAY)
        return pp_gguf_fail(tokens->value_at, PP_ERR_SCHEMA, err,
                            "key 'tokenizer.ggml.tokens': expected an array, found %s",
                            pp_gguf_value_type_name(tokens->value_type));
    if (tokens != NULL)
        gguf->tokenizer_token_count = (int64_t)tokens->item_count;
    return PP_OK;
}

/* One number of the architecture. An array gives one per block: it counts where all are equal. */
static pp_status take_shape(pp_arena *arena, const pp_gguf_meta *meta, const char *architecture,
                            const char *suffix, int64_t max, int64_t *ret_value, pp_error *err)
{
    const char *key = pp_arena_printf(arena, "%s.%s", architecture, suffix);
    const pp_gguf_entry *entry;
    pp_status st;

    if (key == NULL)
        return pp_arena_check(arena, err);
    entry = pp_gguf_meta_find(meta, key);
    if (entry != NULL && entry->value_type == PP_GGUF_ARRAY && entry->items_sum != PP_GGUF_ABSENT) {
        *ret_value = entry->items_min == entry->items_max ? entry->items_max : PP_GGUF_ABSENT;
        st = entry->items_max <= max ? PP_OK : PP_ERR_LIMIT;
    } else {
        st = pp_gguf_meta_int(meta, key, ret_value, err);
        if (st != PP_OK)
            return st;
        st = *ret_value <= max ? PP_OK : PP_ERR_LIMIT;
    }
    if (st != PP_OK)
        return pp_gguf_fail(
            entry->value_at, st, err, "key '%s': found %" PRId64 ", expected at most %" PRId64, key,
            entry->value_type == PP_GGUF_ARRAY ? entry->items_max : *ret_value, max);
    return PP_OK;
}

static pp_status take_shapes(pp_arena *arena, const pp_gguf_meta *meta, pp_gguf *gguf,
                             pp_error *err)
{
    const struct {
        const char *suffix;
        int64_t max;
        int64_t *value;
    } rows[] = {
        {"context_length", INT64_MAX, &gguf->context_length},
        {"block_count", PP_GGUF_MAX_PARTS, &gguf->block_count},
        {"embedding_length", PP_GGUF_MAX_LENGTH, &gguf->embedding_length},
        {"feed_forward_length", PP_GGUF_MAX_LENGTH, &gguf->feed_forward_length},
        {"attention.head_count", PP_GGUF_MAX_PARTS, &gguf->head_count},
        {"attention.head_count_kv", PP_GGUF_MAX_PARTS, &gguf->head_count_kv},
        {"attention.key_length", PP_GGUF_MAX_LENGTH, &gguf->key_length},
        {"attention.value_length", PP_GGUF_MAX_LENGTH, &gguf->value_length},
        {"expert_count", PP_GGUF_MAX_PARTS, &gguf->expert_count},
        {"expert_used_count", PP_GGUF_MAX_PARTS, &gguf->expert_used_count},
        {"vocab_size", INT64_MAX, &gguf->vocab_size},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_status st = PP_OK;

        *rows[i].value = PP_GGUF_ABSENT;
        if (gguf->architecture.data != NULL)
            st = take_shape(arena, meta, gguf->architecture.data, rows[i].suffix, rows[i].max,
                            rows[i].value, err);
        if (st != PP_OK)
            return st;
    }
    return PP_OK;
}

/* What llama.cpp assumes where a file has no key of its own. */
static void fill_defaults(pp_arena *arena, const pp_gguf_meta *meta, const pp_gguf_table *table,
                          pp_gguf *gguf)
{
    const pp_gguf_tensor *embedding = pp_gguf_table_find(table, "token_embd.weight");
    const char *kv_key =
        gguf->architecture.data == NULL
            ? NULL
            : pp_arena_printf(arena, "%s.attention.head_count_kv", gguf->architecture.data);
    int64_t head_length = PP_GGUF_ABSENT;

    if (kv_key != NULL && pp_gguf_meta_find(meta, kv_key) == NULL)
        gguf->head_count_kv = gguf->head_count;
    if (gguf->embedding_length > 0 && gguf->head_count > 0)
        head_length = gguf->embedding_length / gguf->head_count;
    if (gguf->key_length == PP_GGUF_ABSENT)
        gguf->key_length = head_length;
    if (gguf->value_length == PP_GGUF_ABSENT)
        gguf->value_length = head_length;
    if (gguf->vocab_size == PP_GGUF_ABSENT && embedding != NULL && embedding->n_dims == 2)
        gguf->vocab_size = embedding->dims[1];
    if (gguf->vocab_size == PP_GGUF_ABSENT)
        gguf->vocab_size = gguf->tokenizer_token_count;
}

/* ---- the sum by type ------------------------------------------------------------------------ */

static int by_type(const void *a, const void *b)
{
    const pp_gguf_tensor *x = *(const pp_gguf_tensor *const *)a;
    const pp_gguf_tensor *y = *(const pp_gguf_tensor *const *)b;

    return (x->type > y->type) - (x->type < y->type);
}

static void count_tensor(pp_gguf *gguf, const pp_gguf_tensor *t)
{
    pp_gguf_type_use *use = gguf->n_types == 0 ? NULL : &gguf->types[gguf->n_types - 1];

    if (use == NULL || use->type != t->type) {
        use = &gguf->types[gguf->n_types++];
        use->type = t->type;
        use->name = t->layout == NULL ? NULL : t->layout->name;
        use->size_bytes = t->layout == NULL ? PP_GGUF_ABSENT : 0;
    }
    use->tensor_count++;
    use->parameter_count += t->weight_count;
    if (t->layout != NULL)
        use->size_bytes += t->size_bytes;
    gguf->parameter_count += t->weight_count;
}

static pp_status count_types(pp_arena *arena, const pp_gguf_table *table, pp_gguf *gguf,
                             pp_error *err)
{
    const pp_gguf_tensor **sorted =
        PP_ARENA_NEW(arena, const pp_gguf_tensor *, table->tensor_count);

    gguf->types = PP_ARENA_NEW(arena, pp_gguf_type_use, table->tensor_count);
    if (sorted == NULL || gguf->types == NULL)
        return pp_arena_check(arena, err);
    for (size_t i = 0; i < table->tensor_count; i++)
        sorted[i] = &table->tensors[i];
    if (table->tensor_count > 0)
        qsort(sorted, table->tensor_count, sizeof *sorted, by_type);
    for (size_t i = 0; i < table->tensor_count; i++)
        count_tensor(gguf, sorted[i]);
    return PP_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

static pp_status read_counts(pp_gguf_stream *s, pp_gguf *gguf, pp_error *err)
{
    uint64_t tensor_count = 0;
    uint64_t key_count = 0;
    pp_status st = pp_gguf_take_count(s, "the tensor count", PP_GGUF_MAX_TENSORS,
                                      LEAST_TENSOR_BYTES, &tensor_count, err);

    if (st == PP_OK)
        st = pp_gguf_take_count(s, "the key count", PP_GGUF_MAX_KEYS, LEAST_ENTRY_BYTES, &key_count,
                                err);
    gguf->tensor_count = (int64_t)tensor_count;
    gguf->key_count = (int64_t)key_count;
    return st;
}

static pp_status read_meta(pp_gguf_stream *s, pp_arena *arena, pp_gguf *gguf,
                           pp_gguf_meta *ret_meta, pp_error *err)
{
    pp_status st = read_magic(s, err);

    if (st == PP_OK)
        st = read_version(s, gguf, err);
    if (st == PP_OK)
        st = read_counts(s, gguf, err);
    if (st == PP_OK)
        st = pp_gguf_meta_read(s, arena, (uint64_t)gguf->key_count, ret_meta, err);
    if (st == PP_OK)
        st = read_alignment(ret_meta, gguf, err);
    if (st == PP_OK)
        st = take_general(ret_meta, gguf, err);
    if (st == PP_OK)
        st = take_shapes(arena, ret_meta, gguf, err);
    return st;
}

static pp_status read_model(pp_gguf_stream *s, pp_arena *arena, pp_gguf *gguf, pp_error *err)
{
    pp_gguf_meta meta = {0};
    pp_gguf_table table = {0};
    pp_status st = read_meta(s, arena, gguf, &meta, err);

    if (st == PP_OK)
        st = pp_gguf_table_read(s, arena, (uint64_t)gguf->tensor_count,
                                (uint32_t)gguf->alignment_bytes, &table, err);
    if (st != PP_OK)
        return st;
    gguf->data_offset_bytes = (int64_t)table.data_offset_bytes;
    fill_defaults(arena, &meta, &table, gguf);
    st = count_types(arena, &table, gguf, err);
    if (st != PP_OK)
        return st;
    pp_gguf_count_streamed(&table, gguf);
    return pp_gguf_count_kv(arena, &meta, gguf, err);
}

pp_status pp_gguf_read(pp_arena *arena, FILE *stream, const char *name, int64_t file_bytes,
                       pp_gguf *ret_gguf, pp_error *err)
{
    pp_gguf_stream s = {stream, 0, (uint64_t)file_bytes};
    pp_gguf gguf = {.path = name, .file_bytes = file_bytes};
    pp_status st = read_model(&s, arena, &gguf, err);

    if (st == PP_OK)
        *ret_gguf = gguf;
    return pp_wrap(err, st, "%s", name);
}

pp_status pp_gguf_load(pp_arena *arena, const char *path, pp_gguf *ret_gguf, pp_error *err)
{
    FILE *stream = fopen(path, "rbe");
    struct stat info;
    pp_status st;

    if (stream == NULL)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
    if (fstat(fileno(stream), &info) != 0)
        st = pp_fail_errno(err, PP_ERR_IO, errno, "cannot stat '%s'", path);
    else if (!S_ISREG(info.st_mode))
        st = pp_fail(err, PP_ERR_IO, "'%s': expected a regular file", path);
    else
        st = pp_gguf_read(arena, stream, path, (int64_t)info.st_size, ret_gguf, err);
    (void)fclose(stream); /* only read from */
    return st;
}
