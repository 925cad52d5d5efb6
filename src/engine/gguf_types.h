/* gguf_types.h - how ggml stores tensors: type numbers, block sizes, names.
 *
 * The numbers are ggml's and never change; numbers of types that ggml withdrew (4, 5, 31 to 33, 36
 * to 38) are unknown here. Source: ggml.h and ggml-common.h; every row was compared with what
 * ggml_blck_size and ggml_type_size of the library in llama.cpp build 11669 return. */
#ifndef PP_ENGINE_GGUF_TYPES_H
#define PP_ENGINE_GGUF_TYPES_H

#include <stdint.h>

#define PP_GGML_F32  0u
#define PP_GGML_F16  1u
#define PP_GGML_Q4_0 2u
#define PP_GGML_Q8_0 8u

/* Values of general.file_type that we write. */
#define PP_GGUF_FILE_TYPE_F16  1
#define PP_GGUF_FILE_TYPE_Q4_0 2
#define PP_GGUF_FILE_TYPE_Q8_0 7

/* Types of metadata values. */
#define PP_GGUF_U8     0u
#define PP_GGUF_I8     1u
#define PP_GGUF_U16    2u
#define PP_GGUF_I16    3u
#define PP_GGUF_U32    4u
#define PP_GGUF_I32    5u
#define PP_GGUF_F32    6u
#define PP_GGUF_BOOL   7u
#define PP_GGUF_STRING 8u
#define PP_GGUF_ARRAY  9u
#define PP_GGUF_U64    10u
#define PP_GGUF_I64    11u
#define PP_GGUF_F64    12u

typedef struct pp_ggml_type {
    const char *name;      /* as ggml spells it, "Q4_K" */
    int32_t block_weights; /* a row is a whole number of blocks */
    int32_t block_bytes;
} pp_ggml_type;

/** NULL for a number that ggml does not define (or defined later than this table). */
const pp_ggml_type *pp_ggml_type_find(uint32_t number);

/** Name of a general.file_type value, "Q4_K_M"; NULL when it is not known. */
const char *pp_gguf_file_type_name(int64_t file_type);

/** Bytes of a fixed-size metadata value; 0 for strings, arrays and unknown types. */
uint32_t pp_gguf_scalar_bytes(uint32_t value_type);

/** "uint32", "string", ...; NULL for an unknown type. */
const char *pp_gguf_value_type_name(uint32_t value_type);

#endif
