/* gguf_meta.h - the metadata of a GGUF file: numbers, the texts we report, sums over arrays. */
#ifndef PP_ENGINE_GGUF_META_H
#define PP_ENGINE_GGUF_META_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/gguf_stream.h"

typedef struct pp_gguf_entry {
    pp_text key;
    uint64_t key_at;     /* where the key stands in the file */
    uint64_t value_at;   /* and its value */
    uint32_t value_type; /* PP_GGUF_... */
    int64_t number;      /* of an integer from 0 to 2^53; else PP_GGUF_ABSENT */
    pp_text text;        /* of the few keys whose text is kept */
    uint64_t item_count; /* of an array */
    /* of an array of integers that all lie between 0 and 2^31 (else PP_GGUF_ABSENT) */
    int64_t items_min, items_max, items_sum;
} pp_gguf_entry;

typedef struct pp_gguf_meta {
    pp_gguf_entry *entries; /* ascending by key after reading */
    size_t entry_count;
} pp_gguf_meta;

PP_MUST_CHECK pp_status pp_gguf_meta_read(pp_gguf_stream *s, pp_arena *arena, uint64_t key_count,
                                          pp_gguf_meta *ret_meta, pp_error *err);

/** NULL when the file has no such key. */
const pp_gguf_entry *pp_gguf_meta_find(const pp_gguf_meta *meta, const char *key);

/** Number of the key, PP_GGUF_ABSENT when it is not there; PP_ERR_SCHEMA when it is no integer. */
PP_MUST_CHECK pp_status pp_gguf_meta_int(const pp_gguf_meta *meta, const char *key,
                                         int64_t *ret_value, pp_error *err);

/** Text of one of the keys that are kept; no data when it is not there. */
PP_MUST_CHECK pp_status pp_gguf_meta_text(const pp_gguf_meta *meta, const char *key,
                                          pp_text *ret_text, pp_error *err);

#endif
