#include "engine/gguf_tensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static pp_status read_dims(pp_gguf_stream *s, pp_gguf_tensor *t, pp_error *err)
{
    uint64_t at = s->offset;
    pp_status st = pp_gguf_take_u32(s, "the number of dimensions", &t->n_dims, err);

    if (st == PP_OK && t->n_dims > PP_GGUF_MAX_DIMS)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "the number of dimensions: found %" PRIu32 ", expected at most %d",
                            t->n_dims, PP_GGUF_MAX_DIMS);
    t->weight_count = 1;
    for (uint32_t i = 0; i < PP_GGUF_MAX_DIMS; i++)
        t->dims[i] = 1;
    for (uint32_t i = 0; st == PP_OK && i < t->n_dims; i++) {
        uint64_t dim;

        at = s->offset;
        st = pp_gguf_take_u64(s, "a dimension", &dim, err);
        if (st != PP_OK)
            break;
        if (dim == 0 || dim > (uint64_t)(PP_GGUF_MAX_TENSOR_WEIGHTS / t->weight_count))
            return pp_gguf_fail(at, dim == 0 ? PP_ERR_SYNTAX : PP_ERR_LIMIT, err,
                                "dimension %" PRIu32 ": found %" PRIu64
                                ", expected 1 or more and at most %" PRId64 " weights in all",
                                i, dim, PP_GGUF_MAX_TENSOR_WEIGHTS);
        t->dims[i] = (int64_t)dim;
        t->weight_count *= (int64_t)dim;
    }
    return st;
}

static pp_status read_type(pp_gguf_stream *s, pp_gguf_tensor *t, pp_error *err)
{
    uint64_t at = s->offset;
    pp_status st = pp_gguf_take_u32(s, "the tensor's type", &t->type, err);

    t->size_bytes = PP_GGUF_ABSENT;
    if (st != PP_OK)
        return st;
    t->layout = pp_ggml_type_find(t->type);
    if (t->layout == NULL)
        return PP_OK;
    if (t->dims[0] % t->layout->block_weights != 0)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "rows of %" PRId64
                            " weights of type %s, expected a multiple of %" PRId32,
                            t->dims[0], t->layout->name, t->layout->block_weights);
    t->size_bytes = t->weight_count / t->layout->block_weights * t->layout->block_bytes;
    return PP_OK;
}

static pp_status read_offset(pp_gguf_stream *s, pp_gguf_tensor *t, uint32_t alignment,
                             pp_error *err)
{
    uint64_t at = s->offset;
    pp_status st = pp_gguf_take_u64(s, "the tensor's offset", &t->offset_bytes, err);

    if (st == PP_OK && t->offset_bytes % alignment != 0)
        return pp_gguf_fail(at, PP_ERR_SYNTAX, err,
                            "the tensor's offset: found %" PRIu64
                            ", expected a multiple of %" PRIu32,
                            t->offset_bytes, alignment);
    return st;
}

static pp_status read_tensor(pp_gguf_stream *s, pp_arena *arena, uint32_t alignment,
                             pp_gguf_tensor *t, pp_error *err)
{
    pp_status st;

    t->info_at = s->offset;
    st = pp_gguf_take_text(s, arena, "a tensor's name", PP_GGUF_MAX_TENSOR_NAME_BYTES, &t->name,
                           err);
    if (st != PP_OK)
        return st;
    st = read_dims(s, t, err);
    if (st == PP_OK)
        st = read_type(s, t, err);
    if (st == PP_OK)
        st = read_offset(s, t, alignment, err);
    return pp_wrap(err, st, "tensor '%s'", t->name.data);
}

/* ---- checks over the whole table ------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    const pp_gguf_tensor *x = a;
    const pp_gguf_tensor *y = b;
    int order = pp_text_compare(x->name, y->name);

    return order != 0 ? order : (x->info_at > y->info_at) - (x->info_at < y->info_at);
}

static int by_offset(const void *a, const void *b)
{
    const pp_gguf_tensor *x = a;
    const pp_gguf_tensor *y = b;

    if (x->offset_bytes != y->offset_bytes)
        return x->offset_bytes > y->offset_bytes ? 1 : -1;
    return (x->info_at > y->info_at) - (x->info_at < y->info_at);
}

/* Bytes from the start of the tensor data; of an unknown type at least one. */
static uint64_t end_of(const pp_gguf_tensor *t)
{
    return t->offset_bytes + (t->size_bytes == PP_GGUF_ABSENT ? 1 : (uint64_t)t->size_bytes);
}

static pp_status check_extent(uint64_t data_bytes, const pp_gguf_tensor *t, pp_error *err)
{
    if (t->offset_bytes < data_bytes && end_of(t) <= data_bytes)
        return PP_OK;
    return pp_gguf_fail(t->info_at, PP_ERR_SYNTAX, err,
                        "tensor '%s' takes %" PRId64 " bytes from offset %" PRIu64
                        " of the tensor data, expected an end within its %" PRIu64 " bytes",
                        t->name.data, t->size_bytes, t->offset_bytes, data_bytes);
}

static pp_status check_places(const pp_gguf_stream *s, pp_gguf_table *table, pp_error *err)
{
    uint64_t data_bytes =
        table->data_offset_bytes > s->size ? 0 : s->size - table->data_offset_bytes;
    pp_status st = PP_OK;

    qsort(table->tensors, table->tensor_count, sizeof *table->tensors, by_offset);
    for (size_t i = 0; st == PP_OK && i < table->tensor_count; i++) {
        const pp_gguf_tensor *t = &table->tensors[i];
        const pp_gguf_tensor *before = i == 0 ? NULL : t - 1;

        st = check_extent(data_bytes, t, err);
        if (st == PP_OK && before != NULL && end_of(before) > t->offset_bytes)
            st = pp_gguf_fail(t->info_at, PP_ERR_SYNTAX, err,
                              "tensor '%s' begins at offset %" PRIu64
                              " of the tensor data, expected %" PRIu64 " or more, where '%s' ends",
                              t->name.data, t->offset_bytes, end_of(before), before->name.data);
    }
    return st;
}

static pp_status check_names(pp_gguf_table *table, pp_error *err)
{
    qsort(table->tensors, table->tensor_count, sizeof *table->tensors, by_name);
    for (size_t i = 1; i < table->tensor_count; i++) {
        if (pp_text_equal(table->tensors[i - 1].name, table->tensors[i].name))
            return pp_gguf_fail(table->tensors[i].info_at, PP_ERR_SCHEMA, err,
                                "tensor '%s' was found twice, first at byte %" PRIu64,
                                table->tensors[i].name.data, table->tensors[i - 1].info_at);
    }
    return PP_OK;
}

pp_status pp_gguf_table_read(pp_gguf_stream *s, pp_arena *arena, uint64_t tensor_count,
                             uint32_t alignment, pp_gguf_table *ret_table, pp_error *err)
{
    pp_gguf_table table = {0};
    pp_status st = PP_OK;

    table.tensors = PP_ARENA_NEW(arena, pp_gguf_tensor, (size_t)tensor_count);
    if (table.tensors == NULL)
        return pp_arena_check(arena, err);
    for (; st == PP_OK && table.tensor_count < tensor_count; table.tensor_count++)
        st = read_tensor(s, arena, alignment, &table.tensors[table.tensor_count], err);
    if (st != PP_OK)
        return st;
    table.data_offset_bytes = (s->offset + alignment - 1) / alignment * alignment;
    if (table.tensor_count > 0)
        st = check_places(s, &table, err);
    if (st == PP_OK && table.tensor_count > 0)
        st = check_names(&table, err);
    *ret_table = table;
    return st;
}

static int name_against_tensor(const void *name, const void *tensor)
{
    return pp_text_compare(pp_text_of(name), ((const pp_gguf_tensor *)tensor)->name);
}

const pp_gguf_tensor *pp_gguf_table_find(const pp_gguf_table *table, const char *name)
{
    if (table->tensor_count == 0)
        return NULL;
    return bsearch(name, table->tensors, table->tensor_count, sizeof *table->tensors,
                   name_against_tensor);
}
