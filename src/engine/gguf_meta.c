#include "engine/gguf_meta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gguf.h"
#include "engine/gguf_types.h"
#include "engine/synth.h"

#define LARGEST_NUMBER ((uint64_t)1 << 53) /* JSON readers elsewhere keep integers up to here */
#define LARGEST_ITEM   ((int64_t)INT32_MAX)

static pp_status read_array(pp_gguf_stream *s, pp_gguf_entry *entry, int depth, pp_error *err);

static bool is_integer(uint32_t type)
{
    return type <= PP_GGUF_I32 || type == PP_GGUF_U64 || type == PP_GGUF_I64;
}

static bool is_signed(uint32_t type)
{
    return type == PP_GGUF_I8 || type == PP_GGUF_I16 || type == PP_GGUF_I32 || type == PP_GGUF_I64;
}

/* Little-endian bytes as a number from 0 to 2^53; PP_GGUF_ABSENT for others and for fractions. */
static int64_t number_of(uint32_t type, const unsigned char *bytes)
{
    uint32_t size = pp_gguf_scalar_bytes(type);
    uint64_t value = 0;

    if (!is_integer(type) || (is_signed(type) && (bytes[size - 1] & 0x80) != 0))
        return PP_GGUF_ABSENT;
    for (uint32_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value <= LARGEST_NUMBER ? (int64_t)value : PP_GGUF_ABSENT;
}

static pp_status take_type(pp_gguf_stream *s, const char *what, uint32_t *ret_type, pp_error *err)
{
    uint64_t at = s->offset;
    pp_status st = pp_gguf_take_u32(s, what, ret_type, err);

    if (st == PP_OK && pp_gguf_value_type_name(*ret_type) == NULL)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err, "%s: found %" PRIu32 ", expected 0 to 12", what,
                            *ret_type);
    return st;
}

static pp_status skip_string(pp_gguf_stream *s, pp_error *err)
{
    uint64_t size;
    pp_status st =
        pp_gguf_take_count(s, "a string's length", PP_GGUF_MAX_STRING_BYTES, 1, &size, err);

    return st == PP_OK ? pp_gguf_skip(s, size, "a string", err) : st;
}

static pp_status take_bool(pp_gguf_stream *s, const char *what, pp_error *err)
{
    unsigned char value;
    uint64_t at = s->offset;
    pp_status st = pp_gguf_take(s, &value, 1, what, err);

    if (st == PP_OK && value > 1)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err, "%s: found %u, expected 0 or 1", what,
                            (unsigned)value);
    return st;
}

static void count_item(pp_gguf_entry *entry, int64_t number)
{
    if (entry->items_sum == PP_GGUF_ABSENT)
        return;
    if (number == PP_GGUF_ABSENT || number > LARGEST_ITEM) {
        entry->items_min = entry->items_max = entry->items_sum = PP_GGUF_ABSENT;
        return;
    }
    entry->items_min = number < entry->items_min ? number : entry->items_min;
    entry->items_max = number > entry->items_max ? number : entry->items_max;
    entry->items_sum += number; /* 2^26 items of 2^31 at most */
}

static pp_status read_items(pp_gguf_stream *s, pp_gguf_entry *entry, uint32_t type, uint64_t count,
                            int depth, pp_error *err)
{
    unsigned char bytes[8];
    pp_status st = PP_OK;

    for (uint64_t i = 0; st == PP_OK && i < count; i++) {
        if (type == PP_GGUF_STRING)
            st = skip_string(s, err);
        else if (type == PP_GGUF_ARRAY)
            st = read_array(s, entry, depth + 1, err);
        else if (type == PP_GGUF_BOOL)
            st = take_bool(s, "an array item", err);
        else
            st = pp_gguf_take(s, bytes, pp_gguf_scalar_bytes(type), "an array item", err);
        if (st == PP_OK && depth == 1)
            count_item(entry, is_integer(type) ? number_of(type, bytes) : PP_GGUF_ABSENT);
    }
    return st;
}

static pp_status read_array(pp_gguf_stream *s, pp_gguf_entry *entry, int depth, pp_error *err)
{
    uint64_t at = s->offset;
    uint64_t count;
    uint64_t least;
    uint32_t type;
    pp_status st;

    if (depth > PP_GGUF_MAX_ARRAY_DEPTH)
        return pp_gguf_fail(at, PP_ERR_LIMIT, err,
                            "arrays nested %d deep, expected at most %d levels", depth,
                            PP_GGUF_MAX_ARRAY_DEPTH);
    st = take_type(s, "an array's item type", &type, err);
    if (st != PP_OK)
        return st;
    least = pp_gguf_scalar_bytes(type);
    if (least == 0) /* a string has a length in front, an array its type and count */
        least = type == PP_GGUF_STRING ? 8 : 12;
    st =
        pp_gguf_take_count(s, "an array's item count", PP_GGUF_MAX_ARRAY_ITEMS, least, &count, err);
    if (st != PP_OK)
        return st;
    if (depth == 1) {
        entry->item_count = count;
        entry->items_min = count == 0 ? 0 : LARGEST_ITEM;
        entry->items_max = entry->items_sum = 0;
    }
    return read_items(s, entry, type, count, depth, err);
}

static bool is_kept(pp_text key)
{
    static const char *const kept[] = {"general.architecture", "general.name",
                                       "tokenizer.ggml.model", PP_GGUF_KEY_WEIGHTS};

    for (size_t i = 0; i < PP_COUNT_OF(kept); i++) {
        if (pp_text_is(key, kept[i]))
            return true;
    }
    return false;
}

static pp_status read_scalar(pp_gguf_stream *s, pp_gguf_entry *entry, pp_error *err)
{
    unsigned char bytes[8];
    pp_status st;

    if (entry->value_type == PP_GGUF_BOOL)
        return take_bool(s, "a truth value", err);
    st = pp_gguf_take(s, bytes, pp_gguf_scalar_bytes(entry->value_type), "a value", err);
    if (st == PP_OK)
        entry->number = number_of(entry->value_type, bytes);
    return st;
}

static pp_status read_value(pp_gguf_stream *s, pp_arena *arena, pp_gguf_entry *entry, pp_error *err)
{
    pp_status st = take_type(s, "the type of a value", &entry->value_type, err);

    entry->value_at = s->offset;
    entry->number = PP_GGUF_ABSENT;
    if (st != PP_OK)
        return st;
    if (entry->value_type == PP_GGUF_ARRAY)
        return read_array(s, entry, 1, err);
    if (entry->value_type != PP_GGUF_STRING)
        return read_scalar(s, entry, err);
    if (is_kept(entry->key))
        return pp_gguf_take_text(s, arena, "the text", PP_GGUF_MAX_KEPT_BYTES, &entry->text, err);
    return skip_string(s, err);
}

static pp_status read_entry(pp_gguf_stream *s, pp_arena *arena, pp_gguf_entry *entry, pp_error *err)
{
    pp_status st;

    entry->key_at = s->offset;
    st = pp_gguf_take_text(s, arena, "a key", PP_GGUF_MAX_KEY_BYTES, &entry->key, err);
    if (st != PP_OK)
        return st;
    if (entry->key.size == 0)
        return pp_gguf_fail(entry->key_at, PP_ERR_SYNTAX, err, "expected a key, found none");
    st = read_value(s, arena, entry, err);
    return pp_wrap(err, st, "key '%s'", entry->key.data);
}

static int by_key(const void *a, const void *b)
{
    const pp_gguf_entry *x = a;
    const pp_gguf_entry *y = b;
    int order = pp_text_compare(x->key, y->key);

    return order != 0 ? order : (x->key_at > y->key_at) - (x->key_at < y->key_at);
}

static pp_status refuse_twice(const pp_gguf_meta *meta, pp_error *err)
{
    for (size_t i = 1; i < meta->entry_count; i++) {
        if (pp_text_equal(meta->entries[i - 1].key, meta->entries[i].key))
            return pp_gguf_fail(meta->entries[i].key_at, PP_ERR_SCHEMA, err,
                                "key '%s' was found twice, first at byte %" PRIu64,
                                meta->entries[i].key.data, meta->entries[i - 1].key_at);
    }
    return PP_OK;
}

pp_status pp_gguf_meta_read(pp_gguf_stream *s, pp_arena *arena, uint64_t key_count,
                            pp_gguf_meta *ret_meta, pp_error *err)
{
    pp_gguf_meta meta = {0};
    pp_status st = PP_OK;

    meta.entries = PP_ARENA_NEW(arena, pp_gguf_entry, (size_t)key_count);
    if (meta.entries == NULL)
        return pp_arena_check(arena, err);
    for (; st == PP_OK && meta.entry_count < key_count; meta.entry_count++)
        st = read_entry(s, arena, &meta.entries[meta.entry_count], err);
    if (st != PP_OK)
        return st;
    if (meta.entry_count > 0)
        qsort(meta.entries, meta.entry_count, sizeof *meta.entries, by_key);
    *ret_meta = meta;
    return refuse_twice(&meta, err);
}

static int key_against_entry(const void *key, const void *entry)
{
    return pp_text_compare(pp_text_of(key), ((const pp_gguf_entry *)entry)->key);
}

const pp_gguf_entry *pp_gguf_meta_find(const pp_gguf_meta *meta, const char *key)
{
    if (meta->entry_count == 0)
        return NULL;
    return bsearch(key, meta->entries, meta->entry_count, sizeof *meta->entries, key_against_entry);
}

pp_status pp_gguf_meta_int(const pp_gguf_meta *meta, const char *key, int64_t *ret_value,
                           pp_error *err)
{
    const pp_gguf_entry *entry = pp_gguf_meta_find(meta, key);

    *ret_value = entry == NULL ? PP_GGUF_ABSENT : entry->number;
    if (entry != NULL && entry->number == PP_GGUF_ABSENT)
        return pp_gguf_fail(entry->value_at, PP_ERR_SCHEMA, err,
                            "key '%s': expected an integer from 0 to 2^53, found %s%s", key,
                            is_integer(entry->value_type) ? "another " : "",
                            pp_gguf_value_type_name(entry->value_type));
    return PP_OK;
}

pp_status pp_gguf_meta_text(const pp_gguf_meta *meta, const char *key, pp_text *ret_text,
                            pp_error *err)
{
    const pp_gguf_entry *entry = pp_gguf_meta_find(meta, key);

    *ret_text = entry == NULL ? (pp_text){0} : entry->text;
    if (entry != NULL && entry->value_type != PP_GGUF_STRING)
        return pp_gguf_fail(entry->value_at, PP_ERR_SCHEMA, err,
                            "key '%s': expected a string, found %s", key,
                            pp_gguf_value_type_name(entry->value_type));
    return PP_OK;
}
