/* gguf.h - what the header of a GGUF model file says.
 *
 * Reads the metadata and the tensor table, never the weights, with bounded memory: every length,
 * count, product and offset is checked against a ceiling below and against the real size of the
 * file, before it is used. Versions 2 and 3, little-endian. The file comes from anywhere; a refusal
 * names the file, the byte, what was found and what was expected.
 *
 * Source of the layout: the GGUF specification of ggml. Method of the derived figures:
 * docs/method/bytes-per-token.md. */
#ifndef PP_ENGINE_GGUF_H
#define PP_ENGINE_GGUF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/text.h"
#include "json/json.h"

/* Known files have some 50 keys; each of ours is kept in memory. */
#define PP_GGUF_MAX_KEYS              4096
/* The specification allows 65,535 bytes; known keys stay below 100. */
#define PP_GGUF_MAX_KEY_BYTES         1024
/* The largest known string is an embedded tokenizer document of some 20 MB; strings are skipped. */
#define PP_GGUF_MAX_STRING_BYTES      ((uint64_t)64 << 20)
/* Strings that are kept: names of an architecture, a model, a tokenizer. */
#define PP_GGUF_MAX_KEPT_BYTES        1024
/* The largest known arrays are merges of a tokenizer, below a million. */
#define PP_GGUF_MAX_ARRAY_ITEMS       ((uint64_t)1 << 26)
/* Arrays of arrays are allowed by the specification; no known file has any. */
#define PP_GGUF_MAX_ARRAY_DEPTH       4
/* The largest known models have some 3,000 tensors. */
#define PP_GGUF_MAX_TENSORS           65536
/* ggml keeps names in 64 bytes with a NUL. */
#define PP_GGUF_MAX_TENSOR_NAME_BYTES 63
#define PP_GGUF_MAX_DIMS              4
/* Sums of bytes over all tensors stay inside int64. */
#define PP_GGUF_MAX_TENSOR_WEIGHTS    ((int64_t)1 << 43)
/* 32 in practice; pages have at most 64 KiB. */
#define PP_GGUF_MAX_ALIGNMENT         65536u

/* Blocks, heads and experts: a hundred times what known models have. */
#define PP_GGUF_MAX_PARTS  65536
/* Lengths of vectors and of one head: a hundred times what known models have. */
#define PP_GGUF_MAX_LENGTH ((int64_t)1 << 22)

#define PP_GGUF_ABSENT ((int64_t)-1)

/* The tensors of one ggml type. */
typedef struct pp_gguf_type_use {
    uint32_t type;
    const char *name; /* NULL when ggml does not define the type */
    int64_t tensor_count;
    int64_t parameter_count;
    int64_t size_bytes; /* PP_GGUF_ABSENT when the type is unknown */
} pp_gguf_type_use;

/* Integers are PP_GGUF_ABSENT and texts have no data where the file does not say. */
typedef struct pp_gguf {
    const char *path;
    int64_t file_bytes;
    int64_t version;
    int64_t key_count;
    int64_t tensor_count;
    int64_t alignment_bytes;
    int64_t data_offset_bytes; /* where the tensor data begins in the file */
    int64_t split_count;       /* files that the model is spread over; absent means 1 */

    pp_text architecture;
    pp_text name;
    pp_text weights;   /* paretopilot.weights: what a model of ours is made of */
    int64_t file_type; /* general.file_type */
    const char *file_type_name;
    int64_t parameter_count; /* weights of all tensors of this file */

    int64_t context_length;
    int64_t block_count;
    int64_t embedding_length;
    int64_t feed_forward_length; /* absent where it differs between blocks; so are the next two */
    int64_t head_count;
    int64_t head_count_kv;
    int64_t key_length;   /* of one head; embedding_length / head_count where the file has no key */
    int64_t value_length; /* the same */
    int64_t expert_count;
    int64_t expert_used_count;
    int64_t vocab_size; /* key, else rows of the token embedding, else tokens of the tokenizer */
    pp_text tokenizer_model;
    int64_t tokenizer_token_count;
    bool has_chat_template;
    int64_t tied_embedding; /* 1 when the output matrix is the token embedding, 0 when not */

    /* Bytes of weights read to generate one token: all tensors but pure look-up tables; experts by
     * the share that is used. Absent with the reason in the note. */
    int64_t streamed_bytes_per_token;
    const char *streamed_bytes_note; /* NULL when there is nothing to say */
    /* Bytes that one token position takes in a key/value cache of 16-bit numbers, over all blocks.
     */
    int64_t kv_bytes_per_position_f16;
    const char *kv_bytes_note;

    pp_gguf_type_use *types; /* ascending by number */
    size_t n_types;
} pp_gguf;

/** Read the header of `path`. Texts live in `arena`, `path` is borrowed. Fails with PP_ERR_IO,
 * PP_ERR_SYNTAX, PP_ERR_SCHEMA, PP_ERR_LIMIT or PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_gguf_load(pp_arena *arena, const char *path, pp_gguf *ret_gguf,
                                     pp_error *err);

/** The same from an open stream of `file_bytes` bytes; `name` opens every message. */
PP_MUST_CHECK pp_status pp_gguf_read(pp_arena *arena, FILE *stream, const char *name,
                                     int64_t file_bytes, pp_gguf *ret_gguf, pp_error *err);

/** The document of docs/formats/model-info.md. */
pp_json *pp_gguf_to_json(pp_arena *arena, const pp_gguf *gguf);

#endif
