/* gguf_tensors.h - the tensor table of a GGUF file, checked against the file's real size. */
#ifndef PP_ENGINE_GGUF_TENSORS_H
#define PP_ENGINE_GGUF_TENSORS_H

#include <stdint.h>

#include "engine/gguf.h"
#include "engine/gguf_stream.h"
#include "engine/gguf_types.h"

typedef struct pp_gguf_tensor {
    pp_text name;
    uint64_t info_at; /* where its row of the table stands in the file */
    uint32_t n_dims;
    int64_t dims[PP_GGUF_MAX_DIMS]; /* dims[0] is contiguous; unused ones are 1 */
    uint32_t type;
    const pp_ggml_type *layout; /* NULL for an unknown type */
    uint64_t offset_bytes;      /* in the tensor data */
    int64_t weight_count;
    int64_t size_bytes; /* PP_GGUF_ABSENT for an unknown type */
} pp_gguf_tensor;

typedef struct pp_gguf_table {
    pp_gguf_tensor *tensors; /* ascending by name after reading */
    size_t tensor_count;
    uint64_t data_offset_bytes;
} pp_gguf_table;

PP_MUST_CHECK pp_status pp_gguf_table_read(pp_gguf_stream *s, pp_arena *arena,
                                           uint64_t tensor_count, uint32_t alignment,
                                           pp_gguf_table *ret_table, pp_error *err);

/** NULL when there is no such tensor. */
const pp_gguf_tensor *pp_gguf_table_find(const pp_gguf_table *table, const char *name);

#endif
